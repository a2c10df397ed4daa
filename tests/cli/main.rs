//! The program from outside: arguments in; stdout, stderr, files and exit codes out.

#[path = "../common/boxes.rs"]
mod boxes;
#[path = "../common/data.rs"]
mod data;
#[path = "../common/html.rs"]
mod html;
#[allow(dead_code, reason = "tables are taken apart elsewhere")]
#[path = "../common/sections.rs"]
mod sections;

// Tests begin in the order of their names, and this one takes longest.
mod all_of_the_book;
mod attack;
mod axes;
mod bad_input;
mod cells;
mod check;
mod coarse;
mod common;
mod curvature;
mod diff;
mod documents;
mod doubts;
mod experiment;
mod export;
mod extremes;
mod frontier;
mod heights;
mod interrupted;
mod killed;
mod limits;
mod long;
mod meshes;
mod names;
mod newcomer;
mod newlines;
mod outputs;
mod places;
mod rebake;
mod render;
mod report;
mod schema;
mod solid;
mod squeeze;
mod verbs;
mod why;
