//! Which tables of a database the configuration allows.

use super::TableName;

/// Whole schemas, and single tables. Both empty: nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// All tables of these.
    pub schemas: Vec<String>,
    /// And these.
    pub tables: Vec<TableName>,
}

impl Allowed {
    /// Whether a table is allowed.
    #[must_use]
    pub fn has(&self, table: &TableName) -> bool {
        self.schemas.contains(&table.schema) || self.tables.contains(table)
    }

    /// The schemas in which there is something to look for, each once.
    #[must_use]
    pub fn schemas_to_look_into(&self) -> Vec<&str> {
        let named = self.tables.iter().map(|table| table.schema.as_str());
        let mut all: Vec<&str> = self.schemas.iter().map(String::as_str).chain(named).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
