"""Outputs that are no tables, or whose classes lie; and texts and dates as objects.

The host lays texts and dates out in the guest's memory and reads them there. Whoever
looks must not be able to tell: native pandas is the judge.
"""

import datetime

import pandas as pd
import pytest

HOSTILE = """
import datetime
class Frame(pd.DataFrame):
    def __len__(self): raise KeyError('len')
    def __array__(self, *a, **k): raise KeyError('array')
    def __reduce__(self): raise KeyError('reduce')
    shape = property(lambda self: (10**12, 10**12))
    columns = index = iloc = dtypes = property(lambda self: 1 / 0)
class Series(pd.Series):
    def __len__(self): raise KeyError('len')
    def to_frame(self, *a, **k): raise KeyError('to_frame')
class Fake:
    __class__ = pd.DataFrame
class Value:
    def __repr__(self): raise ValueError('repr')
    def __eq__(self, other): raise ValueError('eq')
    __hash__ = None
class Text(str):
    def encode(self, *a): raise ValueError('encode')
    def __str__(self): return 'lie'
class Day(datetime.date):
    def toordinal(self): return 1
loop = []
loop.append(loop)
"""

# What is handed over, and what is in the table then.
TAKEN = {
    "a frame that lies": ("Frame({'a': [1, 2]})", {"a": [1, 2]}),
    "a series that lies": ("Series([1, 2], name='s')", {"s": [1, 2]}),
    "texts of a class of their own": ("pd.DataFrame({'a': pd.Series(['x', Text('y')], dtype=object)})", {"a": ["x", "y"]}),
    "days of a class of their own": ("pd.DataFrame({'a': [Day(2020, 1, 2)]})", {"a": ["2020-01-02"]}),
    "texts with a NUL": ("pd.DataFrame({'a': ['x\\0y', 'x\\0z', '']})", {"a": ["x<NUL>y", "x<NUL>z", ""]}),
    "categories with a zone": (
        "pd.DataFrame({'a': pd.Categorical(pd.date_range('2020-01-01', periods=1, tz='Europe/Berlin'))})",
        {"a": ["2020-01-01 00:00:00+01:00"]},
    ),
}

# What is handed over, and words of the error besides the output's name.
REFUSED = {
    "a list": ("[1, 2]", "list"),
    "what says that it is a frame": ("Fake()", "Fake"),
    "values of several types": ("pd.DataFrame({'a': [1, 'x']})", "'a'"),
    "texts, then a date": ("pd.DataFrame({'a': ['x'] * 5 + [datetime.date(2020, 1, 1)]})", "date, str"),
    "values that cannot be shown": ("pd.DataFrame({'a': [Value()]})", "type Value"),
    "functions": ("pd.DataFrame({'a': [len]})", "builtin_function"),
    "a list that holds itself": ("pd.DataFrame({'a': [loop]})", "hold themselves"),
    "a lone surrogate": ("pd.DataFrame({'a': ['x', '\\ud800']})", "surrogate"),
    "2**31 rows": ("pd.DataFrame(index=pd.RangeIndex(2**31))", "2147483647"),
}


@pytest.fixture(scope="module")
def room(module_rooms):
    return module_rooms()


@pytest.mark.parametrize("name", TAKEN)
def test_values_are_handed_over_whatever_their_class_says(room, name):
    code, values = TAKEN[name]
    reply = room.python(f"{HOSTILE}outputs['t'] = {code}")
    assert not reply.failed, reply.text
    data = reply["outputs"]["t"]["dataRef"]
    shown = "result = {c: [v if type(v) is int else str(v).replace(chr(0), '<NUL>') for v in t[c]] for c in t}"
    assert room.result(shown, t=data) == values
    assert None not in reply["outputs"]["t"]["sample"][0], reply.text


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_refused_by_its_name(room, name):
    code, words = REFUSED[name]
    reply = room.python(f"{HOSTILE}outputs['t'] = {code}")
    assert reply.ending == "raised", reply.text
    assert "outputs['t']" in reply["error"]["message"] and words in reply["error"]["message"], reply.text
    assert room.result("result = 1") == 1


TEXTS = ["", "a", "plain", "ÿ", "Zürich", "Москва", "東京", "🦆", "a\0b", None]
LOOK = """
import hashlib, json, sys
def look(x):
    seen = {name: json.dumps(values) for name, values in told(x["t"], x["d"], x["n"], x).items()}
    return {name: [text[:300], hashlib.sha256(text.encode()).hexdigest()] for name, text in seen.items()}
def told(t, d, n, x):
    return {
        "dtypes": [str(x[c].dtype) for c in x], "texts": [None if v is pd.NA or v != v else ascii(v) for v in t],
        "lengths": t.str.len().fillna(-1).tolist(), "upper": [ascii(v) for v in t.str.upper().fillna("?")],
        "sorted": [ascii(v) for v in t.dropna().sort_values()], "encoded": [v.encode().hex() for v in t.dropna()],
        "joined": ascii("|".join(t.dropna())), "hashed": [hash(v) == hash(str(v.encode(), "utf8")) for v in t.dropna()],
        "keys": [ascii(v) for v in sorted({v: 1 for v in t.dropna()})], "interned": [sys.intern(v) == v for v in t.dropna()],
        "codes": pd.factorize(t)[0].tolist(), "nullable": [None if v is pd.NA else ascii(v) for v in n],
        "days": [None if v is None else v.isoformat() for v in d], "weekdays": [v.weekday() for v in d.dropna()],
        "later": [str(v + datetime.timedelta(1)) for v in d.dropna() if v.year < 9999], "least": str(d.dropna().min()),
        "same": [type(v).__name__ for v in d], "counts": d.value_counts().tolist(),
    }
"""
TWICE = """
import datetime, dataroom._objects
first = look(x)
dataroom._objects._MOST = -1
second = look(pd.read_parquet('/in/x.parquet'))
assert first == second, (first, second)
result = first
"""


def test_objects_that_the_host_makes_are_those_that_python_makes(module_rooms, tmp_path_factory):
    """Both ways: laid out by the host, and made in the guest when much has been laid out."""
    folder = tmp_path_factory.mktemp("objects")
    days = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)]
    repeated = pd.DataFrame({"t": TEXTS * 3, "d": days * 6})
    unlike = pd.DataFrame({"t": [f"{n}é" if n % 3 else f"{n}" for n in range(20_000)], "d": [days[n % 5] for n in range(20_000)]})
    room = module_rooms(data=folder)
    for name, frame in (("repeated", repeated), ("unlike", unlike)):
        frame["n"] = frame["t"].astype("string")
        frame.to_parquet(folder / f"{name}.parquet")
        scope = {"pd": pd, "datetime": datetime}
        exec(LOOK, scope)
        native = scope["look"](pd.read_parquet(folder / f"{name}.parquet"))
        assert room.result(LOOK + TWICE, x=name) == native


def test_a_run_that_reads_again_and_again_gets_its_memory_back(module_rooms, tmp_path_factory):
    """What the host lays out is kept until the run ends, so that is limited."""
    folder = tmp_path_factory.mktemp("again")
    pd.DataFrame({"t": [f"text {n:030}" for n in range(400_000)]}).to_parquet(folder / "x.parquet")
    room = module_rooms(data=folder, config="[limits]\nwall_ms = 120000\nmemory_bytes = 1000000000\n")
    code = "for _ in range(60): y = pd.read_parquet('/in/x.parquet')\nresult = y['t'].nunique()"
    assert room.result(code, x="x") == 400_000
