### linear models
#: inputs rates
#: rel 1e-8 LAPACK's order of operations is the library's own
from sklearn.linear_model import *
X, y = rates[["x1", "x2"]], rates["y"]
for m in (LinearRegression(), Ridge(0.5), Lasso(0.1, tol=1e-12, max_iter=100_000), ElasticNet(0.1, tol=1e-12, max_iter=100_000), BayesianRidge(), HuberRegressor(tol=1e-10, max_iter=1000) if False else Ridge(2)):
    m.fit(X, y); show(type(m).__name__, m.coef_, m.intercept_, m.predict(X.head(3)), m.score(X, y))

### robust and quantile regressions
#: inputs rates
#: rel 1e-5 the solver stops where the last digits lead it
from sklearn.linear_model import *
X, y = rates[["x1", "x2"]].to_numpy(), rates["y"].to_numpy()
show(HuberRegressor().fit(X, y).coef_, QuantileRegressor(alpha=0.01).fit(X, y).coef_, RANSACRegressor(random_state=1).fit(X, y).inlier_mask_.sum(), TheilSenRegressor(random_state=2, max_subpopulation=100).fit(X, y).coef_, LassoCV(cv=3).fit(X, y).alpha_, Lars().fit(X, y).active_, SGDRegressor(random_state=3).fit(X, y).coef_, PoissonRegressor().fit(X, rates["count"]).coef_, TweedieRegressor(power=1.5).fit(X, rates["count"] + 1).coef_)

### logistic regression
#: inputs rates
#: rel 1e-4 L-BFGS stops where the last digits lead it
from sklearn.linear_model import LogisticRegression
X = rates[["x1", "x2"]]
m = LogisticRegression().fit(X, rates["hit"])
show(m.coef_, m.intercept_, m.predict(X).sum(), m.predict_proba(X.head(3)), m.score(X, rates["hit"]), m.classes_, type(m.n_iter_[0]), m.predict(X.head(2)))
m = LogisticRegression(solver="newton-cholesky").fit(X, rates["site"])
show(m.predict(X.head(8)), m.classes_, m.coef_)

### nearest neighbours
#: inputs rates
from sklearn.neighbors import *
X = rates[["x1", "x2"]].to_numpy()
m = KNeighborsClassifier(3).fit(X, rates["hit"])
d, i = NearestNeighbors(n_neighbors=3).fit(X).kneighbors(X[:4])
show(m.predict(X[:10]), m.predict_proba(X[:3]), d, i, i * 2**31, KNeighborsRegressor(4).fit(X, rates["y"]).predict(X[:3]), NearestNeighbors(radius=0.5).fit(X).radius_neighbors(X[:1])[1][0].dtype, KNeighborsClassifier(3).fit(X, rates["site"]).predict(X[:4]), m.kneighbors_graph(X[:2]).indices, RadiusNeighborsRegressor(1.0).fit(X, rates["y"]).predict(X[:2]), NearestCentroid().fit(X, rates["hit"]).predict(X[:5]), KernelDensity().fit(X).score(X[:5]), BallTree(X).query(X[:2], 2)[1] * 2**31, KDTree(X).query(X[:2], 2)[1], LocalOutlierFactor().fit_predict(X)[:10], BallTree(X).query_radius(X[:2], 1.0, count_only=True) * 2**31)

### trees
#: inputs rates
from sklearn.tree import *
X = rates[["x1", "x2"]]
m = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, rates["hit"])
show(m.predict(X.head(10)), m.tree_.feature, m.tree_.threshold, m.tree_.n_node_samples, m.tree_.n_node_samples * 2**31, m.apply(X.head(4)), m.apply(X.head(4)) * 2**31, m.feature_importances_, m.get_depth(), m.get_n_leaves() * 2**31, m.tree_.node_count * 2**31, export_text(m), m.tree_.children_left, m.decision_path(X.head(2)).indices)
r = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, rates["y"])
show(r.predict(X.head(4)), r.tree_.value.ravel()[:4], r.score(X, rates["y"]), ExtraTreeClassifier(random_state=1, max_depth=2).fit(X, rates["hit"]).tree_.threshold)

### forests
#: inputs rates
from sklearn.ensemble import *
X = rates[["x1", "x2"]]
m = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, rates["hit"])
show(m.predict(X.head(10)), m.predict_proba(X.head(3)), m.feature_importances_, m.apply(X.head(2)), m.apply(X.head(2)) * 2**31, RandomForestRegressor(8, random_state=1).fit(X, rates["y"]).predict(X.head(4)), ExtraTreesClassifier(5, random_state=2).fit(X, rates["site"]).predict(X.head(5)), RandomForestClassifier(10, random_state=3, oob_score=True).fit(X, rates["hit"]).oob_score_, BaggingRegressor(n_estimators=4, random_state=4).fit(X, rates["y"]).predict(X.head(2)), IsolationForest(n_estimators=10, random_state=5).fit(X).predict(X.head(10)), IsolationForest(n_estimators=10, random_state=5).fit(X).score_samples(X.head(3)), RandomTreesEmbedding(3, random_state=6, max_depth=2).fit_transform(X).indices[:6])

### boosting
#: inputs rates
#: rel 1e-9 sums in another order
from sklearn.ensemble import *
X = rates[["x1", "x2"]]
show(GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, rates["y"]).predict(X.head(4)), GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, rates["hit"]).predict_proba(X.head(3)), AdaBoostClassifier(n_estimators=10, random_state=1).fit(X, rates["hit"]).predict(X.head(10)), HistGradientBoostingRegressor(max_iter=10, random_state=2).fit(X, rates["y"]).predict(X.head(4)), HistGradientBoostingClassifier(max_iter=10, random_state=2).fit(X, rates["hit"]).predict(X.head(10)), AdaBoostRegressor(n_estimators=5, random_state=1).fit(X, rates["y"]).predict(X.head(3)), StackingRegressor([("a", GradientBoostingRegressor(n_estimators=5, random_state=0))], cv=3).fit(X, rates["y"]).predict(X.head(2)), VotingClassifier([("a", AdaBoostClassifier(n_estimators=3, random_state=1))]).fit(X, rates["hit"]).predict(X.head(5)))

### k-means
#: inputs rates
#: rel 1e-9 sums in another order
from sklearn.cluster import *
X = rates[["x1", "x2"]].to_numpy()
m = KMeans(3, n_init=3, random_state=0).fit(X)
show(m.labels_, m.labels_.dtype, np.bincount(m.labels_), m.cluster_centers_, m.inertia_, m.n_iter_, m.predict(X[:4]), MiniBatchKMeans(3, random_state=1, n_init=1).fit(X).cluster_centers_, BisectingKMeans(3, random_state=2).fit(X).inertia_, kmeans_plusplus(X, 2, random_state=3)[1], kmeans_plusplus(X, 2, random_state=3)[1] * 2**31)

### other clusterings
#: inputs rates
from sklearn.cluster import *
X = rates[["x1", "x2"]].to_numpy()
show(DBSCAN(eps=0.6, min_samples=4).fit(X).labels_, DBSCAN(eps=0.6, min_samples=4).fit(X).labels_[:3] * 2**31, DBSCAN(eps=0.6, min_samples=4).fit(X).core_sample_indices_[:5] * 2**31, AgglomerativeClustering(3).fit(X).labels_, AgglomerativeClustering(3).fit(X).labels_.dtype, OPTICS(min_samples=5).fit(X).ordering_[:10], HDBSCAN(min_cluster_size=8, copy=True).fit(X).labels_[:10], Birch(n_clusters=2).fit(X).labels_[:10], MeanShift(bandwidth=3).fit(X).labels_[:10], AffinityPropagation(random_state=1).fit(X[:30]).cluster_centers_indices_, AgglomerativeClustering(3, linkage="single").fit(X).children_[:2])

### spectral methods and mixtures
#: inputs rates
#: rel 1e-6 eigenvectors and EM stop where the last digits lead them
from sklearn.mixture import *
X = rates[["x1", "x2"]].to_numpy()
g = GaussianMixture(2, random_state=0, tol=1e-8, max_iter=500).fit(X)
show(g.means_, g.weights_, g.predict(X[:10]), g.bic(X), g.score(X), BayesianGaussianMixture(n_components=2, random_state=1).fit(X).means_, g.sample(2)[1])

### decompositions
#: inputs rates
#: rel 1e-8 LAPACK's order of operations is the library's own
#: abs 1e-10 entries that are zero but for rounding
from sklearn.decomposition import *
X = rates[["x1", "x2", "y"]].to_numpy()
p = PCA(2).fit(X)
show(np.abs(p.components_), p.explained_variance_ratio_, p.singular_values_, np.abs(p.transform(X[:2])), PCA(0.9).fit(X).n_components_, PCA(0.9).fit(X).n_components_ * 2**31, TruncatedSVD(2, random_state=0).fit(X).explained_variance_ratio_, NMF(2, random_state=0, max_iter=50).fit_transform(np.abs(X))[:2], FactorAnalysis(1, random_state=0).fit(X).noise_variance_, IncrementalPCA(2, batch_size=50).fit(X).explained_variance_, KernelPCA(2, kernel="rbf").fit(X).eigenvalues_, PCA(2, svd_solver="randomized", random_state=1).fit(X).explained_variance_)

### support vectors
#: inputs rates
#: rel 1e-4 the solver stops within its tolerance
from sklearn.svm import *
X = rates[["x1", "x2"]].to_numpy()
m = SVC(random_state=0).fit(X, rates["hit"])
show(m.predict(X[:10]), m.support_[:5], m.support_[:5] * 2, m.n_support_, m.decision_function(X[:3]), SVR().fit(X, rates["y"]).predict(X[:3]), LinearSVC(random_state=0, tol=1e-8, max_iter=100_000).fit(X, rates["hit"]).coef_, OneClassSVM().fit(X).predict(X[:10]), SVC(kernel="poly", degree=2).fit(X, rates["site"]).predict(X[:5]), NuSVC().fit(X, rates["hit"]).n_support_, LinearSVR(random_state=1, tol=1e-8, max_iter=100_000).fit(X, rates["y"]).coef_)

### naive Bayes, discriminants and baselines
#: inputs rates
#: rel 1e-9 LAPACK's order of operations is the library's own
from sklearn.naive_bayes import *
from sklearn.discriminant_analysis import *
from sklearn.dummy import *
X = rates[["x1", "x2"]]
show(GaussianNB().fit(X, rates["hit"]).predict_proba(X.head(3)), GaussianNB().fit(X, rates["hit"]).class_count_, MultinomialNB().fit(X.abs(), rates["site"]).predict(X.abs().head(4)), LinearDiscriminantAnalysis().fit(X, rates["hit"]).coef_, QuadraticDiscriminantAnalysis().fit(X, rates["hit"]).predict(X.head(6)), DummyClassifier().fit(X, rates["site"]).predict(X.head(2)), DummyRegressor().fit(X, rates["y"]).predict(X.head(2)), BernoulliNB().fit(X, rates["hit"]).feature_count_, ComplementNB().fit(X.abs(), rates["hit"]).feature_log_prob_, CategoricalNB().fit(rates[["count"]], rates["hit"]).predict(rates[["count"]].head(4)))

### neural networks
#: inputs rates
#: rel 1e-5 gradient steps amplify the last digits
from sklearn.neural_network import *
X = rates[["x1", "x2"]]
m = MLPRegressor(hidden_layer_sizes=(5,), random_state=0, max_iter=30).fit(X, rates["y"])
show(m.predict(X.head(3)), m.loss_, m.n_iter_, m.coefs_[0], MLPClassifier(hidden_layer_sizes=(4,), random_state=1, max_iter=20).fit(X, rates["hit"]).predict_proba(X.head(2)))

### Gaussian processes and kernels
#: inputs rates
#: rel 1e-4 the optimizer stops where the last digits lead it
from sklearn.gaussian_process import *
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
X = rates[["x1"]].to_numpy()[:40]; y = rates["y"].to_numpy()[:40]
g = GaussianProcessRegressor(RBF() + WhiteKernel(), random_state=0, optimizer=None).fit(X, y)
show(g.predict(X[:3], return_std=True), g.log_marginal_likelihood_value_, KernelRidge(kernel="rbf").fit(X, y).predict(X[:3]))

### scalers
#: inputs rates
from sklearn.preprocessing import *
X = rates[["x1", "x2"]].to_numpy()
for s in (StandardScaler(), MinMaxScaler(), RobustScaler(), MaxAbsScaler(), Normalizer(), QuantileTransformer(n_quantiles=10, random_state=0), KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"), PolynomialFeatures(2), Binarizer()):
    show(type(s).__name__, s.fit_transform(X)[:3])
show(StandardScaler().fit(X).n_samples_seen_ * 2**31, StandardScaler().fit(np.array([[2_000_000_000], [2_100_000_000]], np.int32)).mean_, MinMaxScaler().fit(np.array([[2_000_000_000], [-2_000_000_000]], np.int32)).data_range_, KBinsDiscretizer(3, encode="ordinal", strategy="uniform").fit_transform(X)[:3], SplineTransformer().fit_transform(X)[:1], FunctionTransformer(np.log1p).fit_transform(np.abs(X))[:1])

### power transforms
#: inputs rates
#: rel 1e-6 Brent's search stops within its tolerance
from sklearn.preprocessing import PowerTransformer
t = PowerTransformer().fit(rates[["x1", "x2"]])
show(t.lambdas_, t.transform(rates[["x1", "x2"]])[:2])

### encoders
#: inputs rates sales
from sklearn.preprocessing import *
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
c = rates[["site"]]
o = OneHotEncoder().fit(c)
show(o.transform(c.head(4)), o.categories_, o.get_feature_names_out(), OrdinalEncoder().fit_transform(c)[:4], LabelEncoder().fit_transform(rates["site"])[:6], LabelEncoder().fit_transform(rates["site"])[:6] * 2**31, LabelBinarizer().fit_transform(rates["site"])[:3], label_binarize([1, 2], classes=[1, 2, 3]), TargetEncoder(random_state=0).fit_transform(c, rates["y"])[:3], MultiLabelBinarizer().fit_transform([("a", "b"), ("b",)]), DictVectorizer().fit_transform([{"a": 1, "b": "x"}]), FeatureHasher(8).transform([{"a": 1, "b": 2}]), OneHotEncoder(min_frequency=30).fit(sales[["product"]]).infrequent_categories_, LabelEncoder().fit(["b", "a"]).inverse_transform([1, 0]), OrdinalEncoder(dtype=int).fit_transform(c)[:3], OneHotEncoder(dtype=int, sparse_output=False).fit_transform(c).sum(axis=0) * 2**31)
attempt(lambda: LabelEncoder().fit(["a"]).transform(["z"]), lambda: o.transform([["zz"]]))

### text features
from sklearn.feature_extraction.text import *
d = ["The cat sat", "the dog sat on the cat", "ёлка и дом ёлка"]
c = CountVectorizer().fit(d)
m = c.transform(d)
show(m, m.indices, m.sum(axis=0), m.sum() * 2**31, sorted(c.vocabulary_.items()), {k: v * 2**31 for k, v in c.vocabulary_.items()}, TfidfVectorizer().fit_transform(d), HashingVectorizer(n_features=16).transform(d), CountVectorizer(ngram_range=(1, 2), max_features=4).fit(d).get_feature_names_out(), CountVectorizer(analyzer="char_wb", ngram_range=(2, 2)).fit_transform(d).nnz, m.dtype, TfidfTransformer().fit(m).idf_, CountVectorizer(dtype=np.int32).fit_transform(d).sum(axis=1), CountVectorizer(stop_words="english").fit(d).get_feature_names_out())

### imputers and selection
#: inputs rates
#: rel 1e-9 regressions inside
from sklearn.impute import *
from sklearn.feature_selection import *
X = rates[["x1", "x2", "y"]].to_numpy().copy(); X[::7, 0] = np.nan
Z = rates[["x1", "x2", "count"]]
show(SimpleImputer().fit_transform(X)[:2], KNNImputer(n_neighbors=3).fit_transform(X)[:2], SelectKBest(f_regression, k=1).fit(Z, rates["y"]).get_support(indices=True), SelectKBest(f_regression, k=1).fit(Z, rates["y"]).get_support(indices=True) * 2**31, f_classif(Z, rates["hit"]), chi2(Z.abs(), rates["hit"]), mutual_info_regression(Z, rates["y"], random_state=0), VarianceThreshold(1.5).fit(Z).get_support(), MissingIndicator().fit_transform(X)[:2], SimpleImputer(strategy="most_frequent").fit_transform([["a"], ["a"], [np.nan]]), mutual_info_classif(Z, rates["hit"], random_state=1), r_regression(Z, rates["y"]))

### splitting and validating
#: inputs rates
#: rel 1e-9 regressions inside
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, LeaveOneOut, ParameterGrid, RandomizedSearchCV, RepeatedKFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit, TimeSeriesSplit, cross_val_predict, cross_val_score, learning_curve, permutation_test_score, train_test_split
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier
X, y = rates[["x1", "x2"]], rates["y"]
a, b = train_test_split(np.arange(20), random_state=42)
show(a, b, a * 2**31, train_test_split(rates, test_size=0.1, stratify=rates["site"], random_state=1)[1].index, cross_val_score(LinearRegression(), X, y, cv=4), [t for _, t in KFold(4, shuffle=True, random_state=2).split(X)][0], [t for _, t in KFold(4, shuffle=True, random_state=2).split(X)][0] * 2**31, [t for _, t in StratifiedKFold(3).split(X, rates["hit"])][1][:5], GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}, cv=3).fit(X, rates["hit"]).best_params_, [t[1] for t in TimeSeriesSplit(3).split(X)][0], [t[1] for t in GroupKFold(3).split(X, groups=rates["site"])][0][:5], cross_val_predict(LinearRegression(), X, y, cv=3)[:3], [t for _, t in ShuffleSplit(2, random_state=3).split(X)][0][:5], RandomizedSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": range(1, 9)}, n_iter=3, cv=3, random_state=4).fit(X, rates["hit"]).best_params_, learning_curve(LinearRegression(), X, y, cv=3, train_sizes=[0.5, 1.0])[0], list(ParameterGrid({"a": [1, 2]})), permutation_test_score(LinearRegression(), X, y, cv=3, n_permutations=5, random_state=5)[2], LeaveOneOut().get_n_splits(X) * 2**31, [t for _, t in RepeatedKFold(n_splits=3, n_repeats=2, random_state=6).split(X)][4][:4], [t for _, t in StratifiedShuffleSplit(1, random_state=7).split(X, rates["hit"])][0][:5])

### metrics of classifiers
#: inputs rates
from sklearn.metrics import *
t, p = rates["hit"], (rates["x1"] > 0).astype(int)
s = rates["x1"]
show(confusion_matrix(t, p), confusion_matrix(t, p) * 2**31, accuracy_score(t, p), precision_recall_fscore_support(t, p), roc_auc_score(t, s), roc_curve(t, s)[0][:4], average_precision_score(t, s), log_loss(t, 1 / (1 + np.exp(-s))), matthews_corrcoef(t, p), cohen_kappa_score(t, p), f1_score(t, p, average="macro"), classification_report(t, p), brier_score_loss(t, p), balanced_accuracy_score(t, p), jaccard_score(t, p), precision_recall_curve(t, s)[2][:3], top_k_accuracy_score(t, s, k=1), hamming_loss(t, p), zero_one_loss(t, p, normalize=False) * 2**31, accuracy_score(t, p, normalize=False) * 2**31, multilabel_confusion_matrix(t, p), det_curve(t, s)[0][:2], class_likelihood_ratios(t, p), ndcg_score([t.tolist()], [s.tolist()]), fbeta_score(t, p, beta=2))

### metrics of large counts
#: rel 1e-10 the adjusted information: logarithms of factorials of 220,000 cancel out, and C libraries differ in their last digit
from sklearn.metrics import *
t = np.repeat([0, 1, 0, 1], [70_000, 60_000, 50_000, 40_000]); p = np.repeat([0, 1], [130_000, 90_000])
m = confusion_matrix(t, p)
show(m, m[0, 0] * m[1, 1], m.prod(), matthews_corrcoef(t, p), cohen_kappa_score(t, p), adjusted_rand_score(t, p), rand_score(t, p), fowlkes_mallows_score(t, p), pair_confusion_matrix(t, p), mutual_info_score(t, p), normalized_mutual_info_score(t, p), adjusted_mutual_info_score(t, p), v_measure_score(t, p), class_likelihood_ratios(t, p), roc_auc_score(t, p), m.astype(np.int32).sum() * 2**31)

### metrics of regressions and clusters
#: inputs rates
from sklearn.metrics import *
t, p = rates["y"], 2 * rates["x1"]
l = (rates["x2"] > 2).astype(int)
X = rates[["x1", "x2"]]
show(mean_squared_error(t, p), mean_absolute_error(t, p), r2_score(t, p), median_absolute_error(t, p), mean_absolute_percentage_error(t, p), explained_variance_score(t, p), max_error(t, p), silhouette_score(X, l), silhouette_samples(X, l)[:3], davies_bouldin_score(X, l), calinski_harabasz_score(X, l), adjusted_rand_score(l, rates["hit"]), contingency_matrix(l, rates["hit"]) if "contingency_matrix" in globals() else 0, mean_pinball_loss(t, p), root_mean_squared_error(t, p), mean_squared_error([2_000_000_000], [1]), mean_squared_error(np.array([2_000_000_000], np.int32), np.array([-2_000_000_000], np.int32)), d2_absolute_error_score(t, p), mean_poisson_deviance(rates["count"] + 1, rates["count"] + 2), euclidean_distances(X[:2]) if "euclidean_distances" in globals() else 0, pairwise_distances(X[:3], metric="cityblock"), pairwise_distances_argmin(X[:4], X[4:9]) * 2**31)

### pipelines and columns
#: inputs rates
#: rel 1e-8 regressions inside
from sklearn.pipeline import *
from sklearn.compose import *
from sklearn.preprocessing import *
from sklearn.linear_model import *
from sklearn.inspection import permutation_importance, partial_dependence
c = ColumnTransformer([("n", StandardScaler(), ["x1", "x2"]), ("c", OneHotEncoder(), ["site"])])
m = make_pipeline(c, Ridge()).fit(rates, rates["y"])
show(m.predict(rates.head(3)), m.named_steps["ridge"].coef_, c.get_feature_names_out(), permutation_importance(m, rates, rates["y"], n_repeats=2, random_state=0).importances_mean[:3], TransformedTargetRegressor(LinearRegression(), func=np.exp, inverse_func=np.log).fit(rates[["x1"]], rates["y"] / 10).predict(rates[["x1"]].head(2)), m[:-1].transform(rates.head(1)), c.set_output(transform="pandas") and None)

### manifolds, isotonic, calibration and generated data
#: rel 1e-5 eigenvectors and iterations stop where the last digits lead them
from sklearn import datasets, isotonic, manifold, utils, random_projection
X, y = datasets.make_classification(30, random_state=0)
show(X[:2, :3], y, y * 2**31, datasets.make_blobs(5, random_state=1)[1], datasets.make_regression(4, 2, random_state=2)[1], datasets.make_moons(6, noise=0.1, random_state=3)[0][:2], isotonic.IsotonicRegression().fit_transform([1, 2, 3], [1, 3, 2]), utils.shuffle(np.arange(6), random_state=4), utils.resample(np.arange(6), random_state=5), utils.class_weight.compute_class_weight("balanced", classes=np.array([0, 1]), y=y), datasets.load_iris().target.sum() * 2**31, datasets.load_iris().data.mean(), datasets.load_iris().target.dtype, random_projection.GaussianRandomProjection(2, random_state=6).fit_transform(X)[:2], utils.murmurhash3_32("ёлка", 3), utils.murmurhash3_32(np.array([1, 2], np.int32)), datasets.make_multilabel_classification(3, random_state=1)[1], utils.gen_even_slices.__name__, datasets.load_digits().data.sum(), datasets.make_swiss_roll(2, random_state=1)[1], utils.check_random_state(3).randint(2**31 - 1))

### errors of estimators
from sklearn.linear_model import LinearRegression
from sklearn.cluster import KMeans
attempt(lambda: LinearRegression().predict([[1]]), lambda: LinearRegression().fit([[np.nan]], [1]), lambda: LinearRegression().fit([[1], [2]], [1]), lambda: LinearRegression().fit([1, 2], [1, 2]), lambda: KMeans(5).fit([[1], [2]]), lambda: KMeans(0).fit([[1]]), lambda: LinearRegression().fit([["a"]], [1]))

### distances in chunks, and a scorer that was pickled
import pickle
from sklearn.metrics import fbeta_score, make_scorer, pairwise_distances, pairwise_distances_argmin, pairwise_distances_chunked
x = np.random.default_rng(0).normal(size=(300, 4)) * 1e10
d = next(pairwise_distances_chunked(x, working_memory=1, metric="euclidean"))
scorer = pickle.loads(pickle.dumps(make_scorer(fbeta_score, beta=2)))
import sklearn.metrics
show(np.abs(d.flat[:: len(x) + 1]).max(), d.shape, pairwise_distances_argmin(x[:4], x) * 2**31, sklearn.metrics.pairwise_distances is sklearn.metrics.pairwise.pairwise_distances, str(scorer))
