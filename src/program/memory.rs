//! Out of memory: one sentence and exit code 5, where Rust would abort with a backtrace.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The system's allocator, which ends the process where the system has no memory left.
pub struct Memory;

// SAFETY: all is done by the system's allocator; a null pointer is never returned, which callers
// need not count on.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of this very function.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn given(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        give_up(size);
    }
    memory
}

/// Files that are worth nothing as long as they are in this list.
static WORTHLESS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on, running out of memory removes these files: a job has begun them that has nothing
/// to keep yet.
pub fn remove_if_short(files: Vec<PathBuf>) {
    *WORTHLESS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner()) = files;
}

/// From now on the files of [`remove_if_short`] are worth something, and stay.
pub fn keep() {
    remove_if_short(Vec::new());
}

/// Says that there is no memory, and ends the process. Asks for none itself.
#[cold]
fn give_up(size: usize) -> ! {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::SeqCst) {
        // Another thread is at it, or this one and fails.
        thread::sleep(Duration::from_secs(2));
        signal_hook::low_level::exit(5);
    }
    let mut words = Cursor::new([0_u8; 320]);
    // What does not fit is left out.
    let _ = writeln!(
        words,
        "viewcell: out of memory: the system had no {size} bytes more to give; raise the limit \
         (ulimit -v, or the container's), use fewer --threads, or take a smaller part: --crop a \
         heightmap, ask a smaller bundle"
    );
    let end = words.position() as usize;
    say(&words.get_ref()[..end]);
    if let Ok(files) = WORTHLESS.try_lock() {
        for file in files.iter() {
            let _ = fs::remove_file(file);
        }
    }
    signal_hook::low_level::exit(5)
}

/// Writes to stderr past its lock, which a thread that waits for memory may hold.
#[cfg(unix)]
fn say(words: &[u8]) {
    use std::mem::ManuallyDrop;
    use std::os::fd::FromRawFd;

    // SAFETY: file 2 stays open, since nobody drops this one.
    let mut stderr = ManuallyDrop::new(unsafe { fs::File::from_raw_fd(2) });
    let _ = stderr.write_all(words);
}

#[cfg(not(unix))]
fn say(words: &[u8]) {
    let _ = std::io::stderr().write_all(words);
}
