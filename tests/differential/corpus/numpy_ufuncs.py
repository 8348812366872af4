### every ufunc over every pair of types, whatever was computed before
import itertools
import zlib

kinds = [*"?bBhHiIqQefdFD", "m8[s]", "M8[s]"]
long = {"l": "q", "L": "Q"}
ufuncs = sorted({u for u in vars(np).values() if isinstance(u, np.ufunc) and not u.signature}, key=lambda u: u.__name__)


# As a library makes them: in the room a script's own `long` has 64 bits.
of_library = {"np": np}
exec(compile("def array(kind): return np.array([1, 0, 1]).astype(kind)", np.__file__, "exec"), of_library)


def forms(ufunc, types):
    a = [of_library["array"](kind) for kind in types]
    yield lambda: ufunc(*a)
    if ufunc.nin == 2:
        yield lambda: ufunc(a[0], 1)
        yield lambda: ufunc(1, a[1])
        yield lambda: ufunc(a[0], True)
        yield lambda: ufunc(a[0], 1.5)
        yield lambda: ufunc(a[0][0], a[1])
        if ufunc.nout == 1:
            yield lambda: ufunc.reduce(a[0])
            yield lambda: ufunc.accumulate(a[0])
            yield lambda: ufunc.outer(a[0], a[1])
            yield lambda: ufunc.at(a[0], [0], a[1][:1]) or a[0]


def looked(form):
    try:
        answer = form()
    except Exception as error:
        return type(error).__name__
    answers = answer if isinstance(answer, tuple) else (answer,)
    return [(long.get(x.dtype.char, x.dtype.char), x.tolist() if x.dtype.kind in "iub" else None) for x in map(np.asarray, answers)]


def asked(kinds):
    for ufunc in ufuncs:
        for types in itertools.product(kinds, repeat=min(ufunc.nin, 2)):
            yield ufunc, types + types[:1] if ufunc.nin == 3 else types


with np.errstate(all="ignore"):
    import warnings

    warnings.simplefilter("ignore")
    # C's long first, then in another order than the types are asked for: numpy remembers what it found.
    with_long = [one for one in asked(["l", "L", *kinds]) if {"l", "L"} & set(one[1])]
    order = np.random.default_rng(1).permutation(len(with_long))
    for place in sorted(order, key=lambda place: not set(with_long[place][1]) <= {"l", "L"}):
        for form in forms(*with_long[place]):
            looked(form)
    found = {}
    for ufunc, types in asked(["l", *kinds]):
        found.setdefault(ufunc.__name__, []).append((types, [looked(form) for form in forms(ufunc, types)]))
show({name: zlib.crc32(repr(answers).encode()) for name, answers in found.items()})

### one over zero, and durations beyond their range
show([np.reciprocal(np.array([0, 1, 2, -1]).astype(kind)) for kind in "bBhHiIqQ"], np.reciprocal(np.zeros(37, int))[[0, 16, 36]])
days = np.array([10**10, -1, 0, 3], "m8[s]")
show(days * 1e30, 1e30 * days, days / 1e-30, days * np.nan, days * np.inf, days * 1.5, days / 0.0)

### what they warn of
import warnings

days = np.array([10**10, -1, 0, 3], "m8[s]")
for form in [*(lambda k=k: np.reciprocal(np.array([0, 1], k)) for k in "bBhHiIqQ"), lambda: days * 1e30, lambda: days / 0.0, lambda: days / 1e-30, lambda: days * np.nan, lambda: days * np.inf, lambda: np.array([np.nan, 1e30]).astype("m8[s]"), lambda: np.float32(2) * days]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        form()
    show([str(one.message) for one in told])
