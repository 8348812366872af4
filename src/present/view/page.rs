//! The view in a browser, for clients that show no views and for people without a client.
//!
//! One listener, on 127.0.0.1 and nowhere else, started when the first link is asked for and
//! gone with the process. A link is `http://127.0.0.1:PORT/#TOKEN`: the token is 128 random
//! bits, stands behind the `#`, so that no browser sends it anywhere by itself, and opens one
//! chart or one table, whatever a request says that it wants. The page sends it in a header
//! of its own with each call.
//!
//! Whoever asks has to name this listener as host (a name that was bound to this address
//! anew is refused), as origin (another page's calls are), and has to have the token. There
//! are no cookies, and no other page may read an answer. The page itself holds no data.
//!
//! Written by hand, because it is all of HTTP that is needed and each part has a bound: three
//! paths, one request to a connection, some kilobytes of head and body, some seconds, a few
//! connections. Threads and not tasks: it has to work without the server's runtime, too.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{FRAME, FRAME_POLICY, own_page, policy};

/// Bytes of a request's head, and of its body.
const HEAD: usize = 16 << 10;
const BODY: usize = 64 << 10;
/// How long a request may take to come, and an answer to go.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections at the same time.
const CONNECTIONS: usize = 32;
/// Where the page for a script's own page is.
const FRAMED: &str = "/frame";
/// Links that are open; older ones are closed.
const LINKS: usize = 256;

/// Answers a call of the page: the function's name, the data that the token opens, arguments.
pub type Answers = dyn Fn(&str, &str, Map<String, Value>) -> Result<Value, String> + Send + Sync;

/// The listener. See the module.
pub struct Page {
    port: u16,
    links: Arc<Mutex<Links>>,
}

#[derive(Default)]
struct Links {
    by_token: HashMap<String, String>,
    in_order: Vec<String>,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Page {
    /// Begins to listen.
    ///
    /// # Errors
    /// The system gives no port or no thread.
    pub fn start(answers: Box<Answers>) -> io::Result<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the person's own browser, on loopback only, behind a random token"
        )]
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let links: Arc<Mutex<Links>> = Arc::default();
        let shared = Arc::new(Shared { port, links: Arc::clone(&links), answers });
        std::thread::Builder::new().name("page".to_owned()).spawn(move || {
            let open = Arc::new(AtomicUsize::new(0));
            for stream in listener.incoming().flatten() {
                let (shared, open) = (Arc::clone(&shared), Arc::clone(&open));
                if open.load(Ordering::Relaxed) >= CONNECTIONS {
                    continue;
                }
                open.fetch_add(1, Ordering::Relaxed);
                let ended = Arc::clone(&open);
                let thread = std::thread::Builder::new().name("page call".to_owned());
                let begun = thread.spawn(move || {
                    // Who went away does not want the answer.
                    let _ = shared.serve(stream);
                    open.fetch_sub(1, Ordering::Relaxed);
                });
                if begun.is_err() {
                    ended.fetch_sub(1, Ordering::Relaxed);
                }
            }
        })?;
        Ok(Self { port, links })
    }

    /// A link that opens one chart or table.
    ///
    /// # Errors
    /// There are no random bits.
    pub fn link(&self, data: &str) -> io::Result<String> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|error| io::Error::other(error.to_string()))?;
        let token: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.in_order.len() >= LINKS {
            let oldest = links.in_order.remove(0);
            links.by_token.remove(&oldest);
        }
        links.by_token.insert(token.clone(), data.to_owned());
        links.in_order.push(token.clone());
        Ok(format!("http://127.0.0.1:{}/#{token}", self.port))
    }
}

struct Shared {
    port: u16,
    links: Arc<Mutex<Links>>,
    answers: Box<Answers>,
}

/// A request, as far as it matters.
struct Request {
    method: String,
    path: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let read = read(&mut stream);
        let framed = matches!(&read, Ok(request) if request.path == FRAMED);
        let (status, kind, body) = match read {
            Ok(request) => self.answer(&request),
            Err(status) => refusal(status, "this is no request that this page answers"),
        };
        // A frame without an origin is let into no page that isolates itself from its opener.
        let policy = match framed {
            true => FRAME_POLICY.to_owned(),
            false => format!("{}\r\ncross-origin-opener-policy: same-origin", policy()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
             connection: close\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n\
             referrer-policy: no-referrer\r\n\
             cross-origin-resource-policy: same-origin\r\ncontent-security-policy: {policy}\r\n\r\n",
            body.len(),
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&body)?;
        stream.flush()
    }

    fn answer(&self, request: &Request) -> Answer {
        let own = format!("127.0.0.1:{}", self.port);
        let header = |name: &str| request.headers.get(name).map(String::as_str);
        if header("host") != Some(own.as_str()) {
            return refusal("403 Forbidden", "this listener has no such name");
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => ("200 OK", "text/html; charset=utf-8", own_page().as_bytes().to_vec()),
            ("GET", FRAMED) => ("200 OK", "text/html; charset=utf-8", FRAME.as_bytes().to_vec()),
            ("POST", "/call") => {
                let origin = format!("http://{own}");
                if header("origin") != Some(origin.as_str()) {
                    return refusal("403 Forbidden", "only this listener's own page may call it");
                }
                let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
                let data = header("x-dataroom-token").and_then(|token| links.by_token.get(token));
                let Some(data) = data.cloned() else {
                    let why = "this link is unknown or closed: ask for the chart again";
                    return refusal("401 Unauthorized", why);
                };
                drop(links);
                self.call(&data, &request.body)
            }
            ("GET" | "POST", _) => refusal("404 Not Found", "there is nothing here"),
            _ => refusal("405 Method Not Allowed", "GET or POST"),
        }
    }

    fn call(&self, data: &str, body: &[u8]) -> Answer {
        let asked: Option<Value> = serde_json::from_slice(body).ok();
        let name = asked.as_ref().and_then(|asked| asked.get("name")?.as_str());
        let Some(name) = name else {
            return refusal("400 Bad Request", "the call is no JSON with a name");
        };
        let arguments = asked.as_ref().and_then(|asked| asked.get("arguments")?.as_object());
        match (self.answers)(name, data, arguments.cloned().unwrap_or_default()) {
            Ok(answer) => ("200 OK", "application/json", answer.to_string().into_bytes()),
            // To a browser any other status is a fault of the page.
            Err(why) => refusal("200 OK", &why),
        }
    }
}

type Answer = (&'static str, &'static str, Vec<u8>);

fn refusal(status: &'static str, why: &str) -> Answer {
    (status, "application/json", json!({ "error": why }).to_string().into_bytes())
}

/// Reads a request, or says how it is refused.
fn read(stream: &mut impl Read) -> Result<Request, &'static str> {
    const BAD: &str = "400 Bad Request";
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > HEAD {
            return Err("431 Request Header Fields Too Large");
        }
        let mut part = [0; 4096];
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return Err(BAD),
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    };
    let head = std::str::from_utf8(&bytes[..end]).map_err(|_| BAD)?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some("HTTP/1.1"), None) =
        (first.next(), first.next(), first.next(), first.next())
    else {
        return Err(BAD);
    };
    let mut headers = HashMap::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(BAD)?;
        // Two of one name are two meanings.
        if headers.insert(name.to_ascii_lowercase(), value.trim().to_owned()).is_some() {
            return Err(BAD);
        }
    }
    if headers.contains_key("transfer-encoding") {
        return Err("411 Length Required");
    }
    let length = match headers.get("content-length") {
        None => 0,
        Some(length) => length.parse::<usize>().map_err(|_| BAD)?,
    };
    if length > BODY {
        return Err("413 Content Too Large");
    }
    let mut body = bytes[end + 4..].to_vec();
    if body.len() > length {
        return Err(BAD);
    }
    let have = body.len();
    body.resize(length, 0);
    stream.read_exact(&mut body[have..]).map_err(|_| BAD)?;
    Ok(Request { method: method.to_owned(), path: path.to_owned(), headers, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> (Shared, String) {
        let links: Arc<Mutex<Links>> = Arc::default();
        let page = Page { port: 7, links: Arc::clone(&links) };
        let answers: Box<Answers> =
            Box::new(|name, data, _| Ok(json!({ "name": name, "data": data })));
        let link = page.link("data_1").unwrap();
        let token = link.split_once('#').unwrap().1.to_owned();
        (Shared { port: 7, links, answers }, token)
    }

    fn asked(text: &str) -> Result<Request, &'static str> {
        read(&mut text.as_bytes())
    }

    fn post(host: &str, origin: &str, token: &str) -> String {
        let body = r#"{"name":"read_rows","arguments":{"data":"data_2"}}"#;
        format!(
            "POST /call HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\
             X-Dataroom-Token: {token}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    #[test]
    fn a_token_opens_one_thing_for_the_page_itself() {
        let (shared, token) = page();
        assert_eq!(token.len(), 32);
        let status = |host: &str, origin: &str, token: &str| {
            shared.answer(&asked(&post(host, origin, token)).unwrap())
        };
        let (own, origin) = ("127.0.0.1:7", "http://127.0.0.1:7");
        let (code, _, body) = status(own, origin, &token);
        assert_eq!(code, "200 OK");
        // Whatever a request says that it wants.
        assert_eq!(body, br#"{"name":"read_rows","data":"data_1"}"#);
        assert_eq!(status("evil.example:7", origin, &token).0, "403 Forbidden");
        assert_eq!(status("localhost:7", origin, &token).0, "403 Forbidden");
        assert_eq!(status(own, "http://evil.example", &token).0, "403 Forbidden");
        assert_eq!(status(own, "null", &token).0, "403 Forbidden");
        assert_eq!(status(own, origin, &"0".repeat(32)).0, "401 Unauthorized");
        assert_eq!(status(own, origin, "").0, "401 Unauthorized");
    }

    #[test]
    fn requests_have_bounds_and_one_meaning() {
        assert!(asked("GET / HTTP/1.1\r\nHost: a\r\n\r\n").is_ok());
        for (text, status) in [
            ("GET / HTTP/1.0\r\n\r\n".to_owned(), "400"),
            ("GET /\r\n\r\n".to_owned(), "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n".to_owned(), "400"),
            ("GET / HTTP/1.1\r\nHost: a".to_owned(), "400"),
            (format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(HEAD)), "431"),
            ("POST / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n".to_owned(), "413"),
            ("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab".to_owned(), "400"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(), "411"),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nab".to_owned(), "400"),
        ] {
            let refused = asked(&text).err().unwrap_or("accepted");
            assert!(refused.starts_with(status), "{refused} {}", &text[..30.min(text.len())]);
        }
    }

    #[test]
    fn old_links_are_closed() {
        let page = Page { port: 7, links: Arc::default() };
        let first = page.link("a").unwrap();
        for _ in 0..LINKS {
            page.link("b").unwrap();
        }
        let links = page.links.lock().unwrap();
        assert_eq!((links.by_token.len(), links.in_order.len()), (LINKS, LINKS));
        assert!(!links.by_token.contains_key(first.split_once('#').unwrap().1));
    }
}
