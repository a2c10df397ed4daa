//! HTTP/1.1 as far as one page needs it: a request is a line and headers, and has no body.
//!
//! `httparse` parses. A whole server was weighed: `tiny_http` 0.12 would save some 150 lines here and in
//! `connections.rs`, for three more packages, but has no read timeouts, so that a client which sends its head
//! slowly holds a thread for ever. A server on `tokio` was given up for the time that it takes to build.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The longest head of a request, in bytes. Browsers send less than one kilobyte.
const MOST_HEAD: usize = 16 << 10;
/// Headers of a request.
const MOST_HEADERS: usize = 64;
/// How long the head of a request may take, from its first byte to its last.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection is kept that asks nothing.
const IDLE_PATIENCE: Duration = Duration::from_secs(60);
/// How often an idle connection looks whether it should end.
const IDLE_CHECK: Duration = Duration::from_millis(500);
/// How long whoever was refused may go on sending before the connection is cut.
const FAREWELL: Duration = Duration::from_millis(500);

/// The headers of a request, in their order; names are in lower case.
#[derive(Default)]
pub(super) struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    /// Adds a header.
    pub(super) fn push(&mut self, name: &str, value: &[u8]) {
        self.0.push((name.to_ascii_lowercase(), value.to_vec()));
    }

    /// All values of the header `name`, which is in lower case. What is not UTF-8 is "".
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |header| header.0 == name);
        named.map(|(_, value)| std::str::from_utf8(value).unwrap_or(""))
    }

    /// Is `token` in one of the lists that the header `name` has?
    fn lists(&self, name: &str, token: &str) -> bool {
        let mut items = self.all(name).flat_map(|value| value.split(','));
        items.any(|item| item.trim().eq_ignore_ascii_case(token))
    }
}

/// A request.
pub(super) struct Request {
    /// GET, HEAD, POST, ...
    pub method: String,
    /// From the first slash to the question mark, as it was sent.
    pub path: String,
    /// What is behind the question mark, as it was sent.
    pub query: String,
    pub headers: Headers,
    /// HTTP/1.0, not 1.1.
    is_old: bool,
}

impl Request {
    /// May the connection be used for another request?
    pub(super) fn keeps_connection(&self) -> bool {
        !self.is_old && !self.headers.lists("connection", "close")
    }
}

/// An answer.
pub(super) struct Response {
    pub status: u16,
    /// The type of the body.
    pub kind: String,
    /// Further headers.
    pub headers: Vec<(&'static str, &'static str)>,
    pub body: Vec<u8>,
}

impl Response {
    /// An answer in words, for people.
    pub(super) fn words(status: u16, words: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8".to_owned(),
            headers: Vec::new(),
            body: words.as_bytes().to_vec(),
        }
    }

    /// Sends the answer to `request`, or to what was no request.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn send(
        &self,
        stream: &mut impl Write,
        request: Option<&Request>,
        keep: bool,
    ) -> io::Result<()> {
        let version = u8::from(!request.is_some_and(|request| request.is_old));
        let mut head = format!(
            "HTTP/1.{version} {} {}\r\ncontent-type: {}\r\ncontent-length: {}\r\n",
            self.status,
            reason(self.status),
            self.kind,
            self.body.len(),
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(if keep {
            "\r\n"
        } else {
            "connection: close\r\n\r\n"
        });
        // In one piece where it is small: a head alone would wait for its acknowledgement.
        let mut bytes = head.into_bytes();
        let is_head = request.is_some_and(|request| request.method == "HEAD");
        match (is_head, self.body.len() <= MOST_HEAD) {
            (true, _) => stream.write_all(&bytes),
            (false, true) => {
                bytes.extend_from_slice(&self.body);
                stream.write_all(&bytes)
            }
            (false, false) => {
                stream.write_all(&bytes)?;
                stream.write_all(&self.body)
            }
        }
    }
}

/// The words of a status line.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

/// What comes over a connection next.
pub(super) enum Next {
    Request(Request),
    /// Not a request, or one that is refused: the response says why, and the connection closes.
    Refused(Response),
    /// Nothing comes any more, or it is not waited for.
    Over,
}

/// Reads the next request. `begun` has what was read behind the last one, and gets what is behind
/// this one. Between requests, `is_over` is asked now and then whether to go on waiting.
pub(super) fn next(
    stream: &mut TcpStream,
    begun: &mut Vec<u8>,
    is_over: impl Fn() -> bool,
) -> Next {
    let idle = Instant::now();
    let mut head = (!begun.is_empty()).then(Instant::now);
    loop {
        match parse(begun) {
            Parsed::Whole(request, length) => {
                begun.drain(..length);
                return Next::Request(request);
            }
            Parsed::Wrong(refusal) => return Next::Refused(refusal),
            Parsed::Part => {}
        }
        let patience = match head {
            Some(since) => HEAD_PATIENCE.saturating_sub(since.elapsed()),
            None => IDLE_CHECK.min(IDLE_PATIENCE.saturating_sub(idle.elapsed())),
        };
        if patience.is_zero() || stream.set_read_timeout(Some(patience)).is_err() {
            return Next::Over;
        }
        let mut bytes = [0; 4096];
        match stream.read(&mut bytes) {
            Ok(0) => return Next::Over,
            Ok(read) => {
                begun.extend_from_slice(&bytes[..read]);
                head = head.or_else(|| Some(Instant::now()));
            }
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    if head.is_none() && !is_over() => {}
                _ => return Next::Over,
            },
        }
    }
}

/// Lets the other side read the answer before the connection is closed: closing while something
/// unread is there throws the answer away.
pub(super) fn take_leave(stream: &mut TcpStream) {
    let until = Instant::now() + FAREWELL;
    if stream.shutdown(std::net::Shutdown::Write).is_err() {
        return;
    }
    let mut bytes = [0; 4096];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        match stream.read(&mut bytes) {
            Ok(read) if read > 0 => {}
            _ => return,
        }
    }
}

enum Parsed {
    /// A request, and the bytes of its head.
    Whole(Request, usize),
    Part,
    Wrong(Response),
}

fn parse(bytes: &[u8]) -> Parsed {
    let wrong = |status, words: &str| Parsed::Wrong(Response::words(status, words));
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= MOST_HEAD => length,
        Ok(httparse::Status::Partial) if bytes.len() <= MOST_HEAD => return Parsed::Part,
        Ok(_) | Err(httparse::Error::TooManyHeaders) => {
            return wrong(431, "the request's head is longer than the page's ever are");
        }
        Err(error) => return wrong(400, &format!("expected a request of HTTP/1.1: {error}")),
    };
    let (Some(method), Some(target), Some(version)) = (parsed.method, parsed.path, parsed.version)
    else {
        return wrong(400, "expected a request of HTTP/1.1");
    };
    if !target.starts_with('/') {
        return wrong(400, "expected a path that starts with a slash");
    }
    let mut kept = Headers::default();
    for header in parsed.headers.iter() {
        kept.push(header.name, header.value);
    }
    // Nothing that can be asked has a body, and whoever sends one may mean its end to be where
    // this server does not see it.
    let has_body = kept.all("content-length").any(|length| length != "0");
    if has_body || kept.all("transfer-encoding").next().is_some() {
        return wrong(413, "expected a request without a body");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: kept,
        is_old: version == 0,
    };
    Parsed::Whole(request, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(bytes: &[u8]) -> Option<u16> {
        match parse(bytes) {
            Parsed::Wrong(refusal) => Some(refusal.status),
            Parsed::Part => None,
            Parsed::Whole(..) => Some(200),
        }
    }

    #[test]
    fn every_beginning_of_a_request_is_waited_for() {
        let whole = b"GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Close\r\n\r\n";
        for length in 0..whole.len() {
            assert_eq!(status(&whole[..length]), None, "{length}");
        }
        let two = [&whole[..], b"POST"].concat();
        let Parsed::Whole(request, length) = parse(&two) else {
            panic!("a request");
        };
        assert_eq!(length, whole.len());
        assert_eq!(
            (&request.method[..], &request.path[..], &request.query[..]),
            ("GET", "/a", "b=c")
        );
        assert!(!request.keeps_connection());
    }

    #[test]
    fn what_is_too_long_or_has_a_body_is_refused() {
        let long = format!("GET /{}", "x".repeat(MOST_HEAD));
        assert_eq!(status(long.as_bytes()), Some(431));
        let long = format!("{long} HTTP/1.1\r\n\r\n");
        assert_eq!(status(long.as_bytes()), Some(431));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(65));
        assert_eq!(status(many.as_bytes()), Some(431));
        for body in [
            "content-length: 1",
            "content-length: 0\r\ncontent-length: 00",
            "transfer-encoding: chunked",
        ] {
            let with = format!("POST / HTTP/1.1\r\n{body}\r\n\r\n");
            assert_eq!(status(with.as_bytes()), Some(413), "{body}");
        }
        let none = b"POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(status(none), Some(200));
        for wrong in [
            &b"GET a HTTP/1.1\r\n\r\n"[..],
            b"GET / HTTP/2.0\r\n\r\n",
            b"OPTIONS * HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\na : b\r\n\r\n",
            b"\x16\x03\x01",
        ] {
            assert_eq!(status(wrong), Some(400), "{wrong:?}");
        }
    }

    #[test]
    fn a_head_alone_is_answered_without_the_body() {
        for (method, ends) in [("GET", "\r\n\r\nwords"), ("HEAD", "\r\n\r\n")] {
            let Parsed::Whole(request, _) =
                parse(format!("{method} / HTTP/1.0\r\n\r\n").as_bytes())
            else {
                panic!("a request");
            };
            let mut sent = Vec::new();
            let answer = Response::words(200, "words");
            answer.send(&mut sent, Some(&request), false).unwrap();
            let sent = String::from_utf8(sent).unwrap();
            assert!(sent.starts_with("HTTP/1.0 200 OK\r\n"), "{sent}");
            assert!(sent.contains("content-length: 5\r\n") && sent.ends_with(ends));
        }
    }
}
