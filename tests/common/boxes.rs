//! Boxes as meshes.

/// The sides of a box, outwards, by corners of which each bit says whether it is the upper one along an axis.
pub const SIDES: [[usize; 4]; 6] = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [1, 3, 7, 5],
    [3, 2, 6, 7],
    [2, 0, 4, 6],
];
