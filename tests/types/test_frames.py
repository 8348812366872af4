"""A frame's labels, index and categories survive `to_parquet` as well as natively.

Better is good, too: where native pandas makes something else of a frame (integers of
categories, text of mixed labels), the frame itself may come back.
"""

import datetime
import io

import duckdb
import pandas as pd
import polars
import pyarrow.parquet as pq
import pytest
from whole_frames import FRAMES, REFUSED
from look import LOOK, look

SEE = LOOK + """
import datetime
x = FRAME
before = look(x)
x.to_parquet('/tmp/a.parquet')
outputs['file'] = pd.DataFrame({'bytes': [open('/tmp/a.parquet', 'rb').read()]})
result = look(pd.read_parquet('/tmp/a.parquet'))
"""

# What pyarrow refuses or forgets, and the room keeps for itself.
BETTER = {
    "duplicate columns": "pyarrow refuses them",
    "dates as columns": "pyarrow cannot read its own file",
    "categorical columns": "pyarrow cannot read its own file",
    "boolean columns": "pyarrow makes True of both",
    "None as a column": "it is a NaN, which JSON has not",
}


@pytest.fixture(scope="module")
def room(module_rooms):
    return module_rooms(config="[policy]\nsample_rows = 0\nresult_bytes = 65536\n")


def frame_of(code):
    return eval(code, {"pd": pd, "datetime": datetime})


def native_round_trip(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return pd.read_parquet(io.BytesIO(file.getvalue()))


def as_good(seen, frame, name):
    """Whether this is the frame, or what native pandas makes of it."""
    wanted = [look(frame)]
    if name not in BETTER:
        wanted.append(look(native_round_trip(frame)))
    assert seen in wanted


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_comes_back_as_from_native_pandas_or_better(room, name):
    frame = frame_of(FRAMES[name])
    reply = room.python(SEE.replace("FRAME", FRAMES[name]))
    assert not reply.failed, reply.text
    as_good(reply["result"], frame, name)
    file = room.export(reply["outputs"]["file"]["dataRef"], "parquet")
    bytes = pq.read_table(file)["bytes"][0].as_py()
    if name not in BETTER:
        as_good(look(pd.read_parquet(io.BytesIO(bytes))), frame, name)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_survive_is_an_error_that_names_the_column(room, name):
    code = "import datetime\nx = " + REFUSED[name] + "\n"
    for way in ("outputs['t'] = x", "x.to_parquet('/tmp/a.parquet')"):
        reply = room.python(code + way)
        assert reply.failed
        assert "'c'" in reply["error"]["message"], reply.text


def test_columns_of_the_index_are_read_with_any_others(room):
    code = (
        "x = pd.DataFrame({'a': [1, 2], 'v': [3, 4], 'w': [5, 6]}).set_index('a')\n"
        "x.to_parquet('/tmp/a.parquet')\n"
        "y = pd.read_parquet('/tmp/a.parquet', columns=['w'])\n"
        "result = [list(y), y.index.tolist(), y.index.name]"
    )
    native = pd.DataFrame({"a": [1, 2], "v": [3, 4], "w": [5, 6]}).set_index("a")
    file = io.BytesIO()
    native.to_parquet(file)
    wanted = pd.read_parquet(file, columns=["w"])
    assert room.result(code) == [list(wanted), wanted.index.tolist(), wanted.index.name]


OUTPUTS = {
    "MultiIndex columns": (["a_x", "a_y"], "unique text names"),
    "duplicate columns": (["a", "a_2", "b"], "unique text names"),
    "MultiIndex rows": (["a", "b", "v"], "its index became the columns 'a', 'b'"),
    "index named like a column": (["k_index", "k"], "its index became the column 'k_index'"),
    "unnamed integer index": (["v"], "its unnamed integer index was left out"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_says_what_became_of_labels(room, name):
    reply = room.python(f"import datetime\noutputs['t'] = {FRAMES[name]}")
    columns, warning = OUTPUTS[name]
    assert list(reply["outputs"]["t"]["columns"]) == columns
    assert warning in str(reply["outputs"]["t"]["warnings"])


def test_categories_keep_their_order_beside_other_columns(room):
    """A file with an index of its pages needs one for the categories' column, too."""
    code = (
        "x = pd.DataFrame({'n': range(1000), 's': [f't{i % 9}' for i in range(1000)],\n"
        "    'c': pd.Categorical.from_codes([i % 3 - 1 for i in range(1000)], ['z', 'y', 'unused'], ordered=True)})\n"
    )
    scope = {"pd": pd}
    exec(code, scope)
    exported = room.export(room.table(code + "outputs['t'] = x"), "parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(exported), scope["x"])
    assert polars.read_parquet(exported)["c"].cast(polars.String).to_list()[:4] == [None, "z", "y", None]
    read = duckdb.connect().sql(f"select c, count(*) from '{exported}' group by c order by c").fetchall()
    assert sorted(read, key=str) == [("y", 333), ("z", 333), (None, 334)]
