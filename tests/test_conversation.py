"""A conversation as hosts have it, in both protocol eras, against native pandas."""

import json
from io import StringIO

import pandas as pd
import pytest

CONTRACT = {
    "list_data": ({"filter"}, set()),
    "describe_data": ({"data", "columns"}, {"data"}),
    "query_data": ({"sql", "save_as"}, {"sql"}),
    "run_python": ({"code", "inputs"}, {"code"}),
    "render_chart": (
        {
            "data", "kind", "x", "y", "series", "title", "aggregate", "lines", "value", "stacked", "shares",
            "horizontal", "log", "sort", "top", "bins",
        },
        {"data", "kind"},
    ),
    "export_data": ({"data", "format", "name", "delimiter", "decimal", "bom", "items"}, {"data"}),
    "trace_result": ({"data", "replay"}, {"data"}),
}
READ_ONLY = {"list_data", "describe_data", "trace_result"}


@pytest.fixture(params=["auto", "legacy"], scope="module")
def era(request, module_rooms, data):
    room = module_rooms(data=data, mode=request.param)
    room.era = request.param
    return room


def tools(room) -> dict:
    listed = room.portal.call(room.client.list_tools)
    return {tool.name: tool for tool in listed.tools}


def test_the_era_is_the_one_that_was_asked_for(era):
    wanted = {"auto": "2026-07-28", "legacy": "2025-11-25"}[era.era]
    assert era.client.protocol_version == wanted


def test_the_tools_are_the_contract(era):
    listed = tools(era)
    assert listed.keys() == CONTRACT.keys()
    for name, tool in listed.items():
        schema, (arguments, required) = tool.input_schema, CONTRACT[name]
        assert set(schema["properties"]) == arguments, name
        assert set(schema.get("required", [])) == required, name
        assert schema["additionalProperties"] is False, name
        assert tool.output_schema["type"] == "object", name
        assert tool.title and tool.description, name
        hints = tool.annotations
        assert hints.read_only_hint is (name in READ_ONLY), name
        assert hints.destructive_hint is False and hints.open_world_hint is False, name


def test_every_answer_is_what_its_schema_says(era):
    # The client validates structured content against the output schema by itself,
    # once it has listed the tools; here the text is held against it too.
    tools(era)
    table = era.table("outputs['t'] = sales", sales="sales")
    for tool, arguments in [
        ("list_data", {}),
        ("describe_data", {"data": "sales"}),
        ("run_python", {"code": "result = 1"}),
        ("run_python", {"code": "1/0"}),
        ("render_chart", {"data": table, "kind": "bar", "x": "region", "y": "amount"}),
        ("export_data", {"data": table, "format": "csv"}),
        ("trace_result", {"data": table}),
    ]:
        reply = era.call(tool, **arguments)
        assert json.loads(reply.text) == reply.structured, tool


def test_the_instructions_say_how_to_work_here(era):
    text = era.client.instructions
    assert len(text.encode()) < 2048
    for tool in CONTRACT:
        assert tool in text


def test_list_names_every_file_by_its_stem(era):
    reply = era.call("list_data")
    for name in ["sales", "regions", "amounts", "people", "events"]:
        assert f'"{name}"' in reply.text
    assert "sales" in era.call("list_data", filter="sal").text
    assert '"people"' not in era.call("list_data", filter="sal").text


def test_describe_agrees_with_pandas(era, data):
    sales = pd.read_parquet(data / "sales.parquet")
    reply = era.call("describe_data", data="sales")
    columns = dict(column.split(" ", 1) for column in reply["columns"])
    assert list(columns) == list(sales)
    assert reply["rows"] == len(sales)
    low, high, mean = sales.amount.min(), sales.amount.max(), sales.amount.mean()
    assert f"{low:g} to {high:g}, mean {mean:g}" in columns["amount"]
    assert "20% null" in columns["region"]
    only = era.call("describe_data", data="sales", columns=["units"])
    assert [column.split(" ")[0] for column in only["columns"]] == ["units"]


def test_a_run_sees_its_inputs_and_keeps_its_outputs(era, data):
    code = (
        "g = sales.groupby('region', dropna=False)['amount'].agg(['sum', 'count']).reset_index()\n"
        "outputs['by_region'] = g\n"
        "print('groups:', len(g))\n"
        "result = float(sales['amount'].sum())\n"
    )
    reply = era.python(code, sales="sales")
    assert not reply.failed and reply["ok"] is True
    assert reply["result"] == 128.75
    assert reply["stdout"] == "groups: 4\n"
    descriptor = reply["outputs"]["by_region"]
    assert descriptor["rows"] == 4
    assert list(descriptor["columns"]) == ["region", "sum", "count"]
    assert descriptor["complete"] is True
    assert len(descriptor["sample"]) == 4

    # The output is an input of the next run, is described, exported and traced.
    reference = descriptor["dataRef"]
    assert reference.startswith("data_") and len(reference) == 37
    assert era.result("result = int(g['count'].sum())", g=reference) == 5
    assert era.call("describe_data", data=reference)["rows"] == 4
    assert reference in era.call("list_data").text

    native = (
        pd.read_parquet(data / "sales.parquet")
        .groupby("region", dropna=False)["amount"]
        .agg(["sum", "count"])
        .reset_index()
    )
    readers = {
        "csv": pd.read_csv,
        "xlsx": pd.read_excel,
        "parquet": pd.read_parquet,
        "json": lambda path: pd.read_json(StringIO(path.read_text())),
    }
    for format, read in readers.items():
        path = era.export(reference, format, "regions")
        assert path.is_file() and path.suffix == f".{format}"
        pd.testing.assert_frame_equal(read(path), native, check_dtype=False)

    trace = era.call("trace_result", data=reference)
    assert json.dumps(code)[1:-1] in trace.text
    assert "sales" in trace.text


def test_a_column_of_a_million_rows_reaches_the_model_as_a_handle(era):
    code = "outputs['t'] = pd.DataFrame({'n': np.arange(1_000_000), 's': 'x' * 50})"
    reply = era.python("import numpy as np, pandas as pd\n" + code)
    assert reply["outputs"]["t"]["rows"] == 1_000_000
    assert len(reply.text) < 4096
    total = era.result("result = int(t['n'].sum())", t=reply["outputs"]["t"]["dataRef"])
    assert total == 499_999_500_000


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        # By hand: n(n-1)/2 for n = 100,000 does not fit in 32 bits.
        ("import numpy as np; result = int(np.arange(100000).sum())", 4_999_950_000),
        ("import numpy as np; result = int(np.array([2_000_000_000] * 2).sum())", 4_000_000_000),
        ("import pandas as pd; result = str(pd.Series(['1']).astype(int).dtype)", "int64"),
        ("import numpy as np; result = str(np.ones(3, bool).sum().dtype)", "int64"),
        ("import numpy as np; result = str(np.bincount([1]).dtype)", "int64"),
        ("import numpy as np; result = str(np.argsort([2, 1]).dtype)", "int64"),
        (
            "import numpy as np; i = np.where(np.ones(100_000, bool))[0]; result = int((i * i).sum())",
            333_328_333_350_000,
        ),
        # Of C's `long` and of indices, by a library or a method of an array.
        ("import numpy as np; result = int(np.random.randint(99_999, 100_000, 1)[0] ** 2)", 9_999_800_001),
        ("import numpy as np; result = int(np.array([2**40]).astype(np.int_)[0])", 2**40),
        ("import numpy as np; result = int(np.array([2**40]).astype('l')[0])", 2**40),
        ("import numpy as np; result = int(np.power(10, 12))", 10**12),
        ("import numpy as np; result = int(np.array([1, 2]).argsort()[1] * 10**12)", 10**12),
        ("result = int(pd.factorize(pd.Series([1, 2]))[0][1] * 10**12)", 10**12),
        ("result = str(pd.Series([2, 1]).argsort().dtype)", "int64"),
        ("import numpy as np; result = np.repeat([1, 2], np.array([2, 1])).tolist()", [1, 1, 2]),
        # What was asked for with 32 bits has 32.
        ("import numpy as np; result = str((np.ones(1, 'i4') + np.ones(1, np.int32)).dtype)", "int32"),
        ("result = str(pd.to_datetime(pd.Series(['2024-01-02'])).dt.month.dtype)", "int32"),
    ],
)
def test_integers_are_64_bit(room, code, wanted):
    assert room.result(code) == wanted


def test_an_index_that_does_not_fit_raises_before_it_is_cut(room):
    given = room.python("import numpy as np; np.repeat([1], 2**32 + 1)")
    assert given["error"]["kind"] == "OverflowError"
    assert room.result("import numpy as np; result = np.repeat([1], 3).tolist()") == [1, 1, 1]


def test_ties_keep_their_order_in_a_sort(room):
    code = "import numpy as np; result = np.argsort(np.repeat([1, 0], 100)).tolist()"
    assert room.result(code) == [*range(100, 200), *range(100)]


def test_text_that_differs_behind_a_nul_is_not_one_value(room):
    code = "s = pd.Series(['a\\0b', 'a\\0c', 'a'] * 5); result = [s.nunique(), s.groupby(s).size().tolist()]"
    assert room.result(code) == [3, [5, 5, 5]]


def test_each_run_is_a_fresh_interpreter(room):
    room.python("import pandas as pd; pd.DataFrame.sum = None; left = 1")
    assert room.result("import pandas as pd; result = int(pd.Series([1, 2]).sum())") == 3
    assert room.result("result = 'left' in globals()") is False


def test_the_same_script_draws_the_same_numbers(room):
    code = "import random, numpy as np; result = [random.random(), float(np.random.rand())]"
    assert room.result(code) == room.result(code)
    assert room.result(code) != room.result(code + "  # another script")


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("result = {'a': [1, 2.5, None, True, 'ж']}", {"a": [1, 2.5, None, True, "ж"]}),
        ("import numpy as np; result = [np.int8(1), np.float32(0.5), np.bool_(1)]", [1, 0.5, True]),
        ("import pandas as pd; result = pd.Timestamp('2024-02-29 01:02:03')", "2024-02-29T01:02:03"),
        ("result = 2**53", 9007199254740992),
        ("result = 2**53 + 1", "9007199254740993"),
        ("result = -(10**30)", "-1000000000000000000000000000000"),
        # As in a notebook: the value of the last line, if it is an expression and plain.
        ("1 + 1", 2),
        ("x = 1 + 1", None),
        ("result = 1\n1 + 1", 1),
        ("object()", None),
    ],
)
def test_the_forms_of_a_result(room, code, wanted):
    assert room.result(code) == wanted


def test_values_can_be_kept_from_the_model(rooms, data):
    room = rooms(data=data, config='[policy]\nvalues = "none"\n')
    secret = "north"
    for tool, arguments in [
        ("list_data", {}),
        ("describe_data", {"data": "sales"}),
        ("run_python", {"code": "result = sales.region[0]", "inputs": {"sales": "sales"}}),
        ("run_python", {"code": "print(sales)", "inputs": {"sales": "sales"}}),
        ("run_python", {"code": "raise ValueError(sales.region[0])", "inputs": {"sales": "sales"}}),
        ("run_python", {"code": "outputs['t'] = sales", "inputs": {"sales": "sales"}}),
    ]:
        assert secret not in room.call(tool, **arguments).text, (tool, arguments)


def test_a_guess_at_a_hidden_value_cannot_be_checked_outside(rooms, data):
    """A hash of a one-cell table, the size of its file, the exact fuel of a loop."""
    room = rooms(data=data, config='[policy]\nvalues = "none"\n')
    code = "outputs['t'] = sales[['region']].head(1)\nfor _ in range(int(sales.units[3])): pass"
    reply = room.python(code, sales="sales")
    for amount in reply["limits"]["used"].values():
        assert amount == 0 or int(amount).bit_count() == 1, reply.text
    table = reply["outputs"]["t"]["dataRef"]
    written = room.call("export_data", data=table, format="csv")
    assert set(written.structured) == {"file", "dataRef", "view", "rows", "notes"}, written.text
    trace = room.call("trace_result", data=table)
    assert "content_hash" not in trace.text and "hidden" in trace.text, trace.text
    # Where values may be shown, these are there.
    room = rooms(data=data)
    table = room.table(code, sales="sales")
    assert room.call("export_data", data=table, format="csv")["bytes"] > 0
    assert "content_hash" in room.call("trace_result", data=table).text
