"""Merges that multiply rows say so.

A merge whose key repeats on the other side gives a row of the table that is merged
into several times, and a sum over its columns counts them all: the most common wrong
number of an analysis, and a silent one. So every merge and join of a script is measured
as it is done, by the positions that pandas itself computed; one that multiplies rows
puts a warning with its key and its factor into the reply, once for each line of the
script. One to one and many to one stay quiet, and so does who says `validate=` or
`how="cross"`. (`concat` along columns refuses labels that repeat by itself.)
"""

import os
import sys

import numpy as np
import pandas as pd
from pandas.core.reshape.merge import _MergeOperation

from . import _errors, _notices

_PANDAS = os.path.dirname(pd.__file__)
_MEANT = "_dataroom_meant"
_join = _MergeOperation._get_join_info
_validate = _MergeOperation._validate_validate_kwd
_told = set()


def install():
    """Watches every merge; while the start image is made."""
    _MergeOperation._get_join_info = _watched
    _MergeOperation._validate_validate_kwd = _validated


def _validated(self, validate):
    setattr(self, _MEANT, True)
    return _validate(self, validate)


def _watched(self):
    index, left, right = _join(self)
    try:
        _look(self, left, right)
    except Exception:
        # A watch that fails must not fail the merge: a script may have changed pandas.
        pass
    return index, left, right


def _look(merge, left, right):
    if getattr(merge, _MEANT, False) or merge.anti_join:
        return
    into, other, base = (right, left, "right") if merge.how == "right" else (left, right, "left")
    if into is None:
        return
    # Rows without a partner are given once each; -1 stands for no row.
    into = np.asarray(into)
    paired = into[into >= 0] if other is None else into[(into >= 0) & (np.asarray(other) >= 0)]
    rows = len(getattr(merge, base))
    distinct = int(np.count_nonzero(np.bincount(paired, minlength=rows))) if len(paired) else 0
    if len(paired) == distinct:
        return
    line = _script_line(sys._getframe(2))
    if line is None or line in _told:
        return
    _told.add(line)
    names = [name for name in merge.join_names if name is not None]
    if any(str(name).startswith("_cross_") for name in names):
        return
    key = " and ".join(repr(str(name)) for name in names) or "the index"
    side = "left" if base == "right" else "right"
    _notices.tell(
        f"the merge on {key} multiplies rows of the {base} table: {distinct:,} of them become "
        f"{len(paired):,} (factor {len(paired) / distinct:.4g}), because the key repeats in the {side} "
        f"table; sums and counts of {base} columns then count rows more than once. Aggregate the "
        f"{side} table to one row a key first, or say validate='{_meant(base)}' if this is meant",
        line,
    )


def _meant(base):
    return "1:m' or 'm:m" if base == "left" else "m:1' or 'm:m"


def _script_line(frame):
    """The script's line that called pandas; None if a library did."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name == _errors.SCRIPT:
            return frame.f_lineno
        if not name.startswith(_PANDAS) and __file__ != name:
            return None
        frame = frame.f_back
    return None
