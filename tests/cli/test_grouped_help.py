"""Options in groups, and `--help-all`."""

from __future__ import annotations

import click
from click.testing import CliRunner

from marrow.cli.grouped_help import GroupedCommand, GroupedOption


@click.command(
    cls=GroupedCommand, groups=("Options", "Limits"), epilog="The end.", details="The details."
)
@click.argument("name")
@click.option("--speed", cls=GroupedOption, group="Algorithms", advanced=True, help="Of hares.")
@click.option("--most", cls=GroupedOption, group="Limits", help="Of all.")
@click.option("--least", cls=GroupedOption, group="Limits", advanced=True, help="Of all.")
@click.option("--plain", help="Without a group.")
@click.option("--secret", cls=GroupedOption, hidden=True, help="Not shown.")
def example(name: str, **options: str | None) -> None:
    """Do it."""
    click.echo(f"{name} {options['speed']} {options['least']}")


def shown(*words: str) -> list[str]:
    """Return the lines that a command line shows, without empty ones."""
    ended = CliRunner().invoke(example, words)
    assert ended.exit_code == 0
    return [" ".join(line.split()) for line in ended.output.splitlines() if line]


def test_help_leaves_out_what_is_advanced() -> None:
    assert shown("--help") == [
        "Usage: example [OPTIONS] NAME",
        "Do it.",
        "Options:",
        "--plain TEXT Without a group.",
        "--help-all Show all options.",
        "--help Show this message and exit.",
        "Limits:",
        "--most TEXT Of all.",
        "2 more options: example --help-all",
        "The end.",
    ]


def test_help_all_shows_all_groups_in_order() -> None:
    lines = shown("--help-all")
    assert [line for line in lines if line.endswith(":")] == ["Options:", "Limits:", "Algorithms:"]
    assert lines[-5:] == [
        "--least TEXT Of all.",
        "Algorithms:",
        "--speed TEXT Of hares.",
        "The end.",
        "The details.",
    ]
    assert not any("secret" in line for line in lines)


def test_options_work_wherever_they_are_shown() -> None:
    assert shown("it", "--speed", "3", "--least", "1") == ["it 3 1"]


def test_without_advanced_options_there_is_one_help() -> None:
    @click.command(cls=GroupedCommand)
    @click.option("--most", cls=GroupedOption, group="Limits")
    def small(most: str | None) -> None:
        """Do little."""

    assert "--help-all" not in [name for one in small.params for name in one.opts]
    ended = CliRunner().invoke(small, ["--help-all"])
    assert ended.exit_code == 2
