"""The checked-in list of differences: which tests, each with its reason.

`tests/suites/reasons.toml` has the reasons, each with a pattern of the messages that it
explains; `tests/suites/known.txt` has the tests, below the reason of each:

    == reason
    path::Class::function[parameters]

An entry also covers what is below it: a function's parameters, a class's functions, a
file's tests. It stands for them only if all of them differ for that reason.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

UNEXPLAINED = "unexplained"
BAD = ("failed", "aborted")
NATIVELY_TOO = "fails natively too"
HEAD = (
    "# Tests that pass natively and do not in the guest, by reason; and those that fail on\n"
    "# both sides. Written by `scripts/suites --write`; see scripts/lib/suites/known.py.\n"
)


def above(test: str) -> list[str]:
    """The entries that could cover a test, widest first."""
    plain = test.split("[", 1)[0]
    parts = plain.split("::")
    return ["::".join(parts[:n]) for n in range(1, len(parts) + 1)] + [test]


@dataclass
class Known:
    entries: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Known":
        known, reason = cls(), UNEXPLAINED
        for line in path.read_text().splitlines():
            if line.startswith("== "):
                reason = line[3:]
            elif line and not line.startswith("# "):
                known.entries[line] = reason
        return known

    def entry(self, test: str) -> str | None:
        return next((entry for entry in above(test) if entry in self.entries), None)

    def reason(self, test: str) -> str | None:
        return self.entries.get(self.entry(test))

    def write(self, path: Path) -> None:
        by_reason: dict[str, list[str]] = {}
        for entry, reason in self.entries.items():
            by_reason.setdefault(reason, []).append(entry)
        parts = [f"\n== {reason}\n" + "".join(f"{e}\n" for e in sorted(by_reason[reason])) for reason in sorted(by_reason)]
        path.write_text(HEAD + "".join(parts))


@dataclass
class Reasons:
    rules: list[tuple[str, re.Pattern]]

    @classmethod
    def read(cls, path: Path) -> "Reasons":
        rules = tomllib.loads(path.read_text())["rule"]
        return cls([(rule["reason"], re.compile(rule["message"], re.DOTALL)) for rule in rules])

    def of(self, test: str, why: str) -> str:
        found = (reason for reason, pattern in self.rules if pattern.search(f"{test}\n{why}"))
        return next(found, UNEXPLAINED)


NOTHING = {"was": "absent", "why": "the guest has no test of this name"}


def functions(outcomes: dict) -> dict[str, list[str]]:
    """The tests by function, in the order in which they ran."""
    found: dict[str, list[str]] = {}
    for test in outcomes:
        found.setdefault(test.split("[", 1)[0], []).append(test)
    return found


def renamed(native: dict, guest: dict) -> dict:
    """The native outcomes by the names that the guest has for the same tests.

    pytest names a parameter that is a type by the type's name, and numbers it where two
    have the same: `np.intp` or `np.longlong` is one type here and another there. The
    parameters are the same ones in the same order, so what is left over is paired.
    """
    names = {}
    ours = functions(guest)
    for function, tests in functions(native).items():
        theirs = [test for test in tests if test not in guest]
        left = [test for test in ours.get(function, ()) if test not in native]
        if len(theirs) == len(left):
            names.update(zip(theirs, left))
    return {names.get(test, test): outcome for test, outcome in native.items()}


def differences(guest: dict, native: dict) -> dict[str, dict]:
    """The tests that differ, as the guest has them; those that fail on both sides too.

    A test that the guest skips was not judged there, so it differs where native Python
    passes. One that both skip, or that native Python does not have and the guest
    passes, does not.
    """
    found = {}
    for test in guest.keys() | native.keys():
        ours, theirs = guest.get(test, NOTHING), native.get(test, NOTHING)
        if ours["was"] == "passed":
            continue
        if ours["was"] in BAD or theirs["was"] == "passed":
            found[test] = {**ours, "natively": theirs["was"]}
    return found


def fold(explained: dict[str, str], tests: set[str]) -> Known:
    """The shortest list: an entry for all tests below it where one reason covers all."""
    below: dict[str, list[str]] = {}
    for test in tests | explained.keys():
        for entry in above(test):
            below.setdefault(entry, []).append(test)
    known = Known()
    for test, reason in sorted(explained.items()):
        covers = (e for e in above(test) if all(explained.get(t) == reason for t in below[e]))
        known.entries[next(covers, test)] = reason
    return known


def explain(found: dict[str, dict], reasons: Reasons) -> dict[str, str]:
    """A reason for each difference, where a rule has one."""
    explained = {}
    for test, difference in found.items():
        if difference["natively"] in BAD:
            explained[test] = NATIVELY_TOO
            continue
        explained[test] = reasons.of(test, difference["why"])
    return explained


def judge(found: dict[str, dict], known: Known, ran: set[str]) -> tuple[list[str], list[str]]:
    """Differences that the list does not have, and entries that cover none any more.

    `ran` are the files that ran: entries for others are not judged.
    """
    missing = [test for test in found if known.reason(test) is None]
    used = {known.entry(test) for test in found}
    stale = [entry for entry in known.entries if entry.split("::")[0] in ran and entry not in used]
    return sorted(missing), sorted(stale)
