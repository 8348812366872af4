//! The messages of the door `host.call`: JSON, small, with addresses for the data.
//!
//! A message that does not parse is an error of its sender; everything in one that does is still
//! untrusted: addresses are bounds-checked, counts are limited, names are checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::objects::Types;
use super::texts::{Operation, TextsIn};
use crate::outcome::GuestError;

/// What the guest asks.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Request {
    /// The script and the names of its inputs.
    Begin {},
    /// Opens a Parquet file for reading by its descriptor.
    Open {
        fd: u32,
        /// Field names to read; all, if absent.
        columns: Option<Vec<String>>,
        /// Makes texts and dates into objects of these types.
        #[serde(default)]
        objects: Option<Types>,
    },
    /// Asks the embedder; the answer is a table to be read as an opened file is.
    Ask {
        name: String,
        text: String,
        #[serde(default)]
        objects: Option<Types>,
    },
    /// Decodes the next column and says what it is.
    NextColumn { reader: u32 },
    /// Copies the decoded column's buffers to these addresses, in their order.
    Fill {
        reader: u32,
        addresses: Vec<u32>,
        /// The object that nulls are.
        #[serde(default)]
        missing: u32,
    },
    /// Lets go of a reader before its end.
    Close { reader: u32 },
    /// Does something with each text of a column; its answer is a reader.
    Texts {
        #[serde(flatten)]
        texts: TextsIn,
        #[serde(rename = "with")]
        operation: Operation,
    },
    /// Hands over a table: to the sink, or as a Parquet file to a descriptor.
    Table {
        #[serde(flatten)]
        destination: Destination,
        rows: u64,
        columns: Vec<ColumnIn>,
        /// Key-value metadata of the schema.
        #[serde(default)]
        metadata: BTreeMap<String, String>,
        #[serde(default)]
        warnings: Vec<String>,
        /// What the columns of objects are made of.
        #[serde(default)]
        objects: Option<ObjectsIn>,
        /// How a file's pages are compressed.
        #[serde(default)]
        compression: Codec,
    },
    /// The script's end.
    Done {
        /// `result` as JSON text.
        #[serde(default)]
        result: Option<String>,
        /// Whether that is the value of the script's last line, which asked for no result.
        #[serde(default)]
        last_line: bool,
        #[serde(default)]
        error: Option<GuestError>,
        #[serde(default)]
        exit: Option<i32>,
        #[serde(default)]
        warnings: Vec<String>,
    },
}

/// Where a table goes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Destination {
    /// `outputs[name]`.
    Output(String),
    /// A scratch file.
    Fd(u32),
}

/// What pages of a Parquet file are compressed with.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Codec {
    None,
    #[default]
    Snappy,
    Gzip,
    Brotli,
    Lz4,
    Zstd,
}

/// One column of a table in guest memory.
#[derive(Debug, Deserialize)]
pub(crate) struct ColumnIn {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) data: DataIn,
}

/// A column's values: a kind, and buffers by address.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum DataIn {
    /// Fixed-width values as numpy has them. `mask` has a byte a row, 1 is null.
    Fixed {
        /// `int8` … `uint64`, `float16` … `float64`, `bool`, `date`, `time`.
        #[serde(rename = "type")]
        data_type: Fixed,
        values: u32,
        #[serde(default)]
        mask: Option<u32>,
    },
    /// 64-bit counts of `unit`; the lowest value is null.
    Time {
        /// `timestamp` or `duration`.
        #[serde(rename = "type")]
        data_type: Moment,
        unit: Unit,
        #[serde(default)]
        zone: Option<String>,
        values: u32,
    },
    /// Variable-width values: unique ones one after another, and a code a row.
    Coded {
        /// What the values are.
        #[serde(rename = "type")]
        data_type: Coded,
        /// 32-bit codes, -1 is null; absent if row i has value i.
        #[serde(default)]
        codes: Option<u32>,
        /// Number of unique values.
        unique: u32,
        data: u32,
        data_length: u32,
        /// 32-bit byte lengths of the unique values; absent if a NUL parts them.
        #[serde(default)]
        lengths: Option<u32>,
    },
    /// Addresses of Python's objects, 32 bits each: all of this kind, or missing.
    Objects { of: Object, values: u32 },
    /// Codes into categories, which are a column of their own.
    Category { codes: u32, ordered: bool, categories: Box<DataIn>, unique: u32 },
    /// Lists: row i has the items from `offsets[i]` to `offsets[i + 1]` (int32, one
    /// more than rows).
    List {
        offsets: u32,
        #[serde(default)]
        mask: Option<u32>,
        items: Box<DataIn>,
        item_rows: u32,
    },
    /// Lists of pairs.
    Map {
        offsets: u32,
        #[serde(default)]
        mask: Option<u32>,
        keys: Box<DataIn>,
        values: Box<DataIn>,
        item_rows: u32,
    },
    /// Records; each field is a column of as many rows.
    Struct {
        #[serde(default)]
        mask: Option<u32>,
        fields: Vec<ColumnIn>,
    },
    /// Nothing but nulls.
    Null {},
}

/// What Python's objects of a table are of.
#[derive(Debug, Deserialize)]
pub(crate) struct ObjectsIn {
    #[serde(flatten)]
    pub(crate) types: Types,
    /// Objects that stand for none.
    pub(crate) missing: Vec<u32>,
}

/// A type of Python's whose objects the host knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Object {
    Text,
    Date,
}

/// A fixed-width type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fixed {
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Float16,
    Float32,
    Float64,
    Bool,
    /// Days since 1970, 32 bits.
    Date,
    /// Microseconds since midnight, 64 bits.
    Time,
}

/// Points and spans of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Moment {
    Timestamp,
    Duration,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    S,
    Ms,
    Us,
    Ns,
}

/// A variable-width type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Coded {
    Text,
    Binary,
    /// Decimal numbers in text.
    Decimal,
}

/// What the host answers: the value, or an exception to raise.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    Ok(serde_json::Value),
    Error { kind: &'static str, message: String },
}

impl Reply {
    /// A column of objects is not all of the type that it was said to be.
    pub(crate) fn mixed() -> Self {
        Reply::Error {
            kind: "Mixed",
            message: "a column's objects are of several types".to_owned(),
        }
    }

    /// The embedder does not answer.
    pub(crate) fn refused(message: String) -> Self {
        Reply::Error { kind: "Refused", message }
    }

    pub(crate) fn value_error(message: impl Into<String>) -> Self {
        Reply::Error { kind: "ValueError", message: message.into() }
    }
}

/// A decoded column, as the guest is told of it.
#[derive(Debug, Serialize)]
pub(crate) struct ColumnOut<'a> {
    pub(crate) name: &'a str,
    pub(crate) rows: u64,
    pub(crate) nulls: u64,
    #[serde(flatten)]
    pub(crate) data: &'a KindOut,
    /// Bytes of each buffer, in the order of `fill`.
    pub(crate) buffers: Vec<usize>,
}

/// What a decoded column is, and which buffers it has.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum KindOut {
    /// `values`, then `mask` if there are nulls.
    Fixed {
        /// numpy's name, or `bool`, `date` (int32 days), `time` (int64 ns).
        #[serde(rename = "type")]
        data_type: &'static str,
    },
    /// `values` (int64, the lowest is null).
    Time {
        #[serde(rename = "type")]
        data_type: &'static str,
        unit: Unit,
        zone: Option<String>,
    },
    /// `data` (unique values joined by `separator`, or without one), then `codes`
    /// (int32, -1 is null) if `coded`, then `lengths` (uint32) if no separator.
    Coded {
        #[serde(rename = "type")]
        data_type: Coded,
        unique: usize,
        coded: bool,
        separator: Option<char>,
    },
    /// `block`, which is never given back, then the objects' addresses, which lie in it.
    Objects { of: Object },
    /// `codes` (int32), then the buffers of the categories.
    Category { categories: Box<KindOut>, unique: usize, ordered: bool, category_buffers: usize },
    /// `offsets` (int32, one more than rows), `mask` if there are nulls, then the
    /// buffers of the items.
    List { masked: bool, items: Box<NestedOut> },
    /// As a list, whose items are key and value.
    Map { masked: bool, keys: Box<NestedOut>, values: Box<NestedOut> },
    /// `mask` if there are nulls, then the buffers of each field.
    Struct { masked: bool, fields: Vec<NestedOut> },
    /// No buffer.
    Null {},
}

/// A column inside a column.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct NestedOut {
    pub(crate) name: String,
    pub(crate) rows: u64,
    /// How many buffers are its own, its children's included.
    pub(crate) take: usize,
    #[serde(flatten)]
    pub(crate) data: KindOut,
}
