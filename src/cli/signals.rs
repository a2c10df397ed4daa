//! Ctrl-C and its kin: the first asks the work to stop, the second kills.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::exit::Exit;

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Whether a signal asked the work to stop. By default nobody listens, and signals do as ever.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// From now on SIGINT, SIGTERM and SIGHUP ask before they kill.
    pub fn listen() -> io::Result<Self> {
        let stop = Self::default();
        for signal in SIGNALS {
            // In this order: the first signal finds `asked` unset and sets it, the second finds
            // it set and does what signals do.
            flag::register_conditional_default(signal, stop.asked.clone())?;
            flag::register_usize(signal, stop.signal.clone(), signal as usize)?;
            flag::register(signal, stop.asked.clone())?;
        }
        Ok(stop)
    }

    /// Has a signal come?
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The exit code for the signal that came.
    pub fn exit(&self) -> Exit {
        Exit::Signal(self.signal.load(Ordering::Relaxed) as u8)
    }
}
