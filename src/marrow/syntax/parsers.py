"""Parsers of tree-sitter: load that of one language, and parse so that Ctrl-C can stop it.

A parse of megabytes takes the better part of a minute inside tree-sitter. So the clock is looked at
as a large text is parsed; the tree is the same.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from typing import Final, cast

import tree_sitter

from marrow.base.deadline import look
from marrow.languages.language_facts import facts_of

_PACK: Final = "tree_sitter_language_pack"


@cache
def load_language(name: str) -> tree_sitter.Language:
    """Return a language of the language pack; raise LookupError if there is none of this name.

    The pack itself loads several parsers and helpers when it is imported, which takes longer than
    to parse a small input. So the binding of the one language is loaded by its file; the pack is
    asked for the few languages whose parser lies elsewhere.
    """
    pack = find_spec(_PACK)
    if pack is not None and pack.origin is not None and name.isidentifier():
        folder = Path(pack.origin).with_name("bindings")
        for path in (folder / f"{name}{suffix}" for suffix in EXTENSION_SUFFIXES):
            if path.exists():
                return _from_file(path, f"{_PACK}.bindings.{name}")
    alone = _alone(name)
    if alone is not None:
        return alone
    try:
        import tree_sitter_language_pack

        return tree_sitter_language_pack.get_language(
            cast("tree_sitter_language_pack.SupportedLanguage", name)
        )
    except Exception as error:
        raise LookupError(f"tree-sitter has no parser for {name!r}") from error


def parser_installed(name: str) -> bool:
    """Whether a language that marrow knows has its parser here: with the pack, all have."""
    return find_spec(_PACK) is not None or find_spec(_package_of(name)[0]) is not None


def _alone(name: str) -> tree_sitter.Language | None:
    """Return the parser of a package of its own, as small installs have; None if there is none.

    They are used only if the pack is missing, so a language has one parser in any case.
    """
    if find_spec(_PACK) is not None or not name.isidentifier():
        return None
    package, function = _package_of(name)
    if find_spec(package) is None:
        return None
    return tree_sitter.Language(getattr(import_module(package), function)())


def _package_of(name: str) -> tuple[str, str]:
    package, function = facts_of(name).parser or (f"tree_sitter_{name}", "language")
    return package, function


def _from_file(path: Path, module: str) -> tree_sitter.Language:
    loader = ExtensionFileLoader(module, str(path))
    spec = spec_from_loader(module, loader)
    assert spec is not None
    binding = module_from_spec(spec)
    loader.exec_module(binding)
    return tree_sitter.Language(binding.language())


# A smaller text is parsed in a quarter of a second.
_LARGE: Final = 1 << 18

# tree-sitter tells its progress only if it is handed the text in pieces.
_PIECE: Final = 1 << 16


def parse_text(
    parser: tree_sitter.Parser, text: bytes, old: tree_sitter.Tree | None = None
) -> tree_sitter.Tree:
    """Parse a text, reusing an old tree; may raise `OutOfTimeError`."""
    parse: Callable[..., tree_sitter.Tree] = parser.parse
    if old is not None:
        parse = partial(parse, old_tree=old)
    if len(text) < _LARGE:
        return parse(text)

    def read(offset: int, _: object) -> bytes:
        return text[offset : offset + _PIECE]

    def watch(_offset: int, _errors: bool) -> bool:
        look()
        return False

    try:
        return parse(read, progress_callback=watch)
    except BaseException as error:
        parser.reset()  # or the next parse would continue this one
        # Ctrl-C in `read` comes wrapped.
        while isinstance(error, SystemError) and error.__cause__ is not None:
            error = error.__cause__
        raise error from None


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the garbage collector from walking the many new nodes in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
