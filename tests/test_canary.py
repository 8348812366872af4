"""`values = "none"`: no cell reaches the model, by any tool and any error.

A table whose every cell is unique is asked for in every way that we could think of, by a
client that we did not write. Everything that the server wrote is kept as bytes: its answers,
its notifications, its standard error, and the audit; no piece of a cell may be in them.
"""

import json
import sqlite3

import anyio
import mcp
import pytest
from conftest import Room, run

import canary

CONFIG = """
[policy]
values = "none"
chart_images = true
[limits]
wall_ms = 20000
[view]
apps = "off"
[[source]]
name = "lite"
kind = "sqlite"
file = "lite.db"
tables = ["main.people"]
[[tool]]
name = "told"
description = "People after one."
source = "lite"
sql = "SELECT name, ssn, amount FROM main.people WHERE id > :least"
returns = "rows"
[tool.parameters.least]
type = "integer"
min = 0
max = 100
[[tool]]
name = "kept"
description = "People after one, kept."
source = "lite"
sql = "SELECT name, ssn, amount FROM main.people WHERE id > :least"
returns = "artifact"
[tool.parameters.least]
type = "integer"
min = 0
max = 100
"""


class Tapped(Room):
    """A room all of whose output is kept."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        tap = 'echo $$ > "$0"; "$@" 2>"$0.err" | tee "$0.out"'
        self.server.args[1] = tap

    def written(self) -> dict[str, str]:
        """All that it wrote, by where it wrote it."""
        files = {
            "answers": self.pid_file.with_name(self.pid_file.name + ".out"),
            "log": self.pid_file.with_name(self.pid_file.name + ".err"),
        }
        files |= {f"audit {file.name}": file for file in (self.home / "audit").glob("*.json*")}
        return {name: file.read_bytes().decode(errors="replace") for name, file in files.items()}


@pytest.fixture(scope="module")
def table():
    return canary.make()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, table):
    """The table in each format, and in files that break at a cell."""
    folder = tmp_path_factory.mktemp("canaries")
    table.to_parquet(folder / "people.parquet")
    table.to_csv(folder / "people_csv.csv", index=False)
    table[["name", "amount", "shop"]].to_excel(folder / "people_book.xlsx", index=False)
    rows = json.loads(table.astype(str).to_json(orient="records"))
    (folder / "people_json.json").write_text(json.dumps(rows, ensure_ascii=False))
    names = list(table["name"])
    (folder / "ragged.csv").write_text("a,b\n1,2\n" + ",".join(names[:5]) + "\n")
    (folder / "quotes.csv").write_text(f'a,b\n1,"{names[0]}\n2,"{names[1]}"x"\n')
    (folder / "latin.csv").write_bytes(b"a,b\n" + names[2].encode() + b"\xff\xfe\x81,1\n")
    (folder / "broken.json").write_text(f'[{{"a": "{names[3]}"}}, {{"a": {names[4]}}}]')
    (folder / "lines.ndjson").write_text(f'{{"a": 1}}\n{{"a": "{names[5]}"\n')
    (folder / "cut.parquet").write_bytes((folder / "people.parquet").read_bytes()[:-900])
    (folder / "noise.xlsx").write_bytes(names[6].encode() * 50)
    return folder


@pytest.fixture(scope="module")
def tapped(portal, tmp_path_factory, folder, table):
    home = tmp_path_factory.mktemp("tapped")
    with sqlite3.connect(home / "lite.db") as lite:
        table.astype(str).assign(id=table["id"]).to_sql("people", lite, index=False)
    lite.close()
    config = home / "config.toml"
    config.write_text(CONFIG)
    room = Tapped(portal, home / "home", ["--data", folder, "--config", config], "auto", {"RUST_LOG": "trace"})
    with room:
        yield room


# Each of `{p}` is asked of the dataset, its copies and an artifact.
QUERIES = """
SELECT * FROM {p}
SELECT name, ssn FROM {p} ORDER BY ssn LIMIT 1
SELECT CAST(ssn AS INT) FROM {p}
SELECT CAST(name AS DOUBLE) FROM {p}
SELECT CAST(name AS DATE) FROM {p}
SELECT name::TIMESTAMP FROM {p}
SELECT to_timestamp(name) FROM {p}
SELECT to_date(mail, '%Y') FROM {p}
SELECT arrow_cast(name, 'Int8') FROM {p}
SELECT CAST(amount AS TINYINT) FROM {p}
SELECT amount * amount * amount FROM {p}
SELECT 1 / (id - 1) FROM {p}
SELECT amount / (id - 7) FROM {p}
SELECT 1 % (id - 1) FROM {p}
SELECT string_agg(name, ',') FROM {p}
SELECT array_agg(name) FROM {p}
SELECT array_agg(name)[1] FROM {p}
SELECT min(name), max(name), min(amount), max(amount), avg(price), sum(amount) FROM {p}
SELECT first_value(name), last_value(mail) FROM {p}
SELECT median(price), approx_percentile_cont(price, 0.5) FROM {p}
SELECT name AS n, md5(name), sha256(ssn), left(name, 4), substr(mail, 2), reverse(name) FROM {p}
SELECT encode(name, 'base64'), encode(name, 'hex'), ascii(name), length(name) FROM {p}
SELECT count(*) FROM {p} WHERE name LIKE 'b%'
SELECT count(DISTINCT name) FROM {p} GROUP BY shop HAVING max(amount) > 5
SELECT a.name FROM {p} a JOIN {p} b USING (ssn)
SELECT * FROM {p} a NATURAL JOIN {p} b
SELECT sum(a.amount) FROM {p} a JOIN {p} b ON a.shop = b.shop
SELECT x.c1, x.c2 FROM (SELECT name, ssn FROM {p}) AS x(c1, c2)
SELECT name, row_number() OVER (ORDER BY ssn) FROM {p}
SELECT regexp_match(name, mail) FROM {p}
SELECT regexp_replace(name, '(', 'x') FROM {p}
SELECT regexp_like(shop, name || '(') FROM {p}
SELECT nme FROM {p}
SELECT name FROM {p} WHERE nmae = 3
SELECT sum(name) FROM {p}
SELECT name + 1 FROM {p}
SELECT name - price FROM {p}
SELECT date_trunc(name, at) FROM {p}
SELECT date_part(name, at) FROM {p}
SELECT at AT TIME ZONE name FROM {p}
SELECT day + name FROM {p}
SELECT day + CAST(name AS INTERVAL) FROM {p}
SELECT repeat(name, 99999999) FROM {p}
SELECT lpad(name, amount) FROM {p}
SELECT CASE WHEN id = 1 THEN CAST(name AS INT) ELSE 0 END FROM {p}
SELECT * FROM {p} WHERE name = 'nobody'
SELECT * FROM {p} WHERE name = 'x' AND amount > 5
SELECT * FROM {p} WHERE day > '9999-01-01'
SELECT * FROM {p} WHERE shop = 'East'
SELECT shop, count(*) FROM {p} GROUP BY shop
SELECT name, count(*) FROM {p} GROUP BY name ORDER BY 2 LIMIT 3
SELECT (SELECT name FROM {p}) FROM {p}
SELECT (SELECT name FROM {p} ORDER BY id LIMIT 1) AS one
SELECT * FROM {p} WHERE id IN (SELECT CAST(mail AS INT) FROM {p})
SELECT name FROM {p} UNION ALL SELECT amount FROM {p}
SELECT name FROM {p} UNION SELECT id FROM {p}
WITH x AS (SELECT name FROM {p}) SELECT max(name) AS "a b" FROM x
SELECT struct(name, ssn), named_struct('a', mail), make_array(name) FROM {p}
SELECT arrow_typeof(named_struct('a', name)) FROM {p}
EXPLAIN SELECT * FROM {p} WHERE amount > 5 AND name = 'b'
EXPLAIN ANALYZE SELECT name FROM {p} WHERE name > 'b' ORDER BY name
EXPLAIN VERBOSE SELECT min(name) FROM {p}
SELECT sum(price) FROM {p} LIMIT 0
SELECT price::DECIMAL(5, 2) FROM {p}
SELECT CAST(price AS DECIMAL(4,3)) FROM {p}
SELECT to_hex(amount), chr(amount % 1000), chr(amount) FROM {p}
SELECT decode(name, 'hex') FROM {p}
SELECT decode(name, 'base64') FROM {p}
SELECT from_unixtime(amount * 999999) FROM {p}
SELECT make_date(amount, id, id) FROM {p}
SELECT substr(name, id, -id) FROM {p}
SELECT factorial(amount) FROM {p}
SELECT sqrt(-price), ln(-price), power(price, price) FROM {p}
SELECT name FROM {p} ORDER BY
SELECT * FROM {p} JOIN missing ON name = x
SELECT * FROM {p} WHERE name NOT IN (SELECT NULLIF(mail, mail) FROM {p})
""".strip().splitlines()

SCRIPTS = """
result = df.name[0]
result = {'a': list(df.amount[:9])}
result = df.to_dict()
print(df)
print(df.describe(), df.name.max(), flush=True)
import sys; print(df.name[1], file=sys.stderr)
raise ValueError(df.iloc[0])
raise KeyError(df.name[0])
df['nme']
df[df.name[0]]
df.set_index('name').loc['x']
df.rename(columns={'name': df.name[0]})['y']
assert False, df.name[0]
int(df.name[0])
float(df.mail[0])
df.name.astype(int)
pd.to_numeric(df.name)
pd.to_datetime(df.name)
pd.to_datetime(df.ssn, format='%Y')
df.amount.astype('int8') / 0; 1 / 0
df.name[999]
df.merge(df, on='missing')
df.merge(df, on='shop')
df.pivot_table(index='shop', columns='name', values='amount').nope
outputs['wide'] = df.pivot_table(index='shop', columns='name', values='amount').reset_index()
outputs['named'] = df.rename(columns=dict(zip(df.columns, df.name)))
outputs[df.name[0]] = df
outputs['t'] = df
outputs['categories'] = df.assign(name=df.name.astype('category'))
outputs['lists'] = df.assign(name=[[n, {'k': n}] for n in df.name])
outputs['mixed'] = df.assign(name=[n if i % 2 else i for i, n in enumerate(df.name)])
outputs['objects'] = df.assign(name=[object() for _ in df.name])
outputs['types'] = pd.DataFrame({'x': [{n: 1} for n in df.name]})
outputs['index'] = df.set_index(['name', 'mail'])
outputs['empty'] = df[df.name == 'x']
import sys; sys.exit(df.name[0])
import sys; sys.exit(int(df.amount[0]))
import os; os._exit(int(df.amount[0]))
import warnings; warnings.warn(df.name[0])
import warnings; warnings.warn(type(df.name[0], (UserWarning,), {})(df.mail[0]))
raise type(df.name[0], (Exception,), {})('x')
exec(df.name[0])
exec('def ' + df.name[0] + '(): 1/0\\n' + df.name[0] + '()')
eval(df.mail[0])
compile(df.name[0] + '(', df.mail[0], 'exec')
import json; json.loads(df.name[0])
import re; re.compile('(' + df.name[0])
open(df.name[0])
open('/tmp/' + df.name[0] + '.csv', 'w').write(df.to_csv()); open('/nope/' + df.name[0], 'w')
__import__(df.name[0])
getattr(df, df.name[0])
globals()[df.name[0]] = 1; undefined_name
df.query('name == ' + df.name[0])
df.eval(df.name[0])
import matplotlib.pyplot as plt; plt.plot(df.amount); plt.title(df.name[0]); plt.xlabel(df.mail[0]); plt.show()
import matplotlib.pyplot as plt; plt.bar(df.name, df.amount); plt.savefig(df.name[0] + '.png')
df.to_csv('out_' + df.name[1] + '.csv')
df.to_excel('book.xlsx', sheet_name=df.name[2])
sql('select cast(name as int) from df')
sql('select ' + df.name[0] + ' from df')
sql('select * from ' + df.name[0])
import numpy as np; np.array(df.name).astype(float)
import numpy as np; np.datetime64(df.name[0])
df.name.str.extract('(')
df.groupby('shop').name.apply(lambda s: 1 / 0 if s.iloc[0] else s)
df.apply(lambda row: {}[row.mail], axis=1)
import base64; print(base64.b64encode(df.to_csv().encode())); result = base64.b64encode(df.name[0].encode()).decode()
result = [ord(c) for c in df.name[0]]
print(df.name[0].encode().hex(), df.name[0][::-1])
import logging; logging.error(df.name[0]); logging.getLogger(df.name[1]).exception(df.mail[0])
import time; time.sleep(0.01); raise TimeoutError(df.mail[3])
raise ExceptionGroup(df.name[0], [ValueError(df.name[1])])
raise ValueError('x') from KeyError(df.name[0])
try:\n    raise KeyError(df.name[0])\nexcept KeyError as e:\n    e.add_note(df.mail[0]); raise
class T(str): pass\nresult = T(df.name[0])
def f(n):\n    return f(n + df.name[0])\nf('')
x = df.name[0] * 10**9
while True: print(df.name[0])
from dataroom import nothing_here
df.to_parquet('/in/x.parquet')
import zoneinfo; zoneinfo.ZoneInfo(df.name[0])
import locale; locale.setlocale(locale.LC_ALL, df.name[0])
import decimal; decimal.Decimal(df.name[0])
import unicodedata; unicodedata.lookup(df.name[0])
from sklearn.linear_model import LinearRegression; LinearRegression().fit(df[['name']], df.amount)
import statsmodels.formula.api as f; f.ols('amount ~ ' + df.name[0], df).fit()
""".strip().splitlines()


def drive_queries(room, names):
    for name in names:
        for sql in QUERIES:
            room.call("query_data", sql=sql.format(p=name))
    for sql in ("", "DROP TABLE people", "SELECT 1; SELECT 2", "SELECT * FROM people_csvv", "SELECT '" + "x" * 70000):
        room.call("query_data", sql=sql, save_as="x" * 200)


def drive_scripts(room):
    """Runs them; gives the references of what they made."""
    made, files = [], []
    for code in SCRIPTS:
        reply = room.python(code.replace("\\n", "\n"), df="people")
        if reply.structured:
            made += [output["dataRef"] for output in reply["outputs"].values()]
            files += [file["dataRef"] for file in reply.get("files", {}).values()]
    for figure in files:
        room.call("render_chart", data=figure, kind="figure")
        room.call("export_data", data=figure)
    return made + files


def drive_tables(room, names):
    for name in names:
        room.call("describe_data", data=name)
        room.call("describe_data", data=name, columns=["name", "nmae"])
        room.call("trace_result", data=name)
        room.call("query_data", sql=f'SELECT * FROM "{name}"')
        room.call("query_data", sql=f'SELECT b, c FROM "{name}"')
        room.call("export_data", data=name, format="csv", name="../" + "n" * 300)
        room.call("render_chart", data=name, kind="bar", x="nmae")


def drive_charts(room, names):
    kinds = ["bar", "line", "area", "scatter", "histogram", "box", "pie", "heatmap", "combo", "table", "figure", "nothing"]
    for name in names:
        for kind in kinds:
            room.call("render_chart", data=name, kind=kind, x="name", y=["amount"], series="shop", title="t {{name}}")
            room.call("render_chart", data=name, kind=kind, x="day", y=["price", "name"], value="amount", top=3)
        room.call("render_chart", data=name, kind="bar", x="amount", y=["mail"], log=True, aggregate="max")


def drive_exports(room, names):
    for name in names:
        for format in ("csv", "xlsx", "parquet", "json", "ndjson", "markdown", "html", "report", "svg", "png", "odd"):
            room.call("export_data", data=name, format=format)
        items = [
            {"text": f"best {{{{{name}.name}}}} {{{{{name}}}}} {{{{nothing.name}}}}"},
            {"table": name, "rows": 3},
            {"result": name, "cell": "name"},
            {"result": name, "cell": "nmae"},
            {"chart": name},
        ]
        room.call("export_data", data=name, format="report", items=items)
        for item in items:
            room.call("export_data", data=name, format="report", items=[item])


def drive_database(room):
    for sql in (
        "SELECT * FROM lite.main.people",
        "SELECT CAST(name AS INT) FROM lite.main.people",
        "SELECT nmae FROM lite.main.people",
        "SELECT max(name) FROM lite.main.people WHERE id = 7",
        "SELECT p.name FROM lite.main.people p JOIN people q USING (ssn)",
    ):
        room.call("query_data", sql=sql)
    room.call("describe_data", data="lite.main.people")
    room.call("trace_result", data="lite.main.people")
    room.python("raise KeyError(df.name[0])", df="lite.main.people")
    for tool in ("told", "kept"):
        for least in (3, 99, -1, "x", None, 10**30, "1 OR 1=1"):
            room.call(tool, least=least)


def drive_protocol(room):
    """What is no tool, what is cancelled, and progress."""
    client = room.client

    async def cancelled():
        with anyio.move_on_after(1.0):
            code = "import time\nfor n in range(10**9):\n    x = df.name[n % 60]; time.sleep(0.001)"
            await client.call_tool("run_python", {"code": code, "inputs": {"df": "people"}})

    async def asked(coroutine):
        try:
            await coroutine
        except mcp.MCPError:
            pass

    async def others():
        await cancelled()
        for tool in ("read_rows", "draw_chart", "save_file", "nothing"):
            await asked(client.call_tool(tool, {"data": "people", "offset": 0, "limit": 9}))
        await asked(client.list_resources())
        await asked(client.read_resource("ui://dataroom/view"))
        await asked(client.read_resource("file:///people.parquet"))
        await asked(client.list_prompts())
        await asked(client.list_tools())

    room.portal.call(others)
    for arguments in ({}, {"data": 7}, {"data": None}, {"data": "people", "odd": 1}, {"data": ["people"]}):
        for tool in ("describe_data", "export_data", "trace_result", "render_chart"):
            room.call(tool, **arguments)
    room.call("list_data")
    room.call("list_data", filter="people")
    room.call("list_data", filter="b")


def leaks(room, table):
    search = canary.Search(table)
    found = {name: search.in_text(text) for name, text in room.written().items()}
    return {name: pieces[:3] for name, pieces in found.items() if pieces}


def test_no_cell_reaches_the_model_the_audit_or_the_log(tapped, table):
    files = ["people", "people_csv", "people_book", "people_json"]
    broken = ["ragged", "quotes", "latin", "broken", "lines", "cut", "noise"]
    drive_queries(tapped, ["people"])
    made = drive_scripts(tapped)
    drive_tables(tapped, files + broken + made[:10])
    drive_charts(tapped, ["people", made[0], made[-1]])
    drive_exports(tapped, ["people", made[0]])
    drive_database(tapped)
    drive_protocol(tapped)
    replayed = next(ref for ref in made if tapped.call("trace_result", data=ref).structured)
    tapped.call("trace_result", data=replayed, replay=True)
    tools = {tool.name for tool in tapped.portal.call(tapped.client.list_tools).tools}
    audited = [json.loads(line) for line in (tapped.home / "audit" / "audit-000001.jsonl").read_text().splitlines()]
    assert tools <= {line["tool"] for line in audited if line["kind"] == "call"}, "a tool was not driven"
    assert made and leaks(tapped, table) == {}
    assert '"type":"image"' not in tapped.written()["answers"]
    verified = run("audit", "verify", "--home", tapped.home)
    assert "all are as they were written" in verified.stdout


def test_the_search_finds_what_is_there(rooms, folder, table):
    """The twin: where values may be shown, they are found, in each spelling."""
    room = rooms(data=folder)
    search = canary.Search(table)
    assert search.in_text(room.call("query_data", sql="SELECT name FROM people").text)
    for code in (
        "result = df.name[0][::-1]",
        "import base64; result = base64.b64encode(b'x' + df.name[0].encode()).decode()",
        "result = df.name[0].encode().hex()",
        "import urllib.parse; result = urllib.parse.quote(df['имя'][0])",
        "import json; print(json.dumps(df['имя'][0]))",
        "result = int(df.amount[0])",
        "result = str(df.day[0])",
        "raise ValueError(df.mail[0][:9])",
    ):
        assert search.in_text(room.python(code, df="people").text), code
    assert search.in_text("no such thing: data_0123456789abcdef0123456789abcdef, 2026-12-01T10:00:00Z") == []
