//! The text of a report: a small, safe part of Markdown.
//!
//! Headings, paragraphs, lists, `**bold**`, `` `code` `` and fenced code; everything else
//! is text. `{{data:column}}` stands for a value, which whoever calls puts in as a link:
//! a number that is typed into a text cannot be traced, one that is named can.

use super::escaped;

/// What a placeholder stands for, as HTML, or why it stands for nothing.
pub type Placeholder<'a, E> = dyn FnMut(&str) -> Result<String, E> + 'a;

/// The text as HTML.
///
/// # Errors
/// Those of the placeholders.
pub fn markup<E>(text: &str, value: &mut Placeholder<'_, E>) -> Result<String, E> {
    let mut page = Page { html: String::new(), paragraph: Vec::new(), list: None };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with("```") {
            page.close(value)?;
            let code = lines.by_ref().take_while(|line| !line.trim().starts_with("```"));
            let code = code.collect::<Vec<_>>().join("\n");
            page.html.extend(["<pre><code>", &escaped(&code), "</code></pre>\n"]);
        } else if let Some((level, title)) = heading(line) {
            page.close(value)?;
            let title = inline(title, value)?;
            page.html.push_str(&format!("<h{level} dir=\"auto\">{title}</h{level}>\n"));
        } else if let Some((kind, item)) = list_item(line) {
            page.end_paragraph(value)?;
            page.start_list(kind);
            let item = inline(item, value)?;
            page.html.extend(["<li dir=\"auto\">", &item, "</li>\n"]);
        } else if line.is_empty() {
            page.close(value)?;
        } else {
            page.end_list();
            page.paragraph.push(line);
        }
    }
    page.close(value)?;
    Ok(page.html)
}

struct Page<'a> {
    html: String,
    paragraph: Vec<&'a str>,
    list: Option<&'static str>,
}

impl Page<'_> {
    fn close<E>(&mut self, value: &mut Placeholder<'_, E>) -> Result<(), E> {
        self.end_list();
        self.end_paragraph(value)
    }

    fn end_paragraph<E>(&mut self, value: &mut Placeholder<'_, E>) -> Result<(), E> {
        if !self.paragraph.is_empty() {
            let text = inline(&std::mem::take(&mut self.paragraph).join(" "), value)?;
            self.html.extend(["<p dir=\"auto\">", &text, "</p>\n"]);
        }
        Ok(())
    }

    fn start_list(&mut self, kind: &'static str) {
        if self.list != Some(kind) {
            self.end_list();
            self.html.extend(["<", kind, ">\n"]);
            self.list = Some(kind);
        }
    }

    fn end_list(&mut self) {
        if let Some(kind) = self.list.take() {
            self.html.extend(["</", kind, ">\n"]);
        }
    }
}

/// The page's own title is the only heading of the first level.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| ((level + 1).min(4), title.trim()))
}

fn list_item(line: &str) -> Option<(&'static str, &str)> {
    if let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some(("ul", item));
    }
    let (number, item) = line.split_once(". ")?;
    let is_number = !number.is_empty() && number.len() < 4;
    (is_number && number.bytes().all(|b| b.is_ascii_digit())).then_some(("ol", item))
}

fn inline<E>(text: &str, value: &mut Placeholder<'_, E>) -> Result<String, E> {
    let mut html = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some((name, behind)) = between(rest, "{{", "}}") {
            html.push_str(&value(name.trim())?);
            rest = behind;
        } else if let Some((code, behind)) = between(rest, "`", "`") {
            html.extend(["<code>", &escaped(code), "</code>"]);
            rest = behind;
        } else if let Some((bold, behind)) = between(rest, "**", "**") {
            html.extend(["<strong>", &inline(bold, value)?, "</strong>"]);
            rest = behind;
        } else {
            // To the next mark, but one character at least.
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let plain = rest[first..].find(['{', '`', '*']).map_or(rest.len(), |at| first + at);
            html.push_str(&escaped(&rest[..plain]));
            rest = &rest[plain..];
        }
    }
    Ok(html)
}

/// What stands between two marks at the beginning of the text, and what is behind.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    let (inner, behind) = text.strip_prefix(open)?.split_once(close)?;
    (!inner.is_empty()).then_some((inner, behind))
}
