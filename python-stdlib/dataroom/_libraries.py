"""Indices that scipy and scikit-learn give to a script: 64 bits wide.

They are made of `intp` arrays, which their compiled parts hand to each other, so the
arrays stay as they are inside. A script reaches them by three roads, and on each one
they are widened as in `_widening`, where a script asks and nowhere else:

- public functions: the public modules' names are wrapped; the libraries themselves have
  imported the plain ones from where they are defined;
- objects (estimators, splitters, trees of neighbours, distributions): what a script
  reads from one, a fitted value or a method, is widened when it is read or called;
- the compiled classes, which cannot be taught that: their methods are replaced.
"""

import functools
import importlib
import sys
import types

import numpy as np

from ._memory import replace_method
from ._widening import for_a_script, wide, widening

_MODULES = (
    "scipy.cluster.hierarchy", "scipy.cluster.vq", "scipy.interpolate", "scipy.ndimage", "scipy.optimize",
    "scipy.signal", "scipy.sparse", "scipy.sparse.csgraph", "scipy.spatial", "scipy.spatial.distance",
    "scipy.stats", "sklearn.cluster", "sklearn.datasets", "sklearn.feature_selection",
    "sklearn.inspection", "sklearn.linear_model", "sklearn.metrics", "sklearn.metrics.pairwise",
    "sklearn.model_selection", "sklearn.neighbors", "sklearn.preprocessing", "sklearn.utils",
    "sklearn.utils.random", "sklearn.utils.sparsefuncs",
)
_OBJECTS = (
    ("sklearn.base", "BaseEstimator"),
    ("sklearn.model_selection", "BaseCrossValidator"),
    ("sklearn.model_selection", "BaseShuffleSplit"),
    ("scipy.spatial", "KDTree"),
    ("scipy.stats._distn_infrastructure", "rv_generic"),
    ("scipy.stats._distn_infrastructure", "rv_frozen"),
    ("scipy.stats._multivariate", "multi_rv_generic"),
    ("scipy.stats._multivariate", "multi_rv_frozen"),
)
_COMPILED = (
    ("scipy.spatial", "cKDTree", ("query", "query_ball_point", "query_ball_tree", "count_neighbors")),
    ("sklearn.neighbors", "BallTree", ("query", "query_radius", "two_point_correlation")),
    ("sklearn.neighbors", "KDTree", ("query", "query_radius", "two_point_correlation")),
    ("sklearn.tree._tree", "Tree", ("apply", "decision_path")),
)
# Counts and places of nodes, as fields of the nodes' array.
_NODES = ("children_left", "children_right", "feature", "n_node_samples")


def install():
    """Run once, when the libraries have been imported."""
    wrapped = {}
    for name in _MODULES:
        _wrap(importlib.import_module(name), wrapped)
    for module, name in _OBJECTS:
        _read_wide(getattr(importlib.import_module(module), name))
    for module, name, methods in _COMPILED:
        kind = getattr(importlib.import_module(module), name)
        for method in methods:
            owner = next((base for base in kind.__mro__ if method in vars(base)), None)
            if owner is not None and not hasattr(vars(owner)[method], "__wrapped__"):
                replace_method(owner, method, widening)
    from sklearn.tree._tree import Tree

    for name in _NODES:
        replace_method(Tree, name, wide_property)
    _know_numpy()


def _know_numpy():
    """A script's numpy is in `sys.modules`, where the libraries look for theirs."""
    for module in list(sys.modules.values()):
        plain = vars(module).get("_check_device") if module is not None else None
        if isinstance(plain, types.FunctionType):
            module._check_device = _checking(plain)


def _checking(plain):
    @functools.wraps(plain)
    def check(namespace, device):
        return plain(sys.modules["numpy"] if namespace is np else namespace, device)

    return check


def _wrap(module, wrapped):
    """Wraps the module's functions, each once: it is the same function by each of its names."""
    # scikit-learn asks whether a metric that it looked up is `euclidean_distances`.
    tables = [table for table in vars(module).values() if isinstance(table, dict)]
    looked_up = {id(value) for table in tables for value in table.values()}
    for public in getattr(module, "__all__", list(vars(module))):
        function = vars(module).get(public)
        if not hasattr(function, "__code__") or isinstance(function, type) or id(function) in looked_up:
            continue
        if function not in wrapped:
            giving = _giving(function)
            wrapped[function] = wrapped[giving] = giving
            # Where a pickle finds it again.
            giving.__module__ = module.__name__
        setattr(module, public, wrapped[function])


def _each_wide(given):
    for value in given:
        yield wide(value)


def _given(value):
    return _each_wide(value) if isinstance(value, types.GeneratorType) else wide(value)


def _giving(function):
    """`function`, whose indices are wide when a script called it, one by one too."""

    @functools.wraps(function)
    def giving(*args, **kwargs):
        given = function(*args, **kwargs)
        return _given(given) if for_a_script(sys._getframe(1)) else given

    return giving


def _read_wide(kind):
    """Of an object of the class, what a script reads is wide."""
    plain = kind.__getattribute__

    def __getattribute__(self, name):
        value = plain(self, name)
        if name[0] == "_" or not for_a_script(sys._getframe(1)):
            return value
        return _giving(value) if isinstance(value, types.MethodType) else wide(value)

    kind.__getattribute__ = __getattribute__


def wide_property(plain):
    def read(self):
        value = plain.__get__(self)
        return value.astype(np.int64) if for_a_script(sys._getframe(1)) else value

    return property(read)
