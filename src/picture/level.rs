//! Pages of a cell bundle.

use super::floors::Floors;
use super::page::{Key, Page, Panel, Unit, grouped};
use super::palette::{
    AFTER_B, Colour, HALF_A, HALF_B, HIDDEN, LOSS, NEUTRAL, NOTHING, VIRIDIS, VISIBLE, logarithmic,
};
use super::terrain::decades;
use super::viewshed::Viewpoint;
use crate::runtime::CellBundle;
use crate::runtime::cell_frontier::{Construction, ShortMemory};

/// A cell bundle to be drawn.
pub struct LevelPages<'a> {
    level: CellBundle<'a>,
    floors: Floors,
    name: String,
}

/// The colour of cells that no chain of visible steps leads to.
const UNREACHABLE: Colour = [150.0, 150.0, 150.0];
/// Most steps that have a swatch each in a legend.
const MOST_STEPS: u32 = 14;

impl<'a> LevelPages<'a> {
    /// Pages of a bundle of this name, with plans whose longer side is so many pixels long. `None`
    /// where the bundle does not know where cells are.
    pub fn new(level: CellBundle<'a>, name: &str, side: u32) -> Option<Self> {
        Some(Self {
            floors: Floors::new(&level, side)?,
            name: name.to_owned(),
            level,
        })
    }

    /// The plans of the floors.
    pub fn floors(&self) -> &Floors {
        &self.floors
    }

    /// The level alone, by the height of the ground.
    pub fn plain(&self) -> Page {
        let ground = |cell| {
            self.level
                .bounds(cell)
                .map_or(0.0, |[low, _]| f64::from(low[2]))
        };
        let heights = self.floors.list().iter().flat_map(|floor| floor.heights);
        let (low, high) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), h| {
            (low.min(h), high.max(h))
        });
        let (low, high) = (f64::from(low), f64::from(high));
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
        let subtitle = format!("{} cells", grouped(self.level.cells().into()));
        self.page(
            self.name.clone(),
            subtitle,
            &[],
            |cell| VIRIDIS.at(part(ground(cell))),
            legend,
        )
    }

    /// What a cell sees.
    pub fn pvs(&self, cell: u32) -> Page {
        let row = self.level.pvs(cell);
        let sees = |other| other == cell || row.contains(other);
        let count = (0..self.level.cells()).filter(|other| sees(*other)).count() as u64;
        let legend = vec![
            Key::Swatch(VISIBLE, "visible".into()),
            Key::Swatch(HIDDEN, "hidden".into()),
            Key::Mark(format!("cell {cell}")),
        ];
        let title = format!("What may be seen from cell {cell}");
        let subtitle = format!("{}: {}", self.name, self.share(count, "visible"));
        let colour = |other| if sees(other) { VISIBLE } else { HIDDEN };
        self.page(title, subtitle, &[(cell, "")], colour, legend)
    }

    /// Regions that cannot see each other around two cells.
    ///
    /// # Errors
    ///
    /// Never in practice: the memory that the runtime asks for is given.
    pub fn frontier(&self, [a, b]: [u32; 2]) -> Result<Page, ShortMemory> {
        let cells = self.level.cells();
        let region = |construction: Construction| {
            let mut memory = vec![0; construction.words(cells)];
            let frontier = self.level.frontier(a, b, construction, &mut memory)?;
            Ok(frontier.map(|halves| [halves.ab.to_vec(), halves.ba.to_vec()]))
        };
        let tightened = region(Construction::Tightened)?.unwrap_or_default();
        let [_, published] = region(Construction::Published)?.unwrap_or_default();
        let is_in = |words: &[u64], cell: u32| {
            let word = words.get(cell as usize / 64);
            word.is_some_and(|word| word >> (cell % 64) & 1 == 1)
        };
        let count = |words: &[u64]| (0..cells).filter(|cell| is_in(words, *cell)).count() as u64;
        let [of_a, of_b] = [count(&tightened[0]), count(&tightened[1])];
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
        let colour = |cell| match cell {
            _ if is_in(&tightened[0], cell) => blue,
            _ if is_in(&published, cell) => orange,
            _ if is_in(&tightened[1], cell) => AFTER_B,
            _ => UNREACHABLE,
        };
        let legend = vec![
            Key::Swatch(blue, "A's: nearer to A".into()),
            Key::Swatch(orange, "B's: nearer to B".into()),
            Key::Swatch(AFTER_B, "B's besides: A's half does not see it".into()),
            Key::Swatch(UNREACHABLE, "in neither".into()),
            Key::Mark("A and B".into()),
        ];
        let title = format!("Frontiers of cells {a} and {b}");
        Ok(self.page(title, subtitle, &[(a, "A"), (b, "B")], colour, legend))
    }

    /// How many cells see each cell, as [`seen_by`] counts them; `marked` are cells with names.
    pub fn exposure(&self, counts: &[u32], marked: &[(u32, &str)]) -> Page {
        let most = u64::from(counts.iter().copied().max().unwrap_or(0));
        let least = counts.iter().copied().min().unwrap_or(0);
        let sum: u64 = counts.iter().copied().map(u64::from).sum();
        let mean = sum as f64 / counts.len().max(1) as f64;
        let subtitle = format!(
            "{}: a cell is seen by {} to {} cells, {mean:.0} in the mean",
            self.name,
            grouped(least.into()),
            grouped(most)
        );
        let legend = vec![Key::Ramp(
            VIRIDIS,
            "cells that see it".into(),
            decades(most),
        )];
        let title = "Exposure: how much sees each cell".to_owned();
        let colour = |cell: u32| VIRIDIS.at(logarithmic(counts[cell as usize].into(), most));
        self.page(title, subtitle, marked, colour, legend)
    }

    /// How many visible steps each cell is from one: light is near, dark is far.
    pub fn distance(&self, from: u32) -> Page {
        let greatest = self.level.parameters().greatest_distance;
        let cells = 0..self.level.cells();
        let steps: Vec<Option<u32>> = cells.map(|cell| self.level.distance(from, cell)).collect();
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
        let counts = maps.iter().flat_map(|(_, counts)| counts.iter());
        let most = u64::from(counts.copied().max().unwrap_or(0));
        let mut legend = vec![Key::Swatch(NEUTRAL, "no difference".into())];
        if most > 0 {
            let words = "cells that differ, from there".to_owned();
            legend.push(Key::Ramp(LOSS, words, decades(most)));
        }
        let colour = |count: u32| match count {
            0 => NEUTRAL,
            count => LOSS.at(logarithmic(count.into(), most)),
        };
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
            unit: Unit::Units,
            north: None,
            legend,
        }
    }

    fn share(&self, count: u64, what: &str) -> String {
        let share = 100.0 * count as f64 / f64::from(self.level.cells());
        format!("{} cells ({share:.1} %) {what}", grouped(count))
    }
}
