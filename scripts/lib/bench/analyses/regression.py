# A price explained: dummies, least squares with its tests, a forest for comparison.
import statsmodels.api as sm
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

design = pd.get_dummies(x[["kind", "region"]], drop_first=True, dtype=float)
design["area"], design["age"] = x["area"], x["age"]
design["area2"] = design["area"] ** 2
fit = sm.OLS(np.log(x["price"]), sm.add_constant(design)).fit()
train, test, y, z = train_test_split(design, x["price"], test_size=0.25, random_state=1)
ridge = Ridge(alpha=1.0).fit(train, y)
forest = RandomForestRegressor(n_estimators=10, max_depth=8, random_state=1).fit(train[:20_000], y[:20_000])
result = [
    round(fit.rsquared, 9), {k: round(v, 6) for k, v in fit.params.items()},
    round(ridge.score(test, z), 8), round(forest.score(test, z), 4),
]
