//! The same ground at a server and its clients (Pennings, section 4.3.3 and chapter 5).
//!
//! Nothing here opens a socket or looks at a clock: messages and packets are values, time is a number of
//! milliseconds. A [`Link`] makes a stream of whole messages of packets that may be lost, come twice or out
//! of order; [`Server`] and [`Client`] are what is at its ends.

mod client;
mod link;
mod message;
mod server;

pub use client::{Client, Manner};
pub use link::Link;
pub use message::{Message, Reach, Reason};
pub use server::{Server, ServerOptions};
