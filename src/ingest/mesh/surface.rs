//! The triangles of a scene that is drawn, which need not be closed.

use std::collections::HashMap;
use std::ops::Range;

/// The triangles of a scene: metres east, south and up.
#[derive(Default)]
pub(crate) struct Surface {
    pub(crate) corners: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Of each triangle, how it is drawn.
    pub(crate) looks: Vec<Look>,
    /// What is drawn, by the nodes of its meshes.
    pub(crate) drawn: Vec<Drawn>,
    /// Corners may be small integers.
    pub(crate) quantized: bool,
    /// Lists of corners of which parts were taken, by their numbers in the file, before they were placed: parts of a mesh share them.
    pub(crate) shared: HashMap<usize, Vec<[f64; 3]>>,
}

/// What a file draws by one name.
pub(crate) struct Drawn {
    /// Names from the root to it, with `/` between them.
    pub(crate) path: String,
    /// Its polygons, by their numbers in the file.
    pub(crate) polygons: Vec<Range<usize>>,
    /// It may be elsewhere, or of another shape, or more than its polygons, when it is drawn.
    pub(crate) always: bool,
}

/// How a triangle is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// Its back is drawn, too.
    pub(crate) two_sided: bool,
    /// Nothing is seen through it.
    pub(crate) opaque: bool,
    /// It is no hull that stops players unseen.
    pub(crate) drawn: bool,
}
