"""What SQL says when a function cannot take an argument, and how columns are called."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

# What the engine says of itself; a reader has no use for it.
INSIDE = ["signature", "coercion", "Utf8", "DataType", "internal", "bug", "Candidate", "user-defined"]


@pytest.fixture(scope="module")
def asked(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    table = pa.table(
        {
            "a": [1, 2, 3],
            "b": [4, 5, 6],
            "t": ["x", "2.5", "3"],
            "none": pa.nulls(3),
            "empty": pa.array([None, None, None], pa.float64()),
            "day": pa.array([1, 2, 3], pa.date32()),
            "ok": [True, False, None],
            "many": [[1], [2], [3]],
        }
    )
    pq.write_table(table, folder / "t.parquet")
    room = module_rooms(data=folder)
    return lambda sql: room.call("query_data", sql=sql)


WRONG = [
    ("SELECT sum(t) FROM t", ["sum cannot take the column t", "text", "TRY_CAST(t AS DOUBLE)", "clean"]),
    ("SELECT avg(x.t) FROM t AS x", ["avg cannot take the column x.t", "text", "CAST(x.t AS DOUBLE)"]),
    ("SELECT sum(DISTINCT t) FROM t GROUP BY a", ["sum cannot take the column t", "text"]),
    ("SELECT a, avg(T) OVER (ORDER BY a) FROM t", ["avg cannot take the column t", "column 11"]),
    ("SELECT median(t) FROM t", ["median cannot take the column t", "text"]),
    ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM t", ["percentile_cont cannot take the column t", "text"]),
    ("SELECT stddev(t) FROM t", ["stddev cannot take the column t", "text"]),
    ("SELECT corr(a, t) FROM t", ["corr cannot take the column t", "text"]),
    ("SELECT sum(ok) FROM t", ["sum cannot take the column ok", "bool", "CAST(ok AS INT)", "count(*) FILTER (WHERE ok)"]),
    ("SELECT avg(day) FROM t", ["avg cannot take the column day", "date", "date_part('epoch', day)"]),
    ("SELECT sum(many) FROM t", ["sum cannot take the column many", "list<int64>", "UNNEST(many)"]),
    ("SELECT sum(upper(t)) FROM t", ["sum cannot take upper(t), which is text", "TRY_CAST(upper(t) AS DOUBLE)"]),
    ("SELECT round(t, 2) FROM t", ["round cannot take the column t", "text"]),
    ("SELECT upper(a) FROM t", ["upper cannot take the column a", "int64", "CAST(a AS VARCHAR)"]),
    ("SELECT s FROM (SELECT sum(t) AS s FROM t) AS q", ["sum cannot take the column t", "column 23"]),
    ("SELECT substr(a, 1, 1) FROM t", ["substr cannot take", "a whole number", "AS VARCHAR"]),
    ("SELECT coalesce() FROM t", ["coalesce must have at least one argument"]),
    ("SELECT a + t FROM t", ["int64 + text"]),
    ("SELECT sum(a, b) FROM t", ["sum takes 1 argument, and was given 2"]),
]


@pytest.mark.parametrize(("sql", "words"), WRONG)
def test_an_argument_that_a_function_cannot_take_is_named(asked, sql, words):
    reply = asked(sql)
    assert reply.failed and reply.text.startswith("TYPE"), reply.text
    for word in words:
        assert word in reply.text, reply.text
    for word in INSIDE:
        assert word not in reply.text, reply.text


@pytest.mark.parametrize("how", ["ON x.a >= y.b", "MATCH_CONDITION (x.a >= y.b)"])
def test_an_asof_join_is_refused_with_what_to_write(asked, how):
    reply = asked(f"SELECT x.a FROM t AS x ASOF JOIN t AS y {how}")
    assert reply.failed and reply.text.startswith("UNSUPPORTED"), reply.text
    for words in ("no ASOF JOIN", "row_number() OVER", "nth = 1", "merge_asof"):
        assert words in reply.text


def test_what_is_written_instead_works(asked):
    sql = "SELECT sum(TRY_CAST(t AS DOUBLE)) AS s, sum(CAST(ok AS INT)) AS n, avg(date_part('epoch', day)) AS d FROM t"
    assert asked(sql)["preview"] == [{"s": 5.5, "n": 1, "d": 172800.0}]


NOTHING = [
    "SELECT sum({0}) AS s, avg({0}) AS v, min({0}) AS l, max({0}) AS m, count({0}) AS c FROM t",
    "SELECT a, sum({0}) AS s, avg({0}) AS v, min({0}) AS l, max({0}) AS m FROM t GROUP BY a ORDER BY a",
    "SELECT sum(DISTINCT {0}) AS s, avg(DISTINCT {0}) AS v FROM t",
    "SELECT sum({0}) OVER (ORDER BY a) AS s, avg({0}) OVER (ORDER BY a ROWS 1 PRECEDING) AS v FROM t",
    "SELECT coalesce(sum({0}), 0) AS s, sum({0}) + 1 AS n FROM t",
    "SELECT median({0}) AS m, stddev({0}) AS d FROM t",
]


@pytest.mark.parametrize("column", ["none", "empty", "NULL"])
@pytest.mark.parametrize("sql", NOTHING)
def test_of_nothing_but_nulls_comes_null_as_from_duckdb(asked, sql, column):
    reply = asked(sql.format(column))
    assert not reply.failed, reply.text
    rows = duckdb.sql("SELECT n AS a, NULL::DOUBLE AS none, NULL::DOUBLE AS empty FROM range(1, 4) s(n)")
    want = duckdb.sql(sql.format(column.replace("NULL", "NULL::DOUBLE")).replace("FROM t", "FROM rows AS t")).fetchall()
    assert [tuple(row.values()) for row in reply["preview"]] == want, (reply.text, rows)


CALLED = [
    ("SELECT 1", ["1"]),
    ("SELECT 'x', 1e30, -a FROM t", ["'x'", "1e30", "-a"]),
    ("SELECT count(*), count(1), sum(a+b) FROM t", ["count(*)", "count(1)", "sum(a + b)"]),
    ("SELECT x.a, (b), a AS c FROM t AS x", ["a", "b", "c"]),
    ("SELECT a::double, CAST(a AS varchar) FROM t", ["a::DOUBLE", "CAST(a AS VARCHAR)"]),
    ("SELECT sum(a), sum(a) FROM t", ["sum(a)", "sum(a)_2"]),
    ("SELECT * FROM (SELECT max(a), upper(t) FROM t GROUP BY t) AS q", ["max(a)", "upper(t)"]),
    ("WITH q AS (SELECT avg(a) FROM t) SELECT * FROM q", ["avg(a)"]),
    ("SELECT a + 1 FROM t UNION ALL SELECT b FROM t", ["a + 1"]),
    ("SELECT DISTINCT a % 2 FROM t ORDER BY a % 2", ["a % 2"]),
    ("SELECT a % 2, count(*) FROM t GROUP BY a % 2 HAVING count(*) > 0 ORDER BY count(*), 1", ["a % 2", "count(*)"]),
    ("SELECT row_number() OVER (ORDER BY a) FROM t", ["row_number() OVER (ORDER BY a)"]),
    ("SELECT (SELECT max(a) FROM t)", ["(SELECT max(a) FROM t)"]),
    ("SELECT \"a + 1\" * 2 AS d FROM (SELECT a + 1 FROM t) AS q", ["d"]),
]


@pytest.mark.parametrize(("sql", "names"), CALLED)
def test_a_column_without_a_name_is_called_as_it_is_written(asked, sql, names):
    reply = asked(sql)
    assert not reply.failed, reply.text
    assert list(reply["columns"]) == names


def test_a_long_expression_is_called_by_its_beginning(asked):
    (name,) = asked("SELECT " + " + ".join(["a"] * 60) + " FROM t")["columns"]
    assert len(name) == 60 and name.startswith("a + a + ") and name.endswith("…")


def test_a_suggestion_has_no_names_that_its_author_did_not_write(asked):
    reply = asked("SELECT sum(x.a) FROM t AS x JOIN (SELECT 1 AS k UNION ALL SELECT 1) AS y ON x.a = y.k")
    assert reply.failed and 'AS "sum(x.a)"' not in reply.text, reply.text
