### legacy randint
np.random.seed(42)
show(np.random.randint(10, size=5), np.random.randint(0, 2**40, 3), np.random.randint(5), type(np.random.randint(5)))
show(np.random.randint(0, 100, (2, 2)), np.random.randint(-5, 5, 4) * 2**31, np.random.randint(0, 2**31, 3), np.random.randint(2**31, size=2))

### legacy randint of given types
np.random.seed(7)
for t in (bool, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, int):
    show(np.random.randint(0, 2, 4, dtype=t), np.random.randint(0, 2, dtype=t))

### legacy randint limits
np.random.seed(1)
attempt(lambda: np.random.randint(0, 2**63, 2), lambda: np.random.randint(0, 2**63 - 1, 2), lambda: np.random.randint(-(2**63), 2**63, 2, dtype=np.int64), lambda: np.random.randint(0, 2**64, 2, dtype=np.uint64))
attempt(lambda: np.random.randint(5, 5), lambda: np.random.randint(0, 300, dtype=np.int8), lambda: np.random.randint(2**31, 2**31 + 5, 3), lambda: np.random.randint([1, 10], [5, 2**40]), lambda: np.random.randint(-(2**31) - 1, 2**31, 3))

### legacy floats
np.random.seed(0)
show(np.random.rand(3), np.random.randn(3), np.random.random(2), np.random.uniform(-1, 5, 3), np.random.normal(10, 2, 3), np.random.random_sample(), np.random.standard_normal((2, 2)))

### legacy choice, permutation and shuffle
np.random.seed(3)
show(np.random.choice(10, 5), np.random.choice(10, 5) * 2**31, np.random.choice(5, 3, replace=False), np.random.choice(["a", "b"], 4), np.random.choice([10, 20], 4, p=[0.1, 0.9]), np.random.permutation(6), np.random.permutation(6) * 2**31, np.random.permutation([5, 6, 7]))
a = np.arange(6); np.random.shuffle(a); show(a, np.random.choice(2**40), np.random.choice(4))

### legacy discrete distributions
np.random.seed(11)
r = np.random
for draw in (lambda: r.binomial(10, 0.3, 5), lambda: r.poisson(4.5, 5), lambda: r.geometric(0.2, 5), lambda: r.hypergeometric(10, 5, 6, 5), lambda: r.negative_binomial(3, 0.4, 5), lambda: r.zipf(2.5, 5), lambda: r.logseries(0.6, 5), lambda: r.multinomial(20, [0.2, 0.3, 0.5]), lambda: r.binomial(5, 0.5), lambda: r.poisson(3), lambda: r.poisson([1, 1000, 1e6]), lambda: r.binomial([10, 10**6], 0.5), lambda: r.poisson(5, 3) * 2**31, lambda: r.binomial(2**31 + 5, 0.5, 3), lambda: r.poisson(3e9, 3), lambda: r.multinomial(3_000_000_000, [0.5, 0.5]), lambda: r.zipf(1.05, 20)):
    attempt(draw)

### legacy continuous distributions
np.random.seed(12)
r = np.random
show(r.exponential(2, 3), r.gamma(2.5, 1.5, 3), r.beta(2, 3, 3), r.chisquare(4, 3), r.f(3, 7, 3), r.standard_t(5, 3), r.laplace(0, 1, 3), r.logistic(0, 1, 3), r.lognormal(0, 1, 3), r.gumbel(0, 1, 3), r.weibull(2, 3), r.pareto(3, 3), r.rayleigh(2, 3), r.triangular(0, 1, 3, 3), r.vonmises(0, 2, 3), r.wald(1, 2, 3), r.power(3, 3), r.standard_cauchy(3), r.dirichlet([1, 2, 3]), r.noncentral_chisquare(3, 2, 2), r.standard_gamma(0.5, 3), r.standard_exponential(2))

### legacy multivariate normal
#: rel 1e-9 SVD is LAPACK's
np.random.seed(5)
show(np.random.multivariate_normal([0, 1], [[2, 0.5], [0.5, 1]], 3))

### legacy random integers and bytes
np.random.seed(9)
show(np.random.bytes(5), np.random.RandomState(3).tomaxint(3))
show(np.random.RandomState(5).tomaxint(), np.random.RandomState(5).randint(0, 2**62, 2))

### RandomState objects
s = np.random.RandomState(123)
show(s.randint(0, 1000, 5), s.rand(2), s.choice(100, 3, replace=False), s.permutation(4), s.normal(size=2), s.poisson(4, 3).dtype, s.binomial(5, 0.5, 2).dtype)
state = s.get_state()
show(state[0], int(state[2]), s.randint(10, size=3)); s.set_state(state); show(s.randint(10, size=3))

### Generator integers
g = np.random.default_rng(42)
show(g.integers(10, size=5), g.integers(0, 2**40, 3), g.integers(5), type(g.integers(5)), g.integers(0, 10, 3) * 2**31, g.integers(1, 6, 4, endpoint=True), g.integers([1, 5], [10, 2**50]))
for t in (bool, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, int):
    show(g.integers(0, 2, 4, dtype=t), g.integers(0, 2, dtype=t))

### Generator integers at the limits
g = np.random.default_rng(1)
attempt(lambda: g.integers(0, 2**63, 2), lambda: g.integers(-(2**63), 2**63 - 1, 2, endpoint=True), lambda: g.integers(0, 2**64, 2, dtype=np.uint64), lambda: g.integers(0, 2**64, 2), lambda: g.integers(2**31 - 1, 2**31 + 1, 3), lambda: g.integers(3, 3), lambda: g.integers(0, 2**32, 3), lambda: g.integers(0, 2**32 - 1, 3, endpoint=True))

### Generator floats
g = np.random.default_rng(0)
show(g.random(3), g.random(2, dtype=np.float32), g.standard_normal(3), g.standard_normal(2, dtype=np.float32), g.uniform(-1, 5, 3), g.normal(10, 2, 3), g.random(), g.standard_exponential(2), g.standard_exponential(2, method="inv"))

### Generator choice, permutation and shuffle
g = np.random.default_rng(3)
show(g.choice(10, 5), g.choice(10, 5) * 2**31, g.choice(50, 4, replace=False), g.choice(["a", "b"], 4), g.choice([10, 20], 4, p=[0.1, 0.9]), g.permutation(6), g.permutation(6) * 2**31, g.permuted([[1, 2, 3], [4, 5, 6]], axis=1), g.choice(10**6, 3, replace=False, shuffle=False), g.choice(7))
a = np.arange(6); g.shuffle(a); show(a, g.choice([[1, 2], [3, 4]], 2, axis=1), g.bytes(4), g.permutation(10)[:3].dtype)

### Generator discrete distributions
g = np.random.default_rng(11)
for draw in (lambda: g.binomial(10, 0.3, 5), lambda: g.poisson(4.5, 5), lambda: g.geometric(0.2, 5), lambda: g.hypergeometric(10, 5, 6, 5), lambda: g.negative_binomial(3, 0.4, 5), lambda: g.zipf(2.5, 5), lambda: g.logseries(0.6, 5), lambda: g.multinomial(20, [0.2, 0.3, 0.5]), lambda: g.multivariate_hypergeometric([3, 4, 5], 6), lambda: g.binomial(5, 0.5), lambda: g.poisson(3), lambda: g.poisson([1, 1000, 1e6]), lambda: g.poisson(5, 3) * 2**31, lambda: g.binomial(2**31 + 5, 0.5, 3), lambda: g.poisson(3e9, 3), lambda: g.multinomial(3_000_000_000, [0.5, 0.5]), lambda: g.geometric(1e-10, 3), lambda: g.zipf(1.05, 20), lambda: g.hypergeometric(2**30, 2**29, 1000, 3), lambda: g.multivariate_hypergeometric([10, 20, 30], 15, method="count", size=2), lambda: g.negative_binomial(10**9, 0.1, 2)):
    attempt(draw)

### Generator continuous distributions
g = np.random.default_rng(12)
show(g.exponential(2, 3), g.gamma(2.5, 1.5, 3), g.beta(2, 3, 3), g.chisquare(4, 3), g.f(3, 7, 3), g.standard_t(5, 3), g.laplace(0, 1, 3), g.logistic(0, 1, 3), g.lognormal(0, 1, 3), g.gumbel(0, 1, 3), g.weibull(2, 3), g.pareto(3, 3), g.rayleigh(2, 3), g.triangular(0, 1, 3, 3), g.vonmises(0, 2, 3), g.wald(1, 2, 3), g.power(3, 3), g.standard_cauchy(3), g.dirichlet([1, 2, 3]), g.noncentral_chisquare(3, 2, 2), g.standard_gamma(0.5, 3), g.noncentral_f(3, 20, 3, 2))

### Generator multivariate normal
#: rel 1e-9 SVD is LAPACK's
g = np.random.default_rng(5)
show(np.abs(g.multivariate_normal([0, 1], [[2, 0.5], [0.5, 1]], 3, method="cholesky")))

### bit generators
for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64):
    g = np.random.Generator(kind(7))
    show(kind.__name__, g.integers(0, 2**63, 2), g.random(2), g.integers(100, size=3), kind(7).random_raw(2), g.normal(size=2), g.spawn(1)[0].integers(0, 2**40))

### jumps and advances
b = np.random.PCG64(5)
show(np.random.Generator(b.jumped(2)).integers(0, 2**40, 2)); b.advance(10**12); show(np.random.Generator(b).integers(0, 2**40, 2))
show(np.random.Generator(np.random.MT19937(5).jumped()).integers(0, 2**40, 2), np.random.Generator(np.random.Philox(5).jumped()).integers(0, 2**40, 2))

### seed sequences
s = np.random.SeedSequence(2**70 + 5)
show(s.generate_state(4), s.generate_state(2, np.uint64), [c.generate_state(1) for c in s.spawn(2)], np.random.SeedSequence([1, 2**33, 3]).generate_state(3), s.pool)
show(np.random.default_rng([1, 2, 3]).integers(1000, size=3), np.random.default_rng(2**40).integers(1000, size=3), np.random.default_rng(np.int64(5)).random(), np.random.RandomState([1, 2]).randint(1000, size=3), np.random.RandomState(np.arange(3)).rand())
attempt(lambda: np.random.default_rng(-1), lambda: np.random.RandomState(2**32), lambda: np.random.seed(-1), lambda: np.random.RandomState(2**32 - 1).rand(), lambda: np.random.seed(np.int64(3)))

### a simulation
g = np.random.default_rng(2024)
walk = g.choice([-1, 1], size=(200, 500)).cumsum(axis=1)
show(walk[:, -1].mean(), np.abs(walk).max(), (walk[:, -1] ** 2).mean(), np.bincount(walk[:, -1] + 500).max(), (walk.astype(np.int32).sum() * 10**9), walk.dtype)

### a bootstrap with legacy draws
np.random.seed(99)
x = np.random.exponential(10, 50)
means = [np.random.choice(x, 50).mean() for _ in range(20)]
show(np.percentile(means, [2.5, 97.5]), x[np.random.randint(0, 50, 5)], np.random.permutation(x)[:2])

### Python's own generator
import random
random.seed(5)
show(random.random(), random.randint(1, 10**12), random.sample(range(100), 3), random.choices("abc", k=4), random.gauss(0, 1), random.getrandbits(70), random.shuffle(l := [1, 2, 3, 4]), l, random.betavariate(2, 3), random.triangular(), random.binomialvariate(10, 0.5))
