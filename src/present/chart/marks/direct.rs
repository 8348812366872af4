//! Names of lines at their ends, where few lines end far enough from each other: nobody has
//! to look up a colour.

use super::super::figure::Named;
use super::super::frame::{Plane, SIZE};
use super::super::look::{Key, Rect};
use super::super::sheet::Sheet;
use super::super::svg::{Stroke, Style};
use super::super::text;
use super::places::Places;

/// The last point of a line, with what it is called.
struct End {
    series: usize,
    name: String,
    x: f64,
    value: f64,
}

/// Lines' ends.
pub(super) struct Ends {
    all: Vec<End>,
}

const MOST: usize = 6;
const APART: f64 = 15.0;
const GAP: f64 = 18.0;

/// The ends, if names can stand at them.
pub(super) fn ends(
    sheet: &Sheet<'_>,
    places: &Places<'_>,
    values: &[Vec<Option<f64>>],
    series: &[Named<Vec<Option<f64>>>],
    lines: bool,
) -> Option<Ends> {
    let plain = sheet.look.hidden.is_empty() && sheet.look.window == <_>::default();
    if !lines || !plain || !(2..=MOST).contains(&series.len()) || sheet.width < 420.0 {
        return None;
    }
    if (series.len() as f64) * APART > sheet.height * 0.45 {
        return None;
    }
    let room = (sheet.width * 0.22).min(160.0);
    let last_place = places.len().checked_sub(1)?;
    let mut all = Vec::new();
    for (i, values) in values.iter().enumerate() {
        let at = values.iter().rposition(Option::is_some)?;
        // A line that ends early has its end amid the others.
        if last_place - at > places.len() / 20 {
            return None;
        }
        let name = text::label(&series[i].name);
        if text::width(&name, SIZE, true) > room {
            return None;
        }
        all.push(End { series: i, name, x: places.middle(at), value: values[at]? });
    }
    Some(Ends { all })
}

impl Ends {
    /// The room that they take.
    pub fn width(&self) -> f64 {
        let wide = |end: &End| text::width(&end.name, SIZE, true);
        self.all.iter().map(wide).fold(0.0, f64::max) + GAP + 2.0
    }

    pub fn draw(&self, sheet: &mut Sheet<'_>, plane: &Plane) {
        let frame = plane.frame;
        let mut order: Vec<(f64, f64, &End)> = self
            .all
            .iter()
            .map(|end| (plane.up.at(end.value), plane.across.at(end.x), end))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.series.cmp(&b.2.series)));
        let wanted: Vec<f64> = order.iter().map(|end| end.0).collect();
        let placed = spread(&wanted, APART, frame.y + 4.0, frame.bottom() - 4.0);
        let x = frame.right() + GAP;
        for ((y, from, end), to) in order.into_iter().zip(placed) {
            let colour = sheet.colours.series(end.series);
            sheet.svg.line((from + 4.0, y), (x - 4.0, to), Stroke::new(colour, 1.0));
            let style = Style::new(SIZE, colour).bold();
            sheet.svg.text(x, to + 4.0, &end.name, style);
            // A name that stands at its line switches it off as one in the legend would.
            let width = text::width(&end.name, SIZE, true);
            let area = Rect { x, y: to - APART / 2.0, width, height: APART };
            let name = end.name.clone();
            sheet.legend.push(Key { area, series: end.series, name, hidden: false });
        }
    }
}

/// Ascending places, moved as little as it takes to be apart, between two limits.
pub(super) fn spread(wanted: &[f64], apart: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut placed = wanted.to_vec();
    let mut least = top;
    for place in &mut placed {
        *place = place.max(least);
        least = *place + apart;
    }
    let mut most = bottom;
    for place in placed.iter_mut().rev() {
        *place = place.min(most);
        most = *place - apart;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn names_move_apart() {
        assert_eq!(spread(&[10.0, 12.0, 50.0], 15.0, 0.0, 100.0), [10.0, 25.0, 50.0]);
        assert_eq!(spread(&[95.0, 99.0], 15.0, 0.0, 100.0), [85.0, 100.0]);
        assert_eq!(spread(&[], 15.0, 0.0, 100.0), Vec::<f64>::new());
    }
}
