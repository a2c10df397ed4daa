//! The `viewcell` program: argument parsing, output and exit codes only.

fn main() {}
