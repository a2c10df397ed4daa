//! `viewcell experiment`: another program, which is installed apart.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use super::exit::{Exit, Failure, Outcome};

/// Compare methods, and repeat the papers' experiments
///
/// Runs viewcell-experiment, which is a program of its own; viewcell experiment --help lists its verbs.
///
/// Example: viewcell experiment interest --entities 1000
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// An experiment and its arguments
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    arguments: Vec<OsString>,
}

pub fn run(args: &Args) -> Outcome {
    let program = format!("viewcell-experiment{EXE_SUFFIX}");
    // Beside this program, else on the path.
    let beside = std::env::current_exe()
        .ok()
        .map(|this| this.with_file_name(&program));
    let path = beside
        .filter(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from(&program));
    match status(Command::new(&path).args(&args.arguments)) {
        Ok(exit) => Ok(exit),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failure::new(
            Exit::InputOutput,
            anyhow::anyhow!(
                "expected {program} beside this program or on the path, found none; \
                 build it in the sources of viewcell: cargo install --path src/papers --locked"
            ),
        )),
        Err(error) => Err(Failure::io(
            format!("{}: cannot be run", path.display()),
            error,
        )),
    }
}

/// Becomes the other program, so that signals reach it.
#[cfg(unix)]
fn status(command: &mut Command) -> io::Result<Exit> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn status(command: &mut Command) -> io::Result<Exit> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(Exit::InputOutput.code().into()))
}
