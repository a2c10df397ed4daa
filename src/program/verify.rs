//! `viewcell verify`: every rule, every checksum.

use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell::format::Tag;
use viewcell::query::{MappedBundle, OpenError};
use viewcell::sign::PublicKey;
use viewcell_bake::bundle::verify::Outcome as Verified;
use viewcell_bake::bundle::{self, BundleError, BundleFile, Fault, Proofs, Report, RuleOutcome};

use super::exit::{Exit, Failure, Outcome};
use super::info::UNPAGED;
use super::output::{Json, say};
use super::progress::{Progress, Voice};
use super::sign;
use super::signals::Stop;

/// Check a bundle by every rule and every checksum, or that a patch is complete; exit code 1 if not
///
/// What checksums and rules cannot tell is whether the bake was right. --prove N decides again on N pairs that the bundle says
/// are hidden; a line of sight between two of them is a fault.
///
/// Example: viewcell verify level.vcb
#[derive(clap::Args)]
pub struct Args {
    /// The bundle, or a patch
    bundle: PathBuf,
    /// Check that the bundle was signed (viewcell sign) with the private key of this public key: a file from
    /// `openssl pkey -in key.pem -pubout`
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Prove N hidden pairs again, which are spread over all viewpoints and the same each time: those of a solid level by its
    /// occluders, those of a terrain on its heights
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    prove: Option<u64>,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell verify --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell verify")]
pub struct Document {
    /// The bundle.
    #[serde(serialize_with = "crate::output::names")]
    bundle: PathBuf,
    /// Whether every rule holds.
    sound: bool,
    #[serde(flatten)]
    report: Report,
    /// What became of the pairs that were proven again, if any were.
    #[serde(skip_serializing_if = "Option::is_none")]
    proofs: Option<Proofs>,
}

pub fn run(args: &Args) -> Outcome {
    let progress = Progress::new(&args.voice, Stop::default());
    let key = args.key.as_deref();
    let key = key.map(|key| sign::key(key, PublicKey::from_pem));
    let key = key.transpose()?;
    let mut report = report(&args.bundle, &progress)?;
    let is_whole = report.is_sound();
    if let Some(key) = &key {
        report.rules.push(signature(&args.bundle, key));
    }
    let mut proofs = None;
    let mut hides_wrongly = false;
    if let Some(pairs) = args.prove {
        match telling(&progress, |tell| bundle::prove(&args.bundle, pairs, tell)) {
            Ok(mut made) => {
                hides_wrongly = made.pairs > made.proven + made.open;
                report.rules.extend(made.rule.take());
                proofs = Some(made);
            }
            // Why has been found already.
            Err(_) if !is_whole => {}
            Err(error) => return Err(error),
        }
    }
    let sound = report.is_sound();
    let is_bundle = report
        .rules
        .first()
        .is_none_or(|magic| magic.faults.is_empty());
    let mut verdict = Verdict(&report).to_string();
    if is_whole && is_unpaged(&args.bundle) {
        verdict += &format!("\nchecksums: {UNPAGED}");
    }
    if let Some(Proofs {
        pairs,
        proven,
        open,
        ..
    }) = &proofs
    {
        verdict += &format!("\n{proven} of {pairs} hidden pairs proven again");
        if *open > 0 {
            verdict +=
                &format!("; {open} neither proven nor seen with the effort that is made here");
        }
    }
    let document = || Document {
        bundle: args.bundle.clone(),
        sound,
        report,
        proofs,
    };
    args.json.tell(document, verdict)?;
    if !sound && !args.voice.quiet {
        say(if hides_wrongly {
            "the bundle hides who is in sight: do not use it, and bake it again"
        } else if is_whole {
            "the file is undamaged, but its origin is unknown: do not use it"
        } else if is_bundle {
            "the file is damaged: copy it again, or bake it again"
        } else {
            "the file is no view cell bundle, or its first bytes are damaged: `viewcell bake` makes a bundle"
        });
    }
    Ok(exit(sound))
}

/// Whether a bundle has no checksums by page.
fn is_unpaged(bundle: &Path) -> bool {
    let file = BundleFile::open(bundle);
    file.is_ok_and(|file| file.sections().iter().all(|s| s.tag != Tag::PCRC))
}

/// The rule that `--key` adds.
fn signature(bundle: &Path, key: &PublicKey) -> RuleOutcome {
    let checked = MappedBundle::open_signed(bundle, key).err();
    let found = checked.map(|error| match error {
        OpenError::Format { error, .. } => error.to_string(),
        other => other.to_string(),
    });
    RuleOutcome {
        rule: "signature".to_owned(),
        demands: "section SIGN is a signature of all other contents by the key given".to_owned(),
        outcome: match found {
            None => Verified::Passed,
            Some(_) => Verified::Failed,
        },
        fault_count: found.is_some().into(),
        faults: Vec::from_iter(found.map(|found| Fault {
            place: "section SIGN".to_owned(),
            offset: None,
            expected: "a signature by the key given".to_owned(),
            found: format!("this: {found}"),
        })),
    }
}

fn exit(sound: bool) -> Exit {
    if sound { Exit::Done } else { Exit::No }
}

fn report(bundle: &Path, progress: &Progress) -> Result<Report, Failure> {
    telling(progress, |tell| bundle::verify(bundle, tell))
}

/// Shows how far work on a bundle is, rule by rule.
fn telling<T>(
    progress: &Progress,
    work: impl FnOnce(&mut dyn FnMut(bundle::Progress)) -> Result<T, BundleError>,
) -> Result<T, Failure> {
    let mut rule = None;
    let done = work(&mut |at| {
        if rule != Some(at.rule) {
            progress.complete();
            progress.begin(at.rule.name, "steps", at.total);
            rule = Some(at.rule);
        }
        progress.reach(at.done);
    });
    progress.complete();
    Ok(done?)
}

/// A report, for people: a line a fault.
struct Verdict<'a>(&'a Report);

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_sound() {
            return write!(f, "sound");
        }
        let mut between = "";
        for rule in self.0.failed() {
            for fault in &rule.faults {
                write!(f, "{between}{}: {}", rule.rule, fault.place)?;
                if let Some(offset) = fault.offset {
                    write!(f, " (byte {offset})")?;
                }
                write!(f, ": expected {}, found {}", fault.expected, fault.found)?;
                between = "\n";
            }
            let untold = rule.fault_count.saturating_sub(rule.faults.len() as u64);
            if untold > 0 {
                write!(f, "{between}{}: {untold} more", rule.rule)?;
            }
        }
        Ok(())
    }
}
