"""`sql("select …")` in a script: the room's engine over the run's inputs. DuckDB says what is right."""

import time

import anyio
import duckdb
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def frames():
    orders = pd.DataFrame({"id": [1, 2, 3], "total": [100, 150, 250], "who": ["ann", "bob", None]})
    items = pd.DataFrame({"order_id": [1, 1, 2, 3], "price": [40.0, 60.0, 150.0, 250.0]})
    items["seen"] = pd.to_datetime(["2024-01-01 00:00", "2024-01-02 10:00", "2024-02-01 00:00", "2024-02-29 00:00"])
    return {"orders": orders, "items": items}


@pytest.fixture(scope="module")
def data(tmp_path_factory, frames):
    folder = tmp_path_factory.mktemp("data")
    frames["orders"].to_csv(folder / "shop_orders.csv", index=False)
    frames["items"].to_parquet(folder / "shop_items.parquet")
    pd.DataFrame({"x": np.arange(3_000_000)}).to_parquet(folder / "many.parquet")
    (folder / "secret.csv").write_text("a\n1\n")
    return folder


@pytest.fixture(scope="module")
def room(module_rooms, data):
    return module_rooms(data=data)


INPUTS = {"orders": "shop_orders", "items": "shop_items"}

QUERIES = [
    "SELECT * FROM orders ORDER BY id",
    "SELECT who, count(*) AS n, sum(price) AS s FROM items JOIN orders ON order_id = id GROUP BY who ORDER BY s",
    "SELECT date_trunc('month', seen) AS m, avg(price) AS p FROM items GROUP BY m ORDER BY m",
    "WITH big AS (SELECT * FROM items WHERE price > 50) SELECT count(*) AS n, max(seen) AS last FROM big",
    "SELECT id, row_number() OVER (ORDER BY total DESC) AS place FROM ORDERS ORDER BY id",
    "SELECT id FROM orders WHERE total > 1000",
]


@pytest.mark.parametrize("query", QUERIES)
def test_it_gives_what_the_engine_gives_as_a_frame(room, frames, query):
    with duckdb.connect() as duck:
        for name, frame in frames.items():
            duck.register(name, frame)
        wanted = duck.sql(query).df()
    code = f"t = sql({query!r})\nassert type(t) is pd.DataFrame\noutputs['t'] = t\nresult = list(t.columns)"
    reply = room.call("run_python", code=code, inputs=INPUTS)
    assert not reply.failed, reply.text
    got = pd.read_parquet(room.export(reply["outputs"]["t"]["dataRef"], "parquet"))
    assert list(got.columns) == list(wanted.columns)
    pd.testing.assert_frame_equal(got, wanted, check_dtype=False)


def test_it_sees_the_runs_inputs_by_their_variables_and_nothing_else(room):
    for name in ("secret", "shop_orders", "shop_items.parquet"):
        reply = room.call("run_python", code=f"sql('SELECT * FROM \"{name}\"')", inputs=INPUTS)
        assert reply["error"]["kind"] == "SqlError", reply.text
        assert "among the run's inputs" in reply["error"]["message"] and "`orders`" in reply["error"]["message"]
    reply = room.call("run_python", code="sql(\"SELECT * FROM 'secret.csv'\")", inputs=INPUTS)
    assert reply["error"]["kind"] == "SqlError"
    ref = room.call("query_data", sql="SELECT 7 AS seven")["dataRef"]
    assert room.result("result = int(sql('SELECT seven FROM t').seven[0])", t=ref) == 7


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("DROP TABLE orders", "STATEMENT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "TABLE_FUNCTION"),
        ("SELECT totl FROM orders", "`total`"),
        ("SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id", "FANOUT"),
        ("SELECT 9223372036854775807 + id FROM orders", "OVERFLOW"),
    ],
)
def test_a_refusal_is_an_exception_with_the_engines_words_that_a_script_can_catch(room, query, words):
    code = f"try:\n    sql({query!r})\nexcept ValueError as error:\n    result = [type(error).__name__, str(error)]"
    kind, message = room.result(code, **INPUTS)
    assert kind == "SqlError" and words.replace("_", " ") in message.replace("_", " "), message


def test_warnings_of_the_engine_are_warnings_of_the_run(room):
    reply = room.call("run_python", code="result = sql('SELECT sum(price) AS s FROM items').s[0]", inputs=INPUTS)
    assert reply["result"] == 500 and any(w.startswith("sql: ") and "float" in w for w in reply["warnings"]), reply.text
    code = "result = float(sql('SELECT sum(o.total) AS s FROM orders o JOIN items i ON i.order_id = o.id /* allow: fanout(orders) */').s[0])"
    reply = room.call("run_python", code=code, inputs=INPUTS)
    assert reply["result"] == 600 and any("allowed by a comment" in w for w in reply["warnings"]), reply.text


def test_a_large_answer_is_a_frame_and_a_larger_one_an_error(rooms, data):
    room = rooms(data)
    code = "t = sql('SELECT x, x * 2 AS y FROM many')\nresult = [len(t), int(t.y.sum())]"
    assert room.result(code, many="many") == [3_000_000, 3_000_000 * 2_999_999]
    small = rooms(data, config="[limits]\nmemory_bytes = 400000000\n")
    reply = small.python("sql('SELECT a.x FROM many a, many b')", many="many")
    assert reply["error"]["kind"] == "SqlError" and "400000000 bytes of memory" in reply.text, reply.text
    assert list(small.home.glob("spill/*")) == []


ENDLESS = "sql('WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) AS n FROM r')"


def test_the_runs_time_and_cancelling_stop_the_query(rooms, data):
    room = rooms(data, config="[limits]\nwall_ms = 2000\n[serve]\nconcurrency = 1\n")
    reply = room.python(ENDLESS)
    assert reply.ending == "limit:wall_ms" and reply.seconds < 3, reply.text

    async def cancelled():
        with anyio.move_on_after(0.7):
            await room.acall("run_python", code=ENDLESS)

    room.portal.call(cancelled)
    began = time.perf_counter()
    assert room.result("result = 1") == 1
    assert time.perf_counter() - began < 0.2 + 0.5
    assert list(room.home.glob("spill/*")) == []


def test_a_run_that_asked_is_replayed_to_the_same_hash(room):
    code = (
        "t = sql('SELECT who, sum(total) AS s, now() AS at FROM orders GROUP BY who ORDER BY s')\n"
        "outputs['t'] = t.assign(clock=pd.Timestamp.now())"
    )
    ref = room.table(code, **INPUTS)
    replay = room.call("trace_result", data=ref, replay=True)["replay"]
    assert replay["identical"] is True, replay


def test_only_text_is_a_query_and_a_script_may_call_something_else_sql(room):
    assert room.python("sql(1)")["error"]["kind"] == "TypeError"
    assert room.result("result = len(sql)", sql="shop_orders") == 3
    assert room.result("sql = 5\nresult = sql") == 5


def test_no_cell_reaches_the_model_by_a_query_of_a_script(rooms, data):
    room = rooms(data, config='[policy]\nvalues = "none"\n')
    for query in ("SELECT CAST(who AS INT) FROM orders", "SELECT who FROM orders WHERE who = 'Ann'"):
        reply = room.call("run_python", code=f"sql({query!r})", inputs=INPUTS)
        assert "ann" not in reply.text and "bob" not in reply.text, reply.text
