"""Regular expressions for the host's engine (`bridge/texts/patterns` in its source).

Python's own parser takes a pattern apart, and what it means is written down again for the
host's engine, letter by letter: no syntax of the one is read by the other. Only what both
do alike is written: letters, sets, groups, choices, repeats, both ends, words' ends. What
looks ahead or back, what repeats a group or nothing, what has letters beyond ASCII is
Python's own business, and so are columns of texts with such letters: there the two differ
on what a letter, a digit or a space is.
"""

import re
from re import _constants as op
from re import _parser

_ASCII = range(128)
_FLAGS = re.IGNORECASE | re.UNICODE | re.DOTALL | re.VERBOSE | re.ASCII
_CATEGORIES = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_WORD: lambda letter: letter.isalnum() or letter == "_",
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
            return _set(set(_ASCII) - self.letters(what, what))
        if kind is op.ANY:
            return _set(set(_ASCII) - (set() if self.dot_all else {ord("\n")}))
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
        if last >= 128:
            raise _Unlike
        letters = set(range(first, last + 1))
        if self.ignore_case:
            letters |= {ord(swapped) for swapped in map(str.swapcase, map(chr, letters))}
        return letters

    def chosen(self, items):
        letters, others = set(), False
        for kind, what in items:
            if kind is op.NEGATE:
                others = True
            elif kind is op.LITERAL:
                letters |= self.letters(what, what)
            elif kind is op.RANGE:
                letters |= self.letters(*what)
            elif kind is op.CATEGORY:
                letters |= _category(what)
            else:
                raise _Unlike
        return _set(set(_ASCII) - letters if others else letters)

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
            return r"(?-u:\b)"
        raise _Unlike


def _set(letters):
    if not letters:
        raise _Unlike
    return "[" + "".join(f"\\x{letter:02x}" for letter in sorted(letters)) + "]"


def _category(what):
    if what in _OTHERS:
        return set(_ASCII) - _category(_OTHERS[what])
    if what not in _CATEGORIES:
        raise _Unlike
    return {letter for letter in _ASCII if _CATEGORIES[what](chr(letter))}


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
