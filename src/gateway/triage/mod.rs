//! The triage pack: what an assistant needs in the first minutes after a pipeline failed, and
//! no more.
//!
//! Three declared tools ([`TOOLS`]) over a few views that show failures and what depends on
//! what, and nothing of the tables behind them. The views are the seam: a pack for another
//! orchestrator is another file of views with the same columns, and the same tools. What is
//! written is for its reader to change; nothing of it is read from here again.

/// Whose tables the views are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Runs, task instances and logs with try numbers, as in Airflow.
    Airflow,
    /// Runs and attempts of tasks, as a team may keep them by itself.
    Plain,
}

impl std::str::FromStr for Shape {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "airflow" => Ok(Self::Airflow),
            "plain" => Ok(Self::Plain),
            _ => Err("the schemas are airflow and plain"),
        }
    }
}

/// A file of the pack: where it goes, below the pack's folder, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// Its path.
    pub path: &'static str,
    /// Its text.
    pub text: String,
}

/// The tools file.
const TOOLS: &str = include_str!("pack/dataroom.toml");
const README: &str = include_str!("pack/README.md");
const DEPENDENCIES: &str = include_str!("pack/dependencies.sql");
const ROLE: &str = include_str!("pack/role.sql");

/// The folders that the files are in.
pub const FOLDERS: [&str; 2] = ["sql", "try"];

/// All files of a pack.
#[must_use]
pub fn files(shape: Shape) -> Vec<PackFile> {
    let (name, views, indexes, tables, data) = match shape {
        Shape::Airflow => (
            "airflow",
            include_str!("pack/airflow/views.sql"),
            include_str!("pack/airflow/indexes.sql"),
            include_str!("pack/airflow/tables.sql"),
            include_str!("pack/airflow/data.sql"),
        ),
        Shape::Plain => (
            "plain",
            include_str!("pack/plain/views.sql"),
            include_str!("pack/plain/indexes.sql"),
            include_str!("pack/plain/tables.sql"),
            include_str!("pack/plain/data.sql"),
        ),
    };
    let file = |path, text: &str| PackFile { path, text: text.replace("{{SCHEMA}}", name) };
    vec![
        file("dataroom.toml", TOOLS),
        file("README.md", README),
        file("sql/1-dependencies.sql", DEPENDENCIES),
        file("sql/2-views.sql", views),
        file("sql/3-indexes.sql", indexes),
        file("sql/4-role.sql", ROLE),
        file("try/1-tables.sql", tables),
        file("try/2-data.sql", data),
    ]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Config;

    #[test]
    fn the_tools_file_of_each_pack_is_one_that_is_served() {
        for shape in [Shape::Airflow, Shape::Plain] {
            let files = files(shape);
            let tools = &files[0];
            let config = Config::parse(&tools.text, Path::new(tools.path)).unwrap();
            let names: Vec<_> = config.tools.iter().map(|tool| tool.name().to_owned()).collect();
            assert_eq!(
                names,
                ["recent_failure_groups", "failed_tasks_for_run", "downstream_impact"]
            );
            assert!(files.iter().all(|file| !file.text.contains("{{") && !file.text.is_empty()));
            let folder = |file: &PackFile| file.path.split_once('/').map(|(folder, _)| folder);
            assert!(files.iter().filter_map(folder).all(|folder| FOLDERS.contains(&folder)));
        }
    }
}
