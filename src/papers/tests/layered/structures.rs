//! Quadtrees and columns are what a number for every cube is, after any stamps.

use viewcell::dice::Dice;
use viewcell_layered::{
    Body, Columns, Dense, Depth, Effect, Frame, GroundError, Layered, Patches, Path, Rule, Shape,
    Stamp, Tree, of_layers, surface,
};

use crate::common::{any_stamp, ask, cubes, hills};

#[test]
fn every_structure_holds_the_same_cubes_after_any_stamps() {
    for seed in 0..8 {
        let mut dice = Dice(seed);
        let size = [20 + dice.roll(40), 20 + dice.roll(40)];
        let mut patches = hills(size, seed);
        let mut columns = Columns::of(&patches);
        let mut dense = Dense::of(&patches, -40..40);
        let mut follower = patches.clone();
        for _ in 0..30 {
            let stamp = any_stamp(&mut dice, size);
            let Some(taken) = cubes(&stamp, &patches) else {
                continue;
            };
            dense.stamp(&taken, stamp.effect);
            let changes = patches.stamp(&taken, stamp.effect).unwrap();
            let runs = columns.stamp(&taken, stamp.effect).unwrap();
            assert_eq!(changes.is_some(), runs.is_some(), "{stamp:?}");
            if let Some(changes) = changes {
                follower.apply(&changes).unwrap();
            }
            check(&patches, &columns, &dense, size);
            assert_eq!(follower.stacks(), patches.stacks());
            assert_eq!(follower.version(), patches.version());
        }
        assert_eq!(Columns::of(&patches).nodes(), columns.nodes());
        assert!(patches.version().number > 10, "seed {seed}");
    }
}

fn check(patches: &Patches, columns: &Columns, dense: &Dense, [width, height]: [u32; 2]) {
    let heights = surface(patches);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let mut top = None;
        for z in -40..40 {
            let material = dense.material(x, y, z);
            assert_eq!(patches.material(x, y, z), material, "({x}, {y}, {z})");
            assert_eq!(columns.material(x, y, z), material, "({x}, {y}, {z})");
            if material != 0 {
                top = Some(z);
            }
        }
        assert_eq!((patches.top(x, y), columns.top(x, y)), (top, top));
        let height = heights[(y * width + x) as usize];
        assert_eq!(
            top.map(|top| f64::from(top) + 1.0),
            Some(height).filter(|h| !h.is_nan())
        );
    }
    assert_eq!(patches.slices(), columns.slices());
    let (mut nodes, slices) = (0, patches.slices());
    for (stack, square) in patches.stacks().iter().zip(patches.frame().patches()) {
        assert!(stack.range().is_empty() || slices.contains(&stack.range().start));
        for slice in stack.range() {
            let tree = stack.slice(slice).unwrap();
            assert!(tree.is_pruned());
            let built = Tree::build(square.level, &mut |x, y| {
                let (x, y) = (x + square.x, y + square.y);
                if x < width && y < height {
                    dense.material(x, y, slice)
                } else {
                    0
                }
            });
            assert_eq!(&built, tree, "what follows from the cubes alone");
            nodes += tree.nodes();
        }
        let ends = [stack.range().start, stack.range().end - 1];
        for end in ends.into_iter().filter(|_| !stack.range().is_empty()) {
            assert_ne!(stack.slice(end).unwrap().uniform(), Some(0), "an empty end");
        }
    }
    assert_eq!(patches.nodes(), nodes);
}

#[test]
fn a_change_set_that_is_applied_twice_or_out_of_order_changes_nothing() {
    let size = [32, 32];
    let mut ground = hills(size, 5);
    let start = ground.clone();
    let ball = |x: f64| Stamp {
        shape: Shape::Ellipsoid {
            at: [x, 16.0, 0.0],
            radii: [5.0; 3],
        },
        effect: Effect::Dig,
        rule: Rule::Halfway,
    };
    let sets: Vec<_> = [8.0, 12.0, 20.0]
        .map(|x| {
            let taken = ball(x).cubes(ground.frame()).unwrap();
            ground.stamp(&taken, Effect::Dig).unwrap().unwrap()
        })
        .into();
    let mut other = start.clone();
    let refused = |ground: &mut Patches, i: usize, words: &str| {
        let before = ground.clone();
        let error = ground.apply(&sets[i]).unwrap_err();
        assert!(matches!(error, GroundError::Version { .. }));
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(
            (ground.stacks(), ground.version()),
            (before.stacks(), before.version())
        );
    };
    refused(&mut other, 1, "those between first");
    other.apply(&sets[0]).unwrap();
    refused(&mut other, 0, "applied already");
    refused(&mut other, 2, "those between first");
    other.apply(&sets[1]).unwrap();
    other.apply(&sets[2]).unwrap();
    assert_eq!(
        (other.stacks(), other.version()),
        (ground.stacks(), ground.version())
    );
    // As many changes, but others.
    let mut third = start;
    let taken = ball(25.0).cubes(third.frame()).unwrap();
    third.stamp(&taken, Effect::Dig).unwrap().unwrap();
    refused(&mut third, 1, "of other ground");
}

#[test]
fn a_change_set_that_does_not_fit_is_refused_whole() {
    let mut ground = hills([32, 32], 1);
    let before = ground.clone();
    let taken = Stamp {
        shape: Shape::Ellipsoid {
            at: [16.0, 16.0, 0.0],
            radii: [6.0; 3],
        },
        effect: Effect::Dig,
        rule: Rule::Halfway,
    };
    let taken = taken.cubes(ground.frame()).unwrap();
    let sound = ground.plan(&taken, Effect::Dig);
    let Body::Branches(branches) = &sound.body else {
        panic!("branches");
    };
    let all: Vec<_> = branches
        .iter()
        .map(|(record, codes)| (*record, codes.to_vec()))
        .collect();
    type Change = fn(&mut Vec<(viewcell_layered::Record, Vec<u8>)>);
    let damage: &[Change] = &[
        |all| all.last_mut().unwrap().0.patch = 1000,
        |all| all.last_mut().unwrap().0.slice = i32::MIN + 1,
        |all| all.last_mut().unwrap().0.path = Path::parse("000000").unwrap(),
        |all| all.last_mut().unwrap().1 = vec![9],
        |all| all.last_mut().unwrap().1 = vec![255, 1, 1, 1, 1],
        |all| all.last_mut().unwrap().1 = vec![],
        |all| all.last_mut().unwrap().1.push(0),
        |all| all.reverse(),
        |all| all.push(all[all.len() - 1].clone()),
        |all| all.last_mut().unwrap().0.slice = Frame::MOST_SLICES + 5,
    ];
    for (i, damage) in damage.iter().enumerate() {
        let mut all = all.clone();
        damage(&mut all);
        let mut branches = viewcell_layered::Branches::default();
        for (record, codes) in &all {
            branches.push(record.patch, record.slice, record.path, codes);
        }
        let mut changes = sound.clone();
        changes.body = Body::Branches(branches);
        assert!(ground.apply(&changes).is_err(), "damage {i}");
        assert_eq!(
            (ground.stacks(), ground.version()),
            (before.stacks(), before.version())
        );
    }
    let mut columns = Columns::of(&ground);
    assert!(columns.apply(&sound).is_err(), "of another structure");
    assert!(ground.apply(&columns.plan(&taken, Effect::Dig)).is_err());
    assert!(
        ground.stamp(&taken, Effect::Fill(4)).is_err(),
        "no such material"
    );
    ground.apply(&sound).unwrap();
}

#[test]
fn layers_lie_as_deep_as_they_were_asked_to() {
    let mut depth = vec![2.0; 16 * 12];
    depth[5] = 0.0;
    let heights: Vec<f64> = (0..16 * 12).map(|i| f64::from(i % 16)).collect();
    let depths = [
        Depth::Constant(1.0),
        Depth::Raster(depth.clone()),
        Depth::Rest,
    ];
    let build =
        |heights: &[f64], depths: &[Depth]| of_layers(&ask([16, 12]), heights, depths, Some(-6.0));
    let ground = build(&heights, &depths).unwrap();
    for x in 0..16 {
        let soil = x as i32 - 1;
        assert_eq!(ground.material(x, 3, soil), 1);
        assert_eq!(ground.material(x, 3, soil + 1), 0);
        assert_eq!(
            [1, 2, 3].map(|down| ground.material(x, 3, soil - down)),
            [2, 2, 3]
        );
        assert_eq!(ground.material(x, 3, -6), 3, "down to the bottom");
        assert_eq!(ground.material(x, 3, -7), 0);
    }
    assert_eq!(ground.material(5, 0, 3), 3, "no clay here");
    assert_eq!(surface(&ground), heights);

    let fails = |heights: &[f64], depths: &[Depth], words: &str| {
        let error = build(heights, depths).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    fails(&heights[1..], &depths, "16 x 12 = 192 samples");
    depth[20] = f64::NAN;
    let with = |depth| [Depth::Constant(1.0), Depth::Raster(depth), Depth::Rest];
    fails(
        &heights,
        &with(depth.clone()),
        "layer 2 (clay) at (4, 1): expected a depth",
    );
    depth[20] = -1.0;
    fails(&heights, &with(depth.clone()), "found -1");
    fails(&heights, &with(vec![1.0; 3]), "192 samples");
    fails(
        &heights,
        &[Depth::Rest, Depth::Rest, Depth::Rest],
        "only the last",
    );
    fails(&heights, &depths[1..], "a layer for each of 3");
    fails(&vec![1e12; 192], &depths, "cubes of 0");
    fails(
        &vec![1e5; 192],
        &depths,
        "expected at most 1000000 cubes, found 16 x 12 x 100006",
    );
}
