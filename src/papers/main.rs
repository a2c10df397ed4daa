//! The `viewcell-experiment` program, which `viewcell experiment` runs.

#[global_allocator]
static MEMORY: viewcell_program::Memory = viewcell_program::Memory;

fn main() -> std::process::ExitCode {
    viewcell_papers::verbs::main()
}
