#!/usr/bin/env python3
"""Read a request for a reduction from a comment: `/reduce NAME -- COMMAND {}`.

COMMENT is the comment, ISSUE the text of the issue. The input is the file called NAME that is
attached to one of them (a link of the form [NAME](https://...)), or else the first fenced block of
the issue. Writes DIR/command (words, each ended by a NUL) and either DIR/url or DIR/NAME. Nothing
of the comment is run here.
"""

import os
import re
import shlex
import sys
from pathlib import Path

REQUEST = re.compile(r"^/reduce +(\S+) +-- +(.+)$", re.MULTILINE)
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def main(directory: Path) -> None:
    comment, issue = os.environ["COMMENT"].replace("\r", ""), os.environ["ISSUE"].replace("\r", "")
    found = REQUEST.search(comment)
    if found is None:
        sys.exit("the comment has no line `/reduce NAME -- COMMAND {}`")
    name = os.path.basename(found[1])
    if name in ("", ".", "..") or not re.fullmatch(r"[\w.+-]+", name):
        sys.exit(f"{found[1]!r} is not the name of a file")
    try:
        words = shlex.split(found[2])
    except ValueError as error:
        sys.exit(f"the command cannot be read: {error}")
    (directory / "name").write_text(name)
    (directory / "command").write_text("".join(f"{word}\0" for word in words))
    link = re.compile(rf"\[{re.escape(name)}\]\((https://[^\s)]+)\)")
    attached = link.search(comment) or link.search(issue)
    if attached is not None:
        (directory / "url").write_text(attached[1])
    elif block := BLOCK.search(issue):
        (directory / name).write_text(block[1])
    else:
        sys.exit(f"{name} is neither attached nor a fenced block of the issue")


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    main(place)
