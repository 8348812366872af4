//! CPython with the scientific stack, in wasmtime, in your process.
//!
//! A [`Sandbox`] is a start image, an interpreter with numpy, pandas, scipy,
//! scikit-learn, statsmodels and matplotlib imported, loaded once. A [`Run`] is a
//! script, its input tables and its [`Limits`]; it gets a fresh copy of that
//! interpreter, about a millisecond later, and ends with an [`Outcome`], whatever the
//! script did. Tables that it puts into `outputs` go to your [`OutputSink`].
//!
//! ```no_run
//! use dataroom_sandbox::{Cancel, Input, NoOutputs, Positioned, Run, Sandbox, VariableName};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let [runtime, packages, image] = ["runtime", "packages", "start-….cwasm"];
//! let sandbox = Sandbox::open(runtime.as_ref(), packages.as_ref(), image.as_ref())?;
//! let file = Positioned::new(std::fs::File::open("flights.parquet")?)?;
//! let run = Run {
//!     code: "result = flights.groupby('carrier').arr_delay.mean().to_dict()".to_owned(),
//!     inputs: vec![Input { name: VariableName::new("flights")?, file }],
//!     ..Run::default()
//! };
//! let outcome = sandbox.run(run, &mut NoOutputs, &Cancel::new());
//! println!("{:?} in {:?}", outcome.result, outcome.usage.wall);
//! # Ok(())
//! # }
//! ```
//!
//! Inside, in the order in which a run meets it: `mounts` lays out the guest's folders,
//! `wasi` serves them, `sandbox` makes the instance, `drive` runs it and stops it,
//! `bridge` moves tables, `columns` reads Parquet in bounded memory, `guest` is the state of it all. `image` makes the start image, `packages` is what it has imported that the runtime lacks.
//! The crate knows nothing of MCP, SQL or owners.
//!
//! # What keeps a script in
//!
//! WebAssembly memory; imports that reach no file by a name of the guest's and no
//! network at all (`wasi`); limits on everything that grows, of the host's memory too
//! ([`LimitName`]); and a fresh instance for each run. A fault of a host function is
//! caught and ends that run.

mod bridge;
pub mod columns;
mod drive;
mod engine;
mod footer;
mod guest;
pub mod image;
pub mod left_files;
mod limits;
mod mounts;
pub mod outcome;
pub mod packages;
pub mod positioned;
mod release;
pub mod run;
mod sandbox;
mod side_by_side;
mod table_writer;
mod wasi;

pub use footer::read_footer;
pub use limits::{LimitName, Limits};
pub use mounts::MountError;
pub use outcome::{Captured, Ending, GuestError, Outcome, Output, Usage, WrittenFile};
pub use positioned::Positioned;
pub use run::{
    Answer, BadVariableName, Cancel, Clock, Door, Input, NoOutputs, OutputSink, Run, SinkError,
    Stopping, TableSink, VariableName,
};
pub use sandbox::{OpenError, Sandbox};
pub use table_writer::{CATEGORIES_KEY, TableWriter};
