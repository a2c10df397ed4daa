//! The `viewcell` program: argument parsing, output and exit codes only.

mod cli;

#[global_allocator]
static MEMORY: cli::Memory = cli::Memory;

fn main() -> std::process::ExitCode {
    cli::main()
}
