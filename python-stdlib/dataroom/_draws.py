"""Random integers of the old generators, drawn as on a 64-bit machine.

Their algorithms take C's `long`. The binary makes most of them 64 bits wide; what is
left is done here, by the new generators' functions of the same algorithm over the same
stream, so that the same seed gives the same draws as natively.
"""

import functools
import sys

import numpy as np
from numpy.random import Generator, RandomState, mtrand

from . import _hypergeometric
from ._memory import replace_method
from ._widening import for_a_script, widening

_INDICES = (
    "binomial", "choice", "geometric", "hypergeometric", "logseries", "multinomial",
    "multivariate_hypergeometric", "negative_binomial", "permutation", "poisson", "random_integers",
    "zipf",
)
# Too many trials for a `long`: the new generators draw by the same algorithm.
_OF_TRIALS = ("binomial", "multinomial")


def install():
    """Run once, when pandas has been imported."""
    for name in _OF_TRIALS:
        replace_method(RandomState, name, _of_many_trials)
    replace_method(RandomState, "hypergeometric", _of_many_things)
    replace_method(RandomState, "randint", _drawing_wide)
    replace_method(RandomState, "tomaxint", _to_the_largest)
    for kind in (RandomState, Generator):
        for name in _INDICES:
            if name in vars(kind):
                replace_method(kind, name, widening)
    # The functions of the module are methods of one generator.
    for name in (*_INDICES, "randint", "tomaxint"):
        for module in (np.random, mtrand):
            if name in vars(module):
                setattr(module, name, getattr(mtrand._rand, name))


def _of_many_trials(plain):
    @functools.wraps(plain)
    def drawn(self, n, *args, **kwargs):
        try:
            return plain(self, n, *args, **kwargs)
        except OverflowError:
            return getattr(Generator(self._bit_generator), plain.__name__)(n, *args, **kwargs)

    return drawn


def _of_many_things(plain):
    @functools.wraps(plain)
    def hypergeometric(self, ngood, nbad, nsample, size=None):
        try:
            return plain(self, ngood, nbad, nsample, size)
        except ValueError as error:
            if "out of bounds for long" not in str(error):
                raise
        return _hypergeometric.draws(self, ngood, nbad, nsample, size)

    return hypergeometric


def _to_the_largest(plain):
    @functools.wraps(plain)
    def tomaxint(self, size=None):
        drawn = Generator(self._bit_generator).integers(0, 2**64 - 1, size, np.uint64, endpoint=True) >> np.uint64(1)
        return int(drawn) if size is None else drawn.astype(np.int64)

    return tomaxint


def _drawing_wide(plain):
    @functools.wraps(plain)
    def randint(self, low, high=None, size=None, dtype=int):
        asked = np.int64 if dtype is int and for_a_script(sys._getframe(1)) else dtype
        given = plain(self, low, high, size, asked)
        if dtype is int and size is None and isinstance(given, np.generic):
            return int(given)
        return given

    return randint
