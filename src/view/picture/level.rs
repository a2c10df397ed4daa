//! Pages of a level: of a cell bundle, or of a solid one.

use super::floors::Floors;
use super::page::{Key, Page, Panel, grouped};
use super::palette::{Colour, Fitted, HALF_A, HALF_B, HIDDEN, NEUTRAL, NOTHING, VIRIDIS, VISIBLE};
use super::terrain::scale_of_losses;
use super::viewshed::Viewpoint;
use viewcell::format::frame::ends;
use viewcell::frontier::{FrontierOptions, Side};
use viewcell::query::{Place, World};
use viewcell::session::Sets;

/// A level to be drawn.
pub struct LevelPages<'a> {
    /// Asked with z up.
    level: World<'a>,
    floors: Floors,
    name: String,
}

/// The colour of cells that no chain of visible steps leads to.
const UNREACHABLE: Colour = [150.0, 150.0, 150.0];
/// Most steps that have a swatch each in a legend.
const MOST_STEPS: u32 = 14;

impl<'a> LevelPages<'a> {
    /// Pages of a bundle of this name, with plans whose longer side is so many pixels long. `None`
    /// where the bundle does not know where cells are, and for a terrain.
    pub fn new(level: &World<'a>, name: &str, side: u32) -> Option<Self> {
        let floors = match level {
            World::Terrain(_) => None,
            World::Cells(level) => Floors::new(level, side),
            World::Solid(level) => Floors::of_solid(level, side),
        };
        Some(Self {
            floors: floors?,
            name: name.to_owned(),
            level: level.upright(),
        })
    }

    fn cells(&self) -> u32 {
        self.level.places() as u32
    }

    /// Where a cell begins, from below.
    fn ground(&self, cell: u32) -> f64 {
        let bounds = self.level.bounds(Place::Cell(cell));
        bounds.map_or(0.0, |[[.., low], _]| low)
    }

    /// Which cells one sees, itself among them.
    fn seen_from(&self, cell: u32) -> Vec<bool> {
        let sees = |other| self.level.visible(Place::Cell(cell), Place::Cell(other));
        let cells = 0..self.cells();
        cells.map(|other| other == cell || sees(other)).collect()
    }

    /// The level alone, by the height of the ground.
    pub fn plain(&self) -> Page {
        let heights = self.floors.list().iter().flat_map(|floor| floor.heights);
        let [low, high] = ends(heights.map(f64::from));
        let part = |height: f64| {
            if high > low {
                (height - low) / (high - low)
            } else {
                0.5
            }
        };
        let ticks = vec![(0.0, format!("{low:.0}")), (1.0, format!("{high:.0}"))];
        let legend = vec![Key::Ramp(
            VIRIDIS,
            "height of a cell's ground".into(),
            ticks,
        )];
        let subtitle = format!("{} cells", grouped(self.level.places()));
        self.page(
            self.name.clone(),
            subtitle,
            &[],
            |cell| VIRIDIS.at(part(self.ground(cell))),
            legend,
        )
    }

    /// What a cell sees.
    pub fn pvs(&self, cell: u32) -> Page {
        let seen = self.seen_from(cell);
        let count = seen.iter().filter(|seen| **seen).count() as u64;
        let legend = vec![
            Key::Swatch(VISIBLE, "visible".into()),
            Key::Swatch(HIDDEN, "hidden".into()),
            Key::Mark(format!("cell {cell}")),
        ];
        let title = format!("What may be seen from cell {cell}");
        let subtitle = format!("{}: {}", self.name, self.share(count, "visible"));
        let colour = |other: u32| {
            if seen[other as usize] {
                VISIBLE
            } else {
                HIDDEN
            }
        };
        self.page(title, subtitle, &[(cell, "")], colour, legend)
    }

    /// Which cells are in A's region and in B's: none where one sees the other.
    fn regions(&self, [a, b]: [u32; 2]) -> [Vec<bool>; 2] {
        let cells = 0..self.cells();
        let mut sets = Sets::new(&self.level);
        // Both stay empty where a cell is not there.
        let _ = sets.begin(Place::Cell(a), Place::Cell(b), &FrontierOptions::default());
        while !sets.step(u32::MAX) {}
        let is_in = |side| {
            let cells = cells.clone().map(Place::Cell);
            cells.map(|cell| sets.contains(side, cell)).collect()
        };
        Side::BOTH.map(is_in)
    }

    /// Regions that cannot see each other around two cells.
    pub fn frontier(&self, [a, b]: [u32; 2]) -> Page {
        let regions = self.regions([a, b]);
        let count = |region: &Vec<bool>| region.iter().filter(|is_in| **is_in).count() as u64;
        let [of_a, of_b] = regions.each_ref().map(count);
        let subtitle = match of_a + of_b {
            0 => format!("{}: they can see each other, so there is none", self.name),
            _ => format!(
                "{}: {}, {}",
                self.name,
                self.share(of_a, "A's"),
                self.share(of_b, "B's")
            ),
        };
        let (blue, orange) = (HALF_A.at(0.6), HALF_B.at(0.5));
        let colour = |cell: u32| match regions.each_ref().map(|region| region[cell as usize]) {
            [true, _] => blue,
            [_, true] => orange,
            _ => UNREACHABLE,
        };
        let legend = vec![
            Key::Swatch(blue, "A's".into()),
            Key::Swatch(orange, "B's".into()),
            Key::Swatch(UNREACHABLE, "in neither".into()),
            Key::Mark("A and B".into()),
        ];
        let title = format!("Frontiers of cells {a} and {b}");
        self.page(title, subtitle, &[(a, "A"), (b, "B")], colour, legend)
    }

    /// How many cells see each cell, as [`viewcell_bake::survey::seen_by`] counts them; `marked` are cells with names.
    pub fn exposure(&self, counts: &[u32], marked: &[(u32, &str)]) -> Page {
        let most = u64::from(counts.iter().copied().max().unwrap_or(0));
        let least = counts.iter().copied().min().unwrap_or(0);
        let sum: u64 = counts.iter().copied().map(u64::from).sum();
        let mean = sum as f64 / counts.len().max(1) as f64;
        let subtitle = format!(
            "{}: a cell is seen by {} to {} cells, {mean:.0} on average",
            self.name,
            grouped(least.into()),
            grouped(most)
        );
        let scale = Fitted::new(counts);
        let legend = vec![Key::Ramp(
            VIRIDIS,
            "share of cells that see it".into(),
            scale.ticks(counts.len() as u64),
        )];
        let title = "Exposure: how much sees each cell".to_owned();
        let colour = |cell: u32| VIRIDIS.at(scale.part(counts[cell as usize]));
        self.page(title, subtitle, marked, colour, legend)
    }

    /// How many visible steps each cell is from one: light is near, dark is far. Of a solid level, which knows of the
    /// first step alone, all others are unreachable.
    pub fn distance(&self, from: u32) -> Page {
        let (greatest, steps): (u32, Vec<Option<u32>>) = match self.level.cells() {
            Some(level) => {
                let steps = (0..level.cells()).map(|cell| level.distance(from, cell));
                (level.parameters().greatest_distance, steps.collect())
            }
            None => {
                let seen = self.seen_from(from).into_iter();
                (1, seen.map(|seen| seen.then_some(1)).collect())
            }
        };
        let farthest = steps
            .iter()
            .flatten()
            .copied()
            .max()
            .unwrap_or(0)
            .min(greatest);
        let colour_of = |steps: Option<u32>| match steps {
            None => UNREACHABLE,
            Some(steps) => VIRIDIS.at(1.0 - f64::from(steps) / f64::from(farthest.max(1))),
        };
        let count = |of: Option<u32>| steps.iter().filter(|steps| **steps == of).count() as u64;
        let mut legend = vec![Key::Mark(format!("cell {from}"))];
        let step_words = |steps: u32| match steps {
            1 => "1 step (visible)".to_owned(),
            steps => format!("{steps} steps"),
        };
        if farthest <= MOST_STEPS {
            legend.extend((1..=farthest).map(|steps| {
                let words = format!(
                    "{}: {} cells",
                    step_words(steps),
                    grouped(count(Some(steps)))
                );
                Key::Swatch(colour_of(Some(steps)), words)
            }));
        } else {
            // From the farthest to the nearest, as the colours lie.
            let ticks = vec![(0.0, farthest.to_string()), (1.0, "0".into())];
            legend.push(Key::Ramp(VIRIDIS, "visible steps".into(), ticks));
        }
        let apart = count(None);
        if apart > 0 {
            let words = format!("unreachable: {} cells", grouped(apart));
            legend.push(Key::Swatch(UNREACHABLE, words));
        }
        let title = format!("How many visible steps from cell {from}");
        let subtitle = format!("{}: the farthest cell is {farthest} steps away", self.name);
        self.page(
            title,
            subtitle,
            &[(from, "")],
            |cell| colour_of(steps[cell as usize]),
            legend,
        )
    }

    /// Maps of where how much was lost or gained, all on one scale: for each a caption, and by cell
    /// how many cells differ.
    pub fn losses(&self, title: &str, subtitle: &str, maps: &[(&str, &[u32])]) -> Page {
        let (colour, legend) = scale_of_losses(maps, "cell");
        let mut page = self.page(
            title.to_owned(),
            subtitle.to_owned(),
            &[],
            |_| NEUTRAL,
            legend,
        );
        let empty = std::mem::take(&mut page.panels);
        for (caption, counts) in maps {
            for (floor, panel) in empty.iter().enumerate() {
                let both = [*caption, &panel.caption].map(str::to_owned);
                page.panels.push(Panel {
                    caption: both
                        .into_iter()
                        .filter(|c| !c.is_empty())
                        .collect::<Vec<_>>()
                        .join(". "),
                    picture: self
                        .floors
                        .paint(floor, |cell| colour(counts[cell as usize])),
                    marks: Vec::new(),
                });
            }
        }
        page
    }

    fn page(
        &self,
        title: String,
        subtitle: String,
        marked: &[(u32, &str)],
        colour: impl Fn(u32) -> Colour,
        mut legend: Vec<Key>,
    ) -> Page {
        let floors = self.floors.list();
        if floors.len() > 1 {
            legend.push(Key::Swatch(NOTHING, "on other floors".into()));
        }
        let marks = marked.iter();
        let marks = marks.filter_map(|(cell, name)| Some((self.floors.find(*cell)?, *name)));
        let marks: Vec<_> = marks.collect();
        let panels = floors.iter().enumerate().map(|(number, floor)| Panel {
            caption: match floors.len() {
                1 => String::new(),
                _ => format!(
                    "Floor {}: ground at {:.0} to {:.0}",
                    number + 1,
                    floor.heights[0],
                    floor.heights[1]
                ),
            },
            picture: self.floors.paint(number, &colour),
            marks: marks
                .iter()
                .filter(|((floor, _), _)| *floor == number)
                .map(|&((_, [column, row]), name)| {
                    (
                        Viewpoint {
                            column,
                            row,
                            side: 1,
                        },
                        name.to_owned(),
                    )
                })
                .collect(),
        });
        Page {
            title,
            subtitle,
            panels: panels.collect(),
            pixel: [self.floors.pixel(); 2],
            unit: self.level.unit(),
            north: None,
            legend,
        }
    }

    fn share(&self, count: u64, what: &str) -> String {
        let share = 100.0 * count as f64 / self.level.places() as f64;
        format!("{} cells ({share:.1} %) {what}", grouped(count))
    }
}
