"""Judges: from what commands did with a candidate to a verdict, by the signature of the failure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from marrow.diagnostics.observation import Observation
from marrow.engine.process.command import JudgedEnd
from marrow.engine.verdict import Verdict
from marrow.signature.resource_use import ResourceUse
from marrow.signature.signature import Disagreement, Signature

#: What is kept of a failure: that of one command, the disagreement of two, or what one uses.
KeptFailure: TypeAlias = Signature | Disagreement | ResourceUse


@dataclass(frozen=True)
class FailureJudge:
    """Asks for a failure.

    `asked` is what the user asked for, in words that tell it from anything else; `own` the label of
    the failure itself, so that it is not taken for another one; `hidden` are files that its
    command does not see.
    """

    kept: KeptFailure
    asked: str = ""
    own: str = ""
    hidden: tuple[str, ...] = ()

    @cached_property
    def identity(self) -> str:
        """What it asks for, as text; see `kept_in`."""
        data = {
            "asked": self.asked,
            "own": self.own,
            "kept": self.kept.to_dict(),
            "hidden": self.hidden,
        }
        return json.dumps(data, sort_keys=True)

    def judge(self, ended: tuple[Observation, ...], candidate: bytes) -> JudgedEnd:
        """Say whether the commands still show it."""
        said = self.kept.judge_all(list(ended), candidate)
        if said.matches:
            return JudgedEnd(Verdict.INTERESTING)
        label = "" if said.label == self.own else said.label
        return JudgedEnd(Verdict.NOT_INTERESTING, said.why, label)


def judge_in(identity: str | None, asked: str) -> FailureJudge | None:
    """Return the judge that a journal knows, if it was made for what is asked for now."""
    if identity is None:
        return None
    try:
        data = json.loads(identity)
        if data["asked"] != asked:
            return None
        kept = data["kept"]
        form: type[KeptFailure] = Disagreement if "each" in kept else Signature
        form = ResourceUse if "resource" in kept else form
        return FailureJudge(form.from_dict(kept), asked, data["own"], tuple(data["hidden"]))
    except (ValueError, KeyError, TypeError):
        return None  # another version of marrow wrote it
