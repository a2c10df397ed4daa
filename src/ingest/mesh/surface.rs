//! The triangles of a scene that is drawn, which need not be closed.

/// The triangles of a scene: metres east, south and up.
#[derive(Default)]
pub(crate) struct Surface {
    pub(crate) corners: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Of each triangle, how it is drawn.
    pub(crate) looks: Vec<Look>,
    /// Corners may be small integers.
    pub(crate) quantized: bool,
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
