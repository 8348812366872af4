### pivot_table
#: inputs sales
show(sales.pivot_table(index="region", columns="product", values="units", aggfunc="sum"), sales.pivot_table(index="region", values="units", aggfunc=["mean", "count"]), sales.pivot_table(index="region", columns="paid", values="units", aggfunc="sum", margins=True, fill_value=0))

### pivot_table of large integers
#: inputs wide_integers
t = wide_integers.pivot_table(index="group", values=["small", "tiny"], aggfunc="sum")
show(t, t * 2, wide_integers.pivot_table(index="group", columns="tiny", values="small", aggfunc="sum", fill_value=0).iloc[:, :3])

### pivot and unpivot
f = pd.DataFrame({"d": ["x", "x", "y"], "k": ["a", "b", "a"], "v": [1, 2, 2**40]})
w = f.pivot(index="d", columns="k", values="v")
show(w, w.reset_index().melt(id_vars="d"), f.melt(id_vars="d", value_vars=["v"], var_name="n", value_name="m"))
attempt(lambda: pd.concat([f, f]).pivot(index="d", columns="k", values="v"))

### stack and unstack
f = pd.DataFrame({"a": [1, 2], "b": [3, 2**40]}, index=pd.Index(["x", "y"], name="k"))
s = f.stack()
show(s, s.unstack(), s.unstack(0), s.unstack(fill_value=0), s.swaplevel().sort_index(), f.T)

### crosstab
#: inputs sales
show(pd.crosstab(sales["region"], sales["product"]), pd.crosstab(sales["region"], sales["paid"], normalize="index"), pd.crosstab(sales["product"], sales["paid"], values=sales["units"], aggfunc="sum", margins=True), pd.crosstab(sales["product"], sales["paid"]) * 2**31)

### merge one to many
#: inputs sales
names = pd.DataFrame({"product": list("ABCX"), "title": ["Apple", "Bread", "Cola", "None"], "weight": [1, 2, 2**40]+[0]})
show(sales.merge(names, on="product").head(4), sales.merge(names, on="product", how="left")["weight"].head(6), sales.merge(names, on="product", how="outer", indicator=True)["_merge"].value_counts(), len(sales.merge(names, how="right", on="product")))

### merge on large integers
l = pd.DataFrame({"k": [2**40, 2**31, 5, -1], "a": [1, 2, 3, 4]})
r = pd.DataFrame({"k": [2**31, 2**40, 2**40, 7], "b": [10, 20, 30, 40]})
show(l.merge(r), l.merge(r, how="outer"), l.merge(r, how="left"), l.merge(r, how="cross").shape, l.merge(r.astype({"k": float})), l.merge(r.astype("int64"), left_on="k", right_on="k", suffixes=("_l", "_r")))

### merge of int32 with int64 keys
l = pd.DataFrame({"k": np.array([1, 2, 3], np.int32), "a": [1, 2, 3]})
r = pd.DataFrame({"k": np.array([1, 3, 3]), "b": [10, 20, 30]})
show(l.merge(r), l.merge(r, how="outer"), l.merge(r.astype({"k": np.uint8})), l.astype({"k": "Int64"}).merge(r))
attempt(lambda: l.merge(r.astype({"k": str})), lambda: l.merge(r, validate="1:1"), lambda: l.merge(r, on="nothing"), lambda: l.merge(pd.DataFrame({"z": [1]})))

### merge on many keys whose codes multiply
n = 2000
l = pd.DataFrame({"a": np.arange(n) % 1999, "b": np.arange(n) % 1777, "c": np.arange(n) % 1511, "v": np.arange(n)})
r = l[::3].rename(columns={"v": "w"})
m = l.merge(r, on=["a", "b", "c"])
show(len(m), m["v"].sum(), (m["v"] == m["w"]).all(), l.groupby(["a", "b", "c"]).size().shape, l.set_index(["a", "b", "c"]).index.get_indexer([(5, 5, 5), (1, 2, 3)]))

### join
f = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
show(f.join(pd.DataFrame({"b": [3.5]}, index=["y"])), f.join(pd.Series([9], index=["z"], name="c"), how="outer"), f.join(pd.DataFrame({"a": [7, 8]}, index=["x", "y"]), rsuffix="_r"), f.join([pd.DataFrame({"q": [1]}, index=["x"]), pd.DataFrame({"w": [2]}, index=["y"])]))
attempt(lambda: f.join(f))

### merge_asof
q = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 10:00:01", "2024-01-01 10:00:05"]), "k": ["a", "b"], "bid": [1, 2**40]})
t = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 10:00:02", "2024-01-01 10:00:06", "2024-01-01 10:00:09"]), "k": ["a", "b", "a"]})
show(pd.merge_asof(t, q, on="t"), pd.merge_asof(t, q, on="t", by="k", tolerance=pd.Timedelta("2s")), pd.merge_asof(t, q, on="t", direction="nearest"), pd.merge_ordered(t, q, on="t", fill_method="ffill"))
show(pd.merge_asof(pd.DataFrame({"x": [1, 5, 2**33]}), pd.DataFrame({"x": [1, 3, 2**32], "y": [1, 2, 3]}), on="x"))

### concat
a, b = pd.DataFrame({"x": [1, 2], "y": [1.5, 2]}), pd.DataFrame({"x": [2**40], "z": ["t"]})
show(pd.concat([a, b]), pd.concat([a, b], ignore_index=True), pd.concat([a, b], axis=1), pd.concat([a, b], join="inner"), pd.concat({"p": a, "q": b}), pd.concat([a, b], keys=["i", "j"], names=["src"]))
show(pd.concat([pd.Series([1]), pd.Series([True])]), pd.concat([pd.Series([1], dtype="int8"), pd.Series([300])]), pd.concat([pd.Series([1]), pd.Series([], dtype=object)]), pd.concat([pd.Series([1]), pd.Series([None], dtype="Int64")]))
attempt(lambda: pd.concat([]), lambda: pd.concat([a, a], verify_integrity=True))

### concat of categoricals and times
c1, c2 = pd.Series(["a", "b"], dtype="category"), pd.Series(["b", "c"], dtype="category")
show(pd.concat([c1, c2]), pd.concat([c1, c1]), pd.api.types.union_categoricals([c1, c2]), pd.concat([pd.Series(pd.to_datetime(["2024-01-01"])), pd.Series(pd.to_datetime(["2024-01-01"]).tz_localize("UTC"))]).dtype)

### explode
f = pd.DataFrame({"a": [[1, 2], [], [2**40]], "b": ["x", "y", "z"]})
show(f.explode("a"), f.explode("a", ignore_index=True)["a"].tolist(), f["a"].str.len(), f["a"].str[0], pd.Series(["a,b", "c"]).str.split(",").explode())

### get_dummies and from_dummies
f = pd.DataFrame({"k": ["a", "b", None, "a"], "v": [1, 2, 3, 4]})
d = pd.get_dummies(f)
show(d, pd.get_dummies(f, dtype=int), pd.get_dummies(f["k"], dummy_na=True), pd.get_dummies(f["k"], drop_first=True, dtype=float), pd.get_dummies(f, dtype=int).sum() * 2**31, pd.from_dummies(d[["k_a", "k_b"]].iloc[:2], sep="_"))

### wide_to_long and lreshape
f = pd.DataFrame({"id": [1, 2], "s2019": [5, 2**40], "s2020": [7, 8]})
show(pd.wide_to_long(f, "s", i="id", j="year"), pd.lreshape(f, {"s": ["s2019", "s2020"]}))

### combine, update, align and where
a = pd.DataFrame({"x": [1, np.nan, 3], "y": [2**40, 5, 6]}); b = pd.DataFrame({"x": [9, 8, 7.0], "z": [1, 1, 1]})
show(a.combine_first(b), a.align(b, join="inner"), a.where(a > 2), a.mask(a > 2, 0), a.combine(b, np.fmax), a.add(b, fill_value=0), a["y"].where(a["y"] > 5, 2**41))
a.update(b); show(a)

### transpose and swap of mixed types
f = pd.DataFrame({"a": [1, 2], "b": [1.5, 2.5], "c": ["x", "y"]})
show(f.T, f[["a", "b"]].T, f[["a"]].T.dtypes, f.set_index("c").T, f.T.infer_objects().dtypes)

### duplicates
f = pd.DataFrame({"a": [1, 1, 2, 2, 1], "b": ["x", "x", "y", "z", "x"]})
show(f.duplicated(), f.drop_duplicates(), f.drop_duplicates("a", keep="last"), f.duplicated(keep=False).sum() * 2**31, f["a"].drop_duplicates(), f.index.duplicated(), f["a"].is_unique)

### sorting frames
#: inputs sales
show(sales.sort_values(["region", "units"], ascending=[True, False], kind="stable")["order"].head(10), sales.sort_values("amount", na_position="first")["order"].head(8), sales.nlargest(4, "amount")["order"], sales.nsmallest(4, ["units", "amount"])["order"], sales.sort_index(ascending=False)["order"].head(3))

### sorting ties
#: inputs sales
#: native sort_values("units") => sort_values("units", kind="stable"): ties of the default sort depend on the CPU natively
#: native sort_values("paid", ascending=False) => sort_values("paid", ascending=False, kind="stable"): ties of the default sort depend on the CPU natively
#: native argsort() => argsort(kind="stable"): ties of the default sort depend on the CPU natively
show(sales.sort_values("units")["order"], sales["units"].sort_values().index if False else 0, sales.sort_values("paid", ascending=False)["order"], sales["units"].argsort(), sales["units"].argsort() * 2**31, sales["units"].to_numpy().argsort())

### sort with keys and by index levels
f = pd.DataFrame({"a": ["b", "A", "c"], "v": [1, 2, 3]}).set_index("a")
show(f.sort_index(), f.sort_index(key=lambda i: i.str.lower()), f.reset_index().sort_values("a", key=lambda s: s.str.lower()), pd.Series([3, -5, 2]).sort_values(key=abs), f.reset_index().sort_values("v", ignore_index=True, ascending=False))

### insert, drop, rename, assign and eval
f = pd.DataFrame({"a": [1, 2**31], "b": [3, 4]})
f.insert(1, "m", [7, 8])
show(f, f.drop(columns="m"), f.drop(index=0), f.rename(columns={"a": "z"}), f.assign(c=lambda d: d["a"] * d["b"]), f.eval("a * b + m"), f.query("a > 5 and b < 9"), f.pop("m"), f.take([1, 0]), f.take([1], axis=1), f.filter(regex="a"))
attempt(lambda: f.drop(columns="nothing"), lambda: f["nothing"], lambda: f.insert(0, "a", 1), lambda: f.loc["x"], lambda: f.iloc[9], lambda: f.assign(**{"q": [1, 2, 3]}))

### setting with enlargement and alignment
f = pd.DataFrame({"a": [1, 2]})
f.loc[5] = 2**40
f["b"] = pd.Series([10, 20], index=[5, 0])
f.loc[f["a"] > 1, "c"] = "big"
f.iloc[0, 0] = -1
show(f, f.dtypes.astype(str), f.reindex([0, 5, 9]), f.reindex(columns=["b", "q"]), f[["a"]].reindex([0, 9], fill_value=0), f.at[5, "a"], f.iat[0, 0])

### multiindex
m = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 2**40)], names=["k", "n"])
s = pd.Series([10, 20, 30], index=m)
show(m.codes[0], [list(c) for c in m.codes], m.get_level_values(1), s.loc["a"], s.loc[("b", 2**40)], s.xs(2, level="n"), m.get_indexer([("a", 2), ("z", 0)]), m.get_loc("a"), m.droplevel(0), s.reset_index(), m.to_frame(), m.remove_unused_levels().levels[1], m.get_locs(["a"]), m.argsort(), m.is_monotonic_increasing, m.factorize()[0] * 2**31)

### columns with levels
#: inputs sales
t = sales.groupby("product").agg({"units": ["sum", "mean"], "amount": ["max"]})
show(t, t.columns, t[("units", "sum")], t["units"], t.xs("sum", axis=1, level=1), t.stack(future_stack=True).head(4), t.columns.to_flat_index())
outputs["t"] = t

### iteration and records
f = pd.DataFrame({"a": [1, 2**40], "b": [1.5, np.nan], "c": ["x", None]})
show(f.to_dict(), f.to_dict("records"), f.to_dict("split"), list(f.itertuples(index=False, name=None)), [list(r) for _, r in f.iterrows()], f.to_records()["a"], f.values.tolist(), f[["a"]].to_numpy(), [type(v) for v in f["a"]], f.to_dict("list"))
