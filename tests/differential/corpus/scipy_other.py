### minimize
#: rel 1e-4 the optimizer's path depends on the last digits
#: abs 1e-6 the optimizer's path depends on the last digits
from scipy import optimize
f = lambda v: (v[0] - 1) ** 2 + 10 * (v[1] + 2) ** 2
for method in ("Nelder-Mead", "BFGS", "L-BFGS-B", "Powell", "CG", "TNC", "SLSQP", "COBYLA", "trust-constr"):
    show(method, optimize.minimize(f, [0.0, 0.0], method=method).x.round(3))

### counts of a minimizer
#: rel 1e-6 the optimizer's path depends on the last digits
from scipy import optimize
r = optimize.minimize(optimize.rosen, [1.3, 0.7], jac=optimize.rosen_der, method="BFGS")
show(type(r.nit), type(r.nfev), r.success, r.status, r.x)

### roots
#: rel 1e-10 iterations stop within the tolerance
from scipy import optimize
show(optimize.brentq(lambda x: x**3 - 2, 0, 2), optimize.newton(lambda x: x**2 - 3, 1.0), optimize.bisect(np.cos, 0, 3), optimize.root_scalar(lambda x: np.exp(x) - 5, bracket=[0, 3]).root, optimize.fsolve(lambda v: [v[0] + v[1] - 3, v[0] * v[1] - 2], [0.5, 3]), optimize.root(lambda v: v**2 - 4, [1.0]).x, optimize.ridder(np.sin, 2, 4), optimize.toms748(np.sin, 2, 4), optimize.fixed_point(np.cos, 0.5))
attempt(lambda: optimize.brentq(lambda x: x**2 + 1, 0, 1), lambda: optimize.newton(lambda x: x**2 + 1, 1.0))

### curve fits
#: inputs rates
#: rel 1e-6 the optimizer stops where the last digits lead it
from scipy import optimize
x = np.arange(12.0); y = 3 * np.exp(-0.4 * x) + 0.5 + 0.01 * np.sin(7 * x)
p, c = optimize.curve_fit(lambda x, a, b, c: a * np.exp(-b * x) + c, x, y)
show(p, np.sqrt(np.diag(c)), optimize.least_squares(lambda v: v[0] * x + v[1] - y, [0, 0]).x, optimize.nnls(np.c_[x, np.ones(12)], y)[0], optimize.lsq_linear(np.c_[x, np.ones(12)], y, bounds=(-1, 5)).x, optimize.curve_fit(lambda x, a: a * x, [1, 2, 3], [2, 4, 2**33])[0])

### linear programs and assignments
#: rel 1e-9 the solver's path
from scipy import optimize
r = optimize.linprog([-1, -2], A_ub=[[1, 1], [1, 3]], b_ub=[4, 6])
rows, columns = optimize.linear_sum_assignment([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
show(r.x, r.fun, r.status, rows, columns, columns * 2**31, optimize.linear_sum_assignment(np.array([[2**40, 1], [1, 2**40]]))[1], optimize.milp([-1, -1], constraints=optimize.LinearConstraint([[2, 1]], -np.inf, 5), integrality=[1, 1], bounds=optimize.Bounds(0, 2)).x, optimize.linprog([1], A_eq=[[0]], b_eq=[1]).status)

### global optimizers with seeds
#: rel 1e-5 the polishing steps depend on the last digits
#: abs 1e-6 the polishing steps depend on the last digits
from scipy import optimize
f = lambda v: (v[0] ** 2 + v[1] - 11) ** 2 + (v[0] + v[1] ** 2 - 7) ** 2 + v[0]
show(optimize.differential_evolution(f, [(-5, 5)] * 2, rng=1).x, optimize.dual_annealing(f, [(-5, 5)] * 2, rng=2, maxiter=50).x, optimize.shgo(f, [(-5, 5)] * 2).x, optimize.brute(f, [(-5, 5)] * 2, Ns=10, finish=None), optimize.minimize_scalar(lambda x: (x - 2) ** 2).x, optimize.basinhopping(f, [1, 1], niter=5, rng=3).x, optimize.direct(f, [(-5, 5)] * 2, maxiter=30).nfev)

### interpolation
from scipy import interpolate
x = np.arange(6); y = np.array([0, 1, 4, 9, 16, 2**33])
show(interpolate.interp1d(x, y)(2.5), interpolate.CubicSpline(x, y)([1.5, 4.5]), interpolate.PchipInterpolator(x, y)([1.5]), interpolate.Akima1DInterpolator(x, y)([1.5]), interpolate.make_interp_spline(x, y, k=3)([2.2]), interpolate.BarycentricInterpolator(x[:4], y[:4])(1.1), interpolate.interp1d(x, y, kind="nearest")(2.4), interpolate.interp1d(x, y, kind="cubic")(2.4), interpolate.CubicSpline(x, y).integrate(0, 3), interpolate.UnivariateSpline(x, y, s=0)(1.5), interpolate.splev(1.5, interpolate.splrep(x, y)), interpolate.lagrange(x[:3], y[:3])(5))
attempt(lambda: interpolate.interp1d(x, y)(9), lambda: interpolate.CubicSpline([1, 1], [1, 2]))

### interpolation on grids and scattered points
#: rel 1e-9 solving for the weights
from scipy import interpolate
g = np.arange(4.0); z = g[:, None] ** 2 + g
p = np.array([[0, 0], [0, 3], [3, 0], [3, 3], [1, 2]])
show(interpolate.RegularGridInterpolator((g, g), z)([[1.5, 2.5]]), interpolate.griddata(p, p.sum(axis=1), [[1, 1], [2, 2.5]], method="linear"), interpolate.griddata(p, p.sum(axis=1), [[1, 1]], method="nearest"), interpolate.RBFInterpolator(p, p.sum(axis=1))([[1.0, 1.0]]), interpolate.RectBivariateSpline(g, g, z)(1.5, 2.5), interpolate.NearestNDInterpolator(p, np.arange(5) * 2**31)([[1, 2]]), interpolate.LinearNDInterpolator(p, np.arange(5))([[1, 1.5]]))

### sparse matrices
from scipy import sparse
a = sparse.csr_array(np.array([[0, 50_000, 0], [90_000, 0, 2**31]]))
show(a, a.data, a.indices.dtype, a.indptr, int(a.nnz) * 2**31, a @ a.T, a.sum(), a.sum(axis=0), a.tocoo().row, a.tocoo().row * 2, a.T.tocsc().indices, a * 2, a.max(), a.mean(), int(a.argmax()) * 2**31, a.argmax(axis=1), a.nonzero()[0] * 2, int(a.count_nonzero()) * 2**31, a.multiply(a), a.power(2), a.count_nonzero(axis=1), a[1], a[[1, 0]], a.dtype, a.diagonal(), a.trace(), sparse.find(a)[0])
attempt(lambda: a @ np.ones(2), lambda: a[5])

### building sparse matrices
from scipy import sparse
i, j, v = [0, 1, 1, 2], [1, 0, 0, 2], [2_000_000_000, 5, 6, 2_000_000_000]
c = sparse.coo_array((v, (i, j)), shape=(3, 3))
show(c, c.tocsr().data, c.sum(), c.tocsr().sum(axis=1), sparse.eye_array(3, dtype=int), sparse.diags_array([1, 2, 3], dtype=int), sparse.kron(sparse.eye_array(2), [[1, 2]]), sparse.vstack([c, c]).shape, sparse.hstack([c, c]).nnz, sparse.random_array((4, 4), density=0.5, rng=1), sparse.block_diag([[[1]], [[2]]]), sparse.tril(c), sparse.coo_array((np.ones(3, np.int32) * 2_000_000_000, ([0, 0, 0], [0, 0, 0]))).sum(), sparse.dok_array((2, 2), dtype=int).shape, sparse.lil_array(np.eye(2)).rows[0])

### sparse solvers
#: rel 1e-8 the solver's path
#: abs 1e-9 the solver's path
from scipy import sparse
from scipy.sparse import linalg
a = sparse.csc_array(sparse.diags_array([np.full(9, -1.0), np.full(10, 4.0), np.full(9, -1.0)], offsets=[-1, 0, 1]))
b = np.arange(10.0)
show(linalg.spsolve(a, b), linalg.cg(a, b, rtol=1e-12)[0], linalg.gmres(a, b, rtol=1e-12)[0], linalg.splu(a).solve(b), linalg.norm(a), np.sort(linalg.eigsh(a, k=2, which="LA", v0=np.ones(10))[0]), linalg.svds(a, k=1, v0=np.ones(10))[1], linalg.lsqr(a, b)[0], linalg.inv(a).toarray()[0], linalg.expm(a).toarray()[0, :2], linalg.splu(a).perm_c * 2)

### graphs
from scipy.sparse import csgraph
g = np.array([[0, 7, 0, 2**33], [7, 0, 2, 0], [0, 2, 0, 1], [2**33, 0, 1, 0]])
show(csgraph.dijkstra(g), csgraph.dijkstra(g, return_predecessors=True)[1], csgraph.shortest_path(g, indices=0), csgraph.connected_components(g), csgraph.connected_components(np.eye(3))[1] * 2, csgraph.minimum_spanning_tree(g), csgraph.breadth_first_order(g, 0), csgraph.maximum_flow(__import__("scipy").sparse.csr_array(np.array([[0, 5, 3], [0, 0, 4], [0, 0, 0]], np.int32)), 0, 2).flow_value, csgraph.laplacian(g[:3, :3]), csgraph.bellman_ford(g, indices=0), csgraph.floyd_warshall(g), csgraph.reverse_cuthill_mckee(__import__("scipy").sparse.csr_array(g)), csgraph.maximum_bipartite_matching(__import__("scipy").sparse.csr_array(g)), csgraph.yen(g, 0, 3, 2))

### trees and distances
#: unlike .shown[14] the order within a tree's leaf is that of the C++ library's `nth_element`
from scipy import spatial
p = (np.arange(40) * 7919 % 101).reshape(20, 2).astype(float)
t = spatial.cKDTree(p)
show(t.query([[5, 5], [50, 50]], k=2), t.query([5, 5])[1] * 2**31, t.query([[5, 5]])[1] * 2**31, sorted(t.query_ball_point([50, 50], 30)), t.count_neighbors(t, 20.0), t.count_neighbors(t, 20.0) * 2**31, sorted(t.query_pairs(15))[:4], spatial.KDTree(p).query([1, 1])[1], spatial.distance.pdist(p[:4]), spatial.distance.cdist(p[:2], p[2:4], "cityblock"), spatial.distance.squareform(spatial.distance.pdist(p[:3])), spatial.distance.cosine([1, 2], [2, 1]), spatial.distance.hamming([1, 0], [1, 1]), t.sparse_distance_matrix(t, 10).nnz, t.indices[:5] * 2, spatial.distance.mahalanobis([1, 2], [0, 0], np.eye(2)), spatial.distance.jaccard([1, 0, 1], [1, 1, 1]))

### hulls and triangulations
from scipy import spatial
p = np.array([[0, 0], [4, 0], [4, 3], [0, 3], [2, 1], [1, 2]], float)
h = spatial.ConvexHull(p)
d = spatial.Delaunay(p)
show(np.sort(h.vertices), h.vertices.dtype, h.volume, h.area, d.simplices.dtype, len(d.simplices), d.find_simplex([[2, 2], [9, 9]]) >= 0, np.sort(spatial.Voronoi(p).vertices, axis=0).round(9), h.simplices.shape, d.find_simplex([[9, 9]]))

### hierarchical clusters
from scipy.cluster import hierarchy, vq
p = (np.arange(24) * 7919 % 101).reshape(12, 2).astype(float)
for method in ("single", "complete", "average", "ward", "centroid"):
    z = hierarchy.linkage(p, method)
    show(z, hierarchy.fcluster(z, 3, "maxclust"), hierarchy.fcluster(z, 3, "maxclust") * 2, hierarchy.leaves_list(z))
show(hierarchy.cophenet(z, None) if False else hierarchy.cophenet(z)[:3], hierarchy.cut_tree(z, 3).ravel(), hierarchy.dendrogram(z, no_plot=True)["leaves"], vq.kmeans2(p, 2, minit="++", rng=1)[1], vq.vq(p, p[:2])[0], vq.whiten(p)[:2])

### integrals and differential equations
#: rel 1e-7 step sizes are chosen from estimated errors
from scipy import integrate
show(integrate.quad(np.exp, 0, 1)[0], integrate.simpson([1, 2, 4, 2**33]), integrate.trapezoid([1, 2, 2**33]), integrate.cumulative_trapezoid([1, 2, 2**33]), integrate.dblquad(lambda x, y: x * y, 0, 1, 0, 2)[0], integrate.solve_ivp(lambda t, y: -0.5 * y, [0, 4], [2.0], t_eval=[1, 2, 4]).y, integrate.odeint(lambda y, t: -0.5 * y, 2.0, [0, 1, 2]), integrate.romb([1, 2, 3, 4, 5]), integrate.quad(lambda x: np.exp(-x * x), -np.inf, np.inf)[0], integrate.solve_ivp(lambda t, y: [y[1], -y[0]], [0, 3], [1, 0], method="LSODA", t_eval=[3]).y, integrate.solve_ivp(lambda t, y: -50 * (y - np.cos(t)), [0, 1], [0.0], method="BDF", t_eval=[1]).y, integrate.quad_vec(lambda x: np.array([x, x * x]), 0, 1)[0], integrate.fixed_quad(np.sin, 0, 1)[0], integrate.nquad(lambda x, y: x + y, [[0, 1], [0, 1]])[0])

### special functions
from scipy import special
x = np.array([0.1, 1.0, 2.5, 10.0])
show(special.gamma(x), special.gammaln(x), special.erf(x), special.erfinv([0.1, 0.9]), special.beta(2, x), special.comb(50, 20), special.comb(100, 50, exact=True), special.factorial(15), special.factorial(25, exact=True), special.expit(x), special.logit([0.2, 0.9]), special.j0(x), special.digamma(x), special.zeta(x[2:]), special.logsumexp([1, 1000]), special.softmax([1, 2, 3]), special.binom(60, 30), special.perm(20, 10, exact=True), special.factorial(np.array([5, 20]), exact=True), special.comb([40, 60], [20, 30]), special.betainc(2, 3, 0.4), special.gammainc(2, x), special.ellipk(0.5), special.hyp2f1(1, 2, 3, 0.5), special.lambertw(1).real, special.stirling2(10, 3, exact=True), special.xlogy(0, 0), special.i0(x), special.kn(2, x), special.eval_legendre(3, 0.5), special.sph_harm_y(1, 1, 0.3, 0.4), special.ndtri(0.975), special.boxcox(x, 0.5), special.huber(1.0, x), special.entr(x), special.exp10(x))

### signals
#: rel 1e-8 filters multiply out rounding errors
#: abs 1e-12 entries that are zero but for rounding
from scipy import signal
x = np.sin(np.arange(64) / 3) + 0.2 * np.cos(np.arange(64))
b, a = signal.butter(3, 0.2)
show(b, a, signal.lfilter(b, a, x)[-3:], signal.filtfilt(b, a, x)[:3], signal.find_peaks(x)[0], signal.find_peaks(x)[0] * 2**31, signal.welch(x, nperseg=32)[1][:4], signal.savgol_filter(x, 7, 2)[:3], signal.convolve([50_000, 1], [50_000, 2]), signal.fftconvolve([1, 2, 3], [0, 1, 0.5]), signal.detrend(x)[:3], signal.hilbert(x)[:2], signal.argrelmax(x)[0] * 2**31, signal.medfilt(x, 5)[:4], signal.resample(x, 16)[:3], signal.correlate([1, 2, 2**31], [1, 2]), signal.peak_widths(x, signal.find_peaks(x)[0])[0][:2], signal.decimate(x, 2)[:2], signal.periodogram(x)[1][:3], signal.get_window("hamming", 5), signal.spectrogram(x, nperseg=16)[2].shape, signal.sosfilt(signal.butter(2, 0.3, output="sos"), x)[-2:], signal.convolve2d([[50_000, 1]], [[50_000], [1]]), signal.correlation_lags(3, 2))

### images
from scipy import ndimage
a = (np.arange(36) * 7919 % 7).reshape(6, 6)
l, n = ndimage.label(a > 3)
show(l, n, l * 2, n * 2**31, ndimage.sum_labels(a, l, range(1, n + 1)), ndimage.center_of_mass(a, l, [1, 2]), ndimage.gaussian_filter(a.astype(float), 1)[0], ndimage.uniform_filter(a, 3), ndimage.median_filter(a, 3), ndimage.binary_dilation(a > 3), ndimage.distance_transform_edt(a > 1)[1], ndimage.find_objects(l)[0], ndimage.maximum_position(a), ndimage.histogram(a, 0, 7, 3), ndimage.zoom(a, 0.5), ndimage.convolve(a, np.ones((3, 3), int)), ndimage.rotate(a, 90), ndimage.labeled_comprehension(a, l, [1, 2], np.sum, int, 0), ndimage.shift(a, 1), ndimage.value_indices(a)[3][0], ndimage.sobel(a), ndimage.correlate1d(a * 2**29, [1, 1, 1]), ndimage.extrema(a), ndimage.generate_binary_structure(2, 1), ndimage.map_coordinates(a.astype(float), [[0.5], [0.5]]))

### Fourier, linear algebra and constants
#: rel 1e-9 LAPACK's order of operations is the library's own
#: abs 1e-12 entries that are zero but for rounding
from scipy import fft, linalg, constants
a = np.array([[4.0, 1, 2], [1, 3, 0], [2, 0, 5]])
show(fft.dct([1, 2, 3, 4]), fft.fft([1, 2, 3]), fft.next_fast_len(1021) * 2**31, linalg.expm(a), linalg.sqrtm(a), linalg.lu(a)[2], linalg.eigvalsh(a), linalg.det(np.array([[50_000, 1], [1, 50_000]])), linalg.toeplitz([1, 2, 3]), linalg.solve_triangular(np.triu(a), [1, 2, 3]), linalg.block_diag([1], [2, 3]), linalg.hilbert(3), linalg.pinv(a), linalg.null_space([[1, 1]]).round(9) ** 2, linalg.cho_solve(linalg.cho_factor(a), [1, 2, 3]), linalg.logm(a), linalg.hadamard(4), linalg.pascal(20)[-1, -1], linalg.invpascal(5)[0], linalg.schur(a)[0].diagonal(), constants.c, linalg.lu_factor(a)[1] * 2, linalg.circulant([1, 2, 3]), linalg.companion([1, 2, 3]), linalg.orth(a).shape)
