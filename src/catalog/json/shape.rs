//! What stands under a key, over all objects, and the type that fits all of it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayData, ArrayRef, make_array};
use arrow::datatypes::{DataType, Field, Fields};
use arrow::error::ArrowError;

use super::super::csv::infer::{Facts, Plan, Seen};
use super::super::source::COLUMNS;

/// All values seen in one place.
#[derive(Default)]
pub(super) struct Shape {
    pub bools: Seen,
    pub numbers: Facts,
    pub texts: Facts,
    pub objects: Seen,
    pub lists: Seen,
    /// Of objects, in the order of their first appearance.
    pub fields: Vec<Key>,
    places: HashMap<String, usize>,
    /// Of lists.
    pub item: Option<Box<Shape>>,
}

/// One key of an object.
pub(super) struct Key {
    name: String,
    last: u64,
    pub shape: Shape,
}

impl Key {
    /// The key stands in object number `object`; `false` if it stood there before.
    pub(super) fn mark(&mut self, object: u64) -> bool {
        std::mem::replace(&mut self.last, object) != object
    }
}

impl Shape {
    /// The place of a key in `fields`, most likely `guess`. `keys` counts all of the file's.
    pub(super) fn place(
        &mut self,
        name: &str,
        guess: usize,
        keys: &mut usize,
    ) -> Result<usize, String> {
        if self.fields.get(guess).is_some_and(|key| key.name == name) {
            return Ok(guess);
        }
        if let Some(place) = self.places.get(name) {
            return Ok(*place);
        }
        *keys += 1;
        if *keys > COLUMNS {
            return Err(format!(
                "there are more than {COLUMNS} different keys; keys that are values belong \
                 into a column of their own"
            ));
        }
        let place = self.fields.len();
        self.places.insert(name.to_owned(), place);
        self.fields.push(Key { name: name.to_owned(), last: 0, shape: Self::default() });
        Ok(place)
    }

    /// The type that fits everything; `None` if nothing but empty objects stood here.
    fn data_type(&self, path: &str, notes: &mut Vec<String>) -> Result<Option<DataType>, String> {
        let kinds = [
            ("true or false", self.bools),
            ("numbers", self.numbers.any()),
            ("texts", self.texts.any()),
            ("objects", self.objects),
            ("lists", self.lists),
        ];
        let present: Vec<_> = kinds.iter().filter(|(_, seen)| seen.count > 0).collect();
        let [(_, _)] = present[..] else {
            if present.is_empty() {
                return Ok(Some(DataType::Null));
            }
            let named: Vec<String> =
                present.iter().map(|(n, seen)| format!("{n} (line {})", seen.first)).collect();
            return Err(format!(
                "the key `{path}` holds {}; make them one type, or split the key in two",
                named.join(" and ")
            ));
        };
        if self.bools.count > 0 {
            return Ok(Some(DataType::Boolean));
        }
        for facts in [&self.numbers, &self.texts] {
            if facts.any().count > 0 {
                let (kind, note) = facts.kind(path);
                notes.extend(note);
                return Ok(Some(Plan::new(kind).data_type()));
            }
        }
        if self.objects.count > 0 {
            let fields = self.fields(path, notes)?;
            return Ok((!fields.is_empty()).then(|| DataType::Struct(fields.into())));
        }
        let Some(item) = &self.item else { return Ok(None) };
        let item = item.data_type(&format!("{path}[]"), notes)?;
        Ok(item.map(|item| DataType::List(Arc::new(Field::new_list_field(item, true)))))
    }

    fn fields(&self, path: &str, notes: &mut Vec<String>) -> Result<Vec<Field>, String> {
        let mut fields = Vec::new();
        for key in &self.fields {
            let path =
                if path.is_empty() { key.name.clone() } else { format!("{path}.{}", key.name) };
            match key.shape.data_type(&path, notes)? {
                Some(data_type) => fields.push(Field::new(&key.name, data_type, true)),
                None => notes.push(format!("{path} holds only empty objects and is left out")),
            }
        }
        Ok(fields)
    }
}

/// The columns of the file whose objects have this shape.
pub(super) fn schema(shape: &Shape, notes: &mut Vec<String>) -> Result<Vec<Field>, String> {
    let fields = shape.fields("", notes)?;
    if fields.is_empty() {
        return Err("its objects hold no values; there is nothing to make columns of".into());
    }
    Ok(fields)
}

/// The same type without time zones: arrow, without a time zone database, decodes
/// `…Z` and `…+03:00` rightly into a naive column, but knows no zone named "UTC".
pub(super) fn without_zones(data_type: &DataType) -> DataType {
    let of_field = |f: &Field| f.clone().with_data_type(without_zones(f.data_type()));
    match data_type {
        DataType::Timestamp(unit, _) => DataType::Timestamp(*unit, None),
        DataType::List(item) => DataType::List(Arc::new(of_field(item))),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|f| of_field(f)).collect::<Fields>())
        }
        other => other.clone(),
    }
}

/// Gives an array the type that [`without_zones`] took the zones from.
pub(super) fn with_zones(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    if array.data_type() == data_type {
        return Ok(array.clone());
    }
    retyped(array.to_data(), data_type).map(make_array)
}

fn retyped(data: ArrayData, data_type: &DataType) -> Result<ArrayData, ArrowError> {
    let below: Vec<&DataType> = match data_type {
        DataType::List(item) => vec![item.data_type()],
        DataType::Struct(fields) => fields.iter().map(|f| f.data_type()).collect(),
        _ => Vec::new(),
    };
    let children = data.child_data().iter().zip(below);
    let children: Result<Vec<_>, _> = children.map(|(c, t)| retyped(c.clone(), t)).collect();
    data.into_builder().data_type(data_type.clone()).child_data(children?).build()
}
