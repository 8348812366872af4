"""Figures: what a script shows or saves becomes a file of its run.

The host takes every file that a script leaves in its folders, so to show a figure is
to save it. A figure may be saved under any path: where a script names a folder that
only its author's machine has, the file goes to `/out`.
"""

import os
import re

from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure

from . import _notices

_FOLDER = "/out"
# The folders at the root that a script may write to.
_OWN = {"out", "work", "tmp"}
_SAVED = "_dataroom_saved"
_save = Figure.savefig


def install():
    """Makes figures files; while the start image is made."""
    import matplotlib.pyplot as plt

    Figure.savefig = savefig
    Figure.show = lambda self, *args, **kwargs: _keep(self)
    plt.show = show


def savefig(self, fname, *args, **kwargs):
    """`Figure.savefig`, for paths of other machines too."""
    if isinstance(fname, (str, os.PathLike)):
        fname = place(os.fspath(fname))
        setattr(self, _SAVED, True)
    return _save(self, fname, *args, **kwargs)


def show(*args, **kwargs):
    """`plt.show`: every open figure becomes a file, and is closed."""
    keep_open()
    Gcf.destroy_all()


def keep_open():
    """Saves the open figures that were not saved yet."""
    for manager in list(Gcf.figs.values()):
        if not getattr(manager.canvas.figure, _SAVED, False):
            _keep(manager.canvas.figure)


def _keep(figure):
    figure.savefig(next_place("png"))


def next_place(ending):
    """Where the next figure that has no name goes."""
    number = 1
    while any(os.path.exists(f"{_FOLDER}/figure-{number}.{one}") for one in ("png", "html")):
        number += 1
    return f"{_FOLDER}/figure-{number}.{ending}"


def place(path):
    """Where a figure with this path goes: any folder below the script's own is made."""
    asked = os.path.abspath(path)
    if _is_own(asked) and not re.match(r"~|\\\\|[A-Za-z]:[/\\]", path):
        os.makedirs(os.path.dirname(asked), exist_ok=True)
        return path
    instead = f"{_FOLDER}/{re.split(r'[/\\]', path)[-1] or 'figure.png'}"
    _notices.tell(f"the figure is saved as {instead}: {path} is in no folder of this room")
    return instead


def _is_own(path):
    _, top, *inside = path.split("/", 2)
    return bool(inside) and top in _OWN
