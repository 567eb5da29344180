"""Parsers of tree-sitter: load that of one language, and parse so that Ctrl-C can stop it.

A parse of megabytes takes the better part of a minute inside tree-sitter. So a large text is handed
over in pieces, and the clock is looked at before each of them; the tree is the same.

tree-sitter has no other end than the end of the text: a parse that is stopped still makes a tree of
what it has read, which takes up to half of the time so far. So a huge text is parsed in a thread,
which is left alone when the time is up: it waits for its next piece, in vain.
"""

from __future__ import annotations

import contextlib
import gc
import queue
import threading
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from typing import Final, cast

import tree_sitter

from marrow.base.deadline import OutOfTimeError, current, look
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
    """Return the package of a parser by itself, and the function in it."""
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

# A smaller text is at its end in three quarters of a second: 4 MB of JSON, which take longest.
_HUGE: Final = 1 << 22

# Some 50 ms of parsing.
_PIECE: Final = 1 << 16

# When all is read the tree is balanced, and freed in the end, without a look at the clock: 1.8 s
# and 0.8 s for 10 MB of JSON that took 4.6 s so far; half as long for C.
_TO_END: Final = 0.6

# How many seconds what was left alone keeps its memory: a process that was told to stop has ended
# by then, and one that goes on gets its memory back.
_LINGER: Final = 30.0


def parse_text(
    parser: tree_sitter.Parser, text: bytes, old: tree_sitter.Tree | None = None
) -> tree_sitter.Tree:
    """Parse a text, reusing an old tree; may raise `OutOfTimeError`."""
    if len(text) < _LARGE:
        return parser.parse(text) if old is None else parser.parse(text, old)
    if old is None and len(text) >= _HUGE:
        aside = _Aside(parser, text)
        try:
            aside.start()
        except RuntimeError:
            pass  # no room for another thread
        else:
            return aside.tree()

    stopped: list[BaseException] = []
    began = time.monotonic()

    def read(offset: int, _: object) -> bytes:
        # Raising in here would confuse tree-sitter: the text ends instead, and so does the parse.
        try:
            if not stopped:
                look(_TO_END * (time.monotonic() - began))
        except BaseException as error:  # Ctrl-C too
            stopped.append(error)
        return b"" if stopped else text[offset : offset + _PIECE]

    parsed = parser.parse(read) if old is None else parser.parse(read, old)
    if stopped:
        raise _reason(stopped[0])
    return parsed


@contextlib.contextmanager
def freed_later(tree: tree_sitter.Tree) -> Iterator[None]:
    """Let a block that is stopped end at once: to free the tree of a huge text takes seconds."""
    try:
        yield
    except (OutOfTimeError, KeyboardInterrupt):
        if tree.root_node.end_byte < _HUGE:
            raise
        with contextlib.suppress(RuntimeError):  # no room for another thread
            threading.Thread(target=_hold, args=(tree,), name="tree", daemon=True).start()
        raise


def _hold(_: tree_sitter.Tree) -> None:
    time.sleep(_LINGER)


class _Aside(threading.Thread):
    """A parse in a thread that is left alone when the time is up."""

    def __init__(self, parser: tree_sitter.Parser, text: bytes) -> None:
        super().__init__(name="parse", daemon=True)
        # Not that of the caller, who may go on with it when this one is left alone.
        self._parser: Final = tree_sitter.Parser(parser.language)
        self._text: Final = text
        self._deadline: Final = current()
        self._began: Final = time.monotonic()
        self._ended: Final[queue.SimpleQueue[tree_sitter.Tree | BaseException]] = (
            queue.SimpleQueue()
        )
        self._alone: Final = threading.Event()
        self._over: Final = threading.Event()

    def tree(self) -> tree_sitter.Tree:
        """Wait for the tree; raise what has stopped the parse."""
        try:
            ended = self._ended.get()
        except BaseException:  # Ctrl-C
            self._alone.set()
            raise
        if isinstance(ended, BaseException):
            raise ended
        return ended

    def run(self) -> None:
        """Parse."""
        try:
            ended: tree_sitter.Tree | BaseException = self._parser.parse(self._read)
        except BaseException as error:
            ended = error
        if not self._alone.is_set():
            self._ended.put(ended)

    def _read(self, offset: int, _: object) -> bytes:
        if not self._alone.is_set() and self._deadline is not None:
            # Only the way from the last piece to the tree cannot be stopped.
            last = offset >= len(self._text)
            try:
                self._deadline.look(_TO_END * (time.monotonic() - self._began) if last else 0.0)
            except OutOfTimeError as error:
                self._alone.set()
                self._ended.put(error)
        if self._alone.is_set():
            self._over.wait(_LINGER)
            self._over.set()  # what follows ends the parse
            return b""
        return self._text[offset : offset + _PIECE]


def _reason(error: BaseException) -> BaseException:
    """Return what stopped a parse. Ctrl-C between two lines of `read` shows at its next call."""
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error


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
