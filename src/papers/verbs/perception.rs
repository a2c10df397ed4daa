//! `viewcell experiment perception`: from how far each observer perceives each target.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::perception::{
    Avatar, Observer, TableError, Target, distances, radii, read_observers, read_targets,
};
use schemars::JsonSchema;
use serde::Serialize;

use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::input;
use viewcell_program::output::Json;

/// The distances from which observers perceive targets, and zones that never miss one
///
/// An observer perceives a target if the target covers at least a threshold of pixels on the screen in its longest
/// direction. The distances printed as exact are the greatest at which this is possible anywhere on a flat screen,
/// or in the circle around it: beyond them nothing is missed. (The circle makes a difference if the threshold is a
/// large part of the screen.) The distances printed as average are the paper's, in which all pixels cover the same
/// angle.
///
/// Observers are comma-separated values with the columns name, fov (degrees across the screen), screen (pixels
/// across), pixels (the threshold), and optionally height (pixels from top to bottom; default as across) and count
/// (how many there are; default 1). Targets have name, radius, and optionally count. An avatar that is both has
/// the same name in both files.
///
/// Example: viewcell experiment perception --observers players.csv --targets vehicles.csv --distance average
#[derive(clap::Args)]
pub(super) struct Args {
    /// The observers
    #[arg(long, value_name = "FILE")]
    observers: PathBuf,
    /// The targets
    #[arg(long, value_name = "FILE")]
    targets: PathBuf,
    /// Distances for which to print zones
    #[arg(long, value_name = "WHICH", default_value = "exact")]
    distance: Which,
    #[command(flatten)]
    json: Json,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// Nothing that can be perceived on the screen is missed
    Exact,
    /// The paper's, with pixels of equal angles
    Average,
}

/// What `viewcell experiment perception --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment perception")]
pub(super) struct Document {
    /// For each observer and each target.
    distances: Vec<Distance>,
    /// The distances that the radii are for: `exact` or `average`.
    radii_for: &'static str,
    /// Area of interest: of each observer.
    area_of_interest: Vec<Zone>,
    /// The spatial model: the aura of each avatar.
    spatial_model: Vec<Zone>,
    /// Effect management: the zones of each avatar.
    effect_management: Vec<Zones>,
}

/// The distances from which an observer perceives a target, in the unit of the target's radius.
#[derive(Serialize, JsonSchema)]
struct Distance {
    /// Who looks.
    observer: String,
    /// At whom.
    target: String,
    /// Beyond this distance it is too small everywhere on the screen.
    exact: f64,
    /// The paper's, in which all pixels cover the same angle.
    average: f64,
    /// In the middle of the screen.
    centre: f64,
}

/// A zone around an avatar.
#[derive(Serialize, JsonSchema)]
struct Zone {
    /// The avatar.
    name: String,
    /// The zone's radius.
    radius: f64,
}

/// Two zones around an avatar.
#[derive(Serialize, JsonSchema)]
struct Zones {
    /// The avatar.
    name: String,
    /// The radius of the viewing zone; 0 for one that does not look.
    viewing: f64,
    /// The radius of the effect zone; 0 for one that cannot be seen.
    effect: f64,
}

pub(super) fn run(args: &Args) -> Outcome {
    let observers = read(&args.observers, read_observers)?;
    let targets = read(&args.targets, read_targets)?;
    let document = document(&observers, &targets, args.distance);
    args.json
        .tell(|| &document, Text(&document).to_string().trim_end())
}

type Rows<T> = Vec<(String, f64, T)>;

fn read<T>(
    file: &Path,
    parse: impl FnOnce(&str) -> Result<Rows<T>, TableError>,
) -> Result<Rows<T>, Failure> {
    let text = input::read_text(file, input::LARGE)?;
    parse(&text).map_err(Failure::bad_file(file))
}

fn document(observers: &Rows<Observer>, targets: &Rows<Target>, which: Which) -> Document {
    // Observers first; an avatar of both files counts as the observers' has it.
    let mut avatars: Vec<Avatar> = Vec::new();
    let named = |rows: &mut dyn Iterator<Item = (&String, f64)>, avatars: &mut Vec<Avatar>| {
        for (name, count) in rows {
            if avatars.iter().all(|avatar| avatar.name != *name) {
                avatars.push(Avatar {
                    name: name.clone(),
                    count,
                });
            }
        }
    };
    named(
        &mut observers.iter().map(|row| (&row.0, row.1)),
        &mut avatars,
    );
    named(&mut targets.iter().map(|row| (&row.0, row.1)), &mut avatars);
    let distance = |observer: &Observer, target: &Target| match which {
        Which::Exact => observer.greatest_distance(target.radius),
        Which::Average => observer.average_distance(target.radius),
    };
    let table = distances(avatars.len(), |a, b| {
        let (_, _, observer) = observers.iter().find(|row| row.0 == avatars[a].name)?;
        let (_, _, target) = targets.iter().find(|row| row.0 == avatars[b].name)?;
        Some(distance(observer, target))
    });
    let radii = radii(&avatars, &table);
    let zones = |values: &[f64], count: usize| -> Vec<Zone> {
        let named = avatars.iter().zip(values).take(count);
        named
            .map(|(avatar, &radius)| Zone {
                name: avatar.name.clone(),
                radius,
            })
            .collect()
    };
    let mut all = Vec::new();
    for (observer, _, sight) in observers {
        for (target, _, sphere) in targets {
            all.push(Distance {
                observer: observer.clone(),
                target: target.clone(),
                exact: sight.greatest_distance(sphere.radius),
                average: sight.average_distance(sphere.radius),
                centre: sight.centre_distance(sphere.radius),
            });
        }
    }
    Document {
        distances: all,
        radii_for: match which {
            Which::Exact => "exact",
            Which::Average => "average",
        },
        area_of_interest: zones(&radii.areas, observers.len()),
        spatial_model: zones(&radii.auras, avatars.len()),
        effect_management: avatars
            .iter()
            .zip(radii.viewing.iter().zip(&radii.effect))
            .map(|(avatar, (&viewing, &effect))| Zones {
                name: avatar.name.clone(),
                viewing,
                effect,
            })
            .collect(),
    }
}

struct Text<'a>(&'a Document);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.0;
        f.write_str("observer         target                 exact      average       centre\n")?;
        for row in &document.distances {
            let (observer, target) = (&row.observer, &row.target);
            let [exact, average, centre] = [row.exact, row.average, row.centre];
            writeln!(
                f,
                "{observer:<16} {target:<16} {exact:>11.2} {average:>12.2} {centre:>12.2}"
            )?;
        }
        let mut column = |title: &str, zones: &[Zone]| {
            writeln!(f, "\n{title}, for {} distances", document.radii_for)?;
            zones
                .iter()
                .try_for_each(|zone| writeln!(f, "{:<16} {:>11.2}", zone.name, zone.radius))
        };
        column("area of interest", &document.area_of_interest)?;
        column("auras of the spatial model", &document.spatial_model)?;
        writeln!(f, "\neffect management        viewing       effect")?;
        for row in &document.effect_management {
            writeln!(
                f,
                "{:<16} {:>15.2} {:>12.2}",
                row.name, row.viewing, row.effect
            )?;
        }
        f.write_char('\n')
    }
}
