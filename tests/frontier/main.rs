//! Frontier sets: never a leak, equal to a slow twin, whatever the limit.

#[path = "../common/baking.rs"]
mod baking;
#[path = "../common/data.rs"]
mod data;
#[path = "../common/reader.rs"]
mod reader;

mod agree;
mod common;
mod damage;
mod hunt;
mod leak;
mod lossy;
mod reference;
mod region;
mod session;
mod slow;
mod steps;
mod within;
