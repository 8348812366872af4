# A log of requests: patterns, parts, counts.
line = x["line"]
parts = line.str.extract(r"^(\S+) (\w+) (/[^ ?]*)\??(\S*) (\d{3}) (\d+)$")
parts.columns = ["host", "verb", "path", "query", "status", "bytes"]
parts["bytes"] = parts["bytes"].astype("int64")
first = parts["path"].str.split("/").str[1]
bots = line.str.contains("bot|crawl|spider", case=False, regex=True)
slow = parts["query"].str.findall(r"[a-z]+=").str.len()
short = parts["host"].str.slice(0, 6).str.upper() + ":" + parts["verb"].str.lower()
top = parts.groupby(["path", "status"])["bytes"].agg(["size", "sum"]).sort_values(["size", "sum"], ascending=False)
result = [
    int(bots.sum()), first.value_counts().sort_index().to_dict(), int(slow.sum()),
    int(short.nunique()), int(line.str.len().sum()), top.head(5).reset_index().values.tolist(),
]
