//! Who reads a message, and the next step in that reader's words.
//!
//! A model has tools (`list_data`) and a person to ask; a person has a shell
//! (`dataroom list`) and nobody. So an error's own text says the thing and the cause
//! only, which are the same for both, and names its next step as a [`NextStep`]. The
//! words of a step are in one table here, a pair for each, so that neither reader can
//! get a step without words, and none is told to do what only the other can.

/// A reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model behind MCP.
    Model,
    /// A person at a shell.
    Person,
}

/// What to do about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Look at all names.
    ListAll,
    /// List without a filter.
    ListUnfiltered,
    /// Give the room data.
    AddData,
    /// Look at all columns.
    SeeColumns,
    /// Describe other columns.
    OtherColumns,
    /// The reference leads nowhere: get the table again.
    MakeAgain,
    /// Hand data over by itself and not within the code.
    PassAsInput,
    /// Set the runtime up.
    SetUp,
    /// Set the runtime up for a room with wheels of its own.
    SetUpRoom,
    /// Find out what is wrong with the installation.
    Doctor,
    /// Look at a table's columns.
    SeeTable,
    /// Compute it with a script.
    TakePython,
    /// A file or a chart is for a person to look at.
    HandOver,
    /// The call came too early.
    TryAgain,
    /// A dataset is in no folder that is served.
    ServeFolder,
}

impl NextStep {
    #[cfg(test)]
    const ALL: [Self; 15] = [
        Self::ListAll,
        Self::ListUnfiltered,
        Self::AddData,
        Self::SeeColumns,
        Self::OtherColumns,
        Self::MakeAgain,
        Self::PassAsInput,
        Self::SetUp,
        Self::SetUpRoom,
        Self::Doctor,
        Self::SeeTable,
        Self::TakePython,
        Self::HandOver,
        Self::TryAgain,
        Self::ServeFolder,
    ];

    /// For the model, for a person.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::ListAll => ("list_data shows all names", "`dataroom list` shows all names"),
            Self::ListUnfiltered => {
                ("without `filter` all is listed", "`dataroom list` without a filter lists all")
            }
            Self::AddData => (
                "ask the person to start dataroom with --data FOLDER, naming a folder with CSV, \
                 TSV, JSON, NDJSON, Parquet, Arrow, XLSX or ODS files",
                "name a folder with CSV, TSV, JSON, NDJSON, Parquet, Arrow, XLSX or ODS files: \
                 `dataroom list --data FOLDER`",
            ),
            Self::SeeColumns => (
                "describe_data without `columns` shows them all",
                "`dataroom describe` without --columns shows them all",
            ),
            Self::OtherColumns => {
                ("name other columns in `columns`", "name other columns with --columns")
            }
            Self::MakeAgain => (
                "fetch or query the data again",
                "`dataroom list` shows what is there; run the script that made it again",
            ),
            Self::PassAsInput => (
                "put data into a dataset or an output and pass it in `inputs`",
                "put data into a file and pass it with -i NAME=FILE",
            ),
            Self::SetUp => (
                "ask the person to run `dataroom setup` once, then try again; the other tools \
                 work without it",
                "run `dataroom setup`, which takes a few minutes once, then try again",
            ),
            Self::SetUpRoom => (
                "ask the person to run `dataroom setup` with this room's --config or --home once, \
                 then try again; the other tools work without it",
                "run `dataroom setup` with the same --config or --home, which takes a few minutes \
                 once, then try again",
            ),
            Self::Doctor => {
                ("ask the person to run `dataroom doctor`", "`dataroom doctor` says what is wrong")
            }
            Self::SeeTable => (
                "describe_data shows a table's columns",
                "`dataroom describe` shows a table's columns",
            ),
            Self::TakePython => ("take run_python for it", "take `dataroom run` for it"),
            Self::HandOver => (
                "export_data without `format` hands it to the person as it is",
                "`dataroom export` without --format writes it to a file as it is",
            ),
            Self::ServeFolder => (
                "ask the person to start dataroom with --data FOLDER, naming the folder that has it",
                "name the folder that has it with --data FOLDER",
            ),
            Self::TryAgain => ("try again in a few seconds", "try again in a few seconds"),
        }
    }

    /// The step in the reader's words.
    #[must_use]
    pub fn to(self, reader: Audience) -> &'static str {
        let (model, person) = self.words();
        match reader {
            Audience::Model => model,
            Audience::Person => person,
        }
    }

    /// A cause with its next step.
    #[must_use]
    pub fn after(self, cause: &str, reader: Audience) -> String {
        format!("{cause}: {}", self.to(reader))
    }
}

/// A message that each reader is told in their own words. `Display` of such an error
/// is its cause alone, for logs and embedders.
pub trait Told: std::fmt::Display {
    /// The next step, where there is one.
    fn next_step(&self) -> Option<NextStep>;

    /// Cause and next step for this reader.
    fn told(&self, reader: Audience) -> String {
        let cause = self.to_string();
        match self.next_step() {
            Some(step) => step.after(&cause, reader),
            None => cause,
        }
    }
}

/// Why a list is empty, and what to do about it.
#[must_use]
pub fn empty_list(filter: &str, near: &[&str], reader: Audience) -> String {
    match (filter.is_empty(), near.is_empty()) {
        (true, _) => NextStep::AddData.after("this room has no data yet", reader),
        (false, true) => NextStep::ListUnfiltered.after("nothing has this in its name", reader),
        (false, false) => format!("nothing has this in its name; near it: {}", near.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_person_is_told_of_tools_and_no_model_of_options() {
        let tools = [
            "list_data",
            "describe_data",
            "query_data",
            "run_python",
            "export_data",
            "trace_result",
        ];
        let of_models = ["ask the person", "`inputs`", "`columns`", "`filter`", "query"];
        for step in NextStep::ALL {
            let (model, person) = (step.to(Audience::Model), step.to(Audience::Person));
            for words in tools.iter().chain(&of_models) {
                assert!(!person.contains(words), "{person}");
            }
            for words in ["--columns", "-i NAME", "`dataroom list", "`dataroom describe"] {
                assert!(!model.contains(words), "{model}");
            }
        }
    }
}
