//! The raster that every reader of heightmaps returns, and how it becomes a terrain.

use super::crs::Crs;
use super::error::IngestError;
use super::plausible;
use super::source::{IngestOptions, Ingested, SPACINGS};
use crate::world::{Georeference, Short, Terrain};

/// The part of a raster that is asked for, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub column: u32,
    pub row: u32,
    pub width: u32,
    pub height: u32,
    /// Columns and rows of the whole raster; at most `u32::MAX` are told.
    pub whole: [u32; 2],
}

impl Window {
    /// The crop or else the whole of a raster of `width` × `height` samples, checked against the
    /// raster and the limit before anything is allocated.
    pub(super) fn new(
        options: &IngestOptions,
        width: u64,
        height: u64,
    ) -> Result<Self, IngestError> {
        if width == 0 || height == 0 {
            return Err(IngestError::bad(
                "a raster of at least 1 x 1 samples",
                format!("{width} x {height}"),
                "export the raster again",
            ));
        }
        let [c, r, w, h] = match options.crop {
            Some(crop) => crop.map(u64::from),
            None => [0, 0, width, height],
        };
        if w == 0 || h == 0 {
            return Err(IngestError::usage(
                "a crop of at least 1 x 1 samples",
                format!("{w} x {h}"),
                "give column, row, width and height in `crop`",
            ));
        }
        if c + w > width || r + h > height {
            return Err(IngestError::bad(
                format!("a crop within the {width} x {height} samples"),
                format!("columns {c} to {}, rows {r} to {}", c + w - 1, r + h - 1),
                "give column, row, width and height of a part that lies inside in `crop`",
            ));
        }
        let samples = w.checked_mul(h);
        if samples.is_none_or(|n| n > options.max_samples) {
            return Err(IngestError::resource(
                format!("at most {} samples", options.max_samples),
                format!("{w} x {h}"),
                "take a part with `crop`, or raise the limit with `max_samples`",
            ));
        }
        let side = |n: u64| {
            u32::try_from(n).map_err(|_| {
                IngestError::resource(
                    format!("sides of at most {} samples", u32::MAX),
                    format!("{width} x {height}"),
                    "take a part of the raster with another tool first",
                )
            })
        };
        Ok(Self {
            column: side(c)?,
            row: side(r)?,
            width: side(w)?,
            height: side(h)?,
            whole: [width, height].map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        })
    }

    /// The same part of a raster that lies in its file in another order: counted from its other edges.
    pub(super) fn counted(&self, order: Order) -> Self {
        let from_end = |first: u32, count: u32, all: u32| all - first - count;
        Self {
            column: if order.columns_turned {
                from_end(self.column, self.width, self.whole[0])
            } else {
                self.column
            },
            row: if order.rows_turned {
                from_end(self.row, self.height, self.whole[1])
            } else {
                self.row
            },
            ..*self
        }
    }

    pub(super) fn samples(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Room for the values of the window, with an error instead of an abort where memory is short.
    pub(super) fn allocate(&self) -> Result<Vec<f64>, IngestError> {
        let mut values = Vec::new();
        usize::try_from(self.samples())
            .ok()
            .and_then(|n| values.try_reserve_exact(n).ok())
            .ok_or_else(|| {
                IngestError::resource(
                    format!("{} bytes of memory for the heights", self.samples() * 8),
                    "less",
                    "take a part with `crop`",
                )
            })?;
        Ok(values)
    }
}

/// In which order a file has its samples, where that is not from north to south and from west to east.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// From south to north.
    pub rows_turned: bool,
    /// From east to west.
    pub columns_turned: bool,
}

impl Order {
    /// The order that a transform of the whole raster tells, and the transform of the raster in the usual order.
    /// Errors where rows and columns do not run along the axes: directions would be wrong.
    pub(super) fn of(
        transform: Option<[f64; 6]>,
        size: [u64; 2],
    ) -> Result<(Self, Option<[f64; 6]>), IngestError> {
        let Some([t0, t1, t2, t3, t4, t5]) = transform else {
            return Ok((Self::default(), None));
        };
        // Less than a sample's width over the whole raster is no rotation.
        let is_skewed =
            |off: f64, along: f64, count: u64| off.abs() * count as f64 > along.abs() * 0.5;
        if is_skewed(t2, t1, size[1]) || is_skewed(t4, t5, size[0]) {
            let degrees = (-t4).atan2(t1).to_degrees();
            return Err(IngestError::bad(
                "rows that run from west to east",
                format!(
                    "a raster that is turned by {:.3} degrees or skewed",
                    Short(degrees)
                ),
                "turn it to the north with gdalwarp INPUT OUT.tif",
            ));
        }
        let order = Self {
            rows_turned: t5 > 0.0,
            columns_turned: t1 < 0.0,
        };
        if size.iter().any(|n| *n > u64::from(u32::MAX)) && order != Self::default() {
            return Err(IngestError::resource(
                format!("sides of at most {} samples", u32::MAX),
                format!("{} x {}", size[0], size[1]),
                "turn it to the north with gdalwarp INPUT OUT.tif",
            ));
        }
        let [columns, rows] = size.map(|n| n as f64);
        let west = if order.columns_turned {
            t0 + columns * t1
        } else {
            t0
        };
        let north = if order.rows_turned {
            t3 + rows * t5
        } else {
            t3
        };
        Ok((order, Some([west, t1.abs(), t2, north, t4, -t5.abs()])))
    }

    /// Puts the rows and columns of a window in the usual order, and says so.
    pub(super) fn undo(self, values: &mut [f64], width: u32, notes: &mut Vec<String>) {
        self.turn(values, width);
        if self.rows_turned {
            notes.push(
                "the file's rows run from south to north: turned over, so that row 0 is the northernmost".to_owned(),
            );
        }
        if self.columns_turned {
            notes.push(
                "the file's columns run from east to west: turned over, so that column 0 is the westernmost".to_owned(),
            );
        }
    }

    /// Puts the rows and columns of a window in the usual order.
    pub(super) fn turn(self, values: &mut [f64], width: u32) {
        let (width, height) = (width as usize, values.len() / width.max(1) as usize);
        if self.rows_turned {
            for row in 0..height / 2 {
                let (above, below) = values.split_at_mut((height - 1 - row) * width);
                above[row * width..][..width].swap_with_slice(&mut below[..width]);
            }
        }
        if self.columns_turned {
            for row in values.chunks_exact_mut(width) {
                row.reverse();
            }
        }
    }
}

/// What to do about colours, which are no heights by themselves.
pub(super) const COLOURS: &str = "save the heights as one band of numbers; if the colours encode them, decode them: \
    gdal_calc.py -A INPUT --A_band=1 -B INPUT --B_band=2 -C INPUT --C_band=3 --type=Float32 --outfile=OUT.tif \
    --calc=\"A*256.+B+C/256.-32768\" (Terrarium), or with --calc=\"(A*65536.+B*256.+C)/10.-10000\" (Mapbox Terrain-RGB)";

/// What to do about a palette.
pub(super) const PALETTE: &str = "save the heights as one band of numbers; if the palette is of greys that are heights, \
    unpack it: gdal_translate -expand gray INPUT OUT.tif";

/// The error of a raster of more bands than one, of which one may be alpha (from 1).
pub(super) fn one_band(bands: usize, of: &str, alpha: Option<usize>) -> IngestError {
    let remedy = match alpha {
        Some(alpha) => format!(
            "take one out, with the voids of band {alpha}: gdal_translate -b N -mask {alpha} INPUT OUT.tif"
        ),
        None => "take one out: gdal_translate -b N INPUT OUT.tif".to_owned(),
    };
    IngestError::bad("one band of heights", format!("{bands}{of}"), remedy)
}

/// A window of samples in the file's own units, and what the file says of them.
pub(super) struct Raster {
    pub format: &'static str,
    pub window: Window,
    /// Row by row.
    pub values: Vec<f64>,
    /// Samples are floating point: nodata may have been rounded to single precision.
    pub float: bool,
    /// The sample that nodata became, where samples have fewer digits still.
    pub nearest: fn(f64) -> f64,
    pub nodata: Option<f64>,
    /// Height = value × scale + offset, as the file has it, in its unit of height.
    pub scale: f64,
    pub offset: f64,
    /// Metres in a unit of height, where the file names one beside its CRS.
    pub unit: Option<f64>,
    /// GDAL's affine transform of the whole raster.
    pub transform: Option<[f64; 6]>,
    /// In which order the file has its samples; those in `values` are in the usual one.
    pub order: Order,
    pub crs: Option<Crs>,
    pub notes: Vec<String>,
}

impl Raster {
    pub(super) fn new(format: &'static str, window: Window, values: Vec<f64>) -> Self {
        Self {
            format,
            window,
            values,
            float: false,
            nearest: |nodata| nodata,
            nodata: None,
            scale: 1.0,
            offset: 0.0,
            unit: None,
            transform: None,
            order: Order::default(),
            crs: None,
            notes: Vec::new(),
        }
    }

    /// Nodata becomes void, values become metres, the grid gets its spacing and place.
    pub(super) fn into_ingested(
        mut self,
        options: &IngestOptions,
    ) -> Result<Ingested, IngestError> {
        let nodata = options.nodata.or(self.nodata);
        self.heights_to_metres();
        let (scale, offset, float) = (self.scale, self.offset, self.float);
        let metres_of = |value: f64| {
            let metres = value * scale + offset;
            metres * options.vertical_scale + options.vertical_offset
        };
        // NaN, such as infinity minus infinity, is in no range either.
        let is_possible = |metres: f64| metres.abs() <= Terrain::MAX_ABS_HEIGHT;
        let is_void = Void::new(nodata.map(self.nearest), float);
        let mut voids = 0_u64;
        let width = self.window.width as usize;
        let mut stored = vec![0.0; width];
        let mut statistics = plausible::Statistics::new(self.window.height);
        for row in 0..self.window.height as usize {
            // A row at a time, which stays in the caches from one look at it to the next.
            let (above, rest) = self.values.split_at_mut(row * width);
            let values = &mut rest[..width];
            stored.copy_from_slice(values);
            let mut wrong = false;
            for (value, stored) in values.iter_mut().zip(&stored) {
                let (void, metres) = (is_void.holds(*stored), metres_of(*stored));
                *value = if void { f64::NAN } else { metres };
                wrong |= !void & !is_possible(metres);
                voids += u64::from(void);
            }
            let is_wrong = |value: &f64| !is_void.holds(*value) && !is_possible(metres_of(*value));
            if wrong && let Some(column) = stored.iter().position(is_wrong) {
                let (value, metres) = (stored[column], metres_of(stored[column]));
                return Err(IngestError::bad(
                    format!("a height within ±{} m", Terrain::MAX_ABS_HEIGHT),
                    if value == metres {
                        format!("{value}")
                    } else {
                        format!("value {value}, which is {metres} m")
                    },
                    "say that it stands for no data with `nodata`, or rescale with `vertical_scale`",
                )
                .at(format!(
                    "sample ({}, {})",
                    self.window.column as usize + column,
                    self.window.row as usize + row
                )));
            }
            statistics.take(&above[above.len() - width.min(above.len())..], values);
        }
        if voids > 0 {
            let what = match nodata {
                Some(n) => format!("nodata {}", Short(n)),
                None => "NaN".to_owned(),
            };
            let samples = self.window.samples();
            self.notes
                .push(format!("{voids} of {samples} samples are void ({what})"));
        }
        if (self.scale, self.offset) != (1.0, 0.0) {
            self.notes.push(format!(
                "heights are value x {} + {} m, as the file says",
                Short(self.scale),
                Short(self.offset + 0.0)
            ));
        }

        let window = self.window;
        let transform = self.transform.map(|t| shifted(t, window));
        let spacing = self.spacing(transform, options)?;
        let georeference = transform.map(|transform| Georeference {
            crs: self
                .crs
                .map_or_else(|| Georeference::UNKNOWN_CRS.to_owned(), |crs| crs.name),
            transform,
        });
        let suspect = plausible::undeclared(&self.values, &statistics, metres_of);
        let (extremes, size) = (statistics.extremes(), [window.width, window.height]);
        let terrain = Terrain::between(extremes, size, self.values, spacing)
            .map_err(|error| match error {
                crate::world::TerrainError::Size { .. } => IngestError::resource(
                    format!("at most {} samples", u32::MAX),
                    format!("{}", window.samples()),
                    "take a part with `crop`",
                ),
                crate::world::TerrainError::AllVoid => IngestError::bad(
                    "at least one height",
                    "nothing but voids",
                    "check the nodata value (`nodata`) and the crop",
                ),
                crate::world::TerrainError::Spacing([dx, dy]) => IngestError::bad(
                    SPACINGS,
                    format!("{} x {}", Short(dx), Short(dy)),
                    "give it with `spacing`",
                ),
                other => IngestError::bad("a terrain", other.to_string(), "export it again"),
            })?
            .with_georeference(georeference);
        let mut notes = plausible::notes(&terrain, &statistics, self.format, suspect);
        notes.append(&mut self.notes);
        Ok(Ingested {
            terrain,
            format: self.format,
            whole: window.whole,
            notes,
        })
    }

    /// Scale and offset in metres, from the file's unit of height.
    fn heights_to_metres(&mut self) {
        let of_crs = self.crs.as_ref().and_then(|crs| crs.vertical);
        let unit = match (self.unit, of_crs) {
            // The name of a unit says nothing of the direction.
            (Some(unit), Some(depths)) if depths < 0.0 => -unit,
            (unit, of_crs) => unit.or(of_crs).unwrap_or(1.0),
        };
        self.scale *= unit;
        self.offset *= unit;
        if unit < 0.0 {
            self.notes.push(
                "the file's CRS counts depths: heights are below zero (if they are not, give `vertical_scale` -1)"
                    .to_owned(),
            );
        }
    }

    /// Metres between samples: the option, else the file, else 1.
    fn spacing(
        &mut self,
        transform: Option<[f64; 6]>,
        options: &IngestOptions,
    ) -> Result<[f64; 2], IngestError> {
        if let Some(spacing) = options.spacing {
            return Ok(spacing);
        }
        let Some(transform) = transform else {
            self.notes
                .push("the file has no spacing: 1 m assumed (give it with `spacing`)".to_owned());
            return Ok([1.0, 1.0]);
        };
        let centre = [
            f64::from(self.window.width) / 2.0,
            f64::from(self.window.height) / 2.0,
        ];
        match &self.crs {
            Some(crs) => crs.spacing(transform, centre, &mut self.notes),
            None => {
                let [t0, t1, t2, t3, t4, t5] = transform;
                self.notes.push(
                    "the file names no CRS: its cell size is taken as metres (give `spacing` if it is not)"
                        .to_owned(),
                );
                if t1 < 0.02 && (-180.0..=180.0).contains(&t0) && (-90.0..=90.0).contains(&t3) {
                    self.notes.push(
                        "cell size and corner look like degrees: put the CRS in a .prj file beside the grid, or give `spacing`"
                            .to_owned(),
                    );
                }
                Ok([t1.hypot(t4), t2.hypot(t5)])
            }
        }
    }
}

/// Which values are no data.
///
/// Writers of floating point rasters often give nodata with too few digits to name the very
/// sample value, or name it in double precision for single precision samples.
#[derive(Clone, Copy)]
struct Void {
    /// The value, and what it is in single precision, where that counts; NaN, which equals nothing, where there is none.
    value: f64,
    single: f32,
}

impl Void {
    fn new(nodata: Option<f64>, float: bool) -> Self {
        let single = nodata.filter(|nodata| float && nodata.is_finite());
        Self {
            value: nodata.unwrap_or(f64::NAN),
            single: single.map_or(f32::NAN, |nodata| nodata as f32),
        }
    }

    /// Without a branch, so that compilers make vectors of it.
    fn holds(self, value: f64) -> bool {
        value.is_nan() | (value == self.value) | (value.is_finite() & (value as f32 == self.single))
    }
}

/// The transform of a window of the raster.
fn shifted(t: [f64; 6], window: Window) -> [f64; 6] {
    let (c, r) = (f64::from(window.column), f64::from(window.row));
    [
        t[0] + c * t[1] + r * t[2],
        t[1],
        t[2],
        t[3] + c * t[4] + r * t[5],
        t[4],
        t[5],
    ]
}
