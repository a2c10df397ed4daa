//! The `viewcell` program: arguments, output and exit codes only.

#[global_allocator]
static MEMORY: viewcell_program::Memory = viewcell_program::Memory;

fn main() -> std::process::ExitCode {
    viewcell_program::main()
}
