//! Runs a script: `probe RUNTIME CACHE SCRIPT [name=file]...`
use dataroom_sandbox::*;
use std::path::Path;
struct Folder;
struct T(arrow::record_batch::RecordBatch);
impl OutputSink for Folder {
    fn table(&mut self, name: &str, schema: arrow::datatypes::SchemaRef) -> Result<Box<dyn TableSink>, SinkError> {
        println!("output {name}: {schema}");
        Ok(Box::new(T(arrow::record_batch::RecordBatch::new_empty(schema))))
    }
}
impl TableSink for T {
    fn write(&mut self, b: &arrow::record_batch::RecordBatch) -> Result<(), SinkError> { println!("{} rows {:?}", b.num_rows(), b.slice(0, b.num_rows().min(3))); Ok(()) }
    fn finish(self: Box<Self>) -> Result<(), SinkError> { Ok(()) }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let runtime = Path::new(&a[1]);
    if std::env::var("DEVNAME").is_ok() { println!("{}", image::file_name()); return; }
    let image = Path::new(&a[2]).join(image::file_name());
    if !image.exists() {
        let t = std::time::Instant::now();
        let mut last = None;
        image::build(runtime, &image, &mut |p| { if last != Some(p.step) { last = Some(p.step); eprintln!("{:.1?} {} {:.2}", t.elapsed(), p.step, p.fraction); } }).unwrap();
        eprintln!("built in {:?} {}", t.elapsed(), image.display());
    }
    let t = std::time::Instant::now();
    let sandbox = Sandbox::open(runtime, &image).unwrap();
    eprintln!("open {:?}", t.elapsed());

    let code = std::fs::read_to_string(&a[3]).unwrap();
    let n: usize = std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for _ in 0..n {
        let inputs = a[4..].iter().map(|p| { let (n, f) = p.split_once('=').unwrap(); Input { name: VariableName::new(n).unwrap(), file: Positioned::new(std::fs::File::open(f).unwrap()).unwrap() } }).collect();
        let t = std::time::Instant::now();
        let outcome = sandbox.run(Run { code: code.clone(), inputs, limits: Limits::default(), seed: 1 }, &mut Folder, &Cancel::new());
        eprintln!("run {:?}", t.elapsed());
        if n == 1 { println!("{}", serde_json::to_string_pretty(&outcome).unwrap()); }
    }
}
