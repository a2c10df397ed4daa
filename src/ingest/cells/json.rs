//! Our own JSON: hand-made worlds, and other engines'. Described in `schemas/cells.json`.

use serde::{Deserialize, Serialize};

use super::{check_count, orientation};
use crate::error::IngestError;
use crate::world::{BitMatrix, CellGraph, Portal};

/// A cell graph as JSON, read by `viewcell bake cells` and written by `viewcell export json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "viewcell cell graph"))]
#[serde(deny_unknown_fields)]
pub struct CellGraphFile {
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// How many cells there are, or a list of them; they are numbered from 0.
    pub cells: JsonCells,
    /// Pairs of cells that one may walk between. Pairs that a portal joins are so without
    /// being named here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjacency: Vec<[CellRef; 2]>,
    /// Convex polygons through which two cells look into each other. To compute a PVS from them,
    /// cells must be convex too, and a line of sight passes from cell to cell through portals
    /// alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub portals: Vec<PortalEntry>,
    /// For each cell the cells that it sees; a cell sees itself without being named. Absent
    /// where visibility is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pvs: Option<Vec<Vec<CellRef>>>,
}

/// Cells, by number or one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "cells that are neither a number nor a list of cells"
)]
pub enum JsonCells {
    /// So many, of which nothing is known.
    Count(u64),
    /// One by one.
    List(Vec<CellFile>),
}

/// A cell. Bounds and positions are given for all cells or for none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellFile {
    /// What people call it; no two cells have one name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A point that stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// The corners with its smallest and its greatest coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[[f32; 3]; 2]>,
}

/// A cell, by number or by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a cell that is neither a number nor a name")]
pub enum CellRef {
    /// Its number, from 0.
    Number(u32),
    /// Its name.
    Name(String),
}

/// A portal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PortalFile"))]
#[serde(deny_unknown_fields)]
pub struct PortalEntry {
    /// The cells on its two sides.
    pub cells: [CellRef; 2],
    /// Its corners in order, all in one plane, at least three. Wound so that the normal by the
    /// right hand points from the first cell into the second: from the second cell, they run
    /// counter-clockwise. A portal that is seen to be wound the other way, by the bounds or the
    /// positions of its cells or by their other portals, is refused.
    pub winding: Vec<[f64; 3]>,
}

/// Reads a cell graph.
pub(super) fn read(bytes: &[u8]) -> Result<CellGraph, IngestError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let file: CellGraphFile = serde_json::from_slice(text).map_err(|error| {
        bad("a cell graph in JSON", error.to_string()).at(format!(
            "line {}, column {}",
            error.line(),
            error.column()
        ))
    })?;
    file.graph()
}

fn bad(expected: impl Into<String>, found: impl Into<String>) -> IngestError {
    IngestError::bad(expected, found, "see schemas/cells.json")
}

impl CellGraphFile {
    /// The graph that the file describes.
    pub fn graph(&self) -> Result<CellGraph, IngestError> {
        let list: &[CellFile] = match &self.cells {
            JsonCells::Count(_) => &[],
            JsonCells::List(list) => list,
        };
        let count = match self.cells {
            JsonCells::Count(count) => usize::try_from(count).unwrap_or(usize::MAX),
            JsonCells::List(_) => list.len(),
        };
        check_count(count, || "cells".into())?;
        let names = Names::new(list, count)?;

        let mut graph = CellGraph::new(count);
        graph.names = list.iter().any(|cell| cell.name.is_some()).then(|| {
            list.iter()
                .map(|cell| cell.name.clone().unwrap_or_default())
                .collect()
        });
        graph.positions = all_or_none(list, "position", |cell| cell.position)?;
        graph.bounds = all_or_none(list, "bounds", |cell| cell.bounds)?;
        for (i, point) in graph.positions.iter().flatten().enumerate() {
            if point.iter().any(|x| !x.is_finite()) {
                return Err(bad("finite coordinates", format!("{point:?}"))
                    .at(format!("cells[{i}].position")));
            }
        }
        for (i, [low, high]) in graph.bounds.iter().flatten().enumerate() {
            // Not so for NaN, whatever it is compared with.
            if !(0..3).all(|k| low[k] <= high[k] && low[k].is_finite() && high[k].is_finite()) {
                return Err(bad(
                    "the smallest coordinates, then the greatest",
                    format!("{low:?}, {high:?}"),
                )
                .at(format!("cells[{i}].bounds")));
            }
        }

        for (i, portal) in self.portals.iter().enumerate() {
            let cells = names.pair(&portal.cells, || format!("portals[{i}].cells"))?;
            let finite = portal.winding.as_flattened().iter().all(|x| x.is_finite());
            if portal.winding.len() < 3 || !finite {
                return Err(bad(
                    "three or more corners of finite coordinates",
                    format!("{:?}", portal.winding),
                )
                .at(format!("portals[{i}].winding")));
            }
            graph.portals.push(Portal {
                cells,
                winding: portal.winding.clone(),
            });
        }
        if let Some(portal) = orientation::turned(&graph) {
            let [a, b] = graph.portals[portal].cells;
            return Err(IngestError::bad(
                format!("a normal by the right hand that points from cell {a} into cell {b}"),
                "corners wound the other way",
                "reverse their order, or exchange the cells",
            )
            .at(format!("portals[{portal}].winding")));
        }
        let mut adjacency = CellGraph::adjacency_of(&graph.portals);
        for (i, pair) in self.adjacency.iter().enumerate() {
            let [a, b] = names.pair(pair, || format!("adjacency[{i}]"))?;
            adjacency.push([a.min(b), a.max(b)]);
        }
        adjacency.sort_unstable();
        adjacency.dedup();
        graph.adjacency = adjacency;

        if let Some(rows) = &self.pvs {
            if rows.len() != count {
                return Err(bad(
                    format!("a list for each of the {count} cells"),
                    format!("{}", rows.len()),
                )
                .at("pvs"));
            }
            let mut pvs = BitMatrix::new(count);
            for (a, row) in rows.iter().enumerate() {
                for b in row {
                    pvs.set(a, names.find(b, || format!("pvs[{a}]"))? as usize);
                }
            }
            pvs.set_diagonal();
            graph.pvs = Some(pvs);
        }
        Ok(graph)
    }
}

/// What each cell says, if all do; nothing if none does.
fn all_or_none<T>(
    list: &[CellFile],
    field: &str,
    get: impl Fn(&CellFile) -> Option<T>,
) -> Result<Option<Vec<T>>, IngestError> {
    let all: Option<Vec<T>> = list.iter().map(&get).collect();
    match all {
        Some(all) if !all.is_empty() => Ok(Some(all)),
        _ => match list.iter().position(|cell| get(cell).is_some()) {
            None => Ok(None),
            Some(_) => {
                let without = list.iter().position(|cell| get(cell).is_none());
                Err(
                    bad(format!("{field} of all cells or of none"), "a cell without")
                        .at(format!("cells[{}]", without.unwrap_or(0))),
                )
            }
        },
    }
}

/// From a cell's number or name to its number.
struct Names<'a> {
    count: usize,
    /// Sorted by name.
    names: Vec<(&'a str, u32)>,
}

impl<'a> Names<'a> {
    fn new(list: &'a [CellFile], count: usize) -> Result<Self, IngestError> {
        let named = list.iter().zip(0..);
        let mut names: Vec<(&str, u32)> = named
            .filter_map(|(cell, i)| Some((cell.name.as_deref()?, i)))
            .collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(bad(
                "a name of its own for each cell",
                format!("{:?} twice", pair[0].0),
            )
            .at(format!("cells[{}].name", pair[1].1)));
        }
        Ok(Self { count, names })
    }

    fn find(&self, cell: &CellRef, place: impl Fn() -> String) -> Result<u32, IngestError> {
        match cell {
            CellRef::Number(number) if (*number as usize) < self.count => Ok(*number),
            CellRef::Number(number) => {
                Err(bad(format!("a cell below {}", self.count), number.to_string()).at(place()))
            }
            CellRef::Name(name) => self
                .names
                .binary_search_by_key(&name.as_str(), |(name, _)| name)
                .map(|i| self.names[i].1)
                .map_err(|_| bad("the name of a cell", format!("{name:?}")).at(place())),
        }
    }

    fn pair(
        &self,
        pair: &[CellRef; 2],
        place: impl Fn() -> String,
    ) -> Result<[u32; 2], IngestError> {
        let [a, b] = [self.find(&pair[0], &place)?, self.find(&pair[1], &place)?];
        if a == b {
            return Err(bad("two different cells", format!("cell {a} twice")).at(place()));
        }
        Ok([a, b])
    }
}
