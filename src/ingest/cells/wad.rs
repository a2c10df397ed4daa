//! Doom: sectors of a map and its REJECT table, from a WAD.
//!
//! ```text
//! 0   magic       "IWAD" or "PWAD"
//! 4   lumps       i32
//! 8   directory   i32, offset of entries (offset i32, length i32, name 8 bytes)
//! ```
//!
//! A map is an entry that names it, followed by its lumps. REJECT has a bit for each ordered
//! pair of sectors, row by row, lowest bit first: 1 if no monster in the one can see into the
//! other. Many editors write zeros: then everything counts as visible.

use super::check_count;
use super::lump::{Lump, Records};
use crate::error::IngestError;
use crate::world::{BitMatrix, BspChild, BspLeaf, BspNode, BspTree, BspTreeError, CellGraph};

/// The lumps that follow a map's name, in any order.
const MAP_LUMPS: [&str; 11] = [
    "THINGS", "LINEDEFS", "SIDEDEFS", "VERTEXES", "SEGS", "SSECTORS", "NODES", "SECTORS", "REJECT",
    "BLOCKMAP", "BEHAVIOR",
];

/// Reads a map; `name` may be left out where there is one alone.
pub(crate) fn read(
    file: Lump,
    name: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<CellGraph, IngestError> {
    let entries = directory(file)?;
    let (name, first) = choose(file, &entries, name)?;
    let map = Map::new(file, &entries, first)?;
    let graph = map.graph(notes)?;
    notes.push(format!("map {name}: {} sectors", graph.cells));
    Ok(graph)
}

/// A map's REJECT table in the directory.
pub(crate) struct Reject {
    /// Where the file has its entry.
    pub entry: usize,
    /// Whether another lump lies in the same bytes, as packers of WADs arrange it.
    pub is_shared: bool,
}

/// Where a map has its REJECT table.
pub(crate) fn reject(file: Lump, name: Option<&str>) -> Result<Reject, IngestError> {
    let entries = directory(file)?;
    let (name, first) = choose(file, &entries, name)?;
    let Some(entry) = of_map(&entries[first..]).find(|entry| entry.name == "REJECT") else {
        return Err(IngestError::bad(
            format!("a lump REJECT of map {name}"),
            "none",
            "run a node builder over the map: it makes one, if an empty one",
        )
        .at(file.place(entries[first].at)));
    };
    let range = |entry: &Entry| {
        let lump = file.entry(entry.at, 0, 0, "REJECT").ok()?;
        Some(lump.offset..lump.offset + lump.bytes.len())
    };
    let own = range(entry).unwrap_or_default();
    let mut others = entries.iter().filter(|other| other.at != entry.at);
    let is_shared =
        others.any(|other| range(other).is_some_and(|r| r.start < own.end && own.start < r.end));
    let entry = entry.at;
    Ok(Reject { entry, is_shared })
}

/// A map by its name, which may be left out where there is one alone, and where in the directory
/// its lumps begin.
fn choose<'a>(
    file: Lump,
    entries: &'a [Entry],
    name: Option<&str>,
) -> Result<(&'a str, usize), IngestError> {
    let names: Vec<&str> = maps(entries).map(|(name, _)| name).collect();
    let found = match (name, names.as_slice()) {
        (_, []) => return Err(file.bad(8, "a map in the directory", "none")),
        (None, [_]) => maps(entries).next(),
        (None, _) => None,
        (Some(name), _) => maps(entries).find(|(found, _)| found.eq_ignore_ascii_case(name)),
    };
    found.ok_or_else(|| {
        IngestError::usage(
            format!("the name of one of the maps {}", names.join(", ")),
            name.unwrap_or("none"),
            "give its name with `map`",
        )
    })
}

/// Those of the entries that follow a map's name that are the map's.
fn of_map(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    entries
        .iter()
        .take_while(|entry| MAP_LUMPS.contains(&entry.name.as_str()))
}

struct Entry {
    /// Its place in the directory.
    at: usize,
    name: String,
}

fn directory(file: Lump) -> Result<Vec<Entry>, IngestError> {
    let count = file.count(4, "a number of lumps")?;
    let offset = file.count(8, "an offset of the directory")?;
    let directory = file.part(8, "directory", offset, count.saturating_mul(16))?;
    let entries = directory.records(16)?.iter().enumerate();
    Ok(entries
        .map(|(index, record)| Entry {
            at: offset + 16 * index,
            name: record.0[8..]
                .iter()
                .take_while(|byte| **byte != 0)
                .map(|byte| char::from(byte.to_ascii_uppercase()))
                .collect(),
        })
        .collect())
}

/// The maps' names, and where in the directory their lumps begin.
fn maps(entries: &[Entry]) -> impl Iterator<Item = (&str, usize)> {
    let of_map = |entry: &Entry| MAP_LUMPS.contains(&entry.name.as_str());
    let pairs = entries.windows(2).enumerate();
    pairs
        .filter(move |(_, pair)| {
            !of_map(&pair[0]) && (of_map(&pair[1]) || pair[1].name == "TEXTMAP")
        })
        .map(|(index, pair)| (pair[0].name.as_str(), index + 1))
}

/// The lumps of a map. REJECT and those of the node builder may be absent.
struct Map<'a> {
    lines: Records<'a>,
    /// Where in a line the numbers of its right and left side are.
    sides_at: [usize; 2],
    sides: Records<'a>,
    vertices: Records<'a>,
    sectors: Records<'a>,
    reject: Option<Lump<'a>>,
    nodes: Option<Lump<'a>>,
    subsectors: Option<Lump<'a>>,
    segs: Option<Lump<'a>>,
}

impl<'a> Map<'a> {
    fn new(file: Lump<'a>, entries: &[Entry], first: usize) -> Result<Self, IngestError> {
        let own: Vec<&Entry> = of_map(&entries[first..]).collect();
        if own.is_empty() {
            return Err(IngestError::bad(
                "a map in Doom's or Hexen's format",
                "a map as text (UDMF)",
                "save it in Doom's format",
            )
            .at(file.place(entries[first].at))
            .unsupported());
        }
        let find = |name: &'static str| {
            let entry = own.iter().find(|entry| entry.name == name);
            entry
                .map(|entry| file.entry(entry.at, 0, 0, name))
                .transpose()
        };
        let must = |name: &'static str| {
            find(name)?.ok_or_else(|| file.bad(entries[first].at, format!("lump {name}"), "none"))
        };
        // Hexen's maps bring scripts, and longer lines.
        let (line_len, sides_at) = match find("BEHAVIOR")? {
            Some(_) => (16, [12, 14]),
            None => (14, [10, 12]),
        };
        Ok(Self {
            lines: must("LINEDEFS")?.records(line_len)?,
            sides_at,
            sides: must("SIDEDEFS")?.records(30)?,
            vertices: must("VERTEXES")?.records(4)?,
            sectors: must("SECTORS")?.records(26)?,
            reject: find("REJECT")?.filter(|lump| !lump.bytes.is_empty()),
            nodes: find("NODES")?,
            subsectors: find("SSECTORS")?,
            segs: find("SEGS")?,
        })
    }

    fn graph(&self, notes: &mut Vec<String>) -> Result<CellGraph, IngestError> {
        let cells = self.sectors.len();
        check_count(cells, || self.sectors.lump.place(0))?;
        let pvs = self
            .reject
            .map(|reject| visible(reject, cells, notes))
            .transpose()?;
        if pvs.is_none() {
            notes.push("the map has no REJECT: what can be seen is not known".into());
        }
        let (adjacency, bounds) = self.outline()?;
        let tree = self.tree()?;
        if tree.is_none() {
            notes.push(
                "the map has no nodes of Doom's own: places are located by the boxes of sectors"
                    .into(),
            );
        }
        Ok(CellGraph {
            pvs,
            adjacency,
            bounds: Some(bounds),
            tree,
            ..CellGraph::new(cells)
        })
    }

    /// The sector that a side names.
    fn sector_of(&self, side: usize) -> Result<u32, IngestError> {
        let found = self.sides.get(side).map(|side| side.u16(28));
        found
            .filter(|&sector| usize::from(sector) < self.sectors.len())
            .map(u32::from)
            .ok_or_else(|| {
                self.sides.lump.bad(
                    self.sides.at(side),
                    format!(
                        "one of {} sides with one of {} sectors",
                        self.sides.len(),
                        self.sectors.len()
                    ),
                    match found {
                        Some(sector) => format!("side {side} with sector {sector}"),
                        None => format!("side {side}"),
                    },
                )
            })
    }

    /// Which sectors touch, and the box of each.
    #[expect(clippy::type_complexity, reason = "two fields of a cell graph")]
    fn outline(&self) -> Result<(Vec<[u32; 2]>, Vec<[[f32; 3]; 2]>), IngestError> {
        let mut adjacency = Vec::new();
        let mut bounds: Vec<[[f32; 3]; 2]> = self
            .sectors
            .iter()
            .map(|sector| {
                let (floor, ceiling) = (f32::from(sector.i16(0)), f32::from(sector.i16(2)));
                let nothing = [f32::INFINITY, f32::NEG_INFINITY];
                [
                    [nothing[0], nothing[0], floor],
                    [nothing[1], nothing[1], ceiling.max(floor)],
                ]
            })
            .collect();
        for (index, line) in self.lines.iter().enumerate() {
            let mut sectors = [None; 2];
            for (sector, at) in sectors.iter_mut().zip(self.sides_at) {
                let side = line.u16(at);
                if side != u16::MAX {
                    *sector = Some(self.sector_of(side.into())?);
                }
            }
            if let [Some(right), Some(left)] = sectors
                && right != left
            {
                adjacency.push([right.min(left), right.max(left)]);
            }
            for at in [0, 2] {
                let vertex = usize::from(line.u16(at));
                let Some(vertex) = self.vertices.get(vertex) else {
                    return Err(self.lines.lump.bad(
                        self.lines.at(index) + at,
                        format!("a vertex below {}", self.vertices.len()),
                        vertex.to_string(),
                    ));
                };
                let point = [f32::from(vertex.i16(0)), f32::from(vertex.i16(2))];
                for sector in sectors.iter().flatten() {
                    let [low, high] = &mut bounds[*sector as usize];
                    for k in 0..2 {
                        low[k] = low[k].min(point[k]);
                        high[k] = high[k].max(point[k]);
                    }
                }
            }
        }
        adjacency.sort_unstable();
        adjacency.dedup();
        for corners in &mut bounds {
            // A sector without lines is nowhere.
            if !corners[0][0].is_finite() {
                *corners = [[0.0; 3]; 2];
            }
        }
        Ok((adjacency, bounds))
    }

    /// Doom's own nodes: lines that cut the plan in two, the right side in front. None where
    /// they are missing or of a later builder's format.
    fn tree(&self) -> Result<Option<BspTree>, IngestError> {
        let (Some(nodes), Some(subsectors), Some(segs)) = (self.nodes, self.subsectors, self.segs)
        else {
            return Ok(None);
        };
        let later = [b"XNOD", b"ZNOD", b"XGLN", b"ZGLN"];
        if subsectors.bytes.is_empty()
            || later.iter().any(|magic| nodes.bytes.starts_with(*magic))
            || later
                .iter()
                .any(|magic| subsectors.bytes.starts_with(*magic))
        {
            return Ok(None);
        }
        let (nodes, subsectors, segs) = (
            nodes.records(28)?,
            subsectors.records(4)?,
            segs.records(12)?,
        );
        let mut leaves = Vec::with_capacity(subsectors.len());
        for (index, subsector) in subsectors.iter().enumerate() {
            let first = usize::from(subsector.u16(2));
            let seg = segs.get(first).ok_or_else(|| {
                subsectors.lump.bad(
                    subsectors.at(index) + 2,
                    format!("a seg below {}", segs.len()),
                    first.to_string(),
                )
            })?;
            let line = usize::from(seg.u16(6));
            let side = self
                .lines
                .get(line)
                .zip(self.sides_at.get(usize::from(seg.u16(8))))
                .map(|(line, &at)| line.u16(at))
                .ok_or_else(|| {
                    segs.lump.bad(
                        segs.at(first) + 6,
                        format!("a line below {} and a side of 0 or 1", self.lines.len()),
                        format!("line {line}, side {}", seg.u16(8)),
                    )
                })?;
            leaves.push(BspLeaf {
                contents: 0,
                cell: Some(self.sector_of(side.into())?),
                bounds: [[0.0; 3]; 2],
            });
        }
        let child = |stored: u16| match stored & 0x8000 {
            0 => BspChild::Node(stored.into()),
            _ => BspChild::Leaf((stored & 0x7fff).into()),
        };
        let node = |node: super::lump::Record| {
            let [x, y, dx, dy] = [0, 2, 4, 6].map(|at| f64::from(node.i16(at)));
            BspNode {
                normal: [dy as f32, -dx as f32, 0.0],
                dist: dy * x - dx * y,
                children: [child(node.u16(24)), child(node.u16(26))],
            }
        };
        let root = match nodes.len() {
            0 => BspChild::Leaf(0),
            count => BspChild::Node((count - 1) as u32),
        };
        let cells = self.sectors.len();
        BspTree::new(nodes.iter().map(node).collect(), leaves, root, cells)
            .map(Some)
            .map_err(|error| {
                let index = match error {
                    BspTreeError::Child { node, .. }
                    | BspTreeError::Shared { node }
                    | BspTreeError::Plane { node, .. } => node,
                    _ => 0,
                };
                let words = error.to_string();
                let words = words.strip_prefix("expected ").unwrap_or(&words);
                let (expected, found) = words.split_once(", found ").unwrap_or((words, "another"));
                nodes.lump.bad(nodes.at(index), expected, found)
            })
    }
}

/// The pairs that REJECT does not reject.
fn visible(reject: Lump, cells: usize, notes: &mut Vec<String>) -> Result<BitMatrix, IngestError> {
    let needed = (cells * cells).div_ceil(8);
    let bytes = reject.bytes.get(..needed).ok_or_else(|| {
        reject.bad(
            0,
            format!("{needed} bytes for {cells} sectors, or none"),
            format!("{} bytes", reject.bytes.len()),
        )
    })?;
    if bytes.iter().all(|byte| *byte == 0) {
        notes.push("REJECT is all zeros, as by an editor: everything counts as visible".into());
    }
    Ok(BitMatrix::from_fn(cells, |a, b| {
        !super::bsp::bit(bytes, a * cells + b)
    }))
}
