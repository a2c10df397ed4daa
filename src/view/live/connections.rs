//! Connections: a thread for each, and no more of them than fit.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::Builder;
use std::time::Duration;

use super::http::{Next, Request, Response, next, take_leave};

/// Connections at the same time. Others wait in the system's queue, and those that ask nothing
/// make room for them.
const MOST_CONNECTIONS: usize = 256;
/// How long a stop may wait to be noticed.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long an answer may wait for its reader.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);

/// What all connections share.
struct Shared {
    answer: Box<dyn Fn(&Request) -> Response + Send + Sync>,
    open: Mutex<usize>,
    closed: Condvar,
    /// Somebody waits for room.
    waiting: AtomicBool,
    stopped: AtomicBool,
}

/// Takes connections and answers what they ask, until `stop` says so. Connections that are still
/// answered then are not waited for.
///
/// # Errors
///
/// Where the system gives no thread.
pub(super) fn serve(
    listener: TcpListener,
    answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
    stop: impl Fn() -> bool,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared {
        answer: Box::new(answer),
        open: Mutex::new(0),
        closed: Condvar::new(),
        waiting: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
    });
    let accepting = shared.clone();
    let acceptor = Builder::new()
        .name("view".to_owned())
        .spawn(move || accept(&listener, &accepting))?;
    while !stop() && !acceptor.is_finished() {
        std::thread::sleep(PATIENCE);
    }
    shared.stopped.store(true, Ordering::SeqCst);
    shared.closed.notify_all();
    // The port is free when this returns.
    while !acceptor.is_finished() {
        wake(address);
    }
    match acceptor.join() {
        Ok(()) => Ok(()),
        Err(_) => Err(io::Error::other("nobody takes connections any more")),
    }
}

/// Ends the wait for a connection by making one.
fn wake(address: SocketAddr) {
    let _ = TcpStream::connect_timeout(&address, PATIENCE);
    std::thread::sleep(Duration::from_millis(1));
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while shared.enter() {
        let taken = listener.accept();
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, _)) = taken else {
            // Gone before it was taken, or too many files are open: those at work close theirs.
            shared.leave();
            std::thread::sleep(PATIENCE);
            continue;
        };
        let connection = Connection(shared.clone());
        // Without a thread, connection and stream go with the closure.
        let _ = Builder::new()
            .name("view".to_owned())
            .spawn(move || connection.run(stream));
    }
}

impl Shared {
    /// Waits until there is room for one more; false where all is over.
    fn enter(&self) -> bool {
        let mut open = self.open.lock().unwrap_or_else(|p| p.into_inner());
        while *open >= MOST_CONNECTIONS && !self.stopped.load(Ordering::SeqCst) {
            self.waiting.store(true, Ordering::SeqCst);
            // With a bound: a stop may fall between the look and the wait.
            let waited = self.closed.wait_timeout(open, PATIENCE);
            open = waited.unwrap_or_else(|p| p.into_inner()).0;
        }
        self.waiting.store(false, Ordering::SeqCst);
        *open += 1;
        !self.stopped.load(Ordering::SeqCst)
    }

    fn leave(&self) {
        *self.open.lock().unwrap_or_else(|p| p.into_inner()) -= 1;
        self.closed.notify_one();
    }

    fn wants_room(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) || self.stopped.load(Ordering::SeqCst)
    }
}

/// A connection's place among all; free again when it is dropped.
struct Connection(Arc<Shared>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Connection {
    fn run(self, mut stream: TcpStream) {
        let ready = stream.set_nodelay(true);
        if ready
            .and_then(|()| stream.set_write_timeout(Some(WRITE_PATIENCE)))
            .is_err()
        {
            return;
        }
        let mut begun = Vec::new();
        loop {
            let (response, request) = match next(&mut stream, &mut begun, || self.0.wants_room()) {
                Next::Request(request) => (self.answer(&request), Some(request)),
                Next::Refused(refusal) => (refusal, None),
                Next::Over => return,
            };
            let keep = request.as_ref().is_some_and(Request::keeps_connection);
            let sent = response.send(&mut stream, request.as_ref(), keep);
            match (sent, keep) {
                (Ok(()), true) => {}
                (Ok(()), false) => return take_leave(&mut stream),
                (Err(_), _) => return,
            }
        }
    }

    /// A question that panics is one that cannot be answered; the next one can.
    fn answer(&self, request: &Request) -> Response {
        let answer = || (self.0.answer)(request);
        catch_unwind(AssertUnwindSafe(answer))
            .unwrap_or_else(|_| Response::words(500, "this question could not be answered"))
    }
}
