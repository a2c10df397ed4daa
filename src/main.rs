//! The `viewcell` program: argument parsing, output and exit codes only.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
