//! The live view: its page in a real browser, and its server by itself.

#[path = "../common/brushes.rs"]
mod brushes;
#[path = "../common/data.rs"]
mod data;
#[path = "../common/html.rs"]
mod html;

mod axes;
mod browser;
mod colours;
mod common;
mod dig;
mod look;
mod measure;
mod page;
mod players;
mod server;
mod solid;
mod three;
mod unbaked;
