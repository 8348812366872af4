"""Small files that stand for a lot of memory."""

import pyarrow as pa
import pyarrow.parquet as pq


def long_text(path, rows=20_000, length=1 << 20):
    """One text in the dictionary and a code a row: some kilobytes for 20 GB."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["x" * length])
    pq.write_table(pa.table({"fine": range(rows), "bomb": text}), path, compression="ZSTD", store_schema=False)


def zeros(path, groups=64, rows=1 << 22):
    """Pages of nothing but zeros: some kilobytes for 2 GB."""
    table = pa.table({"bomb": pa.array([0] * rows, pa.int64())})
    with pq.ParquetWriter(path, table.schema, compression="ZSTD", use_dictionary=False) as writer:
        for _ in range(groups):
            writer.write_table(table, row_group_size=rows)


BOMBS = {"a long text": long_text, "zeros": zeros}
