//! Work that all threads do, and that is handed on in order.

use std::sync::Mutex;

use rayon::prelude::*;

use super::{BakeError, Observer};

/// Threads, and who follows what they do.
pub(super) struct Crew<'a> {
    pool: rayon::ThreadPool,
    pub observer: &'a dyn Observer,
}

/// Pieces of work a thread that are on their way at once.
const PIECES: usize = 8;

/// So many threads.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, BakeError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| BakeError::Option {
            option: "--threads",
            expected: "a number of threads that the system can start",
            found: error.to_string(),
        })
}

impl<'a> Crew<'a> {
    /// So many threads.
    pub fn new(threads: usize, observer: &'a dyn Observer) -> Result<Self, BakeError> {
        let pool = pool(threads)?;
        Ok(Self { pool, observer })
    }

    /// Loads all pieces, works on them, and takes what becomes of them, each in order. Threads
    /// work with a room each, which are returned in the end; loaded and taken is on this thread.
    pub fn run<L: Send, R: Default + Send, T: Send>(
        &self,
        pieces: impl IntoIterator<Item = usize>,
        mut load: impl FnMut(usize) -> Result<L, BakeError>,
        work: impl Fn(&mut R, usize, L) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), BakeError>,
    ) -> Result<Vec<R>, BakeError> {
        let rooms = Mutex::new(Vec::new());
        let with_room = |(piece, loaded)| {
            let free = rooms.lock().ok().and_then(|mut rooms| rooms.pop());
            let mut room = free.unwrap_or_default();
            let done = work(&mut room, piece, loaded);
            if let Ok(mut rooms) = rooms.lock() {
                rooms.push(room);
            }
            (piece, done)
        };
        let mut pieces = pieces.into_iter();
        loop {
            if self.observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            let chunk = pieces
                .by_ref()
                .take(PIECES * self.pool.current_num_threads());
            let loaded = chunk.map(|piece| Ok((piece, load(piece)?)));
            let loaded = loaded.collect::<Result<Vec<_>, BakeError>>()?;
            if loaded.is_empty() {
                break;
            }
            let done: Vec<_> = self
                .pool
                .install(|| loaded.into_par_iter().map(with_room).collect());
            for (piece, done) in done {
                take(piece, done)?;
            }
        }
        Ok(rooms.into_inner().unwrap_or_default())
    }
}
