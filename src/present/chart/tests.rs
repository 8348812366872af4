//! Every figure of `tests/charts`, at several sizes, in both themes: what must hold of any
//! drawing. `golden.txt` there has the hashes of drawings that somebody has looked at;
//! `cargo run --example chart_gallery -- tests/charts OUT` draws them again and writes the
//! new `OUT/golden.txt`, to be copied after a look at the pictures.

use std::collections::BTreeMap;

use resvg::usvg::{self, Group, Node};

use super::figure::{Across, Arranged, Axis, Named, Plot, Positions};
use super::*;

#[expect(clippy::disallowed_methods, reason = "tests read their own figures")]
fn read(name: &str) -> String {
    let path = format!("{}/tests/charts/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a figure")
}

#[expect(clippy::disallowed_methods, reason = "tests read their own figures")]
fn figures() -> BTreeMap<String, Figure> {
    let folder = format!("{}/tests/charts", env!("CARGO_MANIFEST_DIR"));
    let mut figures = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the figures") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".json") {
            let figure = serde_json::from_str(&read(&name)).expect(&name);
            figures.insert(stem.to_owned(), figure);
        }
    }
    assert!(figures.len() > 40);
    figures
}

fn named<T>(name: &str, of: T) -> Named<T> {
    Named { name: name.to_owned(), of }
}

fn axis(log: bool) -> Axis {
    Axis { title: "axis".to_owned(), unit: None, log }
}

fn figure(plot: Plot) -> Figure {
    Figure {
        title: "Title".to_owned(),
        notes: Vec::new(),
        x: axis(false),
        y: axis(false),
        y2: None,
        plot,
    }
}

fn sized(width: u32, height: u32) -> Look {
    Look { width, height, ..Look::default() }
}

/// Texts of a drawing, by resvg: box, words, whether they are turned.
fn texts(svg: &str) -> Vec<([f64; 4], String, bool)> {
    fn walk(group: &Group, found: &mut Vec<([f64; 4], String, bool)>) {
        for node in group.children() {
            match node {
                Node::Group(group) => walk(group, found),
                Node::Text(text) => {
                    let area = text.abs_bounding_box();
                    let area = [area.left(), area.top(), area.right(), area.bottom()];
                    let words = text.chunks().iter().map(usvg::TextChunk::text).collect();
                    let turned = text.abs_transform().has_skew();
                    found.push((area.map(f64::from), words, turned));
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(png::parse(svg).expect("a drawing").root(), &mut found);
    found
}

const SIZES: [(u32, u32); 4] = [(800, 480), (360, 280), (240, 160), (1600, 900)];

#[test]
fn every_label_lies_in_the_picture() {
    for (name, figure) in figures() {
        for (width, height) in SIZES {
            let drawing = draw(&figure, &sized(width, height));
            for ([left, top, right, bottom], words, _) in texts(&drawing.svg) {
                let inside = left >= -1.0
                    && top >= -1.0
                    && right <= drawing.width + 1.0
                    && bottom <= drawing.height + 1.0;
                let at = (left, top, right, bottom);
                assert!(inside, "{name} {width}x{height}: {words:?} at {at:?}");
            }
        }
    }
}

#[test]
fn no_two_labels_overlap() {
    for (name, figure) in figures() {
        for (width, height) in [(800, 480), (360, 280), (1600, 900)] {
            let drawing = draw(&figure, &sized(width, height));
            let all = texts(&drawing.svg);
            let level: Vec<_> = all.iter().filter(|(_, _, turned)| !turned).collect();
            for (i, (a, one, _)) in level.iter().enumerate() {
                for (b, other, _) in &level[..i] {
                    // Boxes have the font's whole height; letters are two thirds of it.
                    let across = a[0].max(b[0]) + 1.0 < a[2].min(b[2]);
                    let down = a[1].max(b[1]) + 4.0 < a[3].min(b[3]);
                    assert!(!(across && down), "{name} {width}x{height}: {one:?} {other:?}");
                }
            }
        }
    }
}

#[test]
fn every_mark_lies_in_the_frame_and_the_frame_in_the_picture() {
    for (name, figure) in figures() {
        for (width, height) in SIZES {
            let drawing = draw(&figure, &sized(width, height));
            let (frame, page) = (
                drawing.frame,
                Rect { x: 0.0, y: 0.0, width: drawing.width, height: drawing.height },
            );
            assert!(frame.within(&page) == Some(frame), "{name}: {frame:?}");
            assert!(drawing.marks.len() <= MOST_MARKS);
            for mark in &drawing.marks {
                let area = mark.area;
                let seen = area.within(&frame).expect(&name);
                assert!((seen.width - area.width).abs() < 1e-6 && !mark.text.is_empty(), "{name}");
            }
        }
    }
}

/// By another parser than the one that makes pixels.
#[test]
fn a_drawing_is_markup_of_ours_only() {
    use quick_xml::events::Event;
    let ours = ["svg", "title", "desc", "rect", "line", "path", "circle", "text"];
    for (name, figure) in figures() {
        let svg = draw(&figure, &Look::default()).svg;
        let mut reader = quick_xml::Reader::from_str(&svg);
        reader.config_mut().check_end_names = true;
        loop {
            match reader.read_event().expect(&name) {
                Event::Start(tag) | Event::Empty(tag) => {
                    let element = tag.name().as_ref().to_owned();
                    assert!(ours.contains(&element.as_str()), "{name}: {element}");
                    for attribute in tag.attributes() {
                        let attribute = attribute.expect(&name);
                        let key = attribute.key.as_ref().to_owned();
                        let bad = key.starts_with("on")
                            || ["style", "href", "id", "class"].contains(&key.as_str());
                        assert!(!bad, "{name}: {key}");
                    }
                }
                Event::Eof => break,
                Event::Text(_) | Event::End(_) | Event::GeneralRef(_) => {}
                other => panic!("{name}: {other:?}"),
            }
        }
        let unseen = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}');
        assert!(!svg.chars().any(unseen), "{name}");
        assert!(!svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}

#[test]
fn heights_of_bars_are_in_proportion() {
    let values = [184_200.5, 152_000.0, 97_400.0, 60_100.0, 31_250.0];
    let drawing = draw(&figures()["bars"], &Look::default());
    let heights: Vec<f64> = drawing.marks.iter().map(|mark| mark.area.height).collect();
    assert_eq!(heights.len(), values.len());
    for (height, value) in heights.iter().zip(values) {
        assert!((height / heights[0] - value / values[0]).abs() < 1e-9);
    }
    // The axis ends at 200,000, the tick above the greatest.
    assert!((heights[0] / drawing.frame.height - values[0] / 200_000.0).abs() < 1e-9);
    assert!(
        drawing.marks.iter().all(|mark| (mark.area.bottom() - drawing.frame.bottom()).abs() < 1e-9)
    );
}

#[test]
fn lines_go_through_their_points() {
    let at = Positions::Numbers(vec![0.0, 5.0, 10.0]);
    let series = vec![named("n", vec![Some(0.0), Some(50.0), Some(100.0)])];
    let drawing = draw(&figure(Plot::Lines { at, series, area: None }), &Look::default());
    let frame = drawing.frame;
    let middle = drawing.marks[1].area;
    assert!((middle.x - (frame.x + frame.width / 2.0)).abs() < 1e-9);
    assert!((middle.y - (frame.y + frame.height / 2.0)).abs() < 1e-9);
    assert_eq!(drawing.marks[1].text, ["5", "n: 50"]);
}

#[test]
fn a_hundred_thousand_points_stay_small() {
    let wave = |i: usize| ((i * 7919) % 1000) as f64 + (i / 500) as f64;
    let values: Vec<Option<f64>> = (0..100_000).map(|i| Some(wave(i))).collect();
    let at = Positions::Numbers((0..100_000).map(|i| i as f64).collect());
    let line = Plot::Lines { at, series: vec![named("n", values)], area: None };
    let pairs = (0..100_000).map(|i| (wave(i), wave(i * 31 + 7))).collect();
    let points = Plot::Points { across: Across::Numbers, series: vec![named("n", pairs)] };
    let cells = (0..1_000_000).map(|i| Some(wave(i))).collect();
    let names: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
    let heat = Plot::Heatmap { columns: names.clone(), rows: names, cells, values: axis(false) };
    let many: Vec<String> = (0..50_000).map(|i| format!("item {i}")).collect();
    let bars = Plot::Bars {
        bars: vec![named("n", (0..50_000).map(|i| Some(wave(i))).collect())],
        at: Positions::Categories(many),
        lines: Vec::new(),
        arranged: Arranged::Apart,
        horizontal: false,
    };
    for (plot, most) in [(line, 300_000), (points, 300_000), (heat, 1_500_000), (bars, 300_000)] {
        let drawing = draw(&figure(plot), &Look::default());
        assert!(drawing.svg.len() < most, "{}", drawing.svg.len());
        assert!(drawing.marks.len() <= MOST_MARKS);
    }
}

#[test]
fn what_is_not_finite_is_missing_and_counted() {
    let values = vec![
        Some(f64::NAN),
        Some(1.0),
        None,
        Some(f64::INFINITY),
        Some(f64::NEG_INFINITY),
        Some(2.0),
    ];
    let at = Positions::Categories("abcdef".chars().map(String::from).collect());
    let bars = vec![named("n", values)];
    let plot =
        Plot::Bars { at, bars, lines: Vec::new(), arranged: Arranged::Apart, horizontal: false };
    let drawing = draw(&figure(plot), &Look::default());
    assert!(drawing.svg.contains("3 values that are not a finite number not shown"));
    assert_eq!(drawing.marks.len(), 2);
    let log = draw(&figures()["bars_log"], &Look::default());
    assert!(log.svg.contains("1 value of zero or less not shown on the logarithmic axis"));
}

#[test]
fn a_hidden_series_stays_in_the_legend_and_a_window_is_what_is_shown() {
    let figures = figures();
    let look = Look { hidden: [1].into(), ..Look::default() };
    let drawing = draw(&figures["bars_grouped"], &look);
    assert_eq!(drawing.legend.len(), 3);
    assert!(drawing.legend[1].hidden && drawing.marks.iter().all(|mark| mark.series != Some(1)));
    let window = Window { x: Some((10.0, 20.0)), y: Some((0.0, 5.0)) };
    let drawing = draw(&figures["lines_200_series"], &Look { window, ..Look::default() });
    let (x, y) = (drawing.x.expect("an axis"), drawing.y.expect("an axis"));
    assert_eq!((x.from, x.to, y.from, y.to), (10.0, 20.0, 0.0, 5.0));
    // Lines over bars went on outside of the frame.
    let window = Window { x: Some((2.0, 4.0)), y: None };
    let cut = draw(&figures["bars_lines"], &Look { window, ..Look::default() });
    assert!(cut.svg.contains("overflow=\"hidden\""));
    let senseless = Window { x: Some((f64::NAN, 1.0)), y: Some((3.0, 3.0)) };
    let all = draw(&figures["lines_log"], &Look::default());
    let same = draw(&figures["lines_log"], &Look { window: senseless, ..Look::default() });
    assert_eq!((same.x, same.y), (all.x, all.y));
    let many = draw(&figures["lines_200_series"], &Look::default());
    assert!(many.svg.contains(&format!("and {} more", 200 - many.legend.len())));
}

#[test]
fn glyphs_that_no_face_has_are_told() {
    let drawing = draw(&figures()["scripts"], &Look::default());
    let missing = png(&drawing.svg, 1.0).expect("pixels").missing;
    assert_eq!(missing.scripts, ["Han", "Hangul", "Thai"]);
    assert!(missing.characters.contains(&'北'));
    let plain = draw(&figures()["bars"], &Look::default());
    assert!(png(&plain.svg, 1.0).expect("pixels").missing.is_empty());
}

#[test]
fn too_many_pixels_are_refused_and_those_next_to_it_are_made() {
    let drawing = draw(&figures()["empty"], &Look::default());
    for scale in [0.0, -1.0, f32::NAN, 30.0, 1e30] {
        assert!(matches!(png(&drawing.svg, scale), Err(PngError::Size { .. })), "{scale}");
    }
    let pixels = png(&drawing.svg, 0.25).expect("pixels").png;
    assert_eq!(pixels[..8], *b"\x89PNG\r\n\x1a\n");
    // Width and height, in the header's words.
    assert_eq!(pixels[16..24], [0, 0, 0, 200, 0, 0, 0, 120]);
}

#[test]
fn drawings_are_those_that_were_looked_at() {
    let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex()[..16].to_owned();
    let mut found = String::new();
    for (name, figure) in figures() {
        for (theme, word) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let drawing = draw(&figure, &Look { theme, ..Look::default() });
            let again = draw(&figure, &Look { theme, ..Look::default() });
            assert_eq!(drawing, again, "{name}");
            let pixels = png(&drawing.svg, 1.0).expect(&name).png;
            let (svg, pixels) = (hash(drawing.svg.as_bytes()), hash(&pixels));
            found.push_str(&format!("{name} {word} {svg} {pixels}\n"));
        }
    }
    let golden = read("golden.txt");
    let pairs = found.lines().zip(golden.lines());
    let differ: Vec<_> =
        pairs.filter(|(found, golden)| found != golden).map(|pair| pair.0).collect();
    assert!(differ.is_empty() && found.lines().count() == golden.lines().count(), "{differ:#?}");
}
