//! Who is inside of what hides: in a house, in a tree.

use super::stance::Stance;
use super::surface::is_covered;
use crate::world::Terrain;

/// Where the surface covers a player of so many metres from head to foot, sample by sample, row by
/// row; voids do not count. Of cells, where it covers players wherever in the cell they stand. Nobody sees
/// those, nor do they see anybody.
pub fn covered(terrain: &Terrain, player_height: f64, stance: Stance) -> Vec<bool> {
    let rows = 0..terrain.height();
    let samples = rows.flat_map(|row| (0..terrain.width()).map(move |column| (column, row)));
    let covered = |(column, row): (u32, u32)| {
        !terrain.ground_at(column, row).is_nan()
            && is_covered(terrain, (column, row), player_height, stance)
    };
    samples.map(covered).collect()
}
