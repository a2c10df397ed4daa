//! The part of a page in which one looks around: it holds the bundle, and the runtime as WebAssembly.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{Rgba, RgbaImage};
use serde_json::json;

use crate::exit::Failure;
use crate::query::Opened;
use crate::render::PLAN_SIDE;
use crate::shading;
use viewcell::query::CellBundle;
use viewcell_view::picture::{Floors, NOBODY, PictureError, hillshade_image, png, resized};

/// The C interface, made by `scripts/build-wasm`.
const RUNTIME: &[u8] = include_bytes!("../../../assets/viewcell.wasm");
const SCRIPT: &str = include_str!("look.js");

/// Largest bundle that a page holds: browsers take what is a third longer as text.
const MOST_BYTES: u64 = 64_000_000;

/// Pixels of the longer side of a terrain's map, at most.
const MAP_SIDE: u32 = 2048;

/// Ground of a level is drawn light, for what is seen and hidden lies over it.
const PALE: [f32; 3] = [236.0, 236.0, 232.0];

/// What the page holds besides what it tells.
pub struct Look {
    /// JSON for the script: what kind of places there are, and how many.
    pub about: String,
    /// In base 64, as all that follows.
    pub runtime: String,
    pub bundle: String,
    pub script: String,
    pub maps: Vec<Map>,
    /// Width of a map for its height.
    pub aspect: String,
    /// Columns and rows of a map.
    pub size: (u32, u32),
}

/// A map of the terrain, or of a floor of the level.
pub struct Map {
    pub caption: String,
    /// PNG.
    pub picture: String,
    /// PNG: the number of the cell at a pixel, counted from 1, as red, green and blue from the least
    /// byte on; 0 for none. Of a terrain, pixels are samples.
    pub cells: Option<String>,
}

/// Fails where a page cannot hold the bundle.
pub fn check(path: &Path) -> Result<(), Failure> {
    let length = fs::metadata(path).map_or(0, |file| file.len());
    if length <= MOST_BYTES {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: expected a bundle of at most {} MB for --interactive, found {:.1} MB; viewcell repack --budget \
         makes it smaller",
        path.display(),
        MOST_BYTES / 1_000_000,
        length as f64 / 1e6
    )))
}

impl Look {
    /// Around in the bundle at `path`. Fails where it does not know where its cells are.
    pub fn new(opened: &Opened, heightmap: Option<&Path>) -> Result<Self, Failure> {
        let path = opened.path();
        let file = fs::read(path).map_err(Failure::cannot_read(path))?;
        let (about, maps, aspect, size) = match opened.world().cells() {
            Some(level) => of_level(path, level)?,
            None => {
                let terrain = opened.terrain()?;
                let grid = terrain.grid();
                let [dx, dy] = terrain.parameters().cell_spacing;
                let ground = hillshade_image(&shading::ground(path, &terrain, heightmap)?);
                let (width, height) = ground.dimensions();
                let scale = (f64::from(MAP_SIDE) / f64::from(width.max(height))).min(1.0);
                let side = |samples: u32| ((f64::from(samples) * scale) as u32).max(1);
                let picture = png(&resized(&ground, side(width), side(height)));
                let (width, height) = (grid.width(), grid.height());
                let about = json!({
                    "width": width,
                    "height": height,
                    "all": grid.samples(),
                    "count": terrain.valid().count(grid.root()),
                    // A pixel is a view cell; places are told and taken by samples of the heightmap.
                    "side": 1_u32 << terrain.parameters().finest(),
                    "heightmap": terrain.parameters().heightmap(),
                });
                let map = Map {
                    caption: String::new(),
                    picture: STANDARD.encode(picture.map_err(failure)?),
                    cells: None,
                };
                let aspect = f64::from(width) * dx / (f64::from(height) * dy);
                (about, vec![map], aspect, (width, height))
            }
        };
        Ok(Self {
            about: about.to_string(),
            runtime: STANDARD.encode(RUNTIME),
            bundle: STANDARD.encode(file),
            script: STANDARD.encode(SCRIPT),
            maps,
            // Long strips are drawn squeezed, to be seen at all.
            aspect: format!("{:.4}", aspect.clamp(0.2, 5.0)),
            size,
        })
    }
}

type Drawn = (serde_json::Value, Vec<Map>, f64, (u32, u32));

fn of_level(path: &Path, level: &CellBundle<'_>) -> Result<Drawn, Failure> {
    let Some(floors) = Floors::new(level, PLAN_SIDE) else {
        return Err(Failure::usage(format!(
            "{}: expected a bundle that knows where its cells are for --interactive; leave it out",
            path.display()
        )));
    };
    let (width, height) = floors.size();
    let of_floor = |(number, floor): (usize, &viewcell_view::picture::Floor)| {
        let picture = png(&floors.paint(number, |_| PALE)).map_err(failure)?;
        let cells = png(&numbers(&floor.cells, width, height)).map_err(failure)?;
        let [low, high] = floor.heights;
        Ok(Map {
            caption: match floors.list().len() {
                1 => String::new(),
                _ => format!("Ground from {low:.0} to {high:.0}"),
            },
            picture: STANDARD.encode(picture),
            cells: Some(STANDARD.encode(cells)),
        })
    };
    let maps: Result<Vec<Map>, Failure> = floors.list().iter().enumerate().map(of_floor).collect();
    let about = json!({
        "width": width,
        "height": height,
        "all": level.cells(),
        "count": level.cells(),
    });
    let aspect = f64::from(width) / f64::from(height);
    Ok((about, maps?, aspect, (width, height)))
}

/// The cells at pixels, row by row, as colours: [`Map::cells`].
fn numbers(cells: &[u32], width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        let number = match cells[(y * width + x) as usize] {
            NOBODY => 0,
            cell => cell + 1,
        };
        let [red, green, blue, _] = number.to_le_bytes();
        Rgba([red, green, blue, 255])
    })
}

fn failure(error: PictureError) -> Failure {
    Failure::resource(error)
}
