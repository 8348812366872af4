"""The packages that the runtime lacks, in a folder of their own; while the start image is made.

What is imported here costs no run anything: the common ones of `wheels.txt`, and every
top-level module of the wheels that a room has besides (`[python] extra`), which thereby
show whether they work in the room at all.
"""

import importlib
import importlib.util
import json
import os
import sys

from . import _errors

_FOLDER = "/usr/local/lib/packages"
_COMMON = (
    "plotly.graph_objects", "plotly.express", "plotly.io", "plotly.offline", "docx", "pptx",
    "razdel", "pymorphy3", "tqdm.auto", "tqdm.notebook", "tqdm.contrib",
)  # fmt: skip
# How the image's maker finds the wheel at fault in what is said on stderr.
_FAULT = "dataroom-wheel: "


def install():
    """Imports the common ones, and then those that only this room has."""
    for name in _COMMON:
        importlib.import_module(name)
    _pymorphy2()
    importlib.import_module("natasha")
    _quiet_progress_bars()
    _extra()


def _pymorphy2():
    """natasha and yargy ask for pymorphy2, which ended at Python 3.10; pymorphy3 goes on
    with it under the same names. Whoever asks for the old one gets the new one."""
    for name in list(sys.modules):
        if name.partition(".")[0] == "pymorphy3":
            sys.modules["pymorphy2" + name[len("pymorphy3") :]] = sys.modules[name]


class _Nowhere:
    """A stream whose text nobody reads."""

    encoding = "utf-8"

    def write(self, text):
        return len(text)

    def flush(self):
        pass


def _quiet_progress_bars():
    """A bar counts as ever, and draws itself where nobody looks, unless it is given a file.

    `TQDM_DISABLE` would keep it from counting too, and scripts read `bar.n`."""
    import tqdm.notebook
    import tqdm.std

    drawn = tqdm.std.tqdm.__init__
    nowhere = _Nowhere()

    def __init__(self, *args, **kwargs):
        # `file` is the fifth argument.
        if len(args) < 5 and kwargs.get("file") is None:
            kwargs["file"] = nowhere
        drawn(self, *args, **kwargs)

    __init__.__wrapped__ = drawn
    tqdm.std.tqdm.__init__ = __init__
    # It would look after bars from a thread, and there is none.
    tqdm.std.tqdm.monitor_interval = 0
    # A notebook's bar is drawn by a browser, which is not there.
    for name in ("tqdm", "tqdm_notebook"):
        setattr(tqdm.notebook, name, tqdm.std.tqdm)
    for name in ("trange", "tnrange"):
        setattr(tqdm.notebook, name, tqdm.std.trange)


def _extra():
    listed = f"{_FOLDER}/.dataroom-extra.json"
    if not os.path.exists(listed):
        return
    with open(listed) as file:
        wheels = json.load(file)
    for wheel, modules in wheels.items():
        for module in modules:
            try:
                _check_place(module)
                importlib.import_module(module)
            except BaseException as error:
                problem = f"importing {module} failed: {type(error).__name__}: {error}"
                print(_FAULT + json.dumps([wheel, problem]), file=sys.stderr, flush=True)
                raise
            _errors.PRESENT.append(module)


def _check_place(module):
    found = importlib.util.find_spec(module)
    places = [found.origin, *(found.submodule_search_locations or [])] if found else []
    if not any((place or "").startswith(_FOLDER + "/") for place in places):
        raise ImportError(f"the room has another {module} of its own, which comes first")
