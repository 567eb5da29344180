"""The plan of a run: what the user wants done, as one frozen value.

The command line and the library both make a plan, from the same options, and hand it to a `Run`.
A plan reads the input and chooses the view and the strategy; it starts no process and writes
nothing.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from marrow.base.clock import running_time
from marrow.base.deadline import Deadline, OutOfTimeError, within
from marrow.base.errors import InputError, UsageError, error_text
from marrow.engine.executors.quorum import Quorum
from marrow.engine.executors.registry import ExecutorOptions
from marrow.engine.process.command import TestCommand
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.search.dispatcher import Limits
from marrow.run.options.option import declared
from marrow.run.options.options import (
    AbstractOptions,
    ReduceOptions,
    SettingOptions,
    StrategyOptions,
)
from marrow.run.plan.chosen_test import AnyTest, Test, chosen_sandbox, chosen_test, unresolved_check
from marrow.run.plan.chosen_view import chosen_view, pattern_language, protected
from marrow.run.plan.input import Input
from marrow.signature.failing_command import FailingCommand

if TYPE_CHECKING:
    from marrow.abstraction.ddset import DDSetOptions
    from marrow.abstraction.pattern_language import PatternLanguage
    from marrow.reducers.algorithms.settings import Preset, Settings
    from marrow.reducers.pipeline.pipeline import Strategy
    from marrow.syntax.views import View
    from marrow.tree import Tree

# Planning parses the input once. If it takes longer than this, in seconds, it counts as time of the
# run; small inputs take less, and their limits stay as they were given.
_LONG_PLANNING: Final = 0.2

# How long a command is waited for that is to take a time of the processor: this many times as long,
# and some seconds for its start.
_WAITING: Final = 4.0
_LONGEST_START: Final = 10.0

# The fields of a plan that are options as they were given.
_AS_GIVEN: Final = (
    *("allow_empty", "timeout", "memory", "journal", "output", "in_place", "report", "bug_report"),
    *("force", "formatter", "live", "shrink_command", "explain", "contrast", "anonymize"),
)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of the search for the pattern of a failing input (DDSET)."""

    language: PatternLanguage
    options: DDSetOptions
    #: The tree of the input.
    whole: Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the user wants done.

    Without a `view` and a `strategy` nothing is reduced; without `sampling` no pattern is looked
    for. Without a `journal` nothing of the run is on disk; `resume` None resumes a journal that
    exists. Without an `output` the result is only returned.
    """

    source: Input
    test: Test
    view: View | None = None
    strategy: Strategy | None = None
    sampling: Sampling | None = None
    limits: Limits = field(default_factory=Limits)
    quorum: Quorum | None = None
    allow_empty: bool = False
    timeout: float | None = None
    memory: int | None = None
    sandbox: Sandbox | None = None
    unresolved_if: str | None = None
    where: ExecutorOptions = field(default_factory=ExecutorOptions)
    journal: Path | None = None
    resume: bool | None = None
    output: Path | None = None
    in_place: bool = False
    report: Path | None = None
    bug_report: Path | None = None
    #: Whether words of the failing command are dropped.
    shrink_command: bool = False
    contrast: bool = False
    #: Whether words of the input are replaced in the result, and those that stay are listed.
    anonymize: bool = False
    #: The good input whose difference from the source is reduced.
    good: Input | None = None
    #: Whether the page is served during the run.
    live: bool = False
    #: What happens to white space, and the command that formats the readable copy.
    layout: str = "compact"
    formatter: str | None = None
    #: Whether to say of each part of the result whether it is needed.
    explain: bool = False
    #: Whether a report or a saved test may be written over any file.
    force: bool = False
    #: The options that change what verdicts mean, by their names in the identity of a journal.
    identity: Mapping[str, str] = field(default_factory=dict)
    #: When planning began, by the clock of the process.
    started: float = field(default_factory=running_time, compare=False)

    @property
    def words(self) -> tuple[str, ...]:
        """Every word of the test that may name a file."""
        if isinstance(self.test, FailingCommand):
            return self.test.words
        words = self.test.arguments if isinstance(self.test, TestCommand) else ()
        return (*words, *filter(None, [self.unresolved_if]))

    @property
    def measure(self) -> dict[str, Any]:
        """The `unit` that sizes are shown in; the `size` of the input, where it is in lines."""
        if self.good is not None:
            return {"unit": "changes"}
        unit = getattr(getattr(self.strategy, "settings", None), "objective", "tokens")
        if unit == "lines":
            return {"unit": unit, "size": self.source.text.rstrip().count(b"\n") + 1}
        return {"unit": getattr(self.view, "measure", unit) if unit == "tokens" else unit}

    def progress(self, tokens: int) -> dict[str, Any]:
        """Return the `measure`, the limit of time, and the forecast for an input of this size.

        If the user says when to stop, the forecast knows the limit of tests alone.
        """
        from marrow.report.forecast import Forecast

        passes = () if self.limits.goal is not None else getattr(self.strategy, "passes", ())
        names = [one.name for one in passes if not one.opening]
        forecast = Forecast(names, tokens, self.limits.tests)
        return {"forecast": forecast, "seconds": self.limits.seconds, **self.measure}

    @property
    def seed(self) -> int:
        """The seed of what is drawn by lot."""
        if self.sampling is not None:
            return self.sampling.options.seed
        return 0 if self.strategy is None else self.strategy.settings.seed


def plan_reduction(
    source: Input, test: AnyTest | None, values: Mapping[str, Any], good: Input | None = None
) -> Plan:
    """Return the plan of a reduction, or of that of its difference from a `good` input."""
    started = running_time()
    if values["in_place"] and values["output"] is not None:
        raise UsageError(error_text("in_place_with_output"))
    if values.get("anonymize"):
        for name in ("keep_names", "keep_lines", "keep", "diff", "contrast"):
            if values.get(name) or (name == "diff" and good is not None):
                raise UsageError(error_text("anonymize_with", name=name))
    chosen = chosen_test(test, values)
    resource = getattr(chosen, "resource", None)
    if resource is not None and resource[0] == "time" and values["timeout"] is None:
        # On a busy machine a process gets a part of the time only.
        values = {**values, "timeout": _WAITING * resource[1] + _LONGEST_START}
    layout = chosen_layout(values)
    if good is not None:
        layout = "compact"  # the changes have the layout of the good input
    deadline = Deadline(values["max_time"])
    try:
        with within(deadline):
            if good is None:
                view = protected(chosen_view(source, values), source, values)
            else:
                from marrow.run.plan.difference import difference_view

                view = difference_view(good, source, values)
        left = deadline.left
    except OutOfTimeError:
        # The run still checks the test; its result is the input.
        from marrow.syntax.views import unparsed_view

        left = 0.0
        view = unparsed_view("the time limit was reached before the input was parsed")
    strategy = chosen_strategy(values)
    _check_strategy(strategy, source, values)
    plan = Plan(
        source=source,
        test=chosen,
        view=view,
        strategy=strategy,
        layout=layout,
        good=good,
        started=started,
        **_common(values, ReduceOptions),
    )
    return _less_planning(plan, left, values)


def _less_planning(plan: Plan, left: float | None, values: Mapping[str, Any]) -> Plan:
    """Take the time of planning off the time limit, of which some seconds are left."""
    if left is not None and (not left or values["max_time"] - left > _LONG_PLANNING):
        return replace(plan, limits=replace(plan.limits, seconds=max(left, 0.0)))
    return plan


def plan_abstraction(source: Input, test: AnyTest | None, values: Mapping[str, Any]) -> Plan:
    """Return the plan of a search for a pattern; raise `ParseError` for what does not parse."""
    from marrow.abstraction.ddset import DDSetOptions
    from marrow.grammar.language import Language
    from marrow.reducers.pipeline.algorithm_table import DEFAULT_ALGORITHM

    deadline = Deadline(values["max_time"])
    try:
        with within(deadline):
            language, view = pattern_language(source, values)
            whole = language.parse(source.text)
    except OutOfTimeError as error:
        raise InputError(error_text("no_time_to_parse")) from error
    reducer = None if values["no_reduce"] else values["reducer"]
    if reducer is None and not values["no_reduce"]:
        by_grammar = isinstance(language, Language)
        reducer = "ddset" if values["naive"] and by_grammar else DEFAULT_ALGORITHM
    options = DDSetOptions(values["checks"], values["seed"], values["naive"])
    plan = Plan(
        source=source,
        test=chosen_test(test, values),
        view=view,
        strategy=None if reducer is None else chosen_strategy({"algorithm": reducer}),
        sampling=Sampling(language, options, whole),
        unresolved_if=unresolved_check(values),
        **_common(values, AbstractOptions),
    )
    return _less_planning(plan, deadline.left, values)


def plan_samples(
    name: str, test: AnyTest | None, values: Mapping[str, Any], timeout: float
) -> Plan:
    """Return the plan of testing samples under a name; `values` are those of `ProduceOptions`."""
    return Plan(
        source=Input(b"", name),
        test=chosen_test(test, values),
        timeout=timeout,
        memory=values["memory"],
        sandbox=chosen_sandbox(values),
        unresolved_if=values["unresolved_if"],
        where=chosen_place(values),
    )


def _common(values: Mapping[str, Any], options: type) -> dict[str, Any]:
    """Return what every plan takes from its options."""
    known = declared(options)
    return {
        **{name: values[name] for name in _AS_GIVEN if name in known},
        "limits": Limits(**{one.limit: values[name] for name, one in known.items() if one.limit}),
        "quorum": values["flaky"],
        "sandbox": chosen_sandbox(values),
        "where": chosen_place(values),
        "identity": {
            option.identity: "" if values[name] is None else str(values[name])
            for name, option in known.items()
            if option.identity
        },
    }


def chosen_place(values: Mapping[str, Any]) -> ExecutorOptions:
    """Return where tests run."""
    where = ExecutorOptions(
        executor=values["executor"],
        scheduler=values["scheduler"],
        workers=values["jobs"],
        beside=values["ship"],
    )
    if where.scheduler is not None and where.executor == "local":
        raise UsageError(error_text("scheduler_of_local"))
    if where.beside and not where.kind.remote:
        raise UsageError(error_text("ship_without_cluster"))
    return where


def chosen_strategy(values: Mapping[str, Any]) -> Strategy:
    """Return the pipeline or one algorithm; refuse settings that make no difference to it."""
    from marrow.reducers.pipeline.algorithm_table import users_of
    from marrow.reducers.pipeline.pipeline import strategy_of
    from marrow.run.plan.system_headers import SystemHeaders

    choices = {name: values[name] for name in declared(StrategyOptions) if name in values}
    choices.pop("settings", None)
    preset = _preset(values)
    if choices.get("algorithm") is None and preset is not None:
        choices["algorithm"] = preset.algorithm
    if values.get("layout") == "keep" and choices.get("algorithm") is None:
        choices["keep_layout"] = True
    if choices.get("algorithm") is None and (
        choices.get("one_file") or choices.get("effort") == "max"
    ):
        choices["preprocessor"] = SystemHeaders()
    strategy = strategy_of(settings=chosen_settings(values), **choices)
    if preset is not None and preset.about not in strategy.uses:
        raise UsageError(
            f"⟦preset {values['preset']}⟧ is for {preset.whose}, not for {strategy.name}\n"
            "Name one with ⟦algorithm⟧, or leave it out."
        )
    own = {one.name for one in fields(strategy.settings)}
    for name in _given(values):
        setting = _FIELDS.get(name, name)
        if (setting if setting in own else "minimize") not in strategy.uses:
            users = users_of(setting)
            more = " and others" if len(users) > 4 else ""
            some = f"It is for {', '.join(users[:4])}{more}. " if users else ""
            raise UsageError(
                f"⟦{name}⟧ makes no difference to {strategy.name}\n{some}Leave it out."
            )
    return strategy


def _check_strategy(strategy: Strategy, source: Input, values: Mapping[str, Any]) -> None:
    """Refuse pairs of files that are not there, and what needs a grammar if there is none."""
    if strategy.needs_grammar and values["grammar"] is None:
        said = f"algorithm {strategy.name}"
        if values.get("preset"):
            said = f"preset {values['preset']}"
        elif values.get("normal_form"):
            said = f"normal_form {strategy.settings.normal_form.value}"
        raise UsageError(f"⟦{said}⟧ works on the trees of a grammar\nName one with ⟦grammar⟧.")
    from marrow.syntax.bundle import read_bundle

    known = {one.name for one in read_bundle(source.text)} if source.several else {source.name}
    for name in (name for pair in strategy.pairs for name in pair):
        if name not in known:
            raise UsageError(
                f"⟦pair⟧: the input has no file {name}\nIt has {', '.join(sorted(known)[:5])}."
            )


def chosen_layout(values: Mapping[str, Any]) -> str:
    """Return what happens to the white space of the result."""
    layout: str | None = values["layout"]
    if values["keep_layout"]:
        if layout not in (None, "keep"):
            raise UsageError(error_text("two_layouts", layout=layout))
        layout = "keep"
    command = values["formatter"]
    if command not in (None, "none"):
        if layout not in (None, "pretty"):
            raise UsageError(error_text("formatter_without_copy", layout=layout))
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"⟦formatter⟧: {error} in {command!r}\nCheck its quotes.") from error
        if not words:
            raise UsageError("the command given to ⟦formatter⟧ is empty\nName one, or say none.")
        if shutil.which(words[0]) is None:  # who waits for a result wants it laid out
            raise UsageError(error_text("no_formatter", program=words[0]))
    return layout or ("compact" if command is None else "pretty")


#: Options whose field in the settings has another name.
_FIELDS: Final = {"hoist": "hoisting", "compatible": "compatibility", "split": "factor"}


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the user gave."""
    names = declared(SettingOptions).keys() - {"preset"}
    return {name: value for name, value in values.items() if name in names and value is not None}


def _preset(values: Mapping[str, Any]) -> Preset | None:
    from marrow.reducers.algorithms.settings import PRESETS

    return None if values.get("preset") is None else PRESETS[values["preset"]]


def chosen_settings(values: Mapping[str, Any]) -> Settings:
    """Return the settings of the algorithms: a preset or a given value, changed by options."""
    from marrow.reducers.algorithms.settings import Settings

    preset = _preset(values)
    settings: Settings | None = values.get("settings")
    if settings is None:
        settings = Settings() if preset is None else preset.settings
    try:
        return settings.changed(
            **{_FIELDS.get(name, name): value for name, value in _given(values).items()}
        )
    except LookupError as error:
        raise UsageError(str(error.args[0])) from error
