"""From observations to signatures: what is stable, what is specific, what tells most.

A message is *stable* if all runs on the input have it, but for what varies. It is *generic* if a
control shows it that fails in another way: a summary, a banner. The best signature keeps how the
command ends, the message that tells most, what belongs to it, and the top of the stack trace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from marrow.base.errors import error_text
from marrow.diagnostics import message_rules as rules
from marrow.diagnostics.frames import KEPT_FRAMES
from marrow.diagnostics.message_rules import CRASH_CONTEXT, ERROR, NOTE, SUMMARY, WARNING
from marrow.diagnostics.observation import TIMED_OUT, Observation, same_ending, signal_of
from marrow.diagnostics.report import Message, Report, own_functions, report_of
from marrow.diagnostics.texts import InputText
from marrow.signature.controls import ControlRun
from marrow.signature.failing_command import KeepOptions, command_names
from marrow.signature.refusals import (
    UnclearFailureError,
    cannot_run,
    ends_otherwise,
    nothing_specific,
)
from marrow.signature.signature import Disagreement, Fact, Signature, comparable
from marrow.signature.template import Template, generalised, template_of

#: How many signatures are offered.
OFFERED: Final = 4

#: Errors of up to this many kinds are kept together; of more, only the one that tells most.
TOGETHER: Final = 3

# A generic message tells less than any that is not; a summary less than that.
_GENERIC: Final = 100
_SUMMARY: Final = 200

# A note without a code tells less than a line with a word for failures.
_MERE_NOTE: Final = 25
_CODED: Final = re.compile(r"[A-Z]{1,5}\d{3,5}\b")

# What compilers and linters find; and the levels of what linters find.
_FOUND: Final = (rules.DIAGNOSTIC, rules.LINT)
_FINDINGS: Final = (WARNING, NOTE)

# What ends a program.
_THROWN: Final = rules.CRASHES | {rules.EXCEPTION}


@dataclass(frozen=True, slots=True)
class Inference:
    """Signatures, the best first; or why nothing is inferred, and what to do.

    `left_out` are findings that the best does not keep, because there are many.
    """

    signatures: tuple[Signature, ...]
    refusal: str = ""
    left_out: tuple[Fact, ...] = ()

    @property
    def best(self) -> Signature:
        """Return the first signature; raise `UnclearFailureError` if there is none."""
        if not self.signatures:
            raise UnclearFailureError(self.refusal)
        return self.signatures[0]


@dataclass(frozen=True, slots=True)
class _Stable:
    """A message that all runs have, as a template; `score` says how much it tells."""

    message: Message
    template: Template
    generic: bool = False
    order: int = 0

    @property
    def score(self) -> int:
        penalty = _GENERIC * self.generic + _SUMMARY * (self.message.level == SUMMARY)
        unsure = 0 if self.message.sure else 5 * (self.message.stream == "stdout")
        if self.message.level == NOTE and not _CODED.match(self.message.text):
            penalty += _MERE_NOTE
        return rules.WEIGHT[self.message.kind] - penalty - unsure

    @property
    def fact(self) -> Fact:
        return Fact(self.message.stream, self.template, self.message.line)


@dataclass(frozen=True, slots=True)
class _ReadControl:
    """What a control shows, read."""

    control: ControlRun
    report: Report
    source: InputText

    def shows(self, template: Template) -> bool:
        return any(template.matches(one.text, self.source) for one in self.report.messages)


def infer_signature(
    runs: Sequence[Observation],
    text: bytes,
    name: str,
    *,
    controls: Sequence[ControlRun] = (),
    wanted: KeepOptions | None = None,
    allow_new_errors: bool = False,
    command: Sequence[str] = (),
) -> Inference:
    """Return the signatures of a failure, from runs of a command on the input and on controls.

    `name` is the input's file name; `wanted` what the user chose to keep, alone or beside what is
    inferred; `command` the words that were run.
    """
    wanted = wanted or KeepOptions()
    chosen = Signature(
        runs[0].status if wanted.status else None,
        wanted.status,
        stderr=wanted.stderr + wanted.only_stderr,
        stdout=wanted.stdout + wanted.only_stdout,
        forbidden=wanted.forbidden,
    )
    refusal = cannot_run(runs)
    if refusal:
        return Inference((), refusal)
    refusal = ends_otherwise(runs)
    if wanted.chosen and not (refusal and wanted.status):
        return Inference((chosen,))
    if refusal:  # the user's expressions may be all that is the same every time
        return Inference((chosen,) if wanted.expressions else (), refusal)
    source = InputText(text, name, command_names(command))
    reports = [report_of(run, source) for run in runs]
    read = [
        _ReadControl(one, report_of(one.seen, where), where)
        for one, where in ((one, InputText(one.text, name, source.command)) for one in controls)
    ]
    stable = _marked(_stable(reports, source), runs[0], read)
    frames = _frames(reports, source)
    found = _Found(runs[0], name, stable, frames, read, reports, source, allow_new_errors)
    signatures = found.signatures()
    if not signatures:
        refusal = nothing_specific(runs[0], controls)
        return Inference((chosen,) if wanted.expressions else (), refusal)
    known = _known(reports, source)
    made = tuple(
        replace(
            one,
            known=known,
            new_errors=allow_new_errors,
            stderr=chosen.stderr,
            stdout=chosen.stdout,
            forbidden=chosen.forbidden,
        )
        for one in signatures
    )
    return Inference(made, left_out=found.left_out(signatures[0]))


def _stable(reports: Sequence[Report], source: InputText) -> list[_Stable]:
    """Return the messages of the first run that the others have too."""
    found: dict[Template, _Stable] = {}
    for order, message in enumerate(reports[0].messages):
        template: Template | None = template_of(message.text, source)
        for other in reports[1:]:
            template = template and _shared(template, message, other, source)
        if template is not None and template.wording:
            found.setdefault(template, _Stable(message, template, order=order))
    return list(found.values())


def _shared(
    template: Template, message: Message, other: Report, source: InputText
) -> Template | None:
    """Return a template for a message and for its like of another run."""
    form = (message.stream, message.kind)
    texts = [one.text for one in other.messages if (one.stream, one.kind) == form]
    if any(template.matches(text, source) for text in texts):
        return template
    both = (generalised(template, template_of(text, source)) for text in texts)
    return next(filter(None, both), None)


def _marked(
    stable: list[_Stable], run: Observation, controls: Sequence[_ReadControl]
) -> list[_Stable]:
    """Return the messages, marked where a control that fails otherwise shows them too."""
    others = [one for one in controls if not _same_failure(stable, run, one)]
    foreign = [one for one in others if one.control.is_foreign]
    failing = [one for one in others if one.control.seen.status != 0]
    return [
        replace(
            one,
            generic=any(other.shows(one.template) for other in foreign)
            # One control may well show the failure and another; all of them do not, unless they
            # have what a linter found.
            or (
                not (one.message.place and one.message.kind in _FOUND)
                and len(failing) > 1
                and all(other.shows(one.template) for other in failing)
            ),
        )
        for one in stable
    ]


def _same_failure(stable: list[_Stable], run: Observation, control: _ReadControl) -> bool:
    """Return whether a control shows all that the input does, and no other error."""
    if not same_ending(run.status, control.control.seen.status):
        return False
    errors = [one for one in stable if one.message.level == ERROR]
    errors = [one for one in errors if one.message.sure] or errors
    if not errors or not all(control.shows(one.template) for one in errors):
        return False
    return all(
        any(one.template.matches(error.text, control.source) for one in errors)
        for error in control.report.errors
    )


def _frames(reports: Sequence[Report], source: InputText) -> tuple[str, ...]:
    """Return the functions on top of the trace that all runs share."""
    first, *rest = [own_functions(report, source)[:KEPT_FRAMES] for report in reports]
    for other in rest:
        first = tuple(a for a, b in zip(first, other, strict=False) if a == b)
    return first


def _known(reports: Sequence[Report], source: InputText) -> tuple[Template, ...]:
    """Return the templates of all errors that the input gives."""
    kinds: dict[str, Template] = {}
    for text in dict.fromkeys(error.text for report in reports for error in report.errors):
        template = template_of(text, source)
        kinds.setdefault(template.skeleton, template)
    return tuple(kinds.values())


@dataclass(frozen=True, slots=True)
class _Found:
    """All that the observations gave."""

    run: Observation
    name: str
    stable: list[_Stable]
    frames: tuple[str, ...]
    controls: Sequence[_ReadControl]
    reports: Sequence[Report]
    source: InputText
    #: Whether errors that the input does not have are allowed.
    new_errors: bool = False

    def signatures(self) -> list[Signature]:
        """Return the signatures that are specific, the best first."""
        result: list[Signature] = []
        mains = self._mains()
        together = self._beside(mains[0]) if mains else []
        if 0 < len(together) < TOGETHER:
            result.append(self._with(mains[0], together))
        result += [self._with(main) for main in mains]
        if self.frames and not self._crashed() and not result:
            result.append(self._signature("", (), self.frames))
        context = tuple(one.fact for one in self._contexts())
        if self._crashed() and (self.frames or context):
            # Where a program crashed tells more than lines of no known form, such as a banner.
            known_form = any(one.score > rules.WEIGHT[rules.LINE] for one in mains)
            crash = self._signature("signal", context, self.frames)
            result.insert(len(result) if known_form else 0, crash)
        if self._ending_is_special():
            kind = "signal" if self._crashed() else ""
            kind = "time-out" if self.run.status in (None, TIMED_OUT) else kind
            result.append(self._signature(kind, ()))
        specific = [one for one in dict.fromkeys(result) if not self._shown_elsewhere(one)]
        return specific[:OFFERED]

    def _mains(self) -> list[_Stable]:
        """Return the messages that may be the main one, the one that tells most first."""
        errors = [one for one in self.stable if one.message.level in (ERROR, SUMMARY)]
        sure = [one for one in errors if one.message.sure and one.message.level == ERROR]
        lints = [
            one
            for one in self.stable
            if one.message.level == WARNING
            # A note is a finding of a linter if it has a place or a code.
            or (one.message.level == NOTE and (one.message.place or _CODED.match(one.message.text)))
        ]
        pool = errors if sure else [*errors, *lints]
        if self.run.status == 0:
            pool = [one for one in pool if one.message.kind in _THROWN]
        return sorted(pool, key=lambda one: (-one.score, one.order))

    def _contexts(self) -> list[_Stable]:
        """Return what tells crashes at one place apart."""
        context = [one for one in self.stable if one.message.level == CRASH_CONTEXT]
        return [one for one in context if not one.generic][:2]

    def _crashed(self) -> bool:
        return bool(signal_of(self.run.status))

    def _beside(self, main: _Stable) -> list[_Stable]:
        """Return the errors beside the main one, or a linter's findings: one of each kind."""
        is_one = main.message.kind in _FOUND and main.message.sure
        if not is_one or main.message.level == SUMMARY:
            return []
        levels = _FINDINGS if main.message.level in _FINDINGS else (ERROR,)
        kinds: dict[str, _Stable] = {}
        for one in self._mains():
            sure = one.message.kind in _FOUND and one.message.sure and not one.generic
            if sure and one.message.level in levels:
                kinds.setdefault(one.template.skeleton, one)
        kinds.pop(main.template.skeleton, None)
        return [*kinds.values()]

    def left_out(self, best: Signature) -> tuple[Fact, ...]:
        """Return the errors or findings beside the main one that a signature does not keep."""
        kept = {fact.template.skeleton for fact in best.facts}
        main = next((one for one in self.stable if one.fact in best.facts), None)
        beside = [] if main is None else self._beside(main)
        return tuple(one.fact for one in beside if one.template.skeleton not in kept)

    def _with(self, main: _Stable, beside: Sequence[_Stable] = ()) -> Signature:
        """Return the signature with a main message, errors beside it, and what belongs to it."""
        companions = self._companions(main)
        facts = [main, *companions, *(one for one in beside if one not in companions)]
        kind = main.message.kind if main.message.kind not in (rules.REMARK, rules.LINE) else ""
        frames = self.frames
        if not self._crashed() and main.message.kind not in rules.CRASHES:
            frames = frames[:1] if main.message.kind == rules.EXCEPTION else ()
        return self._signature(kind, tuple(one.fact for one in facts), frames)

    def _companions(self, main: _Stable) -> list[_Stable]:
        """Return the messages that tell the failure together with the main one."""
        message = main.message
        result = [
            one
            for one in self.stable
            if one is not main
            and message.place
            and (one.message.place, one.message.stream) == (message.place, message.stream)
            and one.message.level == message.level
            and abs(one.order - main.order) == 1
        ]
        if message.kind in _THROWN or self._crashed():
            result += self._contexts()
        return result

    def _ending_is_special(self) -> bool:
        """Return whether no control ends like the input with another failure."""
        if self.run.status == 0:
            return False
        silent = not self.stable
        return not any(
            one.control.is_foreign
            or not silent
            or (one.report.messages and (self.new_errors or not one.report.errors))
            for one in self.controls
            if same_ending(self.run.status, one.control.seen.status)
        )

    def _signature(
        self, kind: str, facts: tuple[Fact, ...], frames: tuple[str, ...] = ()
    ) -> Signature:
        return Signature(self.run.status, True, kind, facts, frames, name=self.name)

    def _shown_elsewhere(self, signature: Signature) -> bool:
        """Return whether the empty file or a valid one shows it too."""
        return any(
            signature.judge(one.control.seen, one.control.text, self.name).matches
            for one in self.controls
            if one.control.is_foreign
        )


def infer_disagreement(
    first: Sequence[Observation],
    second: Sequence[Observation],
    text: bytes,
    name: str,
    forbidden: tuple[str, ...] = (),
) -> Disagreement:
    """Return how two commands disagree, from runs of both on the input.

    Raises `UnclearFailureError` if they agree, or not always disagree in the same way.
    """
    for runs in (first, second):
        refusal = cannot_run(runs) or ends_otherwise(runs)
        if refusal:
            raise UnclearFailureError(refusal)
    plain = [Signature(status=runs[0].status, forbidden=forbidden) for runs in (first, second)]
    if not same_ending(first[0].status, second[0].status):
        for at, runs in enumerate((first, second)):
            found = infer_signature(runs, text, name, wanted=KeepOptions(forbidden=forbidden))
            if runs[0].status != 0 and found.signatures:
                plain[at] = found.signatures[0]
        return Disagreement((plain[0], plain[1]))
    outputs = []
    for words, runs in (("the first command", first), ("the second command", second)):
        seen = {comparable(run.stdout, name) for run in runs}
        if len(seen) > 1:
            raise UnclearFailureError(error_text("output_varies", words=words))
        outputs.append(seen.pop())
    if outputs[0] == outputs[1]:
        raise UnclearFailureError(error_text("commands_agree"))
    return Disagreement((plain[0], plain[1]))
