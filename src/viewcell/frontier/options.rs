//! How far a frontier set is grown.

/// How far a frontier set is grown. The same options on the same bundle give the same set, on every
/// machine: two peers who know both positions need not send it.
///
/// The halves try large quads in turns, by default 64 of 16 × 16 samples and more; then the smaller half is extended to what
/// the other does not see. The sets are larger than those that the thesis's algorithm grows from trees of its greatest size,
/// and take a hundredth of the time. Smaller quads would add 2 % to the sets, and take most of the time, since their PVSs are
/// put together from pairs of blocks. They are used around a start alone, from up to 512 pairs; where there are more, whole
/// blocks count as visible, which costs a tenth of the size and saves most of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontierOptions {
    /// Stop growing after so many quads have been tried. One that is smaller than 16 × 16 samples,
    /// as around a start that is, counts for 64 if it joins: such PVSs take long to put together.
    pub limit: Option<u32>,
}

impl Default for FrontierOptions {
    fn default() -> Self {
        Self { limit: Some(64) }
    }
}
