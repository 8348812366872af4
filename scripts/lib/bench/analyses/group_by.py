# h2o's ten questions of a million rows (H2O.ai's db-benchmark, groupby).
answers = [
    x.groupby("id1", observed=True).agg(v1=("v1", "sum")),
    x.groupby(["id1", "id2"], observed=True).agg(v1=("v1", "sum")),
    x.groupby("id3", observed=True).agg(v1=("v1", "sum"), v3=("v3", "mean")),
    x.groupby("id4").agg(v1=("v1", "mean"), v2=("v2", "mean"), v3=("v3", "mean")),
    x.groupby("id6").agg(v1=("v1", "sum"), v2=("v2", "sum"), v3=("v3", "sum")),
    x.groupby(["id4", "id5"]).agg(median=("v3", "median"), std=("v3", "std")),
    x.groupby("id3").agg(high=("v1", "max"), low=("v2", "min")).assign(span=lambda t: t.high - t.low),
    x.sort_values("v3", ascending=False).groupby("id6").head(2)[["id6", "v3"]],
    x[["id2", "id4", "v1", "v2"]].groupby(["id2", "id4"]).corr().iloc[0::2]["v2"].to_frame("r"),
    x.groupby(["id1", "id2", "id3", "id4", "id5", "id6"]).agg(v3=("v3", "sum"), n=("v1", "size")),
]
result = [[len(t), round(float(t.select_dtypes("number").sum().sum()), 3)] for t in answers]
