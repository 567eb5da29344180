"""Languages by file name, shebang and content, and their names."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

#: File suffixes by language, for the languages of the tree-sitter language pack.
SUFFIXES: Final[dict[str, tuple[str, ...]]] = {
    "actionscript": (".as",),
    "ada": (".adb", ".ads", ".ada"),
    "agda": (".agda",),
    "apex": (".cls", ".trigger"),
    "arduino": (".ino",),
    "asm": (".s", ".asm"),
    "astro": (".astro",),
    "bash": (".sh", ".bash", ".zsh", ".ksh"),
    "beancount": (".beancount",),
    "bibtex": (".bib",),
    "bicep": (".bicep",),
    "bitbake": (".bb", ".bbappend", ".bbclass"),
    "bsl": (".bsl",),
    "c": (".c", ".h", ".i"),
    "cairo": (".cairo",),
    "capnp": (".capnp",),
    "chatito": (".chatito",),
    "clarity": (".clar",),
    "clojure": (".clj", ".cljs", ".cljc", ".edn"),
    "cmake": (".cmake",),
    "cobol": (".cob", ".cbl"),
    "commonlisp": (".lisp", ".lsp", ".cl"),
    "cpon": (".cpon",),
    "cpp": (".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ii", ".ipp", ".tpp"),
    "csharp": (".cs",),
    "css": (".css",),
    "csv": (".csv",),
    "cuda": (".cu", ".cuh"),
    "d": (".d",),
    "dart": (".dart",),
    "dtd": (".dtd",),
    "elisp": (".el",),
    "elixir": (".ex", ".exs"),
    "elm": (".elm",),
    "embeddedtemplate": (".erb", ".ejs"),
    "erlang": (".erl", ".hrl"),
    "fennel": (".fnl",),
    "firrtl": (".fir",),
    "fish": (".fish",),
    "fortran": (".f", ".f90", ".f95", ".f03", ".f08", ".for", ".f77"),
    "fsharp": (".fs", ".fsx"),
    "fsharp_signature": (".fsi",),
    "func": (".fc",),
    "gdscript": (".gd",),
    "gleam": (".gleam",),
    "glsl": (".glsl", ".vert", ".frag", ".comp", ".geom", ".tesc", ".tese"),
    "gn": (".gn", ".gni"),
    "go": (".go",),
    "gosum": (".sum",),
    "graphql": (".graphql", ".gql"),
    "groovy": (".groovy", ".gradle"),
    "hack": (".hack",),
    "hare": (".ha",),
    "haskell": (".hs",),
    "haxe": (".hx",),
    "hcl": (".hcl",),
    "heex": (".heex",),
    "hlsl": (".hlsl", ".fx"),
    "html": (".html", ".htm", ".xhtml"),
    "ini": (".ini", ".cfg", ".conf"),
    "ispc": (".ispc",),
    "janet": (".janet",),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "json": (".json", ".geojson", ".webmanifest", ".ipynb"),
    "jsonnet": (".jsonnet", ".libsonnet"),
    "julia": (".jl",),
    "kdl": (".kdl",),
    "kotlin": (".kt", ".kts"),
    "latex": (".tex", ".sty", ".ltx"),
    "linkerscript": (".ld", ".lds"),
    "llvm": (".ll",),
    "lua": (".lua",),
    "luau": (".luau",),
    "magik": (".magik",),
    "make": (".mk", ".mak"),
    "markdown": (".md", ".markdown"),
    "matlab": (".m",),
    "mermaid": (".mmd", ".mermaid"),
    "netlinx": (".axs", ".axi"),
    "nim": (".nim", ".nims"),
    "ninja": (".ninja",),
    "nix": (".nix",),
    "nqc": (".nqc",),
    "objc": (".mm",),
    "ocaml": (".ml",),
    "ocaml_interface": (".mli",),
    "odin": (".odin",),
    "org": (".org",),
    "pascal": (".pas", ".pp", ".dpr", ".lpr"),
    "pem": (".pem", ".crt"),
    "perl": (".pl", ".pm", ".t"),
    "pgn": (".pgn",),
    "php": (".php", ".phtml"),
    "po": (".po", ".pot"),
    "pony": (".pony",),
    "powershell": (".ps1", ".psm1", ".psd1"),
    "prisma": (".prisma",),
    "properties": (".properties",),
    "proto": (".proto",),
    "psv": (".psv",),
    "purescript": (".purs",),
    "python": (".py", ".pyi", ".pyw"),
    "qmljs": (".qml",),
    "r": (".r",),
    "racket": (".rkt",),
    "re2c": (".re",),
    "rego": (".rego",),
    "ron": (".ron",),
    "rst": (".rst",),
    "ruby": (".rb", ".rake", ".gemspec"),
    "rust": (".rs",),
    "scala": (".scala", ".sc", ".sbt"),
    "scheme": (".scm", ".ss", ".sld", ".sls", ".sps", ".smt", ".smt2", ".sexp"),
    "scss": (".scss",),
    "smali": (".smali",),
    "smithy": (".smithy",),
    "solidity": (".sol",),
    "sparql": (".rq", ".sparql"),
    "sql": (".sql",),
    "squirrel": (".nut",),
    "starlark": (".bzl", ".star", ".bazel"),
    "svelte": (".svelte",),
    "swift": (".swift",),
    "tablegen": (".td",),
    "tcl": (".tcl",),
    "terraform": (".tf", ".tfvars"),
    "thrift": (".thrift",),
    "toml": (".toml",),
    "tsv": (".tsv",),
    "tsx": (".tsx",),
    "twig": (".twig",),
    "typescript": (".ts", ".mts", ".cts"),
    "typst": (".typ",),
    "udev": (".rules",),
    "ungrammar": (".ungram",),
    "uxntal": (".tal",),
    "v": (".v", ".vv"),
    "verilog": (".sv", ".svh", ".vh"),
    "vhdl": (".vhd", ".vhdl"),
    "vim": (".vim",),
    "vue": (".vue",),
    "wast": (".wast",),
    "wat": (".wat",),
    "wgsl": (".wgsl",),
    "xml": (".xml", ".svg", ".xsd", ".xsl", ".xslt", ".rss", ".plist", ".pom"),
    "yaml": (".yaml", ".yml"),
    "yuck": (".yuck",),
    "zig": (".zig", ".zon"),
}

#: Languages in which the column of a block's first token says where the block ends.
ALIGNED: Final = frozenset(
    {"agda", "elm", "fsharp", "fsharp_signature", "haskell", "purescript", "yaml"}
)

#: Languages in which indentation says where a block ends.
INDENTED: Final = ALIGNED | {"gdscript", "nim", "python", "rst", "starlark"}

#: Languages by the whole name of a file.
FILE_NAMES: Final[dict[str, str]] = {
    "BUILD": "starlark",
    "BUILD.gn": "gn",
    "CMakeLists.txt": "cmake",
    "Containerfile": "dockerfile",
    "Dockerfile": "dockerfile",
    "GNUmakefile": "make",
    "Gemfile": "ruby",
    "Kconfig": "kconfig",
    "MANIFEST.in": "pymanifest",
    "Makefile": "make",
    "Rakefile": "ruby",
    "WORKSPACE": "starlark",
    "go.mod": "gomod",
    "go.sum": "gosum",
    "makefile": "make",
    "meson.build": "meson",
    "qmldir": "qmldir",
    "requirements.txt": "requirements",
    ".bashrc": "bash",
    ".gitattributes": "gitattributes",
    ".gitignore": "gitignore",
    ".inputrc": "readline",
}

#: Other names of languages.
ALIASES: Final[dict[str, str]] = {
    "c++": "cpp",
    "c#": "csharp",
    "cs": "csharp",
    "ecmascript": "javascript",
    "f#": "fsharp",
    "golang": "go",
    "js": "javascript",
    "lisp": "commonlisp",
    "objective-c": "objc",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "sexp": "scheme",
    "sh": "bash",
    "shell": "bash",
    "smt": "scheme",
    "smt2": "scheme",
    "smtlib": "scheme",
    "ts": "typescript",
    "yml": "yaml",
}

# Patterns are compiled when a file's name does not tell its language, which is seldom.
_INTERPRETERS: Final = (
    (r"^(ba|da|k|z)?sh$", "bash"),
    (r"^python[\d.]*$", "python"),
    (r"^(node|nodejs|deno|bun)$", "javascript"),
    (r"^perl[\d.]*$", "perl"),
    (r"^ruby[\d.]*$", "ruby"),
    (r"^lua(jit)?[\d.]*$", "lua"),
    (r"^php[\d.]*$", "php"),
    (r"^tclsh[\d.]*$", "tcl"),
    (r"^fish$", "fish"),
    (r"^Rscript$", "r"),
    (r"^make$", "make"),
    (r"^guile[\d.]*$", "scheme"),
)
_SHEBANG: Final = rb"^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?"
_CONTENT: Final = (
    (rb"^\s*<\?xml\b", "xml"),
    (rb"^\s*<\?php\b", "php"),
    (rb"(?i)^\s*<(!doctype\s+)?html\b", "html"),
    (rb"^\s*[\[{]\s*([\]}\"\[{]|-?\d)", "json"),
    (rb"^\s*\((set-logic|set-info|set-option|declare-|define-fun|assert)\b", "scheme"),
    (rb"(?m)^\s*#\s*include\s*[<\"]", "c"),
    (rb"(?m)^# 1 \"", "c"),
)
# Suffixes that several languages have: what tells another than that of the table.
_SHARED_SUFFIXES: Final[dict[str, tuple[bytes, str | None]]] = {
    ".h": (
        rb"(?m)^\s*(class\s+\w+|template\s*<|namespace\s+\w+|using\s+\w+|public:|private:)",
        "cpp",
    ),
    ".m": (rb"(?m)^\s*(#import|@interface|@implementation)", "objc"),
    ".v": (
        rb"(?m)^\s*(endmodule\b|`(timescale|define|include)\b|module\s+\\?[\w$]+\s*[(;#])",
        "verilog",
    ),
    ".pl": (rb"(?m)^\s*:-\s|^[a-z]\w*(\(.*\))?\s*:-", None),  # Prolog, which has no parser here
    ".cls": (
        rb"(?m)^\s*(%|\\(NeedsTeXFormat|ProvidesClass|def|newcommand|RequirePackage)\b)",
        "latex",
    ),
}


def language_of(name: str, text: bytes) -> str | None:
    """Return the language of a file, or None if nothing tells."""
    path = PurePath(name)
    by_name = FILE_NAMES.get(path.name) or _BY_SUFFIX.get(path.suffix.lower())
    pattern, other = _SHARED_SUFFIXES.get(path.suffix.lower(), (None, None))
    if pattern is not None and re.search(pattern, text):
        return other
    return by_name or _by_shebang(text) or _by_content(text)


def canonical_name(language: str) -> str:
    """Return marrow's name for a language, given any of its names."""
    lower = language.strip().lower().lstrip(".")
    return ALIASES.get(lower) or (_BY_SUFFIX.get(f".{lower}", lower) if lower else lower)


def known_languages() -> dict[str, tuple[str, ...]]:
    """Return every language that can be parsed, with its file suffixes and file names."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys(_NAMES, ())
    found.update(SUFFIXES)
    for name, language in FILE_NAMES.items():
        found[language] = (*found.get(language, ()), name)
    return dict(sorted(found.items()))


def is_binary(text: bytes) -> bool:
    """Return whether a text is binary: zero bytes, or control characters and not UTF-8."""
    if b"\0" in text[:65536]:
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        sample = text[:65536]
        control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in sample)
        return control * 50 > len(sample)
    return False


def _by_shebang(text: bytes) -> str | None:
    match = re.match(_SHEBANG, text)
    if match is None:
        return None
    command = match[1].decode("utf-8", "replace").rpartition("/")[2]
    if command == "env" and match[2]:
        command = match[2].decode("utf-8", "replace")
    return next(
        (language for pattern, language in _INTERPRETERS if re.match(pattern, command)), None
    )


def _by_content(text: bytes) -> str | None:
    start = text[:65536]
    return next((language for pattern, language in _CONTENT if re.search(pattern, start)), None)


_BY_SUFFIX: Final = {
    suffix: language for language, suffixes in SUFFIXES.items() for suffix in suffixes
}
_NAMES: Final = (
    *SUFFIXES,
    "dockerfile",
    "doxygen",
    "gitattributes",
    "gitcommit",
    "gitignore",
    "gstlaunch",
    "hyprlang",
    "jsdoc",
    "kconfig",
    "luadoc",
    "luap",
    "markdown_inline",
    "meson",
    "printf",
    "puppet",
    "pymanifest",
    "qmldir",
    "readline",
    "requirements",
    "xcompose",
)
