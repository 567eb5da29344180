"""The test for a signature as a script: Python's standard library alone, for people to keep.

The modules that judge are written into it as they are, so that the script and marrow decide alike.
How the script uses them is in `written_script.template`.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

from marrow.diagnostics.rule_files import RULE_FILES, rule_text
from marrow.signature.failing_command import ObservedCommands
from marrow.signature.signature import Disagreement, Signature

#: The modules that judge, each after those that it imports.
MODULES: Final = (
    "base.errors",
    "diagnostics.observation",
    "diagnostics.texts",
    "diagnostics.rule_files",
    "signature.template",
    "diagnostics.message_rules",
    "diagnostics.frames",
    "diagnostics.json_messages",
    "diagnostics.report",
    "signature.user_expression",
    "signature.signature",
)


def signature_script(
    asked: ObservedCommands, kept: Signature | Disagreement, timeout: float | None = None
) -> str:
    """Return a script that exits with 0 if the candidate that it is given shows what is kept.

    `timeout` is how many seconds a command may take; a command that takes longer has timed out.
    """
    what = "directory" if asked.directory else "file"
    settings = {
        "commands": [list(words) for words in asked.commands],
        "guards": list(asked.guards),
        "directory": asked.directory,
        "timeout": timeout,
        "kept": kept.to_dict(),
    }
    data = json.dumps(settings, indent=4)  # a line for each thing that one may want to change
    head = [
        "#!/usr/bin/env python3",
        f"# Exits with 0 if the {what} that it is given still shows the failure, with 1 if not:",
        *(f"# {line}" for line in kept.sentence.splitlines()),
        "# Written by marrow for:",
        *(f"# {line}" for command in asked.plain() for line in command.splitlines()),
        "# It needs Python 3.11 or later, and no marrow. What is kept can be changed here:",
        "",
        f"SETTINGS = __import__('json').loads(r'''\n{data}\n''')"
        if "'''" not in data
        else f"SETTINGS = {settings!r}",
        "",
        "# Below are the modules of marrow that judge, as they are, and how they are used.",
        "",
        "MODULES = {}",
        "RULES = {}",
    ]
    for module in MODULES:
        source = _source(module.replace(".", "/") + ".py")
        assert "'''" not in source, module
        head += ["", f"MODULES['marrow.{module}'] = r'''{source}'''"]
    for name in RULE_FILES:
        text = json.dumps(rule_text(name))
        head += ["", f"RULES[{name!r}] = {text}"]
    return "\n".join([*head, "", _source("signature/written_script.template")])


def _source(path: str) -> str:
    """Return the text of a file of marrow."""
    return resources.files("marrow").joinpath(path).read_text(encoding="utf-8")
