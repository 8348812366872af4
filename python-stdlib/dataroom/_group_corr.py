"""Correlations of many groups.

`groupby(...).corr()` makes a frame of each group's rows and one of its answer, and puts
the answers together: with ten thousand groups nearly all of the time goes into frames
of a hundred rows. For numbers, what is computed of a group is one call of a compiled
function, pandas' own, on the group's rows. So here it is called on slices of one array,
and the answer's index is made by the function that makes it in `concat`: the same
bits, names and memory layout. Whatever is not that plain is done as pandas does it.
"""

import functools

import numpy as np
import pandas as pd
from pandas._libs import algos, lib
from pandas.core.groupby import DataFrameGroupBy
from pandas.core.groupby.ops import BaseGrouper
from pandas.core.reshape.concat import _make_concat_multiindex

_theirs = DataFrameGroupBy.corr


def install():
    """Run once, when the libraries have been imported."""
    DataFrameGroupBy.corr = _corr


@functools.wraps(_theirs)
def _corr(self, method="pearson", min_periods=1, numeric_only=False):
    if method == "pearson" and type(min_periods) is int and _is_plain(self):
        data = self._obj_with_exclusions
        if numeric_only:
            data = data._get_numeric_data()
        if _is_numbers(data):
            return _of_groups(self, data, min_periods)
    return _theirs(self, method=method, min_periods=min_periods, numeric_only=numeric_only)


def _is_plain(grouped):
    """Groups of a plain frame by values, whose keys are to be the answer's index."""
    grouper = grouped._grouper
    return (
        type(grouped.obj) is pd.DataFrame
        and type(grouped._obj_with_exclusions) is pd.DataFrame
        and pd.DataFrame.corr is _of_a_frame
        and type(grouper) is BaseGrouper
        and grouped.as_index
        and grouped.group_keys
        and grouper.ngroups > 0
    )


def _is_numbers(data):
    return (
        data.shape[1] > 0
        and data.columns.is_unique
        and all(isinstance(kind, np.dtype) and kind.kind in "iufb" for kind in data.dtypes)
    )


def _of_groups(grouped, data, min_periods):
    grouper = grouped._grouper
    splitter = grouper._get_splitter(data)
    rows = data.to_numpy(dtype=float, na_value=np.nan).take(splitter._sort_idx, axis=0)
    starts, ends = lib.generate_slices(splitter._slabels, splitter.ngroups)
    columns, wide = data.columns, data.shape[1]
    correlations = np.empty((splitter.ngroups * wide, wide))
    for group, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        one = algos.nancorr(rows[start:end], minp=min_periods)
        correlations[group * wide : (group + 1) * wide] = one
    index = _make_concat_multiindex(
        [columns] * splitter.ngroups, grouper.result_index, list(grouper.levels), list(grouper.names)
    )
    answer = pd.DataFrame(correlations, index=index, columns=columns.copy(), copy=False)
    return answer.__finalize__(grouped.obj, method="groupby")


_of_a_frame = pd.DataFrame.corr
