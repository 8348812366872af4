"""Types survive the bridge: Parquet to the room's pandas and back, against native.

Two ways for each column: what pyarrow wrote is read in the room and described by a
digest that native pandas computes the same way; and what goes out through
`outputs` is exported as Parquet and compared with what went in, types and all.
Integers with nulls are float64, as native pandas has them, so that scripts written
for it run alike; but where one lies beyond 2**53, native pandas changes the number
without a word, and the room keeps the column exact, as a nullable integer.
"""

import datetime as dt
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

UTC, BERLIN = dt.timezone.utc, "Europe/Berlin"
MOMENT = dt.datetime(2024, 2, 29, 23, 59, 59)


def integers(kind: pa.DataType, low: int, high: int):
    return [pa.array([low, 0, 1, high], kind), pa.array([low, None, high], kind)]


COLUMNS = {
    **{
        f"int{bits}": integers(getattr(pa, f"int{bits}")(), -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        for bits in (8, 16, 32, 64)
    },
    **{
        f"uint{bits}": integers(getattr(pa, f"uint{bits}")(), 0, 2**bits - 1)
        for bits in (8, 16, 32, 64)
    },
    # Beyond what a float keeps: must not pass through one on the way.
    "int64 beyond 2**53": [pa.array([2**53 + 1, None, -(2**53) - 1], pa.int64())],
    "bool": [pa.array([True, False]), pa.array([True, None, False])],
    "float32": [pa.array([0.1, -0.0, float("inf"), float("nan")], pa.float32())],
    "float64": [pa.array([0.1, 5e-324, 1.7976931348623157e308, float("-inf"), None])],
    "string": [
        pa.array(["", "a", None, "ёлка", "日本語", "👩‍👩‍👧", "a\0b", "line\nline", "x" * 100_000]),
        pa.array(["same"] * 10_000),
        pa.array([f"text {n}" for n in range(100_000)]),
    ],
    "large string": [pa.array(["a", None, "b"], pa.large_string())],
    "date": [pa.array([dt.date(1, 1, 1), dt.date(1969, 12, 31), None, dt.date(9999, 12, 31)])],
    "timestamp": [
        pa.array([MOMENT, None, dt.datetime(1677, 9, 22)], pa.timestamp(unit))
        for unit in ("s", "ms", "us", "ns")
    ],
    "timestamp beyond nanoseconds": [pa.array([dt.datetime(9999, 12, 31), None], pa.timestamp("us"))],
    "zoned timestamp": [
        pa.array([MOMENT, None], pa.timestamp(unit, zone))
        for unit in ("ms", "us", "ns")
        for zone in ("UTC", BERLIN, "+05:30")
    ],
    "duration": [
        pa.array([dt.timedelta(days=-1, microseconds=1), None], pa.duration(unit))
        for unit in ("s", "ms", "us", "ns")
        if unit == "us"
    ],
    "time": [pa.array([dt.time(0), None, dt.time(23, 59, 59, 999_999)], pa.time64("us"))],
    "decimal": [
        pa.array([Decimal("1.10"), None, Decimal("-99999999.99")], pa.decimal128(10, 2)),
        pa.array([Decimal("1" * 38), Decimal(0)], pa.decimal128(38, 0)),
        pa.array([Decimal("0." + "1" * 38), None], pa.decimal128(38, 38)),
    ],
    "category": [
        pa.array(["b", "a", None, "b"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), ["only", "unused and only"]),
    ],
    "binary": [pa.array([b"", b"\0\xff", None])],
    "list": [pa.array([[1, 2], [], None, [3]], pa.list_(pa.int64()))],
    "struct": [pa.array([{"a": "y", "b": "x"}, None])],
    "all null": [
        pa.nulls(3),
        *[pa.nulls(3, kind) for kind in (pa.int64(), pa.string(), pa.float64(), pa.timestamp("us"))],
    ],
    "empty": [
        pa.array([], kind)
        for kind in (pa.int8(), pa.int64(), pa.string(), pa.bool_(), pa.timestamp("ns"))
    ],
}
CASES = [
    pytest.param(array, id=f"{name}-{at}")
    for name, arrays in COLUMNS.items()
    for at, array in enumerate(arrays)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("types")


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(data=folder, config="[policy]\nsample_rows = 0\n")


def written(folder, table: pa.Table) -> str:
    name = f"t{len(list(folder.iterdir()))}"
    pq.write_table(table, folder / f"{name}.parquet")
    return name


def back(room, name: str, code: str = "outputs['t'] = x") -> pa.Table:
    return pq.read_table(room.export(room.table(code, x=name), "parquet"))


def same_values(left: pa.ChunkedArray, right: pa.ChunkedArray):
    """Equal, with NaN equal to NaN and to null where pandas knows only one of them."""
    one, two = left.to_pylist(), right.to_pylist()
    assert len(one) == len(two)
    for a, b in zip(one, two, strict=True):
        missing = [v is None or v != v for v in (a, b)]
        assert missing == [True, True] or (type(a), a) == (type(b), b), (a, b)


def becomes_float(array) -> bool:
    """Integers with nulls that a float64 holds exactly."""
    if not pa.types.is_integer(array.type) or not array.null_count:
        return False
    return all(abs(value) <= 2**53 for value in array.drop_null().to_pylist())


# What pandas itself has no type for, and gives back as its own next of kin.
KIN = {
    pa.large_string(): {pa.string(), pa.large_string()},
    pa.string(): {pa.string(), pa.large_string()},
    # Parquet has no seconds.
    pa.timestamp("s"): {pa.timestamp("s"), pa.timestamp("ms")},
    pa.null(): {pa.null(), pa.string(), pa.large_string(), pa.float64()},
}


@pytest.mark.parametrize("array", CASES)
def test_what_comes_in_goes_out_the_same(room, folder, array):
    table = pa.table({"c": array})
    result = back(room, written(folder, table))
    assert result.column_names == ["c"]
    wanted, got = table.schema.field("c").type, result.schema.field("c").type
    if pa.types.is_dictionary(wanted):
        assert pa.types.is_dictionary(got) or got in KIN[pa.string()]
    elif pa.types.is_list(wanted):
        # What the element is called is nobody's business.
        assert got.value_type == wanted.value_type
    else:
        if becomes_float(array):
            wanted, table = pa.float64(), table.cast(pa.schema({"c": pa.float64()}))
        assert got in KIN.get(wanted, {wanted}), (wanted, got)
    same_values(table["c"], result["c"])


@pytest.mark.parametrize("array", CASES)
def test_the_room_sees_what_native_pandas_sees(room, folder, array):
    name = written(folder, pa.table({"c": array}))
    code = (
        "result = {'rows': len(x), 'null': int(x['c'].isna().sum()),\n"
        "          'first': [str(v)[:50] for v in x['c'].dropna().head(3)]}"
    )
    scope = {"x": pd.read_parquet(folder / f"{name}.parquet")}
    exec(code, scope)
    seen = room.result(code, x=name)
    assert (seen["rows"], seen["null"]) == (scope["result"]["rows"], scope["result"]["null"])
    if pa.types.is_integer(array.type) and not becomes_float(array):
        # Native pandas makes floats of these integers, and loses digits.
        assert seen["first"] == [str(v) for v in array.drop_null().to_pylist()[:3]]
    else:
        assert seen["first"] == scope["result"]["first"]


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"])
def test_arithmetic_on_integers_with_nulls_is_exact(room, folder, kind):
    array = pa.array([3, None, 4], getattr(pa, kind)())
    name = written(folder, pa.table({"c": array}))
    assert room.result("result = int(x['c'].sum())", x=name) == 7
    assert room.result("result = int(x['c'].isna().sum())", x=name) == 1


# Frames made in the room: the script's own, and what has to be in the export.
FRAMES = {
    "every integer": (
        "import numpy as np\n"
        "x = pd.DataFrame({k: np.array([1, 2], k) for k in\n"
        "    ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']})"
    ),
    "nullable": (
        "x = pd.DataFrame({'i': pd.array([1, None], 'Int64'), 'b': pd.array([True, None], 'boolean'),\n"
        "    'f': pd.array([1.5, None], 'Float64'), 's': pd.array(['a', None], 'string')})"
    ),
    "objects": "x = pd.DataFrame({'o': pd.Series(['a', None, 'b'], dtype=object)})",
    "dates": "x = pd.DataFrame({'d': pd.date_range('2024-01-01', periods=3, tz='Asia/Tokyo')})",
    "categories": "x = pd.DataFrame({'c': pd.Categorical(['b', None, 'a'], categories=['b', 'a'])})",
    "unicode names": "x = pd.DataFrame({'имя': [1], '🦆': [2], 'a b': [3], '': [4]})",
    "no rows": "x = pd.DataFrame({'a': pd.Series([], dtype='int64'), 'b': pd.Series([], dtype='str')})",
    "a strided column": "import numpy as np\nx = pd.DataFrame({'a': np.arange(20).reshape(10, 2)[:, 1]})",
    "reversed": "x = pd.DataFrame({'a': [1, 2, 3]})[::-1].reset_index(drop=True)",
    "wide": "x = pd.DataFrame({f'c{i}': [i] for i in range(2000)})",
    "big-endian": "import numpy as np\nx = pd.DataFrame({'a': np.array([1, 2], '>i4').astype('i4')})",
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_of_the_room_is_the_same_outside(room, name, tmp_path):
    """The file is as good as one that native pandas writes of the same frame."""
    code = "import pandas as pd\n" + FRAMES[name]
    native: dict = {}
    exec(code, native)
    native["x"].to_parquet(tmp_path / "native.parquet")
    path = room.export(room.table(code + "\noutputs['t'] = x"), "parquet")
    wanted = pd.read_parquet(tmp_path / "native.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(path), wanted)


def test_unused_categories_and_their_order_stay_in_the_room(room):
    code = (
        "import pandas as pd\n"
        "c = pd.Categorical(['low', None, 'high'], ['none', 'high', 'mid', 'low'], ordered=True)\n"
        "outputs['t'] = pd.DataFrame({'c': c})"
    )
    seen = room.result(
        "c = x['c'].cat\nresult = [c.ordered, list(c.categories), x['c'].min()]", x=room.table(code)
    )
    assert seen == [True, ["none", "high", "mid", "low"], "high"]


def test_names_that_are_no_strings_and_twice_the_same_become_names(room):
    code = "import pandas as pd\nx = pd.DataFrame([[1, 2, 3]], columns=[1, 'a', 'a'])\noutputs['t'] = x"
    reply = room.python(code)
    assert not reply.failed, reply.text
    descriptor = reply["outputs"]["t"]
    assert len(descriptor["columns"]) == 3
    # In the next run the frame has its own names again, or the reply says what they are.
    seen = room.result("result = [str(c) for c in x.columns]", x=descriptor["dataRef"])
    assert seen in (["1", "a", "a"], list(descriptor["columns"]))
    assert room.result("result = x.iloc[0].tolist()", x=descriptor["dataRef"]) == [1, 2, 3]


def test_an_index_becomes_columns_with_a_warning(room):
    code = (
        "import pandas as pd\n"
        "x = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], 'v': [3, 4]}).set_index(['a', 'b'])\n"
        "outputs['t'] = x"
    )
    reply = room.python(code)
    descriptor = reply["outputs"]["t"]
    assert list(descriptor["columns"]) == ["a", "b", "v"]
    assert "index" in reply.text


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("x = pd.DataFrame({'mixed': [1, 'a', object()]})", "mixed"),
        ("x = pd.DataFrame({'complex': [1j]})", "complex"),
        ("x = pd.DataFrame({'fine': [1], 'interval': [pd.Interval(0, 1)]})", "interval"),
    ],
)
def test_a_type_that_cannot_survive_is_an_error_that_names_the_column(room, code, word):
    reply = room.python(f"import pandas as pd\n{code}\noutputs['t'] = x")
    assert reply.failed
    assert word in reply["error"]["message"], reply.text


def test_parquet_in_the_room_is_parquet_outside(room, folder):
    """`pd.read_parquet` and `to_parquet` work in the room, on its own files."""
    code = (
        "import pandas as pd\n"
        "x.to_parquet('/tmp/a.parquet')\n"
        "y = pd.read_parquet('/tmp/a.parquet')\n"
        "result = bool(x.equals(y))"
    )
    name = written(folder, pa.table({"a": [1, 2], "s": ["x", None]}))
    assert room.result(code, x=name) is True


def test_text_files_are_read_as_pandas_reads_them(room, folder):
    (folder / "odd.csv").write_text(
        "id,name,amount,when,flag\n1,\"a, b\",1.5,2024-01-01,true\n2,,NA,2024-02-29,false\n"
        "3,ё,-0.25,,true\n",
        encoding="utf-8",
    )
    native = pd.read_csv(folder / "odd.csv")
    code = (
        "result = {'columns': list(x.columns), 'null': x.isna().sum().tolist(),\n"
        "          'sum': float(x['amount'].sum()), 'names': x['name'].dropna().tolist()}"
    )
    seen = room.result(code, x="odd")
    assert seen == {
        "columns": list(native.columns),
        "null": native.isna().sum().tolist(),
        "sum": native["amount"].sum(),
        "names": native["name"].dropna().tolist(),
    }


def test_small_and_wide_integers_add_in_64_bits_after_an_unstack(room):
    """numpy remembered for them what it had found for small integers and an index."""
    code = """
f = pd.DataFrame({"a": pd.Series([1, 2], dtype="int16"), "b": pd.Series([1, 2], dtype="int8"), "c": [3, 4]})
f.set_index(["a", "b"]).unstack()
small, wide = np.array([100], dtype="int8"), np.array([2**40], dtype="int64")
result = [str((small + wide).dtype), int((small + wide)[0])]
"""
    assert room.result(code) == ["int64", 2**40 + 100]


OPERATIONS = ["+", "-", "*", "%", "//", "&", "|", "^", "<<", "<", "==", ">="]


@pytest.mark.parametrize("first", ["index {} 7", "7 {} (index + 1)", "index {} index"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_index_of_a_library_leaves_later_integers_64_bits(room, operation, first):
    """numpy remembers what it finds for an operation: it found C's long for an index, or its int.

    In a run of its own, because the first to ask decides.
    """
    of_library = f"done = {first.format(operation)}"
    code = f"""
exec(compile("index = np.argsort([3, 1, 2]); {of_library}", np.__file__, "exec"), {{"np": np}})
wide = np.array([2**40 + 3, 5])
result = [[int(one) for one in (wide {operation} 3)], [int(one) for one in (3 {operation} (wide % 17))], [int(one) for one in (wide {operation} (wide % 13 + 1))]]
"""
    wide = [2**40 + 3, 5]

    def wrapped(value):
        value = int(value)
        return (value + 2**63) % 2**64 - 2**63

    expected = eval(
        f"[[wrapped(one {operation} 3) for one in wide], [wrapped(3 {operation} (one % 17)) for one in wide],"
        f" [wrapped(one {operation} (one % 13 + 1)) for one in wide]]",
        {"wide": wide, "wrapped": wrapped},
    )
    assert room.result(code) == [[value if abs(value) <= 2**53 else str(value) for value in row] for row in expected]
