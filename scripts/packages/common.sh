# What the packages have in common; each sources it, and then says what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
out=$root/target/packages
build=$out/build
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# The time of the commit stands in packages, not that of the build.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
export CARGO_INCREMENTAL=0
# Words of panics name files: the same ones, wherever this is built.
crates=${CARGO_HOME:-$HOME/.cargo}/registry/src/
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$root/= --remap-path-prefix=$crates="
export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$root/= -ffile-prefix-map=$crates="
mkdir -p "$build"

# needs TOOL WHAT-TO-DO ...: ends where one of the tools is missing. `--missing` asks for just that.
asked=${1:-}
needs() {
  local missing=()
  while [ $# -gt 0 ]; do
    command -v "$1" >/dev/null || missing+=("$1 is missing: $2")
    shift 2
  done
  stop_if_missing ${missing[@]+"${missing[@]}"}
}
stop_if_missing() {
  if [ "$asked" = --missing ]; then
    if [ $# -gt 0 ]; then (IFS=';' && echo "$*"); fi
    exit 0
  fi
  [ $# -eq 0 ] && return
  printf "scripts/package ${package:-$(basename "$0")}: %s\n" "$@" >&2
  exit 1
}
needs_lines() { # command, which prints what is missing, a line each
  local missing
  mapfile -t missing < <("$1")
  [ ${#missing[@]} -eq 0 ] || stop_if_missing "${missing[@]}"
}
cargo_needs=(cargo "see https://rustup.rs" python3 "apt-get install python3")

# Other systems get the standard library from its sources: Debian's rustc-web has them.
sources_missing() {
  local sysroot
  sysroot=$(/usr/bin/rustc --print sysroot 2>/dev/null || true)
  [ -n "$sysroot" ] && [ -e "$sysroot/lib/rustlib/src/rust/library/Cargo.lock" ] ||
    echo "the sources of the standard library are missing: apt-get install rustc-web rust-web-src (Debian 12 with its security updates, or later)"
}
with_sources() {
  export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
  export RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=/usr/lib/rustlib/src/rust/="
}

# The C library for another system, as scripts/build-library makes it.
library_by() { # folder to build in, what calls Cargo for the system...
  local kind
  for kind in cdylib staticlib; do
    "${@:2}" rustc -p viewcell --features capi --target-dir "$1" \
      --config 'profile.release.opt-level=2' --config 'profile.release.lto="fat"' \
      --config 'profile.release.codegen-units=1' --crate-type $kind
  done
}

# A program, linked to libc alone: what it needs of libgcc is linked statically.
build_program() {
  local static=$build/libgcc
  mkdir -p "$static"
  echo 'GROUP ( -lgcc_eh -lgcc )' >"$static/libgcc_s.so"
  cargo rustc --locked --release --bin viewcell --target-dir "$build" -- -L "native=$static"
  program=$build/release/viewcell
  local needed
  needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vxE 'libc\.so\.6|libm\.so\.6|ld-linux.*' || true)
  if [ -n "$needed" ]; then
    echo "the program needs more than libc:" $needed >&2
    exit 1
  fi
  if readelf -SW "$program" | grep -q ' \.symtab '; then
    echo "$program has symbols: see strip in Cargo.toml" >&2
    exit 1
  fi
  no_paths "$program"
}

# Ends where a file names folders of this machine.
no_paths() {
  local file
  for file; do
    if grep -qaF -e "$root/" -e "$crates" "$file"; then
      echo "$file names folders of this machine" >&2
      exit 1
    fi
  done
}

# The manual pages go into FOLDER/man, completions of four shells into FOLDER/completions.
build_documents() { # folder
  mkdir -p "$1/man" "$1/completions"
  "$program" man "$1/man" 2>/dev/null
  "$program" completions bash >"$1/completions/viewcell.bash"
  "$program" completions zsh >"$1/completions/_viewcell"
  "$program" completions fish >"$1/completions/viewcell.fish"
  "$program" completions powershell >"$1/completions/_viewcell.ps1"
}

# The archive's own README, the pages that it links, and the book, for which the program is asked for its options.
put_pages() { # folder
  cp scripts/packages/archive.md "$1/README.md"
  cp CHANGELOG.md "$1/"
  mkdir -p "$1/schemas"
  cp schemas/BUNDLE.md "$1/schemas/"
  VIEWCELL=$program scripts/book >/dev/null
  cp -r target/book "$1/"
}

# What the commands of the README work on, where the README says it is.
put_demo() { # folder
  mkdir -p "$1/assets"
  cp assets/jacksboro.tif assets/jacksboro-pvs.png assets/README.md "$1/assets/"
}

# An archive for another system: pages, demo and manual, of the program that can be run here, with the C library's header.
put_archive() { # folder, options of crates.py...
  build_program
  fresh "$1"
  mkdir -p "$1/include" "$1/bin" "$1/lib/pkgconfig" "$1/lib/cmake/viewcell"
  put_pages "$1"
  put_demo "$1"
  build_documents "$1"
  cp src/viewcell/capi/viewcell.h "$1/include/"
  put_licences "$@"
}

put_licences() { # folder, arguments of crates.py
  local folder=$1
  shift
  cp LICENSE-APACHE LICENSE-MIT "$folder/"
  scripts/packages/crates.py licences "$@" >"$folder/THIRD-PARTY.txt"
}

# Archives of a folder that depend on its names and bytes alone.
even_times() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; chmod -R u=rwX,go=rX "$1"; }
pack_tar() { # folder, name of the archive
  even_times "$1"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -C "$(dirname "$1")" -c "$(basename "$1")" | gzip -n -9 >"$out/$2"
  made "$2"
}
pack_zip() { # folder, name of the archive
  python3 - "$1" "$out/$2" <<'END'
import sys, time, os, zipfile
from pathlib import Path

folder, archive = map(Path, sys.argv[1:])
# A zip has no time before 1980.
when = max(time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6], (1980, 1, 1, 0, 0, 0))
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(file.relative_to(folder.parent).as_posix(), when)
        entry.external_attr = 0o644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        packed.writestr(entry, file.read_bytes())
END
  made "$2"
}
made() { printf '%9d bytes  %s\n' "$(wc -c <"$out/$1")" "target/packages/$1"; }
fresh() { rm -rf "$1" && mkdir -p "$1"; }

# Where pkg-config and CMake find a library, wherever it is unpacked.
put_config() { # folder, the shared library's name [, the import library's]
  local shared="IMPORTED_LOCATION \"\${_viewcell}/lib/$2\""
  if [ -n "${3:-}" ]; then
    shared="IMPORTED_LOCATION \"\${_viewcell}/bin/$2\"
    IMPORTED_IMPLIB \"\${_viewcell}/lib/$3\""
  fi
  cat >"$1/lib/pkgconfig/viewcell.pc" <<END
prefix=\${pcfiledir}/../..
Name: viewcell
Description: Asks view cell bundles who can see whom
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lviewcell
END
  cat >"$1/lib/cmake/viewcell/viewcell-config.cmake" <<END
# find_package(viewcell) gives the target viewcell::viewcell, and viewcell::static.
get_filename_component(_viewcell "\${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET viewcell::viewcell)
  add_library(viewcell::viewcell SHARED IMPORTED)
  set_target_properties(viewcell::viewcell PROPERTIES
    $shared
    INTERFACE_INCLUDE_DIRECTORIES "\${_viewcell}/include")
  add_library(viewcell::static STATIC IMPORTED)
  set_target_properties(viewcell::static PROPERTIES
    IMPORTED_LOCATION "\${_viewcell}/lib/libviewcell.a"
    INTERFACE_INCLUDE_DIRECTORIES "\${_viewcell}/include")
endif()
END
  cat >"$1/lib/cmake/viewcell/viewcell-config-version.cmake" <<END
set(PACKAGE_VERSION $version)
# Before 1.0, versions of another minor number differ.
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION AND
    "\${PACKAGE_FIND_VERSION_MAJOR}.\${PACKAGE_FIND_VERSION_MINOR}" STREQUAL "${version%.*}")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
END
}
