"""Test scripts to start from, one for each of the usual situations.

A script begins with its settings: lines of the form `name='value'` with a comment above that says
what to put there.
"""

from __future__ import annotations

import re
import shlex
from importlib import resources
from typing import Final

_SETTING: Final = re.compile(r"^([a-z]+)='([^']*)'$", re.MULTILINE)

#: The situations, and what each is in a few words.
SITUATIONS: Final = {
    "compiler-crash": "a compiler dies on a program",
    "miscompilation": "two builds of a program behave differently",
    "interpreter-crash": "an interpreter dies on a program, or raises what it should not",
    "solver-disagreement": "two solvers give different answers",
    "database-error": "a database fails on statements",
}


def situation_script(name: str) -> str:
    """Return the script of a situation as it ships."""
    folder = resources.files("marrow.signature") / "situations"
    return (folder / f"{name}.sh").read_text(encoding="utf-8")


def settings_in(script: str) -> dict[str, str]:
    """Return the settings of a script, with the values that they have."""
    return dict(_SETTING.findall(script))


def with_settings(script: str, values: dict[str, str]) -> str:
    """Return a script with other values for some settings; raise KeyError for no setting."""
    unknown = values.keys() - settings_in(script).keys()
    if unknown:
        raise KeyError(min(unknown))

    def changed(match: re.Match[str]) -> str:
        name = match[1]
        return f"{name}={_quoted(values[name])}" if name in values else match[0]

    return _SETTING.sub(changed, script)


def _quoted(value: str) -> str:
    quoted = shlex.quote(value)
    return quoted if quoted.startswith("'") else f"'{quoted}'"
