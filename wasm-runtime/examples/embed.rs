//! The sandbox in your program: a script over a Parquet file, in ten lines.
//!
//! ```text
//! dataroom setup          # once: fetches the runtime, makes the start image
//! cargo run -p dataroom-sandbox --example embed -- RUNTIME IMAGES
//! ```
//!
//! IMAGES is the cache folder of `dataroom setup` (`~/.cache/dataroom` on Linux, or
//! `DATAROOM_CACHE`), which has the packages too, and RUNTIME the newest folder
//! `runtime-…` in it. A program of your own can make the image itself with
//! [`image::build`].

#![allow(clippy::print_stdout, reason = "an example shows its result")]
#![allow(clippy::disallowed_methods, reason = "an example has paths, a library gets open files")]

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StringArray};
use arrow::record_batch::RecordBatch;
use dataroom_sandbox::packages::Key;
use dataroom_sandbox::{Cancel, Input, NoOutputs, Positioned, Run, Sandbox, VariableName, image};
use parquet::arrow::ArrowWriter;

const SCRIPT: &str = "result = sales.groupby('region')['amount'].sum().to_dict()";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(runtime), Some(images)) = (arguments.next(), arguments.next()) else {
        return Err("usage: embed RUNTIME IMAGES (see the top of this file)".into());
    };
    let key = Key::locked();
    let (packages, image) = (key.file(&images), images.join(image::file_name(&key)));
    if !image.exists() {
        let name = image.display();
        return Err(format!("{name} is not there: run `dataroom setup` first").into());
    }
    let folder = tempfile::tempdir()?;
    let sales = folder.path().join("sales.parquet");
    write_sales(&sales)?;

    // The ten lines. `sandbox` is made once and shared by all threads; each run is a
    // fresh interpreter.
    let sandbox = Sandbox::open(&runtime, &packages, &image)?;
    let run = Run {
        code: SCRIPT.to_owned(),
        inputs: vec![Input {
            name: VariableName::new("sales")?,
            file: Positioned::new(File::open(&sales)?)?,
        }],
        ..Run::default()
    };
    let outcome = sandbox.run(run, &mut NoOutputs, &Cancel::new());
    println!("{:?}: {}", outcome.ending, serde_json::to_string(&outcome.result)?);

    if outcome.ok() { Ok(()) } else { Err(format!("{:?}", outcome.error).into()) }
}

/// The script's input; in your program it is there already.
fn write_sales(path: &Path) -> Result<(), Box<dyn Error>> {
    let region: ArrayRef = Arc::new(StringArray::from(vec!["north", "south", "north"]));
    let amount: ArrayRef = Arc::new(Float64Array::from(vec![10.5, 20.0, 1.25]));
    let batch = RecordBatch::try_from_iter([("region", region), ("amount", amount)])?;
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}
