#!/usr/bin/env bash
# The judge of the room's numbers: a native, 64-bit CPython of the guest's own
# minor version with the guest's own libraries (scripts/native.txt), in the cache.
#   scripts/lib/native.sh            prints where its `python` is, making it if need be
#   scripts/lib/native.sh lock       resolves scripts/native.in into scripts/native.txt
# or, sourced: `native` puts it into $native_python.
#
# A `python3.15` on the PATH is taken; where there is none, Debian's is fetched by
# the machine's own apt, from its own configured mirror, into the cache, beside the
# libraries that it wants. Nothing is installed: the packages are only unpacked, and
# the interpreter is started by its own dynamic linker, so that the machine's libc may
# be older.
# shellcheck source=SCRIPTDIR/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

native_version=3.15
native_suite=forky
native_keys=/usr/share/keyrings/debian-archive-keyring.gpg

# The URL of Debian's archive, as this machine has it configured.
debian_mirror() {
    apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(CREATED_BY) $(REPO_URI) $(LABEL)' 2>/dev/null |
        awk '$1 == "Debian" && $2 == "main" && $3 == "Packages" && $5 == "Debian" { print $4; exit }'
}

# unpack_debian FOLDER: python and the libraries that it needs, below FOLDER.
unpack_debian() {
    local folder=$1 apt mirror package
    command -v apt-get >/dev/null && [ -r "$native_keys" ] ||
        die "no python$native_version: put one on the PATH (this machine has no Debian to take it from)"
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || { as_root apt-get update -qq >&2 && mirror=$(debian_mirror); }
    [ -n "$mirror" ] || die "no python$native_version: put one on the PATH (apt has no Debian mirror)"
    say "fetching Debian's python$native_version"
    apt=$folder.apt
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$folder"
    : >"$apt/status"
    echo "deb [signed-by=$native_keys] $mirror $native_suite main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<END
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Sandbox::User "$(id -un)";
APT::Install-Recommends "false";
APT::Keep-Downloaded-Packages "true";
Acquire::Languages "none";
Debug::NoLocking "true";
END
    APT_CONFIG=$apt/apt.conf apt-get update -qq >&2
    # With no package installed, this is python and all that it needs, libc too.
    APT_CONFIG=$apt/apt.conf apt-get install -qq --yes --download-only \
        "python$native_version" libstdc++6 >&2
    for package in "$apt"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --keep-directory-symlink
    done
    rm -rf "$apt"
}

# write_launcher FOLDER: FOLDER/python, which starts whichever interpreter it is.
# One thread, because a sum in threads is added up in another order; and the zones of
# the `tzdata` package, as the guest has them.
write_launcher() {
    local folder=$1 found start
    if found=$(command -v "python$native_version") && "$found" -c '' 2>/dev/null; then
        start="'$found' -s"
    else
        unpack_debian "$folder/debian"
        start='"$here"/debian/usr/lib*/ld-linux*.so.? --argv0 python'$native_version' --library-path \
    "$(printf %s "$here"/debian/usr/lib/*-linux-gnu)" \
    "$here/debian/usr/bin/python'$native_version'" -s'
    fi
    cat >"$folder/python" <<END
#!/bin/sh
here=\$(dirname "\$0")
[ ! -d "\$here/debian" ] || export PYTHONHOME=\$here/debian/usr
export PYTHONPATH=\$here/site PYTHONHASHSEED=0 MPLBACKEND=agg TZ=UTC PYTHONTZPATH=
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
exec $start "\$@"
END
    chmod +x "$folder/python"
}

# native: makes it, whole or not at all, and sets $native_python.
native() {
    tools
    local key folder
    key=$(cat "$root/scripts/native.txt" "$root/scripts/lib/native.sh" | sha256sum | cut -c1-16)
    folder=$cache/native-$key
    native_python=$folder/python
    made_once "$folder" make_native
}

make_native() {
    local folder=$1
    say "installing native Python, to compare with"
    mkdir -p "$folder"
    write_launcher "$folder"
    # shellcheck disable=SC2046
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
        --only-binary :all: --python-version "$native_version" --implementation cp \
        $(platforms) --target "$folder/site" -r "$root/scripts/native.txt" >&2
    "$native_python" -c 'import numpy, pandas, scipy, sklearn, statsmodels, pyarrow' ||
        die "the native Python does not start: remove $folder and run this again"
    # pip compiles for the version that it runs in, which is another one.
    "$native_python" -m compileall -q "$folder/site" "$folder"/debian/usr/lib/python* >&2 || true
}

# The wheels' platforms that Debian's libc can run, newest first.
platforms() {
    local minor
    for minor in 34 31 28 27 26 24 17 12; do
        printf -- '--platform manylinux_2_%s_%s ' "$minor" "$(uname -m)"
    done
    printf -- '--platform manylinux2014_%s' "$(uname -m)"
}

# lock: scripts/native.txt, by pip-compile under the native interpreter itself.
lock() {
    tools
    local folder=$cache/native-lock
    rm -rf "$folder"
    mkdir -p "$folder"
    write_launcher "$folder"
    "$python" -m pip install --quiet --target "$folder/site" pip-tools pip >&2
    (cd "$root" && "$folder/python" -m piptools compile --quiet --generate-hashes --allow-unsafe \
        --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
        --pip-args '--only-binary :all:' --no-header --no-annotate \
        --output-file scripts/native.txt scripts/native.in)
    rm -rf "$folder"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    case ${1-} in
        lock) lock ;;
        "")
            native
            echo "$native_python"
            ;;
        *) die "usage: scripts/lib/native.sh [lock]" ;;
    esac
fi
