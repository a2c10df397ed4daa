//! Damage to what sections hold, with checksums that belong to it.

use viewcell::format::{Quad, Sample, Section, Tag};
use viewcell_bake::bundle::Provenance;

use super::{Parts, report_of, trips};
use crate::common::World;

#[test]
fn sections_present() {
    // Whether there are trees is for the tree code to say.
    for (tag, rule) in [
        (Tag::GRID, "sections-present"),
        (Tag::HGTS, "sections-present"),
        (Tag::PROV, "sections-present"),
        (Tag::TREE, "grid"),
        (Tag::TIDX, "grid"),
    ] {
        let mut parts = Parts::new();
        let position = parts.position(tag);
        parts.sections.remove(position);
        trips(&parts.assemble(), rule);
    }
    let mut parts = Parts::new();
    parts.entry(Tag::HGTS).flags = 0;
    trips(&parts.assemble(), "sections-present");
    let mut parts = Parts::new();
    parts.entry(Tag::TREE).flags |= Section::ZSTD;
    trips(&parts.assemble(), "sections-present");
}

#[test]
fn grid() {
    let f64_bytes = |value: f64| value.to_le_bytes().to_vec();
    let damages = [
        (0, vec![0, 0, 0, 0]),
        (0, vec![12, 0, 0, 0]),
        (2, vec![1, 1]),
        (8, vec![9]),
        (12, vec![4]),
        (16, vec![3]),
        (20, vec![0x83]),
        (24, vec![1]),
        (28, vec![1]),
        (32, f64_bytes(0.0)),
        (40, f64_bytes(f64::NAN)),
        (48, f64_bytes(f64::INFINITY)),
        (64, f64_bytes(-1.0)),
        (72, f64_bytes(-1.0)),
        (88, f64_bytes(f64::NAN)),
        (191, vec![1]),
    ];
    for (at, value) in damages {
        let mut parts = Parts::new();
        parts.bytes(Tag::GRID)[at..at + value.len()].copy_from_slice(&value);
        trips(&parts.assemble(), "grid");
    }
    for tag in [Tag::GRID, Tag::VALD, Tag::HGTS, Tag::TIDX] {
        let mut parts = Parts::new();
        let mut bytes = parts.bytes(tag).clone();
        bytes.pop();
        parts.replace(tag, &bytes);
        trips(&parts.assemble(), "grid");
    }
}

#[test]
fn crs() {
    let mut parts = Parts::new();
    parts.replace(Tag::CRS, b"EPSG:\xFF");
    trips(&parts.assemble(), "crs");
}

#[test]
fn terrain_mask() {
    let mut parts = Parts::new();
    parts.bytes(Tag::VALD)[7] = 0x80;
    trips(&parts.assemble(), "terrain-mask");
    let mut parts = Parts::new();
    parts.bytes(Tag::VALD).fill(0);
    trips(&parts.assemble(), "terrain-mask");
    let mut parts = Parts::new();
    let grid = parts.world.grid;
    let full = [grid.block_mask(0, 0), grid.block_mask(1, 0)];
    *parts.bytes(Tag::VALD) = full.iter().flat_map(|word| word.to_le_bytes()).collect();
    trips(&parts.assemble(), "terrain-mask");
}

#[test]
fn heights() {
    let parts = Parts::new();
    let is_void = |sample: &Sample| parts.world.is_void(*sample);
    let at = |sample: Sample| 4 * (sample.row * 11 + sample.column) as usize;
    let void = at(parts.world.samples().find(is_void).unwrap());
    let solid = at(parts
        .world
        .samples()
        .find(|sample| !is_void(sample))
        .unwrap());
    for (at, value) in [
        (void, 1.0f32),
        (void, -f32::NAN),
        (solid, f32::NAN),
        (solid, f32::INFINITY),
    ] {
        let mut parts = Parts::new();
        parts.bytes(Tag::HGTS)[at..at + 4].copy_from_slice(&value.to_le_bytes());
        trips(&parts.assemble(), "heights");
    }
    // What is not walkable has a height, which is that of the source.
    for (value, rule) in [(1.0f32, "source-heights"), (f32::INFINITY, "heights")] {
        let mut parts = Parts::new();
        parts.bytes(Tag::GRID)[20] |= 16;
        parts.bytes(Tag::HGTS)[void..void + 4].copy_from_slice(&value.to_le_bytes());
        trips(&parts.assemble(), rule);
    }
}

#[test]
fn source_heights() {
    let mut parts = Parts::new();
    let mut source = zstd::bulk::decompress(parts.bytes(Tag::SRCH), 1 << 20).unwrap();
    source[7] ^= 0x80;
    parts.replace(Tag::SRCH, &source);
    trips(&parts.assemble(), "source-heights");
    source.pop();
    parts.replace(Tag::SRCH, &source);
    trips(&parts.assemble(), "source-heights");
    *parts.bytes(Tag::SRCH) = b"no zstd".to_vec();
    trips(&parts.assemble(), "source-heights");
    // A bomb: the frame holds more than the table says.
    let mut parts = Parts::new();
    *parts.bytes(Tag::SRCH) = zstd::bulk::compress(&vec![0; 1 << 24], 3).unwrap();
    trips(&parts.assemble(), "source-heights");
    // Heights that f32 holds exactly need no such section.
    let mut parts = Parts::new();
    let exact: Vec<u8> = parts
        .bytes(Tag::HGTS)
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
        .flat_map(|height| {
            if height.is_nan() {
                f64::NAN.to_le_bytes()
            } else {
                f64::from(height).to_le_bytes()
            }
        })
        .collect();
    parts.replace(Tag::SRCH, &exact);
    trips(&parts.assemble(), "source-heights");
}

#[test]
fn provenance() {
    let mut parts = Parts::new();
    parts.replace(Tag::PROV, b"{}");
    trips(&parts.assemble(), "provenance");
    *parts.bytes(Tag::PROV) = b"no zstd".to_vec();
    trips(&parts.assemble(), "provenance");
}

#[test]
fn index() {
    // The first tree not at 0; one past the end; two swapped; one that takes all.
    for change in [
        |index: &mut [u64]| index[0] = 1,
        |index: &mut [u64]| index[3] = u64::MAX,
        |index: &mut [u64]| index.swap(4, 5),
        |index: &mut [u64]| index[6] = index[7],
    ] {
        let mut parts = Parts::new();
        let bytes = parts.bytes(Tag::TIDX);
        let mut words: Vec<_> = bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect();
        change(&mut words);
        *bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        trips(&parts.assemble(), "index");
    }
}

/// A viewpoint whose tree has a node: 11×5 samples have a root of level 4.
fn mixed_viewpoint(parts: &mut Parts) -> Quad {
    let samples: Vec<_> = parts.world.samples().collect();
    let mixed = samples
        .into_iter()
        .find(|s| parts.tree(s.quad()).len() > 2 + 8);
    mixed.unwrap().quad()
}

#[test]
fn trees() {
    let damages: [fn(&mut Vec<u8>); 8] = [
        // A head that is cut off, one that is too long, and one of nodes that are not there.
        |tree| tree[0] |= 0x80,
        |tree| drop(tree.splice(0..1, [tree[0] | 0x80, 0])),
        |tree| tree[0] = 100,
        // The reserved code; a byte too few; a byte too many.
        |tree| tree[1] = 3,
        |tree| tree.truncate(tree.len() - 1),
        |tree| tree.push(0),
        // A mixed literal that is empty, and one with bits where there is no terrain.
        |tree| tree[2..10].fill(0),
        |tree| tree[9] |= 0x80,
    ];
    for damage in damages {
        let mut parts = Parts::new();
        let victim = mixed_viewpoint(&mut parts);
        parts.replace_trees(|quad, mut tree| {
            if quad == victim {
                damage(&mut tree);
            }
            tree
        });
        trips(&parts.assemble(), "trees");
    }
    // A node whose children are all hidden says what a head says.
    let mut parts = Parts::new();
    let victim = mixed_viewpoint(&mut parts);
    parts.replace_trees(|quad, tree| if quad == victim { vec![3, 0] } else { tree });
    trips(&parts.assemble(), "trees");
}

#[test]
fn voids() {
    // Everybody sees everything, and so does one void.
    let mut parts = Parts::new();
    let world = World::new(11, 5, 6);
    let all = parts.world.pyramid().blocks().to_vec();
    let void = world.samples().find(|&s| world.is_void(s)).unwrap();
    let holds = |quad: Quad, s: Sample| {
        Quad::new(quad.level, s.column >> quad.level, s.row >> quad.level) == quad
    };
    parts.replace_pvs(|quad, pvs| {
        let sees = |s| holds(quad, s) && (s == void || !world.is_void(s));
        if world.samples().any(sees) {
            pvs.copy_from_slice(&all);
        }
    });
    trips(&parts.assemble(), "voids");
}

#[test]
fn unions() {
    // A quad that hides what its samples see, and one that sees what they do not.
    for visible in [false, true] {
        let mut parts = Parts::new();
        let all = parts.world.pyramid().blocks().to_vec();
        let victim = parts.world.grid.root();
        parts.replace_pvs(|quad, pvs| {
            if quad == victim {
                if visible {
                    pvs.copy_from_slice(&all)
                } else {
                    pvs[0] &= pvs[0] - 1
                }
            }
        });
        if visible && report_of(&parts.assemble()).is_sound() {
            continue; // the root sees everything anyway
        }
        trips(&parts.assemble(), "unions");
    }
}

#[test]
fn symmetry() {
    let mut parts = Parts::new();
    let world = World::new(11, 5, 6);
    let terrain: Vec<_> = world.samples().filter(|&s| !world.is_void(s)).collect();
    // a no longer sees b, which its sibling sees as well: unions stay as they are.
    let pair = terrain.iter().find_map(|&a| {
        let siblings = |&&s: &&Sample| s.quad().parent() == a.quad().parent() && s != a;
        let sibling = *terrain.iter().find(siblings)?;
        let seen = |&&b: &&Sample| b != a && world.sees(a, b) && world.sees(sibling, b);
        Some((a, *terrain.iter().find(seen)?))
    });
    let (a, b) = pair.unwrap();
    parts.replace_pvs(|quad, pvs| {
        if quad == a.quad() {
            let (word, bit) = world.grid.block_bit(b);
            pvs[word] &= !(1 << bit);
        }
    });
    trips(&parts.assemble(), "symmetry");
}

#[test]
fn statistics() {
    let changes: [fn(&mut Provenance); 6] = [
        |provenance| provenance.statistics.samples += 1,
        |provenance| provenance.statistics.voids += 1,
        |provenance| provenance.statistics.levels[1].tree_bytes += 1,
        |provenance| provenance.statistics.levels[0].visible_samples -= 1,
        |provenance| provenance.statistics.levels[2].hidden_share += 1e-6,
        |provenance| provenance.statistics.levels.truncate(4),
    ];
    for change in changes {
        let mut parts = Parts::new();
        parts.provenance(change);
        trips(&parts.assemble(), "statistics");
    }
}
