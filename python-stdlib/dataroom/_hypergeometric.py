"""Hypergeometric draws from 2**31 things and more, which a `long` here cannot count.

The old generators' algorithm (HRUA* of Stadlober, "Sampling from Poisson, binomial and
hypergeometric distributions", 1990, with Frohne's corrections), step by step as in
numpy's `legacy-distributions.c`: the same seed gives the same draws as natively.
"""

from math import floor, log, sqrt

import numpy as np

_D1, _D2 = 1.7155277699214135, 0.8989161620588988
_STIRLING = (
    8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04,
    8.417508417508418e-04, -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02,
    1.796443723688307e-01, -1.39243221690590e00,
)
_LOG_2_PI = 1.8378770664093453e00


def _log_gamma(x):
    if x in (1.0, 2.0):
        return 0.0
    steps = int(7 - x) if x < 7.0 else 0
    above = x + steps
    square = (1.0 / above) * (1.0 / above)
    series = _STIRLING[9]
    for factor in _STIRLING[8::-1]:
        series = series * square + factor
    value = series / above + 0.5 * _LOG_2_PI + (above - 0.5) * log(above) - above
    for _ in range(steps):
        value -= log(above - 1.0)
        above -= 1.0
    return value


def draws(state, good, bad, sample, size=None):
    """`RandomState.hypergeometric`, of numbers of any size."""
    asked = [np.asarray(count, dtype=np.int64) for count in (good, bad, sample)]
    for name, count in zip(("ngood", "nbad", "nsample"), asked, strict=True):
        if np.any(count < 0):
            raise ValueError(f"{name} < 0")
    if np.any(asked[0] + asked[1] < asked[2]):
        raise ValueError("ngood + nbad < nsample")
    of_each = np.broadcast(*asked)
    if size is None and of_each.shape == ():
        return _draw(state, *map(int, asked))
    drawn = np.empty(of_each.shape if size is None else size, np.int64)
    counts = [np.broadcast_to(count, drawn.shape).flat for count in asked]
    drawn.flat = [_draw(state, *map(int, one)) for one in zip(*counts, strict=True)]
    return drawn


def _draw(state, good, bad, sample):
    if sample > 10:
        return _by_rejection(state.random_sample, good, bad, sample)
    return _one_by_one(state.random_sample, good, bad, sample) if sample else 0


def _one_by_one(uniform, good, bad, sample):
    others, left = bad + good - sample, float(min(bad, good))
    least = left
    for k in range(sample, 0, -1):
        left -= floor(uniform() + left / (others + k))
        if left <= 0.0:
            break
    drawn = int(least - left)
    return sample - drawn if good > bad else drawn


def _by_rejection(uniform, good, bad, sample):
    least, most, all_ = min(good, bad), max(good, bad), good + bad
    m = min(sample, all_ - sample)
    share = least / all_
    middle = m * share + 0.5
    spread = sqrt(float(all_ - m) * sample * share * (1.0 - share) / (all_ - 1) + 0.5)
    width = _D1 * spread + _D2
    mode = floor(float(m + 1) * (least + 1) / (all_ + 2))

    def weight(z):
        return (
            _log_gamma(z + 1.0) + _log_gamma(least - z + 1.0) + _log_gamma(m - z + 1.0)
            + _log_gamma(most - m + z + 1.0)
        )

    at_mode = weight(mode)
    end = min(min(m, least) + 1.0, floor(middle + 16 * spread))
    while True:
        x, y = uniform(), uniform()
        w = middle + width * (y - 0.5) / x
        if w < 0.0 or w >= end:
            continue
        z = floor(w)
        t = at_mode - weight(z)
        if x * (4.0 - x) - 3.0 <= t or (x * (x - t) < 1 and 2.0 * log(x) <= t):
            break
    if good > bad:
        z = m - z
    return good - z if m < sample else z
