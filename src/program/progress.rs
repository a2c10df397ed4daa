//! Progress that a person believes: stage, how much is done, rate, time left, on stderr.

use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use schemars::JsonSchema;
use serde::Serialize;
use viewcell_bake::{Observer, Stage};

use super::exit::Failure;
use super::flags::with_flags;
use super::memory;
use super::output::{json_line, say};
use super::signals::Stop;

/// How progress and other words on stderr are to be.
#[derive(Clone, Copy, clap::Args)]
pub struct Voice {
    /// Print nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// How to show progress
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Style::Auto)]
    pub progress: Style,
}

impl Voice {
    /// The usual one, or none.
    pub fn of(quiet: bool) -> Self {
        Self {
            quiet,
            progress: Style::Auto,
        }
    }

    /// Tells what a person should know, unless they want to hear nothing.
    pub fn tell_notes(&self, notes: &[String]) {
        if !self.quiet {
            for note in notes {
                if note.starts_with("warning: ") {
                    say(format_args!("{note}"))
                } else {
                    say(format_args!("note: {note}"))
                }
            }
        }
    }
}

/// How to show progress.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    /// A bar on a terminal, else plain
    Auto,
    /// A line on stderr every few seconds
    Plain,
    /// One JSON document per line on stderr, every second: stage, done, total, rate, seconds_left
    Json,
    /// No progress, only the summary
    None,
}

/// How often lines come.
const PLAIN_EVERY: Duration = Duration::from_secs(5);
const JSON_EVERY: Duration = Duration::from_secs(1);

/// In lines for people, a stage that was over sooner than this goes without a word.
const WORTH_A_LINE: Duration = Duration::from_secs(1);

/// Shows progress, and passes on the wish to stop.
pub struct Progress {
    style: Style,
    voice: Voice,
    notes: Mutex<Vec<String>>,
    stop: Stop,
    current: Mutex<Option<Current>>,
}

/// The stage at work.
struct Current {
    name: &'static str,
    unit: &'static str,
    total: u64,
    done: u64,
    begun: Instant,
    /// When the last line was written.
    said: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new(voice: &Voice, stop: Stop) -> Self {
        let style = match voice.progress {
            _ if voice.quiet => Style::None,
            Style::Auto if !stderr().is_terminal() => Style::Plain,
            style => style,
        };
        Self {
            style,
            voice: *voice,
            notes: Mutex::default(),
            stop,
            current: Mutex::new(None),
        }
    }

    /// Has `make` write a file, unless a signal comes before.
    pub fn watch<T, E: Into<Failure>>(
        voice: &Voice,
        make: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let stop = Stop::listen()?;
        let progress = Self::new(voice, stop.clone());
        let made = make(&progress);
        progress.finish();
        stop.unless_asked(made)
    }

    /// All notes so far.
    pub fn notes(&self) -> Vec<String> {
        held(&self.notes).clone()
    }

    /// A stage of `total` units begins; the one before has ended.
    pub fn begin(&self, name: &'static str, unit: &'static str, total: u64) {
        self.finish();
        let now = Instant::now();
        let current = Current {
            name,
            unit,
            total,
            done: 0,
            begun: now,
            said: now,
            bar: (self.style == Style::Auto).then(|| bar(name, unit, total)),
        };
        if self.style == Style::Json {
            self.line(&current.report());
        }
        *held(&self.current) = Some(current);
    }

    /// Of the stage at work, `done` units are done.
    pub fn reach(&self, done: u64) {
        let mut current = held(&self.current);
        let Some(current) = current.as_mut() else {
            return;
        };
        // Threads report in any order; the greatest count is the latest.
        current.done = current.done.max(done);
        if let Some(bar) = &current.bar {
            bar.set_position(current.done);
        }
        let every = match self.style {
            Style::Plain => PLAIN_EVERY,
            Style::Json => JSON_EVERY,
            Style::Auto | Style::None => return,
        };
        if current.said.elapsed() >= every {
            current.said = Instant::now();
            self.line(&current.report());
        }
    }

    /// Ends the stage at work, all of which is done.
    pub fn complete(&self) {
        if let Some(current) = held(&self.current).as_mut() {
            current.done = current.total;
        }
        self.finish();
    }

    /// Ends the stage at work, wherever it is: its last line is written, its bar is taken away.
    pub fn finish(&self) {
        let Some(current) = held(&self.current).take() else {
            return;
        };
        if let Some(bar) = &current.bar {
            bar.finish_and_clear();
        }
        if self.style == Style::Json || current.begun.elapsed() >= WORTH_A_LINE {
            self.line(&current.report());
        }
    }

    fn line(&self, report: &Report) {
        match self.style {
            Style::Plain => say(report),
            Style::Json => {
                if let Ok(line) = json_line(report) {
                    say(line);
                }
            }
            Style::Auto | Style::None => {}
        }
    }
}

fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Observer for Progress {
    fn stage(&self, stage: Stage, total: u64) {
        self.begin(stage.name(), stage.unit(), total);
    }

    fn advance(&self, stage: Stage, done: u64) {
        if done > 0 && !matches!(stage, Stage::Read | Stage::Places | Stage::Prepare) {
            memory::keep();
        }
        self.reach(done);
    }

    fn cancelled(&self) -> bool {
        self.stop.asked()
    }

    fn note(&self, note: &str) {
        self.finish();
        let note = with_flags(note);
        self.voice.tell_notes(std::slice::from_ref(&note));
        held(&self.notes).push(note);
    }
}

fn bar(name: &'static str, unit: &'static str, total: u64) -> ProgressBar {
    let template = format!(
        "{{msg}}  {{wide_bar}} {{percent}} %  {{human_pos}} of {{human_len}} {unit}  {{rate}}/s  {{left}}"
    );
    let style = ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:.0}", state.per_sec());
        })
        .with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(
                out,
                "{}",
                left(seconds_left(
                    state.pos(),
                    state.len().unwrap_or(0),
                    state.elapsed().as_secs_f64()
                ))
            );
        })
        .progress_chars("=> ");
    let bar = ProgressBar::new(total).with_style(style);
    bar.set_message(name);
    // So that the clock runs on while the stage is between two steps.
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The time left, for people: none is told before there is a rate to tell it by.
fn left(seconds: Option<f64>) -> String {
    match seconds {
        Some(left) => format!("{} left", Seconds(left)),
        None => "no rate yet".to_owned(),
    }
}

/// `None` until something is done.
fn seconds_left(done: u64, total: u64, elapsed_seconds: f64) -> Option<f64> {
    let each = elapsed_seconds.max(1e-3) / done as f64;
    (done > 0).then(|| total.saturating_sub(done) as f64 * each)
}

impl Current {
    fn report(&self) -> Report {
        let elapsed_seconds = self.begun.elapsed().as_secs_f64();
        Report::new(self.name, self.unit, self.done, self.total, elapsed_seconds)
    }
}

/// One line of `--progress json`: how far a stage is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "viewcell --progress json")]
pub struct Report {
    /// The stage at work.
    stage: &'static str,
    /// What its work is counted in.
    unit: &'static str,
    /// Units done.
    done: u64,
    /// Units in all.
    total: u64,
    /// Units a second, over the stage so far.
    rate: f64,
    /// Seconds since the stage began.
    elapsed_seconds: f64,
    /// Seconds until it ends; null until there is a rate to tell by.
    seconds_left: Option<f64>,
}

impl Report {
    fn new(
        stage: &'static str,
        unit: &'static str,
        done: u64,
        total: u64,
        elapsed_seconds: f64,
    ) -> Self {
        let rate = done as f64 / elapsed_seconds.max(1e-3);
        Self {
            stage,
            unit,
            done,
            total,
            rate,
            elapsed_seconds,
            seconds_left: seconds_left(done, total, elapsed_seconds),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A stage of one step has no rate worth telling.
        if self.total <= 1 {
            return match self.done {
                0 => write!(f, "{}", self.stage),
                _ => write!(
                    f,
                    "{}: done in {}",
                    self.stage,
                    Seconds(self.elapsed_seconds)
                ),
            };
        }
        let percent = 100.0 * self.done as f64 / self.total.max(1) as f64;
        write!(
            f,
            "{}: {} of {} {} ({percent:.1} %), {:.0}/s, ",
            self.stage, self.done, self.total, self.unit, self.rate
        )?;
        if self.done >= self.total {
            write!(f, "done in {}", Seconds(self.elapsed_seconds))
        } else {
            f.write_str(&left(self.seconds_left))
        }
    }
}

/// A duration for people: 0.8 s, 12 s, 3 min 05 s, 2 h 07 min.
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.0.round() as u64;
        match whole {
            _ if self.0 < 0.095 => write!(f, "{:.0} ms", self.0 * 1e3),
            _ if self.0 < 9.95 => write!(f, "{:.1} s", self.0),
            0..60 => write!(f, "{whole} s"),
            60..3600 => write!(f, "{} min {:02} s", whole / 60, whole % 60),
            _ => write!(f, "{} h {:02} min", whole / 3600, whole % 3600 / 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        let said: Vec<String> = [0.004, 0.83, 9.94, 12.4, 59.6, 185.0, 7620.0]
            .map(|s| Seconds(s).to_string())
            .into();
        assert_eq!(
            said,
            [
                "4 ms",
                "0.8 s",
                "9.9 s",
                "12 s",
                "1 min 00 s",
                "3 min 05 s",
                "2 h 07 min"
            ]
        );
    }

    #[test]
    fn a_line_says_stage_share_rate_and_time_left() {
        let line = |done, elapsed| {
            Report::new("visibility", "viewpoints", done, 1000, elapsed).to_string()
        };
        assert_eq!(
            line(250, 10.0),
            "visibility: 250 of 1000 viewpoints (25.0 %), 25/s, 30 s left"
        );
        assert!(line(0, 0.0).ends_with("no rate yet"));
        assert!(line(1000, 40.0).ends_with("done in 40 s"));
        let finish = Report::new("finish", "steps", 1, 1, 2.0).to_string();
        assert_eq!(finish, "finish: done in 2.0 s");
    }

    /// The bar said "0s left" until the first step was done, which may take hours.
    #[test]
    fn a_bar_without_a_rate_does_not_say_that_no_time_is_left() {
        assert_eq!(left(seconds_left(0, 1000, 3600.0)), "no rate yet");
        assert_eq!(left(seconds_left(250, 1000, 10.0)), "30 s left");
        assert_eq!(left(seconds_left(1000, 1000, 10.0)), "0 ms left");
        let bar = bar("visibility", "viewpoints", 1000);
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        bar.finish_and_clear();
    }
}
