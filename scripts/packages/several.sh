#!/usr/bin/env bash
# Packages that are a few commands each, a function each; the line before it says what it is.
#
#   scripts/packages/several.sh NAME [--missing]
package=$1
shift
source "$(dirname "$0")/common.sh"
for_windows_too() { # what builds it there and puts it into others, if that can be done here
  source scripts/packages/windows.sh
  needs "${cargo_needs[@]}"
  others=
  if [ -z "$(windows_missing)" ]; then "$@"; else echo "without the library for Windows: $(windows_missing)"; fi
}

# Extension for Godot, with the library for this system, and for Windows if that can be built here.
package_godot() {
  godot_for_windows() {
    windows_cargo build --manifest-path "$2" --target-dir "$build/windows-godot"
    put_windows "$build/windows-godot/$windows_target/release/viewcell_godot.dll" "$@"
  }
  for_windows_too godot_for_windows --manifest-path src/bindings/godot/Cargo.toml
  CARGO_TARGET_DIR=$build/godot scripts/build-godot $others
  no_paths "$build/godot/release/libviewcell_godot.so"
  cp "target/bindings/viewcell-godot-$version.zip" "$out/"
  made "viewcell-godot-$version.zip"
}

# C library for engines: shared and static, with header, pkg-config and CMake files.
package_library() {
  needs "${cargo_needs[@]}" readelf "apt-get install binutils"
  scripts/build-library "$build/library" >/dev/null
  name=viewcell-$version-library-$(uname -m)-linux
  stage=$build/library-archive/$name
  fresh "$stage"
  mkdir -p "$stage/include" "$stage/lib/pkgconfig" "$stage/lib/cmake/viewcell"
  cp src/viewcell/capi/viewcell.h "$stage/include/"
  cp "$build/library/libviewcell.a" "$stage/lib/"
  cp "$build/library/libviewcell.so" "$stage/lib/"
  no_paths "$stage"/lib/libviewcell.*
  put_licences "$stage" --manifest-path src/viewcell/Cargo.toml --features capi
  put_config "$stage" libviewcell.so
  pack_tar "$stage" "$name.tar.gz"
}

# Archive for Linux: the program, the demo of the README, manual pages, completions of four shells, licences of all that
# is linked.
package_linux-archive() {
  needs "${cargo_needs[@]}" readelf "apt-get install binutils"
  build_program
  name=viewcell-$version-$(uname -m)-linux
  stage=$build/archive/$name
  fresh "$stage"
  cp "$program" "$stage/"
  put_pages "$stage"
  put_demo "$stage"
  build_documents "$stage"
  put_licences "$stage"
  pack_tar "$stage" "$name.tar.gz"
}

# Package for npm: the C interface as WebAssembly, for browsers and Node.
package_npm() {
  needs cargo "see https://rustup.rs" npm "install Node 18 or later"
  scripts/build-wasm
  cp "target/bindings/viewcell-$version.tgz" "$out/viewcell-$version-npm.tgz"
  made "viewcell-$version-npm.tgz"
}

# Bill of materials of the program, CycloneDX in JSON.
package_sbom() {
  needs "${cargo_needs[@]}"
  name=viewcell-$version.cdx.json
  scripts/packages/crates.py sbom >"$out/$name"
  made "$name"
}

# Plugin for Unreal Engine: its sources, with the C library for this system.
package_unreal() {
  needs "${cargo_needs[@]}"
  scripts/build-library "$build/library" >/dev/null
  case $(uname -s) in Darwin) platform=Mac ;; *) platform=Linux ;; esac
  stage=$build/unreal/Viewcell
  fresh "$build/unreal"
  mkdir -p "$stage/Source/ThirdParty/Viewcell/$platform"
  cp -r src/bindings/unreal/{README.md,Viewcell.uplugin,Source} "$stage/"
  sed -i.before "s/\"VersionName\": \".*\"/\"VersionName\": \"$version\"/" "$stage/Viewcell.uplugin" && rm "$stage/Viewcell.uplugin.before"
  # The page is no longer in the repository.
  sed -i.before -e 's/`scripts\/package unreal` makes `viewcell-unreal-[0-9.]*\.zip`\. Unpack it/Unpack this folder/' \
    -e 's/\[\([^]]*\)\](\.\.[^)]*)/\1/g' "$stage/README.md" && rm "$stage/README.md.before"
  cp "$build/library/libviewcell.a" "$stage/Source/ThirdParty/Viewcell/$platform/"
  cp src/viewcell/capi/viewcell.h "$stage/Source/ThirdParty/Viewcell/"
  no_paths "$stage/Source/ThirdParty/Viewcell/$platform/libviewcell.a"
  put_licences "$stage" --manifest-path src/viewcell/Cargo.toml --features capi
  even_times "$stage"
  pack_zip "$stage" "viewcell-unreal-$version.zip"
}

# Package for Unity's package manager, with the C library for this system, and for Windows if that can be built here.
package_upm() {
  upm_for_windows() { windows_library; put_windows "$build/windows-library/viewcell.dll" "$@"; }
  for_windows_too upm_for_windows --manifest-path src/viewcell/Cargo.toml --features capi
  scripts/build-csharp $others
  no_paths target/bindings/unity/package/Runtime/Plugins/linux/*
  cp "target/bindings/com.viewcell-$version.tgz" "$out/"
  made "com.viewcell-$version.tgz"
}

# Python wheel, for Python 3.10 and later.
package_wheel() {
  needs "${cargo_needs[@]}"
  export CARGO_TARGET_DIR=$build
  scripts/build-wheel
  rm -f "$out"/viewcell-*linux*.whl
  cp target/bindings/viewcell-"$version"-*.whl "$out/"
  for file in "$out"/viewcell-*linux*.whl; do made "${file##*/}"; done
}

# Python wheel for Windows, for Python 3.10 and later.
package_windows-wheel() {
  source scripts/packages/windows.sh
  needs_windows
  needs "${cargo_needs[@]}"
  stage=$build/windows-wheel
  fresh "$stage"
  (
    windows_environment
    export CARGO_TARGET_DIR=$build/windows
    scripts/build-wheel --out "$stage" --target $windows_target -Zbuild-std=std,panic_unwind
  )
  file=$(echo "$stage"/viewcell-"$version"-cp310-abi3-win_amd64.whl)
  python3 -m zipfile -e "$file" "$stage/unpacked"
  windows_only_system "$stage"/unpacked/viewcell/_viewcell*.pyd 'python3\.dll'
  no_paths "$stage"/unpacked/viewcell/_viewcell*.pyd
  cp "$file" "$out/"
  made "${file##*/}"
}

"package_$package"
