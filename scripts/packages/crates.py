#!/usr/bin/env python3
"""What is linked into a program of ours, out of cargo's own records.

    crates.py licences [OPTION OF cargo metadata]...   the texts of all licences, each once
    crates.py sbom [OPTION OF cargo metadata]...       a CycloneDX 1.5 document in JSON

Crates that only build, test or write code for others are left out. A crate without a licence text gets the one of
its licence's name; fails where that is none of Apache-2.0, MIT and, on Debian, MPL-2.0. Rust's standard library and
what it links have theirs from the notices that come with the compiler; the start-up code of mingw-w64 has its own
from Debian's package.
"""

import html
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked(options):
    """The root package, and what it links: packages in the order of their names."""
    if "--filter-platform" not in options:
        host = re.search("^host: (.*)", output("rustc", "-vV"), re.M)[1]
        options = ["--filter-platform", host, *options]
    metadata = json.loads(output("cargo", "metadata", "--locked", "--format-version", "1", *options))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    writes_code = {one for one in packages if any("proc-macro" in target["kind"] for target in packages[one]["targets"])}
    root = metadata["resolve"]["root"]
    found, waiting = {root}, [root]
    while waiting:
        for needed in nodes[waiting.pop()]["deps"]:
            if needed["pkg"] not in found | writes_code and any(kind["kind"] is None for kind in needed["dep_kinds"]):
                found.add(needed["pkg"])
                waiting.append(needed["pkg"])
    edges = {one: sorted({dep["pkg"] for dep in nodes[one]["deps"]} & found) for one in found}
    ordered = sorted(found - {root}, key=lambda one: (packages[one]["name"], packages[one]["version"]))
    return packages, root, ordered, edges


def texts(package):
    """The licence texts that a crate brings; sources in other languages (zstd) and some fonts have theirs beside them."""
    folder = Path(package["manifest_path"]).parent
    is_licence = re.compile(r"LICEN[CS]E|COPYING|NOTICE|UNLICENSE|OFL|UFL", re.IGNORECASE).match
    files = [file for place in (folder, folder / "zstd") for file in sorted(place.glob("*")) if is_licence(file.name)]
    files += [folder / named for named in [package.get("license_file")] if named]
    files += [file for file in sorted(folder.glob("fonts/*")) if file.suffix in (".txt", ".md")]
    found = [file.read_text(errors="replace").replace("\r\n", "\n").strip() for file in dict.fromkeys(files) if file.is_file()]
    return [text for text in found if len(text) > 200]


def texts_of_rust():
    """What is linked with the standard library: (name and licence, text)."""
    documents = Path(output("rustc", "--print", "sysroot").strip()) / "share/doc"
    notices = documents / "rust/COPYRIGHT-library.html"
    # Debian has all of Rust's in one file.
    debian = [file for name in ("rustc-web", "rustc") if (file := documents / name / "copyright").is_file()]
    if notices.is_file():
        for part in notices.read_text().split("<h3>📦 ")[1:]:
            name = " ".join(part.split("</h3>")[0].rsplit("-", 1))
            licence = re.search(r"<b>License:</b> (.*?)</p>", part)[1]
            for text in re.findall(r"<pre>(.*?)</pre>", part, re.DOTALL):
                yield f"{name} ({licence}), in Rust's standard library", html.unescape(text).strip()
    elif debian:
        yield "Rust, of which the standard library is linked", debian[0].read_text().strip()
    else:
        sys.exit(f"crates.py: no {notices}, the licences of Rust's standard library: take a Rust of rustup or Debian")


def licences(options):
    packages, _, ordered, _ = linked(options)
    ours = Path(__file__).resolve().parents[2]
    apache = (ours / "LICENSE-APACHE").read_text().strip()
    _, mit = (ours / "LICENSE-MIT").read_text().strip().split("Permission is hereby", 1)
    by_text, without = {}, []

    def add(name, text):
        # Some differ by their line breaks.
        by_text.setdefault(" ".join(text.split()), (text, []))[1].append(name)

    for one in ordered:
        package = packages[one]
        if package["source"] is None:
            continue  # ours
        name = f"{package['name']} {package['version']} ({package['license'] or 'see its licence'})"
        found = texts(package)
        names = re.split(r" OR |/", package["license"] or "")
        if not found and "Apache-2.0" in names:
            found = [apache]
        if not found and "MIT" in names:
            authors = ", ".join(package["authors"]) or f"the authors of {package['name']}"
            found = [f"MIT License\n\nCopyright (c) {authors}\n\nPermission is hereby{mit}"]
        mpl = Path("/usr/share/common-licenses/MPL-2.0")  # Debian's
        if not found and package["license"] == "MPL-2.0" and mpl.is_file():
            name += f", whose sources are at https://crates.io/crates/{package['name']}/{package['version']}"
            found = [mpl.read_text().strip()]
        if not found:
            without.append(name)
        for text in found:
            add(name, text)
    if without:
        sys.exit("crates.py: no licence text of " + ", ".join(without))
    add("Rust's standard library (MIT OR Apache-2.0)", apache)
    for name, text in texts_of_rust():
        add(name, text)
    if "x86_64-pc-windows-gnu" in options:
        mingw = Path("/usr/share/doc/mingw-w64-common/copyright")
        if not mingw.is_file():
            sys.exit(f"crates.py: no {mingw}, the licences of what mingw-w64 links: apt-get install mingw-w64-common")
        add("mingw-w64's start-up code and import libraries", mingw.read_text().strip())
    print("viewcell links the following; whose licences are these.")
    for text, names in by_text.values():
        print("\n" + "=" * 100 + "\n" + "\n".join(dict.fromkeys(names)) + "\n" + "-" * 100 + f"\n\n{text}")


def sbom(options):
    packages, root, ordered, edges = linked(options)

    def reference(one):
        return f"pkg:cargo/{packages[one]['name']}@{packages[one]['version']}"

    def component(one, kind):
        package = packages[one]
        entry = {"type": kind, "bom-ref": reference(one), "name": package["name"], "version": package["version"], "purl": reference(one)}
        if package["description"]:
            entry["description"] = " ".join(package["description"].split())
        if package["license"]:
            entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if digest := digests.get((package["name"], package["version"])):
            entry["hashes"] = [{"alg": "SHA-256", "content": digest}]
        if package["repository"]:
            entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return entry

    lock = (Path(packages[root]["manifest_path"]).parent / "Cargo.lock").read_text()
    record = re.compile(r'name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"')
    digests = {(name, version): digest for name, version, digest in record.findall(lock)}
    when = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        # The same for the same contents.
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, reference(root) + lock)),
        "version": 1,
        "metadata": {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": component(root, "application")},
        "components": [component(one, "library") for one in ordered],
        "dependencies": [{"ref": reference(one), "dependsOn": [reference(needed) for needed in edges[one]]} for one in [root, *ordered]],
    }
    print(json.dumps(document, indent=1, ensure_ascii=False))


verbs = {"licences": licences, "sbom": sbom}
if len(sys.argv) < 2 or sys.argv[1] not in verbs:
    sys.exit(__doc__)
verbs[sys.argv[1]](sys.argv[2:])
