//! The triangles of a scene that is drawn, which need not be closed.

/// The triangles of a scene: metres east, south and up.
#[derive(Default)]
pub(in crate::ingest) struct Surface {
    pub(in crate::ingest) corners: Vec<[f64; 3]>,
    pub(in crate::ingest) triangles: Vec<[u32; 3]>,
    /// Of each triangle, how it is drawn.
    pub(in crate::ingest) looks: Vec<Look>,
    /// Corners may be small integers.
    pub(in crate::ingest) quantized: bool,
}

/// How a triangle is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::ingest) struct Look {
    /// Its back is drawn, too.
    pub(in crate::ingest) two_sided: bool,
    /// Nothing is seen through it.
    pub(in crate::ingest) opaque: bool,
}
