//! The columns under which a result is kept.
//!
//! Every column has its own name (a table with two columns `id` would lose one of
//! them in a DataFrame), and texts are kept as plain text, in the layout that every
//! reader knows.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

/// The schema of a kept result, and what was renamed.
pub(super) fn schema(given: &Schema) -> (SchemaRef, Vec<String>) {
    let taken: HashSet<&str> = given.fields().iter().map(|field| field.name().as_str()).collect();
    let mut used = HashSet::new();
    let mut warnings = Vec::new();
    let fields: Vec<Field> = given
        .fields()
        .iter()
        .map(|field| {
            let mut name = field.name().clone();
            let mut number = 2;
            while !used.insert(name.clone()) {
                name = format!("{}_{number}", field.name());
                while taken.contains(name.as_str()) {
                    number += 1;
                    name = format!("{}_{number}", field.name());
                }
                number += 1;
            }
            if name != *field.name() {
                warnings.push(format!(
                    "two columns are named {:?}: the later one is kept as {name:?}; give each its \
                     own alias with AS",
                    field.name()
                ));
            }
            Field::new(name, plain(field.data_type()), true)
        })
        .collect();
    (Arc::new(Schema::new(fields)), warnings)
}

/// The type without views.
fn plain(data_type: &DataType) -> DataType {
    let item = |field: &FieldRef| {
        let nullable = field.is_nullable();
        Arc::new(Field::new(field.name(), plain(field.data_type()), nullable))
    };
    match data_type {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::List(field) => DataType::List(item(field)),
        DataType::LargeList(field) => DataType::LargeList(item(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(item(field), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(item).collect()),
        DataType::Map(field, sorted) => DataType::Map(item(field), *sorted),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_has_its_own_name_and_no_other_column_loses_its_own() {
        let fields: Vec<Field> = ["id", "id", "id_2", "id"]
            .map(|name| Field::new(name, DataType::Utf8View, false))
            .into();
        let (schema, warnings) = schema(&Schema::new(fields));
        let names: Vec<_> = schema.fields().iter().map(|f| f.name().as_str()).collect();
        assert_eq!(names, ["id", "id_3", "id_2", "id_4"]);
        assert_eq!(warnings.len(), 2);
        assert!(
            schema.fields().iter().all(|f| *f.data_type() == DataType::Utf8 && f.is_nullable())
        );
    }
}
