# h2o's five joins of a million rows.
answers = [
    x.merge(small, on="id1", validate="m:1"),
    x.merge(medium, on="id2", validate="m:1"),
    x.merge(medium, on="id2", how="left", validate="m:1"),
    x.merge(medium, on="id5", suffixes=("", "_m"), validate="m:1"),
    x.merge(large, on="id3", suffixes=("", "_l"), validate="m:1"),
]
result = [[len(t), round(float(t["v1"].sum()), 3), round(float(t["v2"].sum()), 3)] for t in answers]
