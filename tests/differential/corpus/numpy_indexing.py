### bincount
x = np.array([0, 1, 1, 3])
show(np.bincount(x), np.bincount(x) * 2**31, np.bincount(x, minlength=6), np.bincount(x, weights=[0.5, 1, 2, 3]), np.bincount([]).dtype, np.bincount(x).cumsum() * 2_000_000_000, np.bincount(x)[1] * 2**31, np.bincount(x).sum() ** 20)
attempt(lambda: np.bincount([-1]), lambda: np.bincount([1.5]), lambda: np.bincount(np.array([1, 2], np.uint64)), lambda: np.bincount(np.array([1, 2], np.int8)))

### where and nonzero
a = np.array([0, 5, 0, 7])
show(np.where(a), np.where(a)[0] * 2**31, np.nonzero(a), a.nonzero()[0] * 2**31, np.flatnonzero(a) * 2**31, np.argwhere(a) * 2**31, np.argwhere(a.reshape(2, 2)), np.where(a > 9)[0], a.nonzero()[0].sum() * 10**9)

### argsort as function and method
a = np.array([30, 10, 20])
show(np.argsort(a), a.argsort(), np.argsort(a) * 2**31, a.argsort() * 2**31, a.argsort(kind="stable"), np.argsort(-a), a.argsort()[::-1] * 10**9, np.argsort(["b", "a"]), np.argsort([[3, 1], [0, 2]], axis=0), np.argsort([0.5, np.nan, 0.1]))

### argsort with ties is stable
#: native np.argsort(a) => np.argsort(a, kind="stable"): the default's ties depend on the CPU natively; the room's sort is stable
#: native a.argsort() => a.argsort(kind="stable"): the default's ties depend on the CPU natively; the room's sort is stable
a = (np.arange(100) * 7919) % 5
show(np.argsort(a), a.argsort())
for t in (np.int32, np.int16, np.int8, np.uint64, np.float32, np.float64):
    a = ((np.arange(100) * 7919) % 5).astype(t)
    show(np.argsort(a), a.argsort())

### argsort of many ties by rows and columns
#: native np.argsort(a, axis=0) => np.argsort(a, axis=0, kind="stable"): the default's ties depend on the CPU natively; the room's sort is stable
#: native a.argsort(axis=1) => a.argsort(axis=1, kind="stable"): the default's ties depend on the CPU natively; the room's sort is stable
a = ((np.arange(600) * 7919) % 4).reshape(30, 20).astype(float)
show(np.argsort(a, axis=0)[:, 0], a.argsort(axis=1)[0])

### argpartition and partition
a = np.array([7, 1, 9, 3, 5])
show(np.sort(np.argpartition(a, 2)[:2]) * 2**31, np.partition(a, 2)[2], a.argpartition(1)[0] * 2**31, np.sort(np.partition(a, 3)[:3]), np.argpartition(a, 0).dtype, a[np.argpartition(a, -2)[-2:]].sum() * 2**31)

### searchsorted
a = np.array([10, 20, 30])
show(np.searchsorted(a, 25), np.searchsorted(a, [5, 20, 99]), a.searchsorted([20, 21]) * 2**31, np.searchsorted(a, 20, side="right") * 2**31, np.searchsorted(a, [15.5]), np.searchsorted(["a", "c"], "b"), np.searchsorted([3, 1, 2], 2, sorter=[1, 2, 0]), a.searchsorted(2**40))

### digitize
x = np.array([0.2, 6.4, 3.0, 1.6])
show(np.digitize(x, [0.0, 1.0, 2.5, 4.0, 10.0]), np.digitize(x, [1, 3]) * 2**31, np.digitize(3, [1, 3], right=True), np.digitize(x, [10, 4, 2]), np.digitize(x, [1, 3]).sum() * 10**9)

### unique with everything
a = np.array([5, 1, 5, 2, 1, 5])
u, first, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
show(u, first, inverse, counts, first * 2**31, inverse * 2**31, counts * 2**31, counts.sum() * 2**31, counts.max() * 2**31)
show(np.unique_counts(a), np.unique_inverse(a), np.unique_all(a), np.unique_values(["b", "a", "b"]), np.unique([[1, 2], [1, 2], [0, 1]], axis=0, return_counts=True), np.unique([np.nan, np.nan, 1.0], return_counts=True))

### histogram
x = np.array([1, 2, 2, 3, 3, 3, 9])
show(np.histogram(x, bins=4), np.histogram(x, bins=[0, 2, 5, 10]), np.histogram(x, 3)[0] * 2**31, np.histogram(x, density=True, bins=3), np.histogram(x, bins="auto"), np.histogram_bin_edges(x, "fd"), np.histogram2d(x, x, bins=2)[0], np.histogramdd(np.c_[x, x], bins=2)[0], np.histogram(x, bins=2, weights=x)[0], np.histogram(x, bins=3)[0].sum() * 2**30)

### lexsort
a, b = [1, 1, 0, 0], [2, 1, 9, 3]
show(np.lexsort((b, a)), np.lexsort((b, a)) * 2**31, np.lexsort(np.array([a, b])), np.lexsort(([1, 1, 1],)))

### unravel and ravel
show(np.unravel_index([5, 11], (3, 4)), np.unravel_index(7, (3, 4)), np.ravel_multi_index(([1, 2], [1, 3]), (3, 4)), np.ravel_multi_index((1, 2), (3, 4)) * 2**31, np.unravel_index(np.arange(6).argmax(), (2, 3))[1] * 2**31)
show(np.ravel_multi_index(([60_000], [60_000]), (70_000, 70_000)), np.unravel_index(4_000_000_000, (70_000, 70_000)), np.unravel_index([2**40], (2**21, 2**21)))

### take, put, choose, compress and extract
a = np.arange(5) * 2**31
show(a.take([0, 3]), np.take(a, [4, -1]), np.take(a, [9], mode="wrap"), np.compress([0, 1, 1], a), np.extract(a > 0, a), np.take_along_axis(a, np.array([1, 0]), 0), np.array([0, 1]).choose([[1, 2], [3, 4]]))
b = a.copy(); b.put([0, 1], 7); np.putmask(b, b > 7, 1); show(b); np.place(b, b == 1, [2, 3]); show(b)
attempt(lambda: a[5], lambda: a.take([9]), lambda: a[[1.5]], lambda: a["x"], lambda: a[np.array([2**40])], lambda: a[2**40])

### index arrays of every width
a = np.arange(10)
for t in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.intp):
    index = np.array([1, 3], t)
    show(a[index], np.delete(a, index).size)
    attempt(lambda: a.take(index), lambda: np.take(a, index), lambda: np.add.reduceat(a, index), lambda: np.repeat([7, 8], index), lambda: np.bincount(index), lambda: np.split(a, index)[1], lambda: np.insert(a, index, 0).size)

### integer scalars from indexing calculate in 64 bits
i = np.where(np.array([0, 0, 1]))[0][0]
j = np.argsort([3, 1, 2])[0]
k = np.searchsorted([1, 2, 3], 3)
show(i * 2_000_000_000, j * 2_000_000_000 * 5, k * 2_000_000_000, i + 2**31, j - 2**31, type(i), type(j), type(k), int(i) << 40, i**40, k * np.int64(2**40), i * 1.5)

### composite keys from inverse codes
left = np.unique(np.arange(70_000)[::-1] % 65_537, return_inverse=True)[1]
right = np.unique(np.arange(70_000) % 65_521, return_inverse=True)[1]
key = left * 65_521 + right
show(key.dtype, key.max(), key.sum(), np.unique(key).size, key[:3])

### composite keys from searchsorted and digitize
x = np.arange(0, 100_000, 7)
show((np.searchsorted(x, x[::500]) * 1_000_003)[-3:], (np.digitize(x[::1000], x) * 1_000_003).sum(), (np.argsort(-x) * x).sum(), (x.argsort() * x).sum())

### index functions' types
a = np.array([3, 1, 2])
show([f.dtype for f in (np.argsort(a), a.argsort(), np.where(a)[0], np.nonzero(a)[0], a.nonzero()[0], np.argwhere(a), np.flatnonzero(a), np.bincount(a), np.digitize(a, [1, 2]), np.searchsorted(a, a), a.searchsorted(a), np.lexsort((a,)), np.argpartition(a, 1), np.unique(a, return_inverse=True)[1], np.unique(a, return_counts=True)[1], np.histogram(a)[0], np.unravel_index(a, (2, 2))[0], np.indices((2,)), np.triu_indices(3)[0], np.tril_indices(2)[1], np.diag_indices(2)[0], np.ix_([1, 2])[0], np.argmax(a, keepdims=True), np.ravel_multi_index(([1], [1]), (2, 2)), np.mask_indices(2, np.triu)[0])])

### triangle indices
r, c = np.triu_indices(3, 1)
show(r, c, r * 2**31 + c, np.tril_indices(3), np.diag_indices(2), np.triu_indices_from(np.ones((2, 2))), np.ix_([0, 1], [2]))

### count_nonzero and sizes multiply
a = np.ones((300, 200))
show(np.count_nonzero(a) ** 3, a.size**3, a.nbytes**3, len(a) * 10**9, np.count_nonzero(a, axis=1)[0] * 2**31, a.shape[0] ** 5, np.size(a) * 2**31, np.prod(a.shape) * 10**6, np.array(a.shape) * 2**31, np.prod([70_000, 70_000]))

### set operations
a, b = np.array([1, 2, 2, 3]), np.array([2, 3, 2**40])
show(np.intersect1d(a, b, return_indices=True), np.union1d(a, b), np.setdiff1d(a, b), np.setxor1d(a, b), np.isin(a, b), np.isin([2**40], b), np.intersect1d(a, b, return_indices=True)[1] * 2**31)

### boolean masks
a = np.arange(6).reshape(2, 3)
show(a[a > 2], a[a > 2] * 2**31, a[:, [True, False, True]], a[[True, False]], (a > 2).nonzero(), (a > 2).sum(axis=1) * 2**31, (a > 2).argmax() * 2**31, a[a % 2 == 0].size)

### fancy assignment
a = np.zeros((3, 3), int)
a[[0, 1], [1, 2]] = [2**40, 5]
a[a == 0] = -1
a[2] += np.arange(3) * 2**31
show(a, a[..., 1], a[::-1, ::2], a[np.newaxis].shape, a.flat[4], list(a.flat)[:3], a.diagonal())
attempt(lambda: a.__setitem__(0, "x"), lambda: a.__setitem__(0, [1, 2]), lambda: a.__setitem__((0, 0), 2**63), lambda: a.__setitem__((0, 0), 1.7))

### iteration
#: unlike .shown[7][1] the hash of a Python number has the width of an address
a = np.array([[1, 2], [3, 2**40]])
show(list(np.ndenumerate(a)), list(np.ndindex(2, 2)), [int(x) for x in np.nditer(a)], list(a), a.tolist(), [type(x) for x in a[0]], dict(enumerate(a[1])), list(map(hash, a[1])))

### sort and its orders
a = np.array([3, -1, 2**40, 0])
show(np.sort(a), np.sort(a)[::-1], np.sort([[3, 1], [2, 0]], axis=0), np.sort(["b", "B", "a"]), np.sort([np.nan, 1, -np.inf]), np.sort([True, False]), np.sort_complex([2, 1j]), np.sort(np.array(["2024-02-01", "NaT", "2024-01-01"], "M8[D]")), np.msort(a) if hasattr(np, "msort") else None)

### apply, vectorize and frompyfunc
show(np.vectorize(lambda v: v * 2**31)([1, 2]), np.apply_along_axis(sum, 0, [[1, 2], [3, 4]]), np.frompyfunc(lambda a, b: a * b, 2, 1)([2**31], [4]), np.vectorize(len)(["a", "bb"]), np.apply_along_axis(np.argmax, 1, [[1, 2], [4, 3]]) * 2**31, np.vectorize(len)(["a"]) * 2**31)

### interp, convolve and windows
show(np.interp([1.5, 9], [1, 2, 3], [10, 20, 30]), np.convolve([1, 2, 3], [0, 1, 0.5]), np.hanning(5), np.unwrap([0, 3, 6.5]), np.lib.stride_tricks.sliding_window_view(np.arange(5), 3).sum(axis=1), np.convolve([2**31, 1], [2, 1], "same"))

### strings in arrays
a = np.array(["apple", "Bob", "Ёлка", ""])
show(np.strings.upper(a), np.strings.str_len(a), np.strings.str_len(a) * 2**31, np.strings.find(a, "o"), np.strings.count(a, "p") * 2**31, np.char.add(a, "!"), np.char.find(a, "o") * 2**31, np.strings.startswith(a, "B"), np.char.split(np.array(["a b"])), np.strings.replace(a, "p", "q"), np.strings.zfill(np.array(["7"]), 3))

### text with NUL inside
a = np.array(["a\0b", "x"])
show(a, a[0], np.strings.str_len(a), a == "a\0b", np.array(["a\0"])[0], np.array([b"a\0b"]), np.array(["\0"])[0], len(a[0]))

### variable-width strings
a = np.array(["a", "ё" * 20, ""], dtype=np.dtypes.StringDType())
show([str(v) for v in a], [str(v) for v in np.sort(a)], np.strings.str_len(a) * 2**31, (a == "a"), [str(v) for v in np.unique(a)])
