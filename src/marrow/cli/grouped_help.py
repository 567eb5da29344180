"""Help with options in groups: `--help` shows the first group, `--help-all` all of them.

    @click.command(cls=GroupedCommand, groups=("Options", "Limits"))
    @click.option("-o", "--output", cls=GroupedOption)
    @click.option("--max-tests", cls=GroupedOption, group="Limits")

Options without a group (every `click.option`, and `--help` itself) are in the first one. Of the
other groups, and of advanced options, `--help` shows the names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from marrow.cli.console import echo
from marrow.run.options.option import FIRST, GROUPS

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
