//! Protection against DNS rebinding and foreign pages: which requests are answered.
//!
//! A page of any site can send requests to the loopback, and a site can make its own name point
//! there (DNS rebinding), so that its pages share an origin with whatever listens. So a request
//! must name this server as its host, and must not come from another page than this server's.

use super::answer::Refusal;
use super::http::{Headers, Request, Response};

/// What goes with every answer: nothing but what came from here runs or is loaded, nobody frames
/// the page or embeds what it asks for, and nothing is kept, since the next bundle may listen at
/// the same port.
const HEADERS: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Lets a request pass to `answer` that names this server, listening at `port`, and comes from
/// its own page.
pub(super) fn guard(port: u16, request: &Request, answer: impl FnOnce() -> Response) -> Response {
    let mut response = match check(&request.headers, port) {
        Ok(()) => answer(),
        Err(refusal) => refusal.into_response(),
    };
    response.headers.extend(HEADERS);
    response
}

fn check(headers: &Headers, port: u16) -> Result<(), Refusal> {
    let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let one = |name: &str| {
        let mut values = headers.all(name);
        let first = values.next();
        // Two that differ would leave open which of them counts.
        values.next().map_or(Ok(first), |_| Err(()))
    };
    match one("host") {
        Ok(Some(host)) if names.iter().any(|name| name == host) => {}
        _ => {
            return Err(Refusal::forbidden(format!(
                "expected the host {}: open the address that viewcell view printed",
                names[0]
            )));
        }
    }
    let refused = Err(Refusal::forbidden(
        "expected a request of the view's own page",
    ));
    match one("origin") {
        Ok(None) => {}
        Ok(Some(origin))
            if names
                .iter()
                .any(|n| origin.strip_prefix("http://") == Some(n)) => {}
        _ => return refused,
    }
    // Following a link to the page is nobody's business but the reader's.
    let is_visit = one("sec-fetch-mode") == Ok(Some("navigate"))
        && one("sec-fetch-dest") == Ok(Some("document"));
    match one("sec-fetch-site") {
        Ok(None | Some("same-origin" | "none")) => Ok(()),
        Ok(Some(_)) if is_visit => Ok(()),
        _ => refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(headers: &[(&str, &str)]) -> bool {
        let mut map = Headers::default();
        for (name, value) in headers {
            map.push(name, value.as_bytes());
        }
        check(&map, 4000).is_ok()
    }

    #[test]
    fn the_page_itself_and_programs_are_answered() {
        let host = ("host", "127.0.0.1:4000");
        assert!(passes(&[host]));
        assert!(passes(&[("host", "localhost:4000")]));
        assert!(passes(&[host, ("origin", "http://127.0.0.1:4000")]));
        assert!(passes(&[host, ("sec-fetch-site", "same-origin")]));
        assert!(passes(&[host, ("sec-fetch-site", "none")]));
        let visit = [
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        assert!(passes(&[
            host,
            ("sec-fetch-site", "cross-site"),
            visit[0],
            visit[1]
        ]));
    }

    #[test]
    fn other_hosts_and_origins_are_not() {
        let host = ("host", "127.0.0.1:4000");
        assert!(!passes(&[]));
        assert!(!passes(&[("host", "127.0.0.1")]));
        assert!(!passes(&[("host", "127.0.0.1:4001")]));
        assert!(!passes(&[("host", "evil.example:4000")]));
        assert!(!passes(&[host, ("host", "evil.example:4000")]));
        assert!(!passes(&[host, ("origin", "null")]));
        assert!(!passes(&[host, ("origin", "http://evil.example")]));
        assert!(!passes(&[host, ("origin", "http://127.0.0.1:4001")]));
        assert!(!passes(&[host, ("origin", "https://127.0.0.1:4000")]));
        assert!(!passes(&[host, ("sec-fetch-site", "same-site")]));
        assert!(!passes(&[host, ("sec-fetch-site", "cross-site")]));
        let embeds = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        assert!(!passes(&[
            host,
            ("sec-fetch-site", "cross-site"),
            embeds[0],
            embeds[1]
        ]));
    }
}
