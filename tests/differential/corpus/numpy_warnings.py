"""What numpy warns of that floats do, and what it casts them to."""

### divisions and what is not a number
a = np.array([1.0, 0.0, -2.0, np.nan, np.inf])
z = np.zeros(5)
for kind in ("float64", "float32", "float16"):
    x, y = a.astype(kind), z.astype(kind)
    warned(lambda: x / y, lambda: x // y, lambda: x % y, lambda: np.divmod(x, y), lambda: np.fmod(x, y), lambda: x - x[::-1], lambda: x * y, lambda: 1 / x, lambda: np.reciprocal(x), lambda: np.sqrt(x), lambda: x ** 0.5, lambda: y ** -1.0, lambda: x[:1] / x[:1], lambda: x + x, lambda: x[3:] / 2)
warned(lambda: np.array([1, 2]) / 0, lambda: np.array([1, 0]) // 0, lambda: np.array([5]) % 0, lambda: np.array([True]) / 0, lambda: np.divide([1, 2], [0, 1], where=[False, True], out=np.ones(2)))

### functions of the library
for f in (np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.square, np.reciprocal, np.deg2rad, np.sign, np.absolute, np.floor, np.rint, np.spacing, np.negative, np.isnan):
    for value in (0.5, 0.0, -0.0, 1.0, -1.0, -2.0, 1000.0, -1000.0, np.inf, -np.inf, np.nan, 1e300):
        warned(lambda: np.isnan(f(np.array([value]))), lambda: np.isinf(f(np.float32(value))))
for f in (np.power, np.arctan2, np.hypot, np.logaddexp, np.logaddexp2, np.fmod, np.remainder, np.floor_divide, np.copysign, np.maximum, np.fmax, np.heaviside, np.nextafter):
    for one, two in ((0.0, -1.0), (-8.0, 1 / 3), (1e200, 2.0), (1e300, 1e300), (0.5, -2000.0), (np.inf, -np.inf), (np.nan, 1.0), (1.0, 0.0), (np.inf, 2.0), (1e308, 1.7e308)):
        warned(lambda: np.isfinite(f(np.array([one]), np.array([two]))), lambda: np.isfinite(f(np.float64(one), two)))

### sums and products
big, both, empty = np.full(300, 1e308), np.array([np.inf, 1.0, -np.inf] * 20), np.array([])
warned(lambda: big.sum(), lambda: big.prod(), lambda: big.cumsum()[:3], lambda: big.mean(), lambda: big.var(), lambda: both.sum(), lambda: both.mean(), lambda: both.std(), lambda: empty.mean(), lambda: empty.var(), lambda: np.nanmean([np.nan]), lambda: np.median(empty), lambda: np.average([1.0, np.inf]), lambda: np.add.reduce(both[:2]), lambda: np.add.accumulate(both)[:4], lambda: np.diff(both)[:4], lambda: np.cumprod(big)[:3], lambda: np.ones((3, 4)).sum(axis=0), lambda: np.full((3, 40), 1e308).sum(axis=0)[:2], lambda: np.full((40, 3), 1e308).sum(axis=1)[:2], lambda: big.astype("float32")[:2], lambda: np.full(4, 3e38, "float32").sum(), lambda: np.full(4, 6e4, "float16").sum(), lambda: np.full(4, 6e4, "float16") * np.float16(2), lambda: np.linalg.norm(both[:2]), lambda: np.subtract.outer(both[:3], both[:3]), lambda: np.corrcoef([[1.0, 1.0], [1.0, 2.0]]), lambda: np.ptp(both), lambda: np.add.reduceat(both, [0, 4]), lambda: np.linalg.det(np.zeros((2, 2))))
x = np.array([1.0, 2.0, 1e308]); x *= 10; x -= np.inf; np.add.at(x, [0, 1], np.inf)
show(x)
np.divide.at(x, [0, 1], 0.0); np.multiply.at(x, [2], 0.0)
show(x)

### single numbers
for kind in (np.float64, np.float32, np.float16):
    one, none, top, no, far = kind(1), kind(0), np.finfo(kind).max, kind("nan"), kind("inf")
    warned(lambda: one / none, lambda: none / none, lambda: one // none, lambda: one % none, lambda: divmod(one, none), lambda: top * kind(2), lambda: top + top, lambda: far - far, lambda: -top - top, lambda: top ** kind(2), lambda: none ** kind(-1), lambda: (-one) ** kind(0.5), lambda: no / one, lambda: no + one, lambda: far * none, lambda: one / far, lambda: far / 2, lambda: top / kind(0.5), lambda: far // one, lambda: far % one)
warned(lambda: np.int64(1) / 0, lambda: np.int64(0) / np.int64(0), lambda: np.int64(1) // 0, lambda: np.int32(5) % 0, lambda: np.int64(2**62) * 4, lambda: np.uint8(200) + np.uint8(100), lambda: np.bool_(True) / 0, lambda: np.float64(1) / np.int64(0), lambda: np.complex128(1) / 0, lambda: np.complex128(1e308) * 10, lambda: np.complex128(complex(0, np.inf)) - complex(0, np.inf), lambda: np.float64(2) ** 2000, lambda: 5.0 / np.float64(0), lambda: abs(np.complex128(1.7e308 + 1.7e308j)))

### complex numbers
#: unlike .shown[16] native numpy computes it with fused multiply-add where the processor has that
#: unlike .shown[17] native numpy computes it with fused multiply-add where the processor has that
c = np.array([1 + 1j, 2 - 1j])
warned(lambda: c / 2, lambda: c * c, lambda: c + c, lambda: c.sum(), lambda: np.abs(c), lambda: c * 1e308, lambda: c + complex(np.inf, 0), lambda: c - complex(np.inf, 1), lambda: np.square(c * 1e200), lambda: np.reciprocal(c), lambda: np.abs(np.array([1.7e308 + 1.7e308j])))

### errors where they are asked for
for how in ("divide", "over", "under", "invalid", "all"):
    with np.errstate(**{how: "raise"}):
        attempt(lambda: np.array([1.0]) / 0, lambda: np.array([1e300]) * 1e300, lambda: np.array([1e-300]) * 1e-300, lambda: np.array([0.0]) / 0, lambda: np.float64(1) / 0, lambda: np.float64(1e-300) ** 2, lambda: np.float64(1e-300) / 1e300, lambda: np.exp(np.array([-800.0])), lambda: np.array([1e-310]) * 0.5, lambda: np.array([1e-310]) / 3, lambda: np.array([1e-310]) * 2.0, lambda: np.float32(1e-30) * np.float32(1e-30), lambda: np.array([1e-50]).astype("float32"), lambda: np.array([0.0, 3.0]) * 0.0, lambda: np.array([2.0**-1070]) * 0.5, lambda: np.array([5e-324]) / 2, lambda: np.array([5e-324]) - 1e-323, lambda: np.array([np.nan]) + 1, lambda: np.array([np.inf]) * 2, lambda: np.array([1e-200, 1.0]).prod(), lambda: np.array([1e-200, 1e-200]).prod(), lambda: np.array([np.nan]).astype("int8"), lambda: np.power(2.0, np.array([-2000])), lambda: np.full(3, 0.1).cumprod(), lambda: np.array([1, 2]) // np.array([0, 1]))
with np.errstate(divide="call", call=lambda kind, flag: show([kind, flag])):
    show(np.array([1.0, 0.0]) / 0.0)
attempt(lambda: np.geterr(), lambda: np.seterr(all="ignore"), lambda: np.array([1.0]) / 0)

### pandas asks for none of them
f = pd.DataFrame({"a": [1.0, 0.0, np.nan, np.inf], "b": [0.0, 0.0, 1.0, np.inf], "g": list("xxyy")})
show(f["a"] / f["b"], f["a"] // f["b"], f["a"] % f["b"], f["a"] - f["b"], f[["a", "b"]].pct_change(), f.groupby("g")["a"].mean(), f["a"].sum(), f["a"].std(), f["a"].rolling(2).mean(), np.log(f["b"]), np.sqrt(-f["a"]), f["a"].corr(f["b"]), f.eval("a / b"), f["a"].div(0), f["a"].pow(1000), f[["a", "b"]].prod(), f.describe().loc["mean"], (f["a"] * 1e308) * 10, f["a"].replace(np.inf, 0).astype("float32"), f["a"].skew())

### to integers that hold no such float
import warnings
values = [np.nan, np.inf, -np.inf, 1e20, -1e20, 3e9, -3e9, 2.0**63, 2.0**64, 1.5e19, -1.0, -1.5, 300.0, 70000.0, -70000.0, 5e9, 2.0**31, -(2.0**31) - 0.5, -(2.0**31) - 1, 2.0**32, -(2.0**63), 255.9, -0.9, 65504.0]
for kind in ("float64", "float32", "float16"):
    for to in ("int8", "uint8", "int16", "uint16", "int32", "int64", "uint64", "bool", "M8[s]", "m8[ns]"):
        for value in values:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                a = np.array([value]).astype(kind)
                seen.clear()
                got = a.astype(to), np.repeat(a, 9)[::3].astype(to)[1]
            show(int(got[0].view("i8")[0]) if to[1:2] == "8" else int(got[0][0]), bool(got[0][0] == got[1] or np.isnat(got[1])) if to[1:2] == "8" else bool(got[0][0] == got[1]), [str(w.message) for w in seen])
for value in (-1.0, -1.5, 3e9, 1e19, 70000.0):
    show(np.array([value]).astype("uint32"))

### casts in other places
a = np.array([1.5, np.nan, 1e20])
b = np.zeros(3, np.int64)
def put(): b[:] = a; return b
warned(lambda: a.astype(int), put, lambda: np.float64("nan").astype(int), lambda: np.rint(a).astype("int32"), lambda: np.array([1 + 1j, complex(np.nan, 1)]).real.astype(int), lambda: np.add(a, 1, dtype=np.float32, casting="unsafe"), lambda: np.array([1e300]).astype("float32"), lambda: np.array([1e6]).astype("float16"), lambda: np.array([1e-300]).astype("float32"), lambda: np.copyto(b, a, casting="unsafe"), lambda: np.floor(a[:1]).astype(int), lambda: np.multiply(a, 2, out=b, casting="unsafe"))
attempt(lambda: pd.Series(a).astype(int), lambda: pd.Series([1.5, 2.0]).astype("Int64"), lambda: pd.Series([1.0, np.inf]).astype("int64"), lambda: pd.Series([1e20]).astype("int64"), lambda: pd.to_numeric(pd.Series([1.0, 1e20]), downcast="integer"), lambda: pd.Series([1.5, np.nan]).astype("datetime64[s]"), lambda: pd.Series([300.0]).astype("uint8"), lambda: pd.Series([-1.0]).astype("uint8"))
