"""Decimals as other programs write them, read by SQL: every width, layout and packing.

pyarrow writes a decimal as a few bytes, which are read on a way of their own. What pyarrow has
in hand is what has to come out, and what DuckDB counts is what a filter has to leave.
"""

import random
from decimal import Context, Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

# As many digits as there are, and not 28 of them.
ALL = Context(prec=80)
ROWS = 6_000
# One to eight bytes, and more than 64 bits.
DIGITS = [1, 2, 3, 4, 6, 9, 11, 14, 16, 17, 18, 19, 38]


def table(seed: int, *, few: bool = False) -> pa.Table:
    """Columns of each width, with NULLs, the largest and the smallest; `few` different ones."""
    chosen = random.Random(seed)
    columns = {"row": pa.array(range(ROWS), pa.int64())}
    for digits in DIGITS:
        largest, scale = 10**digits - 1, digits // 2
        numbers = [0, -1, 1, largest, -largest]
        numbers += [chosen.randint(-largest, largest) for _ in range(20 if few else ROWS)]
        values = [
            None if chosen.random() < 0.1 else shifted(chosen.choice(numbers), -scale)
            for _ in range(ROWS)
        ]
        columns[f"d{digits}"] = pa.array(values, pa.decimal128(digits, scale))
    return pa.table(columns)


def shifted(number: int | Decimal, places: int) -> Decimal:
    return Decimal(number).scaleb(places, ALL)


def required(given: pa.Table) -> pa.Table:
    """The same without NULLs, in columns that can have none."""
    filled = [column.fill_null(Decimal(0)) if at else column for at, column in enumerate(given.columns)]
    return pa.table(filled, pa.schema([field.with_nullable(False) for field in given.schema]))


LAYOUTS = {
    "dictionary": (table(1, few=True), {}),
    "outgrown": (table(2), {"dictionary_pagesize_limit": 4_096, "data_page_size": 4_096}),
    "plain": (table(3), {"use_dictionary": False, "compression": "none"}),
    "second": (table(4), {"data_page_version": "2.0", "compression": "zstd"}),
    "second_few": (table(5, few=True), {"data_page_version": "2.0", "compression": "none"}),
    "tiny_pages": (table(6), {"data_page_size": 1, "write_batch_size": 1, "use_dictionary": False}),
    "groups": (table(7), {"row_group_size": 701, "compression": "gzip"}),
    "required": (required(table(8)), {"use_dictionary": False}),
    "required_second": (required(table(9, few=True)), {"data_page_version": "2.0"}),
    "split": (table(10), {"use_dictionary": False, "column_encoding": {
        f"d{digits}": "BYTE_STREAM_SPLIT" for digits in DIGITS
    }}),
    "integers": (table(11), {"store_decimal_as_integer": True}),
    "all_null": (pa.table({"row": pa.array([0, 1], pa.int64())} | {
        f"d{digits}": pa.nulls(2, pa.decimal128(digits, digits // 2)) for digits in DIGITS
    }), {}),
}  # fmt: skip


@pytest.fixture(scope="module")
def written(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("decimals")
    for name, (content, how) in LAYOUTS.items():
        pq.write_table(content, folder / f"{name}.parquet", **how)
    return module_rooms(folder), folder


def kept(room, sql: str) -> pa.Table:
    reply = room.call("query_data", sql=sql)
    assert not reply.failed, reply.text
    (file,) = room.home.glob(f"artifacts/*/{reply['dataRef']}.parquet")
    return pq.read_table(file)


def test_the_layouts_are_what_they_are_said_to_be(written):
    _, folder = written
    def chunk(name):
        return pq.ParquetFile(folder / f"{name}.parquet").metadata.row_group(0).column(8)
    assert chunk("plain").physical_type == "FIXED_LEN_BYTE_ARRAY"
    assert chunk("integers").physical_type == "INT64"
    assert "BYTE_STREAM_SPLIT" in chunk("split").encodings
    assert "RLE_DICTIONARY" in chunk("dictionary").encodings


@pytest.mark.parametrize("name", LAYOUTS)
def test_each_decimal_is_the_one_that_was_written(written, name):
    room, _ = written
    columns = ", ".join(f"CAST(d{digits} AS TEXT) AS d{digits}" for digits in DIGITS)
    ours = kept(room, f"SELECT row, {columns} FROM {name} ORDER BY row").to_pylist()
    for mine, theirs in zip(ours, LAYOUTS[name][0].to_pylist(), strict=True):
        for digits in DIGITS:
            text, value = mine[f"d{digits}"], theirs[f"d{digits}"]
            assert (text is None) == (value is None) and (value is None or Decimal(text) == value), mine


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("digits", [1, 4, 9, 14, 17, 18, 19])
def test_filters_in_the_reader_leave_what_duckdb_leaves(written, name, digits):
    (room, _), content = written, LAYOUTS[name][0]
    column = f"d{digits}"
    # Not as 1E-9, which is a double.
    some = [f"{value.as_py():f}" for value in content[column][:50] if value.is_valid] or ["0"]
    for condition in (
        f"{column} = {some[0]}", f"{column} > {some[-1]}", f"{column} <> {some[0]} AND row % 7 = 3",
        f"{column} IS NULL", f"{column} BETWEEN {min(some[:9], key=Decimal)} AND {max(some[:9], key=Decimal)} AND row > {ROWS // 2}",
        f"{column} IN ({', '.join(some[:5])})", f"row > 100 AND row < 200 AND {column} < d18",
    ):  # fmt: skip
        ours = kept(room, f"SELECT row FROM {name} WHERE {condition} ORDER BY row")["row"].to_pylist()
        # By the name of the variable: DuckDB does not read every layout.
        theirs = duckdb.sql(f"SELECT row FROM content WHERE {condition} ORDER BY row").fetchall()
        assert ours == [row for (row,) in theirs], condition


def test_arithmetic_is_exact_where_64_bits_end(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("edges")
    edges = [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**18, -(10**18), 7, 0]
    pairs = [(a, b) for a in edges for b in edges]
    left = pa.array([shifted(a, -2) for a, _ in pairs], pa.decimal128(19, 2))
    right = pa.array([shifted(b, -4) for _, b in pairs], pa.decimal128(19, 4))
    data = pa.table({"row": range(len(pairs)), "a": left, "b": right})
    pq.write_table(data, folder / "mixed.parquet")
    small = pa.table({"row": [0, 1, 2], "a": left.slice(48, 3), "b": right.slice(48, 3)})
    pq.write_table(small, folder / "small.parquet")
    room = module_rooms(folder)
    for name, content in (("mixed", data), ("small", small)):
        ours = kept(room, f"SELECT row, a + b AS s, a - b AS d, a * b AS p, 1 - a AS n FROM {name} ORDER BY row")
        for mine, row in zip(ours.to_pylist(), content.to_pylist(), strict=True):
            a, b = int(shifted(row["a"], 2)), int(shifted(row["b"], 4))
            found = [int(shifted(mine[name], places)) for name, places in zip("sdpn", (4, 4, 6, 2))]
            assert found == [a * 100 + b, a * 100 - b, a * b, 100 - a]


def test_a_file_that_was_damaged_gives_no_rows_of_its_own(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    whole = folder / "whole.parquet"
    content = LAYOUTS["plain"][0].select(["row", "d14"])
    pq.write_table(content, whole, use_dictionary=False, compression="none")
    chunk = pq.ParquetFile(whole).metadata.row_group(0).column(1)
    original = whole.read_bytes()
    room_of = {}
    for number, offset in enumerate(range(0, 40, 3)):
        damaged = bytearray(original)
        damaged[chunk.data_page_offset + offset] ^= 0x55
        name = f"damaged{number}"
        (folder / f"{name}.parquet").write_bytes(damaged)
        room_of[name] = bytes(damaged)
    room = module_rooms(folder)
    assert kept(room, "SELECT count(d14) AS n FROM whole")["n"].to_pylist() == [content["d14"].length() - content["d14"].null_count]
    for name in room_of:
        reply = room.call("query_data", sql=f"SELECT count(*) AS n, count(d14) AS m FROM {name}")
        # Either it is refused, or what is not the header's is read.
        assert reply.failed or reply["total"] == 1
    assert not room.call("query_data", sql="SELECT sum(d14) AS s FROM whole").failed
