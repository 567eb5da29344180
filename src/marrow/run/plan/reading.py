"""Reading the files that a user names: inputs, models, rewrites."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.errors import InputError, UsageError

if TYPE_CHECKING:
    from marrow.learn.model import Model
    from marrow.reducers.passes.templates import Rewrite


def read_input(path: Path) -> tuple[bytes, int]:
    """Read an input file, and its mode; raise `InputError` with what is wrong with it."""
    try:
        if not path.exists():
            raise InputError(f"there is no file {path}\nCheck the name of the input.")
        if path.is_dir():
            raise InputError(f"{path} is a directory\nGive a single file.")
        if not path.is_file():
            raise InputError(
                f"{path} is not a regular file\nCopy its content into a file, and give that."
            )
        text, mode = read_bounded(path, LARGEST_INPUT), path.stat().st_mode
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror or error}\nCheck its name and permissions."
        ) from error
    return not_empty(text, str(path)), mode


def not_empty(text: bytes, name: str) -> bytes:
    """Return a text; raise `InputError` if it is empty."""
    if not text:
        raise InputError(
            f"{name} is empty: there is nothing to reduce\nGive the file that shows the failure."
        )
    return text


def read_model(path: str) -> Model:
    """Read a model of removals."""
    from marrow.learn.model import Model

    try:
        return Model.from_json(read_bounded(path).decode("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot use the model {path}: {error}") from error


def read_rewrites(path: str) -> tuple[Rewrite, ...]:
    """Read a file of match-and-replace templates."""
    from marrow.reducers.passes import templates

    try:
        return templates.read_rewrites(read_bounded(path).decode("utf-8"), path)
    except templates.TemplateError as error:
        raise UsageError(f"{error}\ndocs/reference/passes.md describes the format.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read the rewrites {path}: {error}\nCheck the name that ⟦rewrites⟧ gives."
        ) from error
