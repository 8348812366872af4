### arange keeps 64 bits
show(np.arange(5), np.arange(2, 20, 3), np.arange(0.0, 1.0, 0.25), np.arange(100000).sum())
show(np.arange(2**31 - 2, 2**31 + 2), np.arange(3, dtype=np.int8), np.arange(0, -5, -2))

### arrays of Python integers
show(np.array([1, 2, 3]), np.array([2**31]), np.array([2**40, 1]), np.array([-(2**63), 2**63 - 1]))
show(np.array([2_000_000_000] * 2).sum(), np.array(5), np.array([[1, 2], [3, 4]]) * 2**30)

### arrays of integers beyond 63 bits
show(np.array([2**63]), np.array([2**64 - 1]))
attempt(lambda: np.array([2**64]), lambda: np.array([2**63, -1]), lambda: np.array([2**63, 1]))

### zeros, ones and full of int
show(np.zeros(2, int), np.ones(2, dtype=int), np.full(3, 7), np.full((2, 2), 2**40), np.full(2, 1.5))
show(np.zeros_like([1, 2]), np.ones_like(np.array([1, 2])), np.full_like([1, 2], 3), np.empty(0, int))

### eye, identity, diag, tri and vander
show(np.eye(3, dtype=int), np.identity(2), np.diag([1, 2, 3]), np.tri(3, dtype=int), np.vander([1, 2, 3], 4))
show(np.diag(np.arange(9).reshape(3, 3), 1), np.diagflat([[1, 2]]), np.triu(np.arange(9).reshape(3, 3)))

### linspace, logspace and geomspace
show(np.linspace(0, 1, 5), np.linspace(0, 10, 4, dtype=int), np.linspace(0, 1, 3, endpoint=False))
show(np.logspace(0, 3, 4), np.geomspace(1, 1000, 4), np.geomspace(1, 256, 9, dtype=int))

### names of integer types
for name in ("int", "int_", "uint", "long", "ulong", "intp", "uintp", "longlong", "intc", "uintc", "l", "L", "q", "Q", "i", "p", "P", "i8", "u8"):
    show(name)
    attempt(lambda: np.dtype(name), lambda: np.dtype(name).itemsize, lambda: np.array([1, 2], name))

### scalar types of integers
#: unlike .shown[5] 64-bit integers are C's `long long` here, on 64-bit Linux its `long`: `np.longlong` is another type there
show(np.int_, np.uint, np.intp, np.long, np.ulong, np.longlong, np.intc)
show(np.int_(2**40), np.uint(2**40), np.long(2**40), np.intp(2**40), np.uintp(2**40))

### what integer types can hold
for t in (int, np.int_, np.uint, np.long, np.intp, np.int32, np.int64, np.uint64, np.int8):
    info = np.iinfo(t)
    show(int(info.min), int(info.max), info.bits)

### dtype characters and kinds
#: unlike .shown[0] 64-bit integers are C's `long long` here, on 64-bit Linux its `long`: another letter
#: unlike .shown[1] 64-bit integers are C's `long long` here, on 64-bit Linux its `long`: another letter
show([np.dtype(t).char for t in (int, np.int64, np.int32, np.uint64, np.intp, np.int16)])
show([np.array([1]).dtype.char, np.arange(3).dtype.char, np.array([1]).dtype.str, np.dtype(int).name])
show(np.dtype(int) == np.int64, np.dtype("l") == np.dtype("q"), np.dtype(np.intp) == np.int64)
show(np.array([1]).dtype.num == np.dtype("l").num, np.dtype(np.longlong).char)

### repr and text of integer arrays
show(repr(np.array([1, 2, 3])), repr(np.arange(3)), repr(np.array([1], dtype=np.int32)), str(np.array([2**40])))
show(repr(np.int64(5)), repr(np.array([1, 2]).sum()), repr(np.bincount([1, 1])), repr(np.argsort([2, 1])))
show(repr(np.array([], int)), repr(np.array([1], np.uint64)), repr(np.dtype(int)), repr(np.zeros(2, np.intp)))

### isinstance of numpy's scalars
#: unlike .shown[11] 64-bit integers are C's `long long` here, on 64-bit Linux its `long`: `np.longlong` is another type there
x = np.array([1, 2])[0]
show(isinstance(x, np.int64), isinstance(x, np.integer), isinstance(x, int), type(x), type(np.arange(3)[0]))
show(isinstance(np.argmax([1, 2]), np.int64), type(np.sum([1, 2])), type(np.int_(1)), np.int64 is np.int_)
show(np.issubdtype(int, np.int64), np.issubdtype(np.intp, np.int64), np.issubdtype(np.longlong, np.int64))

### fromiter, frombuffer and fromstring
show(np.fromiter(range(4), int), np.fromiter((i * 2**30 for i in range(4)), dtype=np.int64))
show(np.frombuffer(b"\1\0\0\0\0\0\0\0", dtype=int), np.fromstring("1 2 3", sep=" ", dtype=int))
show(np.frombuffer(b"\1\2", dtype=np.uint8), np.array(range(3)), np.asarray((1, 2)))

### fromfunction, indices and meshgrid
show(np.fromfunction(lambda i, j: i * 3 + j, (2, 3), dtype=int), np.indices((2, 2)))
show(np.meshgrid([1, 2], [3, 4, 5]), np.mgrid[0:2, 0:3], np.ogrid[0:3], np.r_[1:4, 9], np.c_[[1, 2], [3, 4]])

### arrays of mixed values
show(np.array([1, 2.5]), np.array([True, 2]), np.array([1, 2 + 0j]), np.array([True, False]))
show(np.array(["a", "bcd"]), np.array([None, 1], dtype=object), np.array([b"a", b"bc"]))

### structured arrays
a = np.array([(1, 2.5, "x"), (2**40, -1.0, "yy")], dtype=[("a", int), ("b", float), ("c", "U3")])
show(a["a"], a["b"], a["c"], str(a.dtype), a["a"].sum(), np.sort(a, order="b")["a"])

### datetime64 and timedelta64
show(np.arange("2024-01-30", "2024-02-02", dtype="datetime64[D]"), np.datetime64("2024-01-01T00:00:00.123456789"))
show(np.datetime64("2024-03-01") - np.datetime64("2024-02-01"), np.timedelta64(3, "h").astype(int))
show(np.array(["2024-01-01", "NaT"], "datetime64[s]").astype(int)[0], np.busday_count("2024-01-01", "2024-02-01"))
show(np.is_busday(["2024-01-01", "2024-01-06"]), np.busday_offset("2024-01-06", 1, roll="forward"))

### tile, repeat and roll
show(np.tile([1, 2], 3), np.repeat([1, 2], 2), np.repeat([1, 2], [3, 1]), np.repeat([7, 8], np.array([2, 0])))
show(np.repeat(np.arange(4).reshape(2, 2), [1, 2], axis=0), np.roll(np.arange(5), 2))

### stack, concatenate, split and pad
show(np.concatenate([[1, 2], [3]]), np.stack([[1, 2], [3, 4]], axis=1), np.hstack([[1], [2.5]]))
show(np.array_split(np.arange(7), 3), np.pad([1, 2], (1, 2)), np.pad([1, 2, 3], 2, mode="reflect"), np.insert([1, 2], 1, 9), np.delete([1, 2, 3], 1), np.append([1], [2**40]))

### shapes and strides
a = np.arange(24).reshape(2, 3, 4)
show(a.shape, a.size, a.nbytes, a.itemsize, a.ndim, a.T.shape, a.strides, a[::2].strides, a.sum(axis=(0, 2)))
show(a.reshape(-1, 6), a.transpose(1, 0, 2)[2], np.moveaxis(a, 0, -1).shape, a.swapaxes(0, 1).shape)

### random bits of memory views
#: unlike .shown[3] 64-bit integers are C's `long long` here, on 64-bit Linux its `long`: another letter
a = np.array([1, 256, 65536])
show(a.view(np.uint8)[:24], a.tobytes().hex(), a.byteswap()[0], memoryview(a).format, memoryview(a).itemsize)

### masked arrays
m = np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0])
show(m, m.sum(), m.mean(), m.cumsum(), m.count(), m.argmax(), m * 2**31, np.ma.median(m), m.filled(-1))
show(np.ma.masked_greater([1, 5, 9], 4), np.ma.masked_invalid([1.0, np.nan]), m.compressed())
