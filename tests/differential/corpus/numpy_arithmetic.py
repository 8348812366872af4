### products of default integers pass 2**31
a = np.array([50_000, 90_000])
show(a * a, a**2, a * 90_000, 90_000 * a, np.multiply(a, a), np.square(a), a @ a, np.dot(a, a))

### sums pass 2**31
a = np.array([2_000_000_000, 2_000_000_000, -5])
show(a.sum(), a + a, np.add.reduce(a), np.cumsum(a), a[:2].mean(), np.sum(list(a)), sum(a))

### 64-bit overflow wraps
a = np.array([2**63 - 1])
show(a + 1, a * 2, -np.array([-(2**63)]), np.abs(np.array([-(2**63)])), np.uint64(0) - np.uint64(1))
show(np.array([2**64 - 1], np.uint64) + np.uint64(1), np.array([2**62]) * 4, np.array([3]) ** 41)

### small integers overflow as they are
show(np.array([127], np.int8) + np.int8(1), np.array([255], np.uint8) + 1, np.array([2**31 - 1], np.int32) + 1)
show(np.array([30000], np.int16) * 2, np.int32(2**31 - 1) * np.ones(1, np.int32))
attempt(lambda: np.array([1], np.uint8) + 256, lambda: np.array([1], np.int8) * 1000, lambda: np.array([1], np.int32) + 2**31)

### Python integers beyond an array's type
attempt(lambda: np.array([1]) + 2**63, lambda: np.array([1], np.uint64) + -1, lambda: np.array([1]) + 2**62, lambda: np.array([1]) * 2**64)
attempt(lambda: np.array([1], np.int32) + 2**31, lambda: np.array([1.0]) + 2**70, lambda: np.int64(1) + 2**63, lambda: np.array([1]) < 2**70)

### scalars and Python integers
show(np.int64(2**31) * 2, np.int32(5) + 7, np.int8(5) * 2, np.uint8(200) + np.uint8(100), np.float32(1) + 1)
show(np.int32(2**30) + np.int64(2**31), np.int64(3) / 2, np.int64(7) // 2, np.int64(-7) % 3, np.int64(2) ** 40)
show(5 + np.int64(3), 2**40 * np.int64(2), np.int16(3) << 4, np.int64(1) << 40, np.int64(1) << np.int64(62))

### mixed types promote
pairs = [("i4", "i8"), ("i4", "u4"), ("i8", "u8"), ("u8", "i4"), ("i4", "f4"), ("i2", "f4"), ("i8", "f4"), ("?", "i1"), ("u1", "i1"), ("f4", "f8"), ("i8", "c8")]
for left, right in pairs:
    a, b = np.array([3], left), np.array([2], right)
    show(a + b, a * b, a / b, np.result_type(left, right), np.promote_types(left, right))

### result_type with Python scalars
show(np.result_type(1), np.result_type(np.int8, 1), np.result_type(np.int32, 1.0), np.result_type(int, np.float32))
show(np.min_scalar_type(1), np.min_scalar_type(2**31), np.min_scalar_type(-1), np.min_scalar_type(2**40), np.result_type("l", "q"), np.result_type(np.intp, np.uint32), np.common_type(np.arange(2), np.arange(2.0)))

### can_cast
show([np.can_cast(a, b) for a in ("i4", "i8", "u8", "l", "q", "p") for b in ("i4", "i8", "u8", "f8", "l", "q", "p")])
show(np.can_cast(np.int64, np.intp), np.can_cast(np.intp, int), np.can_cast("i8", "i4", "same_kind"))

### ufuncs of two Python integers
show(np.add(2**31, 1), np.multiply(50_000, 50_000), np.subtract(0, 2**31), np.power(2, 40), np.left_shift(1, 40))
show(np.maximum(1, 2**40), np.floor_divide(7, 2), np.remainder(-7, 3), np.true_divide(1, 3), np.gcd(12, 18), np.lcm(100_000, 99_999), np.bitwise_or(1, 2**33))
show(np.negative(5), np.absolute(-(2**31)), np.sign(-3), np.square(50_000), np.invert(0), np.mod(5, 3), np.divmod(7, 2))

### ufuncs of lists
show(np.add([1, 2], [2**31, 3]), np.multiply([50_000], [50_000]), np.cumsum([2**31 - 1, 1]), np.prod([50_000, 50_000]))
show(np.sum([2**31, 2**31]), np.diff([0, 2**31, 2**32]), np.outer([50_000], [90_000, 1]), np.inner([50_000, 1], [50_000, 1]))

### integer division and remainders
a, b = np.array([7, -7, 7, -7, 0]), np.array([2, 2, -2, -2, 5])
show(a // b, a % b, np.fmod(a, b), np.divmod(a, b), a / b)
with np.errstate(all="ignore"):
    show(np.array([1, 0]) // 0, np.array([1, 0]) % 0, np.array([1, -1, 0]) / 0, np.array([-(2**63)]) // -1)

### integer powers
show(np.arange(5) ** 2, 2 ** np.arange(40)[::13], np.array([2]) ** 62, np.array([10], np.int64) ** 18, np.array([2.0]) ** -1)
attempt(lambda: np.array([2]) ** -1, lambda: np.int64(2) ** -1, lambda: np.power(2, -1), lambda: np.float_power(2, -1))

### bits
a = np.array([1, 2**31, 2**40, -1])
show(a << 3, a >> 1, a & 0xFFFFFFFF, a | 1, a ^ a[::-1], ~a, np.bitwise_count(a), a << 32)
show(np.array([1]) << np.array([63]), np.uint64(1) << np.uint64(63), np.left_shift(np.int32(1), 31), np.packbits([1, 0, 1]), np.unpackbits(np.array([5], np.uint8)))

### in-place operations keep the type
a = np.arange(3)
a += 2**40
a *= 3
show(a)
b = np.ones(2, np.int32)
b += 5
show(b)
attempt(lambda: np.add(b, 0.5, out=b), lambda: np.add(b, np.int64(1), out=b), lambda: b.__iadd__(2**40))

### floats to integers
show(np.array([1.9, -1.9, 0.5]).astype(int), np.floor([1.5, -1.5]).astype(int), np.rint([0.5, 1.5, 2.5]).astype(int))
show(np.array([1e18, 2.0**62]).astype(int), np.array([3e9]).astype(int), np.array([3e9]).astype(np.int64), int(np.float64(3e9)))

### casts between widths
a = np.array([2**40 + 5, -1, 2**31])
show(a.astype(np.int32), a.astype(np.uint8), a.astype(np.uint64), a.astype("l"), a.astype(np.intp), a.astype(float), a.astype(np.float32))
show(a.astype(str), a.astype("U5"), a.astype(bool), a.astype(object), a.astype(int), a.astype("datetime64[s]"))
attempt(lambda: a.astype(np.int32, casting="safe"), lambda: a.astype(np.int64, casting="safe"), lambda: np.array([1], np.intp).astype(int, casting="no"))

### text to numbers
show(np.array(["1", "-2", "3000000000"]).astype(int), np.array(["1.5", "nan"]).astype(float), np.array([b"7"]).astype(int))
attempt(lambda: np.array(["x"]).astype(int), lambda: np.array(["99999999999999999999"]).astype(int), lambda: np.int64("5"), lambda: np.int_("3000000000"))

### comparison of signed and unsigned
show(np.array([-1]) < np.array([1], np.uint64), np.array([2**63 - 1]) == np.array([2**63], np.uint64), np.int64(-1) == np.uint64(2**64 - 1))
show(np.array([1]) == 1.0, np.array([2**53 + 1]) == float(2**53), np.array([1, 2]) == [1, 3], np.array(["a"]) == "a")

### rounding
show(np.round([0.5, 1.5, 2.675, -0.5], 0), np.round([2.675, 1.005], 2), np.round(np.array([123, 155]), -1), np.around(12345, -2))
show(np.floor(-0.5), np.ceil(-0.5), np.trunc(-0.5), np.fix([2.7, -2.7]), np.round(2**40 + 5, -1), np.int64(15).round(-1))

### mean, var and std of integers
a = np.array([2_000_000_000, 2_100_000_000, 1_900_000_000], np.int32)
show(a.sum(), a.mean(), a.var(), a.std(ddof=1), a.prod(), np.median(a), np.average(a, weights=[1, 2, 3]), a.cumsum())

### clip, minimum and where
a = np.array([1, 5, 2**40])
show(a.clip(2, 2**31), np.clip(a, 2, None), np.minimum(a, 2**31), np.where(a > 3, a, 0), np.where(a > 3, 1, 0) * 2**40, np.where([True, False], 2**31, 1))
show(np.where(a > 3, a, np.nan), np.select([a < 2, a < 10], [1, 2**33], default=-1), np.choose([0, 1, 0], [a, -a]), np.piecewise(a, [a > 2], [lambda v: v * 2, 0]))

### complex numbers
z = np.array([1 + 2j, -1j])
show(z * z, np.abs(z), np.angle(z), z.conj(), z.real, np.exp(1j * np.pi), np.sqrt(np.array([-1 + 0j])), z.sum(), z.prod())

### special floats
a = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0])
with np.errstate(all="ignore"):
    show(a + 1, a * 0, np.sign(a), np.isnan(a), 1 / a, np.maximum(a, -1), np.fmax(a, -1), np.nan_to_num(a), np.signbit(a), a.max(), np.nanmax(a))

### float32 stays float32
a = np.array([0.1, 0.2, 16777216.0], np.float32)
show(a + 1, a * 2.5, a.sum(), a.mean(), np.float32(0.1) + 0.2, a.astype(float), a.cumsum(), np.sqrt(a), a / 3, a ** 2)

### elementary functions
a = np.array([0.1, 1.0, 2.5, 10.0])
show(np.exp(a), np.log(a), np.log1p(a), np.expm1(a), np.sqrt(a), np.cbrt(a), np.sin(a), np.cos(a), np.tan(a), np.arctan2(a, 2), np.hypot(a, 1), np.sinh(a), np.tanh(a), np.log2(a), np.log10(a), np.degrees(a), np.exp2(a), np.arcsin(a / 10))

### elementary functions of integers
a = np.array([1, 2, 2**40])
show(np.sqrt(a), np.log(a), np.exp(np.array([1, 2])), np.sin(a), np.log2(a), np.sqrt(np.array([4], np.int8)), np.exp(np.int16(3)), np.arctan(a), np.reciprocal(np.array([2, 1])), np.isfinite(a), np.cbrt(a), np.float_power(a, 0.5))

### frexp, ldexp, modf and spacing
show(np.frexp([1.0, 10.0, 2.0**40]), np.ldexp([1.0, 0.5], [3, 40]), np.modf([1.5, -2.25]), np.spacing(1.0), np.nextafter(1.0, 2.0), np.ldexp(1.0, 5))

### polynomials
show(np.polyval([1, 2, 3], 100_000), np.polymul([100_000, 1], [100_000, 1]), np.roots([1, -3, 2]), np.polyfit([0, 1, 2, 3], [1, 3, 7, 13], 2).round(8), np.poly1d([1, 2])(2**31), np.convolve([50_000, 1], [50_000, 2]), np.polyder([1, 2, 3]), np.polyint([2, 2]))

### dot products and matrices of integers
a = np.array([[50_000, 1], [2, 90_000]])
show(a @ a, np.dot(a, a), np.matmul(a, [1, 2]), np.tensordot(a, a), np.einsum("ij,jk->ik", a, a), np.einsum("ii", a), np.trace(a) * 2**30, np.vdot(a, a), np.kron(a, [1, 2]), np.cross([50_000, 1, 0], [0, 50_000, 1]), np.linalg.matrix_power(a, 2))

### powers and sums of a range
n = np.arange(1, 3001)
show((n**3).sum(), (n * n[::-1]).sum(), np.cumsum(n**2)[-1], np.cumprod(np.arange(1, 21))[-1], (n.astype(np.int32) ** 2).sum(), np.prod(np.arange(1, 22)))

### ufunc methods
a = np.array([1, 2, 3, 4])
show(np.add.accumulate(a * 2**30), np.multiply.outer(a, a * 2**31), np.add.reduceat(a, [0, 2]), np.maximum.reduce(a), np.multiply.reduce([50_000, 50_000]))
b = np.zeros(3, int)
np.add.at(b, [0, 0, 2], 2**31)
show(b, np.logical_and.reduce([1, 0]), np.bitwise_or.reduce([1, 2**40]), np.add.reduce([True, True]), np.subtract.accumulate([1, 2, 3]))

### Python integers beside booleans
b = np.array([True, False])
show(b * 5, b + 2**31, b // 3, b % 2, b - 1 if False else 0, np.maximum(b, 2**40), b & 2**40, b << 40, np.power(b, 2), np.bool_(True) + 2**40, np.bool_(True) * 2**31, np.True_ + 1, b.sum() * 2**31, np.clip(b, 0, 2**40), np.add(True, 2**40), np.power(10, 12), np.floor_divide(2**40, 3), np.left_shift(1, 40), np.bitwise_or(2**40, 1), divmod(np.int64(2**40), 3), np.result_type(bool, 1), np.result_type(np.bool_, 2**40), np.result_type(1, 2), b.dot(np.array([2**40, 1])), np.where(b, 2**40, 1), np.multiply.outer(b, [2**40]), isinstance(np.power, np.ufunc), np.power.outer([2, 3], [39, 1]))
attempt(lambda: np.int8(5) + 2**40, lambda: np.power(2**70, 2), lambda: np.power(2, -1), lambda: np.power(2, np.array([40, -1])), lambda: b + 2**63, lambda: pd.Series(b) + 2**31, lambda: pd.DataFrame({"a": pd.array([True, None])}) + 2**31, lambda: pd.DataFrame({"a": pd.array([], "boolean")}) + 2**31)
