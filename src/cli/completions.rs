//! `viewcell completions`: what a shell needs to complete our command line.

use clap::Command;
use clap_complete::Shell;
use schemars::JsonSchema;
use serde::Serialize;

use super::exit::{Exit, Outcome};
use super::output::{self, Json};

/// Print the completion script of a shell
///
/// Bash: viewcell completions bash > ~/.local/share/bash-completion/completions/viewcell
#[derive(clap::Args)]
pub struct Args {
    /// The shell to complete for
    shell: Shell,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell completions --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell completions")]
pub struct Document {
    /// The shell's name.
    shell: String,
    /// The script.
    script: String,
}

/// `command` is the whole program's.
pub fn run(args: &Args, mut command: Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "viewcell", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if args.json.json {
        output::print_json(&Document {
            shell: args.shell.to_string(),
            script,
        })?;
    } else {
        output::print(script.trim_end())?;
    }
    Ok(Exit::Done)
}
