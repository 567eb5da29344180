"""The options of the command line that choose the passes of the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import click

from marrow.cli.console import echo
from marrow.cli.exits import CliError, Exit
from marrow.reducers.passes.pass_context import Options
from marrow.reducers.passes.table import PASSES, Pass, passes_of
from marrow.reducers.passes.templates import Rewrite, TemplateError, read_rewrites
from marrow.reducers.pipeline import EFFORTS, Pipeline
from marrow.reducers.settings import Settings

_P = ParamSpec("_P")
_R = TypeVar("_R")

_NAMES: Final = "passes", "effort", "keep_names", "keep_layout", "rewrites"


def _list_passes(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Print the passes if the list of passes is asked for."""
    if value == "list":
        width = max(len(one.name) for one in PASSES)
        for one in PASSES:
            echo(f"{one.name:{width}}  {one.description}")
        context.exit()
    return value


_OPTIONS: Final = (
    click.option(
        "--passes",
        metavar="NAMES",
        is_eager=True,
        callback=_list_passes,
        help="Which passes run beside perses*, and in which order, with commas between them: "
        "'names,less'; '-batched,-tokens' are all but those; 'none'. 'list' prints them.",
    ),
    click.option(
        "--effort",
        type=click.Choice(list(EFFORTS)),
        default="normal",
        show_default=True,
        help="quick gives up passes that stop paying; max tries more of everything, at the end "
        "what the parser rejects too.",
    ),
    click.option("--keep-names", is_flag=True, help="Do not rename names to a, b, c."),
    click.option("--keep-layout", is_flag=True, help="Do not make white space as short as can be."),
    click.option(
        "--rewrites",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="More match-and-replace templates; docs/passes.md says how to write them.",
    ),
)


def pass_options(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Add the options that choose passes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_pipeline(options: dict[str, Any], settings: Settings) -> Pipeline:
    """Take the options of `pass_options` out of all options; return the pipeline they choose."""
    taken = {name: options.pop(name) for name in _NAMES}
    given = [name for name in _NAMES if taken[name] and taken[name] != "normal"]
    if options["algorithm"] is not None and given:
        option = given[0].replace("_", "-")
        raise CliError(
            Exit.USAGE,
            f"--{option} is for the pipeline, and --algorithm names one algorithm alone\n"
            "Leave out one of the two.",
        )
    choices = Options(
        keep_names=taken["keep_names"],
        keep_layout=taken["keep_layout"],
        rewrites=_read(taken["rewrites"]),
    )
    return Pipeline(_chosen(taken["passes"]), choices, EFFORTS[taken["effort"]], settings)


def _chosen(names: str | None) -> tuple[Pass, ...]:
    if names is None:
        return PASSES
    try:
        return passes_of(names)
    except LookupError as error:
        raise CliError(
            Exit.USAGE, f"{error.args[0]}\n`marrow reduce --passes list` names the passes."
        ) from error


def _read(path: Path | None) -> tuple[Rewrite, ...]:
    if path is None:
        return ()
    try:
        return read_rewrites(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(
            Exit.USAGE,
            f"cannot read the rewrites {path}: {error}\nCheck the name that --rewrites gives.",
        ) from error
    except TemplateError as error:
        raise CliError(Exit.USAGE, f"{error}\ndocs/passes.md describes the format.") from error
