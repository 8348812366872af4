"""What the start image has imported and exercised before the snapshot is taken.

Everything that a first use would import, compile or cache is used once here, so that
no run pays for it.
"""

import gc
import os
import sys

sys.path.insert(1, "/usr/local/lib/room")
# Last: nothing in it comes before the runtime's own.
sys.path.append("/usr/local/lib/packages")
os.chdir("/work")
if not hasattr(os, "getuid"):
    os.getuid = lambda: 1000
# What scripts take for "larger than anything" is a value, and values have 64 bits.
sys.maxsize = 2**63 - 1

import base64, bisect, calendar, collections, csv, dataclasses, datetime, decimal, difflib  # noqa: E401
import enum, fractions, functools, glob, gzip, hashlib, heapq, html, io, itertools, json  # noqa: E401
import linecache, math, operator, pathlib, pickle, pprint, random, re, shutil, statistics  # noqa: E401
import string, tempfile, textwrap, time, traceback, typing, unicodedata, uuid, zipfile, zoneinfo  # noqa: E401

import numpy as np

import dataroom._as_on_64_bits
import dataroom._int32
import dataroom._ufuncs

dataroom._as_on_64_bits.install()
dataroom._int32.install()
dataroom._ufuncs.install()

import pandas as pd
import scipy
import scipy.cluster
import scipy.cluster.hierarchy
import scipy.interpolate
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.csgraph
import scipy.spatial
import scipy.stats
import sklearn
import sklearn.cluster
import sklearn.decomposition
import sklearn.ensemble
import sklearn.feature_selection
import sklearn.inspection
import sklearn.linear_model
import sklearn.metrics
import sklearn.model_selection
import sklearn.neighbors
import sklearn.pipeline
import sklearn.preprocessing
import sklearn.svm
import sklearn.tree
import sklearn.utils.random
import statsmodels.api
import statsmodels.formula.api
import statsmodels.tsa.api
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import seaborn
import openpyxl

import dataroom._figures
import dataroom._merge_watch
import dataroom._draws
import dataroom._group_corr
import dataroom._libraries
import dataroom._many_texts
import dataroom._narrowing
import dataroom._objects
import dataroom._pandas
import dataroom._packages
import dataroom._parquet
import dataroom._plotly
import dataroom._run
import dataroom._text
import dataroom._widening

dataroom._narrowing.install()
dataroom._pandas.install()
dataroom._group_corr.install()
dataroom._widening.install()
dataroom._draws.install()
dataroom._libraries.install()
dataroom._text.install()
dataroom._objects.install()
dataroom._many_texts.install()
dataroom._parquet.install()
dataroom._figures.install()
dataroom._merge_watch.install()
dataroom._plotly.install()
dataroom._packages.install()

for wide in (
    np.array([1]), np.array([-1]), np.arange(3), np.zeros(1, dtype=int), np.array([True]).sum(),
    np.ones(2, dtype="int32").sum(), np.ones(2, dtype="int8").cumsum(), np.float64(1).astype(int),
    np.zeros(1, np.intp) + np.zeros(1, np.intp), np.zeros(1, np.long)[0], np.zeros(1, "l"),
    np.array([1]) // 2, np.zeros(1, np.intp) // np.zeros(1, np.intp).max(initial=1),
    np.power(10, 12), np.floor_divide(2**40, 3),
):
    if wide.dtype != np.int64:
        raise SystemError(f"numpy's default integer is not 64 bits wide: {wide!r} is {wide.dtype}")

if (np.zeros(1, np.int32) + np.ones(1, "i4")).dtype != np.int32:
    raise SystemError("an integer that is asked for with 32 bits has more")

ties = np.array([1, True, 1.0, 0] * 20, dtype=object)
pairs = np.array([(index % 2, index) for index in range(80)], dtype=[("key", int), ("index", int)])
if [type(one) for one in np.sort(ties)[20:23]] != [int, bool, float] or not (
    np.all(np.diff(np.argsort(pairs["key"])[:40]) > 0)
):
    raise SystemError("a sort does not keep the order of ties")

with np.errstate(all="raise"):
    for wrong in (
        lambda: np.ones(3) / 0, lambda: np.float64(1) / 0, lambda: np.log(np.zeros(1)),
        lambda: np.array([np.nan]).astype(int), lambda: np.full(9, 1e300).prod(),
    ):
        try:
            wrong()
        except FloatingPointError:
            continue
        raise SystemError("numpy does not see what floats do that it warns of")

frame = pd.DataFrame(
    {
        "key": ["a", "b", "a", None] * 5,
        "when": pd.date_range("2024-01-01", periods=20, freq="D", tz="Europe/Berlin"),
        "value": np.arange(20.0),
        "count": np.arange(20),
    }
)
frame.groupby("key").agg({"value": ["mean", "sum"], "count": "max"})
frame.merge(frame.head(3), on="key").sort_values("value_x").describe()
frame.set_index("when")["value"].resample("W").mean().rolling(2).sum()
frame.pivot_table(index="key", values="value", aggfunc="mean")
frame["key"].str.upper().value_counts()
frame["key"].astype("category").cat.codes
pd.to_datetime(pd.Series(["2024-01-02", "2024-02-03"])).dt.month
pd.read_csv(io.StringIO("a,b\n1,x\n2,y\n"))
frame.to_csv(index=False)
repr(frame)
sklearn.linear_model.LinearRegression().fit(frame[["count"]], frame["value"]).predict(frame[["count"]])
scipy.stats.ttest_ind([1.0, 2.0, 3.0], [2.0, 3.0, 5.0])
sklearn.utils.random.sample_without_replacement(10, 3, random_state=0)
scipy.sparse.csr_matrix(np.array([[1, 2**40]])).tocsc()
np.char.find(np.array(["ab"]), "b")
scipy.optimize.minimize(lambda x: (x[0] - 1) ** 2, [0.0], method="L-BFGS-B")
scipy.optimize.minimize(lambda x: (x[0] - 1) ** 2, [0.0], method="SLSQP")
statsmodels.api.OLS(frame["value"], statsmodels.api.add_constant(frame["count"])).fit().summary()
figure, axes = plt.subplots()
axes.plot([1, 2], [3, 4], label="x")
axes.set_title("t")
axes.legend()
figure.savefig(io.BytesIO(), format="png")
plt.close("all")

import docx
import plotly.express
import pptx
import razdel

plotly.express.bar(x=[1, 2], y=[3, 4]).to_html(include_plotlyjs=False)
docx.Document().save(io.BytesIO())
pptx.Presentation().save(io.BytesIO())
list(razdel.sentenize("Раз. Два."))

# No file may be open in the snapshot: matplotlib's font caches hold one each.
from matplotlib import font_manager

for cached in (font_manager._get_font, getattr(font_manager, "get_font", None)):
    if hasattr(cached, "cache_clear"):
        cached.cache_clear()
del frame, figure, axes, cached, wide, ties, pairs

import dataroom._snapshot

dataroom._snapshot.rehearse()
last_object = dataroom._snapshot.immortalise()
gc.collect()
dataroom._snapshot.fill_holes(last_object)
gc.freeze()
