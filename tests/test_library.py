"""The library does what the command line does: files, commands, passes, sandbox, reports."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import marrow
from marrow.base.open_directory import OpenDirectory
from marrow.engine.process.placement import Overlay, OverlayPlacement
from marrow.run.options.option import declared
from marrow.run.options.options import ReduceOptions
from tests.sandboxes import needs_sandbox

FILES = {
    "main.py": b"import util\nprint(util.twice(4))\nprint(7)\n",
    "util.py": b"def twice(x):\n    return x * 2\n\ndef unused():\n    return 1\n",
    "notes.txt": b"nothing\n",
}


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_mapping_of_files(tmp_path: Path) -> None:
    test = script(tmp_path / "test.sh", 'grep -q "x \\* 2" "$1/util.py"')
    result = marrow.reduce(FILES, test, keep=["notes.txt"])
    assert set(result.files) == {"util.py"}
    assert b"x * 2" in result.files["util.py"]
    assert len(result.files["util.py"]) < 30


def test_a_file_and_a_directory(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    result = marrow.reduce(folder, lambda bundle: b"twice(4)" in bundle)
    assert list(result.files) == ["main.py"]
    single = marrow.reduce(folder / "main.py", lambda text: b"7" in text)
    assert single.language == "python"
    assert single.text.strip() == b"7"
    assert (folder / "main.py").read_bytes() == FILES["main.py"]


def test_names_that_lead_out_of_the_directory_are_refused() -> None:
    with pytest.raises(marrow.InputError, match="not a name below"):
        marrow.reduce({"../x": b"1"}, lambda _: True)


def test_a_failing_command(tmp_path: Path) -> None:
    source = tmp_path / "crash.py"
    source.write_text("def f(x):\n    return x\n\nf(1)\nf(2)\n[][3]\nf(4)\n")
    events: list[marrow.Event] = []
    result = marrow.reduce(source, command=["python3", "{}"], on_event=events.append)
    assert b"[][" in result.text
    kept = [one.message for one in events if isinstance(one, marrow.Noted)]
    assert any("IndexError" in one for one in kept)
    with pytest.raises(marrow.UnclearFailureError, match="failing command"):
        marrow.reduce(source, command=["true", "{}"])
    with pytest.raises(marrow.UsageError, match="keep_exit"):
        marrow.reduce(source, lambda _: True, keep_exit=True)


def test_a_command_is_run_in_few_mirrors_and_the_program_inherits_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    build = Overlay.__init__

    def counted(self: Overlay, opened: OpenDirectory, root: str, place: OverlayPlacement) -> None:
        built.append(root)
        build(self, opened, root, place)

    def inherit(on: bool) -> bool:
        pytest.fail("processes of the program would be taken for those of tests")

    monkeypatch.setattr(Overlay, "__init__", counted)
    monkeypatch.setattr("marrow.engine.process.watchdog.become_subreaper", inherit)
    source = tmp_path / "failing.sh"
    source.write_text("".join(f"if true; then echo {n}; exit 3; fi\n" for n in range(20)))
    result = marrow.reduce(source, command=["sh", "{}"], jobs=1)
    assert result.text == b"exit 3\n"
    assert result.tests > 10
    # For the first look, for what it has shown to be written, and for the run: as one is cleared,
    # another is in use.
    assert len(built) <= 8


def test_the_strategy_in_full(tmp_path: Path) -> None:
    source = b"int compute_total(int first) {\n\n  return first + 1;\n}\n"
    test = lambda text: b"+" in text and b"return" in text  # noqa: E731
    plain = marrow.reduce(source, test, language="c")
    kept = marrow.reduce(source, test, language="c", keep_names=True, keep_layout=True)
    assert len(plain.text) < len(kept.text)
    none = marrow.reduce(source, test, language="c", passes="none", effort="quick")
    assert none.guarantee.startswith("none: passes that stopped paying")
    rewrites = tmp_path / "more.toml"
    rewrites.write_text("[[rewrite]]\n")
    with pytest.raises(marrow.UsageError, match=r"more\.toml"):
        marrow.reduce(source, test, language="c", rewrites=rewrites)
    with pytest.raises(marrow.StrategyError, match="passes is for the pipeline"):
        marrow.reduce(source, test, algorithm="perses*", passes="names")
    hdd = marrow.reduce(source, test, language="c", algorithm="hddr*", hoist="interlaced")
    assert hdd.algorithm == "hddhr*"


def test_output_report_and_journal(tmp_path: Path) -> None:
    source = tmp_path / "input.json"
    source.write_bytes(b'[1, [2, 3], {"a": 4}]')
    options = marrow.ReduceOptions(
        output=tmp_path / "small.json", report=tmp_path / "page.html", journal=tmp_path / "journal"
    )
    result = marrow.reduce(source, lambda text: b"3" in text, **options)
    assert (tmp_path / "small.json").read_bytes() == result.text
    assert "<html" in (tmp_path / "page.html").read_text()
    again = marrow.reduce(source, lambda text: b"3" in text, **options)
    assert again.text == result.text


@needs_sandbox
def test_a_sandbox(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    test = script(tmp_path / "test.sh", f'echo x > {outside}; grep -q 3 "$1"')
    result = marrow.reduce(b"[1, 2, 3]", test, language="json", sandbox=True)
    assert result.text == b"3"
    assert not outside.exists()


def test_every_option_of_the_command_line_is_a_keyword() -> None:
    """What only the terminal has is named here."""
    alone = {name for name, option in declared(ReduceOptions).items() if not option.keyword}
    assert alone == {
        *("resume", "no_journal", "as_json", "quiet", "verbose", "no_config", "trust_config"),
        *("events", "event_texts"),
    }


def test_wrong_keywords_and_values() -> None:
    with pytest.raises(TypeError, match="there is no option 'timeot'; did you mean 'timeout'"):
        marrow.reduce(b"x", lambda _: True, timeot=3)  # type: ignore[call-arg]
    with pytest.raises(marrow.UsageError, match="jobs: 0 is too small"):
        marrow.reduce(b"x", lambda _: True, jobs=0)
    with pytest.raises(marrow.UsageError, match="effort: 'some' is not one of quick, normal, max"):
        marrow.reduce(b"x", lambda _: True, effort="some")
    with pytest.raises(marrow.UsageError, match="give one test"):
        marrow.reduce(b"x")
    with pytest.raises(marrow.UsageError, match="is not a test"):
        marrow.reduce(b"x", 3)  # type: ignore[arg-type]
    with pytest.raises(marrow.UsageError, match="a list of words"):
        marrow.reduce(b"x", command="node {}")
    with pytest.raises(marrow.UsageError, match="a function runs in this process"):
        marrow.reduce(b"x", lambda _: True, sandbox=True)
    with pytest.raises(TypeError, match="for the command line alone"):
        marrow.reduce(b"x", lambda _: True, resume=True)
