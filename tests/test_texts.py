"""Texts that the host works on: each answer is Python's own, to the letter.

The judge is pandas' own code in the same interpreter, which does columns of fewer than
1,000 texts itself; of single letters it is `str`.
"""

import pytest

# How often the host was asked and did it; what it has to agree with.
AGAIN = """
from dataroom import _many_texts
asked = _many_texts._asked
done = []
def counted(*args, **kwargs):
    answer = asked(*args, **kwargs)
    done.append(answer is not None)
    return answer
_many_texts._asked = counted

def in_parts(f, s):
    return pd.concat([f(s.iloc[i:i + 500]) for i in range(0, len(s), 500)])

def agree(f, s, by_host=True):
    done.clear()
    found = f(s)
    assert len(s) >= 1000 and (done == [by_host] if by_host is not None else True), done
    pd.testing.assert_series_equal(found, in_parts(f, s), rtol=0, atol=0)
    return found
"""

TEXTS = """
random = np.random.default_rng(5)
letters = list("abkIZß_ \\t\\n\\x1c\\x85\\xa0,.$|-01") + ["", "é", "Ä", "ж", "Я", "ё", "€", "中", "—", "  "]
def column(letters, n=3000, nulls=True):
    texts = ["".join(random.choice(letters, random.integers(0, 12))) for _ in range(n)]
    if nulls:
        texts[::7] = [None] * len(texts[::7])
    return pd.Series(texts, dtype="str", index=range(5, 5 + n), name="t")
s = column(letters)
plain = column([one for one in letters if one != "ß"])
"""

# Expressions of a column, and whether the host does them.
EXPRESSIONS = [
    ("s.str.strip()", True),
    ("s.str.lstrip()", True),
    ("s.str.rstrip('01,')", True),
    ("s.str.strip('ß €')", True),
    ("s.str.lower()", True),
    ("plain.str.upper()", True),
    ("plain.str.title()", True),
    ("plain.str.capitalize()", True),
    ("s.str.upper()", False),  # ß becomes two letters
    ("s.str.slice(0, 3)", True),
    ("s.str[-3:]", True),
    ("s.str[2:-2]", True),
    ("s.str[5:2]", True),
    ("s.str[-100:100]", True),
    ("s.str[::2]", None),
    ("s.str[::-1]", None),
    ("s.str.contains('a')", True),
    ("s.str.contains('a|Ä|zz')", True),
    ("s.str.contains('A|b', case=False)", True),
    ("s.str.contains('KI', case=False)", True),
    ("s.str.contains('ä', case=False)", False),
    ("s.str.contains('$', regex=False)", True),
    ("s.str.contains(r'\\$|\\.')", True),
    ("s.str.contains('')", True),
    ("s.str.contains('a|')", True),
    ("s.str.contains('^a')", None),
    ("s.str.contains(r'\\d')", None),
    ("s.str.contains('a', na=False)", True),
    ("s.str.contains('a', na=True)", None),
    ("s.str.startswith('a')", True),
    ("s.str.endswith('é')", True),
    ("s.str.startswith(('a', 'b'))", None),
    ("s.str.replace('a', 'bbb')", True),
    ("s.str.replace('a', '')", True),
    ("s.str.replace('$', '€', regex=False)", True),
    ("s.str.replace('aa', r'\\\\', regex=True)", None),
    ("s.str.replace('', '-', regex=False)", None),
    ("s.str.replace('a', 'b', n=1)", None),
    ("s.str.replace('a', 'b', case=False)", None),
    ("s.str.len()", True),
    ("s.dropna().str.len()", True),
    ("s + '!'", True),
    ("'<' + s", True),
    ("s.str[:1] + s", None),
    ("s + s", True),
    ("s.astype('string').str.strip()", None),
    ("s.astype(object).str.strip()", None),
    ("s.iloc[::2].str.strip()", None),
]


def result(room, code, text=TEXTS):
    reply = room.python("result = None\n" + AGAIN + text + code)
    assert reply.ending == "completed", reply.text
    return reply.structured["result"]


@pytest.mark.parametrize(("expression", "by_host"), EXPRESSIONS)
def test_an_answer_of_the_hosts_is_pandas_own(room, expression, by_host):
    column = "plain" if "plain" in expression else "s"
    code = f"f = lambda {column}: {expression}\n"
    if ".iloc[::" in expression:
        code += f"found = f({column}); half = f({column}.iloc[:100])\n"
        code += "pd.testing.assert_series_equal(found.iloc[:len(half)][:30], half[:30])\n"
    else:
        code += f"agree(f, {column}, {by_host})\n"
    assert result(room, code + "result = 'agreed'") == "agreed"


def test_what_is_the_same_is_told_as_pandas_tells_it(room):
    code = """
few = column(list("abcé"), 5000)
few = pd.Series(few.str[:2], dtype="str")
found = []
for dropna in (True, False):
    one = few.value_counts(dropna=dropna)
    other = few.astype(object).value_counts(dropna=dropna)
    pd.testing.assert_series_equal(one, other.set_axis(other.index.astype(one.index.dtype)))
for sentinel in (True, False):
    one, other = pd.factorize(few, use_na_sentinel=sentinel), pd.factorize(few.astype(object), use_na_sentinel=sentinel)
    assert one[0].tolist() == other[0].tolist() and one[0].dtype == other[0].dtype
    assert pd.Series(one[1], dtype=object).equals(pd.Series(other[1], dtype=object))
assert pd.Series(few.unique(), dtype=object).equals(pd.Series(few.astype(object).unique(), dtype=object))
assert few.dropna().unique().tolist() == few.astype(object).dropna().unique().tolist()
assert few.nunique() == few.astype(object).nunique()
frame = pd.DataFrame({"k": few, "v": np.arange(len(few))})
for sort in (True, False):
    for dropna in (True, False):
        one = frame.groupby("k", sort=sort, dropna=dropna)["v"].sum()
        other = frame.astype({"k": object}).groupby("k", sort=sort, dropna=dropna)["v"].sum()
        assert one.tolist() == other.tolist() and one.index.astype(object).equals(other.index.astype(object))
assert frame.drop_duplicates("k").index.tolist() == frame.astype({"k": object}).drop_duplicates("k").index.tolist()
result = [sum(done), len(done)]
"""
    done, asked = result(room, code)
    assert done >= 10 and done == asked


MOMENTS = [
    ("%d.%m.%Y", ["01.02.2020", "31.12.1999", "29.02.2000"], True),
    ("%d.%m.%Y", ["01.02.2020", None, "", "01.01.0001", "31.12.9999"], True),
    ("%d.%m.%Y", ["01.02.2020", "2020/01/01", "n/a", "31.02.2020", "00.01.2020", "01.13.2020", "01.01.0000"], True),
    ("%d.%m.%Y", ["01.02.2020", "1.2.2020"], False),
    ("%d.%m.%Y", ["01.02.2020", " 1.02.2020"], False),
    ("%d.%m.%Y", ["01.02.2020", "01.02.2020 "], False),
    ("%d.%m.%Y", ["01.02.2020", "٠1.02.2020"], False),
    ("%d.%m.%Y", ["", None], False),
    ("%Y-%m-%d", ["2020-01-02", "1677-01-01", "0001-01-01"], True),
    ("%Y-%m-%d", ["2020-01-02", "x"], False),
    ("%Y-%m-%d", ["2020-01-02", "2020-1-2"], False),
    ("%Y%m%d", ["20200102", "19991231"], True),
    ("%Y%m%d", ["20200102", "20201301"], False),
    ("%d/%m/%Y %H:%M:%S", ["01/02/2020 23:59:59", "01/02/2020 00:00:00"], True),
    ("%d/%m/%Y %H:%M:%S", ["01/02/2020 24:00:00", "01/02/2020 00:00:00"], False),
    ("%d/%m/%Y %H:%M:%S", ["01/02/2020 23:59:60", "01/02/2020 00:00:00"], False),
    ("%Y-%m-%dT%H:%M", ["2020-01-02T03:04"], True),
    ("%d %m %Y", ["01 02 2020", "01  02 2020"], False),
    ("%d.%m.%y", ["01.02.20"], None),
    ("%d %b %Y", ["01 Feb 2020"], None),
    ("%m.%Y", ["01.2020"], None),
]


@pytest.mark.parametrize(("form", "texts", "by_host"), MOMENTS)
@pytest.mark.parametrize("utc", [False, True])
def test_points_in_time_are_read_as_pandas_reads_them(room, form, texts, by_host, utc):
    code = f"""
s = pd.Series({texts!r} * (1200 // {len(texts)}), dtype="str")
of = _many_texts._asked_of
def counted(*args, **kwargs):
    answer = of(*args, **kwargs)
    done.append(answer is not None)
    return answer
_many_texts._asked_of = counted
f = lambda s: pd.to_datetime(s, format={form!r}, errors="coerce", utc={utc}, cache=False)
done.clear()
found = f(s)
assert {by_host} is None or done == [{by_host}], done
few = f(s.iloc[:500])
pd.testing.assert_series_equal(found.iloc[:500], few)
try:
    pd.to_datetime(s, format={form!r}, cache=False)
    raised = None
except ValueError as error:
    raised = str(error)
try:
    pd.to_datetime(s.iloc[:500], format={form!r}, cache=False)
    assert raised is None
except ValueError as error:
    assert str(error) == raised
result = "agreed"
"""
    assert result(room, code, "") == "agreed"


@pytest.mark.parametrize("name", ["lower", "upper", "title", "capitalize", "strip"])
def test_every_letter_is_as_python_has_it(room, name):
    """Each letter that the host takes alone below U+0600, and the rest by the dozens."""
    code = f"name = {name!r}" + """
blocks = [[c] for c in range(0x80, 0x600)]
blocks += [range(c, c + 16) for c in range(0x600, 0x20000, 16) if not 0xd800 <= c < 0xe000]
method = getattr(str, name)
ask = _many_texts._METHODS["_str_" + name]
taken, wrong = 0, []
for block in blocks:
    texts = [t for c in map(chr, block) for t in (c, f"a{c}Bc{c}", f"{c}x {c}X", f"{c} {c}{c}")]
    s = pd.Series((texts * (1000 // len(texts) + 1)), dtype="str")
    found = ask(s.array)
    if found is not None:
        taken += 1
        if found.tolist()[:len(texts)] != [method(t) for t in texts]:
            wrong.append(block[0])
result = [taken, wrong[:20]]
"""
    taken, wrong = result(room, code, "")
    assert wrong == []
    assert taken > (9000 if name == "strip" else 2000)


def test_letters_that_are_like_ascii_ones_are_left_to_python(room):
    """`re.IGNORECASE` takes the Kelvin sign for a k."""
    code = """
s = pd.Series(["\\u212a", "\\u017f", "\\u0130", "\\u0131", "x"] * 300, dtype="str")
f = lambda s: s.str.contains("k|s|i", case=False)
agree(f, s, False)
result = f(s)[:5].tolist()
"""
    assert result(room, code) == [True, True, True, True, False]


@pytest.mark.parametrize(
    "message",
    [
        "values=address(a), rows=len(a)",
        "values=2**32 - 1, rows=10",
        "values=16, rows=2**32 - 1",
        "values=address(a), rows=len(a), into={'text': 1, 'date': 1, 'float': 1, 'forever': 1}",
    ],
)
def test_a_forged_request_harms_only_its_sender(room, message):
    code = f"""
from dataroom._host_calls import Mixed, address, call
from dataroom import _objects
a = np.array(["x"] * 100 + [7], dtype=object)
given = dict({message})
try:
    call("texts", **_objects.described(), **given, **{{"with": {{"do": "length"}}}})
    result = "done"
except (Mixed, ValueError) as error:
    result = type(error).__name__
"""
    reply = room.python(code)
    assert reply.ending == "completed", reply.text
    assert reply.structured["result"] in ("Mixed", "ValueError")
    assert room.python("result = 1").structured["result"] == 1


def test_a_replacement_that_would_fill_memory_is_left_to_python(room):
    code = """
s = pd.Series(["a" * 100_000] * 1000, dtype="str")
s.str.replace("a", "b" * 100_000)
"""
    reply = room.python(code)
    assert reply["error"]["kind"] == "OverflowError", reply.text
    assert room.python("result = 1").structured["result"] == 1


# Patterns, and whether the host looks for them.
PATTERNS = [
    (r"\d+", True),
    (r"^(\S+) (\w+)", True),
    (r"(\w+) (/[^ ?]*)\??(\S*)$", True),
    (r"a|ab", True),
    (r"(a|ab)(c|bcd)?", True),
    (r"(|a)b", True),
    (r"(a|)b", True),
    (r"a*?b", True),
    (r"a{2,3}", True),
    (r"a{2,3}?b?", True),
    (r"(a)?b", True),
    (r"(?P<first>a)(b)?(?P<last>c)?", True),
    (r"(?:ab|b)+", True),
    (r"(?:a|b){2}(c)", True),
    (r"[^a]", True),
    (r"[^\sa-c]+", True),
    (r"[\s\d_-]", True),
    (r"[]b]", True),
    (r".", True),
    (r"(?s)a.b", True),
    (r"(?i)AB", True),
    (r"(?i)[^A-C]b", True),
    (r"(?x) a  b # blanks do not count", True),
    (r"\ba", True),
    (r"b\b", True),
    (r"\x41|\t", True),
    (r"\W\S\D", True),
    (r"a*", True),
    (r"\Aa\Z", True),
    (r"^a", True),
    (r"b$", False),  # a text ends in a line break, and before it
    (r"(a|b)+", False),
    (r"(?:a*)*", False),
    (r"(a)\1", False),
    (r"a(?=b)", False),
    (r"(?<!a)b", False),
    (r"(?m)^a", False),
    (r"a++b", False),
    (r"\Bb", False),
    (r"é[ab]", False),
    (r"[é-я]|a", False),
    (r"(?i)s[a-z]k", True),
    (r"(", False),
    (r"[b-a]", False),
    (r"a{3,2}", False),
]

MATCHES = """
letters = list("abcABks01 _-/?.,$|") + ["\\t", "\\n", "\\x0b", "\\x1c", "\\x1f", "  ", "\\r", "\\x7f", "\\x00"]
s = column(letters)
lines = column([one for one in letters if one not in "\\n"])

def what(f, s):
    try:
        return f(s)
    except Exception as error:
        return type(error).__name__ + str(error)

def alike(f, s):
    found = what(f, s)
    few = [what(f, s.iloc[i:i + 500]) for i in range(0, len(s), 500)]
    if isinstance(found, str):
        assert found == few[0], (found, few[0])
        return
    few = pd.concat(few)
    if found.ndim == 1 and found.dtype == object:
        found, few = ([x if isinstance(x, list) else str(x) for x in one] for one in (found, few))
        wrong = [(t, a, b) for t, a, b in zip(s, found, few, strict=True) if a != b]
        assert not wrong, wrong[:3]
        return
    # Of a group that is in no match pandas' own code makes a None, and natively a NaN.
    assert found.isna().equals(few.isna())
    if found.ndim == 2 or found.dtype != bool:
        found, few = found.fillna("nothing"), few.fillna("nothing")
    same = pd.testing.assert_frame_equal if isinstance(found, pd.DataFrame) else pd.testing.assert_series_equal
    same(found, few, rtol=0, atol=0)

def uses(pattern):
    yield lambda s: s.str.contains(pattern)
    yield lambda s: s.str.contains(pattern, case=False)
    yield lambda s: s.str.match(pattern)
    yield lambda s: s.str.fullmatch(pattern)
    yield lambda s: s.str.findall(pattern)
    yield lambda s: s.str.extract(pattern)
    yield lambda s: s.str.extract(pattern, expand=False)
    yield lambda s: s.str.extract("(" + pattern + ")")
    yield lambda s: s.str.replace(pattern, "<$1>", regex=True)
    yield lambda s: s.str.replace(pattern, "", regex=True)
    yield lambda s: s.str.split(pattern, regex=True)
"""


@pytest.mark.parametrize(("pattern", "by_host"), PATTERNS)
def test_a_pattern_finds_on_the_host_what_it_finds_in_python(room, pattern, by_host):
    code = f"""
import warnings
warnings.simplefilter("ignore")
pattern = {pattern!r}
done.clear()
for column in (s, lines):
    for use in uses(pattern):
        alike(use, column)
result = any(done)
"""
    assert result(room, code, TEXTS + MATCHES) is (by_host or pattern == "b$")


def test_patterns_by_chance_find_on_the_host_what_they_find_in_python(room):
    code = r"""
import warnings
warnings.simplefilter("ignore")
chosen = np.random.default_rng(11)
def drawn(depth):
    if depth == 0 or chosen.random() < 0.2:
        return str(chosen.choice(["a", "b", "c", "A", "0", ".", r"\d", r"\w", r"\s", r"\S", "[ab]", "[^ab]", "[a-c0-1]", "_", " ", r"\.", "[^\\s]"]))
    inner = lambda: drawn(depth - 1)
    return [
        lambda: inner() + inner(),
        lambda: inner() + inner() + inner(),
        lambda: "(?:" + inner() + "|" + inner() + ")",
        lambda: "(" + inner() + ")",
        lambda: "(" + inner() + "|" + inner() + "|)",
        lambda: "(?:" + inner() + ")" + str(chosen.choice(["*", "+", "?", "{2}", "{1,3}", "*?", "+?", "??", "{0,2}?"])),
        lambda: str(chosen.choice(["^", r"\b", r"\A"])) + inner(),
        lambda: inner() + str(chosen.choice(["$", r"\b", r"\Z"])),
    ][chosen.integers(8)]()
s, lines = s.iloc[:1500], lines.iloc[:1500]
done.clear()
for _ in range(80):
    pattern = drawn(3)
    for use in list(uses(pattern)):
        for column in (s, lines):
            try:
                alike(use, column)
            except AssertionError as error:
                raise AssertionError(f"{pattern!r}: {error}")
result = [sum(done), len(done)]
"""
    by_host, asked = result(room, code, TEXTS + MATCHES)
    assert by_host > 600 and by_host > asked / 2


SPLITS = [
    ("s.str.split('/')", True),
    ("s.str.split(' ')", True),
    ("s.str.split('ab', regex=False)", True),
    ("wide.str.split('ж')", True),
    ("wide.str.split('中', expand=True)", True),
    ("s.str.split('/').str[1]", True),
    ("s.str.split('/').str.len()", True),
    ("s.str.split('.')", True),
    ("s.str.split()", None),
    ("s.str.split('/', n=1)", None),
    ("s.str.split('ab')", None),
    ("s.str.split('', regex=False)", None),
    ("s.str.rsplit('/')", None),
]


@pytest.mark.parametrize(("expression", "by_host"), SPLITS)
def test_a_text_is_split_on_the_host_as_in_python(room, expression, by_host):
    code = f"""
wide = column(list("abжé中 /"))
done.clear()
alike(lambda s: {expression.replace("wide", "s")}, {"wide" if "wide" in expression else "s"})
result = any(done)
"""
    assert result(room, code, TEXTS + MATCHES) is bool(by_host)
