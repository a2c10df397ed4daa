# How to build for Windows: with the sources of the standard library, linked by mingw-w64. Sourced after common.sh.
windows_target=x86_64-pc-windows-gnu
windows=$build/windows/$windows_target/release

# What is missing to build for Windows, a line each.
windows_missing() {
  command -v x86_64-w64-mingw32-gcc >/dev/null || echo "x86_64-w64-mingw32-gcc is missing: apt-get install gcc-mingw-w64-x86-64"
  sources_missing
}

needs_windows() { needs_lines windows_missing; }

# Makes Cargo build for Windows.
windows_environment() {
  with_sources
  export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
}

# Cargo, for Windows.
windows_cargo() (
  windows_environment
  cargo "$1" --locked --release --target "$windows_target" -Zbuild-std=std,panic_unwind "${@:2}"
)

windows_program() { # $windows/viewcell.exe
  windows_cargo build --bin viewcell --target-dir "$build/windows"
  windows_only_system "$windows/viewcell.exe"
  no_paths "$windows/viewcell.exe"
}

windows_library() { # viewcell.dll, libviewcell.dll.a, libviewcell.a in $build/windows-library
  local built=$build/windows-library/build/$windows_target/release
  library_by "$build/windows-library/build" windows_cargo
  cp "$built/viewcell.dll" "$built/libviewcell.dll.a" "$built/libviewcell.a" "$build/windows-library/"
  windows_only_system "$build/windows-library/viewcell.dll"
  no_paths "$build/windows-library/viewcell.dll"
}

# A library for Windows beside its licences, where scripts/build-csharp and scripts/build-godot look for those of other
# systems.
put_windows() { # file, arguments of crates.py; sets others
  others=$build/others
  fresh "$others/windows"
  windows_only_system "$1"
  no_paths "$1"
  cp "$1" "$others/windows/"
  scripts/packages/crates.py licences --filter-platform $windows_target "${@:2}" >"$others/windows/THIRD-PARTY.txt"
}

# Ends where a file needs a library that Windows does not have by itself.
windows_only_system() { # file [, pattern of a library that it may need besides]
  local needed
  needed=$(x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]' |
    grep -vxE '(api-ms-win-.*|advapi32|bcrypt|bcryptprimitives|kernel32|msvcrt|ntdll|ole32|shell32|user32|userenv|ws2_32|psapi)\.dll' | grep -vxE "${2:-}" || true)
  if [ -n "$needed" ]; then
    echo "$1 needs more than Windows:" $needed >&2
    exit 1
  fi
}
