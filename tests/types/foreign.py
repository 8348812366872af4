"""Parquet files that others write, each with a reason to be read wrongly.

A file is written by a function that takes its path. What it holds is said by pyarrow,
which reads every one of them.
"""

import datetime as dt
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet as pq

CODECS = ("NONE", "SNAPPY", "GZIP", "ZSTD", "LZ4", "LZ4_RAW", "BROTLI")
ROWS = 1_200
MOMENT = dt.datetime(2024, 2, 29, 23, 59, 59, 123456)


def table(rows=ROWS):
    """A column of each plain kind, with nulls in some and repetition in others."""
    n = np.arange(rows)
    moments = [None if i % 5 == 0 else MOMENT + dt.timedelta(seconds=int(i)) for i in n]
    return pa.table(
        {
            "number": pa.array(n * 7_919 - 10**9),
            "small": pa.array((n % 7).astype("int8")),
            "gap": pa.array([None if i % 3 == 0 else int(i) for i in n], pa.int32()),
            "real": pa.array(n / 7.0),
            "single": pa.array((n / 3.0).astype("float32")),
            "flag": pa.array([None if i % 11 == 0 else bool(i % 2) for i in n]),
            "text": pa.array([f"text {i % 50}" for i in n]),
            "long": pa.array([None if i % 13 == 0 else f"a text of its own, {i}" for i in n]),
            "bytes": pa.array([int(i).to_bytes(4, "big") for i in n]),
            "day": pa.array([dt.date(2024, 1, 1) + dt.timedelta(days=int(i)) for i in n]),
            "moment": pa.array(moments, pa.timestamp("us")),
            "zoned": pa.array(moments, pa.timestamp("us", "Europe/Berlin")),
            "price": pa.array([Decimal(int(i)) / 100 for i in n], pa.decimal128(12, 2)),
            "list": pa.array([list(range(i % 4)) if i % 6 else None for i in n], pa.list_(pa.int64())),
            "struct": pa.array([{"a": int(i), "b": str(i)} for i in n]),
        }
    )


def _plain(*names):
    return table().select(names)


def arrow(options, source=table):
    return lambda path: pq.write_table(source(), path, **options)


def encoded(column, encoding, **options):
    """One column in one of Parquet's encodings."""
    return arrow(
        {"use_dictionary": False, "column_encoding": {column: encoding}, **options},
        lambda: _plain(column),
    )


def by_pandas(path):
    frame = table().drop_columns(["list", "struct"]).to_pandas()
    frame["kind"] = pd.Categorical(frame["text"], ordered=True)
    frame["maybe"] = pd.array([None, 1, 2] * (ROWS // 3), dtype="Int64")
    frame["maybe not"] = pd.array([None, True, False] * (ROWS // 3), dtype="boolean")
    frame.set_index("number").to_parquet(path)


def by_polars(path):
    frame = polars.from_arrow(table())
    frame = frame.with_columns(
        polars.col("text").cast(polars.Categorical).alias("kind"),
        polars.col("text").cast(polars.Enum([f"text {i}" for i in range(50)])).alias("enum"),
        polars.duration(hours=polars.col("small")).alias("span"),
        polars.lit(dt.time(1, 2, 3)).alias("time"),
    )
    frame.write_parquet(path)


def by_duckdb(path):
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    connection.execute(
        f"""copy (select range as i, i::hugeint::decimal(38, 0) as big, i::decimal(4, 1) as tiny,
            i / 7.0 as real, 'text ' || i % 9 as text, (date '2024-01-01' + i::int) as day,
            timestamp '2024-01-01' + interval (i) second as moment,
            timestamptz '2024-01-01 00:00:00+00' + interval (i) hour as zoned,
            time '01:02:03' as time, case when i % 2 = 0 then true end as flag,
            [i, i + 1] as list, {{'a': i, 'b': 'x'}} as struct, map {{'k': i}} as map,
            ('e' || i % 3)::enum('e0', 'e1', 'e2', 'e3') as kind, i::uhugeint::utinyint as byte,
            encode('b' || i) as bytes, uuid() is null as no
            from range(200)) to '{path}' (format parquet, row_group_size 100)"""
    )


def parts(path):
    """Three row groups with dictionaries of their own, the second one empty of values."""
    schema = pa.schema({"kind": pa.dictionary(pa.int32(), pa.string()), "text": pa.string(), "n": pa.int64()})
    with pq.ParquetWriter(path, schema) as writer:
        for texts in (["b", "a", "b"], [None, None, None], ["c", "a", None]):
            kind = pa.array(texts, pa.string()).dictionary_encode().cast(schema.field("kind").type)
            writer.write_table(pa.table({"kind": kind, "text": texts, "n": [1, None, 3]}, schema=schema))


def decimals(path):
    """As Spark has them: whole numbers in fixed bytes, or in integers."""
    values = [Decimal("1.10"), None, Decimal("-99999.99")]
    wide = [Decimal("1" * 38), Decimal("-" + "9" * 38), None]
    both = pa.table(
        {"narrow": pa.array(values, pa.decimal128(7, 2)), "wide": pa.array(wide, pa.decimal128(38, 0))}
    )
    pq.write_table(both, path, store_decimal_as_integer="integer" in path.name)


def old_moments(path):
    """INT96, within and beyond what 64 bits of nanoseconds can say."""
    moments = [MOMENT, None, dt.datetime(1970, 1, 1), dt.datetime(1700, 1, 1)]
    old = pa.table({"moment": pa.array(moments, pa.timestamp("ns"))})
    pq.write_table(old, path, use_deprecated_int96_timestamps=True, store_schema=False)


WRITERS = {
    "pandas": by_pandas,
    "polars": by_polars,
    "duckdb": by_duckdb,
    **{f"codec {codec}": arrow({"compression": codec}) for codec in CODECS},
    "without the Arrow schema": arrow({"store_schema": False}),
    "row groups": arrow({"row_group_size": 100}),
    "row groups with dictionaries of their own": parts,
    "tiny pages": arrow({"data_page_size": 64, "write_batch_size": 7}),
    "pages of version 2": arrow({"data_page_version": "2.0"}),
    "format 1.0": arrow({"version": "1.0"}, lambda: table().drop_columns(["zoned"])),
    "no dictionaries": arrow({"use_dictionary": False}),
    "a dictionary that is given up": arrow({"dictionary_pagesize_limit": 100}),
    "no statistics": arrow({"write_statistics": False}),
    "page index": arrow({"write_page_index": True, "data_page_size": 500}),
    "page checksums": arrow({"write_page_checksum": True}),
    "bloom filters": arrow({"bloom_filter_options": {"number": True, "text": True}}),
    "sorted": arrow({"sorting_columns": [pq.SortingColumn(0)]}),
    "old lists": arrow({"use_compliant_nested_type": False}, lambda: _plain("list")),
    "delta integers": encoded("number", "DELTA_BINARY_PACKED"),
    "delta integers with nulls": encoded("gap", "DELTA_BINARY_PACKED", data_page_version="2.0"),
    "delta lengths": encoded("long", "DELTA_LENGTH_BYTE_ARRAY"),
    "delta texts": encoded("long", "DELTA_BYTE_ARRAY"),
    "delta bytes": encoded("bytes", "DELTA_BYTE_ARRAY", data_page_version="2.0"),
    "split floats": encoded("real", "BYTE_STREAM_SPLIT"),
    "split singles": encoded("single", "BYTE_STREAM_SPLIT", compression="ZSTD"),
    "split integers": encoded("number", "BYTE_STREAM_SPLIT"),
    "run-length booleans": encoded("flag", "RLE", data_page_version="2.0"),
    "int96": old_moments,
    "decimals in fixed bytes": decimals,
    "decimals in integers": decimals,
    "no rows": arrow({}, lambda: table().slice(0, 0)),
    "no columns": arrow({}, lambda: pa.table({})),
    "10000 columns": arrow({}, lambda: pa.table({f"c{i}": [i, None] for i in range(10_000)})),
}
