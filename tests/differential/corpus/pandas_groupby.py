### sums, means and counts
#: inputs sales
g = sales.groupby("region")
show(g["units"].sum(), g["amount"].mean(), g.size(), g["amount"].count(), g["units"].agg(["min", "max", "std"]), g[["units", "amount"]].sum())

### sums of int32 pass 2**31
#: inputs wide_integers
g = wide_integers.groupby("group")
show(g["small"].sum(), g["small"].mean(), g["small"].cumsum().head(5), g["small"].agg("sum"), g["tiny"].sum(), g["tiny"].prod(), g["small"].apply(lambda s: s.sum()), g["small"].agg(np.sum))

### sums of int64 that wrap natively
#: inputs wide_integers
g = wide_integers.groupby("group")["big"]
show(g.sum(), g.min(), g.max(), g.first(), g.last(), g.nunique(), g.mean(), g.median(), g.cumsum().tail(3), g.cummax().tail(3), g.var())

### keys with nulls
#: inputs sales
show(sales.groupby("region", dropna=False)["units"].sum(), sales.groupby("region", dropna=False, sort=False).size(), sales.groupby(["region", "product"], dropna=False)["units"].max().head(8))

### two keys
#: inputs sales
t = sales.groupby(["region", "product"])["amount"].agg(["sum", "count"])
show(t.head(6), t.index.names, t.loc["north"].head(2), t.unstack(0).iloc[:3, :3])
outputs["t"] = t

### as_index and named aggregation
#: inputs sales
t = sales.groupby("product", as_index=False).agg(n=("units", "size"), total=("amount", "sum"), last=("when", "max"), paid=("paid", "sum"))
show(t)
outputs["t"] = t

### transform and filter
#: inputs sales
g = sales.groupby("product")
show(g["units"].transform("sum").head(5), g["units"].transform(lambda s: s - s.mean()).head(5), g.filter(lambda f: len(f) > 28)["order"].head(5), (sales["units"] / g["units"].transform("sum")).head(3))

### cumcount, ngroup, rank, nth and head
#: inputs sales
g = sales.groupby("region")
show(g.cumcount().head(8), g.cumcount().head(4) * 2**31, g.ngroup().head(8), g.ngroup().head(8) * 2**31, g["units"].rank(method="dense").head(5), g.nth(0)["order"], g.head(1)["order"], g.tail(1)["order"], g["units"].nlargest(2).head(4))

### composite keys from ngroup
#: inputs wide_integers
a = wide_integers.groupby("key").ngroup()
b = wide_integers.groupby("group").ngroup()
show((a * 100_000_007 + b).sum(), (a * 100_000_007 + b).max(), a.dtype, (a.values * 2**31)[:3], (a.to_numpy() * 100_000_007).max())

### group indices and groups
#: inputs sales
g = sales.head(20).groupby("product")
show({k: v for k, v in g.indices.items()}, {k: list(v) for k, v in g.groups.items()}, g.indices["A"] * 2**31 if "A" in g.indices else 0, g.ngroups, g.get_group("B")["order"])

### apply that returns frames, series and scalars
#: inputs sales
g = sales.groupby("product")
show(g.apply(lambda f: f["units"].sum() * 2**31), g.apply(lambda f: pd.Series({"n": len(f), "top": f["amount"].max()})).head(3), g.apply(lambda f: f.nlargest(1, "units"))["order"], g["units"].apply(list).str.len())

### shift, diff and pct_change
#: inputs sales
g = sales.sort_values(["product", "order"]).groupby("product")
show(g["units"].shift().head(5), g["units"].diff().head(5), g["units"].pct_change().head(5), g["units"].shift(-1, fill_value=0).head(3), g["amount"].ffill().head(3))

### rolling and expanding in groups
#: inputs sales
g = sales.sort_values("when").groupby("product")
show(g["units"].rolling(3).sum().head(6), g["units"].expanding().mean().head(4), g.rolling("7D", on="when")["units"].sum().head(5), g["units"].ewm(alpha=0.5).mean().head(4))

### describe and quantiles
#: inputs sales
g = sales.groupby("paid")
show(g["units"].describe(), g["amount"].quantile([0.1, 0.9]), g["units"].median(), g["units"].sem(), g["amount"].skew(), g["units"].value_counts(sort=False).sort_index().head(4), g["units"].nunique())

### categorical keys, observed or not
c = pd.DataFrame({"k": pd.Categorical(["a", "b", "a"], categories=["a", "b", "z"]), "v": [1, 2, 3]})
show(c.groupby("k", observed=False)["v"].sum(), c.groupby("k", observed=True)["v"].sum(), c.groupby("k", observed=False)["v"].mean(), c.groupby(["k", "v"], observed=False).size(), c.groupby("k", observed=False)["v"].max())

### Grouper by time
#: inputs sales
show(sales.groupby(pd.Grouper(key="when", freq="W"))["units"].sum(), sales.groupby([pd.Grouper(key="when", freq="MS"), "product"])["units"].sum().head(5), sales.groupby(sales["when"].dt.day_name())["units"].sum(), sales.groupby(sales["when"].dt.hour // 6).size())

### nullable integers
f = pd.DataFrame({"k": ["a", "b", "a", "b"], "v": pd.array([2**31, None, 2**40, 5], "Int64"), "w": pd.array([1, 2, None, 4], "Int32")})
g = f.groupby("k")
show(g.sum(), g["v"].mean(), g["w"].sum(), g["v"].cumsum(), g["v"].max(), g["w"].prod(), g["v"].sum(min_count=2), g["w"].std(), g.first())

### bool columns
#: inputs sales
g = sales.groupby("region")["paid"]
show(g.sum(), g.mean(), g.any(), g.all(), g.cumsum().head(4), g.sum() * 2**31, g.agg("count"), g.max())

### idxmin and idxmax
#: inputs sales
g = sales.dropna().groupby("product")
show(g["units"].idxmax(), g["units"].idxmin() * 2**31, g[["units", "amount"]].idxmax().head(3), sales.loc[g["amount"].idxmax(), "order"].tolist())

### level and function keys
s = pd.Series([1, 2, 3, 4], index=pd.MultiIndex.from_product([["x", "y"], [1, 2]], names=["a", "b"]))
show(s.groupby(level=0).sum(), s.groupby("b").sum(), s.groupby(lambda t: t[1] * 2**31).sum(), s.groupby([0, 0, 1, 1]).sum(), s.groupby(np.array([5, 5, 6, 6])).sum())

### errors
#: inputs sales
attempt(lambda: sales.groupby("nothing"), lambda: sales.groupby("region").get_group("nowhere"), lambda: sales.groupby("region")["product"].mean(), lambda: sales.groupby("region").agg("nothing"), lambda: sales.groupby([]), lambda: sales.groupby("product").sum(numeric_only=False))

### sums of floats
f = pd.DataFrame({"k": np.arange(1000) % 7, "v": np.arange(1000) / 7, "w": (np.arange(1000) / 7).astype(np.float32)})
show(f.groupby("k")["v"].sum(), f.groupby("k")["v"].var(), f.groupby("k")["v"].mean(), f.groupby("k")["v"].cumsum().tail(3), f.groupby("k")["v"].prod().head(2))

### float32 in groups
#: rel 1e-6 float32 has 24 bits
f = pd.DataFrame({"k": np.arange(100) % 7, "w": (np.arange(100) / 7).astype(np.float32)})
show(f.groupby("k")["w"].sum(), f.groupby("k")["w"].mean(), f.groupby("k")["w"].std())

### pipe, sample with a seed, and window of groups
#: inputs sales
g = sales.groupby("product")
show(g.pipe(lambda g: g["units"].max() - g["units"].min()), g.sample(n=1, random_state=1)["order"], sales.sample(5, random_state=3)["order"], sales.sample(frac=0.02, random_state=4, replace=True)["order"], sales.sample(4, weights="units", random_state=0)["order"])

### correlations of each group
rng = np.random.default_rng(8)
f = pd.DataFrame({"a": rng.integers(0, 40, 900), "b": rng.choice(["x", "y", None], 900), "v": rng.normal(size=900), "w": rng.integers(0, 9, 900).astype(np.int8), "u": rng.random(900) < 0.5})
f["z"] = f["v"].where(f["v"] > -1) ** 3
f["c"] = pd.Categorical(f["b"].fillna("x"), categories=["y", "x", "q"])
f.columns.name = "what"
show(f.groupby("a")[["v", "w", "z"]].corr(), f.groupby(["a", "b"])[["v", "z"]].corr().iloc[0::2]["z"], f.groupby(["c", "a"], observed=True)[["v", "w", "u"]].corr(min_periods=12).unstack().head(4), f.groupby("b", dropna=False)[["z", "v"]].corr())
show(f.groupby("b", sort=False).corr(numeric_only=True), f.groupby("b", as_index=False)[["v", "w"]].corr(), f.groupby("b", group_keys=False)[["v", "w"]].corr(), f.groupby(f["a"] % 3)[["v"]].corr(), f.groupby("b")[["v", "w"]].corr("spearman"))
attempt(lambda: f.groupby("a").corr(), lambda: f.groupby("b")[["v"]].corr("nothing"), lambda: f[:0].groupby("a")[["v"]].corr())
