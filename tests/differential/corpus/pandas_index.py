### factorize
s = pd.Series(["b", "a", None, "b", "c"])
codes, u = pd.factorize(s)
show(codes, u, codes * 2**31, pd.factorize(s, sort=True), pd.factorize(s, use_na_sentinel=False), s.factorize()[0] * 2**31, pd.factorize(np.array([3, 1, 3]))[0], pd.factorize(pd.array([1, None, 1], "Int64"))[0] * 2**31, pd.Index([5, 5, 7]).factorize()[0] * 2**31, codes.max() * 10**9 * 5)

### composite keys by factorize
n = 100_000
a, b = pd.Series(np.arange(n) % 65_537), pd.Series((np.arange(n) * 31) % 65_521)
ka, ua = a.factorize()
kb, ub = pd.factorize(b)
key = ka * len(ub) + kb
show(key.dtype, int(key.max()), int(key.min()), int(key.sum()), len(np.unique(key)), len(pd.unique(key)), pd.Series(key).nunique(), pd.Series(key).duplicated().sum())

### get_indexer and get_loc
i = pd.Index(["a", "b", "c"])
show(i.get_indexer(["b", "z"]), i.get_indexer(["b", "c"]) * 2**31, i.get_loc("c"), i.get_loc("c") * 2**31, i.get_indexer_for(["a"]) * 2**31, pd.Index([1, 1, 2]).get_indexer_non_unique([1, 9]), pd.Index([10, 20, 30]).get_indexer([19], method="nearest"), pd.RangeIndex(5).get_indexer([3, 9]) * 2**31, pd.Index([1, 1, 2]).get_loc(1), pd.Index([1, 2, 1]).get_loc(1), i.slice_indexer("a", "b"), i.searchsorted("b") * 2**31, i.slice_locs("b"))
attempt(lambda: i.get_loc("z"), lambda: pd.Index([1, 1]).get_indexer([1]), lambda: i[7])

### index arithmetic and order
i = pd.Index([3, 1, 2])
show(i * 2**31, i.argsort(), i.argsort() * 2**31, i.argmax() * 2**31, i.argmin(), i.sort_values(), i.sort_values(return_indexer=True), i + i, i.max(), i.sum() if hasattr(i, "sum") else 0, i.where(i > 1, -1), i.repeat(2), i.insert(1, 9), i.delete(0), i.append(i), i.take([0, 2]), i.nunique(), i.value_counts(), i.to_numpy(), i.map(lambda v: v * 2**31), i.searchsorted(2))

### RangeIndex
r = pd.RangeIndex(5)
show(r * 2**31, r + 2**40, r.to_numpy(), r.values * 2**31, r[::2], r.max(), r.argsort() * 2**31, r.dtype, r.union(pd.Index([9])), r.memory_usage() > 0, pd.RangeIndex(2**40, 2**40 + 2), r.get_loc(3), r.factorize()[0] * 2**31, r.intersection(pd.RangeIndex(3, 9)), r // 2, r.sum() if hasattr(r, "sum") else 0)

### argsort, argmax and searchsorted of Series
s = pd.Series([30, 10, 20], index=["x", "y", "z"])
show(s.argsort(), s.argsort() * 2**31, s.argmax() * 2**31, s.argmin(), s.idxmax(), s.searchsorted(15), pd.Series([1, 2, 3]).searchsorted([2, 9]) * 2**31, s.to_numpy().argsort() * 2**31, s.values.argmax() * 2**31, s.array.argsort() * 2**31, s.rank(), s.where(s > 15).first_valid_index(), s.reset_index(drop=True).idxmin() * 2**31, np.argsort(s), np.argmax(s) * 2**31, np.where(s > 15)[0] * 2**31, np.searchsorted(s.sort_values(), 15) * 2**31)

### value_counts
#: inputs sales
show(sales["region"].value_counts(), sales["region"].value_counts(dropna=False, normalize=True), sales["units"].value_counts(bins=3), sales[["region", "paid"]].value_counts().head(4), sales["region"].value_counts() * 2**31, sales["paid"].value_counts(ascending=True), sales["region"].value_counts().to_numpy() * 2**31, pd.Series([], dtype=float).value_counts(), pd.Series([2**40, 2**40, 1]).value_counts(sort=False))

### unique and nunique
show(pd.unique(pd.Series([3, 1, 3])), pd.Series(["b", None, "b"]).unique(), pd.Series([1.0, np.nan, np.nan]).nunique(dropna=False), pd.Series([1, 1]).nunique() * 2**31, pd.Series(pd.Categorical(["a", "b"])).unique(), pd.DataFrame({"a": [1, 1], "b": [1, 2]}).nunique() * 2**31, pd.Series(pd.to_datetime(["2024-01-01"] * 2)).unique())

### cut
x = pd.Series([1, 7, 5, 4, 6, 3])
show(pd.cut(x, 3), pd.cut(x, 3, labels=False), pd.cut(x, 3, labels=False) * 2**31, pd.cut(x, [0, 3, 7], labels=["lo", "hi"]), pd.cut(x, [0, 3, 5]), pd.cut(x, 3, retbins=True)[1], pd.cut(x, [1, 4, 7], right=False, include_lowest=True), pd.cut(x, 3).cat.codes, pd.cut(np.array([1, 5, 9]), 2, labels=False) * 2**31, pd.cut(x, [0, 3, 5]).value_counts())

### qcut
x = pd.Series(np.arange(20) ** 2)
show(pd.qcut(x, 4), pd.qcut(x, 4, labels=False), pd.qcut(x, 4, labels=False) * 2**31, pd.qcut(x, [0, 0.1, 0.9, 1], labels=list("abc")), pd.qcut(x, 3, retbins=True)[1], pd.qcut([1, 1, 1, 2, 3], 3, duplicates="drop"), pd.qcut(x.to_numpy(), 5, labels=False).sum() * 2**31)
attempt(lambda: pd.qcut([1, 1, 1, 2], 4))

### deciles as composite keys
x = pd.Series((np.arange(1000) * 7919) % 1009)
d = pd.qcut(x, 10, labels=False)
c = pd.cut(x, 50, labels=False)
show((d * 1_000_000_007 + c).sum(), (d * 1_000_000_007 + c).max(), d.dtype, c.dtype, (d.to_numpy() * 2**31).max(), (pd.cut(x.to_numpy(), 50, labels=False) * 1_000_000_007).max())

### interval indexes
i = pd.interval_range(0, 3)
show(i, i.get_indexer([0.5, 2.5, 9]), i.get_indexer([0.5, 2.5]) * 2**31, i.get_loc(1.5), i.contains(1), i.overlaps(pd.Interval(0.5, 1.5)), i.mid, i.length, i.left * 2**31, pd.IntervalIndex.from_breaks([0, 1, 2**40]).right)

### categoricals
c = pd.Series(pd.Categorical(["b", "a", None, "b"], categories=["b", "a", "q"], ordered=True))
show(c, c.cat.codes, c.cat.codes * 2**31 if False else c.cat.codes.astype(int) * 2**31, c.sort_values(), c.min(), c.cat.add_categories("z").cat.categories, c.cat.remove_unused_categories(), c.cat.rename_categories({"a": "A"}), c.cat.reorder_categories(["q", "a", "b"]), c.cat.as_unordered(), c.value_counts(), c > "b", c.map({"a": 1, "b": 2}), c.astype(str), c.isna(), c.cat.set_categories(["a"]), c.mode())
attempt(lambda: c.cat.add_categories("a"), lambda: c.sum(), lambda: c.__setitem__(0, "nope"), lambda: c < "zz")

### categorical codes of many categories
for n in (100, 128, 40_000):
    k = pd.Categorical([str(i) for i in range(n)])
    show(k.codes.dtype, k.codes.max(), k.codes.astype(np.int64).sum() * 2**31, pd.Series(k).cat.codes.dtype, k.argsort().dtype, k.codes.argsort()[:2] * 2**31, k.codes[-1] * 3)

### categorical of numbers and times
show(pd.Categorical([3, 1, 2**40]), pd.Categorical(pd.to_datetime(["2024-01-02", "2024-01-01"])), pd.Series([1.5, np.nan], dtype="category"), pd.Categorical.from_codes([0, 1, -1], ["a", "b"]), pd.Series([True, False], dtype="category"), pd.CategoricalDtype([2, 1], ordered=True))

### isin, between, clip and map
s = pd.Series([1, 5, 2**40, -3])
show(s.isin([5, 2**40]), s.between(0, 10), s.clip(0, 2**31), s.map({1: "a"}), s.replace({5: 2**33}), s.apply(lambda v: v * 2), s.apply(type).astype(str), s.where(s > 0), s.pipe(len) * 2**31, s.map(lambda v: v**3), s.abs(), s.diff(), s.pct_change(), s.shift(1, fill_value=0), s.cumsum(), s.cumprod(), s.cummin())

### idxmax, ranks and quantiles
s = pd.Series([3, 1, 2, 3, np.nan])
show(s.rank(), s.rank(method="min"), s.rank(method="first", ascending=False), s.rank(pct=True), s.rank(na_option="top"), s.quantile([0.1, 0.5]), s.mode(), s.describe(), s.nlargest(2), s.nsmallest(2), s.idxmax(), s.skew(), s.kurt(), s.sem(), s.autocorr(), s.mad() if hasattr(s, "mad") else 0)

### Series sums of every type
for t in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "bool", "Int8", "Int32", "Int64", "UInt8", "boolean", "Float32"):
    s = pd.Series([1, 0, 1, 1]).astype(t)
    show(s.sum(), s.cumsum(), s.mean(), s.max(), s.prod(), s.count(), (s == 1).sum(), s.sum() * 2**31, s.value_counts(), s.std(), s.diff() if t not in ("bool", "boolean") else 0)

### Series sums pass 2**31
s = pd.Series([2_000_000_000] * 3, dtype="int32")
show(s.sum(), s.cumsum(), s.mean(), s.prod(), s.astype("Int32").sum(), s.astype("Int32").cumsum() if False else 0, s.to_frame().sum(), s.rolling(2).sum(), s.expanding().sum(), s.groupby([0, 0, 1]).sum(), s + s, s * 2, s.dot(s), s.agg(["sum", "mean"]), s.astype("category").cat.codes)

### Series with Python integers
s = pd.Series([1, 2])
show(s + 2**31, s * 2**40, s**40, 2**s, s - 2**62, pd.Series([1], dtype="int32") * 3, pd.Series([2**63 - 1]) + 1, pd.Series([1], dtype="int8") + 1, s / 2, s // 2, s % 2, -s, ~s, divmod(s, 2), round(s / 3, 2), s.mul(2**31), s.pow(2), s.rsub(2**40))
attempt(lambda: s + 2**63, lambda: pd.Series([1], dtype="int32") + 2**31, lambda: pd.Series([1], dtype="int8") + 200, lambda: pd.Series([2**63]), lambda: pd.Series([2**64]), lambda: pd.Series([1, 2], dtype="int8") * 2**20)

### construction and inference
show(pd.Series([1, 2]), pd.Series([1, None]), pd.Series([1, 2.5]), pd.Series([True, None]), pd.Series(["a", None]), pd.Series([]), pd.Series([2**40, "a"]), pd.Series({"a": 1}), pd.Series(5, index=[0, 1]), pd.Series(range(3)), pd.Series([1, 2], dtype=int), pd.Series([1, 2], dtype="int"), pd.Series(np.arange(2, dtype=np.int32)), pd.Series([pd.Timestamp("2024-01-01"), None]), pd.Series([1 + 2j]), pd.Series([b"x"]), pd.Series(["1", "2"]).astype(int), pd.Series(["1", "2"]).astype("int64"), pd.Series([1.0, 2.0]).astype(int), pd.Series([2**40]).astype("int"))

### astype
s = pd.Series([1, 2**40])
attempt(lambda: s.astype("int32"), lambda: s.astype(float), lambda: s.astype(str), lambda: s.astype("string"), lambda: s.astype("Int64"), lambda: s.astype("uint8"), lambda: s.astype(bool), lambda: s.astype("datetime64[s]"), lambda: s.astype("category"), lambda: s.astype(np.intp), lambda: s.astype("l"), lambda: s.astype("long"), lambda: s.astype(np.int_), lambda: s.astype("Int32"), lambda: pd.Series([1.5]).astype(int), lambda: pd.Series([np.nan]).astype(int), lambda: pd.Series([1.5]).astype("Int64"), lambda: pd.Series(["x"]).astype(int), lambda: pd.Series([3e9]).astype(int), lambda: s.astype("timedelta64[ns]"))

### to_numeric
attempt(lambda: pd.to_numeric(pd.Series(["1", "2.5"])), lambda: pd.to_numeric(pd.Series(["1", "x"]), errors="coerce"), lambda: pd.to_numeric(["1", "3000000000"]), lambda: pd.to_numeric(pd.Series([1, 2]), downcast="integer"), lambda: pd.to_numeric(pd.Series([1, 2**40]), downcast="integer"), lambda: pd.to_numeric(pd.Series(["1", "x"])), lambda: pd.to_numeric(pd.Series([1.0, 2.0]), downcast="unsigned"), lambda: pd.to_numeric(pd.Series([1.5]), downcast="float"), lambda: pd.to_numeric("18446744073709551615"), lambda: pd.to_numeric(pd.Series(["9223372036854775808"])), lambda: pd.to_numeric(pd.Series(["1", None])), lambda: pd.to_numeric(["0x10"]), lambda: pd.to_numeric([True, "2"]), lambda: pd.to_numeric(pd.Series(["1", None]), dtype_backend="numpy_nullable"))

### nullable arithmetic
a = pd.array([1, None, 2**40], "Int64")
show(a + 1, a * 2**31, a.sum(), a == 1, a > 1, a / 2, a // 2, a**2, a.mean(), pd.array([1, None], "Int32") + 2**40 if False else 0, a & pd.array([1, 1, 1], "Int64"), pd.array([True, None], "boolean") | True, pd.array([True, None], "boolean") & False, a.to_numpy(na_value=-1), a.isna(), a.fillna(0), a.astype("float64") if False else 0, -a, abs(a), a.factorize()[0] * 2**31, pd.Series(a).argmax(), pd.Series(a).value_counts(), pd.Series(a).rank(), pd.array([0.5, None], "Float64") * 2)
attempt(lambda: pd.array([1, 300], "Int8"), lambda: pd.array([1.5], "Int64"), lambda: a.to_numpy(dtype="int64"), lambda: bool(pd.NA), lambda: pd.array([2**63], "Int64"), lambda: pd.array(["x"], "Int64"), lambda: a + "x")

### convert_dtypes and infer_objects
f = pd.DataFrame({"a": [1, None], "b": ["x", None], "c": [True, None], "d": [1.5, 2], "e": pd.Series([1, 2], dtype=object)})
show(f.convert_dtypes(), f.infer_objects(), f.convert_dtypes().dtypes.astype(str), f.select_dtypes("number").columns, f.dtypes.astype(str), f.memory_usage(index=False)["d"])

### missing values
f = pd.DataFrame({"a": [1, np.nan, 3], "b": [None, "x", None], "c": pd.array([None, 2, 3], "Int64")})
show(f.isna(), f.isna().sum() * 2**31, f.fillna({"a": 0, "b": "?"}), f.dropna(), f.dropna(thresh=2), f.ffill(), f["a"].interpolate(), f.bfill(), f.count(), f["a"].fillna(f["a"].mean()), f.notna().all(axis=1), f.isna().sum().sum() ** 20)

### frame reductions
f = pd.DataFrame({"a": np.array([1, 2_000_000_000], np.int32), "b": [1.5, -2], "c": [True, True], "d": [2**40, 1]})
show(f.sum(), f.mean(), f.sum(axis=1), f.prod(), f.max(axis=1), f.std(), f.var(), f.median(), f.sum() * 2, f[["a", "d"]].sum(), f.cumsum(), f.idxmax(), f[["a", "b"]].quantile(0.3), f.agg(["sum", "min"]), f.corr(), f[["a", "d"]].cov(), f.all(), f.any(axis=1), f.describe(), f.c.sum() * 2**31, f.T.sum(), f.abs().sum(), f.round(0), f.clip(0, 5), f.rank(), f.nunique(axis=1), f.mode(), f.sem(), f.skew(axis=1))

### sizes and lengths
f = pd.DataFrame({"a": range(70_000)})
show(f.size**3, len(f) ** 4, f.shape[0] * 2**31, f.index.size * 2**31, f["a"].size ** 3, f["a"].count() ** 3, f.count()["a"] ** 3, f["a"].sum(), (f["a"] * f["a"]).sum(), f.index.max() * 70_000, f["a"].to_numpy().size ** 3, f.memory_usage(index=False)["a"], f.values.nbytes ** 2, f.ndim)

### a column before others of mixed types
f = pd.DataFrame({"a": np.array([1, 2], "i1"), "b": np.array([1, 2], "i1"), "x": [1.5, 2.5], "c": np.array([1, 2], "i1"), "s": ["p", "q"], "y": [0.5, 1.0]})
def inserted(at):
    g = f.copy(); g.insert(at, "new", at); return g
show(f.reset_index(), f.set_index("s").reset_index(), *[inserted(at) for at in range(7)], f.assign(z=1).drop(columns="b").reset_index(drop=True), f.groupby("s", as_index=False).sum(), f[["c", "x", "a"]].reset_index(), f.T.reset_index(), pd.concat([f, f]).reset_index())
