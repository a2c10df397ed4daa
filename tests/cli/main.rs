//! The program from outside: arguments in; stdout, stderr, files and exit codes out.
#![cfg(feature = "cli")]

mod bad_input;
mod cells;
mod common;
mod curvature;
mod documents;
mod experiment;
mod export;
mod frontier;
mod interrupted;
mod killed;
mod long;
mod render;
mod report;
mod squeeze;
mod verbs;
