//! Ground that changes while players are on it: every answer is safe at every instant, and as a fresh bake's soon
//! after.

pub use crate::bake::{LiveGround, LiveSession, LiveSets, Rebaker, Snapshot, Stamped};
