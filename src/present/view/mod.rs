//! The view: one page that shows a chart or a table to the person.
//!
//! ```text
//!   road.js   how it calls the room: MCP Apps' messages to a host, or HTTP to `page`
//!   chart.js  the picture that the room drew; zoom, move, point, legend, keys
//!   table.js  rows by windows; sort, filter, keys
//!   figure.js what a script drew, as it left it
//!   frame     an empty page for figures that are pages, apart from everything else
//!   main.js   what is shown, and the buttons
//!   page      the listener on loopback, for clients that show no views
//! ```
//!
//! It is plain HTML, CSS and JavaScript, joined into one file here: no build step, no
//! framework, nothing fetched. Rows and pictures reach it by functions that only it may call,
//! so nothing that it shows has passed a model. Text of the data becomes text nodes and never
//! markup; the picture is parsed as XML and has no scripts (`present/chart`).
//!
//! No charting library: the picture is the one that is exported (`room/chart` says why), and
//! looking closer asks the room for another.

mod base64;
pub mod page;

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

pub use self::base64::base64;

const HTML: &str = include_str!("view.html");
const CSS: &str = include_str!("view.css");
const SCRIPTS: [&str; 5] = [
    include_str!("road.js"),
    include_str!("chart.js"),
    include_str!("table.js"),
    include_str!("figure.js"),
    include_str!("main.js"),
];

fn script() -> String {
    SCRIPTS.join("\n")
}

/// The whole page, for a host that shows views.
#[must_use]
pub fn html() -> String {
    made("")
}

/// The same for the listener. A browser would ask it for an icon.
fn own_page() -> &'static str {
    static PAGE: LazyLock<String> = LazyLock::new(|| made("<link rel=\"icon\" href=\"data:,\">"));
    &PAGE
}

fn made(icon: &str) -> String {
    let html = HTML.replacen("<!--ICON-->\n", icon, 1);
    html.replacen("/*CSS*/", CSS, 1).replacen("/*JS*/", &script(), 1)
}

/// What a browser may do for the page on loopback: run this script and call this listener.
fn policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let hash = |text: &str| base64(&Sha256::digest(text.as_bytes()));
        format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; \
             img-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
            hash(&script()),
            hash(CSS)
        )
    });
    &POLICY
}

/// The page in which a script's own page is shown. It is given its text by the page around it.
const FRAME: &str = include_str!("frame.html");

/// What that may do: run its scripts, without an origin, and reach nothing. That it cannot go
/// anywhere else either is the `frame-src` of the page around it.
const FRAME_POLICY: &str = "sandbox allow-scripts; default-src 'none'; \
    script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; \
    font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_whole_small_and_reaches_for_nothing() {
        let html = own_page();
        assert_eq!(html.replace("<link rel=\"icon\" href=\"data:,\">", ""), super::html());
        assert!(html.contains("\"use strict\";") && html.contains(".grid .row"));
        assert!(!html.contains("/*CSS*/") && !html.contains("/*JS*/"));
        assert!(html.len() < 60_000, "{}", html.len());
        for forbidden in
            ["http://", "https://", "innerHTML", "eval(", "onclick=", "<link rel=\"sty"]
        {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
        // A script that has its own end in it would end there.
        assert_eq!(html.matches("</script>").count(), 1);
    }
}
