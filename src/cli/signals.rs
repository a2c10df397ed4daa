//! Ctrl-C and its kin: the first asks the work to stop, the second kills.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::exit::{Exit, Failure};
use super::output::say;

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Lets a write beyond the limit on the size of files (`ulimit -f`) fail as others do: by default
/// the system ends the process.
pub fn outlive_file_limits() {
    #[cfg(unix)]
    // Nobody looks at the flag; that somebody listens is enough. Where nobody can, all is as ever.
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Whether a signal asked the work to stop. By default nobody listens, and signals do as ever.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// From now on SIGINT, SIGTERM and SIGHUP ask before they kill.
    pub fn listen() -> Result<Self, Failure> {
        let stop = Self::default();
        let listened = SIGNALS
            .into_iter()
            .try_for_each(|signal| stop.register(signal));
        match listened {
            Ok(()) => Ok(stop),
            Err(error) => Err(Failure::io("cannot listen for signals".into(), error)),
        }
    }

    fn register(&self, signal: i32) -> io::Result<()> {
        // In this order: the first signal finds `asked` unset and sets it, the second finds it set
        // and does what signals do.
        flag::register_conditional_default(signal, self.asked.clone())?;
        flag::register_usize(signal, self.signal.clone(), signal as usize)?;
        flag::register(signal, self.asked.clone())?;
        Ok(())
    }

    /// Has a signal come?
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The last words where a signal came before anything was written; returns its exit code.
    pub fn stopped(&self) -> Exit {
        say("viewcell: stopped; nothing was written");
        self.exit()
    }

    /// The exit code for the signal that came.
    pub fn exit(&self) -> Exit {
        Exit::Signal(self.signal.load(Ordering::Relaxed) as u8)
    }
}
