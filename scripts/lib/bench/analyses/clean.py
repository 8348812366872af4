# A customer list as it comes: spaces, spellings, numbers and dates as text, duplicates.
t = x.copy()
t["name"] = t["name"].str.strip().str.title()
t["country"] = t["country"].str.strip().str.upper().replace({"GERMANY": "DE", "U.K.": "GB", "": None})
amount = t["amount"].str.replace(",", "", regex=False).str.replace("$", "", regex=False)
t["amount"] = pd.to_numeric(amount, errors="coerce")
t["signed"] = pd.to_datetime(t["signed"], format="%d.%m.%Y", errors="coerce")
t["mail"] = t["mail"].str.lower().where(t["mail"].str.contains("@"), None)
t = t.drop_duplicates(["name", "country", "mail"]).dropna(subset=["signed"])
t["amount"] = t["amount"].fillna(t.groupby("country")["amount"].transform("median"))
t = t[t["amount"].between(t["amount"].quantile(0.01), t["amount"].quantile(0.99))]
by = t.groupby([t["country"].fillna("?"), t["signed"].dt.year])["amount"].agg(["size", "mean"])
result = [len(t), int(t["mail"].isna().sum()), {str(k): [int(n), round(float(m), 6)] for k, (n, m) in by.iterrows()}]
