//! Who is answered.
//!
//! A page of any site can send requests to the loopback, and a site can make its own name point
//! there (DNS rebinding), so that its pages share an origin with whatever listens. So a request
//! must name this server as its host, and must not come from another page than this server's.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::answer::Refusal;

/// What goes with every answer: nothing but what came from here runs or is loaded, nobody frames
/// the page or embeds what it asks for, and nothing is kept, since the next bundle may listen at
/// the same port.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Lets a request pass that names this server, listening at the port `at`, and comes from its own
/// page.
pub async fn guard(State(at): State<u16>, request: Request, next: Next) -> Response {
    let mut response = match check(request.headers(), at) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

fn check(headers: &HeaderMap, port: u16) -> Result<(), Refusal> {
    let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let one = |name: HeaderName| {
        let mut values = headers.get_all(name).iter();
        let first = values.next().map(|value| value.to_str().unwrap_or(""));
        // Two that differ would leave open which of them counts.
        values.next().map_or(Ok(first), |_| Err(()))
    };
    match one(header::HOST) {
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
    match one(header::ORIGIN) {
        Ok(None) => {}
        Ok(Some(origin))
            if names
                .iter()
                .any(|n| origin.strip_prefix("http://") == Some(n)) => {}
        _ => return refused,
    }
    // Following a link to the page is nobody's business but the reader's.
    let one = |name| one(HeaderName::from_static(name));
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

    fn passes(headers: &[(&'static str, &'static str)]) -> bool {
        let pairs = headers.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name, value);
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
