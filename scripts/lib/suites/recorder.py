"""Runs test files with pytest and says, test by test, how each went.

The same file runs in the guest and natively. What it says are lines of JSON on
stdout, each after `MARK`, so that they are found among what the tests print:

    {"begin": id}                                   the test is about to run
    {"id": id, "was": outcome, "why": text}         it has run

so that a test that takes the interpreter with it is known: it has begun and not ended.
`outcome` is passed, failed, skipped or xfailed; a fault of a fixture is a failure.
"""

import json
import os

MARK = "\x1e"
# A message is for telling faults apart, not for reading a diff of two tables.
LONGEST = 700

# WASI has no pipes, no descriptors to duplicate and no threads; pytest's own comforts
# that need them are left out on both sides.
OPTIONS = [
    "--capture=no", "--color=no", "--no-header", "--tb=native", "--quiet", "--no-summary",
    "--continue-on-collection-errors", "--override-ini=addopts=",
    *(f"-p no:{plugin}" for plugin in ("cacheprovider", "logging", "faulthandler")),
]


def say(**entry):
    os.write(1, f"\n{MARK}{json.dumps(entry)}\n".encode("utf-8", "surrogateescape"))


def _why(report):
    """The end of the traceback, which names the place and the fault; a skip's reason."""
    text = report.longrepr
    if isinstance(text, tuple):
        text = text[2]
    return str(text or getattr(report, "wasxfail", "")).strip()[-LONGEST:]


class Recorder:
    """A pytest plugin: reports every test but those that ran before."""

    def __init__(self, done):
        self.done = set(done)

    def pytest_collection_modifyitems(self, config, items):
        left = [item for item in items if item.nodeid not in self.done]
        gone = [item for item in items if item.nodeid in self.done]
        items[:] = left
        config.hook.pytest_deselected(items=gone)

    def pytest_collectreport(self, report):
        if report.outcome != "passed" and report.nodeid not in self.done:
            say(id=report.nodeid, was=report.outcome, why=_why(report))

    def pytest_runtest_logstart(self, nodeid, location):
        self.was, self.why = "passed", ""
        say(begin=nodeid)

    def pytest_runtest_logreport(self, report):
        if report.outcome == "passed" or self.was == "failed":
            return
        # What pytest calls a skip is a failure that was expected, where it says so.
        expected = report.outcome == "skipped" and hasattr(report, "wasxfail")
        self.was, self.why = ("xfailed" if expected else report.outcome), _why(report)

    def pytest_runtest_logfinish(self, nodeid, location):
        say(id=nodeid, was=self.was, why=self.why)


def run(root, job, plugins=()):
    """Runs `job["files"]`, paths below `root`, without the tests in `job["done"]`."""
    import pytest

    options = [word for option in OPTIONS for word in option.split(" ", 1)]
    options += [f"--rootdir={root}", *job["options"], *(f"{root}/{file}" for file in job["files"])]
    status = pytest.main(options, plugins=[Recorder(job["done"]), *plugins])
    say(end=int(status))
