//! `viewcell man` and `viewcell completions`: manual pages, and what a shell needs to complete our command line.

use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use viewcell_bake::bundle;

use super::exit::{Exit, Failure, Outcome};
use super::output;

/// Print the manual page, or write the pages of all commands into a folder
///
/// To read it at once: viewcell man | man -l -
///
/// Example: viewcell man man1
#[derive(clap::Args)]
pub struct ManArgs {
    /// Folder for viewcell.1, viewcell-bake.1 and so on; created if it does not exist
    folder: Option<PathBuf>,
}

/// A manual page.
struct Page {
    /// Its file name.
    name: String,
    /// Its text in roff.
    text: String,
}

/// `command` is the whole program's.
pub fn man(args: &ManArgs, command: Command) -> Outcome {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages)?;
    if let Some(folder) = &args.folder {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::io(format!("{}: cannot be made", folder.display()), error))?;
        for page in &pages {
            bundle::save(&folder.join(&page.name), page.text.as_bytes(), true)?;
        }
    }
    if args.folder.is_some() {
        output::say(format_args!("{} pages written", pages.len()));
    } else {
        output::print(pages[0].text.trim_end())?;
    }
    Ok(Exit::Done)
}

/// The page of a command, then those of its subcommands.
fn collect(command: &Command, pages: &mut Vec<Page>) -> Result<(), Failure> {
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Failure::io("the manual cannot be rendered".into(), error))?;
    pages.push(Page {
        name: page.get_filename(),
        text: String::from_utf8_lossy(&text).into_owned(),
    });
    for subcommand in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        collect(subcommand, pages)?;
    }
    Ok(())
}

/// Print the completion script of a shell
///
/// Bash: viewcell completions bash > ~/.local/share/bash-completion/completions/viewcell
///
/// Example: viewcell completions bash
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell to complete for
    shell: Shell,
}

/// `command` is the whole program's.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "viewcell", &mut script);
    output::print(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Done)
}
