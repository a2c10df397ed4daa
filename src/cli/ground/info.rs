//! `viewcell ground info`: what a ground file holds.

use std::fmt::Write as _;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::ground::{Layered, Patches};

use crate::cli::exit::Outcome;
use crate::cli::output::{self, Json};

/// Tell what a ground file holds: size, materials, nodes, and with --slices each slice
#[derive(clap::Args)]
pub struct Args {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Count each slice by itself
    #[arg(long)]
    slices: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell ground info --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell ground info")]
pub struct Document {
    /// Columns.
    width: u32,
    /// Rows.
    height: u32,
    /// Number of slices from the lowest to the highest that is not empty.
    slices: u64,
    /// The lowest slice's number; slice 0 lies just above height 0.
    first_slice: i32,
    /// A cube's size in metres: east, south, up.
    spacing: [f64; 3],
    /// Number of patches.
    patches: u64,
    /// Nodes of all quadtrees.
    nodes: u64,
    /// Bytes of the file that count.
    bytes: u64,
    /// Bytes of the file that hold nothing of the ground as it is now: what stamps superseded, and what was
    /// left by one that could not be written. viewcell ground compact takes them out.
    dead_bytes: u64,
    /// Memory that the ground takes when it is read.
    memory: u64,
    /// How many change sets were applied.
    version: u64,
    /// Of all of them in order, 16 hexadecimal digits.
    digest: String,
    /// The materials, in the order of their numbers.
    materials: Vec<MaterialRow>,
    /// Each slice that some patch has, upwards; absent without --slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    each_slice: Option<Vec<SliceRow>>,
}

/// A material.
#[derive(Serialize, JsonSchema)]
struct MaterialRow {
    /// Its number.
    number: u8,
    /// Its name.
    name: String,
    /// Cubes of it.
    cubes: u64,
}

/// A slice.
#[derive(Serialize, JsonSchema)]
struct SliceRow {
    /// Its number.
    slice: i32,
    /// Nodes, in all patches.
    nodes: u64,
    /// Cubes of each material, in the order of their numbers.
    cubes: Vec<u64>,
}

pub fn run(args: &Args) -> Outcome {
    let map = super::map(&args.ground)?;
    let file = super::open(&args.ground, &map)?;
    let ground = file
        .load()
        .map_err(|error| super::failure(&args.ground, error))?;
    let live = file
        .live()
        .map_err(|error| super::failure(&args.ground, error))?;
    let dead = (map.len() as u64).saturating_sub(live);
    let document = document(&ground, [file.end(), dead], args.slices);
    args.json.tell(|| &document, text(&document).trim_end())
}

fn document(ground: &Patches, [bytes, dead_bytes]: [u64; 2], each: bool) -> Document {
    let frame = ground.frame();
    let slices = ground.slices();
    let names = frame.materials();
    let mut cubes = vec![0; names.len()];
    let mut rows = Vec::new();
    for row in slices.clone().filter_map(|slice| row(ground, slice)) {
        for (sum, count) in cubes.iter_mut().zip(&row.cubes) {
            *sum += count;
        }
        if each {
            rows.push(row);
        }
    }
    let materials = (1..).zip(names).zip(cubes);
    let materials = materials.map(|((number, name), cubes)| MaterialRow {
        number,
        name: name.clone(),
        cubes,
    });
    Document {
        width: frame.width(),
        height: frame.height(),
        slices: slices.len() as u64,
        first_slice: slices.start,
        spacing: frame.spacing(),
        patches: frame.patches().len() as u64,
        nodes: ground.nodes(),
        bytes,
        dead_bytes,
        memory: ground.bytes() as u64,
        version: ground.version().number,
        digest: format!("{:016x}", ground.version().digest),
        materials: materials.collect(),
        each_slice: each.then_some(rows),
    }
}

/// `None` where no patch has the slice.
fn row(ground: &Patches, slice: i32) -> Option<SliceRow> {
    let stacks = ground.stacks().iter().zip(ground.frame().patches());
    let trees = stacks.filter_map(|(stack, square)| Some((stack.slice(slice)?, square)));
    let mut trees = trees.peekable();
    trees.peek()?;
    let mut cubes = vec![0; ground.frame().materials().len()];
    let mut nodes = 0;
    for (tree, square) in trees {
        nodes += tree.nodes();
        let whole = [[0, 0], [1 << square.level; 2]];
        tree.leaves_in(square.level, whole, &mut |_, _, level, material| {
            if let Some(index) = usize::from(material).checked_sub(1) {
                cubes[index] += 1u64 << (2 * level);
            }
        });
    }
    Some(SliceRow {
        slice,
        nodes,
        cubes,
    })
}

fn text(document: &Document) -> String {
    let mut text = String::new();
    let [east, south, up] = document.spacing;
    let _ = writeln!(
        text,
        "{} x {} x {} cubes of {east} x {south} x {up} m, slices from {}\n\
         {} patches, {} nodes, {} bytes in the file ({} dead), {} in memory\nversion {} ({})",
        document.width,
        document.height,
        document.slices,
        document.first_slice,
        document.patches,
        document.nodes,
        document.bytes,
        document.dead_bytes,
        document.memory,
        document.version,
        document.digest
    );
    for material in &document.materials {
        let (number, cubes) = (material.number, material.cubes);
        let name = output::escaped_line(&material.name);
        let _ = writeln!(text, "{number:>3}  {name:<20} {cubes:>14} cubes");
    }
    for row in document.each_slice.iter().flatten() {
        let _ = writeln!(
            text,
            "slice {:>6}  {:>10} nodes  {:?}",
            row.slice, row.nodes, row.cubes
        );
    }
    text
}
