//! Ordered parallel map: parallel work whose results are handed on in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};

use super::error::BakeError;
use super::observer::Observer;

/// Threads, and the observer of what they do.
pub(crate) struct Workers<'a> {
    pool: rayon::ThreadPool,
    pub observer: &'a dyn Observer,
    /// Whether what the threads still do is of no use to anybody.
    stopped: AtomicBool,
}

/// Pieces of work a thread that are on their way at once: as many as keep all threads busy while
/// one waits to be handed on.
const PIECES: usize = 4;

/// Threads to work with, where 0 stands for as many as there are processors.
pub fn thread_count(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    }
}

/// So many threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, BakeError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| BakeError::Threads {
            threads,
            error: error.to_string(),
        })
}

impl<'a> Workers<'a> {
    /// So many threads.
    pub(crate) fn new(threads: usize, observer: &'a dyn Observer) -> Result<Self, BakeError> {
        Ok(Self {
            pool: pool(threads)?,
            observer,
            stopped: AtomicBool::new(false),
        })
    }

    /// Whether the work is still wanted.
    fn goes_on(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed) && !self.observer.cancelled()
    }

    /// As [`Workers::run_in`], with rooms that are empty at first.
    pub(super) fn run<L: Send, R: Default + Send, T: Send>(
        &self,
        pieces: impl IntoIterator<Item = usize>,
        load: impl FnMut(usize) -> Result<L, BakeError>,
        work: impl Fn(&mut R, usize, L) -> T + Sync,
        take: impl FnMut(usize, T) -> Result<(), BakeError>,
    ) -> Result<Vec<R>, BakeError> {
        self.run_in(R::default, pieces, load, work, take)
    }

    /// Loads all pieces, works on them, and takes what becomes of them, each in order. Threads
    /// work in a `room` each, which are returned in the end; loaded and taken is on this thread.
    pub(super) fn run_in<L: Send, R: Send, T: Send>(
        &self,
        room: impl Fn() -> R + Sync,
        pieces: impl IntoIterator<Item = usize>,
        mut load: impl FnMut(usize) -> Result<L, BakeError>,
        work: impl Fn(&mut R, usize, L) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), BakeError>,
    ) -> Result<Vec<R>, BakeError> {
        let rooms = Mutex::new(Vec::new());
        let in_room = |piece: usize, loaded: L| {
            let free = rooms.lock().ok().and_then(|mut rooms| rooms.pop());
            let mut room = free.unwrap_or_else(&room);
            let done = work(&mut room, piece, loaded);
            if let Ok(mut rooms) = rooms.lock() {
                rooms.push(room);
            }
            done
        };
        let (sender, receiver) = mpsc::channel();
        let window = PIECES * self.pool.current_num_threads();
        self.pool.in_place_scope(|scope| {
            let mut pieces = pieces.into_iter();
            // By their places in the order: pieces that are done and not yet due.
            let mut waiting = BTreeMap::new();
            let (mut started, mut due) = (0, 0);
            let mut hand_on = || {
                loop {
                    while started < due + window
                        && let Some(piece) = pieces.next()
                    {
                        let loaded = load(piece)?;
                        let (sender, place, in_room) = (sender.clone(), started, &in_room);
                        scope.spawn(move |_| {
                            // Whoever waits for it learns of it even if the work panics.
                            let mut outcome = Outcome {
                                sender,
                                place,
                                piece,
                                done: None,
                            };
                            outcome.done = self.goes_on().then(|| in_room(piece, loaded));
                        });
                        started += 1;
                    }
                    if due == started {
                        return Ok(());
                    }
                    let (piece, done) = loop {
                        if let Some(next) = waiting.remove(&due) {
                            break next;
                        }
                        let Ok((place, piece, done)) = receiver.recv() else {
                            return Err(BakeError::Cancelled);
                        };
                        waiting.insert(place, (piece, done));
                    };
                    due += 1;
                    take(piece, done.ok_or(BakeError::Cancelled)?)?;
                }
            };
            let handed_on = hand_on();
            self.stopped.store(handed_on.is_err(), Ordering::Relaxed);
            handed_on
        })?;
        Ok(rooms.into_inner().unwrap_or_default())
    }
}

/// What became of a piece: sent when it is dropped.
struct Outcome<T> {
    sender: mpsc::Sender<(usize, usize, Option<T>)>,
    /// Its place in the order.
    place: usize,
    piece: usize,
    /// `None` where it was not worked on to the end.
    done: Option<T>,
}

impl<T> Drop for Outcome<T> {
    fn drop(&mut self) {
        let outcome = (self.place, self.piece, self.done.take());
        // Nobody listens any more once something has failed.
        self.sender.send(outcome).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::super::observer::Silent;
    use super::*;

    #[test]
    fn pieces_are_taken_in_order_whatever_they_take() {
        let workers = Workers::new(3, &Silent).unwrap();
        let mut taken = Vec::new();
        let rooms = workers.run(
            (0..200).rev(),
            |piece| Ok(piece * 2),
            |room: &mut usize, piece, loaded| {
                std::thread::sleep(std::time::Duration::from_micros((piece % 7 * 50) as u64));
                *room += 1;
                loaded + 1
            },
            |piece, done| {
                taken.push((piece, done));
                Ok(())
            },
        );
        let expected: Vec<_> = (0..200).rev().map(|piece| (piece, 2 * piece + 1)).collect();
        assert_eq!(taken, expected);
        assert_eq!(rooms.unwrap().iter().sum::<usize>(), 200);
    }

    #[test]
    fn an_error_ends_the_work_and_the_pool_works_again() {
        let workers = Workers::new(2, &Silent).unwrap();
        let run = |last: usize| {
            workers.run(
                0..100,
                |_| Ok(()),
                |(): &mut (), piece, ()| piece,
                |piece, _| {
                    if piece == last {
                        Err(BakeError::Cancelled)
                    } else {
                        Ok(())
                    }
                },
            )
        };
        assert!(run(13).is_err());
        assert!(!workers.goes_on());
        assert!(run(1000).is_err(), "what failed once is over");
    }

    #[test]
    #[should_panic(expected = "worker")]
    fn a_panic_of_a_thread_reaches_whoever_waits() {
        let workers = Workers::new(2, &Silent).unwrap();
        let work = |(): &mut (), piece: usize, ()| assert!(piece != 5, "worker");
        workers.run(0..50, |_| Ok(()), work, |_, ()| Ok(())).ok();
    }
}
