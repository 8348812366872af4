### read_csv infers types
import io
show(pd.read_csv(io.StringIO("a,b,c,d,e\n1,1.5,x,True,2024-01-01\n3000000000,,y,False,\n")), pd.read_csv(io.StringIO("a\n9223372036854775807\n")), pd.read_csv(io.StringIO("a\n9223372036854775808\n")), pd.read_csv(io.StringIO("a\n18446744073709551616\n")), pd.read_csv(io.StringIO("a\n1\n\n2\n")), pd.read_csv(io.StringIO("a,b\n001,NA\n2,nan\n")), pd.read_csv(io.StringIO("a\n-9223372036854775808\n9223372036854775807\n")), pd.read_csv(io.StringIO("a\n1e3\n")), pd.read_csv(io.StringIO("a,b\n")))

### read_csv with types asked for
import io
t = "k,v,w\na,1,2\nb,3000000000,\n"
attempt(lambda: pd.read_csv(io.StringIO(t), dtype={"v": int}), lambda: pd.read_csv(io.StringIO(t), dtype={"v": "int64", "w": "Int64"}), lambda: pd.read_csv(io.StringIO(t), dtype=str), lambda: pd.read_csv(io.StringIO(t), dtype={"w": int}), lambda: pd.read_csv(io.StringIO(t), dtype={"v": "int32"}), lambda: pd.read_csv(io.StringIO(t), dtype={"k": "category"}), lambda: pd.read_csv(io.StringIO(t), dtype={"v": float}), lambda: pd.read_csv(io.StringIO(t), dtype_backend="numpy_nullable"), lambda: pd.read_csv(io.StringIO(t), dtype={"v": np.int_}), lambda: pd.read_csv(io.StringIO(t), dtype={"k": int}), lambda: pd.read_csv(io.StringIO(t), dtype={"v": "uint32"}), lambda: pd.read_csv(io.StringIO(t), dtype={"v": "l"}))

### read_csv of awkward files
import io
for text, options in [("a;b\n1,5;2\n", {"sep": ";", "decimal": ","}), ("a\tb\n1\t2\n", {"sep": None, "engine": "python"}), ("# c\na,b\n1,2\n", {"comment": "#"}), ("x\ny\na,b\n1,2\n", {"skiprows": 2}), ('a,b\n"x, y","q ""r"""\n', {}), ("a,b\n1,2,3\n", {}), ("a,b\n1,2\n3,4,5\n", {"on_bad_lines": "skip"}), ("a,b\n1,2\n3,4,5\n", {}), ("a,a,b\n1,2,3\n", {}), ("\ufeffa,b\n1,2\n", {}), ("a,b\r\n1,2\r\n", {}), ("a,b\n1,2\ntotal,9\n", {"skipfooter": 1, "engine": "python"}), ("1,2\n3,4\n", {"header": None}), ("a,b\n1,2\n", {"header": None, "names": ["x", "y"]}), ("a,b\n-,x\n?,y\n", {"na_values": ["-", "?"]}), ("a,b\nNA,x\n", {"keep_default_na": False}), ("a,b\n1 234,x\n", {"thousands": " "}), ('a\n"1,234,567"\n', {"thousands": ","}), ("a,b\nyes,1\nno,0\n", {"true_values": ["yes"], "false_values": ["no"]}), ("", {}), ("a\n'x,y'\n", {"quotechar": "'"}), ("a b  c\n1 2  3\n", {"sep": r"\s+"}), ("h1,,h2,\na,b,a,b\n1,2,3,4\n", {"header": [0, 1]}), ("i,a\nx,1\ny,2\n", {"index_col": 0}), ("a,b,c\n1,2,3\n", {"usecols": ["c", "a"]}), ("a,b\n1,2\n3,4\n5,6\n", {"nrows": 2, "skiprows": [1]}), ("a,b\n 1 , x \n", {"skipinitialspace": True}), ("a\nx\0y\n", {}), ("a|b\n1|2\n", {"delimiter": "|"}), ('a,b\n"multi\nline",1\n', {}), ("a,b\n1\n2,3\n", {}), ("a\\,b,c\n1,2\n", {"escapechar": "\\"}), ("a,b\n1,0x1F\n", {}), ("ё,😀\nж,1\n", {}), ("a,b\nInf,-inf\n", {}), ("a\n1_000\n", {}), ("a,b\n1,\n,2\n", {"index_col": False}), ('a,b\n"1","2"\n', {}), ("a\nTRUE\nfalse\n", {}), ("a\n0.1\n0.30000000000000004\n1e400\n", {}), ("a\n123456789012345678901234567890\n", {}), ("a\n0.1\n0.3\n", {"float_precision": "round_trip"}), ("a\n12345678901234567.89\n1.7976931348623157e308\n5e-324\n", {})]:
    show(text)
    attempt(lambda: pd.read_csv(io.StringIO(text), **options))

### read_csv of dates
import io
t = "d,e\n2024-02-29,29/02/2024\n2024-03-01,01/03/2024\n"
show(pd.read_csv(io.StringIO(t), parse_dates=["d"]), pd.read_csv(io.StringIO(t), parse_dates=["e"], dayfirst=True), pd.read_csv(io.StringIO(t), parse_dates=["e"], date_format="%d/%m/%Y"), pd.read_csv(io.StringIO(t), index_col="d", parse_dates=True).index, pd.read_csv(io.StringIO("d\n2024-01-01 00:00+01:00\n"), parse_dates=["d"]), pd.read_csv(io.StringIO("d\n2024-01-01\nx\n"), parse_dates=["d"]))

### read_csv in pieces and encodings
import io
show([len(p) for p in pd.read_csv(io.StringIO("a\n" + "1\n" * 10), chunksize=4)], pd.read_csv(io.BytesIO("ё;1\nж;2\n".encode("cp1251")), sep=";", header=None, encoding="cp1251"), pd.read_csv(io.BytesIO("a\né\n".encode("latin-1")), encoding="latin-1"), pd.read_csv(io.BytesIO("a\nb\n".encode("utf-16")), encoding="utf-16"), pd.read_csv(io.BytesIO(b"a\n\xff\n"), encoding_errors="replace"), pd.concat(pd.read_csv(io.StringIO("a\n" + "2000000000\n" * 10), chunksize=4)).sum())
attempt(lambda: pd.read_csv(io.BytesIO(b"a\n\xff\n")), lambda: pd.read_csv("nothing.csv"), lambda: pd.read_csv(io.StringIO("a\n1"), encoding="nope") if False else 0)

### read_csv of many rows
import io
text = "k,v,f\n" + "".join(f"k{i % 97},{i * 2_000_003},{i / 7!r}\n" for i in range(20_000))
f = pd.read_csv(io.StringIO(text))
show(f.dtypes.astype(str), f["v"].sum(), f["f"].sum(), f.groupby("k")["v"].sum().head(3), (f["f"] == np.arange(20_000) / 7).all(), f.tail(1))

### to_csv
#: inputs typed
f = typed.drop(columns=["single"])
show(f.to_csv(), f.to_csv(index=False, sep=";", decimal=","), pd.DataFrame({"a": [0.1, 1e-300, 1e22, np.nan, np.inf]}).to_csv(), pd.DataFrame({"a": [2**40], "b": ['q"u,o\nte']}).to_csv(index=False, quoting=1), pd.DataFrame({"a": [1.23456]}).to_csv(float_format="%.2f"), pd.DataFrame({"d": pd.to_datetime(["2024-01-01 05:00", None])}).to_csv(date_format="%d.%m"), pd.Series([1, None]).to_csv(na_rep="-"), pd.DataFrame({"a": np.array([0.1, 3.4e38], np.float32)}).to_csv())

### csv round trip
#: inputs sales
import io
text = sales.to_csv(index=False)
back = pd.read_csv(io.StringIO(text), parse_dates=["when"])
show(back.dtypes.astype(str), back.equals(sales), back["amount"].sum() == sales["amount"].sum(), len(text) * 2**31, hash(back["order"].iloc[0]))
outputs["t"] = back

### parquet round trip
#: inputs typed
typed.to_parquet("t.parquet")
back = pd.read_parquet("t.parquet")
show(back, back.dtypes.astype(str))
outputs["t"] = back

### parquet of nullable and categorical columns
f = pd.DataFrame({"a": pd.array([1, None, 2**40], "Int64"), "b": pd.array([True, None, False], "boolean"), "c": pd.Categorical(["x", None, "y"], categories=["y", "x"], ordered=True), "d": pd.array(["p", None, "q"], "string"), "e": pd.array([1, None, 3], "UInt8"), "g": pd.array([0.5, None, 1.5], "Float32")})
f.to_parquet("t.parquet")
show(pd.read_parquet("t.parquet"), pd.read_parquet("t.parquet", columns=["c", "a"]))
outputs["t"] = f

### parquet keeps the index
f = pd.DataFrame({"v": [1, 2, 3]}, index=pd.Index(["a", "b", "c"], name="k"))
f.to_parquet("t.parquet"); show(pd.read_parquet("t.parquet"))
f.index = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]); f.to_parquet("t.parquet"); show(pd.read_parquet("t.parquet"))
f.index = pd.RangeIndex(10, 16, 2); f.to_parquet("t.parquet"); show(pd.read_parquet("t.parquet"))
f.index = [5, 2**40, 7]; f.to_parquet("t.parquet"); show(pd.read_parquet("t.parquet")); f.to_parquet("t.parquet", index=False); show(pd.read_parquet("t.parquet"))
f.index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["x", None]); f.to_parquet("t.parquet"); show(pd.read_parquet("t.parquet"))

### parquet refuses what it cannot hold
#: unlike .shown[0] the room has no pyarrow, whose exception it is
#: unlike .shown[1] the room has no pyarrow, whose exception it is
#: unlike .shown[3] the room writes both columns and reads both, where pyarrow writes none
#: unlike .shown[4] the room has no pyarrow, whose exception it is
attempt(lambda: pd.DataFrame({"a": [1, "x"]}).to_parquet("t.parquet"), lambda: pd.DataFrame({"a": [1 + 2j]}).to_parquet("t.parquet"), lambda: pd.read_parquet("nothing.parquet"), lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]).to_parquet("t.parquet"), lambda: pd.DataFrame({"a": [object()]}).to_parquet("t.parquet"))

### parquet of lists, dictionaries and decimals
from decimal import Decimal
import datetime as dt
f = pd.DataFrame({"l": [[1, 2], None, []], "d": [Decimal("1.10"), None, Decimal("2.00")], "t": [dt.time(1, 2), None, dt.time(3)], "b": [b"x", None, b"\0"], "y": [dt.date(2024, 1, 1), None, dt.date(1, 1, 1)]})
f.to_parquet("t.parquet")
back = pd.read_parquet("t.parquet")
show(back["d"], back["t"], back["b"], back["y"], [None if v is None else list(v) for v in back["l"]])
outputs["t"] = f

### excel round trip
import io
f = pd.DataFrame({"a": [1, 2**40], "b": [1.5, None], "c": ["x", "ё"], "d": pd.to_datetime(["2024-02-29 00:00", "1999-01-01 12:30"]), "e": [True, False]})
for engine in ("openpyxl", "xlsxwriter"):
    b = io.BytesIO(); f.to_excel(b, index=False, engine=engine); b.seek(0)
    back = pd.read_excel(b)
    show(back, back.dtypes.astype(str))

### excel sheets, ranges and headers
import io
b = io.BytesIO()
with pd.ExcelWriter(b, engine="openpyxl") as w:
    pd.DataFrame({"a": [1, 2]}).to_excel(w, sheet_name="one", index=False)
    pd.DataFrame({"b": [2**40, None]}).to_excel(w, sheet_name="два", startrow=2, startcol=1)
b.seek(0)
sheets = pd.read_excel(b, sheet_name=None)
show(list(sheets), sheets["one"], sheets["два"], pd.read_excel(b, sheet_name="два", skiprows=2, usecols="B:C"), pd.read_excel(b, sheet_name=0, header=None), pd.read_excel(b, dtype={"a": str}), pd.read_excel(b, nrows=1), pd.ExcelFile(b).sheet_names)
attempt(lambda: pd.read_excel(b, sheet_name="three"), lambda: pd.read_excel(io.BytesIO(b"not excel")), lambda: pd.DataFrame({"a": pd.to_datetime(["2024-01-01"], utc=True)}).to_excel(io.BytesIO()))

### openpyxl formulas and types
import io, openpyxl, datetime as dt
w = openpyxl.Workbook(); s = w.active
s.append(["n", "when", "f"]); s.append([2**40, dt.datetime(2024, 2, 29, 1, 2, 3), "=A2*2"]); s.append([None, dt.date(2024, 1, 1), True]); s["A3"] = 0.1; s.merge_cells("B4:C4"); s["B4"] = "m"
b = io.BytesIO(); w.save(b); b.seek(0)
back = openpyxl.load_workbook(b).active
show([[c for c in row] for row in back.iter_rows(values_only=True)], back.max_row * 2**31, back.dimensions, [str(r) for r in back.merged_cells.ranges], pd.read_excel(b))

### json
import io
f = pd.DataFrame({"a": [1, 2**40], "b": [0.1, None], "c": ["x", "ё\"\n"], "d": pd.to_datetime(["2024-02-29", None])})
for orient in ("records", "split", "index", "columns", "values", "table"):
    text = f.to_json(orient=orient)
    show(text)
    if orient != "table":
        attempt(lambda: pd.read_json(io.StringIO(text), orient=orient))
show(f.to_json(orient="records", lines=True), f.to_json(date_format="iso", force_ascii=False), f.to_json(double_precision=3), pd.Series([2**62, -1]).to_json(), pd.DataFrame({"x": [np.float32(0.1)]}).to_json())

### read_json of awkward texts
import io
for text, options in [('[{"a":1},{"b":2.5}]', {}), ('{"a":[9007199254740993]}', {}), ('[{"a":9223372036854775807}]', {}), ('[{"a":18446744073709551615}]', {}), ('{"a":1}\n{"a":null}\n', {"lines": True}), ('[{"d":"2024-01-01"}]', {}), ('[{"date":"2024-01-01"}]', {}), ('[{"a":{"b":1}}]', {}), ('{"x":{"0":"a","1":"b"}}', {}), ("[1,2,3]", {"typ": "series"}), ("nonsense", {}), ('[{"a":true},{"a":null}]', {}), ('[{"a":"007"}]', {}), ('[{"a":"007"}]', {"dtype": False}), ('[{"t":1709164800}]', {"convert_dates": ["t"]}), ('[{"a":1e400}]', {}), ('[{"a":0.1},{"a":1.7976931348623157}]', {"precise_float": True}), ('[{"a":123456789.123456789}]', {})]:
    show(text)
    attempt(lambda: pd.read_json(io.StringIO(text), **options))

### json_normalize
data = [{"id": 1, "info": {"name": "a", "tags": [1, 2]}, "n": 2**40}, {"id": 2, "info": {"name": None}}]
show(pd.json_normalize(data), pd.json_normalize(data, sep="_", max_level=0).columns, pd.json_normalize([{"k": 1, "rows": [{"v": 1}, {"v": 2**40}]}], "rows", ["k"]))

### Python's json and csv
import json, csv, io
show(json.dumps({"a": 2**70, "b": [1.0, None, True], "ё": "😀"}), json.loads("[1e400, -0.0, 12345678901234567890]"), json.dumps(0.1 + 0.2), list(csv.reader(io.StringIO('a,"b\n""c"""\n'))), list(csv.DictReader(io.StringIO("a,b\n1,2\n"))), csv.Sniffer().sniff("a;b\n1;2\n").delimiter)
attempt(lambda: json.dumps(np.int64(1)), lambda: json.dumps(np.float64(1.5)), lambda: json.loads("{"), lambda: json.dumps({1: object()}), lambda: json.dumps(np.array([1]).tolist()), lambda: json.dumps(pd.Series([1, 2]).to_dict()))

### html tables
import io
page = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x</td></tr><tr><td>3000000000</td><td></td></tr></table><table><tr><td>7</td></tr></table>"
tables = pd.read_html(io.StringIO(page))
show(len(tables), tables[0], tables[1], tables[0].to_html(index=False), pd.read_html(io.StringIO("<table><tr><td rowspan=2>a</td><td>1</td></tr><tr><td>2</td></tr></table>"))[0])
attempt(lambda: pd.read_html(io.StringIO("<p>none</p>")))

### xml
import io
text = "<r><row><a>1</a><b>x</b></row><row><a>3000000000</a><b/></row></r>"
show(pd.read_xml(io.StringIO(text)), pd.DataFrame({"a": [1, 2**40]}).to_xml(index=False), pd.read_xml(io.StringIO(text), parser="etree"))

### fixed widths, pickles, clipboard-like text and records
import io, pickle
show(pd.read_fwf(io.StringIO("id  val\n1   3000000000\n22  5\n")), pickle.loads(pickle.dumps(pd.DataFrame({"a": [1, 2**40]}))), pd.DataFrame.from_records([(1, "a"), (2**40, "b")], columns=["n", "t"]), pd.DataFrame.from_dict({"r": [1, 2]}, orient="index"), pd.read_csv(io.StringIO("a b\n1 2"), sep=" "), pd.DataFrame(np.array([(1, 2.5)], dtype=[("x", int), ("y", float)])), pd.DataFrame({"a": [1]}).to_dict(orient="tight"), pickle.loads(pickle.dumps(np.arange(3))), pickle.loads(pickle.dumps(np.int64(5))))

### pickles from a 64-bit numpy
import pickle
data = bytes.fromhex("80049590000000000000008c166e756d70792e5f636f72652e6d756c74696172726179948c0c5f7265636f6e7374727563749493948c056e756d7079948c076e6461727261799493944b0085944301629487945294284b014b0285946803")
attempt(lambda: pickle.loads(data), lambda: pickle.loads(pickle.dumps(np.dtype("i8"))), lambda: pickle.loads(pickle.dumps(pd.Series([1, 2], dtype="Int64"))), lambda: pickle.dumps(np.dtype("i8"), 2), lambda: pickle.dumps(np.int64(5), 2))

### files of numpy
import io
b = io.BytesIO(); np.save(b, np.array([1, 2**40])); b.seek(0)
show(b.getvalue()[:128], np.load(b))
b = io.BytesIO(); np.savez(b, x=np.arange(3), y=np.array([1.5])); b.seek(0)
z = np.load(b); show(sorted(z.files), z["x"], z["y"])
t = io.StringIO(); np.savetxt(t, [[1, 2], [3, 4.5]], fmt="%g"); t.seek(0); show(t.getvalue(), np.loadtxt(t), np.loadtxt(io.StringIO("1 3000000000\n"), dtype=int), np.genfromtxt(io.StringIO("1,x\n2,"), delimiter=",", dtype=None, encoding="utf-8")["f0"], np.loadtxt(io.StringIO("a,1\nb,2"), delimiter=",", dtype=str), np.genfromtxt(io.StringIO("1,2\n,3000000000"), delimiter=",", dtype=int, filling_values=-1), np.array2string(np.array([2**40, 1])), np.fromstring("3000000000 1", dtype=int, sep=" "))
np.array([1, 2**40]).tofile("x.bin"); show(np.fromfile("x.bin", dtype=int), np.memmap("x.bin", dtype=np.int64, mode="r").tolist() if False else 0)

### outputs of every index
#: inputs sales
outputs["grouped"] = sales.groupby("region")["units"].sum()
outputs["two"] = sales.groupby(["region", "paid"])["units"].sum()
outputs["counted"] = sales["product"].value_counts()
outputs["counted_range"] = sales.head(3).set_index("order")
outputs["described"] = sales[["units", "amount"]].describe()
outputs["pivot"] = sales.pivot_table(index="region", columns="product", values="units", aggfunc="sum")
outputs["dates"] = sales.set_index("when")[["units"]].resample("W").sum()
outputs["filtered"] = sales[sales["units"] > 10][["order", "units"]]
outputs["periods"] = sales.groupby(sales["when"].dt.month)["amount"].mean()

### outputs of every type
#: inputs typed
outputs["typed"] = typed
outputs["empty"] = typed.head(0)
outputs["one"] = typed[["uint64"]]
outputs["nullable"] = typed.convert_dtypes()[["int8", "integers_with_null", "flag", "double", "text"]]
outputs["large"] = pd.DataFrame({"i": np.arange(5) * 2**60, "u": np.array([2**64 - 1] * 5, np.uint64), "h": np.arange(5, dtype=np.int16)})
