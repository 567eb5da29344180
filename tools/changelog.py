"""Put the fragments of changes/ together as the changes of a release.

    python -m tools.changelog            print what the next release changes
    python -m tools.changelog 0.3.0      write it to CHANGELOG.md, and delete the fragments

A fragment is a file `TOPIC.KIND.md` of one to three sentences; breaking changes come first.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("breaking", "added", "changed", "fixed", "removed")


def fragments(folder: Path) -> dict[str, list[Path]]:
    """Return the fragments by kind; raise ValueError for a file that is not one."""
    found: dict[str, list[Path]] = {kind: [] for kind in KINDS}
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        kind = path.suffixes[-2][1:] if len(path.suffixes) > 1 else ""
        if kind not in found:
            raise ValueError(f"{path.name}: name it TOPIC.KIND.md, KIND one of {', '.join(KINDS)}")
        if not path.read_text(encoding="utf-8").strip():
            raise ValueError(f"{path.name} is empty")
        found[kind].append(path)
    return found


def section(found: dict[str, list[Path]]) -> str:
    """Return the changes as Markdown, a list for each kind."""
    parts = []
    for kind, paths in found.items():
        if paths:
            entries = (
                "- " + " ".join(path.read_text(encoding="utf-8").split()).removeprefix("- ")
                for path in paths
            )
            parts.append(f"### {kind.capitalize()}\n" + "\n".join(entries) + "\n")
    return "\n".join(parts)


def released(changelog: str, version: str, text: str) -> str:
    """Return the changelog with a section for a version, before those of earlier ones."""
    first = re.search(r"(?m)^## ", changelog)
    at = first.start() if first else len(changelog)
    return f"{changelog[:at]}## {version}\n\n{text}\n{changelog[at:]}"


def main() -> int:
    """Print the changes, or release them."""
    try:
        found = fragments(ROOT / "changes")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    text = section(found)
    if not sys.argv[1:]:
        print(text, end="")
        return 0
    page = ROOT / "CHANGELOG.md"
    page.write_text(released(page.read_text("utf-8"), sys.argv[1], text), encoding="utf-8")
    for path in (path for paths in found.values() for path in paths):
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
