### t tests
#: inputs rates
from scipy import stats
a, b = rates["x1"], rates["x2"]
show(stats.ttest_ind(a, b), stats.ttest_ind(a, b, equal_var=False), stats.ttest_rel(a, b), stats.ttest_1samp(a, 0.1), stats.ttest_ind(a, b, alternative="less").pvalue)

### rank tests
#: inputs rates
from scipy import stats
a, b = rates["x1"], rates["count"]
show(stats.mannwhitneyu(a, b), stats.wilcoxon(a - a.median()), stats.kruskal(a, b, rates["x2"]), stats.ranksums(a, b), stats.rankdata(b), stats.friedmanchisquare(a, b, rates["x2"]), stats.median_test(a, b)[0])

### correlations
#: inputs rates
from scipy import stats
show(stats.pearsonr(rates["x1"], rates["y"]).statistic, stats.pearsonr(rates["x1"], rates["y"]).pvalue, stats.spearmanr(rates["x1"], rates["count"]), stats.kendalltau(rates["x1"], rates["count"]), stats.pointbiserialr(rates["hit"], rates["y"]), stats.weightedtau(rates["x1"][:20], rates["y"][:20]).statistic)

### regressions of one variable
#: inputs rates
from scipy import stats
r = stats.linregress(rates["x1"], rates["y"])
show(r.slope, r.intercept, r.rvalue, r.pvalue, r.stderr, stats.theilslopes(rates["y"][:30], rates["x1"][:30])[:2], stats.siegelslopes(rates["y"][:30], rates["x1"][:30]))

### contingency tables
from scipy import stats
t = np.array([[10, 20, 30], [6, 9, 17]])
r = stats.chi2_contingency(t)
show(r.statistic, r.pvalue, r.dof * 2**31, r.expected_freq, stats.fisher_exact([[8, 2], [1, 5]]), stats.chisquare([16, 18, 16, 14, 12, 12]), stats.barnard_exact([[8, 2], [1, 5]]).statistic, stats.contingency.association(t), stats.contingency.crosstab([1, 1, 2], [3, 3, 4])[1] * 2**31)

### contingency of large counts
from scipy import stats
t = np.array([[100_000, 90_000], [80_000, 120_000]])
show(stats.chi2_contingency(t).statistic, stats.chi2_contingency(t.astype(np.int32)).statistic, stats.chisquare([2_000_000_000, 2_100_000_000]), stats.power_divergence([50_000, 60_000], lambda_="log-likelihood"), stats.contingency.margins(t), stats.contingency.expected_freq(t), stats.fisher_exact(t).statistic, stats.contingency.relative_risk(30, 100_000, 40, 90_000).relative_risk)

### tests of normality and variance
#: inputs rates
#: rel 1e-10 sums of sorted products in another order
from scipy import stats
show(stats.shapiro(rates["x1"]), stats.normaltest(rates["x1"]), stats.jarque_bera(rates["x1"]), stats.kstest(rates["x1"], "norm"), stats.anderson(rates["x1"], "norm").statistic, stats.levene(rates["x1"], rates["x2"]), stats.bartlett(rates["x1"], rates["x2"]), stats.skewtest(rates["x1"]), stats.kurtosistest(rates["x1"]), stats.ks_2samp(rates["x1"], rates["x2"]).pvalue, stats.cramervonmises(rates["x1"], "norm").pvalue)

### analysis of variance
#: inputs rates
from scipy import stats
groups = [g["y"].to_numpy() for _, g in rates.groupby("site")]
show(stats.f_oneway(*groups), stats.alexandergovern(*groups).pvalue, stats.tukey_hsd(*groups).statistic, [len(g) * 2**31 for g in groups])

### distributions
from scipy import stats
x = [0.1, 0.5, 0.9]
for d in (stats.norm(1, 2), stats.t(5), stats.gamma(2.5), stats.beta(2, 3), stats.expon(scale=3), stats.chi2(4), stats.f(3, 7), stats.lognorm(0.5), stats.weibull_min(1.5), stats.uniform(0, 2), stats.cauchy(), stats.laplace(), stats.pareto(3), stats.gumbel_r()):
    show(d.pdf(x), d.cdf(x), d.ppf(x), d.sf(x), d.mean(), d.std())

### discrete distributions
from scipy import stats
k = np.arange(4)
for d in (stats.binom(10, 0.3), stats.poisson(4.5), stats.geom(0.2), stats.nbinom(3, 0.4), stats.hypergeom(20, 7, 12), stats.randint(2, 9), stats.bernoulli(0.3), stats.zipf(3.0)):
    show(d.pmf(k), d.cdf(k), d.ppf([0.1, 0.5, 0.99]), d.mean(), d.var())
show(stats.binom(3_000_000_000, 0.5).cdf(1_500_010_000), stats.poisson(3e9).ppf(0.5), stats.randint(0, 2**40).mean())

### draws of distributions
from scipy import stats
show(stats.norm.rvs(size=3, random_state=1), stats.gamma.rvs(2, size=3, random_state=2), stats.poisson.rvs(4, size=4, random_state=3), stats.poisson.rvs(4, size=4, random_state=3) * 2**31, stats.binom.rvs(10, 0.3, size=4, random_state=4), stats.randint.rvs(0, 2**40, size=3, random_state=5), stats.beta.rvs(2, 3, size=2, random_state=np.random.default_rng(6)), stats.multivariate_normal.rvs([0, 0], [[1, 0], [0, 1]], size=2, random_state=7), stats.geom.rvs(0.1, size=3, random_state=8), stats.hypergeom.rvs(20, 7, 12, size=3, random_state=9), stats.dirichlet.rvs([1, 2], size=1, random_state=1), stats.zipf.rvs(2.0, size=5, random_state=1), stats.bernoulli.rvs(0.4, size=5, random_state=2), stats.multinomial.rvs(10, [0.2, 0.8], size=2, random_state=3))

### fitting distributions
#: inputs rates
#: rel 1e-5 the optimizer stops where the last digits lead it
from scipy import stats
show(stats.norm.fit(rates["x2"]), stats.expon.fit(rates["count"]), stats.gamma.fit(rates["count"] + 1, floc=0), stats.t.fit(rates["x1"], fdf=5, floc=0)[2])

### descriptive statistics
#: inputs rates
from scipy import stats
d = stats.describe(rates["count"])
show(d.nobs, d.minmax, d.mean, d.variance, d.skewness, d.kurtosis, stats.mode(rates["count"]), stats.mode(rates["count"]).count * 2**31, stats.zscore(rates["x1"])[:3], stats.iqr(rates["x1"]), stats.sem(rates["x1"]), stats.gmean([1, 2, 2**40]), stats.hmean([1, 2, 4]), stats.trim_mean(rates["x1"], 0.1), stats.entropy([1, 2, 3]), stats.percentileofscore(rates["x1"], 0), stats.binned_statistic(rates["x1"], rates["y"], bins=3).statistic, stats.binned_statistic(rates["x1"], rates["y"], bins=3, statistic="count").binnumber[:5] * 2**31, stats.cumfreq(rates["x1"], 4).cumcount, stats.relfreq(rates["x1"], 4).frequency, stats.scoreatpercentile(rates["x1"], 30), stats.median_abs_deviation(rates["x1"]), stats.tmean(rates["x1"], (-1, 1)), stats.moment(rates["x1"], 3), stats.variation(rates["x2"]), stats.kstat(rates["x1"], 3), stats.bayes_mvs(rates["x1"])[0].statistic)

### ranks of ties
from scipy import stats
x = [1, 2, 2, 3, 3, 3]
show([stats.rankdata(x, m) for m in ("average", "min", "max", "dense", "ordinal")], stats.rankdata(x, "ordinal") * 2**31, stats.rankdata(x, "dense") * 2**31, stats.find_repeats(x).counts * 2**31 if hasattr(stats, "find_repeats") else 0, stats.tiecorrect(stats.rankdata(x)))

### resampling
from scipy import stats
x = np.arange(30) ** 1.5
r = stats.bootstrap((x,), np.mean, n_resamples=200, random_state=1, method="percentile")
p = stats.permutation_test((x[:10], x[10:]), lambda a, b: np.mean(a) - np.mean(b), n_resamples=100, random_state=2)
show(r.confidence_interval, p.pvalue, p.statistic, stats.monte_carlo_test(x, stats.norm(10, 5).rvs if False else (lambda size: np.random.default_rng(3).normal(size=size)), np.mean, n_resamples=50).pvalue)

### density estimates
#: inputs rates
#: rel 1e-10 sums of exponentials in another order
from scipy import stats
k = stats.gaussian_kde(rates["x1"])
show(k([0, 1, 2]), k.factor, k.integrate_box_1d(-1, 1), stats.gaussian_kde(rates[["x1", "x2"]].T)([[0], [1]]), stats.gaussian_kde(rates["x1"], "silverman").factor)

### quasi-random sequences
from scipy.stats import qmc
show(qmc.Sobol(2, scramble=False).random(4), qmc.Halton(2, scramble=False).random(3), qmc.LatinHypercube(2, rng=1).random(3), qmc.discrepancy(qmc.Halton(2, scramble=False).random(8)), qmc.Sobol(3, rng=7).random(4), qmc.Halton(2, rng=7).random(2), qmc.PoissonDisk(2, radius=0.3, rng=1).random(3))

### multiple testing and power
from scipy import stats
show(stats.false_discovery_control([0.01, 0.02, 0.5]), stats.combine_pvalues([0.1, 0.2, 0.01]), stats.binomtest(7, 10, 0.3).pvalue, stats.binomtest(7, 10, 0.3).proportion_ci(), stats.poisson_means_test(1000, 2000, 900, 2000).pvalue, stats.binomtest(3_000_000, 5_000_000, 0.6).pvalue)
