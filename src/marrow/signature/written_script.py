"""The test for a signature as a script: Python's standard library alone, for people to keep.

The modules that judge are written into it as they are, so that the script and marrow decide alike.
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
        path = module.replace(".", "/") + ".py"
        source = resources.files("marrow").joinpath(path).read_text(encoding="utf-8")
        assert "'''" not in source, module
        head += ["", f"MODULES['marrow.{module}'] = r'''{source}'''"]
    for name in RULE_FILES:
        text = json.dumps(rule_text(name))
        head += ["", f"RULES[{name!r}] = {text}"]
    return "\n".join([*head, "", _MAIN])


_MAIN: Final = '''\
import os
import resource
import shlex
import signal
import subprocess
import sys
import types


def _loaded():
    """Return marrow's class for what is kept, with its modules in place."""
    packages = dict.fromkeys(name.rpartition(".")[0] for name in MODULES)
    for name in ("marrow", *packages):
        package = types.ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
    sys.modules["marrow.diagnostics"].RULE_TEXTS = RULES
    for name, source in MODULES.items():
        module = types.ModuleType(name)
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        setattr(sys.modules[parent], last, module)
        exec(compile(source, name, "exec"), module.__dict__)
    return sys.modules["marrow.diagnostics.observation"].Observation


def _run(words, path, observation):
    """Run a command on the candidate and return what it did."""
    there = path if SETTINGS["directory"] else None
    given = os.devnull if SETTINGS["directory"] else path
    with open(given, "rb") as stdin:
        process = subprocess.Popen(
            [word.replace("{}", path) for word in words],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=there,
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(timeout=SETTINGS["timeout"])
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            status = None
    return observation(status, stdout, stderr)


def _candidate(path):
    """Return the bytes of the candidate: of all its files, if it is a directory."""
    if not os.path.isdir(path):
        with open(path, "rb") as file:
            return file.read()
    texts = []
    for folder, _, names in sorted(os.walk(path)):
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as file:
                texts.append(file.read())
    return b"\\n".join(texts)


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} CANDIDATE")
    path = sys.argv[1]
    observation = _loaded()
    kept = SETTINGS["kept"]
    if "each" in kept:
        signature = sys.modules["marrow.signature.signature"].Disagreement.from_dict(kept)
    else:
        signature = sys.modules["marrow.signature.signature"].Signature.from_dict(kept)
    # A crash need not leave a core file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    text = _candidate(path)
    for guard in SETTINGS["guards"]:
        line = guard.replace("{}", shlex.quote(os.path.abspath(path)))
        with open(os.devnull if SETTINGS["directory"] else path, "rb") as stdin:
            done = subprocess.run(
                line,
                shell=True,
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=path if SETTINGS["directory"] else None,
            )
        if done.returncode:
            print(f"not interesting: guard: {guard}")
            sys.exit(1)
    seen = []
    for words in SETTINGS["commands"]:
        try:
            seen.append(_run(words, path, observation))
        except OSError as error:
            sys.exit(f"cannot run {words[0]}: {error}")
    judged = signature.judge_all(seen, text, os.path.basename(path.rstrip("/")))
    if not judged.matches:
        print(f"not interesting: {judged.why}")
        sys.exit(1)


main()
'''
