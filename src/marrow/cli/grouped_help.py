"""Help with options in groups: `--help` shows those that people need first, `--help-all` all.

    @click.command(cls=GroupedCommand, groups=("Options", "Limits"))
    @click.option("-o", "--output", cls=GroupedOption)
    @click.option("--max-tests", cls=GroupedOption, group="Limits", advanced=True)

Options without a group (every `click.option`, and `--help` itself) are in the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import click

from marrow.cli.console import echo

#: The first group, and that of options that name none.
FIRST_GROUP: Final = "Options"

# Where the context of a command keeps that all options are asked for.
_ALL: Final = "marrow.help_all"


class GroupedOption(click.Option):
    """An option of a group. `--help` leaves advanced ones to `--help-all`."""

    def __init__(
        self, *names: Any, group: str = FIRST_GROUP, advanced: bool = False, **attributes: Any
    ) -> None:
        super().__init__(*names, **attributes)
        self.group: Final = group
        self.advanced: Final = advanced


class GroupedCommand(click.Command):
    """A command that shows its options in groups.

    `groups` is their order; others follow in the order of their options. The `details` are shown
    below the epilog by `--help-all` alone.
    """

    def __init__(
        self, *names: Any, groups: Sequence[str] = (), details: str = "", **attributes: Any
    ) -> None:
        super().__init__(*names, **attributes)
        self._groups: Final = tuple(groups)
        self._details: Final = details
        if details or any(map(_advanced, self.params)):
            self.params.append(_help_all())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group, and where there are more options."""
        everything = _ALL in ctx.meta
        shown = [one for one in self.get_params(ctx) if everything or not _advanced(one)]
        for title, records in self._sections(ctx, shown):
            with formatter.section(title):
                formatter.write_dl(records)
        if not everything and self.advanced:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(
                    f"{len(self.advanced)} more options: {ctx.command_path} --help-all"
                )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog, and the details if all is asked for."""
        super().format_epilog(ctx, formatter)
        if self._details and _ALL in ctx.meta:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(self._details)

    @property
    def advanced(self) -> list[click.Parameter]:
        """The options that only `--help-all` shows."""
        return [one for one in self.params if _advanced(one)]

    def _sections(
        self, ctx: click.Context, shown: Iterable[click.Parameter]
    ) -> list[tuple[str, list[tuple[str, str]]]]:
        sections: dict[str, list[tuple[str, str]]] = {group: [] for group in self._groups}
        sections.setdefault(FIRST_GROUP, [])
        for one in shown:
            record = None if isinstance(one, click.Argument) else one.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(one, "group", FIRST_GROUP), []).append(record)
        return [(title, records) for title, records in sections.items() if records]


def _advanced(one: click.Parameter) -> bool:
    return bool(getattr(one, "advanced", False))


def _help_all() -> click.Option:
    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            ctx.meta[_ALL] = True
            echo(ctx.get_help())
            ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show all options.",
    )
