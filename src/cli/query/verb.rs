//! What can be asked.

use super::{distance, locate, pvs, visible, within};
use crate::cli::exit::Outcome;

/// Ask a bundle who can see whom
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand)]
enum Question {
    Visible(visible::Args),
    Distance(distance::Args),
    Pvs(pvs::Args),
    Locate(locate::Args),
    Within(within::Args),
}

pub fn run(args: Args) -> Outcome {
    match args.question {
        Question::Visible(args) => visible::run(&args),
        Question::Distance(args) => distance::run(&args),
        Question::Pvs(args) => pvs::run(&args),
        Question::Locate(args) => locate::run(&args),
        Question::Within(args) => within::run(&args),
    }
}
