//! Asks the questions of a table and compares: `table BUNDLE QUESTIONS ANSWERS`. See `src/bindings/table`.

mod shared;

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetServer, Assets, Handle, LoadState};
use bevy_ecs::prelude::*;
use bevy_transform::prelude::*;
use bevy_viewcell::viewcell::query::Sample;
use bevy_viewcell::{Place, Seen, Sight, Target, ViewCells, ViewcellPlugin, Viewer, World as Of};

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [_, questions, answers] = paths.as_slice() else {
        return Err("usage: table BUNDLE QUESTIONS ANSWERS".into());
    };
    let (assets, name) = shared::bundle();
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        assets,
        TransformPlugin,
        ViewcellPlugin,
    ));
    let handle: Handle<ViewCells> = app.world().resource::<AssetServer>().load(name);
    loop {
        app.update();
        match app.world().resource::<AssetServer>().load_state(&handle) {
            LoadState::Loaded => break,
            LoadState::Failed(error) => return Err(error.to_string().into()),
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    let bundles = app.world().resource::<Assets<ViewCells>>();
    let bundle = bundles.get(&handle).ok_or("no bundle")?.clone();

    let raw = std::fs::read(questions)?;
    let (numbers, _) = raw.as_chunks::<4>();
    let numbers: Vec<u32> = numbers
        .iter()
        .map(|&bytes| u32::from_le_bytes(bytes))
        .collect();
    let expected = std::fs::read(answers)?;
    let pairs: Vec<[Place; 2]> = match bundle.world() {
        Of::Terrain(_) => {
            let (pairs, _) = numbers.as_chunks::<4>();
            let sample = |column, row| Place::Sample(Sample::new(column, row));
            pairs
                .iter()
                .map(|&[a, b, c, d]| [sample(a, b), sample(c, d)])
                .collect()
        }
        Of::Cells(_) | Of::Solid(_) => {
            let (pairs, _) = numbers.as_chunks::<2>();
            pairs.iter().map(|pair| pair.map(Place::Cell)).collect()
        }
    };
    if pairs.len() != expected.len() {
        return Err(format!("{} questions, but {} answers", pairs.len(), expected.len()).into());
    }

    report("Bevy, of the asset", &expected, 5, || {
        let answers = pairs
            .iter()
            .map(|&[a, b]| bundle.world().visible(a, b).into());
        answers.collect()
    })?;
    if let Of::Terrain(terrain) = bundle.world() {
        let [dx, dy] = terrain.parameters().cell_spacing;
        app.insert_resource(Sight::of(handle.clone()));
        report("Bevy, by entities", &expected, 1, || {
            by_entities(&mut app, &pairs, [dx, dy])
        })?;
    }
    Ok(())
}

fn report(
    name: &str,
    expected: &[u8],
    rounds: u32,
    mut ask: impl FnMut() -> Vec<u8>,
) -> Result<(), Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let begun = Instant::now();
        let found = std::hint::black_box(ask());
        best = best.min(begun.elapsed().as_secs_f64());
        if found != expected {
            let wrong = found.iter().zip(expected).position(|(a, b)| a != b);
            return Err(format!("{name}: question {wrong:?} is answered otherwise").into());
        }
    }
    println!(
        "{name}\t{}\t{:.0}",
        expected.len(),
        best * 1e9 / expected.len() as f64
    );
    Ok(())
}

/// As a game asks: a viewer and its targets stand where the questions say, a tick for each viewpoint.
fn by_entities(app: &mut App, pairs: &[[Place; 2]], [dx, dy]: [f64; 2]) -> Vec<u8> {
    let transform = |place| match place {
        Place::Sample(Sample { column, row }) => {
            let (x, z) = (f64::from(column) * dx, f64::from(row) * dy);
            Transform::from_xyz(x as f32, 0.0, z as f32)
        }
        Place::Cell(cell) => panic!("cell {cell} of a terrain"),
    };
    let mut of_viewpoint: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (question, [from, _]) in pairs.iter().enumerate() {
        if let Place::Sample(Sample { column, row }) = *from {
            of_viewpoint
                .entry((column, row))
                .or_default()
                .push(question);
        }
    }
    let mut answers = vec![2; pairs.len()];
    for questions in of_viewpoint.values() {
        let viewer = app
            .world_mut()
            .spawn((Viewer, transform(pairs[questions[0]][0])))
            .id();
        let targets = questions
            .iter()
            .map(|&question| (Target, transform(pairs[question][1])));
        let targets: Vec<Entity> = app
            .world_mut()
            .spawn_batch(targets.collect::<Vec<_>>())
            .collect();
        app.update();
        if let Some(seen) = app.world().get::<Seen>(viewer) {
            for (&question, &target) in questions.iter().zip(&targets) {
                answers[question] = seen.contains(target).into();
            }
        }
        for entity in targets.into_iter().chain([viewer]) {
            app.world_mut().despawn(entity);
        }
    }
    answers
}
