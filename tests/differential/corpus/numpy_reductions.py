### sums of bool and small integers are 64 bits wide
for t in (bool, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
    a = np.array([1, 0, 1, 1]).astype(t)
    show(a.sum(), np.sum(a), a.prod(), a.cumsum(), a.cumprod(), np.add.reduce(a), np.add.accumulate(a), a.sum(axis=0, keepdims=True))

### sums of int32 pass 2**31
a = np.full(4, 2_000_000_000, np.int32)
show(a.sum(), np.sum(a), a.cumsum(), a.sum(dtype=np.int32), a.mean(), np.add.reduce(a), a.reshape(2, 2).sum(axis=0), np.nansum(a), a.prod(), a.dot(a))

### sums of uint32 pass 2**32
a = np.full(3, 4_000_000_000, np.uint32)
show(a.sum(), a.cumsum(), a.prod(), np.cumprod(a), a.sum(axis=0), np.trace(np.diag(a)), a.max() + a.min())

### counting bools
m = np.arange(1000) % 3 == 0
show(m.sum(), m.sum() * 2**31, np.count_nonzero(m), np.count_nonzero(m) * 10**9, m.mean(), m.cumsum()[-1] * 10**8, m.any(), m.all(), np.count_nonzero(np.eye(3), axis=0) * 2**31)

### min, max and ptp
a = np.array([[3, 1, 2**40], [-5, 9, 0]])
show(a.min(), a.max(axis=0), np.ptp(a), np.ptp(a, axis=1), np.amax(a), a.min(axis=1, keepdims=True), np.nanmin(a), np.max([1, 2]))
attempt(lambda: np.array([]).max(), lambda: np.max(np.array([], int), initial=5), lambda: a.max(axis=2))

### argmin and argmax then arithmetic
a = np.array([[3, 1, 2], [5, 9, 0]])
show(a.argmax(), a.argmin(axis=0), np.argmax(a, axis=1), a.argmax() * 2**31, np.argmax(a, axis=1) * 2**31, a.argmax(axis=0) * 2_000_000_000, np.nanargmax([1.0, np.nan, 3.0]) * 2**31, np.argmin(a, axis=1, keepdims=True))

### quantiles and percentiles
a = np.array([1, 2, 3, 4, 100])
show(np.percentile(a, [10, 50, 90]), np.quantile(a, 0.3), np.median(a), np.percentile(a, 50, method="lower"), np.percentile(a, 40, method="nearest"), np.nanpercentile([1, np.nan, 3], 50))
for method in ("inverted_cdf", "averaged_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "higher", "midpoint", "closest_observation"):
    show(np.quantile(a, [0.1, 0.33, 0.5, 0.77], method=method))

### reductions with nan
a = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 2.0]])
show(np.nansum(a), np.nanmean(a, axis=1), np.nanstd(a), np.nancumsum(a), np.nanprod(a), np.nanmedian(a, axis=1), a.sum(), np.nanvar(a, axis=0, ddof=0), np.nancumprod(a))

### pairwise sums of floats
a = np.arange(1, 10_001) / 7
show(a.sum(), a.mean(), a.std(), a.var(ddof=1), a.cumsum()[-1], a[::3].sum(), a.reshape(100, 100).sum(axis=0)[:5], a.reshape(100, 100).sum(axis=1)[:5])

### pairwise sums of float32
#: rel 1e-6 float32 has 24 bits, and SIMD widths add in another order
a = (np.arange(1, 10_001) / 7).astype(np.float32)
show(a.sum(), a.mean(), a.std(), a[:100].sum(), a.reshape(100, 100).sum(axis=1)[:5])

### cumulative functions
a = np.array([2**31 - 1, 1, 5, -3])
show(np.cumsum(a), np.cumprod(a[:2]), np.maximum.accumulate(a), np.minimum.accumulate(a), np.diff(a), np.diff(a, 2), np.ediff1d(a), np.gradient(a), np.cumulative_sum(a), np.cumulative_prod(a[2:]), np.cumsum([[1, 2], [3, 4]], axis=1), np.trapezoid(a))

### all and any over axes
a = np.arange(6).reshape(2, 3)
show(a.all(), a.any(axis=0), np.all(a > 0, axis=1), np.any([]), np.all([]), a.all(axis=1), np.logical_or.reduce(a, axis=1))

### covariance and correlation
a = np.array([[1, 2, 3, 5], [2, 4, 7, 1], [1, 0, 0, 1]])
show(np.cov(a), np.corrcoef(a), np.cov(a[0], a[1], ddof=0), np.correlate([1, 2, 3], [0, 1, 2], "full"), np.cov(a, aweights=[1, 2, 1, 1]))

### weighted averages
show(np.average([1, 2, 3], weights=[3, 2, 1]), np.average([[1, 2], [3, 4]], axis=0), np.average([2**40, 1], weights=[1, 1], returned=True))

### norms, determinants, inverse and solve
#: rel 1e-10 LAPACK's order of operations is the library's own
a = np.array([[4.0, 1, 2], [1, 3, 0], [2, 0, 5]])
show(np.linalg.norm(a), np.linalg.norm(a, 1), np.linalg.det(a), np.linalg.inv(a), np.linalg.solve(a, [1, 2, 3]), np.linalg.eigvalsh(a), np.linalg.matrix_rank(a), np.linalg.cond(a), np.linalg.slogdet(a), np.linalg.cholesky(a), np.linalg.norm([50_000, 90_000]))

### svd, qr, eig, pinv and lstsq
#: rel 1e-9 LAPACK's order of operations is the library's own
#: abs 1e-12 entries that are zero but for rounding
a = np.array([[1.0, 2], [3, 4], [5, 6]])
u, s, v = np.linalg.svd(a)
q, r = np.linalg.qr(a)
show(s, np.abs(v), np.abs(r), np.abs(q), np.sort(np.linalg.eigvals(a.T @ a)), np.linalg.pinv(a), np.linalg.lstsq(a, [1, 2, 3], rcond=None)[0], np.linalg.lstsq(a, [1, 2, 3], rcond=None)[2])

### linear algebra errors
attempt(lambda: np.linalg.inv(np.zeros((2, 2))), lambda: np.linalg.cholesky(-np.eye(2)), lambda: np.linalg.solve(np.eye(2), [1, 2, 3]), lambda: np.linalg.inv(np.ones(3)))

### fft
#: abs 1e-12 entries that are zero but for rounding
a = np.array([1, 2, 3, 4, 5, 6, 7, 9])
show(np.fft.fft(a), np.fft.ifft(np.fft.fft(a)).real, np.fft.rfft(a), np.fft.fftfreq(8), np.fft.fftshift(np.arange(5)), np.fft.irfft(np.fft.rfft(a)), np.fft.rfftfreq(8, 0.5))

### trace, diagonal and axis sums
a = np.arange(9, dtype=np.int32).reshape(3, 3) * 300_000_000
show(np.trace(a), a.trace(), np.diagonal(a), a.sum(), a.sum(axis=0), a.trace() * 2, np.trace(a.astype(np.int8)))

### ufunc reductions with a given type
a = np.array([200, 100], np.uint8)
show(a.sum(dtype=np.uint8), a.sum(dtype=int), a.sum(dtype=float), np.add.reduce(a, dtype="i4"), a.cumsum(dtype=np.int16), np.mean(a, dtype=np.float32), a.prod(dtype=np.uint16))

### sums where
a = np.array([1, 2**31, 3])
show(a.sum(where=[True, True, False]), np.sum(a, initial=2**31), a.mean(where=a > 1), np.max(a, initial=0, where=a < 5), np.any(a, where=[False, False, False]))
