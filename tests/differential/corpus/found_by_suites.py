### the least of large values, from sys.maxsize on
import sys, random, itertools
least = sys.maxsize
for value in [3_000_000_000, 5_000_000_000]:
    least = min(least, value)
random.seed(3)
show(least, sys.maxsize, -sys.maxsize - 1, sys.maxsize + 1, random.randint(0, sys.maxsize), random.randrange(sys.maxsize), np.int64(sys.maxsize), pd.Series([sys.maxsize, 1]).min(), "abc"[:sys.maxsize], [1, 2][-sys.maxsize:])

### sys.maxsize where it means as much as there is
import sys, csv, gzip, bz2, lzma, io
packed = gzip.compress(b"x" * 100_000)
csv.field_size_limit(sys.maxsize)
rows = list(csv.reader(io.StringIO("a," + "b" * 200_000)))
np.set_printoptions(threshold=sys.maxsize)
pd.set_option("display.max_rows", sys.maxsize)
show(csv.field_size_limit(), len(rows[0][1]), len(gzip.open(io.BytesIO(packed)).read()), len(bz2.open(io.BytesIO(bz2.compress(b"y" * 50_000))).read()), str(np.arange(1100))[-12:], np.get_printoptions()["threshold"], np.get_printoptions()["legacy"], len(str(pd.Series(range(70))).splitlines()))

### argmax into an array of the script's
a = np.array([[3, 9, 2], [7, 1, 8]])
out = np.full(2, 2**40)
show(a.argmax(axis=1, out=out) is out, out, np.argmin(a, axis=0, out=np.full(3, -(2**40))), np.argmax(a, 1, out))
attempt(lambda: a.argmax(axis=1, out=np.empty(3, dtype=np.int64)), lambda: a.argmax(axis=1, out=[1, 2]))

### groups of nothing, and different indices
order = np.argsort([3, 1, 2])
show(pd.DataFrame().value_counts(), pd.Series([], dtype=float).groupby([]).mean(), pd.unique(order), pd.factorize(order), pd.Series(order).mode(), pd.array(["a", "b", None], dtype="string[python]").factorize())

### sums of nothing in narrow nullable columns
show(pd.DataFrame({"a": pd.array([], dtype="Int8")}).sum(axis=1), pd.DataFrame({"a": pd.array([None], dtype="Int8"), "b": pd.array([None], dtype="Int8")}).sum(axis=1, min_count=1))

### keys of 32 bits in a dictionary
show({np.int32(-2**31): 1}.get(-2**31), {-2**31: 1}.get(np.int32(-2**31)), {2**31 - 1: 1}.get(np.int32(2**31 - 1)), {np.uint32(2**32 - 1): 1}.get(2**32 - 1), {np.int64(2**40): 1}.get(2**40), {2**63: 1}.get(np.uint64(2**63)), {0.1: 1}.get(np.float64(0.1)), {2.0**40: 1}.get(np.int64(2**40)), {np.float32(0.5): 1}.get(0.5), len({np.int32(5), 5, np.int64(5), 5.0}))

### zero to the power of a complex number
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    values = [np.power(np.array([0j]), p) for p in (1 + 4j, 2, -1 + 1j, -7, 0 + 1j)]
show(values, [str(one.message) for one in told])

### an engine that is none
attempt(lambda: pd.DataFrame({"a": [1]}).to_parquet("x.parquet", engine="bar"), lambda: pd.read_parquet("x.parquet", engine="bar"))

### files of numpy's that are none
import io
attempt(lambda: np.fromfile(io.BytesIO(b"abc"), np.uint8), lambda: np.ones(3).tofile(io.BytesIO()), lambda: np.array([None]).tofile("o.bin"))

### draws from more things than a C long counts
r = np.random.RandomState(5)
many, few = 2**40 - 2, 2**33
show([r.hypergeometric(many, many, many) for _ in range(5)], r.hypergeometric(many, few, 7, size=8), r.hypergeometric(few, many, [3, 11, 2**32], size=(2, 3)), r.hypergeometric(many, 2**31, 2**31 + 5), r.hypergeometric(3, 18, 11, size=3), r.random_sample())
attempt(lambda: r.hypergeometric(many, 1, many + 2), lambda: r.hypergeometric(-1, many, 2), lambda: r.hypergeometric(many, many, -1))

### trees of classes, neighbours and clusters
from sklearn.tree import DecisionTreeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.cluster import AgglomerativeClustering
import pickle
X = np.random.default_rng(0).normal(size=(60, 3))
y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
models = [DecisionTreeClassifier(criterion=c, random_state=0).fit(X, y) for c in ("gini", "entropy", "log_loss")]
show([pickle.loads(pickle.dumps(m)).predict(X).sum() for m in models], KNeighborsClassifier().fit(X, y).predict(X).sum(), AgglomerativeClustering(3).fit(X).labels_, np.isdtype(np.argsort([1]).dtype, "numeric"), np.isdtype(np.int32, "integral"))

### a promoted int32 stays one behind an index
index = pd.MultiIndex.from_tuples([("x", "a"), ("x", "b"), ("y", "b"), ("z", "a")])
before = pd.DataFrame({"a": np.argsort([4, 3, 2, 1])}, index=index).unstack(fill_value=-1)
show(before, pd.DataFrame([[1, 2], [3, 4], [5, 6], [7, 8]], columns=list("AB"), dtype=np.int32, index=index).unstack(fill_value=-1), {pd.NA: 1, 7: 2}[pd.NA])
