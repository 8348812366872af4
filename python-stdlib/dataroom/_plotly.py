"""plotly's figures become files too: HTML pages that need nothing but a browser.

plotly.js is in the package, and is written into the page. Pictures of plotly's figures
are drawn by a browser that plotly starts, and there is none here.
"""

import os

import plotly.io
import plotly.offline
from plotly.basedatatypes import BaseFigure as Figure

from . import _figures, _notices

_SAVED = "_dataroom_saved"
_NO_PICTURE = (
    "a plotly figure cannot be drawn as a picture here: keep it as a page with "
    "fig.write_html('/out/name.html'), or draw a picture with matplotlib (plt.savefig)"
)
_write_html = plotly.io.write_html


def install():
    """Makes figures files; while the start image is made."""
    plotly.io.show = plotly.offline.iplot = show
    plotly.io.write_html = write_html
    for name in ("to_image", "write_image", "write_images"):
        setattr(plotly.io, name, _no_picture)


def show(figure, *args, **kwargs):
    """`fig.show()`: the figure becomes a page of its own."""
    write_html(figure, _figures.next_place("html"))


def write_html(figure, file, *args, **kwargs):
    """`fig.write_html`, for paths of other machines too, and with plotly.js in the page."""
    if isinstance(file, (str, os.PathLike)):
        file = _figures.place(os.fspath(file))
        if isinstance(figure, Figure):
            setattr(figure, _SAVED, True)
    linked = kwargs.get("include_plotlyjs")
    if isinstance(linked, str) and (linked.lower() == "cdn" or "://" in linked):
        _notices.tell("the page has plotly.js in it: it needs no network, and is 5 MB long")
        kwargs["include_plotlyjs"] = True
    kwargs["auto_open"] = False
    return _write_html(figure, file, *args, **kwargs)


def keep_last(value):
    """Keeps a figure that is a script's last line, as a notebook would show it."""
    if not isinstance(value, Figure):
        return False
    if not getattr(value, _SAVED, False):
        show(value)
    return True


def _no_picture(*args, **kwargs):
    raise RuntimeError(_NO_PICTURE)
