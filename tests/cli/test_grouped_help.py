"""Options in groups, and `--help-all`."""

from __future__ import annotations

import click
from click.testing import CliRunner

from marrow.cli.run_options import GroupedCommand, GroupedOption


@click.command(
    cls=GroupedCommand, groups=("Options", "Limits"), first=("least",), epilog="The end."
)
@click.argument("name")
@click.option("--speed", cls=GroupedOption, group="Algorithms (of hares)", help="Slow.")
@click.option("--most", cls=GroupedOption, group="Limits", help="Of all.")
@click.option("-l", "--least", cls=GroupedOption, group="Limits", help="Of all.")
@click.option("--rare", cls=GroupedOption, advanced=True, help="Of the first group.")
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


def test_help_shows_the_first_group_and_names_the_others() -> None:
    assert shown("--help") == [
        "Usage: example [OPTIONS] NAME",
        "Do it.",
        "Options:",
        "--plain TEXT Without a group.",
        "--help-all Show all options.",
        "--help Show this message and exit.",
        "More options (example --help-all):",
        "Options --rare",
        "Limits --least --most",
        "Algorithms --speed",
        "The end.",
    ]


def test_help_all_shows_all_groups_in_order() -> None:
    lines = shown("--help-all")
    assert [line for line in lines if line.endswith(":")] == [
        "Options:",
        "Limits:",
        "Algorithms (of hares):",
    ]
    assert lines[-5:] == [
        "-l, --least TEXT Of all.",
        "--most TEXT Of all.",
        "Algorithms (of hares):",
        "--speed TEXT Slow.",
        "The end.",
    ]
    assert "--rare TEXT Of the first group." in lines
    assert not any("secret" in line for line in lines)


def test_options_work_wherever_they_are_shown() -> None:
    assert shown("it", "--speed", "3", "--least", "1") == ["it 3 1"]


def test_with_the_first_group_alone_there_is_one_help() -> None:
    @click.command(cls=GroupedCommand)
    @click.option("--most", cls=GroupedOption)
    def small(most: str | None) -> None:
        """Do little."""

    assert "--help-all" not in [name for one in small.params for name in one.opts]
    ended = CliRunner().invoke(small, ["--help-all"])
    assert ended.exit_code == 2
