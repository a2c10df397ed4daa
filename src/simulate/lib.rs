//! Simulation of networked games, to measure what a bundle saves: players who move, a network,
//! schemes of interest management (who is sent what), and a score.
//!
//! ```text
//! trace, motion    who is where, in a file or made up from a seed
//! demo, gpx        recorded movement: demos of QuakeWorld servers, tracks of GPS receivers
//! field            the bundle: which place holds a position, who sees whom
//! play             the players' places frame by frame
//! scene            one frame, and who sees whom in it
//! scheme           what is sent
//! network          how long packets take, which get lost
//! packet           what packets say, and how many bytes they take
//! wire             packets in flight
//! score            packets, bytes, who was told too late, who was told too much
//! run              all of them, frame by frame
//! loopback         the same packets as real datagrams
//! fit              how players of a trace move, as parameters of made-up motion and as limits of it
//! ```
//!
//! Only `loopback` opens a socket, and a clock is read only to measure what a scheme costs: time is a number,
//! packets are values, and the same seed gives the same figures.
//!
//! Sources: A. Steed and C. Angus, *Supporting Scalable Peer to Peer Virtual Environments using
//! Frontier Sets*, sections 5 to 7; S. Avni, *Frontier Sets in Large Terrains*, section 5.2.

#![forbid(unsafe_code)]

pub mod demo;
pub mod field;
pub mod fit;
pub mod gpx;
pub mod loopback;
pub mod motion;
pub mod network;
mod packet;
pub mod play;
pub mod run;
pub mod scene;
pub mod scheme;
pub mod score;
pub mod summary;
pub mod trace;
pub mod wire;
