//! Bakes a level of cells: from a cell graph to a bundle, and back to the graph for a bake of a bundle's level.
//!
//! ```text
//! portals      where there is no PVS, or a better one is wanted: lines of sight through portals,
//!              which are cut out of the BSP where the level has none
//! symmetry     the PVS, made symmetric, every cell seeing itself
//! distances    the EPVS, by breadth-first searches over bit sets
//! write        equal rows once; the BSP, boxes and portals beside them
//! ```

use super::error::{BakeError, unreadable};
use super::observer::{Observer, Stage};
use super::parallel::{pool, thread_count};
use super::report::{Finish, stage_time};
use super::source::{Source, TOOL};
use crate::bundle::{
    BundleError, BundleFile, CellSections, CellStatistics, Provenance, Timings, check_output, info,
    write_cells,
};
use crate::compress::cells::{CellRows, encode_rows};
use crate::hierarchy::epvs::Epvs;
use crate::visibility::portals::{FlowError, FlowMethod, FlowOptions, FlowProgress, flow, recover};
use cpu_time::ProcessTime;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use viewcell::format::bits;
use viewcell::format::cells::{
    CellParameters, Child, Neighbours, PlaneNode, PortalRecord, Portals, SymmetryCode,
};
use viewcell::format::{Sizes, Tag};
use viewcell::query::{Bundle, OpenError};
use viewcell_ingest::world::{BitMatrix, BspChild, BspTree, CellGraph, Portal, Symmetry};

/// The options of a bake of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellOptions {
    /// How the PVS is made symmetric.
    pub symmetry: Symmetry,
    /// Threads that compute; 0 for as many as there are processors.
    pub threads: usize,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
    /// Whether to compute the PVS from portals though the level has one.
    pub recompute: bool,
    /// Whether portals are wanted in the bundle of a level that has a PVS and no portals.
    pub portals: bool,
    /// How to compute a PVS from portals.
    pub flow: FlowMethod,
    /// Where finished work of a full flow is kept until the bundle is there. A flow that was
    /// killed goes on with it.
    pub checkpoint: Option<PathBuf>,
}

/// What a bake of cells made, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct CellReport {
    /// Length of the bundle in bytes.
    pub bytes: u64,
    /// What came out.
    pub statistics: CellStatistics,
    /// What it took, as kept beside the bundle.
    pub timings: Timings,
}

/// What the bundle at `output` came to, if it is what this job makes.
fn baked_already(output: &Path, source: &Source) -> Option<CellReport> {
    let there = info(output).ok()?;
    let made = there.provenance?;
    let same = made.tool == TOOL && made.input == source.input && made.options == source.options;
    let statistics = made.cells.filter(|_| same)?;
    Some(CellReport {
        bytes: there.bytes,
        statistics,
        timings: there.timings.unwrap_or_default(),
    })
}

/// Bakes a level of cells into a bundle at `output`. With a checkpoint, an output that is the bundle
/// of this very job is left as it is.
///
/// Takes O(N³/64) time for N cells, and 2 N² bytes of memory.
///
/// # Errors
///
/// Invalid options, and files that cannot be read or written.
pub fn bake_cells(
    graph: &CellGraph,
    source: &Source,
    options: &CellOptions,
    output: &Path,
    observer: &dyn Observer,
) -> Result<CellReport, BakeError> {
    let pool = pool(thread_count(options.threads))?;
    let mut finish = Finish::new(pool.current_num_threads(), "none");
    if let Some(checkpoint) = &options.checkpoint
        && !options.overwrite
        && let Some(report) = baked_already(output, source)
    {
        // It was killed when it had named the bundle, and before it had tidied up.
        std::fs::remove_file(checkpoint).ok();
        return Ok(report);
    }
    check_output(output, options.overwrite)?;

    let clock = ProcessTime::now();
    let graph = pool.install(|| with_visibility(graph, source, options, observer))?;
    let graph = graph.as_ref();
    finish
        .stages
        .push(stage_time("portals", clock.elapsed().as_secs_f64()));

    let clock = ProcessTime::now();
    let mut pvs = graph
        .pvs
        .clone()
        .unwrap_or_else(|| BitMatrix::new(graph.cells));
    pvs.set_diagonal();
    let one_way_pairs = pvs.one_way_pairs();
    let pvs = pvs.symmetrised(options.symmetry);
    finish
        .stages
        .push(stage_time("symmetry", clock.elapsed().as_secs_f64()));

    let clock = ProcessTime::now();
    observer.stage(Stage::Distances, 1);
    let epvs = pool.install(|| Epvs::new(&pvs));
    observer.advance(Stage::Distances, 1);
    finish
        .stages
        .push(stage_time("distances", clock.elapsed().as_secs_f64()));
    if observer.cancelled() {
        return Err(BakeError::Cancelled);
    }

    let clock = ProcessTime::now();
    observer.stage(Stage::Finish, 1);
    let rows = encode_rows(&epvs);
    let statistics = statistics(graph, &rows, one_way_pairs);
    let sections = sections(graph, rows, options.symmetry);
    let provenance = Provenance {
        tool: TOOL.to_owned(),
        input: source.input.clone(),
        options: source.options.clone(),
        cells: Some(statistics.clone()),
        ..Provenance::default()
    };
    let written = write_cells(output, options.overwrite, &sections, &provenance)?;
    if let Some(checkpoint) = &options.checkpoint {
        // The bundle is there; what is left of the checkpoint does no harm.
        std::fs::remove_file(checkpoint).ok();
    }
    observer.advance(Stage::Finish, 1);
    finish
        .stages
        .push(stage_time("write", clock.elapsed().as_secs_f64()));
    Ok(CellReport {
        bytes: written.bytes,
        statistics,
        timings: finish.timings(&written, output),
    })
}

/// The level with a PVS, and with portals if they are wanted or needed.
fn with_visibility<'a>(
    graph: &'a CellGraph,
    source: &Source,
    options: &CellOptions,
    observer: &dyn Observer,
) -> Result<Cow<'a, CellGraph>, BakeError> {
    let mut graph = Cow::Borrowed(graph);
    let flows = options.recompute || graph.pvs.is_none();
    if options.flow == FlowMethod::Fast && !flows {
        let expected = "a level without visibility, or `recompute`";
        let found = "one that has visibility";
        return Err(BakeError::option("fast", expected, found));
    }
    if (flows || options.portals) && graph.portals.is_empty() {
        let portals = recover(&graph);
        if !portals.is_empty() {
            let graph = graph.to_mut();
            graph.adjacency.extend(CellGraph::adjacency_of(&portals));
            graph.adjacency.sort_unstable();
            graph.adjacency.dedup();
            graph.portals = portals;
        }
    }
    if !flows {
        return Ok(graph);
    }
    if graph.portals.is_empty() {
        return Err(BakeError::NoVisibility {
            format: source.input.format.clone(),
        });
    }
    let flow_options = FlowOptions {
        method: options.flow,
        checkpoint: options.checkpoint.as_deref(),
    };
    let mut begun = false;
    let mut progress = |at: FlowProgress| {
        if !std::mem::replace(&mut begun, true) {
            observer.stage(Stage::Portals, at.total);
        }
        observer.advance(Stage::Portals, at.done);
        if observer.cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let pvs = flow(&graph, &flow_options, &mut progress).map_err(|error| match error {
        FlowError::Stopped => BakeError::Cancelled,
        error => BakeError::Flow(error),
    })?;
    graph.to_mut().pvs = Some(pvs);
    Ok(graph)
}

fn statistics(graph: &CellGraph, rows: &CellRows, one_way_pairs: u64) -> CellStatistics {
    let cells = graph.cells as u64;
    let visible_pairs = rows.pairs_by_distance.first().copied().unwrap_or(0);
    let pairs = cells * (cells - 1);
    CellStatistics {
        cells,
        portals: graph.portals.len() as u64,
        one_way_pairs,
        visible_pairs,
        hidden_share: match pairs {
            0 => 0.0,
            _ => 1.0 - visible_pairs as f64 / pairs as f64,
        },
        pairs_by_distance: rows.pairs_by_distance.clone(),
        unreachable_pairs: rows.unreachable_pairs,
        components: rows.components,
        largest_component: rows.largest_component,
    }
}

/// The sections of the bundle.
fn sections(graph: &CellGraph, rows: CellRows, symmetry: Symmetry) -> CellSections {
    let (root, nodes) = graph
        .tree
        .as_ref()
        .map_or((Child::Nothing, Vec::new()), flatten);
    let adjacency = (!graph.adjacency.is_empty()).then(|| adjacency(graph));
    let floats = |all: &Vec<[[f32; 3]; 2]>| {
        let numbers = all.as_flattened().as_flattened().iter();
        numbers.flat_map(|x| x.to_le_bytes()).collect()
    };
    let points = |all: &Vec<[f64; 3]>| {
        let numbers = all.as_flattened().iter();
        numbers.flat_map(|x| x.to_le_bytes()).collect()
    };
    CellSections {
        parameters: CellParameters {
            cells: graph.cells as u32,
            rows: rows.count,
            distance_bits: rows.bits,
            symmetry: match symmetry {
                Symmetry::Or => SymmetryCode::Or,
                Symmetry::And => SymmetryCode::And,
                Symmetry::None => SymmetryCode::None,
            },
            greatest_distance: rows.greatest,
            nodes: nodes.len() as u32,
            root,
            neighbours: 2 * graph.adjacency.len() as u32,
        },
        row_of: rows.row_of,
        pvs: rows.pvs,
        distances: rows.distances,
        adjacency,
        nodes: (!nodes.is_empty()).then(|| nodes.iter().flat_map(PlaneNode::encode).collect()),
        bounds: graph.bounds.as_ref().map(floats),
        positions: graph.positions.as_ref().map(points),
        names: graph.names.clone(),
        portals: (!graph.portals.is_empty()).then(|| portals(&graph.portals)),
    }
}

/// `CADJ`: see [`Neighbours`].
fn adjacency(graph: &CellGraph) -> Vec<u8> {
    let mut lists = vec![Vec::new(); graph.cells];
    for &[a, b] in &graph.adjacency {
        lists[a as usize].push(b);
        lists[b as usize].push(a);
    }
    for list in &mut lists {
        list.sort_unstable();
    }
    let lists = lists.iter().map(Vec::as_slice);
    Neighbours::words(lists).flatten().collect()
}

/// `CPRT`: see [`Portals`](viewcell::format::cells::Portals).
fn portals(portals: &[Portal]) -> Vec<u8> {
    let mut bytes = (portals.len() as u32).to_le_bytes().to_vec();
    for Portal { cells, winding } in portals {
        bytes.extend(PortalRecord::head(*cells, winding.len() as u32));
        bytes.extend(
            winding
                .iter()
                .flat_map(|&corner| PortalRecord::corner(corner)),
        );
    }
    bytes
}

/// The tree as the bundle has it: nodes before their children, none of which both sides are the
/// same cell.
fn flatten(tree: &BspTree) -> (Child, Vec<PlaneNode>) {
    let nodes = tree.nodes();
    let order = tree.parents_first();
    // What each node comes to: itself, or what lies on both its sides.
    let mut becomes: Vec<Child> = (0..nodes.len() as u32).map(Child::Node).collect();
    let resolve = |child: BspChild, becomes: &[Child]| match child {
        BspChild::Node(node) => becomes[node as usize],
        BspChild::Leaf(leaf) => match tree.leaves()[leaf as usize].cell {
            Some(cell) => Child::Cell(cell),
            None => Child::Nothing,
        },
    };
    for &node in order.iter().rev() {
        let [front, behind] = nodes[node].children.map(|child| resolve(child, &becomes));
        if front == behind {
            becomes[node] = front;
        }
    }
    let kept = order
        .iter()
        .filter(|&&node| becomes[node] == Child::Node(node as u32));
    // Nodes below one that became a cell are not reached any more.
    let mut numbers = vec![None; nodes.len()];
    let root = resolve(tree.root(), &becomes);
    let mut reached = vec![false; nodes.len()];
    let mut list = Vec::new();
    if let Child::Node(node) = root {
        reached[node as usize] = true;
    }
    for &node in kept {
        if !reached[node] {
            continue;
        }
        numbers[node] = Some(list.len() as u32);
        list.push(node);
        for child in nodes[node].children {
            if let Child::Node(child) = resolve(child, &becomes) {
                reached[child as usize] = true;
            }
        }
    }
    let number = |child: Child| match child {
        Child::Node(node) => numbers[node as usize].map_or(Child::Nothing, Child::Node),
        other => other,
    };
    let flat = list.iter().map(|&node| PlaneNode {
        distance: nodes[node].dist,
        normal: nodes[node].normal,
        children: nodes[node]
            .children
            .map(|child| number(resolve(child, &becomes))),
    });
    (number(root), flat.collect())
}

/// The cell graph in a bundle: its PVS as it was made symmetric, what touches, boxes, positions,
/// names and portals. The BSP is left out, which the bundle has without leaves.
///
/// # Errors
///
/// [`BakeError`] where the file cannot be read, or is no bundle of cells.
pub fn read_level(path: &Path) -> Result<CellGraph, BakeError> {
    let bytes = std::fs::read(path).map_err(BundleError::read(path))?;
    let format = |error: OpenError| unreadable(path, error);
    let bundle = Bundle::from_bytes(&bytes).map_err(format)?;
    let level = bundle.cells().map_err(format)?;
    let cells = level.cells();
    let mut graph = CellGraph::new(cells as usize);
    let words = (0..cells).flat_map(|cell| {
        let row = level.pvs(cell);
        (0..bits::words(cells)).map(move |i| row.word(i))
    });
    graph.pvs = Some(BitMatrix::from_words(cells as usize, words.collect()));
    let pairs = (0..cells).flat_map(|a| level.neighbours(a).map(move |b| [a, b]));
    graph.adjacency = pairs.filter(|[a, b]| a < b && *b < cells).collect();
    graph.bounds = (0..cells).map(|cell| level.bounds(cell)).collect();
    graph.positions = (0..cells).map(|cell| level.position(cell)).collect();

    let file = BundleFile::open(path)?;
    let damaged = |section: Tag, problem: String| BundleError::section(path, section, problem);
    if let Some(text) = file.read(Tag::CNAM, &Sizes::default())? {
        let names: Vec<String> = serde_json::from_slice(&text)
            .map_err(|error| damaged(Tag::CNAM, format!("expected names in JSON: {error}")))?;
        if names.len() != cells as usize {
            let problem = format!("expected {cells} names, found {}", names.len());
            return Err(damaged(Tag::CNAM, problem).into());
        }
        graph.names = Some(names);
    }
    if let Some(bytes) = file.read(Tag::CPRT, &Sizes::default())? {
        graph.portals = read_portals(&bytes, cells).ok_or_else(|| {
            damaged(
                Tag::CPRT,
                format!("expected portals between cells below {cells}"),
            )
        })?;
    }
    Ok(graph)
}

/// The portals in the bytes of `CPRT`.
fn read_portals(bytes: &[u8], cells: u32) -> Option<Vec<Portal>> {
    let mut records = Portals::new(bytes);
    let mut portals = Vec::new();
    for record in records.by_ref() {
        if record.cells.iter().any(|cell| *cell >= cells) || !record.is_whole() {
            return None;
        }
        portals.push(Portal {
            cells: record.cells,
            winding: record.corners().collect(),
        });
    }
    (records.left() == 0 && records.at() == bytes.len()).then_some(portals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use viewcell_ingest::world::{BspLeaf, BspNode};

    /// A tree of random planes x = i, with random cells.
    fn tree(seed: u64, depth: u32) -> BspTree {
        let mut state = seed | 1;
        let mut random = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let leaf = |cell| BspLeaf {
            contents: 0,
            cell,
            bounds: [[0.0; 3]; 2],
        };
        let leaves = vec![leaf(None), leaf(Some(0)), leaf(Some(1)), leaf(Some(2))];
        let mut nodes = Vec::new();
        // From the leaves up, so that children come before parents.
        let mut level: Vec<BspChild> = (0..1 << depth)
            .map(|_| BspChild::Leaf(random(4) as u32))
            .collect();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| {
                    let mut normal = [0.0; 3];
                    normal[random(3) as usize] = 1.0;
                    nodes.push(BspNode {
                        normal,
                        dist: random(9) as f64 - 4.0,
                        children: [pair[0], pair[1]],
                    });
                    BspChild::Node(nodes.len() as u32 - 1)
                })
                .collect();
        }
        BspTree::new(nodes, leaves, level[0], 3).unwrap()
    }

    proptest! {
        #[test]
        fn the_flat_tree_finds_the_same_cells(seed: u64, depth in 0_u32..7) {
            let tree = tree(seed, depth);
            let (root, nodes) = flatten(&tree);
            for (index, node) in nodes.iter().enumerate() {
                prop_assert!(node.children[0] != node.children[1]);
                for child in node.children {
                    if let Child::Node(child) = child {
                        prop_assert!(child as usize > index);
                    }
                }
            }
            for i in 0..1000 {
                let point = [i % 10, i / 10 % 10, i / 100].map(|x| f64::from(x) - 4.5);
                let mut at = root;
                while let Child::Node(node) = at {
                    at = nodes[node as usize].side_of(point);
                }
                let expected = tree.locate(point).map_or(Child::Nothing, Child::Cell);
                prop_assert_eq!(at, expected);
            }
        }
    }
}
