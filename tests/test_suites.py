"""The libraries' own tests in the room: a sample, and the list of known differences."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

from conftest import CACHE, ROOT, TARGET

sys.path.insert(0, str(ROOT / "scripts" / "lib" / "suites"))
import known as lists  # noqa: E402

DATA = ROOT / "tests" / "suites"
SUITE = os.environ.get("DATAROOM_TEST_SUITE") or TARGET / "debug" / "examples" / "suite"


@pytest.mark.timeout(1800)
def test_the_sample_of_the_libraries_own_tests_passes_but_for_the_list():
    command = [sys.executable, ROOT / "scripts/lib/suites", "--suite", SUITE, "--cache", CACHE, "--sample"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_every_entry_of_the_list_has_one_of_the_reasons_and_none_is_width():
    rules = tomllib.loads((DATA / "reasons.toml").read_text())["rule"]
    reasons = {rule["reason"] for rule in rules} | {lists.NATIVELY_TOO}
    found = lists.Known.read(DATA / "known.txt").entries
    assert found
    assert set(found.values()) <= reasons
    width = re.compile(r"\b(width|(32|64).?bits?|u?int(32|64|p|_)|long)\b")
    assert [reason for reason in reasons if width.search(reason)] == []


GUEST = {
    "a.py::f[1]": "failed",
    "a.py::f[2]": "failed",
    "a.py::g": "passed",
    "b.py::C::f": "skipped",
    "b.py::C::g": "aborted",
    "c.py::f": "failed",
    "c.py::g": "skipped",
}
NATIVE = {
    "a.py::f[1]": "passed",
    "a.py::f[2]": "passed",
    "a.py::g": "passed",
    "a.py::h": "passed",
    "b.py::C::f": "passed",
    "b.py::C::g": "passed",
    "c.py::f": "failed",
    "c.py::g": "skipped",
}


def outcomes(tests):
    return {test: {"was": was, "why": f"why {test}"} for test, was in tests.items()}


@pytest.fixture
def found():
    return lists.differences(outcomes(GUEST), outcomes(NATIVE))


def test_a_test_that_the_guest_lacks_skips_fails_or_dies_in_differs(found):
    assert {test: d["was"] for test, d in found.items()} == {
        "a.py::f[1]": "failed",
        "a.py::f[2]": "failed",
        "a.py::h": "absent",
        "b.py::C::f": "skipped",
        "b.py::C::g": "aborted",
        # On both sides: in the list, so that the sample needs no native Python.
        "c.py::f": "failed",
    }


def test_a_parameter_that_is_named_for_a_type_is_compared_under_the_guests_name():
    native = outcomes({"a.py::f[int64_0]": "passed", "a.py::f[int32]": "passed", "a.py::f[int64_1]": "failed",
                       "a.py::g[x]": "passed", "a.py::g[y]": "passed"})
    guest = outcomes({"a.py::f[int64]": "passed", "a.py::f[int32_0]": "passed", "a.py::f[int32_1]": "passed",
                      "a.py::g[x]": "passed"})
    assert {test: o["was"] for test, o in lists.renamed(native, guest).items()} == {
        "a.py::f[int64]": "passed", "a.py::f[int32_0]": "passed", "a.py::f[int32_1]": "failed",
        # One is missing in the guest, which no renaming may hide.
        "a.py::g[x]": "passed", "a.py::g[y]": "passed",
    }


def test_an_entry_stands_for_several_tests_only_if_all_differ_for_its_reason(found):
    rules = [("one", re.compile("why a.py::f")), ("other", re.compile("why b.py"))]
    explained = lists.explain(found, lists.Reasons(rules))
    list_ = lists.fold(explained, {test for test, was in GUEST.items() if was == "passed"})
    assert list_.entries == {
        "a.py::f": "one",
        "a.py::h": lists.UNEXPLAINED,
        "b.py": "other",
        "c.py": lists.NATIVELY_TOO,
    }


def test_what_is_not_in_the_list_and_what_is_in_it_for_nothing_is_told(found):
    entries = {"a.py::f": "x", "b.py": "x", "b.py::D": "x", "d.py": "x"}
    missing, stale = lists.judge(found, lists.Known(entries), {"a.py", "b.py", "c.py"})
    # d.py did not run.
    assert missing == ["a.py::h", "c.py::f"]
    assert stale == ["b.py::D"]


def test_the_list_is_read_as_it_was_written(tmp_path):
    entries = {"a.py::f[ # == x-1]": "one: reason", "b.py": "other", "a.py::g": "other"}
    lists.Known(entries).write(tmp_path / "list")
    assert lists.Known.read(tmp_path / "list").entries == entries


def test_a_run_that_broke_off_names_the_test_that_took_it_along():
    import jobs

    mark = jobs.MARK
    said = f'.\n{mark}{{"begin": "t1"}}\nnoise{mark}\n{mark}{{"id": "t1", "was": "passed", "why": ""}}\n'
    assert jobs.read(said + f'{mark}{{"end": 0}}\n')[1:] == (None, True)
    assert jobs.read(said + f'{mark}{{"begin": "t2"}}\n{mark}{{"id": "t') == (
        {"t1": {"was": "passed", "why": ""}}, "t2", False,
    )


def test_an_abort_loses_only_the_test_that_caused_it():
    import jobs

    tests = ["a.py::one", "a.py::dies", "a.py::three"]

    class Fragile:
        root = "/nowhere"

        def run(self, job):
            said = ""
            for test in tests:
                if test in job["done"]:
                    continue
                said += f'\n{jobs.MARK}{{"begin": "{test}"}}\n'
                if test.endswith("dies"):
                    return said, "noise\nit died"
                said += f'\n{jobs.MARK}{{"id": "{test}", "was": "passed", "why": ""}}\n'
            return said + f'\n{jobs.MARK}{{"end": 0}}\n', ""

    outcomes = jobs.run_together(Fragile(), ["a.py"])
    assert {test: o["was"] for test, o in outcomes.items()} == {
        "a.py::one": "passed", "a.py::dies": "aborted", "a.py::three": "passed",
    }
    assert outcomes["a.py::dies"]["why"] == "it died"
