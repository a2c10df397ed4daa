//! Viewsheds of single observers of a heightmap, without a bake: each with heights, radius, sector and tilt of its own.
//!
//! What an observer sees is what the exact kernel for one viewpoint says, less what lies outside of the sector, the tilt or
//! the radius. These are cut off sample by sample, by the position of the sample and the top of a head there.
//!
//! Did not pay: masks packed harder (level 6 of deflate halves 55 KB for 8 of 100 ms).

use std::collections::HashMap;

use rayon::prelude::*;

use crate::visibility::{Bodies, Curvature, Looker, Viewpoint, Viewshed, ViewshedField, direction};
use viewcell_ingest::PlaceUnit;
use viewcell_ingest::world::{Short, Terrain, reaches, reaches_in_metres};

/// Somebody who looks, and at what.
#[derive(Clone, Debug, PartialEq)]
pub struct Observer {
    /// Column and row of the sample on which the observer stands.
    pub sample: (u32, u32),
    /// Heights of the own eye, and of the heads that are looked for.
    pub bodies: Bodies,
    /// The least and the greatest distance over the ground of what is looked at; infinite for no limit. [Unit: m]
    pub radius: [f64; 2],
    /// From which azimuth clockwise to which is looked, from the top of the raster; `None` for all around.
    /// [Unit: degrees]
    pub sector: Option<[f64; 2]>,
    /// The least and the greatest angle above the horizontal to the top of a head. [Limit: -90 to 90] [Unit: degrees]
    pub tilt: [f64; 2],
}

impl Observer {
    /// Looks all around, as far as `max_distance`.
    pub fn new(sample: (u32, u32), bodies: Bodies, max_distance: f64) -> Self {
        Self {
            sample,
            bodies,
            radius: [0.0, max_distance],
            sector: None,
            tilt: [-90.0, 90.0],
        }
    }

    /// What is wrong with its numbers: what was expected, and what was found.
    pub fn check(&self) -> Result<(), String> {
        let [eye, head] = [self.bodies.eye, self.bodies.head];
        let between = |name: &str, number: f64, least: f64, most: f64| {
            if number >= least && number <= most {
                Ok(())
            } else {
                Err(format!(
                    "expected {name} of {least} to {most}, found {}",
                    Short(number)
                ))
            }
        };
        between("a height of the eye in metres", eye, 0.0, MOST_HEIGHT)?;
        between("a height of heads in metres", head, 0.0, MOST_HEIGHT)?;
        let [near, far] = self.radius;
        if !(near >= 0.0 && far > 0.0 && near < far) {
            return Err(format!(
                "expected a radius above 0 m and a smaller least one, found {} and {}",
                Short(far),
                Short(near)
            ));
        }
        for azimuth in self.sector.iter().flatten() {
            between("azimuths in degrees", *azimuth, -720.0, 720.0)?;
        }
        if let Some([from, to]) = self.sector
            && from == to
        {
            return Err(format!(
                "expected two different azimuths, found {0} and {0}; 0 and 360 are all around",
                Short(from)
            ));
        }
        let [low, high] = self.tilt;
        between("a tilt in degrees", low, -90.0, 90.0)?;
        between("a tilt in degrees", high, -90.0, 90.0)?;
        if low < high {
            Ok(())
        } else {
            Err(format!(
                "expected a lower tilt below the upper one, found {} and {}",
                Short(low),
                Short(high)
            ))
        }
    }

    /// The numbers that the answer depends on, by which two are the same.
    fn key(&self) -> [u64; 10] {
        let sector = self.sector.unwrap_or([f64::INFINITY; 2]);
        let [column, row] = [self.sample.0, self.sample.1].map(u64::from);
        let numbers = [
            self.bodies.eye,
            self.bodies.head,
            self.radius[0],
            self.radius[1],
            sector[0],
            sector[1],
            self.tilt[0],
            self.tilt[1],
        ];
        let [a, b, c, d, e, f, g, h] = numbers.map(f64::to_bits);
        [column, row, a, b, c, d, e, f, g, h]
    }
}

/// Most metres of eyes and heads above ground.
const MOST_HEIGHT: f64 = 1e6;

/// The sample of a terrain at a position.
///
/// # Errors
///
/// What was expected and found where there is no such sample, or the terrain has no such coordinates.
pub fn sample_at(
    terrain: &Terrain,
    ([x, y], unit): ([f64; 2], PlaceUnit),
) -> Result<(u32, u32), String> {
    let [columns, rows] = [terrain.width(), terrain.height()];
    let inside = |[c, r]: [f64; 2]| {
        let inside = (0.0..f64::from(columns)).contains(&c) && (0.0..f64::from(rows)).contains(&r);
        inside.then_some((c as u32, r as u32))
    };
    let found = format!("found {}, {}", Short(x), Short(y));
    match unit {
        PlaceUnit::Samples => {
            let whole = x.fract() == 0.0 && y.fract() == 0.0;
            let sample = inside([x, y]).filter(|_| whole);
            sample.ok_or_else(|| {
                format!(
                    "expected columns 0 to {} and rows 0 to {}, as whole numbers, {found}",
                    columns - 1,
                    rows - 1
                )
            })
        }
        PlaceUnit::Metres => {
            let [dx, dy] = terrain.spacing();
            inside([x / dx + 0.5, y / dy + 0.5]).ok_or_else(|| {
                let reaches = reaches_in_metres([dx, dy], [columns, rows]);
                format!("expected {reaches}, {found}")
            })
        }
        PlaceUnit::Degrees | PlaceUnit::Map => {
            let place = terrain.georeference();
            let place = place.filter(|place| unit == PlaceUnit::Map || place.has_crs());
            let Some(place) = place else {
                return Err(format!(
                    "expected positions by column and row, or in metres east and south, since the heightmap has no \
                     geographic position, {found}"
                ));
            };
            let [x0, xc, xr, y0, yc, yr] = place.transform;
            if unit == PlaceUnit::Degrees && !is_in_degrees(terrain) {
                return Err(format!(
                    "expected x and y in the coordinate reference system of the heightmap, which is not in degrees \
                     ({}), {found}; transform the positions to it",
                    place.crs
                ));
            }
            let (x1, y1, scale) = (x - x0, y - y0, 1.0 / (xc * yr - xr * yc));
            let point = [(x1 * yr - y1 * xr) * scale, (y1 * xc - x1 * yc) * scale];
            inside(point).ok_or_else(|| {
                let [of_x, of_y] = reaches(place.transform, [columns, rows]);
                let degrees = x.abs() <= 180.0 && y.abs() <= 90.0 && !is_in_degrees(terrain);
                let remedy = if degrees {
                    "; these look like degrees: transform them to the heightmap's coordinate reference system"
                } else {
                    ""
                };
                format!("expected x of {of_x} and y of {of_y}, {found}{remedy}")
            })
        }
    }
}

/// Whether the coordinates of a terrain are degrees: a degree of latitude is 110.6 to 111.7 km long.
fn is_in_degrees(terrain: &Terrain) -> bool {
    let place = terrain.georeference();
    place.is_some_and(|place| {
        let [_, _, _, _, yc, yr] = place.transform;
        (100e3..120e3).contains(&(terrain.spacing()[1] / yc.hypot(yr)))
    })
}

/// Which way an observer looks, prepared for samples.
struct Limits<'t> {
    terrain: &'t Terrain,
    observer: &'t Observer,
    curvature: Option<Curvature>,
    /// East and north of the two ends of the sector, and whether it is wider than half a turn.
    sector: Option<([[f64; 2]; 2], bool)>,
    /// Rises a metre at the two ends of the tilt; infinite where there is no limit.
    rises: [f64; 2],
}

impl<'t> Limits<'t> {
    fn new(terrain: &'t Terrain, curvature: Option<Curvature>, observer: &'t Observer) -> Self {
        let sector = observer.sector.filter(|[from, to]| to - from < 360.0);
        let sector = sector.map(|[from, to]| {
            let wide = (to - from).rem_euclid(360.0) > 180.0;
            ([direction(from), direction(to)], wide)
        });
        let rise = |degrees: f64| {
            // Counted from north, east is the cosine of the angle above the horizontal.
            let [along, up] = direction(90.0 - degrees);
            match degrees.abs() {
                90.0.. => f64::INFINITY.copysign(degrees),
                _ => up / along,
            }
        };
        Self {
            terrain,
            observer,
            curvature,
            sector,
            rises: observer.tilt.map(rise),
        }
    }

    /// Whether all that is near enough is looked at.
    fn is_all(&self) -> bool {
        self.sector.is_none()
            && self.observer.radius[0] == 0.0
            && self.rises == [f64::NEG_INFINITY, f64::INFINITY]
    }

    /// Whether a sample is looked at. The own one is, unless there is a least distance.
    fn holds(&self, (column, row): (u32, u32)) -> bool {
        let (from, terrain) = (self.observer.sample, self.terrain);
        let [dx, dy] = terrain.spacing();
        let east = (f64::from(column) - f64::from(from.0)) * dx;
        let north = (f64::from(from.1) - f64::from(row)) * dy;
        let square = east * east + north * north;
        let near = self.observer.radius[0];
        if square < near * near {
            return false;
        }
        if square == 0.0 {
            return true;
        }
        if let Some(([first, last], wide)) = self.sector {
            // Clockwise of a direction: the cross product is not above 0.
            let beyond = |[e, n]: [f64; 2]| e * north - n * east <= 0.0;
            let (after, before) = (beyond(first), last[0] * north - last[1] * east >= 0.0);
            if !(if wide {
                after || before
            } else {
                after && before
            }) {
                return false;
            }
        }
        let metres = square.sqrt();
        let drop = self.curvature.map_or(0.0, |earth| earth.drop_at(metres));
        let head = terrain.ground_at(column, row) + self.observer.bodies.head - drop;
        let eye = terrain.ground_at(from.0, from.1) + self.observer.bodies.eye;
        let [low, high] = self.rises;
        let rise = (head - eye) / metres;
        rise >= low && rise <= high
    }
}

/// A terrain on which observers look.
pub struct Lookout<'t> {
    /// As it is, and as straight sight sees it.
    terrain: &'t Terrain,
    field: ViewshedField<&'t Terrain>,
    curvature: Option<Curvature>,
}

impl<'t> Lookout<'t> {
    /// On a flat earth `seen` is the terrain itself, on a round one what [`Curvature::lower`] makes of it.
    pub fn new(terrain: &'t Terrain, seen: &'t Terrain, curvature: Option<Curvature>) -> Self {
        Self {
            terrain,
            field: ViewshedField::new(seen),
            curvature,
        }
    }

    /// The terrain as it is.
    pub fn terrain(&self) -> &'t Terrain {
        self.terrain
    }

    /// What one observer sees.
    pub fn look(&self, observer: &Observer) -> Viewshed {
        let viewpoint = Viewpoint {
            sample: observer.sample,
            bodies: observer.bodies,
            max_distance: observer.radius[1],
        };
        let mut shed = Looker::default().look(&self.field, &viewpoint);
        let limits = Limits::new(self.terrain, self.curvature, observer);
        if !limits.is_all() {
            shed.retain(|sample| limits.holds(sample));
        }
        shed
    }

    /// Makes something of what each observer sees with the threads of the current pool of `rayon`, and hands it out in
    /// the order of the observers: with how many are the same, of whom only the first is handed out. `go_on` learns how
    /// many more are done, and ends it by returning false; then the result is `false`.
    pub fn look_all<T: Send>(
        &self,
        observers: &[Observer],
        go_on: &(dyn Fn(u64) -> bool + Sync),
        make: impl Fn(usize, Viewshed) -> T + Sync,
        mut take: impl FnMut(&[usize], T),
    ) -> bool {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<[u64; 10], usize> = HashMap::new();
        for (i, observer) in observers.iter().enumerate() {
            let group = *known.entry(observer.key()).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(i);
        }
        // What waits for its turn is small beside the terrain.
        let batch = 2 * rayon::current_num_threads();
        for groups in groups.chunks(batch) {
            let made: Vec<T> = groups
                .par_iter()
                .map(|group| make(group[0], self.look(&observers[group[0]])))
                .collect();
            for (group, made) in groups.iter().zip(made) {
                take(group, made);
                if !go_on(group.len() as u64) {
                    return false;
                }
            }
        }
        true
    }
}
