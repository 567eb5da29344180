"""`marrow train`: learn from normal code how likely nodes of each type are to go."""

from __future__ import annotations

import contextlib
import csv
import datetime
import io
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import click

from marrow import __version__
from marrow.base.errors import InputError, UsageError, error_text
from marrow.cli.console import StandardError, echo
from marrow.cli.interruption import Interruption, interruptible
from marrow.cli.messages import outcome_lines
from marrow.cli.run_options import GroupedCommand, run_options, values_of
from marrow.engine.events import Warned
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.registry import ExecutorOptions
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand
from marrow.languages.recognition import canonical_name, known_languages
from marrow.learn.model import Model
from marrow.learn.types import whole_type
from marrow.report.plain import plain
from marrow.run.options.options import TrainOptions
from marrow.run.output.output_file import OutputFile
from marrow.run.output.output_paths import MODEL, REMOVALS, check_file
from marrow.run.output.run_outputs import journal_state, set_aside
from marrow.run.plan.chosen_view import refuse_without_grammar
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan
from marrow.run.run import Run
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.training.collect import (
    Bounds,
    Collected,
    Collection,
    CorpusFile,
    RejectedFile,
    TaskEnded,
    TrainingEvent,
    find_sources,
)
from marrow.training.fit import can_fit, compared, fit

# How many of the files that do not pass the check are named.
_MOST_REJECTED: Final = 5


@click.command("train", cls=GroupedCommand)
@run_options(TrainOptions)
def train_command(**given: Any) -> None:
    """Learn from a corpus of normal code how likely nodes of each type are to be removable.

    The model is for `marrow reduce --algorithm batched`. Needs scikit-learn: pip install
    'marrow[train]'. Ctrl-C stops and fits the model to the removals so far; --resume continues.
    """
    request = SimpleNamespace(**values_of("train", given, None))
    with interruptible() as interruption:
        Training(request, interruption).run()


class Training:
    """One `marrow train`."""

    def __init__(self, request: SimpleNamespace, interruption: Interruption) -> None:
        """`request` has the values of `TrainOptions`."""
        self._request: Final = request
        self._interruption: Final = interruption
        self._note: Final = StandardError(quiet=request.quiet).line
        # What a signal found just made, before anybody could close it.
        self._opened: Final[set[Run]] = set()
        if not can_fit():
            raise UsageError(error_text("sklearn_missing"))
        self._front: Final = self._chosen_front()
        if "{}" not in request.check:
            raise UsageError(error_text("check_without_file", check=request.check))
        line = request.check.replace("{}", '"$1"')
        self._check: Final = TestCommand.shell(line, memory=request.memory)
        check_file(request.output, MODEL, "output model.json", force=request.force)
        check_file(request.log, REMOVALS, "log removals.csv", force=request.force)

    def run(self) -> None:
        """Do it all; raise an error with a message where something is wrong."""
        request, interrupted = self._request, False
        bounds = Bounds(request.tokens, request.task_tests, request.max_tests, request.max_time)
        sources = self._sources(canonical_name(request.language))
        with contextlib.closing(self._journal()) as journal:
            collection = Collection(
                *(self._front, self._executor, journal, self._tell, bounds, request.seed)
            )
            try:
                collection.run(sources)
            except KeyboardInterrupt:
                collection.collected.stopped = "interrupted"
                interrupted = True
            finally:
                for run in list(self._opened):
                    run.close()
            # A second Ctrl-C must not lose what the first one kept.
            self._interruption.shield()
            collected = collection.collected
            if collected.observations and not collected.stopped:
                journal.note("finished", "yes")
        if collected.observations:
            self._finish(collected)
        elif not interrupted:
            raise InputError(_nothing(collected, self._check))
        else:
            self._note("stopped before a removal was tried; no model is written")
        if interrupted:
            sys.exit(self._interruption.code)

    def _finish(self, collected: Collected) -> None:
        """Fit the model, write it, and say how good it is."""
        request = self._request
        files, removals = list(collected.files.values()), collected.observations
        provenance = {
            "corpus": request.note,
            "check": request.check,
            "command": shlex.join(["marrow", *sys.argv[1:]]),
            "marrow": __version__,
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "seed": request.seed,
            "files": len(files),
            "tests": collected.tests,
            "removals": len(removals),
            "removed": sum(one.removed for one in removals),
            **({"stopped": collected.stopped} if collected.stopped else {}),
            **compared(files),
        }
        model = fit(self._front.model_name, removals, provenance)
        OutputFile(request.output).write(model.to_json().encode())
        if request.log is not None:
            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["file", "type", "ratio", "removed"])
            for name, observations in collected.files.items():
                writer.writerows(
                    [name, one.type_name, one.ratio, int(one.removed)] for one in observations
                )
            OutputFile(request.log).write(out.getvalue().encode("utf-8", "surrogateescape"))
        if not request.quiet:
            echo(_summary(request, model, collected))

    def _chosen_front(self) -> FrontEnd:
        """Return the front end that parses the files: of a grammar, or of their language."""
        request, known = self._request, known_languages()
        name = canonical_name(request.language)
        if request.grammar is None:
            refuse_without_grammar(vars(request))
            with contextlib.suppress(LookupError):
                return TreeSitterFrontEnd(name)
        elif name in known:
            from marrow.run.plan.chosen_view import given_language
            from marrow.syntax.grammar_front_end import GrammarFrontEnd

            return GrammarFrontEnd(given_language(vars(request)))
        near = [one for one in known if name and (name in one or one in name)]
        hint = f" Near it: {', '.join(near[:8])}." if near else ""
        raise UsageError(
            error_text("unknown_language_to_train", language=request.language, hint=hint)
        )

    @contextlib.contextmanager
    def _executor(self, name: str) -> Iterator[Executor]:
        """Open what checks a file; a signal must not find it half open or half closed."""
        request = self._request
        plan = Plan(
            source=Input(b"", name),
            test=self._check,
            timeout=request.timeout,
            where=ExecutorOptions(workers=request.jobs),
        )
        run = Run(plan, trusted=True, own_process=True)
        with self._interruption.held():
            run.open()
            self._opened.add(run)
        try:
            yield run.executor
        finally:
            with self._interruption.held():
                self._opened.discard(run)
                run.close()

    def _tell(self, event: TrainingEvent) -> None:
        """Print a line for every task, and for every file that is rejected."""
        match event:
            case TaskEnded(source=source, tests=tests, observations=removals):
                self._note(f"{tests:>7,} tests  {removals:>7,} removals  {plain(source.name)}")
            case RejectedFile():
                self._note(f"{event.source.name} {event.reason}")
            case Warned():
                self._note(f"warning: {event.message}")

    def _sources(self, language: str) -> list[CorpusFile]:
        request = self._request
        for place in request.corpus:
            if not place.exists():
                raise InputError(error_text("no_corpus", place=place))
        try:
            sources = find_sources(
                request.corpus, language, most_bytes=request.max_file_size, seed=request.seed
            )
        except OSError as error:
            raise InputError(error_text("unreadable_corpus", error=error)) from error
        if not sources:
            names = " ".join(known_languages().get(language, ())) or "none"
            where = ", ".join(map(str, request.corpus))
            most = request.max_file_size
            facts = {"language": language, "most": most, "where": where, "names": names}
            raise InputError(error_text("no_sources_to_train", **facts))
        self._note(f"{len(sources):,} {language} files")
        return sources

    def _journal(self) -> Journal:
        request = self._request
        path = Path(f"{request.output}.marrow")
        if not request.resume:
            set_aside(path, journal_state(path), self._note)
        identity = {"language": self._front.model_name, "check": self._check.fingerprint()}
        journal = Journal(path, identity, resume=request.resume)
        if request.resume:
            self._note(f"resuming with {journal.size:,} known verdicts of {path}")
        return journal


def _nothing(collected: Collected, command: TestCommand) -> str:
    """Say why there is nothing to learn from."""
    rejected = collected.rejected
    if not rejected:
        reason = collected.stopped or "none of the files has a node that may go"
        return f"no removal was tried: {reason}\nAllow more, or give other files."
    lines = [f"none of the {len(rejected):,} files can be trained on"]
    lines += [f"  {one.source.path} {one.reason}" for one in rejected[:_MOST_REJECTED]]
    if len(rejected) > _MOST_REJECTED:
        lines.append(f"  and {len(rejected) - _MOST_REJECTED:,} more")
    failed = next(((one.source.path, one.outcome) for one in rejected if one.outcome), None)
    if failed is not None:
        path, outcome = failed
        lines += [
            f"The check on {path}:",
            f"  command: {command.by_hand(path.name)}",
            *outcome_lines(outcome),
            error_text("check_of_a_file"),
        ]
    return "\n".join(lines)


def _summary(request: SimpleNamespace, model: Model, collected: Collected) -> str:
    facts = model.provenance
    share = facts["removed"] / facts["removals"]
    types = {whole_type(name) for name in model.curves}
    lines = [
        f"{request.output}: {len(types):,} node types of {model.language}, from "
        f"{facts['removals']:,} removals ({share:.0%} succeeded) in {facts['files']:,} files",
        f"  {collected.tests:,} tests needed, {collected.run:,} run now (some of them ahead); "
        f"{len(collected.rejected):,} files rejected",
    ]
    if scores := facts.get("held_out"):
        lines.append(
            f"  on files held out: log-loss {scores['log_loss']:.3f} "
            f"(prior {scores['log_loss_of_prior']:.3f}), "
            f"AUC {scores['auc']:.3f} (prior {scores['auc_of_prior']:.3f})"
        )
    if collected.stopped:
        # Checks that the journal answers count too, so that the same limit would end it again.
        spent = collected.tests >= request.max_tests
        how = "a higher --max-tests" if spent else "the same options"
        lines.append(f"  stopped: {collected.stopped}; --resume with {how} continues")
    return "\n".join(lines)
