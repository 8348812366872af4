"""Runs one job in the guest: what the sandbox's example `suite` executes.

`/mnt/site` holds the libraries' tests in the places where their wheels have them,
`/mnt/packages` pytest and hypothesis, `/mnt/runner` this folder. The libraries
themselves are the guest's own, so the tests are hung into their packages.
"""

import importlib
import json
import os
import sys
import types

sys.path[:0] = ["/mnt/runner", "/mnt/packages"]

import pytest  # noqa: E402
import recorder  # noqa: E402

SITE = "/mnt/site"

# The compiled helpers of numpy's own tests, which the runtime does not have. A test
# that calls one is skipped; numpy's conftest needs one function to be there.
HELPERS = (
    "_multiarray_tests", "_operand_flag_tests", "_rational_tests", "_struct_ufunc_tests",
    "_umath_tests",
)


def hang_in(library):
    """Makes `import pandas.tests…` find the tests, wherever a package has some."""
    for folder, folders, _ in os.walk(f"{SITE}/{library}"):
        names = folder.removeprefix(f"{SITE}/").split("/")
        if "tests" in names:
            folders.clear()
            continue
        package = importlib.import_module(".".join(names))
        package.__path__.append(folder)


def stand_in_for_helpers():
    for name in HELPERS:
        full = f"numpy._core.{name}"
        try:
            importlib.import_module(full)
        except ImportError:
            stand_in = types.ModuleType(full)
            stand_in.__getattr__ = lambda wanted, name=name: missing(name, wanted)
            stand_in.get_fpu_mode = lambda: 0
            sys.modules[full] = stand_in
            setattr(sys.modules["numpy._core"], name, stand_in)


def missing(module, wanted):
    """Skips the test that uses it, not the file that names it."""
    def skip(*args, **kwargs):
        pytest.skip(f"the runtime has no numpy._core.{module}")

    if wanted.startswith("__"):
        raise AttributeError(wanted)
    if not wanted.startswith("rational"):
        return skip
    # A type of scalars with a dtype: files make some while they are collected.
    meta = type("meta", (type,), {"dtype": property(skip)})
    return meta(wanted, (), {"__init__": lambda self, *_: None, "__array_interface__": property(skip)})


class NoDescriptors:
    """WASI cannot duplicate a descriptor, and pytest does not get over it."""

    @pytest.fixture
    def capfd(self):
        pytest.skip("WASI cannot duplicate a descriptor")

    capfdbinary = capfd


def main():
    job = json.loads(TEXT)  # noqa: F821
    os.environ.setdefault("HOME", "/tmp")
    # What `stat` says of every file: pytest insists on owning its temporary folder.
    os.getuid = lambda: 0
    os.chdir("/work")
    if job["library"] == "numpy":
        stand_in_for_helpers()
    hang_in(job["library"])
    recorder.run(SITE, job, [NoDescriptors()])


main()
