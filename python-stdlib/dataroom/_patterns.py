"""Regular expressions for the host's engine (`bridge/texts/patterns` in its source).

Python's own parser takes a pattern apart, and what it means is written down again for the
host's engine: no syntax of the one is read by the other. Only what both do alike is
written: sets of letters, groups, choices, repeats, both ends, words' ends. A set is written
as the letters that Python has in it, so that a digit, a space and a letter are what they
are here. What looks ahead or back, and what repeats a group or nothing, is Python's own
business; so are texts beyond ASCII for a pattern that takes small for capital letters or
asks where a word ends.
"""

import re
from itertools import groupby
from re import _constants as op, _parser

_LAST = 0x10FFFF
_FLAGS = re.IGNORECASE | re.UNICODE | re.DOTALL | re.VERBOSE


def _ranges(holds):
    """The letters of which it holds, as pairs of the first and the last of some in a row."""
    rows = groupby((point for point in range(_LAST + 1) if holds(chr(point))), _row())
    rows = ([*row] for _, row in rows)
    return [(row[0], row[-1]) for row in rows]


def _row():
    """A key that is the same for all that are in a row."""
    at = iter(range(_LAST + 2))
    return lambda point: point - next(at)


# Looked up once, when the start image is made.
_CATEGORIES = {
    op.CATEGORY_DIGIT: _ranges(str.isdecimal),
    op.CATEGORY_SPACE: _ranges(str.isspace),
    op.CATEGORY_WORD: _ranges(lambda letter: letter.isalnum() or letter == "_"),
}
_OTHERS = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
}


class _Unlike(Exception):
    """The engines do not agree on it, or might not."""


class Written:
    """A pattern in the host's words."""

    def __init__(self, pattern, flags):
        self.parsed = _parser.parse(pattern, flags)
        flags = self.parsed.state.flags
        if flags & ~_FLAGS:
            raise _Unlike
        self.ignore_case, self.dot_all = bool(flags & re.IGNORECASE), bool(flags & re.DOTALL)
        # Whether the host may take other texts than those of ASCII letters.
        self.any_letters = not self.ignore_case
        self.groups = self.parsed.state.groups - 1
        self.names = {place - 1: name for name, place in self.parsed.state.groupdict.items()}
        self.may_be_nothing = self.parsed.getwidth()[0] == 0
        self.at_end = False
        self.text = self.sequence(self.parsed)

    def sequence(self, items):
        return "".join(self.one(kind, what) for kind, what in items)

    def one(self, kind, what):
        if kind is op.LITERAL:
            return _set(self.letters(what, what))
        if kind is op.NOT_LITERAL:
            return _set(_without(self.letters(what, what)))
        if kind is op.ANY:
            return _set(_without([] if self.dot_all else [(10, 10)]))
        if kind is op.IN:
            return self.chosen(what)
        if kind is op.BRANCH:
            return "(?:" + "|".join(self.sequence(branch) for branch in what[1]) + ")"
        if kind is op.SUBPATTERN:
            group, added, removed, inner = what
            if added or removed:
                raise _Unlike
            return ("(?:" if group is None else "(") + self.sequence(inner) + ")"
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self.repeated(*what) + ("?" if kind is op.MIN_REPEAT else "")
        if kind is op.AT:
            return self.place(what)
        raise _Unlike

    def letters(self, first, last):
        if not self.ignore_case:
            return [(first, last)]
        if last >= 128:
            raise _Unlike
        swapped = [ord(chr(letter).swapcase()) for letter in range(first, last + 1)]
        return [(first, last), *((letter, letter) for letter in swapped)]

    def chosen(self, items):
        letters, others = [], False
        for kind, what in items:
            if kind is op.NEGATE:
                others = True
            elif kind is op.LITERAL:
                letters += self.letters(what, what)
            elif kind is op.RANGE:
                letters += self.letters(*what)
            elif kind is op.CATEGORY:
                letters += self.category(what)
            else:
                raise _Unlike
        return _set(_without(letters) if others else letters)

    def category(self, what):
        if what in _OTHERS:
            return _without(self.category(_OTHERS[what]))
        letters = _CATEGORIES.get(what)
        if letters is None:
            raise _Unlike
        return letters

    def repeated(self, least, most, inner):
        # What stands for nothing, or is kept from the last time, is where engines differ.
        if inner.getwidth()[0] == 0 or (most > 1 and _has_group(inner)):
            raise _Unlike
        most = "" if most is op.MAXREPEAT else most
        return f"(?:{self.sequence(inner)}){{{least},{most}}}"

    def place(self, where):
        if where in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return r"\A"
        if where is op.AT_END:
            # It is before a last line's end, too: the host takes no text with one.
            self.at_end = True
            return r"\z"
        if where is op.AT_END_STRING:
            return r"\z"
        if where is op.AT_BOUNDARY:
            self.any_letters = False
            return r"(?-u:\b)"
        raise _Unlike


def _without(letters):
    """All other letters."""
    others, begin = [], 0
    for first, last in sorted(letters):
        if begin < first:
            others.append((begin, first - 1))
        begin = max(begin, last + 1)
    return [*others, (begin, _LAST)] if begin <= _LAST else others


def _set(letters):
    if not letters:
        raise _Unlike
    return "[" + "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in letters) + "]"


def _has_group(items):
    for kind, what in items:
        if kind is op.SUBPATTERN and (what[0] is not None or _has_group(what[3])):
            return True
        if kind is op.BRANCH and any(map(_has_group, what[1])):
            return True
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT) and _has_group(what[2]):
            return True
    return False


def written(pattern, flags, case=True):
    """The pattern for the host; None if it is one for Python alone, or none at all."""
    if type(pattern) is not str or type(flags) not in (int, re.RegexFlag) or case not in (True, False):
        return None
    try:
        return Written(pattern, int(flags) | (0 if case else re.IGNORECASE.value))
    except (_Unlike, re.PatternError, OverflowError, RecursionError):
        # Python says what is wrong with it.
        return None
