//! Small levels of every format, byte by byte: a corridor of cells along x, cell i from x = 16 i
//! to 16 i + 16, with solid before and behind.

use viewcell_ingest::world::BitMatrix;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bsp29,
    Bsp2Rmq,
    Bsp2,
    Bsp30,
    Ibsp38,
    Ibsp46,
    Ibsp47,
    VbspOld,
    Vbsp,
}

pub const KINDS: [Kind; 9] = [
    Kind::Bsp29,
    Kind::Bsp2Rmq,
    Kind::Bsp2,
    Kind::Bsp30,
    Kind::Ibsp38,
    Kind::Ibsp46,
    Kind::Ibsp47,
    Kind::VbspOld,
    Kind::Vbsp,
];

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bsp29 => "BSP29",
            Self::Bsp2Rmq => "2PSB",
            Self::Bsp2 => "BSP2",
            Self::Bsp30 => "BSP30",
            Self::Ibsp38 => "IBSP38",
            Self::Ibsp46 => "IBSP46",
            Self::Ibsp47 => "IBSP47",
            Self::VbspOld | Self::Vbsp => "VBSP",
        }
    }

    fn magic(self) -> Vec<u8> {
        let with = |magic: &[u8], version: u32| [magic, &version.to_le_bytes()].concat();
        match self {
            Self::Bsp29 => with(b"", 29),
            Self::Bsp2Rmq => b"2PSB".to_vec(),
            Self::Bsp2 => b"BSP2".to_vec(),
            Self::Bsp30 => with(b"", 30),
            Self::Ibsp38 => with(b"IBSP", 38),
            Self::Ibsp46 => with(b"IBSP", 46),
            Self::Ibsp47 => with(b"IBSP", 47),
            Self::VbspOld => with(b"VBSP", 19),
            Self::Vbsp => with(b"VBSP", 20),
        }
    }

    /// Lumps, and bytes an entry of their table.
    fn lumps(self) -> (usize, usize) {
        match self {
            Self::Bsp29 | Self::Bsp2Rmq | Self::Bsp2 | Self::Bsp30 => (15, 8),
            Self::Ibsp38 => (19, 8),
            Self::Ibsp46 | Self::Ibsp47 => (17, 8),
            Self::VbspOld | Self::Vbsp => (64, 16),
        }
    }

    /// Where the table of lumps begins, the bytes of an entry, and how many there are.
    pub fn table(self) -> (usize, usize, usize) {
        let (count, stride) = self.lumps();
        (self.magic().len(), stride, count)
    }

    /// Where the table's entry of a lump begins in the file.
    pub fn entry(self, lump: &str) -> usize {
        self.magic().len() + self.index(lump) * self.lumps().1
    }

    fn index(self, lump: &str) -> usize {
        let lumps = ["planes", "visibility", "nodes", "leaves", "models"];
        let numbers = match self {
            Self::Bsp29 | Self::Bsp2Rmq | Self::Bsp2 | Self::Bsp30 => [1, 4, 5, 10, 14],
            Self::Ibsp38 => [1, 3, 4, 8, 13],
            Self::Ibsp46 | Self::Ibsp47 => [2, 16, 3, 4, 7],
            Self::VbspOld | Self::Vbsp => [1, 4, 5, 10, 14],
        };
        numbers[lumps.iter().position(|name| *name == lump).unwrap()]
    }

    fn is_quake(self) -> bool {
        matches!(self, Self::Bsp29 | Self::Bsp2Rmq | Self::Bsp2 | Self::Bsp30)
    }
}

/// Bytes, field by field.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn i16(&mut self, x: i32) -> &mut Self {
        self.0.extend((x as i16).to_le_bytes());
        self
    }
    fn i32(&mut self, x: i32) -> &mut Self {
        self.0.extend(x.to_le_bytes());
        self
    }
    fn f32(&mut self, x: f32) -> &mut Self {
        self.0.extend(x.to_le_bytes());
        self
    }
    fn pad(&mut self, to: usize) -> &mut Self {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
        self
    }
}

/// A row of bits as bytes, run-length coded, each zero byte as a run of its own.
fn packed(bits: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        let bits = eight.iter().rev();
        bits.fold(0, |byte, bit| byte << 1 | u8::from(*bit))
    };
    bits.chunks(8)
        .flat_map(|eight| match byte(eight) {
            0 => vec![0, 1],
            byte => vec![byte],
        })
        .collect()
}

/// A level of `cells` cells; without a PVS, one whose visibility was never computed.
pub fn level(kind: Kind, cells: usize, pvs: Option<&BitMatrix>) -> Vec<u8> {
    let quake = kind.is_quake();
    let mut lumps = vec![Vec::new(); kind.lumps().0];
    // Planes x = 0, 16, ...: plane i in front of solid or cell i - 1, behind it cell i.
    let mut planes = Out::default();
    for i in 0..=cells {
        planes.f32(1.0).f32(0.0).f32(0.0).f32(16.0 * i as f32);
        if !matches!(kind, Kind::Ibsp46 | Kind::Ibsp47) {
            planes.i32(0);
        }
    }
    lumps[kind.index("planes")] = planes.0;

    // Visibility, and where Quake's leaves have their rows.
    let mut visibility = Out::default();
    let mut rows = vec![-1; cells];
    if let Some(pvs) = pvs {
        let row = |a: usize| -> Vec<bool> { (0..cells).map(|b| pvs.get(a, b)).collect() };
        match kind {
            _ if quake => {
                for (a, at) in rows.iter_mut().enumerate() {
                    *at = visibility.0.len() as i32;
                    visibility.0.extend(packed(&row(a)));
                }
            }
            Kind::Ibsp46 | Kind::Ibsp47 => {
                let stride = cells.div_ceil(8) + 3;
                visibility.i32(cells as i32).i32(stride as i32);
                for a in 0..cells {
                    for byte in 0..stride {
                        let bit = |i: usize| 8 * byte + i < cells && pvs.get(a, 8 * byte + i);
                        let byte = (0..8).fold(0, |byte, i| byte | u8::from(bit(i)) << i);
                        visibility.0.push(byte);
                    }
                }
            }
            _ => {
                visibility.i32(cells as i32);
                let mut at = 4 + 8 * cells;
                for a in 0..cells {
                    // What is heard is what is seen here.
                    visibility.i32(at as i32).i32(at as i32);
                    at += packed(&row(a)).len();
                }
                for a in 0..cells {
                    visibility.0.extend(packed(&row(a)));
                }
            }
        }
    }
    lumps[kind.index("visibility")] = visibility.0;

    // Leaf 0 is solid; leaf i + 1 is cell i.
    let mut leaves = Out::default();
    for leaf in 0..=cells {
        let cell = leaf as i32 - 1;
        let corners = [16 * cell, 0, 0, 16 * cell + 16, 16, 16];
        let contents = if leaf == 0 { -2 } else { -1 };
        match kind {
            Kind::Bsp29 | Kind::Bsp30 | Kind::Bsp2Rmq | Kind::Bsp2 => {
                leaves.i32(contents);
                leaves.i32(if leaf == 0 { -1 } else { rows[leaf - 1] });
                for x in corners {
                    match kind {
                        Kind::Bsp2 => leaves.f32(x as f32),
                        _ => leaves.i16(x),
                    };
                }
                let faces = if kind == Kind::Bsp29 || kind == Kind::Bsp30 {
                    4
                } else {
                    8
                };
                leaves.0.resize(leaves.0.len() + faces + 4, 0);
            }
            Kind::Ibsp46 | Kind::Ibsp47 => {
                leaves.i32(cell).i32(0);
                for x in corners {
                    leaves.i32(x);
                }
                leaves.i32(0).i32(0).i32(0).i32(0);
            }
            _ => {
                leaves.i32(contents.abs() - 1).i16(cell).i16(0);
                for x in corners {
                    leaves.i16(x);
                }
                let rest = match kind {
                    Kind::Ibsp38 => 8,
                    Kind::Vbsp => 12,
                    _ => 36,
                };
                leaves.0.resize(leaves.0.len() + rest, 0);
            }
        }
    }
    lumps[kind.index("leaves")] = leaves.0;

    // Node i: in front of x = 16 i the next node, behind it cell i - 1, or solid.
    let mut nodes = Out::default();
    for i in 0..=cells {
        let next = if i == cells { -1 } else { i as i32 + 1 };
        let behind = -1 - i as i32;
        nodes.i32(i as i32);
        let size = match kind {
            Kind::Bsp29 | Kind::Bsp30 => {
                nodes.i16(next).i16(behind);
                24
            }
            _ => {
                nodes.i32(next).i32(behind);
                match kind {
                    Kind::Bsp2Rmq | Kind::Vbsp | Kind::VbspOld => 32,
                    Kind::Bsp2 => 44,
                    Kind::Ibsp38 => 28,
                    _ => 36,
                }
            }
        };
        nodes.0.resize((i + 1) * size, 0);
    }
    lumps[kind.index("nodes")] = nodes.0;

    let mut models = Out::default();
    match kind {
        _ if quake => {
            models.0.resize(36, 0);
            models.i32(0).i32(0).i32(0).i32(0).i32(cells as i32);
            models.0.resize(64, 0);
        }
        Kind::Ibsp46 | Kind::Ibsp47 => models.0.resize(40, 0),
        _ => models.0.resize(48, 0),
    }
    lumps[kind.index("models")] = models.0;

    let entry_len = kind.lumps().1;
    let mut at = kind.magic().len() + lumps.len() * entry_len;
    let mut file = Out(kind.magic());
    let mut bodies = Vec::new();
    for (index, lump) in lumps.iter().enumerate() {
        let version = i32::from(kind == Kind::Vbsp && index == kind.index("leaves"));
        file.i32(at as i32).i32(lump.len() as i32);
        if entry_len == 16 {
            file.i32(version).i32(0);
        }
        let mut body = Out(lump.clone());
        body.pad(4);
        at += body.0.len();
        bodies.push(body.0);
    }
    file.0.extend(bodies.concat());
    file.0
}

/// Where a lump begins in the file, and its length.
pub fn lump(file: &[u8], kind: Kind, name: &str) -> (usize, usize) {
    let entry = kind.entry(name);
    let number = |at: usize| {
        let bytes = file[at..at + 4].try_into().unwrap();
        u32::from_le_bytes(bytes) as usize
    };
    (number(entry), number(entry + 4))
}

/// A WAD of maps. Each has two sectors west and east of the line x = 0, and a third, closed off,
/// whose lines do not touch them.
pub fn wad(maps: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let mut lumps: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, reject) in maps {
        lumps.push((name.to_string(), Vec::new()));
        let mut vertices = Out::default();
        for [x, y] in [
            [-64, 0],
            [0, 0],
            [64, 0],
            [64, 64],
            [0, 64],
            [-64, 64],
            [200, 0],
            [300, 0],
        ] {
            vertices.i16(x).i16(y);
        }
        // Sides: 0 west, 1 east, 2 far.
        let mut sides = Out::default();
        for sector in 0..3 {
            sides.0.resize(sides.0.len() + 28, 0);
            sides.i16(sector);
        }
        let mut lines = Out::default();
        for (from, to, right, left) in [
            (0, 1, 0, -1),
            (1, 2, 1, -1),
            (2, 3, 1, -1),
            (3, 4, 1, -1),
            (4, 5, 0, -1),
            (5, 0, 0, -1),
            (4, 1, 0, 1),
            (6, 7, 2, -1),
        ] {
            lines.i16(from).i16(to).i16(0).i16(0).i16(0);
            lines.i16(right).i16(left);
        }
        let mut sectors = Out::default();
        for _ in 0..3 {
            sectors.i16(-8).i16(128);
            sectors.0.resize(sectors.0.len() + 22, 0);
        }
        // Subsectors: west by line 6's right side, east by its left.
        let mut segs = Out::default();
        for side in [0, 1] {
            segs.i16(4).i16(1).i16(0).i16(6).i16(side).i16(0);
        }
        let mut subsectors = Out::default();
        subsectors.i16(1).i16(0).i16(1).i16(1);
        // Down the line x = 0: its right side is the west.
        let mut nodes = Out::default();
        nodes.i16(0).i16(64).i16(0).i16(-64);
        nodes.0.resize(24, 0);
        nodes.i16(-0x8000).i16(-0x7fff);
        for (name, bytes) in [
            ("THINGS", Vec::new()),
            ("LINEDEFS", lines.0),
            ("SIDEDEFS", sides.0),
            ("VERTEXES", vertices.0),
            ("SEGS", segs.0),
            ("SSECTORS", subsectors.0),
            ("NODES", nodes.0),
            ("SECTORS", sectors.0),
        ] {
            lumps.push((name.into(), bytes));
        }
        if let Some(reject) = reject {
            lumps.push(("REJECT".into(), reject.to_vec()));
        }
        lumps.push(("BLOCKMAP".into(), Vec::new()));
    }
    let mut file = Out(b"PWAD".to_vec());
    let total: usize = lumps.iter().map(|(_, bytes)| bytes.len()).sum();
    file.i32(lumps.len() as i32).i32(12 + total as i32);
    let mut directory = Out::default();
    for (name, bytes) in &lumps {
        directory.i32(file.0.len() as i32).i32(bytes.len() as i32);
        let mut name = name.clone().into_bytes();
        name.resize(8, 0);
        directory.0.extend(name);
        file.0.extend(bytes);
    }
    file.0.extend(directory.0);
    file.0
}
