//! What a tick takes with many players who all walk.
//!
//!     cargo run --release --example crowd BUNDLE.vcb

mod shared;

use std::error::Error;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetServer, Assets, Handle, LoadState};
use bevy_ecs::prelude::*;
use bevy_transform::prelude::*;
use bevy_viewcell::{Seen, Sight, Target, ViewCells, ViewcellPlugin, Viewer, World as Of};

const TICKS: u32 = 600;

/// Numbers by xorshift, below 1.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (assets, name) = shared::bundle();
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        assets,
        TransformPlugin,
        ViewcellPlugin,
    ));
    let bundle: Handle<ViewCells> = app.world().resource::<AssetServer>().load(name);
    loop {
        app.update();
        match app.world().resource::<AssetServer>().load_state(&bundle) {
            LoadState::Loaded => break,
            LoadState::Failed(error) => return Err(error.to_string().into()),
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    let bundles = app.world().resource::<Assets<ViewCells>>();
    let (width, depth, step) = match bundles.get(&bundle).map(|bundle| bundle.world()) {
        Some(Of::Terrain(terrain)) => {
            let ([dx, dy], grid) = (terrain.parameters().cell_spacing, terrain.grid());
            (
                f64::from(grid.width()) * dx,
                f64::from(grid.height()) * dy,
                dx.min(dy),
            )
        }
        _ => return Err("expected a bundle of a terrain".into()),
    };
    println!("players  reach  frontier sets  mean ms  longest ms  pairs in sight");
    let (without, with) = (false, true);
    for (players, reach, frontiers) in [
        (16, 0.0, without),
        (64, 0.0, without),
        (256, 0.0, without),
        (64, 1.0, without),
        (16, 0.0, with),
        (64, 0.0, with),
    ] {
        let mut dice = Dice(9);
        let mut walking = Vec::new();
        for _ in 0..players {
            let at = [
                dice.roll() * width as f32 * 0.99,
                dice.roll() * depth as f32 * 0.99,
            ];
            let to = dice.roll() * std::f32::consts::TAU;
            let transform = Transform::from_xyz(at[0], 0.0, at[1]);
            walking.push((app.world_mut().spawn((Viewer, Target, transform)).id(), to));
        }
        // Reaches are in steps from sample to sample; everybody takes one in ten ticks.
        let reach = reach * step as f32;
        app.insert_resource(Sight {
            reach,
            frontiers,
            ..Sight::of(bundle.clone())
        });
        app.update();
        let (mut all, mut longest, mut seen) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..TICKS {
            for (player, to) in &mut walking {
                *to += (dice.roll() - 0.5) * 0.2;
                if let Some(mut transform) = app.world_mut().get_mut::<Transform>(*player) {
                    let at = &mut transform.translation;
                    at.x = (at.x + to.cos() * step as f32 / 10.0).clamp(0.0, width as f32 * 0.99);
                    at.z = (at.z + to.sin() * step as f32 / 10.0).clamp(0.0, depth as f32 * 0.99);
                }
            }
            let begun = Instant::now();
            app.update();
            let taken = begun.elapsed().as_secs_f64() * 1e3;
            all += taken;
            longest = longest.max(taken);
            let mut sees = app.world_mut().query::<&Seen>();
            seen += sees.iter(app.world()).map(Seen::len).sum::<usize>();
        }
        let pairs = f64::from(TICKS) * f64::from(players) * f64::from(players - 1);
        let (mean, share) = (all / f64::from(TICKS), 100.0 * seen as f64 / pairs);
        println!(
            "{players:7}  {reach:5.0}  {frontiers:13}  {mean:7.2}  {longest:10.2}  {share:13.1} %"
        );
        for (player, _) in walking {
            app.world_mut().despawn(player);
        }
    }
    Ok(())
}
