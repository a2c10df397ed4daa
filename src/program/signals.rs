//! Ctrl-C and its kin: the first asks the work to stop, the second kills.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

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

/// Whether a thread waits for signals, to remove files in the making before they end the process.
static WATCHED: AtomicBool = AtomicBool::new(false);
/// Whether the first signal only asks the work to stop.
static ASKS_FIRST: AtomicBool = AtomicBool::new(false);

/// From now on a signal that ends the process removes its files in the making first. Where no thread
/// can be started for that, signals do as ever.
pub fn remove_parts_on_signals() {
    #[cfg(unix)]
    // What fails here leaves all as it was.
    let _ = watch();
}

#[cfg(unix)]
fn watch() -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use signal_hook::low_level::{emulate_default_handler, pipe};

    let (mut arrivals, sender) = UnixStream::pair()?;
    let last = Arc::new(AtomicUsize::new(0));
    let signal = last.clone();
    let wait = move || {
        while arrivals.read_exact(&mut [0]).is_ok() {
            if !ASKS_FIRST.swap(false, Ordering::SeqCst) {
                viewcell_bake::bundle::remove_parts();
                let _ = emulate_default_handler(signal.load(Ordering::SeqCst) as i32);
            }
        }
    };
    std::thread::Builder::new().spawn(wait)?;
    for signal in SIGNALS.into_iter().filter(|&signal| !is_ignored(signal)) {
        // In this order: the number is there before the thread wakes up.
        flag::register_usize(signal, last.clone(), signal as usize)?;
        pipe::register(signal, sender.try_clone()?)?;
    }
    WATCHED.store(true, Ordering::SeqCst);
    Ok(())
}

/// Whether who started the process wants a signal ignored, as nohup does. Where the system does not
/// say, it is not.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(0) >> (signal - 1) & 1 == 1
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
        ASKS_FIRST.store(true, Ordering::SeqCst);
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
        // and does what signals do, unless a thread sees to that.
        if !WATCHED.load(Ordering::SeqCst) || is_ignored(signal) {
            flag::register_conditional_default(signal, self.asked.clone())?;
        }
        flag::register_usize(signal, self.signal.clone(), signal as usize)?;
        flag::register(signal, self.asked.clone())?;
        Ok(())
    }

    /// Has a signal come?
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// One that is asked where this is, or where `also` says so, which is asked every so often for as long as somebody listens.
    pub fn or(&self, often: Duration, also: impl Fn() -> bool + Send + 'static) -> Self {
        let own = Self {
            asked: Arc::default(),
            signal: self.signal.clone(),
        };
        let (stop, listener) = (self.clone(), Arc::downgrade(&own.asked));
        std::thread::spawn(move || {
            while let Some(asked) = listener.upgrade() {
                asked.fetch_or(stop.asked() || also(), Ordering::Relaxed);
                drop(asked);
                std::thread::sleep(often);
            }
        });
        own
    }

    /// The last words where a signal came before anything was written.
    pub fn stopped(&self) -> Failure {
        say("viewcell: stopped; nothing was written");
        Failure::Stopped(self.exit())
    }

    /// What was made; if that failed since a signal came before anything was written, the last words.
    pub fn unless_asked<T, E: Into<Failure>>(&self, made: Result<T, E>) -> Result<T, Failure> {
        match made {
            Err(_) if self.asked() => Err(self.stopped()),
            other => other.map_err(E::into),
        }
    }

    /// The exit code for the signal that came.
    pub fn exit(&self) -> Exit {
        Exit::Signal(self.signal.load(Ordering::Relaxed) as u8)
    }
}
