//! Draws all figures of a folder, light and dark, as SVG and PNG into another:
//! `cargo run --example chart_gallery -- tests/charts OUT`, to be looked at. `OUT/golden.txt`
//! has the hashes that a test compares drawings with.

#![expect(clippy::disallowed_methods, reason = "an example reads and writes what it is told to")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use dataroom::present::chart::{Figure, Look, Theme, draw, png};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, ..] = arguments.as_slice() else {
        return Err("two folders are wanted: of figures, and for pictures".into());
    };
    fs::create_dir_all(to)?;
    let mut paths = fs::read_dir(from)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let (mut report, mut golden) = (String::new(), String::new());
    let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex()[..16].to_owned();
    for path in paths {
        let figure: Figure = serde_json::from_str(&fs::read_to_string(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (theme, ending) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let start = Instant::now();
            let drawing = draw(&figure, &Look { theme, ..Look::default() });
            let drawn = start.elapsed();
            let pixels = png(&drawing.svg, 1.5)?;
            let done = start.elapsed();
            let file = Path::new(to).join(format!("{name}-{ending}"));
            fs::write(file.with_extension("svg"), &drawing.svg)?;
            fs::write(file.with_extension("png"), &pixels.png)?;
            let (svg, pixels_hash) =
                (hash(drawing.svg.as_bytes()), hash(&png(&drawing.svg, 1.0)?.png));
            golden.push_str(&format!("{name} {ending} {svg} {pixels_hash}\n"));
            report.push_str(&format!(
                "{name} {ending}: {} bytes of SVG in {drawn:.1?}, pixels after {done:.1?}, no glyphs for {:?}\n",
                drawing.svg.len(),
                pixels.missing.scripts
            ));
        }
    }
    fs::write(Path::new(to).join("golden.txt"), golden)?;
    fs::write(Path::new(to).join("report.txt"), report)?;
    Ok(())
}
