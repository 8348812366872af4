"""Queries by chance: every expression in them has a type, and both engines must know it.

What the engines say differently on purpose is not drawn: whole numbers are divided as
floats, halves are not rounded, and rows are compared as a bag. `queries(seed, count)` gives
the same ones each time.
"""

import random
from collections.abc import Iterator

INT, FLOAT, DECIMAL, TEXT, DATE, TIME, BOOL = "int float decimal text date time bool".split()
COLUMNS = {
    INT: ["id", "k", "big"],
    FLOAT: ["x"],
    DECIMAL: ["d"],
    TEXT: ["s", "grp"],
    DATE: ["day"],
    TIME: ["ts"],
    BOOL: ["b"],
}
LITERALS = {
    INT: ["0", "1", "7", "-3", "21", "100"],
    FLOAT: ["0.5e0", "-2.25e0", "1e20", "1e-20", "0e0", "CAST('NaN' AS DOUBLE)"],
    DECIMAL: ["0.5", "12.34", "-3.25", "0.001", "40.0"],
    TEXT: ["'apple'", "''", "'Äpfel'", "'b'", "'a%'", "'fig '", "'12'"],
    DATE: ["DATE '2024-02-29'", "DATE '2024-07-01'"],
    TIME: ["TIMESTAMP '2024-03-01 12:30:00'", "TIMESTAMP '2024-08-01 00:00:00'"],
    BOOL: ["TRUE", "FALSE"],
}
NUMBERS = (INT, FLOAT, DECIMAL)


# NaN, infinities and numbers of every size.
WILD = {**COLUMNS, INT: ["id"], FLOAT: ["x", "x", "y"]}


class Drawing:
    """Expressions over a table of tests/sql/small.py under an alias."""

    def __init__(self, chosen: random.Random, table: str = "t", columns=COLUMNS):
        self.chosen, self.table, self.columns = chosen, table, columns

    def pick(self, choices):
        return self.chosen.choice(choices)

    def leaf(self, kind: str) -> str:
        if self.chosen.random() < 0.7 and (self.columns is COLUMNS or kind in (INT, FLOAT)):
            column = self.pick(self.columns[kind])
            # Columns weigh more than their types: `big` overflows soon.
            return f"{self.table}.{'k' if column == 'big' and self.chosen.random() < 0.8 else column}"
        return self.pick(LITERALS[kind])

    def of(self, kind: str, depth: int) -> str:
        if depth <= 0 or self.chosen.random() < 0.2:
            return self.leaf(kind)
        if self.chosen.random() < 0.2:
            return self.any_kind(kind, depth - 1)
        return getattr(self, kind)(depth - 1)

    def any_kind(self, kind: str, depth: int) -> str:
        """What every type has."""
        of = lambda: self.of(kind, depth)  # noqa: E731
        return self.pick([
            lambda: f"coalesce({of()}, {of()})",
            lambda: f"nullif({of()}, {of()})",
            lambda: f"CASE WHEN {self.of(BOOL, depth)} THEN {of()} ELSE {of()} END",
            lambda: f"CASE WHEN {self.of(BOOL, depth)} THEN {of()} END",
            lambda: f"CASE {of()} WHEN {of()} THEN {of()} ELSE {of()} END",
            lambda: f"greatest({of()}, {of()})",
            lambda: f"least({of()}, {of()}, {of()})",
        ])()  # fmt: skip

    def int(self, depth: int) -> str:
        of = lambda kind=INT: self.of(kind, depth)  # noqa: E731
        return self.pick([
            lambda: f"({of()} + {of()})",
            lambda: f"({of()} - {of()})",
            lambda: f"({of()} * {self.pick(['2', '3', '-1'])})",
            lambda: f"({of()} % {self.pick(['7', '3', '-4'])})",
            lambda: f"abs({of()})",
            lambda: f"(-{of()})",
            lambda: f"length({of(TEXT)})",
            lambda: f"strpos({of(TEXT)}, {of(TEXT)})",
            lambda: f"ascii({of(TEXT)})",
            lambda: f"CAST(extract({self.pick(['year', 'month', 'day', 'week', 'quarter', 'dow', 'doy'])} FROM {of(self.pick([DATE, TIME]))}) AS BIGINT)",
            lambda: f"CAST({self.small_number(depth)} AS BIGINT)",
            lambda: f"TRY_CAST({of(TEXT)} AS BIGINT)",
            lambda: f"CAST({of(BOOL)} AS INT)",
            lambda: f"CAST(sign({of()}) AS INT)",
        ])()  # fmt: skip

    def small_number(self, depth: int) -> str:
        """A fraction that any whole number can hold, rounded."""
        kind = self.pick([FLOAT, DECIMAL])
        drawn = self.leaf(kind)
        return f"CASE WHEN abs({drawn}) < 1e6 THEN {drawn} END"

    def float(self, depth: int) -> str:
        of = lambda kind=FLOAT: self.of(kind, depth)  # noqa: E731
        return self.pick([
            lambda: f"({of()} + {of(self.pick(NUMBERS))})",
            lambda: f"({of(self.pick(NUMBERS))} - {of()})",
            lambda: f"({of()} * {of(self.pick(NUMBERS))})",
            lambda: f"({of(self.pick(NUMBERS))} / nullif({of()}, 0))",
            lambda: f"({of(DECIMAL)} / nullif({of(DECIMAL)}, 0))",
            lambda: f"CAST({of(self.pick([INT, DECIMAL]))} AS DOUBLE)",
            lambda: f"sqrt(abs({of()}))",
            lambda: f"abs({of()})",
            lambda: f"floor({of()})",
            lambda: f"ceil({of()})",
            lambda: f"TRY_CAST({of(TEXT)} AS DOUBLE)",
        ])()  # fmt: skip

    def decimal(self, depth: int) -> str:
        of = lambda kind=DECIMAL: self.of(kind, depth)  # noqa: E731
        return self.pick([
            lambda: f"({of()} + {self.leaf(DECIMAL)})",
            lambda: f"({self.leaf(DECIMAL)} - {of()})",
            lambda: f"({self.leaf(DECIMAL)} * {self.pick(['2', '0.5', '1.25'])})",
            lambda: f"({self.leaf(DECIMAL)} % {self.pick(['7', '0.3', '2.5'])})",
            lambda: f"abs({of()})",
            lambda: f"CAST({self.leaf(INT)} AS DECIMAL(20, 1))",
            lambda: f"CAST({of()} AS DECIMAL(20, 6))",
            lambda: f"(-{of()})",
        ])()  # fmt: skip

    def text(self, depth: int) -> str:
        of = lambda kind=TEXT: self.of(kind, depth)  # noqa: E731
        number = lambda: self.pick(["1", "2", "3", "5"])  # noqa: E731
        return self.pick([
            lambda: f"({of()} || {of()})",
            lambda: f"concat({of()}, {of()})",
            lambda: f"lower({of()})",
            lambda: f"upper({of()})",
            lambda: f"substr({of()}, {number()}, {number()})",
            lambda: f"left({of()}, {number()})",
            lambda: f"right({of()}, {number()})",
            lambda: f"trim({of()})",
            lambda: f"replace({of()}, {self.pick(LITERALS[TEXT])}, {of()})",
            lambda: f"reverse({of()})",
            lambda: f"lpad({of()}, {number()}, '*')",
            lambda: f"repeat({self.leaf(TEXT)}, 2)",
            lambda: f"split_part({of()}, 'e', {number()})",
            lambda: f"CAST({of(self.pick([INT, DATE]))} AS VARCHAR)",
            lambda: f"translate({of()}, 'ae', 'xy')",
        ])()  # fmt: skip

    def date(self, depth: int) -> str:
        of = lambda kind=DATE: self.of(kind, depth)  # noqa: E731
        step = lambda: self.pick(["1 day", "3 day", "1 month", "1 year", "-2 month"])  # noqa: E731
        return self.pick([
            lambda: f"CAST({of(TIME)} AS DATE)",
            lambda: f"CAST({of()} + INTERVAL '{step()}' AS DATE)",
            lambda: f"CAST(date_trunc('{self.pick(['month', 'week', 'year', 'quarter'])}', {of()}) AS DATE)",
        ])()  # fmt: skip

    def time(self, depth: int) -> str:
        of = lambda kind=TIME: self.of(kind, depth)  # noqa: E731
        step = lambda: self.pick(["1 day", "36 hour", "5 minute", "1 month", "-1 year"])  # noqa: E731
        return self.pick([
            lambda: f"({of()} + INTERVAL '{step()}')",
            lambda: f"({of()} - INTERVAL '{step()}')",
            lambda: f"date_trunc('{self.pick(['hour', 'day', 'week', 'month'])}', {of()})",
            lambda: f"CAST({of(DATE)} AS TIMESTAMP)",
        ])()  # fmt: skip

    def bool(self, depth: int) -> str:
        of = lambda kind: self.of(kind, depth)  # noqa: E731
        kind = self.pick([INT, FLOAT, DECIMAL, TEXT, DATE, TIME])
        other = self.pick(NUMBERS) if kind in NUMBERS else self.pick([DATE, TIME]) if kind in (DATE, TIME) else kind
        compared = self.pick(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"])
        maybe = self.pick(["", "NOT "])
        return self.pick([
            lambda: f"({of(kind)} {compared} {of(other)})",
            lambda: f"({of(kind)} {compared} {of(other)})",
            lambda: f"({of(kind)} {maybe}BETWEEN {of(other)} AND {of(kind)})",
            lambda: f"({of(kind)} {maybe}IN ({of(other)}, {of(kind)}, {self.leaf(other)}))",
            lambda: f"({of(BOOL)} AND {of(BOOL)})",
            lambda: f"({of(BOOL)} OR {of(BOOL)})",
            lambda: f"(NOT {of(BOOL)})",
            lambda: f"({of(kind)} IS {maybe}NULL)",
            lambda: f"({of(TEXT)} {maybe}LIKE '{self.pick(['a%', '%e%', '_e%', '%', 'Ä%'])}')",
            lambda: f"({of(TEXT)} {maybe}ILIKE '{self.pick(['A%', '%E', 'ä%'])}')",
            lambda: f"starts_with({of(TEXT)}, {of(TEXT)})",
            lambda: f"({of(BOOL)} IS {maybe}TRUE)",
        ])()  # fmt: skip

    def kind(self) -> str:
        return self.pick([INT, INT, FLOAT, FLOAT, DECIMAL, DECIMAL, TEXT, DATE, TIME, BOOL])

    def aggregate(self, depth: int) -> str:
        of = lambda kind: self.of(kind, depth)  # noqa: E731
        kind = self.kind()
        where = f" FILTER (WHERE {of(BOOL)})" if self.chosen.random() < 0.2 else ""
        # Sums of what is as large as 1e20 differ by the order in which they are added.
        small = lambda: self.pick(["t.x", "(t.x * 0.5)", "(t.k + t.x)", "abs(t.x)", "coalesce(t.x, 0.25)"]).replace("t.", f"{self.table}.")  # noqa: E731
        return self.pick([
            lambda: f"count(*){where}",
            lambda: f"count({of(kind)}){where}",
            lambda: f"count(DISTINCT {of(kind)})",
            lambda: f"min({of(kind)}){where}",
            lambda: f"max({of(kind)}){where}",
            lambda: f"sum({of(self.pick([INT, DECIMAL]))}){where}",
            lambda: f"avg({of(self.pick([INT, DECIMAL]))}){where}",
            lambda: f"sum({small()}){where}",
            lambda: f"avg({small()}){where}",
            lambda: f"median({small()}){where}",
            lambda: f"stddev({small()})",
            lambda: f"var_pop({small()})",
            lambda: f"percentile_cont({self.pick(['0.1', '0.25', '0.9', '0.333'])}) WITHIN GROUP (ORDER BY {small()})",
            lambda: f"bool_and({of(BOOL)})",
            lambda: f"bool_or({of(BOOL)})",
            lambda: f"string_agg({of(TEXT)}, ',' ORDER BY {self.table}.id)",
        ])()  # fmt: skip

    def window(self, depth: int) -> str:
        over = "" if self.chosen.random() < 0.4 else f"PARTITION BY {self.of(self.pick([TEXT, BOOL]), 1)} "
        frame = self.pick([
            "", "", " ROWS BETWEEN 3 PRECEDING AND CURRENT ROW", " ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING",
            " RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        ])  # fmt: skip
        rank = self.pick(["row_number()", "rank()", "dense_rank()", "ntile(4)", "percent_rank()"])
        kind = self.kind()
        moved = f"{self.pick(['lag', 'lead'])}({self.of(kind, depth)}, {self.pick(['1', '2'])})"
        plain = f"({over}ORDER BY {self.table}.id)"
        return self.pick([
            lambda: f"{rank} OVER {plain}",
            lambda: f"{moved} OVER {plain}",
            lambda: f"first_value({self.of(kind, depth)}) OVER {plain}",
            lambda: f"{self.pick(['sum', 'avg', 'min', 'max', 'count'])}({self.of(self.pick([INT, DECIMAL]), 1)}) OVER ({over}ORDER BY {self.table}.id{frame})",
            lambda: f"{self.pick(['sum', 'avg', 'min', 'max', 'stddev'])}({self.table}.x) OVER ({over}ORDER BY {self.table}.id{frame})",
        ])()  # fmt: skip


def rows(draw: Drawing) -> str:
    columns = ", ".join(f"{draw.of(draw.kind(), 3)} AS c{n}" for n in range(draw.pick([1, 2, 3])))
    return f"SELECT t.id, {columns} FROM t WHERE {draw.of(BOOL, 3)}"


def groups(draw: Drawing) -> str:
    keys = [draw.of(draw.pick([TEXT, BOOL, INT, DATE]), 2) for _ in range(draw.pick([0, 1, 1, 2]))]
    columns = [f"{key} AS g{n}" for n, key in enumerate(keys)]
    columns += [f"{draw.aggregate(2)} AS c{n}" for n in range(draw.pick([1, 2, 3]))]
    sql = f"SELECT {', '.join(columns)} FROM t"
    if draw.chosen.random() < 0.4:
        sql += f" WHERE {draw.of(BOOL, 2)}"
    if keys:
        sql += f" GROUP BY {', '.join(str(n + 1) for n in range(len(keys)))}"
        if draw.chosen.random() < 0.3:
            sql += f" HAVING count(*) > {draw.pick(['1', '3', '10'])}"
    return sql


def windows(draw: Drawing) -> str:
    columns = ", ".join(f"{draw.window(2)} AS c{n}" for n in range(draw.pick([1, 2])))
    return f"SELECT t.id, {columns} FROM t"


def joins(draw: Drawing) -> str:
    kind = draw.pick(["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"])
    on = draw.pick([
        "t.id = u.t_id", "t.k = u.v", "t.x = u.v", "t.d = u.v", "t.id = u.t_id AND t.k > u.v",
        f"t.id = u.t_id AND {draw.of(BOOL, 1)}",
    ])  # fmt: skip
    kind_of = draw.kind()
    where = f" WHERE {draw.of(BOOL, 2)}" if draw.chosen.random() < 0.5 else ""
    return f"SELECT t.id, u.t_id, u.v, {draw.of(kind_of, 2)} AS c FROM t {kind} u ON {on}{where}"


def sets(draw: Drawing) -> str:
    kind = draw.kind()
    other = draw.pick(NUMBERS) if kind in NUMBERS else kind
    word = draw.pick(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])
    one, two = draw.of(kind, 2), draw.of(other, 2)
    return f"SELECT {one} AS c FROM t WHERE t.id < 90 {word} SELECT {two} FROM t WHERE t.id > 60"


def subqueries(draw: Drawing) -> str:
    kind = draw.pick([INT, DECIMAL, TEXT])
    other = draw.pick([INT, DECIMAL]) if kind != TEXT else TEXT
    inner = Drawing(draw.chosen, "o")
    return draw.pick([
        lambda: f"SELECT t.id FROM t WHERE {draw.of(kind, 2)} IN (SELECT {inner.of(other, 2)} FROM t AS o WHERE {inner.of(BOOL, 1)})",
        lambda: f"SELECT t.id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id AND u.v > {draw.pick(['0', '5', '0.5'])})",
        lambda: f"SELECT t.id, (SELECT max({inner.of(kind, 2)}) FROM t AS o) AS m FROM t WHERE {draw.of(BOOL, 2)}",
        lambda: f"SELECT t.id FROM t WHERE {draw.of(INT, 1)} > (SELECT {draw.pick(['avg', 'min', 'max'])}(o.d) FROM t AS o WHERE o.id < 50)",
        lambda: f"WITH q AS (SELECT {draw.of(TEXT, 2)} AS a, {draw.of(DECIMAL, 2)} AS c FROM t) SELECT a, count(*) AS n, sum(c) AS s FROM q GROUP BY a",
    ])()  # fmt: skip


def wild(draw: Drawing) -> str:
    draw = Drawing(draw.chosen, "m", WILD)
    value = draw.of(FLOAT, 3)
    return draw.pick([
        lambda: f"SELECT m.id, {value} AS c, {draw.of(draw.kind(), 2)} AS d FROM m WHERE {draw.of(BOOL, 3)}",
        lambda: f"SELECT {draw.of(INT, 2)} AS g, min({value}) AS a, max({value}) AS b, count(DISTINCT {value}) AS n FROM m GROUP BY 1",
        lambda: f"SELECT min({value}) AS a, max({value}) AS b, count(DISTINCT {value}) AS n, median(m.y) AS o FROM m",
        lambda: f"SELECT DISTINCT {value} AS v FROM m",
        lambda: f"SELECT {value} AS v, count(*) AS n FROM m GROUP BY 1",
        lambda: f"SELECT m.id, o.id AS o FROM m JOIN m AS o ON m.x = o.x AND m.id > o.id WHERE {draw.of(BOOL, 2)}",
        lambda: f"SELECT m.id, rank() OVER (ORDER BY {value}) AS r, dense_rank() OVER (ORDER BY m.x DESC NULLS LAST) AS d FROM m",
        lambda: f"SELECT m.id FROM m WHERE m.x {draw.pick(['', 'NOT '])}IN (SELECT o.y - 0.5 FROM m AS o)",
        lambda: f"SELECT {value} AS v FROM m {draw.pick(['UNION', 'INTERSECT', 'EXCEPT'])} SELECT x FROM m",
    ])()  # fmt: skip


SHAPES = [rows, rows, rows, groups, groups, windows, joins, sets, subqueries, wild, wild]


def queries(seed: int, count: int) -> Iterator[str]:
    chosen = random.Random(seed)
    for _ in range(count):
        yield chosen.choice(SHAPES)(Drawing(chosen))
