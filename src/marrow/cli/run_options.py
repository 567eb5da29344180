"""The options of runs on the command line, made from their declarations, and their help in groups.

`--help` shows the first group, `--help-all` all of them. Options without a group (every
`click.option`, and `--help` itself) are in the first one. Of the other groups, and of advanced
options, `--help` shows the names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from marrow.base.errors import message_of, spelled
from marrow.cli.console import echo
from marrow.run.options.config_file import Configured, configured
from marrow.run.options.option import FIRST, GROUPS, Option, ValueKind, declared, help_of
from marrow.run.options.options import COMMAND_OPTIONS

_F = TypeVar("_F", bound=Callable[..., Any])

# click's parameter types are generic for the type checker only, in the versions before 8.4.
if TYPE_CHECKING:
    _AnyType = click.ParamType[Any]
else:
    _AnyType = click.ParamType


# What the help of an option says of the library.
_FOR_LIBRARY: Final = re.compile(r"; in Python,? [^];]*(?=\])")

# Where the context of a command keeps that all options are asked for.
_ALL: Final = "marrow.help_all"


class GroupedOption(click.Option):
    """An option of a group. An advanced one is left to `--help-all`, even in the first group."""

    def __init__(
        self,
        *names: Any,
        group: str = FIRST,
        advanced: bool = False,
        words: Callable[[], str] = str,
        **attributes: Any,
    ) -> None:
        """`words` returns the help, which is read only if somebody wants to see it."""
        self.group: Final = group
        self.advanced: Final = advanced
        self._words: Final = words
        super().__init__(*names, **attributes)

    @property
    def help(self) -> str:
        """What the help says of it on the command line."""
        return self._help or _FOR_LIBRARY.sub("", self._words())

    @help.setter
    def help(self, words: str | None) -> None:
        self._help = words


class GroupedCommand(click.Command):
    """A command that shows its options in groups.

    `groups` is their order; others follow in the order of their options. `first` names the options
    that lead their group, by the names of their values.
    """

    def __init__(
        self,
        *names: Any,
        groups: Sequence[str] = GROUPS,
        first: Sequence[str] = (),
        **attributes: Any,
    ) -> None:
        super().__init__(*names, **attributes)
        self._groups: Final = tuple(groups)
        self._first: Final = tuple(first)
        if not all(map(_needed_first, self.params)):
            self.params.append(_HELP_ALL)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group, or the first one and the names of other options."""
        everything = _ALL in ctx.meta
        more = []
        for title, options in self.grouped(ctx).items():
            shown = [one for one in options if everything or _needed_first(one)]
            write_options(ctx, formatter, title, shown)
            names = [max(one.opts, key=len) for one in options if one not in shown]
            if names:
                more.append((title.partition(" (")[0], " ".join(names)))
        if more:
            with formatter.section(f"More options ({ctx.command_path} --help-all)"):
                formatter.write_dl(more)

    def grouped(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """Return the options that are not hidden, by the titles of their groups."""
        groups: dict[str, list[click.Option]] = {one: [] for one in (FIRST, *self._groups)}
        rank = {name: number for number, name in enumerate(self._first)}
        for one in sorted(self.get_params(ctx), key=lambda one: rank.get(str(one.name), len(rank))):
            if isinstance(one, click.Option) and not one.hidden:
                groups.setdefault(_group(one), []).append(one)
        return groups


def write_options(
    ctx: click.Context, formatter: click.HelpFormatter, title: str, options: list[click.Option]
) -> None:
    """Write a section of options, if there are any."""
    records = list(filter(None, (one.get_help_record(ctx) for one in options)))
    if records:
        with formatter.section(title):
            formatter.write_dl(records)


def _group(one: click.Parameter) -> str:
    return str(getattr(one, "group", FIRST))


def _needed_first(one: click.Parameter) -> bool:
    return _group(one) == FIRST and not getattr(one, "advanced", False)


def _show_all(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        echo(ctx.get_help())
        ctx.exit()


_HELP_ALL: Final = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all options.",
)


class DeclaredType(_AnyType):
    """The values of a declared option, as its declaration reads them."""

    def __init__(self, kind: ValueKind, metavar: str = "") -> None:
        self._kind: Final = kind
        self._metavar: Final = metavar or kind.metavar
        self.name: Final = "declared"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Return the placeholder for a value in the help; only this loads tables of names."""
        if self._kind.choices is not None and not self._metavar:
            return f"[{'|'.join(self._kind.choices())}]"
        return self._metavar or "TEXT"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Complete a name of a table, the last one of a list with commas, or a file."""
        names = self._kind.choices or self._kind.names
        before, comma, last = incomplete.rpartition(",") if self._kind.several else ("", "", "")
        found = [name for name in names() if name.startswith(last or incomplete)] if names else []
        items = [CompletionItem(f"{before}{comma}{name}") for name in found]
        return [CompletionItem(incomplete, type="file"), *items] if self._kind.file else items

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Read a word of the command line."""
        try:
            return self._kind.read(value)
        except ValueError as error:
            self.fail(spelled(message_of(error), command_line=True), param, ctx)


def run_options(options: type) -> Callable[[_F], _F]:
    """Add all options of a command that have a name on the command line."""

    def add(command: _F) -> _F:
        for keyword, option in reversed(declared(options).items()):
            if names := option.names(keyword):
                more = _attributes(keyword, option)
                words = partial(help_of, options, keyword)
                command = click.option(*names, keyword, words=words, **more)(command)
        return command

    return add


def _attributes(keyword: str, option: Option) -> dict[str, Any]:
    """Return the attributes of an option for click. An option that is not given is None."""
    attributes: dict[str, Any] = {
        "cls": GroupedOption,
        "group": option.group,
        "advanced": option.advanced,
        "required": option.required,
        "default": None,
    }
    if option.counted:
        return attributes | {"count": True}
    if option.kind.flag:
        if not any("/" in name for name in option.names(keyword)):
            attributes["is_flag"] = True
        return attributes
    attributes["multiple"] = option.multiple
    attributes["type"] = DeclaredType(option.kind, option.metavar)
    if keyword in _CHAPTERS:
        attributes |= {"is_eager": True, "callback": _list}
    return attributes


#: What can be listed by giving the value `list`, and the chapter of the help that lists it.
_CHAPTERS: Final = {
    "algorithm": "algorithms",
    "reducer": "algorithms",
    "passes": "passes",
}


def _list(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Print the names that an option takes, if they are asked for."""
    if value == "list":
        from marrow.cli.command_table import load

        context.invoke(load("help"), topic=_CHAPTERS[parameter.name or ""])
        context.exit()
    return value


def settled(command: str, given: Mapping[str, Any], beside: Path | None) -> dict[str, Configured]:
    """Return all options with their values and where these come from.

    The command line wins over the configuration files, which win over defaults.
    """
    values = {
        name: Configured(option.default, "default")
        for name, option in declared(COMMAND_OPTIONS[command]).items()
        if not option.alias
    }
    if not given.get("no_config"):
        values |= configured(command, beside, trusted=bool(given.get("trust_config")))
    for name, value in given.items():
        if value is not None and value != ():
            values[name] = Configured(value, "command line")
    return values


def values_of(command: str, given: Mapping[str, Any], beside: Path | None) -> dict[str, Any]:
    """Return the values of all options of a command; all cores that it may use take part."""
    values = {name: one.value for name, one in settled(command, given, beside).items()}
    if values["jobs"] is None and values.get("scheduler") is None:
        known = hasattr(os, "sched_getaffinity")
        values["jobs"] = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
    return values
