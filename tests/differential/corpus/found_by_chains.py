### factorize of nothing
f = pd.DataFrame({"i0": pd.Series([], dtype="int32")})
show(f.assign(z=f["i0"].factorize()[0] * 1000000000000), f["i0"].factorize()[0])

### get_indexer of an empty index
f = pd.DataFrame({"x3": pd.Series([], dtype="Float64")})
show(f.index.get_indexer([0, 6, 2147483647]))

### argsort of empty values
show(pd.Series([], dtype="float64").values.argsort(), np.array([]).argsort(), np.argsort([]), pd.Series([], dtype="int8").argsort())

### a frame cast to long
f = pd.DataFrame({"i3": pd.Series([], dtype="int16"), "n": pd.Series([], dtype="float32")})
show(f.astype("l") * -1, f.astype("int") * 2, f.astype(int).dtypes.astype(str))

### searchsorted of counts
f = pd.DataFrame({"i0": pd.Series([], dtype="int64")})
show(f.value_counts(["i0"]).searchsorted([9, 2147483647]), pd.Series([3, 4]).searchsorted([1, 9]))

### argmax of group sizes
f = pd.DataFrame({"k1": pd.Series([1], dtype="int64")})
show(f.groupby("k1").size().argmax() * 2147483647, f.groupby("k1").size().argmin())

### codes of a cut of booleans
show(pd.cut(pd.Series([True], dtype="boolean"), 4, labels=False), pd.cut(pd.Series([123456.789]), 3, labels=False) * -1)

### codes of a qcut of labels
f = pd.DataFrame({"j2": pd.Series([15, 1], dtype="int64"), "x4": pd.Series([2.0, np.inf], dtype="float32")})
show(pd.qcut(f.select_dtypes("number").idxmax(), 2, labels=False, duplicates="drop"))

### infinity of an object column as an integer
f = pd.DataFrame({"j3": pd.Series([17], dtype="Int64"), "x4": pd.Series([np.inf], dtype="float32")})
attempt(lambda: f.sum(axis=1).astype("int64"), lambda: f.sum(axis=1))

### floats that no 64-bit integer holds
with np.errstate(all="ignore"):
    show(np.array([np.nan, np.inf, -np.inf, 1e20, -1e20, 2.0**63]).astype(np.int64))

### floats that no 32-bit integer holds
with np.errstate(all="ignore"):
    show(np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 1e20]).astype(np.int32))

### floats that no unsigned integer holds
with np.errstate(all="ignore"):
    show(np.array([-1.0, -1.5, 3e9, 1e19]).astype(np.uint64), np.array([-1.0, 300.0, 3e9]).astype(np.uint8), np.array([-1.0, 5e9]).astype(np.uint32))

### a cast that loses its value warns
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    np.array([np.nan]).astype(int), np.array([1e20]).astype(np.int64), np.array([3e9]).astype(np.int32)
show([type(w.message).__name__ for w in seen], [str(w.message) for w in seen])

### shifts as wide as the type
show(np.left_shift(1, 64), np.left_shift(1, 63), np.right_shift(-1, 70), np.array([1, 2], np.int32) << 32, np.array([-5]) >> 64, np.uint8(1) << np.uint8(8))

### division by minus one at the lowest value
with np.errstate(all="ignore"):
    show(np.array([-(2**63)]) // -1, np.array([-(2**63)]) % -1, np.array([-(2**31)], np.int32) // -1, np.int64(-(2**63)) // np.int64(-1), np.abs(np.int32(-(2**31))), np.array([-128], np.int8) // np.int8(-1))

### means and sums of the largest integers
show(np.array([2**63 - 1, 2**63 - 1]).mean(), np.array([2**64 - 1] * 2, np.uint64).sum(), pd.Series([2**63 - 1, 1]).sum(), pd.Series([2**63 - 1, 2**63 - 1]).mean(), pd.Series([2**63 - 1, 1], dtype="Int64").sum(), pd.Series([2**64 - 1, 1], dtype="uint64").sum(), np.median([2**63 - 1, 2**63 - 3]), pd.Series([2**63 - 1]).median())

### minimum and maximum of signed zeros
show(np.array([0.0, -0.0]).min() == 0, np.sort(np.array([0.0, -0.0, 0.0])) == 0, np.unique(np.array([0.0, -0.0])).size, pd.Series([0.0, -0.0]).nunique(), pd.Series([-0.0, 0.0]).drop_duplicates().size)

### floating-point errors raise where they are asked to
with np.errstate(all="raise"):
    attempt(lambda: np.array([1.0]) / 0, lambda: np.log(np.array([-1.0])), lambda: np.exp(np.array([1000.0])), lambda: np.array([np.inf]) - np.inf, lambda: np.float64(1) / 0, lambda: np.sqrt(np.float64(-1)), lambda: np.array([1]) // 0, lambda: np.array([1e-300]) ** 2, lambda: np.array([1e300]) * 1e300, lambda: np.array([np.nan]).astype(int))

### floating-point errors warn
import warnings
for name, f in (("divide", lambda: np.array([1.0]) / 0), ("log", lambda: np.log(np.array([0.0]))), ("overflow", lambda: np.exp(np.array([1000.0]))), ("invalid", lambda: np.sqrt(np.array([-1.0]))), ("scalar", lambda: np.float64(1) / 0), ("integer", lambda: np.array([1]) // 0), ("int64", lambda: np.int64(2**62) * np.int64(4)), ("mean", lambda: np.array([]).mean()), ("subtract", lambda: np.array([np.inf]) - np.inf)):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        f()
    show(name, [f"{type(w.message).__name__}: {w.message}" for w in seen])

### arithmetic of text that is not there
e, s = pd.Series([], dtype="str"), pd.Series(["b", None, "a"])
show(e * 6, e + "x", "x" + e, s * 2, e.to_frame("a") * 3)
attempt(lambda: e // 2, lambda: s - 1, lambda: e % 2, lambda: e.diff(), lambda: s.pct_change(), lambda: e.abs(), lambda: s.argmax(), lambda: s.argmin(), lambda: s.dropna().argsort(), lambda: e / 2, lambda: 2 - s, lambda: s.sum(), lambda: s ** 2)

### products after indices were multiplied
f = pd.DataFrame({"a": [1, 1, 2], "b": [1.0, np.nan, np.nan], "c": [np.nan, 2, 3.0]})
show(f.groupby("a").transform("ffill"), f.groupby("a").bfill(), f["b"].groupby(f["a"]).ffill())
big = np.array([2**31, 7])
s = pd.Series([2**33, 2], dtype="Int64")
show(3 * big, big * 3, -1 * big, 2 - big, s.iloc[0] * s, 3 * s, np.int64(2) * pd.Series(pd.arrays.SparseArray([0, 2**32, 2])), 5 + big, 2**40 // big, divmod(2**40, big))

### indices were multiplied after products
big = np.array([2**31, 7])
show(3 * big, -1 * big, 2 + big)
f = pd.DataFrame({"a": [1, 1, 2], "b": [1.0, np.nan, np.nan]})
show(f.groupby("a").ffill(), f.groupby("a").bfill(limit=1), f.groupby("a")["b"].transform("bfill"))

### hours that come twice
t = pd.DatetimeIndex(["2011-11-06 00:00", "2011-11-06 01:00", "2011-11-06 01:00", "2011-11-06 02:00", "2011-11-06 03:00"])
z = t.tz_localize("US/Eastern", ambiguous="infer")
two = t.append(pd.DatetimeIndex(["2012-11-04 01:00", "2012-11-04 01:00", "2012-11-04 02:00"])).tz_localize("US/Eastern", ambiguous="infer")
show(z, two, pd.Series(z).dt.round("h", ambiguous="infer"), pd.Series(range(5), index=t).tz_localize("US/Eastern", ambiguous="infer"))
attempt(lambda: t[:2].tz_localize("US/Eastern", ambiguous="infer"), lambda: t.tz_localize("US/Eastern"))

### tofile as text
a = np.arange(3) / 2
with open("a.txt", "w") as file:
    file.write("a: ")
    a.tofile(file, sep=", ")
a.tofile("b.txt", sep=" ", format="%.2f")
show(open("a.txt").read(), open("b.txt").read(), pd.api.indexers.check_array_indexer(big := np.array([1, 2]), [0, 1]) * 2**31)

### remainders after those of indices
f = pd.DataFrame({"t": pd.to_datetime(["2024-01-01", "2024-01-02", None]), "d": pd.to_timedelta([1, None, 3], unit="D")})
i = pd.factorize(["a", "b", "a"])[0]
exec(compile("done = [i % 7, divmod(i, 7), 7 % (i + 1)]", np.__file__, "exec"), {"i": np.argsort([3, 1, 2])})
big = np.array([2**40, -(2**33), 7])
show(big % 7, big % 2**35, divmod(big, 7), 2**40 % np.array([7, 9]), np.mod(big, 1000), np.fmod(big, 7), pd.Series(big) % 11, repr(f))
