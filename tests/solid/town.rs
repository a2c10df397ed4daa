//! Buildings on a terrain, real ones: no line of sight passes the buildings and the ground between samples
//! that a bundle of both hides from each other.
//!
//! The Hague with samples 16 m apart and 20,000 lines; `VIEWCELL_TOWN=METRES,LINES[,EXTENT]` takes others, or a part of the
//! town so many metres wide, and tells besides what the bake takes and shows. A raster of the
//! roofs over the samples, as one would make it, does hide what is in sight: the hunt finds that.

use std::path::Path;

use super::common::level;
use viewcell::dice::mixed;
use viewcell::query::{MappedBundle, Sample};
use viewcell_bake::visibility::solid::{SegmentSight, Tracer};
use viewcell_bake::{BakeOptions, BakeReport, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::world::solid::{Heightmap, Placement, SolidLevel, rasterize};

/// Of eyes and heads, as `bake terrain` has them.
const HEAD: f64 = 1.8;

/// A town, its ground as samples, and where the first of them is.
struct Town {
    level: SolidLevel,
    size: [usize; 2],
    spacing: f64,
    corner: [f64; 2],
    ground: Vec<f64>,
}

impl Town {
    /// The ground is what faces of no building say, and below buildings the least of the samples around them.
    /// No more of it than so many metres from its north-western corner.
    fn new(level: SolidLevel, spacing: f64, extent: f64) -> Self {
        let bounds = level.bounds();
        let length = |axis: usize| extent.min(bounds.max[axis] - bounds.min[axis]);
        let size = [0, 1].map(|axis| (length(axis) / spacing) as usize + 1);
        let corner = [bounds.min[0], bounds.max[1]];
        let mut town = Self {
            ground: vec![f64::NAN; size[0] * size[1]],
            size,
            spacing,
            corner,
            level,
        };
        let of_shells = |i: &usize| town.level.shells.iter().any(|shell| shell.contains(i));
        let faces: Vec<usize> = (0..town.level.obstacle_faces.len())
            .filter(|i| !of_shells(i))
            .collect();
        for face in faces {
            let vertices = town.level.obstacle_faces[face].vertices.clone();
            for i in 1..vertices.len() - 1 {
                town.lay([vertices[0], vertices[i], vertices[i + 1]]);
            }
        }
        assert!(town.ground.iter().any(|height| !height.is_nan()));
        while town.ground.iter().any(|height| height.is_nan()) {
            let last = town.ground.clone();
            for (i, height) in town.ground.iter_mut().enumerate() {
                let [x, y] = [i % size[0], i / size[0]];
                let beside = (0..9).filter_map(|k| {
                    let (x, y) = ((x + k % 3).checked_sub(1)?, (y + k / 3).checked_sub(1)?);
                    (x < size[0] && y < size[1]).then(|| last[y * size[0] + x])
                });
                if height.is_nan() {
                    *height = beside.fold(f64::NAN, f64::min);
                }
            }
        }
        town
    }

    /// Lays a triangle on the samples.
    fn lay(&mut self, triangle: [[f64; 3]; 3]) {
        let [a, b, c] = triangle.map(|[x, y, z]| {
            let [west, north] = self.corner;
            [(x - west) / self.spacing, (north - y) / self.spacing, z]
        });
        let twice = |p: [f64; 3], q: [f64; 3], r: [f64; 2]| {
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        let area = twice(a, b, [c[0], c[1]]);
        let range = |axis: usize| {
            let [low, high] = [f64::min, f64::max].map(|of| of(of(a[axis], b[axis]), c[axis]));
            low.ceil().max(0.0) as usize..(high.floor() + 1.0).max(0.0) as usize
        };
        for y in range(1).filter(|&y| y < self.size[1]) {
            for x in range(0).filter(|&x| x < self.size[0]) {
                let at = [x as f64, y as f64];
                let weights = [twice(b, c, at), twice(c, a, at), twice(a, b, at)].map(|w| w / area);
                if weights.iter().all(|&w| w >= -1e-9) {
                    let height = weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2];
                    let sample = &mut self.ground[y * self.size[0] + x];
                    *sample = sample.max(height);
                }
            }
        }
    }

    /// A point over a sample, in coordinates of the town.
    fn point(&self, sample: Sample, height: f64) -> [f64; 3] {
        let [west, north] = self.corner;
        let along = |number: u32| f64::from(number) * self.spacing;
        [
            west + along(sample.column),
            north - along(sample.row),
            height,
        ]
    }

    /// Whether the ground is above a segment where that crosses a line of the grid.
    fn is_under_ground(&self, a: [f64; 3], b: [f64; 3]) -> bool {
        let [west, north] = self.corner;
        let grid = |[x, y, z]: [f64; 3]| [(x - west) / self.spacing, (north - y) / self.spacing, z];
        let (a, b) = (grid(a), grid(b));
        (0..2).any(|axis| {
            let (from, to) = (a[axis].min(b[axis]), a[axis].max(b[axis]));
            (from.ceil() as usize..=to.floor() as usize).any(|line| {
                let along = (line as f64 - a[axis]) / (b[axis] - a[axis]);
                if !(1e-9..1.0 - 1e-9).contains(&along) {
                    return false;
                }
                let at = |k: usize| a[k] + along * (b[k] - a[k]);
                let across = at(1 - axis);
                let first = (across.floor() as usize).min(self.size[1 - axis] - 2);
                let height = |across: usize| match axis {
                    0 => self.ground[across * self.size[0] + line],
                    _ => self.ground[line * self.size[0] + across],
                };
                let weight = across - first as f64;
                height(first) * (1.0 - weight) + height(first + 1) * weight > at(2)
            })
        })
    }

    /// Bakes a surface on which feet stand.
    fn bake(&self, surface: Vec<f64>, feet: &[f64], output: &Path) -> BakeReport {
        let [width, height] = self.size.map(|n| n as u32);
        let terrain = Terrain::new(width, height, surface, [self.spacing; 2]).unwrap();
        let terrain = terrain.with_ground_within(feet.to_vec(), f64::INFINITY);
        let terrain = terrain.unwrap();
        let options = BakeOptions {
            eye_height: HEAD,
            player_height: HEAD,
            mode: VisibilityMode::Exact,
            inside: true,
            overwrite: true,
            ..BakeOptions::default()
        };
        let source = Source::of_terrain(&terrain);
        bake_terrain(&terrain, &source, &options, output, &Silent).unwrap()
    }

    /// Looks along lines of sight between samples that a bundle hides from each other, from eye to head, up to the
    /// first that is clear.
    fn hunt(&self, bundle: &Path, feet: &[f64], lines: u64) -> Hunted {
        let map = MappedBundle::open(bundle).unwrap();
        let bundle = map.terrain().unwrap();
        let tracer = Tracer::new(&self.level);
        let [width, height] = self.size.map(|n| n as u64);
        let head = |s: Sample| {
            let foot = feet[s.row as usize * self.size[0] + s.column as usize];
            self.point(s, foot + HEAD)
        };
        let mut traced = 0;
        for tries in 0..100 * lines {
            if traced == lines {
                break;
            }
            let dice = |salt, sides| (mixed(4 * tries + salt) % sides) as u32;
            let from = Sample::new(dice(0, width), dice(1, height));
            let mut to = Sample::new(dice(2, width), dice(3, height));
            if bundle.visible(from, to) {
                continue;
            }
            // As near to what is visible as a walk towards the eye leads: lines there pass closest to what hides.
            loop {
                let step = |a: u32, b: u32| (b + u32::from(a > b)) - u32::from(a < b);
                let next = Sample::new(step(from.column, to.column), step(from.row, to.row));
                if next == to || bundle.visible(from, next) {
                    break;
                }
                to = next;
            }
            traced += 1;
            let (a, b) = (head(from), head(to));
            if tracer.look(a, b) == SegmentSight::Clear && !self.is_under_ground(a, b) {
                let clear = Some([a, b]);
                return Hunted { traced, clear };
            }
        }
        Hunted {
            traced,
            clear: None,
        }
    }
}

/// What a hunt comes to.
struct Hunted {
    /// Lines of sight that were looked along.
    traced: u64,
    /// Eye and head of one that is clear, after which it ends.
    clear: Option<[[f64; 3]; 2]>,
}

#[test]
fn nothing_in_sight_is_hidden_by_a_town() {
    let Some(ingested) = level("solids/denhaag_01.city.json") else {
        return;
    };
    let wanted = std::env::var("VIEWCELL_TOWN");
    let wanted_numbers = wanted.as_deref().unwrap_or("16,20000");
    let mut numbers = wanted_numbers.split(',').map(|n| n.parse::<f64>().unwrap());
    let [spacing, lines] = [(); 2].map(|()| numbers.next().expect("METRES,LINES"));
    let lines = lines as u64;
    let town = Town::new(
        ingested.level,
        spacing,
        numbers.next().unwrap_or(f64::INFINITY),
    );
    let placement = Placement {
        // Corners are counted from the middle, placements from the origin of the file.
        origin: [
            -town.corner[0] - town.level.middle[0],
            town.corner[1] + town.level.middle[1],
            -town.level.middle[2],
        ],
        scale: 1.0,
    };
    let heightmap = Heightmap {
        size: town.size,
        spacing: [spacing; 2],
        heights: &town.ground,
    };
    let laid = rasterize(&town.level, &placement, &heightmap);
    let feet: Vec<f64> = laid
        .top
        .iter()
        .zip(&town.ground)
        .map(|(top, ground)| ground.max(*top))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let [solid, roofs] = ["solid.vcb", "roofs.vcb"].map(|name| folder.path().join(name));
    let reports = [
        town.bake(laid.surface, &feet, &solid),
        town.bake(feet.clone(), &feet, &roofs),
    ];
    let [solid, roofs] = [solid, roofs].map(|bundle| town.hunt(&bundle, &feet, lines));
    assert_eq!(solid.clear, None, "an eye and a head");
    assert!(roofs.clear.is_some());
    assert!(solid.traced > lines / 2, "{} hidden pairs", solid.traced);
    if wanted.is_err() {
        return;
    }
    println!(
        "{} x {} samples, {} lines of sight, none clear",
        town.size[0], town.size[1], solid.traced
    );
    let told = |words: &str, report: &BakeReport| {
        let samples = report.statistics.samples as f64;
        let visible = report.statistics.levels[0].visible_samples as f64;
        println!(
            "{words}: {:.1} s of processor, {:.1} MB, {:.2} % visible",
            report.timings.cpu_seconds,
            report.bytes as f64 / 1e6,
            100.0 * visible / (samples * samples)
        );
    };
    told("solid from the ground up", &reports[0]);
    told("roofs over the samples", &reports[1]);
}
