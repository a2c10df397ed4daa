//! Levels of a single block in every family of formats, byte by byte. The block is 16 thick along x; what is left and
//! right of it is open.

/// The block: from here ...
pub const MIN: [f32; 3] = [-8.0, -64.0, -64.0];
/// ... to here.
pub const MAX: [f32; 3] = [8.0, 64.0, 64.0];

/// The sides in the order -x, +x, -y, +y, -z, +z: texture, flags and whether a face is drawn there.
#[derive(Clone, Copy)]
pub struct Side {
    pub texture: &'static str,
    pub flags: u32,
    pub contents: u32,
    pub drawn: bool,
}

/// A level.
#[derive(Clone)]
pub struct Block {
    /// Of the brush, or of the leaf.
    pub contents: u32,
    pub sides: [Side; 6],
    /// The compiler took it for a wall: it is in a leaf without a cluster (Quake III).
    pub structural: bool,
    /// Its leaf has marksurfaces (Quake, Half-Life).
    pub marked: bool,
}

impl Block {
    /// One whose sides are alike, and drawn.
    pub fn of(contents: u32, texture: &'static str, flags: u32) -> Self {
        let side = Side {
            texture,
            flags,
            contents,
            drawn: true,
        };
        Self {
            contents,
            sides: [side; 6],
            structural: true,
            marked: false,
        }
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
    fn u32(&mut self, x: u32) -> &mut Self {
        self.0.extend(x.to_le_bytes());
        self
    }
    fn f32s(&mut self, numbers: &[f32]) -> &mut Self {
        for x in numbers {
            self.0.extend(x.to_le_bytes());
        }
        self
    }
    fn zeros(&mut self, count: usize) -> &mut Self {
        self.0.resize(self.0.len() + count, 0);
        self
    }
    fn text(&mut self, text: &str, length: usize) -> &mut Self {
        self.0.extend(text.bytes());
        self.zeros(length - text.len())
    }
}

/// A file of lumps, `entry` bytes for each in the table.
fn file(magic: &[u8], entry: usize, lumps: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    let mut at = magic.len() + entry * lumps.len() + 64;
    for lump in lumps {
        bytes.extend((at as i32).to_le_bytes());
        bytes.extend((lump.len() as i32).to_le_bytes());
        // Source: the version of the lump.
        bytes.extend([1, 0, 0, 0, 0, 0, 0, 0].iter().take(entry - 8));
        at += lump.len();
    }
    bytes.resize(bytes.len() + 64, 0);
    for lump in lumps {
        bytes.extend(lump);
    }
    bytes
}

const ENTITIES: &str = "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"info_player_start\"\n\
                        \"origin\" \"-64 0 0\"\n}\n";

/// Outward normal and distance of a side.
fn plane(side: usize) -> ([f32; 3], f32) {
    let (axis, upper) = (side / 2, side % 2 == 1);
    let mut normal = [0.0; 3];
    normal[axis] = if upper { 1.0 } else { -1.0 };
    (normal, if upper { MAX[axis] } else { -MIN[axis] })
}

/// The corners of a side, clockwise seen from outside.
fn corners(side: usize) -> [[f32; 3]; 4] {
    let (axis, upper) = (side / 2, side % 2 == 1);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut round = [[0, 0], [1, 0], [1, 1], [0, 1]];
    if upper {
        round.reverse();
    }
    round.map(|[a, b]| {
        let mut corner = [0.0; 3];
        corner[axis] = if upper { MAX[axis] } else { MIN[axis] };
        corner[u] = [MIN[u], MAX[u]][a];
        corner[v] = [MIN[v], MAX[v]][b];
        corner
    })
}

fn planes(with_type: bool) -> Vec<u8> {
    let mut out = Out::default();
    for side in 0..6 {
        let (normal, dist) = plane(side);
        out.f32s(&normal).f32s(&[dist]);
        if with_type {
            out.i32(0);
        }
    }
    out.0
}

/// Vertices, edges, numbers of edges, and faces of the sides that are drawn, as Quake and Quake II have them.
fn faces(block: &Block, wide: bool) -> [Vec<u8>; 4] {
    let [mut vertices, mut edges, mut numbers, mut faces] = [(); 4].map(|()| Out::default());
    // Edge 0 is never used, since its negative is itself.
    edges.zeros(if wide { 8 } else { 4 });
    let mut edge = 1;
    for (side, _) in block
        .sides
        .iter()
        .enumerate()
        .filter(|(_, side)| side.drawn)
    {
        let first = edge - 1;
        let at = vertices.0.len() as i32 / 12;
        for (i, corner) in (0..).zip(corners(side)) {
            vertices.f32s(&corner);
            let ends = [at + i, at + (i + 1) % 4];
            for end in ends {
                if wide {
                    edges.i32(end)
                } else {
                    edges.i16(end)
                };
            }
            numbers.i32(edge);
            edge += 1;
        }
        let (plane, texture) = (side as i32, side as i32);
        if wide {
            faces.i32(plane).i32(0).i32(first).i32(4).i32(texture)
        } else {
            faces.i16(plane).i16(0).i32(first).i16(4).i16(texture)
        };
        faces.zeros(8);
    }
    [vertices.0, edges.0, numbers.0, faces.0]
}

/// Of Quake and Half-Life: `BSP29`, `2PSB`, `BSP2`, `BSP30`.
pub fn quake(format: &str, block: &Block) -> Vec<u8> {
    let (magic, wide, floats): (&[u8], bool, bool) = match format {
        "BSP29" => (&[29, 0, 0, 0], false, false),
        "BSP30" => (&[30, 0, 0, 0], false, false),
        "2PSB" => (b"2PSB", true, false),
        _ => (b"BSP2", true, true),
    };
    let mut lumps = vec![Vec::new(); 15];
    lumps[0] = ENTITIES.into();
    lumps[1] = planes(true);
    let mut textures = Out::default();
    textures.i32(6);
    for i in 0..6 {
        textures.i32(4 + 24 + 40 * i);
    }
    for side in &block.sides {
        textures.text(side.texture, 16).zeros(24);
    }
    lumps[2] = textures.0;
    let mut infos = Out::default();
    for i in 0..6 {
        infos.zeros(32).i32(i).i32(0);
    }
    lumps[6] = infos.0;
    let [vertices, edges, numbers, faces] = faces(block, wide);
    let count = faces.len() / if wide { 28 } else { 20 };
    (lumps[3], lumps[12], lumps[13], lumps[7]) = (vertices, edges, numbers, faces);
    let bounds = |out: &mut Out| {
        if floats {
            out.f32s(&[0.0; 6]).0.len()
        } else {
            out.zeros(12).0.len()
        }
    };
    // Solid leaves share number 0, unless they have marksurfaces.
    let inner = if block.marked || block.contents as i32 != -2 {
        2
    } else {
        0
    };
    let mut nodes = Out::default();
    for side in 0..6 {
        let next = if side == 5 { -1 - inner } else { side + 1 };
        nodes.i32(side);
        if wide {
            nodes.i32(-2).i32(next)
        } else {
            nodes.i16(-2).i16(next)
        };
        bounds(&mut nodes);
        nodes.zeros(if wide { 8 } else { 4 });
    }
    lumps[5] = nodes.0;
    let mut leaves = Out::default();
    for (contents, marked) in [
        (-2, false),
        (-1, true),
        (block.contents as i32, block.marked),
    ] {
        leaves.i32(contents).i32(-1);
        bounds(&mut leaves);
        if wide {
            leaves.i32(0).i32(marked.into())
        } else {
            leaves.i16(0).i16(marked.into())
        };
        leaves.zeros(4);
    }
    lumps[10] = leaves.0;
    lumps[11] = vec![0; if wide { 4 } else { 2 }];
    let mut model = Out::default();
    model.f32s(&[-128.0, -128.0, -128.0, 128.0, 128.0, 128.0, 0.0, 0.0, 0.0]);
    model
        .i32(0)
        .i32(0)
        .i32(0)
        .i32(0)
        .i32(2)
        .i32(0)
        .i32(count as i32);
    lumps[14] = model.0;
    file(magic, 8, &lumps)
}

/// Of Quake II, as `IBSP38`.
pub fn quake2(block: &Block) -> Vec<u8> {
    let mut lumps = vec![Vec::new(); 19];
    lumps[0] = ENTITIES.into();
    lumps[1] = planes(true);
    let (mut infos, mut sides) = (Out::default(), Out::default());
    for (i, side) in (0..).zip(&block.sides) {
        infos
            .zeros(32)
            .u32(side.flags)
            .i32(0)
            .text(side.texture, 32)
            .i32(-1);
        sides.i16(i).i16(i);
    }
    (lumps[5], lumps[15]) = (infos.0, sides.0);
    let [vertices, edges, numbers, faces] = faces(block, false);
    let count = faces.len() / 20;
    (lumps[2], lumps[11], lumps[12], lumps[6]) = (vertices, edges, numbers, faces);
    (lumps[8], lumps[10]) = (leaf(block, 28), vec![0, 0]);
    lumps[13] = model(count);
    lumps[14] = brush(block);
    file(&[b'I', b'B', b'S', b'P', 38, 0, 0, 0], 8, &lumps)
}

/// Of Source, as `VBSP` of version 20.
pub fn source(block: &Block) -> Vec<u8> {
    let mut lumps = vec![Vec::new(); 64];
    lumps[0] = ENTITIES.into();
    lumps[1] = planes(true);
    let (mut data, mut table, mut strings) = (Out::default(), Out::default(), Out::default());
    let (mut infos, mut sides) = (Out::default(), Out::default());
    for (i, side) in (0..).zip(&block.sides) {
        data.zeros(12).i32(i).zeros(16);
        table.i32(strings.0.len() as i32);
        strings.text(side.texture, side.texture.len() + 1);
        infos.zeros(64).u32(side.flags).i32(i);
        sides.i16(i).i16(i).i16(0).i16(0);
    }
    (lumps[2], lumps[44], lumps[43]) = (data.0, table.0, strings.0);
    (lumps[6], lumps[19]) = (infos.0, sides.0);
    (lumps[10], lumps[17]) = (leaf(block, 32), vec![0, 0]);
    lumps[14] = model(0);
    lumps[18] = brush(block);
    file(&[b'V', b'B', b'S', b'P', 20, 0, 0, 0], 16, &lumps)
}

/// A leaf with the one brush; it is the root.
fn leaf(block: &Block, length: usize) -> Vec<u8> {
    let mut out = Out::default();
    out.u32(block.contents)
        .i16(-1)
        .i16(0)
        .zeros(12)
        .zeros(4)
        .i16(0)
        .i16(1);
    let rest = length - out.0.len();
    out.zeros(rest);
    out.0
}

fn model(faces: usize) -> Vec<u8> {
    let mut out = Out::default();
    out.zeros(36).i32(-1).i32(0).i32(faces as i32);
    out.0
}

fn brush(block: &Block) -> Vec<u8> {
    let mut out = Out::default();
    out.i32(0).i32(6).u32(block.contents);
    out.0
}

/// Of Quake III, as `IBSP` of version 46 or 47.
pub fn quake3(version: u8, block: &Block) -> Vec<u8> {
    let mut lumps = vec![Vec::new(); 17];
    lumps[0] = ENTITIES.into();
    lumps[2] = planes(false);
    let (mut shaders, mut sides) = (Out::default(), Out::default());
    let [mut vertices, mut indices, mut surfaces] = [(); 3].map(|()| Out::default());
    for (i, side) in (0..).zip(&block.sides) {
        shaders
            .text(side.texture, 64)
            .u32(side.flags)
            .u32(side.contents);
        sides.i32(i).i32(i);
        if !side.drawn {
            continue;
        }
        let first = [vertices.0.len() / 44, indices.0.len() / 4].map(|at| at as i32);
        for corner in corners(i as usize) {
            vertices
                .f32s(&corner)
                .zeros(16)
                .f32s(&plane(i as usize).0)
                .zeros(4);
        }
        for index in [0, 1, 2, 0, 2, 3] {
            indices.i32(index);
        }
        surfaces
            .i32(i)
            .i32(-1)
            .i32(1)
            .i32(first[0])
            .i32(4)
            .i32(first[1])
            .i32(6)
            .zeros(76);
    }
    // The brush's own contents are those of a shader, too.
    shaders
        .text("textures/contents", 64)
        .u32(0)
        .u32(block.contents);
    let count = surfaces.0.len() / 104;
    (lumps[1], lumps[9]) = (shaders.0, sides.0);
    (lumps[10], lumps[11], lumps[13]) = (vertices.0, indices.0, surfaces.0);
    let mut nodes = Out::default();
    for side in 0..6 {
        let next = if side == 5 { -2 } else { side + 1 };
        nodes.i32(side).i32(-1).i32(next).zeros(24);
    }
    lumps[3] = nodes.0;
    let mut leaves = Out::default();
    let inner = if block.structural { -1 } else { 0 };
    leaves.i32(0).zeros(44).i32(inner).zeros(44);
    lumps[4] = leaves.0;
    let (mut model, mut brush) = (Out::default(), Out::default());
    model.zeros(24).i32(0).i32(count as i32).i32(0).i32(1);
    brush.i32(0).i32(6).i32(6);
    (lumps[7], lumps[8]) = (model.0, brush.0);
    file(&[b'I', b'B', b'S', b'P', version, 0, 0, 0], 8, &lumps)
}

/// How sides are written in a `.map`.
#[derive(Clone, Copy, PartialEq)]
pub enum Dialect {
    Standard,
    Valve220,
    /// With contents and flags.
    Quake2,
}

/// A `.map` with the block in an entity of a class.
pub fn map(dialect: Dialect, class: &str, block: &Block) -> String {
    let brush = map_brush(dialect, block);
    let spawn = "{\n\"classname\" \"info_player_start\"\n\"origin\" \"-64 0 0\"\n}\n";
    match class {
        "worldspawn" => format!("{{\n\"classname\" \"worldspawn\"\n{brush}}}\n{spawn}"),
        _ => format!(
            "{{\n\"classname\" \"worldspawn\"\n}}\n{{\n\"classname\" \"{class}\"\n{brush}}}\n{spawn}"
        ),
    }
}

/// The block as a brush.
pub fn map_brush(dialect: Dialect, block: &Block) -> String {
    let sides = block.sides.iter().enumerate().map(|(i, side)| {
        let [a, b, c, _] = corners(i).map(|[x, y, z]| format!("( {x} {y} {z} )"));
        let name = side.texture;
        let flags = format!("{} {} 0", side.contents, side.flags);
        match dialect {
            Dialect::Standard => format!("{a} {b} {c} {name} 0 0 0 1 1\n"),
            Dialect::Valve220 => format!("{a} {b} {c} {name} [ 1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1\n"),
            Dialect::Quake2 => format!("{a} {b} {c} {name} 0 0 0 1 1 {flags}\n"),
        }
    });
    format!("{{\n{}}}\n", sides.collect::<String>())
}
