"""`Series.str` and its like on many texts, done by the host (`bridge/texts` in its source).

pandas takes a column's texts one by one, which in this interpreter takes ten to forty
times as long as natively. So for columns of `str` the methods below ask the host first.
It does only what it is certain to do as Python does; where it declines, and for few
texts, the method is pandas' own. Nothing here may give another answer than that.
"""

import operator
import re
import string
from functools import wraps

import numpy as np
from pandas._libs import lib
from pandas.arrays import StringArray
from pandas.core.tools import datetimes

from . import _objects, _patterns
from ._host_calls import Mixed, address, call
from ._widening import widening

# With fewer texts, to ask takes longer than to do it.
_FEWEST = 1000
_SPECIAL = set(".^$*+?{}[]()|\\")


def install():
    """Run once, when the start image is made."""
    for name, ask in _METHODS.items():
        _ask_first(name, ask)
    StringArray.factorize = widening(StringArray.factorize)
    datetimes.array_strptime = _strptime


def _ask_first(name, ask):
    own = getattr(StringArray, name)

    @wraps(own)
    def method(self, *args, **kwargs):
        answer = None
        if len(self) >= _FEWEST and self.dtype.na_value is np.nan:
            answer = ask(self, *args, **kwargs)
        return own(self, *args, **kwargs) if answer is None else answer

    setattr(StringArray, name, method)


def _asked(array, do, **details):
    """The columns that the host makes of the texts; none, if it declines."""
    return _asked_of(array._ndarray, do, **details)


def _asked_of(values, do, **details):
    if values.ndim != 1:
        return None
    values = np.ascontiguousarray(values)
    operation = {"do": do, **details}
    try:
        opened = call(
            "texts", values=address(values), rows=len(values), into=_objects.types(), **_objects.described(),
            **{"with": operation},
        )
    except Mixed:
        return None
    try:
        return [_column(opened["reader"]) for _ in range(opened["columns"])]
    finally:
        call("close", reader=opened["reader"])


def _column(reader):
    from . import _reading

    return _reading.column(reader, call("next_column", reader=reader))


def _texts(array, do, **details):
    columns = _asked(array, do, **details)
    return None if columns is None else columns[0]


def _strip(left, right):
    def ask(array, to_strip=None):
        if to_strip is None or type(to_strip) is str:
            return _texts(array, "strip", left=left, right=right, characters=to_strip)
        return None

    return ask


def _case(to):
    return lambda array: _texts(array, "case", to=to)


def _slice(array, start=None, stop=None, step=None):
    if step in (None, 1) and all(place is None or type(place) is int for place in (start, stop)):
        return _texts(array, "slice", start=start, stop=stop)
    return None


def _contains(array, pat, case=True, flags=0, na=lib.no_default, regex=True):
    words = _words(pat, flags) if regex else [pat] if type(pat) is str and case and not flags else None
    if words is None and regex:
        return _contains_match(array, pat, case, flags, na)
    if words is None or not (na is lib.no_default or na is False):
        return None
    ignore_case = not case or bool(flags & re.IGNORECASE)
    return _texts(array, "contains", any=words, ignore_case=ignore_case)


def _words(pattern, flags):
    """What a regular expression is one of, if it is no more than words to choose from."""
    if type(pattern) is not str or flags & ~(re.IGNORECASE | re.UNICODE):
        return None
    words, letters = [""], iter(pattern)
    for letter in letters:
        if letter == "\\":
            letter = next(letters, "")
            if letter not in string.punctuation or not letter:
                return None
        elif letter == "|":
            words.append("")
            continue
        elif letter in _SPECIAL:
            return None
        words[-1] += letter
    return words


def _begins_or_ends(do):
    def ask(array, pat, na=lib.no_default):
        if type(pat) is str and (na is lib.no_default or na is False):
            return _texts(array, do, text=pat)
        return None

    return ask


def _replace(array, pat, repl, n=-1, case=True, flags=0, regex=True):
    if type(pat) is not str or type(repl) is not str or n >= 0 or not case or flags:
        return None
    if regex:
        words = _words(pat, 0)
        if words is None or len(words) > 1:
            return _replace_matches(array, pat, repl)
        if "\\" in repl:
            return None
        (pat,) = words
    return _texts(array, "replace", to=repl, **{"from": pat}) if pat else None


def _asked_for(array, do, pattern, before="", after="", **details):
    text = before + pattern.text + after
    on = {"one_line": pattern.at_end, "any_letters": pattern.any_letters}
    return _asked(array, do, pattern=text, **on, **details)


def _matches(before="", after=""):
    def ask(array, pat, case=True, flags=0, na=lib.no_default):
        pattern = _patterns.written(pat, flags, case)
        if pattern is None or not (na is lib.no_default or na is False):
            return None
        columns = _asked_for(array, "matches", pattern, before, after)
        return None if columns is None else columns[0]

    return ask


_contains_match = _matches()


def _extract(array, pat, flags=0, expand=True):
    pattern = _patterns.written(pat, flags)
    columns = _asked_for(array, "extract", pattern) if pattern and pattern.groups else None
    if columns is None or not expand:
        return columns and columns[0]
    return {pattern.names.get(place, place): column for place, column in enumerate(columns)}


def _findall(array, pat, flags=0):
    pattern = _patterns.written(pat, flags)
    if pattern is None or pattern.groups > 1 or pattern.may_be_nothing:
        return None
    return _lists(_asked_for(array, "find_all", pattern))


def _replace_matches(array, pat, repl):
    pattern = _patterns.written(pat, 0)
    if pattern is None or pattern.may_be_nothing or "\\" in repl:
        return None
    columns = _asked_for(array, "replace_all", pattern, to=repl)
    return None if columns is None else columns[0]


def _split(array, pat=None, n=-1, expand=False, regex=None):
    literal = type(pat) is str and pat and (regex is False or (regex is None and len(pat) == 1))
    if not literal or n not in (None, 0, -1):
        return None
    return _lists(_asked(array, "split", by=pat))


def _lists(columns):
    """A list for each row, from how many there are in each, and all in a row."""
    if columns is None:
        return None
    counts, texts = columns
    texts, ends = texts._ndarray.tolist(), np.maximum(counts, 0).cumsum()
    begins = (ends - counts).tolist()
    rows = (texts[begin:end] for begin, end in zip(begins, ends.tolist()))
    lists = np.fromiter(rows, object, len(counts))
    lists[counts < 0] = np.nan
    return lists


def _arithmetic(array, other, op):
    if op is operator.add or getattr(op, "__name__", "") == "radd":
        if type(other) is str:
            before, after = ("", other) if op is operator.add else (other, "")
            return _texts(array, "between", before=before, after=after)
        alike = type(other) is StringArray and other.dtype == array.dtype and len(other) == len(array)
        if alike and op is operator.add:
            right = np.ascontiguousarray(other._ndarray)
            return _texts(array, "add", right=address(right)) if right.ndim == 1 else None
    return None


def _codes(array):
    """A code for each text, -1 for none, and the unique texts in their order."""
    columns = _asked(array, "codes")
    if columns is None:
        return None
    codes, firsts = columns
    # To compiled code an index is another type than an integer of 32 bits.
    return codes.view(np.intp), array.take(firsts.view(np.intp))


def _factorize(array, use_na_sentinel=True):
    found = _codes(array)
    if found is None or (not use_na_sentinel and found[0].min() < 0):
        return None
    return found


def _unique(array):
    found = _codes(array)
    return None if found is None or found[0].min() < 0 else found[1]


def _value_counts(array, dropna=True):
    found = _codes(array)
    if found is None or (not dropna and found[0].min() < 0):
        return None
    codes, unique = found
    counted = _own_value_counts(unique, dropna=dropna)
    counts = np.bincount(codes[codes >= 0], minlength=len(unique)).astype(np.int64)
    return counted._constructor(counts, index=counted.index, name=counted.name)


def _strptime(values, fmt, exact=True, errors="raise", utc=False):
    """pandas' own parser, for what the host does not read."""
    parts = _moment(fmt) if exact and len(values) >= _FEWEST and values.dtype == object else None
    if parts is not None:
        columns = _asked_of(values, "moments", parts=parts, coerce=errors == "coerce")
        if columns is not None:
            return columns[0], None
    return _own_strptime(values, fmt, exact=exact, errors=errors, utc=utc)


def _moment(fmt):
    """The parts of a format that has a whole date; None if there are others in it."""
    parts, letters = [], iter(fmt if type(fmt) is str else "%")
    for letter in letters:
        if letter == "%":
            part = _PARTS.get(next(letters, None))
            if part is None or part in parts:
                return None
            parts.append(part)
        elif letter in string.punctuation or letter in " T":
            parts.append({"sign": letter})
        else:
            return None
    return parts if {"year", "month", "day"} <= {part for part in parts if type(part) is str} else None


_PARTS = {"Y": "year", "m": "month", "d": "day", "H": "hour", "M": "minute", "S": "second"}
_own_strptime = datetimes.array_strptime
_own_value_counts = StringArray.value_counts

_METHODS = {
    "_str_strip": _strip(True, True),
    "_str_lstrip": _strip(True, False),
    "_str_rstrip": _strip(False, True),
    "_str_lower": _case("lower"),
    "_str_upper": _case("upper"),
    "_str_title": _case("title"),
    "_str_capitalize": _case("capitalized"),
    "_str_slice": _slice,
    "_str_contains": _contains,
    "_str_startswith": _begins_or_ends("starts_with"),
    "_str_endswith": _begins_or_ends("ends_with"),
    "_str_replace": _replace,
    "_str_len": lambda array: _texts(array, "length"),
    "_str_match": _matches(r"\A(?:", ")"),
    "_str_fullmatch": _matches(r"\A(?:", r")\z"),
    "_str_extract": _extract,
    "_str_findall": _findall,
    "_str_split": _split,
    "_arith_method": _arithmetic,
    "factorize": _factorize,
    "unique": _unique,
    "value_counts": _value_counts,
}
