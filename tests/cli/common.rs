//! A folder to work in, and a small world to bake.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

#[path = "../common/brushes.rs"]
mod brushes;

pub use brushes::brush;

/// The program; scripts/check windows has another, which runs the one for Windows.
pub const VIEWCELL: &str = match option_env!("VIEWCELL_TESTED") {
    Some(path) => path,
    None => env!("CARGO_BIN_EXE_viewcell"),
};

/// The words of a command line, none of which has a blank in it.
pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// A fresh folder.
pub struct Folder(TempDir);

/// What came of a run.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Fails unless stdout has these words.
    #[track_caller]
    pub fn says(&self, words: &str) {
        let found = &self.stdout;
        assert!(found.contains(words), "no {words:?} in {found}");
    }

    /// Fails unless stderr has these words.
    #[track_caller]
    pub fn warns(&self, words: &str) {
        let found = &self.stderr;
        assert!(found.contains(words), "no {words:?} in {found}");
    }

    /// The document on stdout.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A fresh folder with `wall.asc` and the bundle baked from it, `wall.vcb`.
    pub fn with_wall() -> Self {
        let folder = Self::new();
        folder.write("wall.asc", wall());
        folder.ok(&words("bake terrain wall.asc --visibility exact --quiet"));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// The same, by a name that may be no Unicode.
    pub fn write_at(&self, name: &std::ffi::OsStr, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of all that is in it, hidden files included, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(VIEWCELL);
        command.args(arguments).current_dir(self.0.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with_stdin(arguments, b"")
    }

    pub fn run_with_stdin(&self, arguments: &[&str], stdin: &[u8]) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its stdin may be gone already.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs what must end with this code.
    #[track_caller]
    pub fn ends(&self, arguments: &[&str], code: i32) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.stderr);
        ran
    }

    /// Runs what must succeed.
    #[track_caller]
    pub fn ok(&self, arguments: &[&str]) -> Ran {
        self.ends(arguments, 0)
    }

    /// The document of what must succeed.
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.ok(arguments).json()
    }

    /// Runs what must make a bundle that `verify` finds nothing wrong with.
    pub fn sound(&self, arguments: &[&str]) -> Ran {
        let ran = self.ok(arguments);
        let named = arguments.iter().position(|word| *word == "-o");
        let bundle = match named {
            Some(at) => arguments[at + 1].to_owned(),
            None => {
                let input = Path::new(arguments[2]).file_stem().unwrap();
                format!("{}.vcb", input.to_str().unwrap())
            }
        };
        self.ok(&["verify", &bundle, "--quiet"]);
        ran
    }

    /// Runs the program with a limit on the size of files, which stands in for a disk that is full soon: so many
    /// bytes, rounded up. It must say that there is no room, with these words.
    #[cfg(unix)]
    pub fn fails_for_room(&self, bytes: usize, arguments: &[&str], words: &[&str]) {
        let blocks = bytes.div_ceil(512);
        let script = format!("ulimit -f {blocks}; exec '{VIEWCELL}' \"$@\"");
        let ran = Command::new("sh")
            .args([&["-c", &script, "sh"], arguments].concat())
            .current_dir(self.path(""))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(4), "{arguments:?}: {stderr}");
        assert_eq!(stderr.matches("ulimit -f").count(), 1, "{stderr}");
        for word in words {
            assert!(
                stderr.contains(word),
                "{arguments:?}: no {word:?} in {stderr}"
            );
        }
    }

    /// Runs what must fail with this code, with these words on stderr and nothing on stdout.
    pub fn fails(&self, arguments: &[&str], code: i32, words: &[&str]) {
        let ran = self.ends(arguments, code);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        for word in words {
            assert!(
                ran.stderr.contains(word),
                "{arguments:?}: no {word:?} in: {}",
                ran.stderr
            );
        }
    }
}

/// A private key, of the first test of RFC 8032.
pub const PRIVATE_KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
";

/// Signs a bundle with the key of a file.
pub const SIGN: &[&str] = &["sign", "wall.vcb", "--key", "key.pem", "-o", "signed.vcb"];

/// A plain of 9 x 5 samples, 10 m apart, with a wall of 100 m in column 4 and a void in the
/// south-eastern corner, as ESRI ASCII grid.
pub fn wall() -> String {
    let mut text = String::from(
        "ncols 9\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n",
    );
    for row in 0..5 {
        let east = if row == 4 { "-9999" } else { "0" };
        text.push_str(&format!("0 0 0 0 100 0 0 0 {east}\n"));
    }
    text
}

/// Hills enough to keep a processor busy for a while: `side` x `side` samples, RAW16.
pub fn hills(side: u32) -> Vec<u8> {
    let mut seed = 1_u32;
    (0..side * side)
        .flat_map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((seed >> 24) as u16).to_le_bytes()
        })
        .collect()
}

/// The repository's own demo.
pub fn demo() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let files = folders.map(|folder| folder.join("assets/jacksboro.tif"));
    files.into_iter().find(|file| file.is_file()).unwrap()
}

/// The numbers of a `.npy` file with four-byte numbers.
pub fn npy<T>(bytes: &[u8], of: fn([u8; 4]) -> T) -> Vec<T> {
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[head..]
        .chunks_exact(4)
        .map(|b| of(b.try_into().unwrap()))
        .collect()
}

/// A strip of calm sea, 50 m from sample to sample if --spacing says so.
pub fn sea() -> String {
    let row = "0 ".repeat(251);
    let rows = vec![row; 5].join("\n");
    format!("ncols 251\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 50\n{rows}\n")
}

/// A folder with `rooms.map`, two rooms with a door at the northern end of the wall between them, `walks.csv`, three
/// players in it, of whom two do not see each other at first, and the bundle `rooms.vcb`.
pub fn rooms() -> Folder {
    let folder = Folder::new();
    let brushes = [
        ([-16, -16, -16], [528, 272, 0]),
        ([-16, -16, 128], [528, 272, 144]),
        ([-16, -16, 0], [0, 272, 128]),
        ([512, -16, 0], [528, 272, 128]),
        ([0, -16, 0], [512, 0, 128]),
        ([0, 256, 0], [512, 272, 128]),
        ([248, 0, 0], [264, 192, 128]),
    ];
    let brushes: String = brushes.map(|(low, high)| brush(low, high)).concat();
    folder.write(
        "rooms.map",
        format!(
            "{{\n\"classname\" \"worldspawn\"\n{brushes}}}\n\
             {{\n\"classname\" \"info_player_start\"\n\"origin\" \"64 64 32\"\n}}\n"
        ),
    );
    let mut walks = "t_ms,player,x,y,z,pitch_deg,yaw_deg,dead\n".to_owned();
    for tick in 0..=60 {
        let (time, y) = (tick * 50, 40 + 3 * tick);
        walks += &format!(
            "{time},0,64,{y},24,0,0,0\n{time},1,448,64,24,0,0,0\n{time},2,448,{y},24,0,0,0\n"
        );
    }
    folder.write("walks.csv", walks);
    folder.ok(&["bake", "solid", "rooms.map", "--cell", "32", "--quiet"]);
    folder
}
