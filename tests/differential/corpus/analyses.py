### flights-like delays by key
#: inputs sales
late = sales[sales["amount"] > 300].assign(day=lambda f: f["when"].dt.date, key=lambda f: f["region"].fillna("?") + "/" + f["product"])
t = late.groupby("key").agg(n=("order", "count"), total=("amount", "sum"), first=("when", "min")).sort_values(["n", "total"], ascending=False).head(8)
show(t)
outputs["t"] = t

### cohort table
#: inputs sales
f = sales.assign(m=sales["when"].dt.to_period("M"))
first = f.groupby("product")["m"].transform("min")
f["age"] = (f["m"].astype("int64") - first.astype("int64"))
show(f.pivot_table(index=first, columns="age", values="order", aggfunc="nunique"), f["age"].dtype, f["age"] * 2**31)

### moving averages and crossings
#: inputs prices
s = prices.set_index("day")["price"].interpolate()
fast, slow = s.rolling(5).mean(), s.rolling(20).mean()
cross = (fast > slow).astype(int).diff().fillna(0)
show(cross[cross != 0], np.where(cross != 0)[0], np.where(cross != 0)[0] * 2**31, int(cross.abs().sum()) * 2**31)
outputs["t"] = pd.DataFrame({"fast": fast, "slow": slow}).dropna().reset_index()

### returns, volatility and drawdown
#: inputs prices
s = prices["price"].ffill()
r = s.pct_change().dropna()
wealth = (1 + r).cumprod()
show(r.mean() * 252, r.std() * np.sqrt(252), (wealth / wealth.cummax() - 1).min(), np.log(s).diff().var(), r.autocorr(1), (wealth / wealth.cummax() - 1).idxmin() * 2**31, r.quantile(0.05), r.skew(), r.kurt())

### run lengths
#: inputs sales
paid = sales["paid"]
run = (paid != paid.shift()).cumsum()
lengths = paid.groupby(run).size()
show(lengths.value_counts().sort_index(), run.max() * 2**31, lengths.max() * 2**31, run.dtype, lengths.groupby(paid.groupby(run).first()).mean())

### baskets
#: inputs sales
b = pd.crosstab(sales["order"] // 7, sales["product"]).clip(upper=1)
pairs = b.T @ b
show(pairs, pairs * 2**31, pairs.to_numpy().sum() * 2**31, b.dtypes.astype(str).unique(), pairs.where(np.triu(np.ones(pairs.shape), 1).astype(bool)).stack().nlargest(3))

### gaps and sessions
#: inputs sales
s = sales.sort_values(["product", "when", "order"])
gap = s.groupby("product")["when"].diff() > pd.Timedelta("2D")
session = gap.groupby(s["product"]).cumsum()
key = s["product"].factorize()[0] * 1_000_000_007 + session
show(key.nunique(), key.sum(), session.max(), key.dtype, s.assign(session=session).groupby(["product", "session"]).size().max())

### outliers
#: inputs rates
z = (rates["y"] - rates["y"].mean()) / rates["y"].std(ddof=0)
q1, q3 = rates["y"].quantile([0.25, 0.75])
out = rates.index[(rates["y"] < q1 - 1.5 * (q3 - q1)) | (rates["y"] > q3 + 1.5 * (q3 - q1))]
show(z.abs().nlargest(3), out, out * 2**31, (z.abs() > 2).sum() * 2**31, np.flatnonzero(z.abs() > 2) * 2**31)

### a Monte Carlo estimate
rng = np.random.default_rng(7)
x, y = rng.random(100_000), rng.random(100_000)
inside = (x * x + y * y <= 1).sum()
show(inside, 4 * inside / 100_000, inside * 100_000 * 100_000, inside**3)

### a legacy Monte Carlo estimate
np.random.seed(7)
dice = np.random.randint(1, 7, (50_000, 3)).sum(axis=1)
show(np.bincount(dice), np.bincount(dice) * 2**31, dice.sum() * 10**6, (dice**2).sum() * 10**6, dice.dtype, np.unique(dice, return_counts=True)[1] ** 3)

### encoding pairs of integers
#: inputs wide_integers
k = wide_integers["key"].to_numpy()
pair = k * 100_003 + np.arange(len(k))
code = np.searchsorted(np.sort(np.unique(k)), k)
show(pair.sum(), (code * 100_000_007).sum(), (code.astype(np.int32) * 2).sum(), pair[np.argsort(pair)][:3], (np.argsort(k, kind="stable") * k).sum(), np.bincount(code).cumsum()[-1] * 2**31, (k % 97 * 2**31).max())

### distance between places
lat, lon = np.radians([[55.75, 37.62], [48.85, 2.35], [40.71, -74.0]]).T
a = np.sin((lat[:, None] - lat) / 2) ** 2 + np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2) ** 2
show(2 * 6371 * np.arcsin(np.sqrt(a)))

### text to features
#: inputs people
f = people.assign(domain=people["mail"].str.split("@").str[1], year=pd.to_datetime(people["joined"], format="%d.%m.%Y").dt.year, n=people["name"].str.strip().str.len().fillna(0).astype(int))
show(f.groupby("domain").agg({"n": "sum", "year": "max", "score": "mean"}), (f["n"] * 2**31).sum(), f["year"].dtype, f.groupby(["domain", "year"]).ngroup().max() * 2**31)
outputs["t"] = f

### weighted means by group
#: inputs sales
f = sales.dropna(subset=["amount", "region"])
w = f.groupby("region").apply(lambda g: np.average(g["amount"], weights=g["units"]))
show(w, (f["amount"] * f["units"]).groupby(f["region"]).sum() / f.groupby("region")["units"].sum(), f.groupby("region")["units"].transform("sum").head(3))

### percent of total and cumulative share
#: inputs sales
t = sales.groupby("product")["units"].sum().sort_values(ascending=False, kind="stable")
show(t / t.sum(), t.cumsum() / t.sum(), (t.cumsum() / t.sum() <= 0.8).sum() * 2**31, t.searchsorted(t.sum()) if t.is_monotonic_increasing else t.rank(method="first"), (t.cumsum() / t.sum()).to_numpy().searchsorted(0.5) * 2**31)

### the largest of each group, with ties
#: inputs sales
f = sales.sort_values(["product", "units", "order"], ascending=[True, False, True])
show(f.groupby("product").head(2)[["product", "units", "order"]], f.drop_duplicates("product")["order"], f.groupby("product")["units"].rank(method="min", ascending=False).head(6), f.groupby("product")["units"].nlargest(1))
