"""Runs one job in the guest: what the sandbox's example `suite` executes.

`/mnt/site` holds the libraries' tests in the places where their wheels have them,
`/mnt/packages` pytest and hypothesis, `/mnt/runner` this folder. The libraries
themselves are the guest's own, so the tests are hung into their packages.
"""

import importlib
import json
import os
import sys
import tempfile
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


def excused_by_nothing(test):
    """In the place of a mark that leaves a test out."""
    return test


def ask_for_64_bits():
    """The suites excuse 32-bit systems; the room's numbers have to be a 64-bit system's.

    pandas and numpy also expect WebAssembly to fail where the room does not.

    Only what the tests look at is set, not what the libraries do by it.
    """
    import numpy.testing._private.utils as numpy_utils
    import pandas.compat
    import pandas.util._test_decorators as decorators
    import sklearn.utils._testing as sklearn_testing
    import sklearn.utils.fixes

    pandas.compat.IS64 = pandas.compat._constants.IS64 = decorators.IS64 = True
    pandas.compat.WASM = pandas.compat._constants.WASM = decorators.WASM = False
    numpy_utils.IS_64BIT = sys.modules["numpy.testing"].IS_64BIT = True
    numpy_utils.IS_WASM = sys.modules["numpy.testing"].IS_WASM = False
    sklearn.utils.fixes._IS_32BIT = sklearn_testing._IS_32BIT = False
    decorators.skip_if_32bit = decorators.skip_if_wasm = sklearn_testing.skip_if_32bit = excused_by_nothing


def without_memory_maps():
    """scikit-learn's tests map files into memory as they are collected: they read them."""
    import joblib
    import numpy as np
    import sklearn.utils._testing as sklearn_testing

    def create_memmap_backed_data(data, mmap_mode="r", return_folder=False):
        folder = tempfile.mkdtemp(prefix="sklearn_testing_")
        path = os.path.join(folder, "data.pkl")
        joblib.dump(data, path)
        read = joblib.load(path)
        for array in read if isinstance(read, (list, tuple)) else [read]:
            if isinstance(array, np.ndarray) and mmap_mode == "r":
                array.flags.writeable = False
        return (read, folder) if return_folder else read

    sklearn_testing.create_memmap_backed_data = create_memmap_backed_data


def missing(module, wanted):
    """Skips the test that uses it, not the file that names it."""
    def skip(*args, **kwargs):
        if "PYTEST_CURRENT_TEST" not in os.environ:
            # A file that is being collected calls it to make a parameter.
            return None
        return pytest.skip(f"the runtime has no numpy._core.{module}")

    if wanted.startswith("__"):
        raise AttributeError(wanted)
    if not wanted.startswith("rational"):
        return skip
    # A type of scalars with a dtype: files make some while they are collected.
    meta = type("meta", (type,), {"dtype": property(lambda _: skip() or sys.modules["numpy"].dtype(object))})
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
    ask_for_64_bits()
    without_memory_maps()
    hang_in(job["library"])
    recorder.run(SITE, job, [NoDescriptors()])


main()
