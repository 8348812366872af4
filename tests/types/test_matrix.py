"""Every type survives, in both directions, with pyarrow as the judge.

pyarrow writes a column; in the room a script sees of it what native pandas sees, as an
input and by `pd.read_parquet`. What the script hands back, as an output and by
`to_parquet`, pyarrow reads as the column that it wrote, or as what native pandas makes
of it on the same way (an integer with nulls is a float there). DuckDB and polars see in
the room's files what they see in pyarrow's of the same table.
"""

import io

import duckdb
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matrix import CASES
from look import LOOK, look

CONFIG = "[policy]\nsample_rows = 0\nresult_bytes = 65536\n"
SEE = LOOK + """
x.to_parquet('/tmp/a.parquet')
outputs['t'] = x
outputs['file'] = pd.DataFrame({'bytes': [open('/tmp/a.parquet', 'rb').read()]})
result = [look(x), look(pd.read_parquet('/in/x.parquet')), look(pd.read_parquet('/tmp/a.parquet'))]
"""

# Where the room differs because pyarrow's answer is a wrong number, or forgets a type.
EXACT = {
    "int64 with nulls beyond 2**53": ["Int64", ["int: 9007199254740993", "NAType: <NA>", f"int: {-2**63}"]],
    "uint64 with nulls beyond 2**63": ["UInt64", [f"int: {2**64 - 1}", "NAType: <NA>", "int: 0"]],
    "list with nulls beyond 2**53": [
        "object",
        [f"array(object, ['int: {2**53 + 1}', 'NoneType: None'])", "array(object, ['int: 1'])"],
    ],
    "category, empty": ["category", [], "str", [], False],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("matrix")
    for at, array in enumerate(CASES.values()):
        pq.write_table(pa.table({"c": array}), folder / f"t{at}.parquet")
    return folder


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(data=folder, config=CONFIG)


def kind(type_):
    """A type without what is nobody's business: names of items, widths of offsets and keys."""
    if pa.types.is_dictionary(type_):
        return ("category", kind(type_.value_type), type_.ordered)
    if pa.types.is_map(type_):
        return ("map", kind(type_.key_type), kind(type_.item_type))
    if pa.types.is_struct(type_):
        return ("struct", *((field.name, kind(field.type)) for field in type_))
    if hasattr(type_, "value_type"):
        return ("list", kind(type_.value_type))
    # pandas in the room keeps its strings without pyarrow.
    same = {"large_string": "string", "string_view": "string", "large_binary": "binary", "binary_view": "binary"}
    return same.get(str(type_), str(type_))


def told(table):
    return kind(table["c"].type), repr(table["c"].to_pylist())


def natively_and_back(frame):
    """What native pandas makes of a frame, if it can: it has no way for maps."""
    file = io.BytesIO()
    try:
        frame.to_parquet(file)
    except (pa.ArrowException, TypeError):
        return None
    return told(pq.read_table(io.BytesIO(file.getvalue())))


def by_others(path):
    """What DuckDB and polars see in a file, or that they cannot read it."""
    for read in (
        lambda: duckdb.connect().sql(f"select * from '{path}'").to_arrow_table(),
        lambda: polars.read_parquet(path, glob=False).to_arrow(),
    ):
        try:
            table = read()
        except (Exception, polars.exceptions.PanicException) as error:
            yield type(error).__name__
        else:
            yield told(table)


@pytest.mark.parametrize("name", CASES)
def test_a_type_survives(room, folder, tmp_path, name):
    at = list(CASES).index(name)
    native = pq.read_table(folder / f"t{at}.parquet").to_pandas()
    reply = room.python(SEE, x=f"t{at}")
    assert not reply.failed, reply.text
    wanted = look(native)
    if name in EXACT:
        wanted["cells"] = [EXACT[name]]
    seen, read, reread = reply["result"]
    assert seen == wanted
    assert read == wanted

    output = room.export(reply["outputs"]["t"]["dataRef"], "parquet")
    copy = tmp_path / "copy.parquet"
    file = room.export(reply["outputs"]["file"]["dataRef"], "parquet")
    copy.write_bytes(pq.read_table(file)["bytes"][0].as_py())
    good = [told(pa.table({"c": CASES[name]})), natively_and_back(native)]
    for path in (output, copy):
        table = pq.read_table(path)
        assert told(table) in good
        if pa.types.is_dictionary(table["c"].type) and name not in EXACT:
            # Categories in their order, the unused ones too.
            assert look(table.to_pandas())["cells"] == wanted["cells"]
        by_pyarrow = tmp_path / "pyarrow.parquet"
        pq.write_table(table, by_pyarrow)
        assert list(by_others(path)) == list(by_others(by_pyarrow))
    again = look(pd.read_parquet(copy))["cells"]
    assert reread["cells"] in (wanted["cells"], again)
