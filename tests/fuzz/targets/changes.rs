//! Reads change sets, and applies them: whole or not at all.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use viewcell_layered::{Ask, ChangeSet, Columns, Depth, Layered, Patches, Sides, of_layers};

static GROUND: LazyLock<(Patches, Columns)> = LazyLock::new(|| {
    let ask = Ask {
        size: [24, 20],
        spacing: [1.0; 3],
        materials: vec!["soil".into(), "rock".into()],
        sides: Sides { most: 4, least: 2 },
        most_cubes: 1 << 20,
    };
    let heights: Vec<f64> = (0..24 * 20).map(|i| f64::from(i % 7)).collect();
    let depths = [Depth::Constant(2.0), Depth::Rest];
    let ground = of_layers(&ask, &heights, &depths, None).expect("a ground");
    let columns = Columns::of(&ground);
    (ground, columns)
});

fuzz_target!(|data: &[u8]| {
    let Ok((mut changes, used)) = ChangeSet::decode(data) else {
        return;
    };
    assert!(used <= data.len());
    assert_eq!(
        ChangeSet::decode(&changes.encode()).map(|read| read.0),
        Ok(changes.clone())
    );
    let (ground, columns) = &*GROUND;
    changes.from = ground.version();
    changes.to.number = 1;
    let mut changed = ground.clone();
    match changed.apply(&changes) {
        Ok(()) => assert!(changed.stacks().iter().all(|stack| {
            stack
                .range()
                .all(|slice| stack.slice(slice).is_none_or(|tree| tree.is_pruned()))
        })),
        Err(_) => assert_eq!(changed.stacks(), ground.stacks()),
    }
    let _ = columns.clone().apply(&changes);
});
