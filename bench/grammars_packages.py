"""The packages whose grammars `bench.grammars` reads: names and versions, and how they are fetched.

Found by asking the registries for some 700 names of packages that may use ANTLR, Lark, tree-sitter
or ABNF and keeping those that hold a grammar; in Debian by the index of all files (`apt-file`) and
the sources of packages that generate parsers with ANTLR 4. Nothing of them is kept here.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote, urljoin

#: Source distributions on PyPI, as `name version`.
PYPI: Final = """
PyJSG 0.12.5, amazon-braket-default-simulator 1.41.2, antlerinator 1!3.0.1,
autobean-refactor 0.3.1, cairo-lang 0.14.0.1, cel-python 0.5.0, dotmotif 0.18.0,
fandango-fuzzer 1.3.1, fhirpathpy 2.2.4, flloat 0.3.0, fugue-sql-antlr-cpp 0.2.4,
grammarinator 26.1, hdlConvertor 2.3, hydra-core 1.3.8, isla-solver 1.14.4, jsonpath2 0.4.5,
kclvm 0.8.5, kuzu 0.11.3, lark-grammars 0.3.0, lark-parser 0.12.0, lark 1.3.1, llguidance 1.9.1,
ltlf2dfa 2.0.0, mappyfile 1.2.0, omegaconf 2.4.0, outlines 1.3.3, pddl 0.5.1, picireny 21.8,
poetry-core 2.5.0, preql-lang 0.2.1, pygeofilter 0.4.0, pylogics 0.2.1, pymlir 0.5,
pymoca 0.12.0, python-hcl2 8.1.4, stormpy 2.0.0, sympy 1.14.0, synapse 3.7.0, syncode 0.4.16,
systemrdl-compiler 1.33.0, tartiflette 1.4.1, tatsu 5.24.0, tptp-lark-parser 0.2.0,
ucumvert 0.3.2, vyper 0.4.3
"""

#: Packages on npm.
NPM: Final = """
@kie-tools/dmn-feel-antlr4-parser 10.2.0, @neo4j-cypher/language-support 2.0.0-next.38,
@sap/cds-dk 10.1.2, @tree-sitter-grammars/tree-sitter-hcl 1.2.0,
@tree-sitter-grammars/tree-sitter-lua 0.4.1, @tree-sitter-grammars/tree-sitter-toml 0.7.0,
@tree-sitter-grammars/tree-sitter-xml 0.7.0, @tree-sitter-grammars/tree-sitter-yaml 0.7.1,
@tree-sitter-grammars/tree-sitter-zig 1.1.2, abnf 5.0.4, apg-js 4.4.0, bnf 1.0.1,
fhirpath 5.2.2, solidity-antlr4 2.7.1, tree-sitter-agda 1.3.1, tree-sitter-bash 0.25.1,
tree-sitter-beancount 2.5.1, tree-sitter-c-sharp 0.23.5, tree-sitter-c 0.24.1,
tree-sitter-clojure 0.4.0, tree-sitter-cobol 0.0.1, tree-sitter-comment 0.3.0,
tree-sitter-commonlisp 0.4.1, tree-sitter-cpp 0.23.4, tree-sitter-css 0.25.0,
tree-sitter-dart 1.0.0, tree-sitter-elixir 0.3.5, tree-sitter-elm 4.5.0,
tree-sitter-embedded-template 0.25.0, tree-sitter-fsharp 0.3.12, tree-sitter-gleam 0.1.5,
tree-sitter-glsl 0.2.0, tree-sitter-go 0.25.0, tree-sitter-graphql 1.0.0,
tree-sitter-groovy 0.1.2, tree-sitter-haskell 0.23.1, tree-sitter-html 0.23.2,
tree-sitter-java 0.23.5, tree-sitter-javascript 0.25.0, tree-sitter-jsdoc 0.25.0,
tree-sitter-json 0.24.8, tree-sitter-julia 0.23.1, tree-sitter-kotlin 0.3.8,
tree-sitter-latex 0.0.0, tree-sitter-llvm 1.1.0, tree-sitter-lua 2.1.3, tree-sitter-make 1.1.1,
tree-sitter-markdown 0.7.1, tree-sitter-nix 0.0.2, tree-sitter-objc 3.0.2,
tree-sitter-ocaml 0.24.2, tree-sitter-pascal 0.0.1, tree-sitter-perl 2.0.0,
tree-sitter-php 0.24.2, tree-sitter-powershell 0.26.4, tree-sitter-prolog 1.1.0,
tree-sitter-python 0.25.0, tree-sitter-ql 1.0.0, tree-sitter-regex 0.25.0,
tree-sitter-rst 0.2.0, tree-sitter-ruby 0.23.1, tree-sitter-rust 0.24.0,
tree-sitter-scala 0.24.0, tree-sitter-scheme 1.0.0, tree-sitter-sfapex 3.0.0,
tree-sitter-smali 1.0.0, tree-sitter-solidity 1.2.13, tree-sitter-sparql 0.1.0,
tree-sitter-sql 0.1.0, tree-sitter-svelte 0.11.0, tree-sitter-swift 0.7.1,
tree-sitter-systemverilog 0.4.1, tree-sitter-tlaplus 1.5.0, tree-sitter-toml 0.5.1,
tree-sitter-typescript 0.23.2, tree-sitter-verilog 1.0.0, tree-sitter-vue 0.2.1,
tree-sitter-wat 0.1.0, tree-sitter-wgsl 0.0.6, tree-sitter-xml 1.0.0, tree-sitter-yaml 0.5.0,
tree-sitter-zig 0.2.0
"""

#: Sources of Debian 12, by their path in its pool.
DEBIAN: Final = (
    "a/antlr4/antlr4_4.7.2.orig.tar.xz",
    "c/checkstyle/checkstyle_8.36.1.orig.tar.xz",
)

#: Larger files are generated parsers and data, not grammars or examples.
_LARGEST: Final = 3_000_000

#: What is kept of a package: grammars, and files that a grammar of the bench may parse.
SUFFIXES: Final = (
    ".g4", ".lark", ".abnf", ".bnf", ".ebnf", ".json", ".al", ".pddl", ".vy", ".storm", ".p", ".py",
    ".c", ".h", ".cpp", ".cc", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".sh", ".css", ".html",
    ".toml", ".yaml", ".yml", ".xml", ".scm", ".swift", ".md", ".lua", ".cairo", ".k", ".sol",
)  # fmt: skip


def fetch(cache: Path) -> Iterator[str]:
    """Fetch and unpack every package that is not there yet; yield those that failed."""
    for kind, name, version in packages():
        folder = cache / kind / f"{name.replace('/', '__')}-{version}"
        if (folder / ".complete").exists():
            continue
        try:
            data, archive = _downloaded(kind, name, version)
            _unpack(data, archive, folder)
        except (
            OSError,
            ValueError,
            subprocess.SubprocessError,
            tarfile.TarError,
            zipfile.BadZipFile,
        ) as error:
            yield f"{name} {version}: {error}"


def packages() -> list[tuple[str, str, str]]:
    """Return kind, name and version of all packages."""
    found = []
    for kind, table in (("pypi", PYPI), ("npm", NPM)):
        for entry in table.replace("\n", " ").split(", "):
            name, _, version = entry.strip().rpartition(" ")
            found.append((kind, name, version))
    for path in DEBIAN:
        name, _, rest = path.rpartition("/")[2].partition("_")
        found.append(("debian", name, rest.partition(".orig")[0]))
    return found


def _downloaded(kind: str, name: str, version: str) -> tuple[bytes, str]:
    """Return the archive of a package and its name; nothing of a package is run for that."""
    if kind == "pypi":
        return _source_distribution(name, version)
    commands = {
        "npm": ["npm", "pack", "--silent", f"{name}@{version}"],
        "debian": ["apt-get", "source", "-qq", "--download-only", name],
    }
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            commands[kind], cwd=place, capture_output=True, text=True, timeout=120, check=False
        )
        files = [one for one in sorted(Path(place).iterdir()) if _is_archive(one.name)]
        if not files:
            raise OSError(done.stderr.strip()[-200:] or f"{commands[kind][0]} brought nothing")
        return files[0].read_bytes(), files[0].name


def _source_distribution(name: str, version: str) -> tuple[bytes, str]:
    """Fetch from the index itself: pip takes wheels, which lack grammars, or runs `setup.py`."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    page = f"{index}/{name.lower()}/"
    with urllib.request.urlopen(page, timeout=60) as answer:
        links = re.findall(r'href="([^"#]+)', answer.read().decode())
    found = [
        link
        for link in links
        if re.search(rf"-{re.escape(version)}(\.tar\.gz|\.zip)$", unquote(link))
    ]
    found += [link for link in links if f"-{version}-" in unquote(link)]  # only a wheel
    if not found:
        raise OSError("not in the index")
    with urllib.request.urlopen(urljoin(page, found[0]), timeout=120) as answer:
        return answer.read(), found[0]


def _is_archive(name: str) -> bool:
    return ".debian." not in name and name.endswith((".whl", ".zip", ".tgz", ".gz", ".xz", ".bz2"))


def _unpack(data: bytes, url: str, folder: Path) -> None:
    """Write the files that may be of use; nothing of them is run here."""
    for name, content in _members(data, url):
        path = PurePosixPath(name)
        if path.suffix not in SUFFIXES or path.is_absolute() or ".." in path.parts:
            continue
        target = folder.joinpath(*path.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".complete").touch()


def _members(data: bytes, url: str) -> Iterator[tuple[str, bytes]]:
    if url.endswith((".whl", ".zip")):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if not info.is_dir() and info.file_size <= _LARGEST:
                    yield info.filename, archive.read(info)
        return
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isfile() else None
            if file is not None and member.size <= _LARGEST:
                yield member.name, file.read()
