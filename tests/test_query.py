"""`query_data` and `dataroom query`, through the binary."""

import json
import time

import pandas as pd
import pyarrow.parquet as pq
import pytest
from conftest import run

JOIN = "FROM orders o JOIN items i ON i.order_id = o.id"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    orders = {"id": [1, 2, 3], "total": [100, 150, 250], "who": ["canary-ann", "canary-bob", "canary-cy"]}
    pd.DataFrame(orders).to_csv(folder / "Orders.csv", index=False)
    items = {"id": [1, 2, 3, 4], "order_id": [1, 1, 2, 3], "price": [40, 60, 150, 250]}
    pd.DataFrame(items).to_parquet(folder / "items.parquet")
    return folder


@pytest.fixture(scope="module")
def room(module_rooms, shop):
    return module_rooms(data=shop)


def test_the_whole_result_is_kept_whatever_is_shown(room):
    reply = room.call("query_data", sql="SELECT value AS n FROM generate_series(1, 1000)", save_as="numbers")
    assert (reply["rows"], reply["total"], reply["returned"], reply["complete"]) == (1000, 1000, 20, False)
    assert reply["preview"][0] == {"n": 1} and reply["columns"] == {"n": "int64"}
    assert room.result("result = int(t.n.sum())", t=reply["dataRef"]) == 500_500
    again = room.call("query_data", sql=f"SELECT max(n) AS n FROM {reply['dataRef']}")
    assert again["preview"] == [{"n": 1000}] and again["complete"] is True
    listed = room.call("list_data", filter="numbers")
    assert reply["dataRef"] in listed.text


def test_names_are_forgiven_and_errors_say_where(room):
    reply = room.call("query_data", sql="select SUM(TOTAL) as T from ORDERS")
    assert reply["preview"] == [{"T": 500}]
    reply = room.call("query_data", sql="SELECT totl\nFROM orders")
    assert reply.failed and "COLUMN at line 1, column 8" in reply.text and "`total`" in reply.text
    reply = room.call("query_data", sql="SELECT *\nFROM ordes")
    assert reply.failed and "TABLE at line 2, column 6" in reply.text and "`Orders`" in reply.text


def test_a_sum_of_multiplied_rows_is_refused_unless_it_is_allowed(room):
    reply = room.call("query_data", sql=f"SELECT sum(o.total) {JOIN}")
    assert reply.failed and reply.text.startswith("FANOUT") and "1.33 times" in reply.text
    reply = room.call("query_data", sql=f"SELECT sum(o.total) AS t {JOIN} /* allow: fanout(orders) */")
    assert reply["preview"] == [{"t": 600}]
    assert any("allowed by a comment" in warning for warning in reply["warnings"])
    (file,) = room.home.glob(f"artifacts/*/{reply['dataRef']}.parquet")
    footer = json.loads(pq.read_metadata(file).metadata[b"dataroom"])
    assert any("fanout" in warning for warning in footer["warnings"])
    assert room.call("query_data", sql=f"SELECT sum(i.price) AS p {JOIN}")["preview"] == [{"p": 500}]


@pytest.fixture(scope="module")
def till(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("till")
    money = {"amount": [10.0, 20.0, 30.0], "currency": ["EUR", "USD", "USD"], "shop": ["a", "a", "b"]}
    pd.DataFrame(money).to_csv(folder / "payments.csv", index=False)
    return folder


def test_a_sum_of_two_currencies_is_refused_unless_it_is_allowed(module_rooms, till):
    room = module_rooms(till)
    reply = room.call("query_data", sql="SELECT sum(amount) AS s FROM payments")
    assert reply.failed and reply.text.startswith("UNIT"), reply.text
    for part in ["payments", "amount", "EUR in 1 row", "USD in 2 rows", "GROUP BY payments.currency"]:
        assert part in reply.text, part
    written = reply.text.split("write ")[1].split("; or")[0]
    rows = room.call("query_data", sql=written)["preview"]
    assert sorted((row["currency"], row["s"]) for row in rows) == [("EUR", 10.0), ("USD", 50.0)]
    one = room.call("query_data", sql="SELECT sum(amount) AS s FROM payments WHERE shop = 'b'")
    assert one["preview"] == [{"s": 30.0}]
    allowed = room.call("query_data", sql="SELECT sum(amount) AS s FROM payments /* allow: units(payments) */")
    assert allowed["preview"] == [{"s": 60.0}]
    (file,) = room.home.glob(f"artifacts/*/{allowed['dataRef']}.parquet")
    footer = json.loads(pq.read_metadata(file).metadata[b"dataroom"])
    assert any("units(payments)" in warning for warning in footer["warnings"])


def test_no_currency_is_named_where_values_are_hidden(module_rooms, till):
    room = module_rooms(till, config='[policy]\nvalues = "none"\n')
    for sql in ["SELECT sum(amount) FROM payments", "SELECT sum(amount) FROM payments /* allow: units(payments) */"]:
        reply = room.call("query_data", sql=sql)
        assert "EUR" not in reply.text and "USD" not in reply.text, reply.text


def test_a_limit_that_cuts_through_a_tie_says_how_many_tie(module_rooms, till):
    room = module_rooms(till)
    sql = "SELECT shop, currency FROM payments ORDER BY currency DESC LIMIT 1"
    reply = room.call("query_data", sql=sql)
    assert reply["total"] == 1 and list(reply["columns"]) == ["shop", "currency"]
    assert any("2 rows have" in warning for warning in reply["warnings"])
    assert room.call("query_data", sql=sql.replace("DESC", "ASC"))["warnings"] == []


def test_an_aggregate_over_nothing_says_so_and_why(module_rooms, till):
    reply = module_rooms(till).call("query_data", sql="SELECT sum(amount) AS s FROM payments WHERE currency = 'eur'")
    said = " ".join(reply["warnings"])
    assert reply["preview"] == [{"s": None}] and "over no rows" in said and '"EUR"' in said


def test_a_query_is_traced_and_replayed_to_the_same_hash(room):
    first = room.call("query_data", sql="SELECT who, total * 2 AS twice, now() AS at FROM orders ORDER BY id")
    second = room.call("query_data", sql=f"SELECT max(twice) AS m FROM {first['dataRef']}")
    trace = room.call("trace_result", data=second["dataRef"], replay=True)
    kinds = [step["kind"] for step in trace["steps"]]
    assert kinds == ["dataset", "sql", "sql"]
    assert trace["steps"][1]["sql"].startswith("SELECT who") and "datafusion" in trace["steps"][1]["versions"]
    assert trace["replay"]["identical"] is True, trace.text


def test_a_dataset_that_changed_is_named_by_the_replay(rooms, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    pd.DataFrame({"x": [1, 2]}).to_csv(folder / "t.csv", index=False)
    room = rooms(folder)
    ref = room.call("query_data", sql="SELECT sum(x) AS s FROM t")["dataRef"]
    pd.DataFrame({"x": [1, 3]}).to_csv(folder / "t.csv", index=False)
    trace = room.call("trace_result", data=ref, replay=True)
    assert trace["replay"]["identical"] is False
    verdicts = {step["data"]: step["verdict"] for step in trace["replay"]["steps"]}
    assert verdicts == {"t": "changed", ref: "differs"}


HIDDEN = [
    "SELECT * FROM orders",
    "SELECT CAST(who AS INT) FROM orders",
    "SELECT CAST(who AS DATE) FROM orders",
    "SELECT min(who), max(who) FROM orders",
    "SELECT string_agg(who, ',') FROM orders",
    "SELECT who FROM orders WHERE who = 'canary'",
    "SELECT 1 / (total - total) FROM orders",
    "SELECT 9223372036854775807 * total FROM orders",
    "SELECT arrow_cast(who, 'Int64') FROM orders",
    "SELECT to_timestamp(who) FROM orders",
    "SELECT CAST(array_agg(who) AS VARCHAR) FROM orders",
    "EXPLAIN ANALYZE SELECT * FROM orders WHERE who > 'a'",
    "SELECT regexp_replace('a', who || '(', 'b') FROM orders",
    "SELECT make_date(2024, 13, total) FROM orders",
    "SELECT (SELECT who FROM orders) AS x",
]


@pytest.mark.parametrize("sql", HIDDEN)
def test_no_cell_reaches_the_model_where_values_are_hidden(module_rooms, hidden_room, sql):
    reply = hidden_room.call("query_data", sql=sql)
    assert "canary-" not in reply.text, reply.text
    if not reply.failed:
        assert reply["preview"] == [] and reply["complete"] is (reply["total"] == 0)


@pytest.fixture(scope="module")
def hidden_room(module_rooms, shop):
    return module_rooms(data=shop, config='[policy]\nvalues = "none"\n')


def test_a_name_that_a_script_made_of_a_value_is_in_no_error(hidden_room):
    code = "outputs['t'] = orders.pivot_table(index='id', columns='who', values='total').reset_index()"
    ref = hidden_room.table(code, orders="Orders")
    wrong = ["SELECT canary FROM {0}", "SELECT *, count(*) FROM {0}", "SELECT * FROM {0} a JOIN {0} b ON true WHERE idd = 1"]
    for sql in [*wrong, "SELECT * FROM {0}"]:
        reply = hidden_room.call("query_data", sql=sql.format(ref))
        assert "canary-" not in reply.text, reply.text


def test_without_rows_an_aggregate_may_be_shown_and_a_row_may_not(module_rooms, shop):
    room = module_rooms(data=shop, config='[policy]\nvalues = "aggregates"\n')
    assert room.call("query_data", sql="SELECT count(*) AS n FROM orders")["preview"] == [{"n": 3}]
    assert room.call("query_data", sql="SELECT who FROM orders")["preview"] == []
    reply = room.call("query_data", sql="SELECT max(who) AS w, count(*) AS n FROM orders")
    assert reply["preview"] == [{"n": 3}] and "canary" not in reply.text


def test_an_empty_answer_says_why(room):
    reply = room.call("query_data", sql="SELECT * FROM orders WHERE who = 'Canary-Ann'")
    assert reply["total"] == 0 and any('"canary-ann"' in warning for warning in reply["warnings"])


def test_limits_end_a_query_and_the_server_goes_on(rooms, shop):
    room = rooms(shop, config="[query]\nwall_ms = 500\n")
    reply = room.call("query_data", sql="WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r")
    assert reply.failed and reply.text.startswith("TIME") and reply.seconds < 1.7
    assert room.call("query_data", sql="SELECT 1 AS one")["preview"] == [{"one": 1}]
    assert list(room.home.glob("spill/*")) == []


def test_the_command_prints_rows_and_as_json_what_the_tool_says(shop, tmp_path):
    home = tmp_path / "home"
    done = run("query", "SELECT id, total FROM orders ORDER BY id", "--data", shop, "--home", home)
    assert done.stdout.split() == ["id", "total", "1", "100", "2", "150", "3", "250"] and "data_" in done.stderr
    reply = json.loads(run("query", "SELECT count(*) AS n FROM orders", "--data", shop, "--home", home, "--json").stdout)
    assert reply["preview"] == [{"n": 3}] and reply["complete"] is True
    failed = run("query", "DROP TABLE orders", "--data", shop, "--home", home, check=False)
    assert failed.returncode == 1 and "STATEMENT" in failed.stderr
    began = time.perf_counter()
    replayed = run("replay", reply["dataRef"], "--data", shop, "--home", home, env={"DATAROOM_CACHE": str(tmp_path / "none")})
    assert "identical" in replayed.stdout and time.perf_counter() - began < 30, "a query needs no Python"
