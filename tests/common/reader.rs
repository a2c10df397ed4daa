//! The independent reader, `scripts/read-bundle`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the reader; `None` where there is no Python 3.
pub fn read_bundle(verb: &str, file: &Path, args: &[&str], input: &str) -> Option<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/read-bundle");
    let child = Command::new("python3")
        .arg(script)
        .arg(verb)
        .arg(file)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        // Straight to stderr: what a test that passes prints is not shown.
        let _ = writeln!(std::io::stderr(), "skipped: python3 not found");
        return None;
    };
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    Some(output)
}

/// As [`read_bundle`]; what it prints, having succeeded.
pub fn said(verb: &str, file: &Path, args: &[&str], input: &str) -> Option<String> {
    let output = read_bundle(verb, file, args, input)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{verb} {args:?}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}
