//! Ground that is changed at random.

use viewcell::dice::Dice;
use viewcell_bake::visibility::Curvature;
use viewcell_bake::{BakeOptions, VisibilityMode};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

/// A part of jacksboro.
pub fn crop(at: [u32; 2], size: [u32; 2]) -> Terrain {
    let options = IngestOptions {
        crop: Some([at[0], at[1], size[0], size[1]]),
        ..IngestOptions::default()
    };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/jacksboro.tif");
    read_terrain(path.as_ref(), &options).unwrap().terrain
}

/// An exact bake.
pub fn exact() -> BakeOptions {
    BakeOptions {
        mode: VisibilityMode::Exact,
        ..BakeOptions::default()
    }
}

/// Bakes of other kinds: sight that is not mutual; sight that ends, over a round earth; and that
/// with both, from conservative cells.
pub fn other_bakes() -> [BakeOptions; 3] {
    let taller = BakeOptions {
        eye_height: 7.5,
        ..exact()
    };
    let near = BakeOptions {
        max_distance: Some(1500.0),
        curvature: Some(Curvature {
            radius: 60_000.0,
            refraction: 0.1,
        }),
        ..exact()
    };
    let conservative = BakeOptions {
        mode: VisibilityMode::Conservative,
        eye_height: 3.0,
        ..near.clone()
    };
    [taller, near, conservative]
}

/// What a stamp does.
#[derive(Clone, Copy, Debug)]
pub enum Do {
    Dig,
    Fill,
    Void,
    /// Ground where there was a void.
    Mend,
    /// Some up, some down.
    Shuffle,
}

/// A round stamp.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    pub column: f64,
    pub row: f64,
    pub radius: f64,
    pub metres: f64,
    pub what: Do,
}

impl Stamp {
    /// Anywhere, also over the rim.
    pub fn random(dice: &mut Dice, terrain: &Terrain, radius: f64) -> Self {
        let at = |dice: &mut Dice, side: u32| dice.fraction() * f64::from(side + 4) - 2.0;
        let whats = [Do::Dig, Do::Fill, Do::Void, Do::Mend, Do::Shuffle];
        Self {
            column: at(dice, terrain.width()),
            row: at(dice, terrain.height()),
            radius: 1.0 + dice.fraction() * (radius - 1.0),
            metres: [0.5, 5.0, 60.0][dice.roll(3) as usize],
            what: whats[dice.roll(5) as usize],
        }
    }

    /// The terrain after it.
    pub fn on(&self, terrain: &Terrain) -> Terrain {
        let heights = terrain.heights().iter().zip(0..).map(|(&height, i)| {
            let (c, r) = (i % terrain.width(), i / terrain.width());
            let away = (f64::from(c) - self.column).hypot(f64::from(r) - self.row) / self.radius;
            if away > 1.0 {
                return height;
            }
            let deep = self.metres * (1.0 - away * away).sqrt();
            match self.what {
                Do::Dig => height - deep,
                Do::Fill => height + deep,
                Do::Void => f64::NAN,
                Do::Mend if height.is_nan() => 400.0 + deep,
                Do::Mend => height,
                Do::Shuffle if (c + r) % 3 == 0 => height + deep,
                Do::Shuffle => height - deep,
            }
        });
        let spacing = terrain.spacing();
        let changed = Terrain::new(
            terrain.width(),
            terrain.height(),
            heights.collect(),
            spacing,
        );
        changed
            .unwrap()
            .with_georeference(terrain.georeference().cloned())
    }
}
