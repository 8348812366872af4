### OLS
#: inputs rates
#: rel 1e-9 LAPACK's order of operations is the library's own
import statsmodels.api as sm
m = sm.OLS(rates["y"], sm.add_constant(rates[["x1", "x2"]])).fit()
show(m.params, m.bse, m.tvalues, m.pvalues, m.rsquared, m.fvalue, m.aic, m.bic, m.conf_int(), m.nobs, m.df_resid, m.resid.head(3), m.mse_resid, m.condition_number, m.predict(sm.add_constant(rates[["x1", "x2"]]).head(2)), m.cov_params(), m.llf, m.get_robustcov_results("HC3").bse)

### formulas with categories
#: inputs rates
#: rel 1e-8 LAPACK's order of operations is the library's own
import statsmodels.formula.api as smf
m = smf.ols("y ~ x1 + C(site) + x1:x2 + np.power(x2, 2)", rates).fit()
show(m.params, m.pvalues, m.rsquared_adj, m.f_pvalue, list(m.params.index), m.predict(rates.head(2)))

### weighted and generalized least squares
#: inputs rates
#: rel 1e-8 LAPACK's order of operations is the library's own
import statsmodels.api as sm
X = sm.add_constant(rates[["x1", "x2"]])
show(sm.WLS(rates["y"], X, weights=rates["count"] + 1).fit().params, sm.GLS(rates["y"], X).fit().bse, sm.RLM(rates["y"], X).fit().params, sm.GLSAR(rates["y"], X, rho=1).iterative_fit(2).params, sm.QuantReg(rates["y"], X).fit(q=0.5).params if False else 0)

### GLM families
#: inputs rates
#: rel 1e-7 iterations stop within the tolerance
import statsmodels.api as sm
X = sm.add_constant(rates[["x1", "x2"]])
for family, y in ((sm.families.Poisson(), rates["count"]), (sm.families.Binomial(), rates["hit"]), (sm.families.Gaussian(), rates["y"]), (sm.families.NegativeBinomial(alpha=1.0), rates["count"]), (sm.families.Gamma(sm.families.links.Log()), rates["count"] + 1), (sm.families.Tweedie(var_power=1.5), rates["count"] + 1)):
    m = sm.GLM(y, X, family=family).fit()
    show(m.params, m.bse, m.deviance, m.pearson_chi2, m.aic, m.df_resid)

### logit, probit and counts
#: inputs rates
#: rel 1e-6 Newton's iterations stop within the tolerance
import statsmodels.api as sm
X = sm.add_constant(rates[["x1", "x2"]])
show(sm.Logit(rates["hit"], X).fit(disp=0).params, sm.Probit(rates["hit"], X).fit(disp=0).bse, sm.Poisson(rates["count"], X).fit(disp=0).params, sm.MNLogit(rates["site"].map({"p": 0, "q": 1, "r": 2}), X).fit(disp=0).params, sm.Logit(rates["hit"], X).fit(disp=0).get_margeff().margeff, sm.Logit(rates["hit"], X).fit(disp=0).pred_table() * 2**31, sm.Logit(rates["hit"], X).fit(disp=0).prsquared)

### ARIMA
#: inputs prices
#: rel 1e-3 L-BFGS stops where the last digits lead it
#: abs 1e-4 L-BFGS stops where the last digits lead it
from statsmodels.tsa.arima.model import ARIMA
s = prices["price"].interpolate()
m = ARIMA(s, order=(1, 1, 1)).fit()
show(m.params, m.forecast(3), m.nobs, list(m.params.index), m.aic)

### ARIMA at given parameters
#: inputs prices
#: rel 1e-8 the Kalman filter multiplies out rounding errors
from statsmodels.tsa.arima.model import ARIMA
s = prices["price"].interpolate()
for order, params in (((1, 1, 1), [0.2, -0.7, 5.0]), ((2, 0, 0), [120, 0.5, 0.3, 6.0]), ((0, 1, 2), [-0.4, -0.2, 5.0])):
    m = ARIMA(s, order=order).filter(params)
    show(m.llf, m.aic, m.forecast(3), m.resid.tail(2), m.get_forecast(2).conf_int())

### ARIMA with dates
#: inputs prices
#: rel 1e-8 the Kalman filter multiplies out rounding errors
from statsmodels.tsa.arima.model import ARIMA
s = prices.set_index("day")["price"].interpolate().asfreq("D")
m = ARIMA(s, order=(1, 0, 0), seasonal_order=(1, 0, 0, 7)).filter([120, 0.5, 0.3, 6.0])
show(m.forecast(3), m.predict("2023-06-20", "2023-06-22"), m.llf)

### exponential smoothing
#: inputs prices
#: rel 1e-3 the optimizer stops where the last digits lead it
#: abs 1e-3 the optimizer stops where the last digits lead it
from statsmodels.tsa.api import ExponentialSmoothing, SimpleExpSmoothing, Holt
s = prices["price"].interpolate()
show(ExponentialSmoothing(s, trend="add", seasonal="add", seasonal_periods=7).fit().forecast(3), SimpleExpSmoothing(s, initialization_method="heuristic").fit(smoothing_level=0.3, optimized=False).forecast(2), Holt(s, initialization_method="heuristic").fit(smoothing_level=0.5, smoothing_trend=0.1, optimized=False).forecast(2), ExponentialSmoothing(s, trend="add", damped_trend=True, initialization_method="heuristic").fit(smoothing_level=0.5, smoothing_trend=0.1, damping_trend=0.9, optimized=False).fittedvalues.tail(2))

### ETS
#: inputs prices
#: rel 1e-3 the optimizer stops where the last digits lead it
#: abs 1e-3 the optimizer stops where the last digits lead it
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
s = prices["price"].interpolate()
m = ETSModel(s, error="add", trend="add", seasonal="add", seasonal_periods=7)
show(m.fit(disp=0).forecast(3))
r = m.smooth([0.3, 0.05, 0.1, 100, 0.3, 1, 1, 1, 1, 1, 1, 1])
show(r.llf, r.forecast(3), r.fittedvalues.tail(2))

### autocorrelations and stationarity
#: inputs prices
#: rel 1e-8 regressions inside
from statsmodels.tsa import stattools as t
s = prices["price"].interpolate().to_numpy()
show(t.acf(s, nlags=4), t.pacf(s, nlags=4), t.adfuller(s)[:4], t.adfuller(s)[2] * 2**31, t.kpss(s)[0], t.ccf(s, prices["volume"].to_numpy())[:3], t.grangercausalitytests(np.c_[np.diff(s), prices["volume"].to_numpy()[1:]], [1], verbose=False)[1][0]["ssr_ftest"] if False else 0, t.q_stat(t.acf(s, nlags=3)[1:], len(s)), t.coint(s, np.arange(len(s)) * 0.3 + s[::-1])[0], t.levinson_durbin(s, 2)[1], t.arma_order_select_ic(np.diff(s)[:60], max_ar=1, max_ma=0)["bic_min_order"])

### decompositions
#: inputs prices
#: rel 1e-9 smoothing in another order
from statsmodels.tsa.seasonal import STL, seasonal_decompose
s = prices["price"].interpolate()
d = seasonal_decompose(s, period=7)
show(d.trend.tail(5), d.seasonal.head(7), STL(s, period=7).fit().trend.tail(2), STL(s, period=7).fit().seasonal.head(3), STL(s, period=7, robust=True).fit().weights.head(3))

### filters and smoothers
#: inputs prices
#: rel 1e-8 solving banded systems
import statsmodels.api as sm
s = prices["price"].interpolate()
show(sm.tsa.filters.hpfilter(s, 100)[1].tail(2), sm.tsa.filters.bkfilter(s).head(2), sm.tsa.filters.cffilter(s)[0].tail(2), sm.nonparametric.lowess(s, np.arange(len(s)), frac=0.2)[:3], sm.nonparametric.KDEUnivariate(s.to_numpy()).fit(gridsize=16, fft=False).density[:3])

### vector autoregression and unobserved components
#: inputs prices
#: rel 1e-6 LAPACK's order of operations is the library's own
import statsmodels.api as sm
from statsmodels.tsa.api import VAR, AutoReg
f = pd.DataFrame({"a": prices["price"].interpolate().diff().fillna(0), "b": prices["volume"] / 1e10})
m = VAR(f).fit(2)
show(m.params, m.forecast(f.to_numpy()[-2:], 2), m.aic, m.k_ar, AutoReg(f["a"], 2).fit().params, AutoReg(f["a"], 2).fit().predict(180, 182), sm.tsa.UnobservedComponents(f["a"], "local level").smooth([1.0, 0.1]).llf, m.test_causality("a", ["b"]).pvalue)

### SARIMAX with regressors
#: inputs prices
#: rel 1e-8 the Kalman filter multiplies out rounding errors
import statsmodels.api as sm
s = prices["price"].to_numpy()
m = sm.tsa.SARIMAX(s, exog=np.arange(len(s)), order=(1, 0, 0)).filter([0.7, 0.5, 6.0])
show(m.llf, m.forecast(2, exog=[[180], [181]]), m.nobs, m.resid[-2:], m.filter_results.nobs_diffuse if hasattr(m.filter_results, "nobs_diffuse") else 0)

### mixed and survival models
#: inputs rates
#: rel 1e-4 the optimizer stops where the last digits lead it
import statsmodels.api as sm, statsmodels.formula.api as smf
m = smf.mixedlm("y ~ x1", rates, groups=rates["site"]).fit()
s = sm.SurvfuncRight(rates["count"] + 1, rates["hit"])
show(m.fe_params, s.surv_prob[:3], s.n_risk[:3], sm.PHReg(rates["count"] + 1, rates[["x1"]], status=rates["hit"]).fit().params, smf.gee("count ~ x1", "site", rates, family=sm.families.Poisson()).fit().params)

### tests and corrections
#: inputs rates
#: rel 1e-8 regressions inside
from statsmodels.stats import multitest, diagnostic, proportion, weightstats, power, stattools, outliers_influence, multicomp, anova, contingency_tables
import statsmodels.api as sm, statsmodels.formula.api as smf
m = smf.ols("y ~ x1 + x2 + C(site)", rates).fit()
show(multitest.multipletests([0.01, 0.04, 0.2], method="holm")[1], multitest.multipletests([0.01, 0.04, 0.2], method="fdr_bh")[0], diagnostic.het_breuschpagan(m.resid, m.model.exog), stattools.durbin_watson(m.resid), stattools.jarque_bera(m.resid), proportion.proportions_ztest([3_000_000, 2_900_000], [5_000_000, 5_000_000]), proportion.proportion_confint(30, 100, method="wilson"), weightstats.ttest_ind(rates["x1"], rates["x2"]), outliers_influence.variance_inflation_factor(m.model.exog, 1), multicomp.pairwise_tukeyhsd(rates["y"], rates["site"]).meandiffs, anova.anova_lm(m), diagnostic.acorr_ljungbox(m.resid, [5]), outliers_influence.OLSInfluence(m).cooks_distance[0][:3], contingency_tables.mcnemar([[10, 5], [3, 12]]).pvalue, power.TTestIndPower().power(0.5, 50, 0.05), contingency_tables.Table2x2(np.array([[60_000, 70_000], [50_000, 90_000]])).oddsratio, diagnostic.het_white(m.resid, sm.add_constant(rates[["x1", "x2"]]))[:2], diagnostic.linear_reset(m, use_f=True).fvalue)

### summaries as text
#: inputs rates
#: rel 1e-9 LAPACK's order of operations is the library's own
import statsmodels.formula.api as smf
m = smf.ols("y ~ x1 + x2", rates).fit()
show(m.summary().tables[1].as_text(), str(m.summary().tables[1]), m.summary2().tables[1].round(6), m.t_test("x1 = 2").pvalue, m.f_test("x1 = x2").fvalue)

### principal components, factor models and imputation
#: inputs rates
#: rel 1e-7 eigenvectors
#: abs 1e-10 entries that are zero but for rounding
from statsmodels.multivariate.pca import PCA
from statsmodels.multivariate.manova import MANOVA
p = PCA(rates[["x1", "x2", "y"]], ncomp=2)
show(p.eigenvals, np.abs(p.loadings), p.rsquare, MANOVA.from_formula("x1 + x2 ~ site", rates).mv_test().results["site"]["stat"].astype(float))

### errors
#: inputs rates
import statsmodels.api as sm, statsmodels.formula.api as smf
attempt(lambda: smf.ols("y ~ nothing", rates).fit().params, lambda: sm.Logit(rates["y"], rates[["x1"]]).fit(disp=0).params, lambda: sm.OLS([1, 2], [[1]]).fit().params, lambda: sm.OLS(np.array([np.nan, 1]), np.array([1, 2])).fit().params, lambda: smf.ols("y ~", rates).fit().params)
