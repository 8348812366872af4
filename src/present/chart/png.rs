//! Pixels of a drawing.
//!
//! Only the embedded faces are used, never the machine's, and no picture is loaded: the same
//! drawing gives the same bytes everywhere. What no embedded face can write is told.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Node, Options, Tree, fontdb};
use unicode_script::UnicodeScript as _;

use super::text;

/// A picture in pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// A PNG file.
    pub png: Vec<u8>,
    /// Characters that stand in it as boxes.
    pub missing: Missing,
}

/// What no embedded face can write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    /// Scripts, by their names in Unicode: "Han", "Hangul", "Thai".
    pub scripts: Vec<String>,
    /// Characters, at most twenty.
    pub characters: Vec<char>,
}

impl Missing {
    /// Whether all of the picture can be read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }
}

/// Why a drawing did not become pixels.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// Not a drawing of ours.
    #[error("the chart's SVG cannot be read: {0}")]
    Svg(#[from] usvg::Error),
    /// Too many pixels, or none.
    #[error(
        "a picture of {width} x {height} pixels cannot be made: at most {MOST} on a side and \
         {MOST_AREA} in all; ask for a smaller size or scale"
    )]
    Size {
        /// Asked for.
        width: f64,
        /// Asked for.
        height: f64,
    },
    /// The encoder's word.
    #[error("the picture cannot be written as PNG: {0}")]
    Encode(String),
}

const MOST: u32 = 16_384;
const MOST_AREA: u32 = 64_000_000;

fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = fontdb::Database::new();
        for face in text::faces() {
            fonts.load_font_source(fontdb::Source::Binary(Arc::new(face)));
        }
        // Every generic family is the embedded one.
        fonts.set_sans_serif_family("DejaVu Sans Condensed");
        Arc::new(fonts)
    };
    Arc::clone(FONTS.get_or_init(load))
}

pub(super) fn parse(svg: &str) -> Result<Tree, PngError> {
    let options = Options {
        font_family: "DejaVu Sans Condensed".to_owned(),
        fontdb: fonts(),
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    Ok(Tree::from_str(svg, &options)?)
}

/// Makes pixels of a drawing's SVG, `scale` of them for each of its own.
pub fn png(svg: &str, scale: f32) -> Result<Pixels, PngError> {
    let tree = parse(svg)?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let refused = || PngError::Size { width: f64::from(width), height: f64::from(height) };
    let (across, down) = (width.round(), height.round());
    if !(across >= 1.0 && down >= 1.0 && across <= MOST as f32 && down <= MOST as f32)
        || across * down > MOST_AREA as f32
    {
        return Err(refused());
    }
    let mut pixels = Pixmap::new(across as u32, down as u32).ok_or_else(refused)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    let mut missing = BTreeSet::new();
    collect(tree.root(), &mut missing);
    let png = pixels.encode_png().map_err(|error| PngError::Encode(error.to_string()))?;
    Ok(Pixels { png, missing: named(&missing) })
}

/// Characters of a tree's texts that no face has.
fn collect(group: &usvg::Group, missing: &mut BTreeSet<char>) {
    for node in group.children() {
        match node {
            Node::Group(group) => collect(group, missing),
            Node::Text(text) => {
                let all = text.chunks().iter().flat_map(|chunk| chunk.text().chars());
                missing.extend(all.filter(|c| *c != '\u{200d}' && !text::has_glyph(*c)));
            }
            _ => {}
        }
    }
}

fn named(missing: &BTreeSet<char>) -> Missing {
    let scripts: BTreeSet<&str> = missing.iter().map(|c| c.script().full_name()).collect();
    Missing {
        scripts: scripts.into_iter().map(str::to_owned).collect(),
        characters: missing.iter().copied().take(20).collect(),
    }
}
