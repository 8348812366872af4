### case and trimming
#: inputs people
s = people["name"]
show(s.str.upper().head(12), s.str.lower().head(12), s.str.title().head(12), s.str.strip().head(12), s.str.casefold().head(12), s.str.swapcase().head(12), s.str.capitalize().head(12))

### lengths, counts and finds calculate in 64 bits
#: inputs people
s = people["name"]
show(s.str.len().head(12), s.str.count("n").head(12), s.str.find("n").head(12), s.dropna().str.len() * 2**31, people["mail"].str.find("@") * 2**31, people["mail"].str.len().sum(), people["mail"].str.rfind("."), people["mail"].str.index("@") * 2**31)

### contains, match and replace
#: inputs people
s = people["mail"]
show(s.str.contains("com").sum() * 2**31, s.str.contains(r"\d+@", regex=True).all(), s.str.match("user[0-3]").sum(), s.str.fullmatch(r"user\d@example\.рф").sum(), s.str.replace("example", "пример").head(3), s.str.replace(r"(\d)", r"<\1>", regex=True).head(3), s.str.startswith("user1").sum(), s.str.endswith(("com", "org")).sum(), people["name"].str.contains("n", na=False).head(6), people["name"].str.contains("ANN", case=False).head(6), s.str.replace("U", "v", case=False).head(2), s.str.replace(r"\d", lambda m: str(int(m[0]) * 2**31), regex=True).head(2))

### split, partition and extract
#: inputs people
s = people["mail"].head(5)
show(s.str.split("@"), s.str.split("@", expand=True), s.str.rsplit(".", n=1, expand=True), s.str.partition("@"), s.str.extract(r"user(\d)@(\w+)"), s.str.extract(r"(?P<n>\d)").astype({"n": int}), s.str.extractall(r"([aeiou])").head(5), s.str.findall(r"[a-z]{4}"), s.str.split("@").str[0], s.str.get(0), s.str.get_dummies(sep="@"))

### slices, padding and repeats
s = pd.Series(["abc", "Ёж", None, "👩‍👩‍👧x"])
show(s.str[0], s.str[-1], s.str[1:], s.str.slice(0, 2), s.str.pad(6, "both", "*"), s.str.center(7), s.str.zfill(5), s.str.repeat(2), s.str.slice_replace(0, 1, "Q"), s.str.wrap(2), s.str.cat(sep="|"), s.str.cat(["1", "2", "3", "4"], sep="-"), s.str.join("."), s + "!", s * 2, s.str.ljust(5, "."), s.str.len(), s.str.repeat([1, 2, 3, 4]))

### encodings and normal forms
s = pd.Series(["é", "ﬁ", "İstanbul", "straße", "Ǆ", "٣"])
show(s.str.normalize("NFD").str.len(), s.str.normalize("NFKC"), s.str.encode("utf-8"), s.str.encode("utf-8").str.decode("utf-8"), s.str.encode("ascii", "ignore"), s.str.upper(), s.str.isalpha(), s.str.isdigit(), s.str.isnumeric(), s.str.isdecimal(), s.str.isupper(), s.str.casefold(), s.str.translate({233: "e"}))
attempt(lambda: s.str.encode("ascii"), lambda: s.str.encode("cp1251", "replace"), lambda: s.str.encode("koi8-r", "replace"), lambda: s.str.encode("shift_jis", "replace"), lambda: s.str.encode("nothing"))

### text with NUL
s = pd.Series(["a\0b", "a\0", "a", None])
show(s, s.str.len(), s == "a", s.unique(), s.value_counts(), s.str.split("\0"), s.str.contains("\0"), s.drop_duplicates(), s.isin(["a"]), s.sort_values(), s.groupby(s).size(), s.factorize()[1], s.astype("category").cat.categories, s.str.replace("\0", "0"))
outputs["t"] = s.to_frame("text")

### text columns out and in
s = pd.DataFrame({"t": ["", " ", "ёлка", "😀", "nan", "None", None, "line\nline", "\t", "a\0b", "\u200b", "\ufeff"]})
outputs["t"] = s
show(s["t"].isna(), s["t"].str.len())

### comparing and sorting text
s = pd.Series(["b", "A", "ä", "Z", "", "ё", "е", "я", "😀", "ﬁ"])
show(s.sort_values(), s.max(), s.min(), s > "a", s.rank(), s.argsort(), sorted(s), s.searchsorted("b") if s.is_monotonic_increasing else 0, s.sort_values(key=lambda v: v.str.lower()), s.nunique(), s.duplicated(), s.is_monotonic_increasing, s.eq("b").sum() * 2**31)

### text types
#: unlike .shown[4] the room has no pyarrow, whose type it is
#: unlike .shown[13] the room has no pyarrow, whose type it is
a = pd.Series(["x", None])
show(a.dtype == "str", a.astype(object), a.astype("string"), a.astype("string").str.len(), a.astype("string") == "x", a.isna(), a.astype("string").str.contains("x"), a.str.len(), a.astype("category"), pd.Series(["x", 1]).dtype, pd.Series(["1", None], dtype="string").astype("Int64"), a.fillna(""), a.map(len, na_action="ignore"), a.astype("string").value_counts(), a.astype("string").str.find("x") * 2**31)
attempt(lambda: a.astype(int), lambda: a.sum(), lambda: pd.Series(["a", "b"]).sum(), lambda: pd.Series(["a"]).mean(), lambda: a + 1, lambda: pd.Series([1]).str.len(), lambda: a.__setitem__(0, 5), lambda: pd.Series(["a", "b"]).max(), lambda: pd.Series(["a"]) - "a")

### cleaning of numbers in text
s = pd.Series(["1,234", "$5.50", "(300)", " 7 ", "n/a", "1e3", "3000000000"])
c = s.str.strip().str.replace(r"[$,]", "", regex=True).str.replace(r"^\((.*)\)$", r"-\1", regex=True)
show(c, pd.to_numeric(c, errors="coerce"), pd.to_numeric(c, errors="coerce").sum(), c.str.isnumeric(), c.str.extract(r"(\d+)")[0].astype(float))

### grouping by cleaned names
#: inputs people
n = people["name"].str.strip().str.lower()
show(people.groupby(n)["score"].sum(), n.value_counts(dropna=False), people.groupby(n.str[0])["score"].sum() * 2**31, people.assign(n=n).pivot_table(index="n", values="score", aggfunc="mean"), people.groupby(people["mail"].str.split(".").str[-1]).size())

### Python text functions
show("straße".upper(), "İ".lower(), len("👩‍👩‍👧"), "ǆ".title(), "a\0b".split("\0"), hash("") == 0, "%d" % 2**70, f"{2**40:,}", f"{1/3:.20f}", f"{1e22!r}", "ё".encode(), sorted("яёЁа"), "{:>10}".format("é"), "abc".translate({97: None}), "x".isidentifier(), ascii("ё"), repr("\x7f\xad"), "ß".casefold(), "１２".isdigit(), int("１２"), float("١.٥"))

### regular expressions
import re
show(re.findall(r"\w+", "ёлка и 😀 дом_2"), re.sub(r"(?i)É", "x", "éÉ"), re.split(r"[,;]\s*", "a, b;c"), re.match(r"(?P<y>\d{4})-(?P<m>\d\d)", "2024-02")["m"], [m.span() for m in re.finditer("a", "banana")], re.fullmatch(r"\d+", "١٢") is not None, re.sub(r"\b", "|", "a b"), re.compile(r"(a)|b").sub(r"[\1]", "ab"))
attempt(lambda: re.compile("("), lambda: re.compile("a{2,1}"), lambda: re.compile(r"(?<=a+)b"))

### printed tables
#: inputs sales
show(sales.head(3).to_string(), repr(sales["units"].head(3)), sales.head(2).to_markdown(), sales.describe().round(2).to_string(), repr(pd.DataFrame({"a": [2**40, 1], "b": ["ё", None]})), pd.DataFrame({"a": [1.123456789, 1e-10]}).to_string(float_format="%.3f"), repr(pd.Series([0.1, 1e20])), sales.head(1).to_html(), repr(pd.Series([1, 2]).value_counts()), sales.dtypes.to_string(), repr(pd.Series([1], dtype="int32")))
