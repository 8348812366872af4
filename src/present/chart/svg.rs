//! Writing SVG: attributes only, numbers of two decimals, every text escaped.
//!
//! No `<style>`, no `style=`, no `href`, no `id`: a page with the strictest policy shows
//! it, and several can stand in one page.

use std::fmt::Write as _;

use super::text;

/// What text is set in. The first is embedded where pixels are made of a drawing; its widths
/// are those of the others, which a browser has.
pub(super) const FAMILIES: &str =
    "DejaVu Sans Condensed, Segoe UI, Helvetica Neue, Arial, Liberation Sans, sans-serif";

/// A number as the picture has it: two decimals, and no zeros that say nothing.
pub(super) fn number(value: f64) -> String {
    let mut text = format!("{:.2}", if value.is_finite() { value } else { 0.0 });
    while text.ends_with('0') {
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    if text == "-0" { "0".to_owned() } else { text }
}

/// Text for between tags and for attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Where a text's given place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style<'a> {
    pub size: f64,
    pub fill: &'a str,
    pub bold: bool,
    pub anchor: Anchor,
    /// Degrees, clockwise, about its place.
    pub turned: f64,
}

impl<'a> Style<'a> {
    pub fn new(size: f64, fill: &'a str) -> Self {
        Self { size, fill, bold: false, anchor: Anchor::Start, turned: 0.0 }
    }

    pub fn at(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub fn turned(self, turned: f64) -> Self {
        Self { turned, ..self }
    }
}

/// What a shape is filled with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fill<'a> {
    pub colour: &'a str,
    pub opacity: f64,
}

/// What a line is drawn with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stroke<'a> {
    pub colour: &'a str,
    pub width: f64,
    pub dash: &'a str,
}

impl<'a> Stroke<'a> {
    pub fn new(colour: &'a str, width: f64) -> Self {
        Self { colour, width, dash: "" }
    }

    fn attributes(&self) -> String {
        let mut text =
            format!(" stroke=\"{}\" stroke-width=\"{}\"", self.colour, number(self.width));
        if !self.dash.is_empty() {
            let _ = write!(text, " stroke-dasharray=\"{}\"", self.dash);
        }
        text
    }
}

/// A document that grows.
#[derive(Debug, Default)]
pub(super) struct Svg {
    body: String,
}

impl Svg {
    pub fn rect(&mut self, area: super::look::Rect, fill: Fill<'_>) {
        self.rounded(area, 0.0, fill);
    }

    pub fn rounded(&mut self, area: super::look::Rect, radius: f64, fill: Fill<'_>) {
        let _ = write!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            number(area.x),
            number(area.y),
            number(area.width),
            number(area.height)
        );
        if radius > 0.0 {
            let _ = write!(self.body, " rx=\"{}\"", number(radius));
        }
        self.fill(fill);
        self.body.push_str("/>");
    }

    fn fill(&mut self, fill: Fill<'_>) {
        let _ = write!(self.body, " fill=\"{}\"", fill.colour);
        if fill.opacity < 1.0 {
            let _ = write!(self.body, " fill-opacity=\"{}\"", number(fill.opacity));
        }
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke<'_>) {
        let _ = write!(
            self.body,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>",
            number(from.0),
            number(from.1),
            number(to.0),
            number(to.1),
            stroke.attributes()
        );
    }

    pub fn circle(&mut self, x: f64, y: f64, r: f64, fill: Fill<'_>) {
        let _ = write!(
            self.body,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"",
            number(x),
            number(y),
            number(r)
        );
        self.fill(fill);
        self.body.push_str("/>");
    }

    /// A line along a path.
    pub fn stroked(&mut self, path: &str, stroke: Stroke<'_>) {
        if path.is_empty() {
            return;
        }
        let _ = write!(
            self.body,
            "<path d=\"{path}\" fill=\"none\"{} stroke-linejoin=\"round\" stroke-linecap=\"round\"/>",
            stroke.attributes()
        );
    }

    /// What a path goes around.
    pub fn filled(&mut self, path: &str, fill: Fill<'_>, edge: Option<Stroke<'_>>) {
        if path.is_empty() {
            return;
        }
        let _ = write!(self.body, "<path d=\"{path}\"");
        self.fill(fill);
        if let Some(edge) = edge {
            self.body.push_str(&edge.attributes());
        }
        self.body.push_str("/>");
    }

    /// A text, cleaned and escaped, with its baseline at `y`.
    pub fn text(&mut self, x: f64, y: f64, words: &str, style: Style<'_>) {
        let words = text::clean(words);
        if words.is_empty() {
            return;
        }
        let _ = write!(self.body, "<text x=\"{}\" y=\"{}\"", number(x), number(y));
        let _ = write!(self.body, " font-size=\"{}\" fill=\"{}\"", number(style.size), style.fill);
        match style.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.body.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.body.push_str(" text-anchor=\"end\""),
        }
        if style.bold {
            self.body.push_str(" font-weight=\"700\"");
        }
        if style.turned != 0.0 {
            let (turn, x, y) = (number(style.turned), number(x), number(y));
            let _ = write!(self.body, " transform=\"rotate({turn} {x} {y})\"");
        }
        let _ = write!(self.body, ">{}</text>", escape(&words));
    }

    /// Opens a part that shows nothing outside of an area.
    pub fn open_clip(&mut self, area: super::look::Rect) {
        let [x, y, w, h] = [area.x, area.y, area.width, area.height].map(number);
        let _ = write!(
            self.body,
            "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\" overflow=\"hidden\">"
        );
    }

    pub fn close_clip(&mut self) {
        self.body.push_str("</svg>");
    }

    /// The whole document.
    pub fn finish(self, width: f64, height: f64, title: &str, description: &str) -> String {
        let (w, h) = (number(width), number(height));
        let title = escape(&text::clean(title));
        let description = escape(&text::clean(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" font-family=\"{FAMILIES}\"><title>{title}</title><desc>{description}</desc>{}</svg>",
            self.body
        )
    }
}

/// A path, point by point.
#[derive(Debug, Default)]
pub(super) struct Path {
    data: String,
}

impl Path {
    pub fn go(&mut self, letter: char, x: f64, y: f64) {
        let _ = write!(self.data, "{letter}{} {}", number(x), number(y));
    }

    /// A rectangle by itself.
    pub fn block(&mut self, area: super::look::Rect) {
        self.go('M', area.x, area.y);
        let _ = write!(
            self.data,
            "h{}v{}h{}z",
            number(area.width),
            number(area.height),
            number(-area.width)
        );
    }

    /// An arc of a circle around nothing in particular, clockwise if `sweep`.
    pub fn arc(&mut self, r: f64, large: bool, sweep: bool, x: f64, y: f64) {
        let r = number(r);
        let (large, sweep) = (u8::from(large), u8::from(sweep));
        let _ = write!(self.data, "A{r} {r} 0 {large} {sweep} {} {}", number(x), number(y));
    }

    pub fn close(&mut self) {
        self.data.push('z');
    }

    pub fn as_str(&self) -> &str {
        &self.data
    }

    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
}
