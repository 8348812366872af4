//! Runs one by one, in a row, and at once.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use dataroom_sandbox::{
    Cancel, Ending, Input, Limits, NoOutputs, Positioned, Run, Sandbox, VariableName,
};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

use crate::memory::{Resident, open_files, page_faults};
use crate::{Discard, Result, answer, expect, millis, run, spread};

/// A fresh interpreter for each `1+1`.
pub(crate) fn fresh(sandbox: &Sandbox, count: usize) -> Result<Value> {
    let first = Instant::now();
    answer(sandbox, "1+1")?;
    let first_ms = millis(first.elapsed());
    for _ in 0..10 {
        answer(sandbox, "1+1")?;
    }
    let mut times = Vec::new();
    let faults = page_faults()?;
    for _ in 0..count {
        let begun = Instant::now();
        let outcome = run(sandbox, "1+1", Limits::default(), &Cancel::new());
        // What a caller waits for: until the interpreter is gone again.
        let taken = begun.elapsed();
        if outcome.result != Some(json!(2)) {
            expect(&outcome, &Ending::Completed, "1+1")?;
            return Err("1+1 is not 2".into());
        }
        times.push(taken);
    }
    let mut figures = spread(times);
    figures["first_ms"] = json!(first_ms);
    figures["page_faults"] = json!((page_faults()? - faults) / count as u64);
    Ok(figures)
}

/// Runs in a row that each read a table, give one back, or fail; what stays behind.
pub(crate) fn in_a_row(sandbox: &Sandbox, count: usize) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("sales.parquet");
    write_sales(&path)?;
    let mut samples = Vec::new();
    let begun = Instant::now();
    for number in 0..=count {
        if number % (count / 10).max(1) == 0 {
            samples.push(json!({
                "runs": number, "rss_kib": Resident::now()?.rss, "open_files": open_files()?,
            }));
        }
        one_of_many(sandbox, &path, number)?;
    }
    let taken = begun.elapsed();
    Ok(json!({"runs": count, "seconds": taken.as_secs_f64(), "samples": samples}))
}

fn one_of_many(sandbox: &Sandbox, path: &Path, number: usize) -> Result<()> {
    let (code, ending) = match number % 4 {
        0 => ("result = int(sales.units.sum())", Ending::Completed),
        1 => ("outputs['t'] = sales.groupby('region').sum().reset_index()", Ending::Completed),
        2 => ("f = open('/tmp/x', 'w'); f.write('x' * 100_000)", Ending::Completed),
        _ => ("sales['nothing']", Ending::Raised),
    };
    let file = Positioned::new(File::open(path)?)?;
    let run = Run {
        code: code.to_owned(),
        inputs: vec![Input { name: VariableName::new("sales")?, file }],
        ..Run::default()
    };
    let outcome = sandbox.run(run, &mut Discard, &Cancel::new());
    expect(&outcome, &ending, code)?;
    if number.is_multiple_of(4) && outcome.result != Some(json!(499_500)) {
        return Err(format!("the sum of 0 to 999 came out as {:?}", outcome.result).into());
    }
    Ok(())
}

fn write_sales(path: &Path) -> Result<()> {
    let region: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..1_000).map(|row| ["north", "south", "east"][row % 3]),
    ));
    let units: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1_000));
    let batch = RecordBatch::try_from_iter([("region", region), ("units", units)])?;
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

/// Sixteen threads that each want an answer at the same moment.
pub(crate) fn at_once(sandbox: &Sandbox) -> Result<Value> {
    const RUNS: u64 = 16;
    let barrier = std::sync::Barrier::new(usize::try_from(RUNS)?);
    let begun = Instant::now();
    let times = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..RUNS)
            .map(|number| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    let begun = Instant::now();
                    let code = format!(
                        "df = pd.DataFrame({{'k': np.arange(200_000) % 7}})\n\
                         result = int(df.k.sum()) * {number}"
                    );
                    let run = Run { code: code.clone(), ..Run::default() };
                    let outcome = sandbox.run(run, &mut NoOutputs, &Cancel::new());
                    expect(&outcome, &Ending::Completed, &code)?;
                    // 28,571 rounds of 0 to 6, and 0 + 1 + 2 of the last one.
                    let right = (28_571 * 21 + 3) * number;
                    if outcome.result != Some(json!(right)) {
                        return Err(format!("{:?} is not {right}", outcome.result).into());
                    }
                    Ok(begun.elapsed())
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| "a thread panicked")?)
            .collect::<Result<Vec<_>>>()
    })?;
    let mut figures = spread(times);
    figures["all_ms"] = json!(millis(begun.elapsed()));
    Ok(figures)
}
