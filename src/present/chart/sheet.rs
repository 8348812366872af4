//! A drawing that is being made: what is known of the figure, and what has been drawn.

use super::figure::Figure;
use super::format;
use super::legend::{self, Entry};
use super::look::{Drawing, Key, Look, MOST_MARKS, Mark, Rect, Span};
use super::palette::Palette;
use super::svg::{Anchor, Fill, Style, Svg};
use super::text;

/// The drawing.
pub(super) struct Sheet<'a> {
    pub figure: &'a Figure,
    pub look: &'a Look,
    pub colours: &'static Palette,
    pub svg: Svg,
    pub width: f64,
    pub height: f64,
    pub legend: Vec<Key>,
    pub marks: Vec<Mark>,
    pub frame: Rect,
    pub x: Option<Span>,
    pub y: Option<Span>,
    /// Sentences for who does not see the chart.
    pub said: Vec<String>,
    notes: Vec<String>,
}

const TITLE: f64 = 17.0;
const NOTE: f64 = 11.0;

impl<'a> Sheet<'a> {
    pub fn new(figure: &'a Figure, look: &'a Look) -> Self {
        let (width, height) = look.size();
        let colours = Palette::of(look.theme);
        let mut svg = Svg::default();
        let page = Rect { x: 0.0, y: 0.0, width, height };
        svg.rect(page, Fill { colour: colours.page, opacity: 1.0 });
        let notes = figure.notes.iter().map(|note| text::clean(note)).collect();
        Self {
            figure,
            look,
            colours,
            svg,
            width,
            height,
            legend: Vec::new(),
            marks: Vec::new(),
            frame: Rect::default(),
            x: None,
            y: None,
            said: Vec::new(),
            notes,
        }
    }

    /// Free room at the sides.
    pub fn margin(&self) -> f64 {
        if self.width < 420.0 { 10.0 } else { 16.0 }
    }

    pub fn hides(&self, series: usize) -> bool {
        self.look.hidden.contains(&series)
    }

    /// Adds to what stands below the plot; before the plot is placed.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Notes values that are in the figure and not in the drawing.
    pub fn missing(&mut self, infinite: usize, not_positive: usize) {
        if infinite > 0 {
            let values = if infinite == 1 { "value that is" } else { "values that are" };
            self.note(format!(
                "{} {values} not a finite number not shown",
                format::count(infinite as u64)
            ));
        }
        if not_positive > 0 {
            let values = if not_positive == 1 { "value" } else { "values" };
            self.note(format!(
                "{} {values} of zero or less not shown on the logarithmic axis",
                format::count(not_positive as u64)
            ));
        }
    }

    /// Remembers what can be pointed at.
    pub fn mark(&mut self, area: Rect, series: Option<usize>, text: Vec<String>) {
        if self.marks.len() >= MOST_MARKS {
            return;
        }
        if let Some(area) = area.within(&self.frame) {
            self.marks.push(Mark { area, series, text });
        }
    }

    /// Draws title, legend and notes; gives the room between them.
    pub fn surround(&mut self, entries: &[Entry]) -> Rect {
        let margin = self.margin();
        let room = self.width - 2.0 * margin;
        let mut top = margin;
        let size = if self.width < 420.0 { TITLE - 3.0 } else { TITLE };
        let most = if self.height < 240.0 { 1 } else { 2 };
        let title = text::clean(&self.figure.title);
        for line in text::wrap(&title, room, size, true, most) {
            let style = Style::new(size, self.colours.text).bold();
            self.svg.text(margin, top + size * 0.9, &line, style);
            top += size * 1.3;
        }
        if !title.is_empty() {
            top += 6.0;
        }
        if !entries.is_empty() {
            top = legend::draw(self, entries, top);
        }
        let bottom = self.footer(room);
        Rect::between(margin, top.min(bottom - 60.0), self.width - margin, bottom)
    }

    /// Draws the notes at the bottom; gives where they begin.
    fn footer(&mut self, room: f64) -> f64 {
        let most = ((self.height * 0.16 / (NOTE * 1.4)) as usize).clamp(1, 5);
        let notes = self.notes.join(" · ");
        let lines = text::wrap(&notes, room, NOTE, false, most);
        let margin = self.margin();
        let mut y = self.height - margin * 0.75;
        for line in lines.iter().rev() {
            let style = Style::new(NOTE, self.colours.muted);
            self.svg.text(margin, y - 2.0, line, style);
            y -= NOTE * 1.4;
        }
        y - if lines.is_empty() { 0.0 } else { 6.0 }
    }

    /// Says that there is nothing to be seen.
    pub fn nothing(&mut self, why: &str) {
        let area = self.surround(&[]);
        self.frame = area;
        let style = Style::new(14.0, self.colours.muted).at(Anchor::Middle);
        self.svg.text(area.x + area.width / 2.0, area.y + area.height / 2.0, why, style);
        self.said.push(why.to_owned());
    }

    pub fn finish(self) -> Drawing {
        let title = text::label(&self.figure.title);
        let title = if self.figure.title.is_empty() { "Chart".to_owned() } else { title };
        let mut said = self.said;
        said.extend(self.notes);
        let description: String = said.join(". ").chars().take(1500).collect();
        Drawing {
            svg: self.svg.finish(self.width, self.height, &title, &description),
            width: self.width,
            height: self.height,
            frame: self.frame,
            x: self.x,
            y: self.y,
            marks: self.marks,
            legend: self.legend,
            description,
        }
    }
}
