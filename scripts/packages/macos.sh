# How to build for macOS, of Apple's and Intel's processors: with the sources of the standard library, linked by zig, which
# has what describes macOS's system library. Sourced after common.sh. Nothing of it can be run here.
macos=$build/macos
macos_architectures=(aarch64 x86_64)
macos_tools=$build/macos-tools

# What is missing to build for macOS, a line each.
macos_missing() {
  command -v llvm-objdump >/dev/null || echo "llvm-objdump is missing: apt-get install llvm"
  python3 -c 'import ensurepip, venv' 2>/dev/null || echo "python3 has no venv: apt-get install python3-venv"
  sources_missing
}

needs_macos() { needs_lines macos_missing; }

zig_tools() { # in $macos_tools
  [ -x "$macos_tools/bin/pip" ] || python3 -m venv "$macos_tools"
  "$macos_tools/bin/pip" install --quiet --disable-pip-version-check ziglang==0.17.1 cargo-zigbuild==0.24.1
}

# Cargo, for an architecture of macOS. What takes names out of a program after linking would break its signature.
macos_link=(-C link-arg=-Wl,-S -C link-arg=-Wl,-x -C link-arg=-Wl,-dead_strip_dylibs)
macos_cargo() ( # architecture, command, options...
  zig_tools
  with_sources
  export PATH=$macos_tools/bin:$PATH CARGO_ZIGBUILD_CACHE_DIR=$macos_tools/cache MACOSX_DEPLOYMENT_TARGET=11.0
  cargo-zigbuild "$2" --locked --release --target "$1-apple-darwin" -Zbuild-std=std,panic_unwind \
    --config 'profile.release.strip="none"' "${@:3}" -- "${macos_link[@]}"
)

macos_program() { # $macos/viewcell
  local architecture built=()
  for architecture in "${macos_architectures[@]}"; do
    macos_cargo "$architecture" rustc --bin viewcell --target-dir "$macos"
    built+=("$macos/$architecture-apple-darwin/release/viewcell")
  done
  join "$macos/viewcell" "${built[@]}"
  chmod +x "$macos/viewcell"
  macos_only_system "$macos/viewcell"
}

macos_library() { # libviewcell.dylib, libviewcell.a in $build/macos-library
  local architecture file built=() name=@rpath/libviewcell.dylib
  local macos_link=("${macos_link[@]}" -C "link-arg=-Wl,-install_name,$name")
  for architecture in "${macos_architectures[@]}"; do
    library_by "$build/macos-library/build" macos_cargo "$architecture"
    built+=("$build/macos-library/build/$architecture-apple-darwin/release")
  done
  for file in libviewcell.dylib libviewcell.a; do
    join "$build/macos-library/$file" "${built[@]/%//$file}"
  done
  macos_only_system "$build/macos-library/libviewcell.dylib" $name
}

# One file for both processors, as Apple's lipo makes it of those of macos_architectures. (Debian's does not read archives
# of a newer LLVM.)
join() { # file, those of each
  python3 - "$@" <<'END'
import struct, sys
from pathlib import Path

joined, *files = map(Path, sys.argv[1:])
parts = [file.read_bytes() for file in files]
processors = [(0x100000C, 0), (0x1000007, 3)]  # aarch64, x86_64
page = 14  # log2
headers, body, at = struct.pack(">II", 0xCAFEBABE, len(parts)), b"", 1 << page
for processor, part in zip(processors, parts, strict=True):
    headers += struct.pack(">IIIII", *processor, at + len(body), len(part), page)
    body += part + bytes(-len(part) % (1 << page))
joined.write_bytes(headers.ljust(at, b"\0") + body)
END
  no_paths "$1"
}

# Ends where a program or library needs a library that macOS does not have by itself, or lacks the signature (of no name)
# without which Apple's processors do not run it.
macos_only_system() { # file [, its own name]
  local needed
  needed=$(headers all "$1" | sed -n 's/^ *name \([@/].*\) (offset .*/\1/p' |
    grep -vxF -e /usr/lib/libSystem.B.dylib -e /usr/lib/dyld -e "${2:-/usr/lib/dyld}" || true)
  if [ -n "$needed" ]; then
    echo "$1 needs more than macOS:" $needed >&2
    exit 1
  fi
  headers arm64 "$1" | grep 'cmd LC_CODE_SIGNATURE' >/dev/null || { echo "$1 is not signed" >&2; exit 1; }
}
headers() { llvm-objdump --macho --arch="$1" --private-headers "$2"; }
