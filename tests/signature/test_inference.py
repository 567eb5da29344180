"""From what a command did to what is kept of its failure, and what a candidate must show again."""

from __future__ import annotations

import pytest

from marrow.diagnostics.observation import Observation, ending, same_ending
from marrow.signature.controls import ControlRun, control_texts, trivial_text
from marrow.signature.failing_command import KeepOptions
from marrow.signature.inference import Inference, infer_disagreement, infer_signature
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Signature, SignatureFileError, label_of
from marrow.signature.validity import is_syntax_error
from tests.signature.outputs_of_families import ROWS, Row

#: Tools that say the same of a name that is not defined.
ALIKE = {"ruby 3.4", "mypy", "pyright", "protoc", "bazel", "github", "nim", "gha", "tsc pretty"}

TEXT = b"int total = average(3);\n"


def inferred(*stderr: str, status: int = 1, text: bytes = TEXT, stdout: str = "") -> Inference:
    runs = [Observation(status, stdout.encode(), one.encode()) for one in stderr]
    return infer_signature(runs, text, "input.c")


def says(inference: Inference) -> list[str]:
    return [str(fact.template) for fact in inference.best.facts]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_families_of_tools(row: Row) -> None:
    seen = Observation(row.status, row.stdout.encode(), row.stderr.encode())
    text = row.text.encode()
    signature = infer_signature([seen] * 3, text, row.name).best
    kept = (signature.kind, tuple(str(fact.template) for fact in signature.facts))
    assert kept == (row.kind, row.messages)
    assert signature.frames == row.frames
    assert is_syntax_error(seen, text, row.name) == (row.validity == "invalid")
    assert signature.judge(seen, text).matches
    assert all(fact.line for fact in signature.facts)


def test_families_are_told_apart() -> None:
    """No signature takes what another family prints, nor do two failures have one label."""
    seen = [
        (row, Observation(1, row.stdout.encode(), row.stderr.encode()))
        for row in ROWS[::3]
        if row.kind
    ]
    labels: dict[str, str] = {}
    for row, one in seen:
        signature = infer_signature([one], row.text.encode(), row.name).best
        taken = [
            other.what
            for other, another in seen
            if signature.judge(another, other.text.encode(), other.name).matches
        ]
        # Some say the same of the same failure.
        assert set(taken) <= {row.what, *ALIKE}, row.what
        labels[row.what] = label_of(one, row.text.encode(), row.name)
    assert len(set(labels.values())) > 0.9 * len(labels)


def test_a_real_signal_and_what_a_launcher_makes_of_it() -> None:
    assert same_ending(-11, 139)
    assert not same_ending(-11, 11)
    assert not same_ending(255, -127) or ending(255) == "exits with 255"
    assert ending(-11) == "is killed by signal 11 (SIGSEGV)"
    assert ending(139) == "exits with 139 (as after signal 11, SIGSEGV)"
    assert ending(255) == "exits with 255"


def test_what_is_printed_beside_success_is_no_other_failure() -> None:
    for said, label in (
        ("npm warn Unknown user config\n", ""),
        ("cannot read the cache\n", ""),
        ("input.c:1:2: warning: unused\n", ""),
        ("input.c:1:2: error: undefined: average\n", "undefined: …"),
    ):
        assert label_of(Observation(0, b"", said.encode()), TEXT, "input.c") == label
        assert label_of(Observation(1, b"", said.encode()), TEXT, "input.c")


def test_what_perl_says_before_it_dies_is_free() -> None:
    died = "Can't use string ('x') as a HASH ref while 'strict refs' in use at input.c line 9.\n"
    warned = "Odd number of elements in anonymous hash at input.c line 4.\n"
    kept = inferred(died, status=255).best
    assert kept.judge(Observation(255, b"", (warned + died).encode()), TEXT).matches
    assert not kept.judge(Observation(255, b"", (died + warned).encode()), TEXT).matches
    several = "syntax error at input.c line 4, near '}'\n" + died
    aborted = several + "Execution of input.c aborted due to compilation errors.\n"
    assert not kept.judge(Observation(255, b"", aborted.encode()), TEXT).matches


def test_a_place_in_a_call_stack_is_no_message() -> None:
    said = (
        "CMake Error at input.c:2 (average):\n  average Function invoked with incorrect arguments\n"
        "Call Stack (most recent call first):\n  input.c:9 (all)\n"
    )
    assert not any("all" in one for one in says(inferred(said)))


def test_a_name_that_is_a_keyword_elsewhere() -> None:
    text = b"def number(text, default): return 1\nnumber('1')\n"
    said = 'input.c:2: error: Missing positional argument "default" in call to "number"\n'
    other = said.replace("default", "other").replace("number", "count")
    kept = inferred(said, text=text).best
    renamed = text.replace(b"default", b"other").replace(b"number", b"count")
    assert kept.judge(Observation(1, b"", other.encode()), renamed).matches
    typed = 'input.c:2: error: cannot convert "default" to "number"\n'
    kept = inferred(typed, text=text).best
    changed = typed.replace("number", "count")
    assert not kept.judge(Observation(1, b"", changed.encode()), renamed).matches


@pytest.mark.parametrize(
    ("text", "said", "template"),
    [
        (b'throw oops("too much: " + n);', "too much: 5", "too much: {{number}}"),
        (b"check(total, 'total overflow')", "total overflow", "{{name=total}} overflow"),
        (b'echo "${total} is odd"', "total is odd", "{{name=total}} is odd"),
        (b'{"colour": "mauve", "size": 3}', "unknown mauve", "unknown {{name=mauve}}"),
        (b"paint({'colour': 3})", "unknown colour", "unknown {{name=colour}}"),
    ],
)
def test_what_a_program_says_is_no_name_of_it(text: bytes, said: str, template: str) -> None:
    assert says(inferred(f"TypeError: {said}\n", text=text)) == [f"TypeError: {template}"]


def test_a_crash_is_kept_by_its_place_and_not_by_a_banner() -> None:
    said = (
        "PLEASE submit a bug report and include the crash backtrace.\nStack dump:\n"
        "0.\tProgram arguments: cc -c input.c\n4.\tRunning pass 'Licm' on function '@average'\n"
        " #0 0x00007f59c06a5291 llvm::sys::PrintStackTrace(int) (/lib/libLLVM.so+0xea5291)\n"
        " #1 0x00007f59c09accbe llvm::Hoister::use(int) (/lib/libLLVM.so+0xebbbbb)\n"
        "cc: error: frontend command failed with exit code 139 (use -v to see invocation)\n"
        "Some cc version 14.0.6\nTarget: x86_64-pc-linux-gnu\nThread model: posix\n"
    )
    found = inferred(said, status=139)
    assert says(found) == ["Running pass 'Licm' on function '{{literal=@average}}'"]
    assert found.best.frames == ("llvm::Hoister::use",)


@pytest.mark.parametrize("end", ["int", "average list", "(int * int) list"])
@pytest.mark.parametrize("text", ["", "let average list = print_int", "(int * int) list option"])
def test_a_sentence_is_read_to_its_end_whatever_the_input_has(end: str, text: str) -> None:
    said = (
        'File "input.c", line 2, characters 6-8:\n2 | let 0=""\n          ^^\n'
        "Error: This expression has type string but an expression was expected of type\n"
        f"         {end}\n"
    )
    [template] = says(inferred(said, text=text.encode()))
    assert template.startswith("This expression has type string but an expression was expected")
    assert inferred(said, text=b"").best.judge(Observation(1, b"", said.encode()), b"").matches
    kept = inferred(said, text=text.encode()).best
    assert kept.judge(Observation(1, b"", said.encode()), text.encode()).matches
    cut = said.replace(end, "").rstrip().encode()
    assert not kept.judge(Observation(1, b"", cut), text.encode()).matches, "the end counts"


def test_an_exit_status_of_255_keeps_the_message() -> None:
    said = 'Can\'t call method "average" on an undefined value at input.c line 3.\n'
    found = inferred(said, status=255)
    assert says(found) == [
        "Can't call method '{{literal=average}}' on an undefined value at {{path}} line {{number}}."
    ]
    other = Observation(255, b"", b'Can\'t locate object method "average" at input.c line 1.\n')
    assert not found.best.judge(other, TEXT).matches


def test_new_kinds_of_errors_are_refused_unless_allowed() -> None:
    said = "input.c:3:1: error: static assertion failed: must be an integral type\n"
    signature = inferred(said).best
    more = Observation(1, b"", f"input.c:1:1: error: expected ';'\n{said}".encode())
    assert signature.judge(more, TEXT).why == "a new error: expected ';'"
    warned = Observation(1, b"", f"input.c:1:1: warning: unused\n{said}".encode())
    assert signature.judge(warned, TEXT).matches
    runs = [Observation(1, b"", said.encode())]
    allowing = infer_signature(runs, TEXT, "input.c", allow_new_errors=True).best
    assert allowing.judge(more, TEXT).matches


def test_what_any_failure_of_the_tool_shows_is_never_the_only_fact() -> None:
    said = "first: cannot do a\nInput tree has errors, aborting\n"
    runs = [Observation(1, b"", said.encode())] * 3
    other = Observation(1, b"", b"second: cannot do b\nInput tree has errors, aborting\n")
    found = infer_signature(
        runs, TEXT, "input.c", controls=[ControlRun("cut in the middle", b"int", other)]
    )
    assert "first: cannot do a" in says(found)
    assert not found.best.judge(other, b"int").matches


def test_nothing_special_is_said_before_it_starts() -> None:
    run = Observation(1, b"", b"failed\n")
    controls = [ControlRun("the empty file", b"", run)]
    found = infer_signature([run] * 3, TEXT, "input.c", controls=controls)
    assert not found.signatures
    assert "nothing that the command does is special to the input" in found.refusal
    with pytest.raises(UnclearFailureError) as told:
        _ = found.best
    assert "--keep-stderr failed" in told.value.on_command_line
    assert "that {} is in its place" in told.value.on_command_line
    controls += [ControlRun("another file", b"x", Observation(1, b"", b"failed on x\n"))]
    assert "in its place" not in infer_signature([run] * 3, TEXT, "a.c", controls=controls).refusal


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([Observation(0, b"hello (1)\n")], r"--keep-stdout 'hello \(1\)'"),
        ([Observation(1), Observation(2)], "exits with 1, exits with 2"),
        ([Observation(127, b"", b"sh: nocc: not found")], "nocc: not found"),
    ],
)
def test_what_is_unclear_is_said(runs: list[Observation], text: str) -> None:
    with pytest.raises(UnclearFailureError) as told:
        _ = infer_signature(runs, TEXT, "input.c").best
    assert text in told.value.on_command_line


def test_silence_is_kept_by_how_it_ends() -> None:
    found = inferred("", status=-11)
    assert found.best.sentence == (
        "the command is killed by signal 11 (SIGSEGV) and gives no new kind of error (a signal)"
    )
    hangs = infer_signature([Observation(None)] * 3, TEXT, "input.c").best
    assert hangs.judge(Observation(None), TEXT).matches
    assert not hangs.judge(Observation(0), TEXT).matches


def test_what_differs_between_runs_is_free() -> None:
    found = inferred(
        "error: worker alpha failed badly here", "error: worker beta failed badly here"
    )
    assert says(found) == ["worker {{any}} failed badly here"]
    # A line that is not always there does not count.
    assert says(inferred("error: a thing\nerror: failed b", "error: failed b")) == ["failed b"]


def test_columns_and_padding_are_free() -> None:
    said = "input.c:13:47: error: bad {}total{} in row 7 of 12\n"
    signature = inferred(said.format("   ", "      ")).best
    seen = Observation(1, b"", said.format(" ", " ").replace("13:47", "1:2").encode())
    assert signature.judge(seen, TEXT).matches


def test_what_a_linter_finds_is_kept_whatever_its_level() -> None:
    for mark, level in (("^----^", "info"), ("^--", "style"), ("^-----^", "warning")):
        said = f"In input.c line 3:\nrm $total\n   {mark} SC2086 ({level}): Double quote this.\n"
        said += "\nFor more information:\n  https://example.org/SC2086 -- Double quote ...\n"
        assert says(inferred("", stdout=said)) == ["SC2086 Double quote this."]


def test_a_file_named_like_a_word_is_no_placeholder() -> None:
    run = Observation(1, b"", b"a.c:3:1: error: 'x' does not name a type in a\n")
    assert says(infer_signature([run], b"x = 3;\n", "a.c")) == [
        "'{{literal=x}}' does not name a type in a"
    ]


def test_there_are_alternatives() -> None:
    found = inferred("input.c:1: error: one thing\ninput.c:2: error: another thing\n")
    assert [len(one.facts) for one in found.signatures[:3]] == [2, 1, 1]
    assert found.best.evidence == ("input.c:1: error: one thing", "input.c:2: error: another thing")


def test_what_the_user_wants_is_kept_beside_the_failure() -> None:
    runs = [Observation(1, b"out", b"error: x")] * 3
    kept = infer_signature(runs, TEXT, "input.c", wanted=KeepOptions(stdout=("o.t",))).best
    assert kept.sentence.endswith(
        "says “x”, prints /o.t/ on standard output and gives no new kind of error (a diagnostic)"
    )
    assert kept.judge(runs[0], TEXT).matches
    assert not kept.judge(Observation(1, b"out", b"error: y"), TEXT).matches
    assert not kept.judge(Observation(1, b"", b"error: x"), TEXT).matches


def test_what_the_user_wants_is_all_where_nothing_can_be_inferred() -> None:
    wanted = KeepOptions(stdout=("o.t",))
    alone = (Signature(ends=False, stdout=("o.t",)),)
    assert infer_signature([Observation(0, b"out")], TEXT, "x", wanted=wanted).signatures == alone
    flaky = [Observation(1, b"out"), Observation(2, b"out")]
    assert infer_signature(flaky, TEXT, "x", wanted=wanted).signatures == alone
    missing = [Observation(127, b"", b"sh: tool: not found\n")]
    assert infer_signature(missing, TEXT, "x", wanted=wanted).refusal


def test_what_the_user_wants_is_kept_and_nothing_else() -> None:
    runs = [Observation(1, b"out", b"error: x")] * 3
    found = infer_signature(runs, TEXT, "input.c", wanted=KeepOptions(only_stdout=("o.t",)))
    assert found.signatures == (Signature(ends=False, stdout=("o.t",)),)
    assert found.best.judge(Observation(9, b"oat\n"), b"").matches
    assert found.best.judge(Observation(1), b"").why == "no line on standard output matches o.t"
    forbidden = infer_signature(runs, TEXT, "input.c", wanted=KeepOptions(forbidden=("warn",))).best
    assert forbidden.judge(Observation(1, b"warn", b"error: x"), TEXT).why == "a line matches warn"


def test_commands_that_disagree() -> None:
    yes, no, bad = (Observation(0, b"sat\n"), Observation(0, b"unsat\n"), Observation(-11))
    differing = infer_disagreement([yes, yes], [no, no], TEXT, "x")
    assert differing.outputs_differ
    assert differing.judge_all([yes, no], TEXT).matches
    assert differing.judge_all([yes, yes], TEXT).why == "the outputs are the same"
    assert not differing.judge_all([yes], TEXT).matches
    crash = infer_disagreement([yes], [bad], TEXT, "x")
    assert crash.judge_all([no, bad], TEXT).matches
    assert crash.judge_all([no, no], TEXT).why.startswith("the second command: it exits with 0")
    with pytest.raises(UnclearFailureError, match="agree on the input"):
        infer_disagreement([yes], [yes], TEXT, "x")
    with pytest.raises(UnclearFailureError, match="second command is not the same every time"):
        infer_disagreement([yes, yes], [no, yes], TEXT, "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a signature: it lacks"),
        ("signature = 2", "not a signature: it lacks"),
        ("a = [", "not TOML"),
        ("signature = 1\nfoo = 3", "no key foo"),
        ("signature = 1\nends = 'never'", "cannot have ends"),
        ("signature = 1\nframes = 3", "cannot have frames"),
        ("signature = 1\nstderr = ['(']", "not a regular expression"),
        ("signature = 1\n[[says]]\nmessage = 3", "cannot have says"),
    ],
)
def test_bad_files_are_told(text: str, message: str) -> None:
    with pytest.raises(SignatureFileError, match=message):
        Signature.from_toml(text)


def test_controls() -> None:
    made = dict(control_texts(b"one two three four\n", trivial_text("python")))
    assert made["the empty file"] == b""
    assert made["a trivial valid file"] == b"pass\n"
    assert made["without token 1"] == b"one  three four\n"
    assert dict(control_texts(b"\xff\xfe"))["cut in the middle"] == b"\xff"
    assert trivial_text("no such language") is None


@pytest.mark.parametrize(
    ("stderr", "status", "refused"),
    [
        ("input.c:3:1: error: expected ';' before 'x'\n", 1, True),
        ("SyntaxError: invalid syntax\n", 1, True),
        ("input.c:3:1: error: use of undeclared identifier 'x'\n", 1, False),
        ("", 0, False),
        ("what\n", 1, False),
        ("internal compiler error: in f, at parse.c:3\n", 4, False),
    ],
)
def test_syntax_errors(stderr: str, status: int, refused: bool) -> None:
    seen = Observation(status, b"", stderr.encode())
    assert is_syntax_error(seen, TEXT, "input.c") is refused


def test_an_exit_status_is_kept_where_a_broken_input_shows_errors_beside_it() -> None:
    text = b"echo a\nexit 3\n"
    silent = Observation(3, b"a\n", b"")
    broken = ControlRun(
        "without token 0", b" a\nexit 3\n", Observation(3, b"", b"a.sh: 1: a: not found\n")
    )
    empty = ControlRun("the empty file", b"", Observation(0, b"", b""))
    kept = infer_signature([silent], text, "a.sh", controls=[empty, broken]).best
    assert (kept.status, kept.facts) == (3, ())
    assert not kept.judge(broken.seen, broken.text, "a.sh").matches
    loose = infer_signature([silent], text, "a.sh", controls=[broken], allow_new_errors=True)
    assert not loose.signatures
