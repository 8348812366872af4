### big integers
show(2**100, -(7**50) // 3, (-7) % 3, divmod(-(10**20), 7), int("9" * 30), 10**18 * 10, hash(2**61) == hash(1) if False else 0, (2**64).bit_length(), int.from_bytes(b"\xff" * 8, "little"), (2**40).to_bytes(8, "big"), round(2.5), round(-1.5), round(12345, -2), int(1e18), float(2**63), 7 // -2, pow(3, 10**6, 10**9 + 7), (255).bit_count(), 0.1 + 0.2, 1e308 * 10, 3 / 7, 2**0.5)

### floats in text
show(repr(0.1), str(1e16), f"{1e-5}", f"{123456.789:.2e}", "%.17g" % 0.1, float("1e-320"), (0.1).hex(), float.fromhex("0x1.8p1"), f"{2.5:.0f}", f"{1234567.891:,.2f}", round(2.675, 2), float("nan") != float("nan"), f"{float('inf'):>5}", (0.5).as_integer_ratio(), f"{1e100:.3g}", "{:08.3f}".format(-3.14159), f"{0.000012345:g}")

### sizes and limits
import sys, struct, array, ctypes
show(struct.calcsize("q"), struct.pack("<q", -(2**40)), struct.unpack("<d", struct.pack("<d", 0.1)), struct.calcsize("<l"), array.array("q", [2**40])[0], array.array("d", [0.1]).itemsize, sys.float_info.max, sys.byteorder, sys.int_info.sizeof_digit, sys.hash_info.modulus if False else 0)
attempt(lambda: struct.pack("<i", 2**31), lambda: array.array("i", [2**31]), lambda: struct.pack("q", 2**63), lambda: int("1" * 5000), lambda: str(10**5000))

### native sizes of struct and array
#: unlike .shown[13] a range longer than any list has no `len` here
#: unlike .shown[14] a range longer than any list has no `len` here
#: unlike .shown[15] the hash of a Python number has the width of an address
#: unlike .shown[16] the hash of a Python number has the width of an address
#: unlike .shown[17] the hash of a Python number has the width of an address
#: unlike .shown[18] the hash of a Python number has the width of an address
#: unlike .shown[19] the hash of a Python number has the width of an address
#: unlike .shown[20] the hash of a Python number has the width of an address
import struct, array, sys
show(struct.calcsize("l"), struct.calcsize("P"), struct.calcsize("n"), array.array("l", [1]).itemsize, array.array("L", [1]).itemsize, sys.maxsize)
attempt(lambda: struct.pack("l", 2**40), lambda: array.array("l", [2**40])[0], lambda: struct.unpack("l", b"\1" * 8), lambda: np.frombuffer(array.array("l", [1, 2]), dtype=int), lambda: np.array(array.array("l", [1, 2])), lambda: struct.pack("N", 2**40), lambda: range(2**40)[2**35], lambda: len(range(2**31)), lambda: len(range(2**40)), lambda: hash(2**40), lambda: hash(2**61 - 1), lambda: hash(0.5), lambda: hash(1.5), lambda: hash((1, 2)), lambda: hash(-(2**40)), lambda: [1] * -1, lambda: "x" * 0, lambda: "%c" % 1114111, lambda: "abc"[2**40:], lambda: "abc"[2**40], lambda: [1, 2][2**33], lambda: list(range(5))[: 2**40])

### hashes of numbers
#: unlike .shown[0] the hash of a Python number has the width of an address
#: unlike .shown[1] the hash of a Python number has the width of an address
#: unlike .shown[2] the hash of a Python number has the width of an address
#: unlike .shown[3] the hash of a Python number has the width of an address
#: unlike .shown[4] the hash of a Python number has the width of an address
#: unlike .shown[5] the hash of a Python number has the width of an address
import decimal, fractions
show([hash(v) for v in (0, 1, -1, 2**31, 2**61 - 1, 2**61, 2**64, 0.1, 1e20, float("inf"))], hash(fractions.Fraction(1, 3)), hash(decimal.Decimal("0.1")), hash(np.int64(2**40)), hash(np.float64(0.1)), hash(pd.Timestamp("2024-01-01")), hash(True), hash(None) == hash(None), hash(1 + 2j))

### hashes of tables
#: inputs sales
from pandas.util import hash_pandas_object, hash_array
show(hash_pandas_object(sales[["order", "units", "paid"]]).head(3), hash_pandas_object(sales["region"]).head(3), hash_array(np.array([1, 2, 2**40])), hash_pandas_object(sales["region"].astype("category")).sum(), hash_pandas_object(sales["amount"]).head(2), hash_pandas_object(sales["when"]).head(2), hash_array(np.array(["a", "ё"], dtype=object)), hash_pandas_object(pd.Index([1, 2])), hash_pandas_object(pd.Series(["a\0b"])))

### sets and dictionaries of numbers keep their order
#: unlike .shown[2] a set is ordered by hashes, which have the width of an address
#: unlike .shown[5] a set is ordered by hashes, which have the width of an address
show(list({5, 3, 2**40, 1}), list(dict.fromkeys([3, 1, 2**40])), list({1.5, 2**61, 7}), sorted({1, 2, 3} | {2**33}), list(frozenset(range(10)))[:3], list(set(range(0, 2**36, 2**32)))[:4])

### hashlib, zlib and base64
import hashlib, zlib, base64, binascii, hmac, uuid
show(hashlib.sha256(b"x").hexdigest(), hashlib.md5("ё".encode()).hexdigest(), zlib.crc32(b"hello"), zlib.adler32(b"hello"), base64.b64encode(b"\0\xff"), binascii.crc32(b"abc", 5), hmac.new(b"k", b"m", "sha1").hexdigest(), str(uuid.uuid5(uuid.NAMESPACE_DNS, "x")), zlib.decompress(zlib.compress(b"a" * 100)), hashlib.blake2b(b"x", digest_size=8).hexdigest(), hashlib.sha3_256(b"x").hexdigest(), hashlib.pbkdf2_hmac("sha256", b"p", b"s", 10).hex())

### decimals and fractions
from decimal import Decimal, getcontext, ROUND_HALF_UP
from fractions import Fraction
show(Decimal("1.10") + Decimal("2.2"), Decimal(1) / 3, Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal(0.1), sum([Decimal("0.1")] * 3), Fraction(1, 3) + Fraction(1, 6), Fraction(0.1), Fraction("3.7").limit_denominator(3), Decimal("1E+5"), Decimal(2) ** 100, Decimal(2).sqrt(), Decimal("NaN").is_nan(), getcontext().prec, Decimal("1") // Decimal("0.3"), pd.Series([Decimal("1.1"), Decimal("2.2")]).sum(), Decimal(10).ln())
attempt(lambda: Decimal(1) / 0, lambda: Decimal("x"), lambda: Fraction(1, 0))

### statistics and math
import math, statistics as st, cmath
show(st.mean([1, 2, 4]), st.median([1, 3, 2]), st.stdev([1, 2, 4]), st.quantiles(range(10)), st.mode("aab"), st.fmean([1, 2], [3, 1]), st.linear_regression([1, 2, 3], [2, 4, 7]), st.correlation([1, 2, 3], [1, 2, 4]), math.fsum([0.1] * 10), math.comb(60, 30), math.isqrt(2**80), math.gcd(2**40, 6), math.prod([50_000, 50_000, 50_000]), math.hypot(3, 4), math.log(2**1000), math.erf(0.5), math.gamma(5.5), math.nextafter(1, 2), math.lgamma(100), cmath.sqrt(-2), math.floor(-2**40 - 0.5), math.dist([1, 2], [4, 6]), math.sumprod([2**40, 1], [2, 3]), st.NormalDist(0, 1).cdf(1), st.geometric_mean([1, 2, 4]), math.fma(2.0, 3.0, 1.0), math.cbrt(27), math.ulp(1.0), math.remainder(7, 2.5), st.kde([1, 2, 3], 1.0)(2.0))

### collections and itertools
import collections, itertools, functools, heapq, bisect, operator
show(collections.Counter("banana").most_common(2), list(itertools.accumulate([2**31, 2**31])), list(itertools.batched("abcde", 2)), functools.reduce(operator.mul, range(1, 25)), heapq.nsmallest(2, [5, 1, 3]), bisect.bisect([1, 2, 3], 2) * 2**31, list(itertools.combinations("abc", 2)), dict(collections.OrderedDict(a=1)), list(itertools.pairwise([1, 2, 3])), list(collections.deque([1, 2, 3], maxlen=2)), [k for k, _ in itertools.groupby("aabb")], list(itertools.islice(itertools.count(2**40), 2)), sorted([(2, "b"), (1, "z"), (2, "a")]), max(["a", "Z"], key=str.lower), list(zip(*[(1, 2), (3, 4)])))

### regex, dates and text of the standard library
import textwrap, difflib, string, locale, unicodedata, shlex, urllib.parse, html, email.utils, configparser, io
show(textwrap.wrap("the quick brown fox", 8), difflib.get_close_matches("appel", ["ape", "apple"]), difflib.SequenceMatcher(None, "abcd", "bcde").ratio(), unicodedata.name("ё"), unicodedata.normalize("NFD", "é"), shlex.split("a 'b c'"), urllib.parse.quote("ё /"), html.unescape("&amp;&#233;"), string.Template("$a").substitute(a=1), unicodedata.unidata_version, urllib.parse.urlsplit("http://u@h:8/p?q#f").port, html.escape("<'"), unicodedata.category("😀"), str(bytes(range(5)), "ascii"), "a\u0301".encode("utf-16-le"))

### sympy
import sympy as s
x = s.symbols("x")
show(str(s.integrate(s.sin(x) ** 2, x)), str(s.solve(x**2 - 2)), str(s.factor(x**4 - 1)), s.factorint(2**40 - 1), int(s.nextprime(2**40)), str(s.series(s.exp(x), x, 0, 4)), float(s.pi.evalf(30)), str(s.Matrix([[1, 2], [3, 4]]).inv()), str(s.Rational(1, 3) + s.Rational(1, 6)), s.lambdify(x, x**2)(np.array([2**20, 3])), str(s.N(s.sqrt(2), 30)), bool(s.isprime(2**61 - 1)), str(s.simplify(s.sin(x) ** 2 + s.cos(x) ** 2)), str(s.limit(s.sin(x) / x, x, 0)), int(s.binomial(100, 50)))

### networkx
import networkx as nx
g = nx.Graph([(1, 2, {"w": 2**33}), (2, 3, {"w": 1}), (1, 3, {"w": 5}), (3, 4, {"w": 1})])
show(nx.shortest_path(g, 1, 4), nx.shortest_path_length(g, 1, 4, weight="w"), nx.pagerank(g), nx.degree_centrality(g), nx.betweenness_centrality(g), [sorted(c) for c in nx.connected_components(g)], nx.to_numpy_array(g, dtype=int, weight="w"), sorted(nx.minimum_spanning_edges(g, weight="w", data=False)), nx.clustering(g), nx.gnp_random_graph(6, 0.5, seed=1).number_of_edges(), nx.adjacency_matrix(g, weight="w"), nx.density(g), nx.diameter(g), nx.barabasi_albert_graph(10, 2, seed=3).number_of_edges(), nx.to_pandas_edgelist(g), list(nx.topological_sort(nx.DiGraph([(1, 2), (0, 1)]))), nx.spring_layout(g, seed=1)[1] if False else 0, nx.average_shortest_path_length(g), [sorted(c) for c in nx.community.greedy_modularity_communities(g)])

### exceptions
#: inputs sales
attempt(lambda: 1 / 0, lambda: [][0], lambda: {}["a"], lambda: int("x"), lambda: None.x, lambda: undefined, lambda: "a" + 1, lambda: open("nothing.txt"), lambda: float("x"), lambda: (_ for _ in ()).throw(StopIteration), lambda: next(iter([])), lambda: sales["nothing"], lambda: sales.nothing, lambda: np.array([1, 2]).reshape(3), lambda: chr(-1), lambda: "ё".encode("ascii"), lambda: b"\xff".decode(), lambda: 10.0**400, lambda: np.concatenate([]), lambda: pd.Timestamp("2024-13-01"), lambda: [1, 2].index(3), lambda: int(float("nan")), lambda: int(float("inf")), lambda: 2 ** -0.5 // 0, lambda: np.int64(1) // 0 if False else 0, lambda: sorted([1, "a"]), lambda: len(5), lambda: range(0, 1, 0), lambda: __import__("nothing_here"), lambda: np.array([[1, 2], [3]]), lambda: pd.DataFrame({"a": [1], "b": [1, 2]}), lambda: sales.loc[10**6], lambda: bool(pd.Series([1, 2])), lambda: bool(np.array([1, 2])))

### an exception ends the script
x = {"a": 1}
x["b"]

### an error of pandas ends the script
#: inputs sales
sales.groupby("nothing").sum()

### an error of numpy ends the script
np.linalg.inv(np.zeros((2, 2)))

### an assertion ends the script
#: inputs sales
assert len(sales) == 5, "five rows were expected"

### a class of the script's own ends it
class Bad(ValueError):
    pass
raise Bad("no")
