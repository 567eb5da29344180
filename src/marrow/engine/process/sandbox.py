"""A sandbox for tests (`--sandbox`), by bubblewrap: no network, no writing outside.

In it a test sees the file system as it is, but can write only into its own directory, its directory
for temporary files, and a /tmp, /dev/shm and home directory that are its own: empty at first, and
removed when it ends. It has no network, no process but its own, and no right that a user does not
have, also where root runs marrow. /run is empty, and no socket can be connected to, see below:
sockets lead to programs outside that would do what the test may not. Of the environment, only what
programs cannot do without is passed on. docs/explanation/security.md has the whole table.

Nothing is left out silently: where bubblewrap is missing, or the system does not permit namespaces,
`check_sandbox` raises, and a test that never came into its sandbox gives no verdict.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import pwd
import shutil
import struct
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

from marrow.base.errors import MarrowError, error_text

_PROGRAM: Final = "bwrap"

# The exit code of bubblewrap if it cannot make the sandbox, or start the test in it.
FAILED: Final = 1

# The time limit for making an empty sandbox: it takes some 10 ms, on a busy machine a second.
_PATIENCE: Final = 30.0

_TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

_ALWAYS_HIDDEN: Final = (Path("/tmp"), Path("/run"))

# The home directory in a sandbox of somebody who has none.
_NO_HOME: Final = "/tmp/home"

#: The environment variables that every test has; and all that begin with LC_.
PASSED: Final = ("PATH", "HOME", "LANG", "TMPDIR")


class SandboxError(MarrowError):
    """A sandbox cannot be made here; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The content of a sandbox besides the test's own directories.

    `visible` are files and directories in /tmp, /run or the home directory, which are hidden
    otherwise; they can be read. `writable` are directories that can be written too. `home` are
    files and directories, named from the home directory, that can be read; "." is all of it.
    `variables` are environment variables that are passed on besides the usual ones.
    """

    visible: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()

    @classmethod
    def around(cls, paths: Iterable[str | Path]) -> Sandbox:
        """Return a sandbox in which some files in hidden places can be read.

        Each file comes with its directory, unless that is itself such a place, and a link with its
        target: a script may need the files beside it.
        """
        found: dict[str, None] = {}
        places = hidden_places()
        for path in paths:
            given = Path(os.path.abspath(path))
            for one in (given, Path(os.path.realpath(given))):
                # Not `one.exists()`, which raises where that may not be known.
                if not os.path.exists(one) or not any(top in one.parents for top in places):
                    continue
                near = one if os.path.isdir(one) or one.parent in places else one.parent
                # A directory that holds a hidden place would show all of that.
                if not any(near == top or near in top.parents for top in places):
                    found[str(near)] = None
        return cls(tuple(found))

    def built(self, script: Path | None = None) -> BuiltSandbox:
        """Return the sandbox on this machine, with the programs on its PATH and a script."""
        own = _home()
        places = hidden_places()
        shown = Sandbox.around([*self.visible, *_programs(places), *filter(None, [script])])
        words = [_PROGRAM, *chain(*_TABLE["root"])]
        for top in places:
            if top not in _ALWAYS_HIDDEN and not any(up in places for up in top.parents):
                words += ["--tmpfs", str(top)]
        words += ["--dir", _NO_HOME if own is None else str(own)]
        # Root alone may read these, and no test needs them.
        secrets = _TABLE["secrets"] if os.getuid() == 0 else ()
        for secret in filter(os.path.exists, secrets):
            words += (
                ["--tmpfs", secret] if os.path.isdir(secret) else ["--ro-bind", os.devnull, secret]
            )
        homes = [] if own is None else [str(own / one) for one in self.home]
        for path in (*shown.visible, *homes):
            words += ["--ro-bind-try", path, path]
        for path in self.writable:
            words += ["--bind", path, path]
        return BuiltSandbox(tuple(words), self._environment(own))

    def _environment(self, own: Path | None) -> Mapping[bytes, bytes]:
        passed = {os.fsencode(name) for name in (*PASSED, *self.variables)}
        environment = {
            name: value
            for name, value in os.environb.items()
            if name in passed or name.startswith(b"LC_")
        }
        environment[b"HOME"] = os.fsencode(_NO_HOME if own is None else own)
        return environment


@dataclass(frozen=True, slots=True)
class BuiltSandbox:
    """A sandbox on this machine: the beginning of its command line, and its environment."""

    words: tuple[str, ...]
    environment: Mapping[bytes, bytes]

    def line(
        self, command: Iterable[str], directories: Iterable[str], entry: SandboxEntry
    ) -> list[str]:
        """Return a command line that runs a command in the sandbox; the directories are its own."""
        words = [*self.words]
        for path in directories:
            words += ["--bind", path, path]
        return [*words, *entry.words, "--", *command]


class SandboxEntry:
    """What bubblewrap is given to let one test in: files without a name.

    It reads the filter of system calls from one, and says on the other how the command ended.
    """

    def __init__(self) -> None:
        self._status: Final = os.memfd_create("marrow-sandbox")
        self._filter: Final = os.memfd_create("marrow-filter")
        os.write(self._filter, call_filter() or b"")
        os.lseek(self._filter, 0, os.SEEK_SET)

    @property
    def files(self) -> tuple[int, ...]:
        """The files that bubblewrap must have open."""
        return (self._status, self._filter)

    @property
    def words(self) -> tuple[str, ...]:
        """The options that name the files."""
        return ("--json-status-fd", str(self._status), "--seccomp", str(self._filter))

    def entered(self) -> bool:
        """Whether the command was started in its sandbox and ended there."""
        return b'"exit-code"' in os.pread(self._status, os.fstat(self._status).st_size, 0)

    def close(self) -> None:
        """Close the files."""
        for file in self.files:
            os.close(file)


def _home() -> Path | None:
    """Return the home directory of the environment; None without a real one."""
    given = os.environ.get("HOME", "")
    home = Path(os.path.realpath(given)) if os.path.isabs(given) else None
    return home if home is not None and os.path.isdir(home) and home != Path("/") else None


def hidden_places() -> tuple[Path, ...]:
    """Return the directories of this machine that a sandbox hides, but for what it shows."""
    found = dict.fromkeys(_ALWAYS_HIDDEN)
    candidates = [_home()]
    with contextlib.suppress(KeyError):  # a user without a name, in a container
        candidates.append(Path(os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)))
    if os.getuid() == 0:
        candidates += (Path("/root"), Path("/home"))
    for one in candidates:
        if one is not None and one != Path("/") and os.path.isdir(one):
            found[one] = None
    return tuple(found)


def _programs(places: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the directories of programs, and what is installed with them in hidden places.

    That is /tmp/venv for /tmp/venv/bin, but not all of ~/.local and ~/.cargo, which hold passwords
    too. Links in a directory of the PATH lead to other directories.
    """
    found: dict[Path, None] = {}
    for name in filter(None, os.environ.get("PATH", "").split(os.pathsep)):
        directory = Path(os.path.abspath(name))
        found |= dict.fromkeys((directory, Path(os.path.realpath(directory))))
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            targets = [Path(os.path.realpath(one.path)) for one in entries if one.is_symlink()]
            hidden = (one for one in targets if any(top in one.parents for top in places))
            found |= dict.fromkeys(one.parent for one in hidden)
    for directory in found:
        yield directory
        above = directory.parent
        if above.name.startswith(".") and above.parent in places:
            yield from (above / name for name in ("lib", "lib64", "libexec", "pyvenv.cfg"))
        else:
            yield above


def check_sandbox() -> None:
    """Raise `SandboxError` where the system offers no sandbox."""
    if shutil.which(_PROGRAM) is None:
        raise SandboxError(error_text("no_bubblewrap", program=_PROGRAM))
    if call_filter() is None:
        raise SandboxError(error_text("no_call_filter", machine=platform.machine()))
    with contextlib.closing(SandboxEntry()) as entry:
        try:
            tried = subprocess.run(
                Sandbox().built().line(["true"], (), entry),
                pass_fds=entry.files,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=_PATIENCE,
                check=False,
            )
            said = tried.stderr.decode("utf-8", "replace").strip()
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
        entered = entry.entered()
    if not entered:
        raise SandboxError(error_text("no_sandbox", said=said or "bubblewrap fails"))


# -- the filter of system calls: doors that no namespace closes ------------------------------------
#
# A read-only file system does not keep a test from connecting to a socket in it, and some things
# that the kernel offers know no namespaces: keyrings, the kernel's log, sockets to the host of a
# virtual machine. So the filter permits Internet sockets (the network of a sandbox is empty) and
# pairs of connected sockets, and refuses what leads around the rest: io_uring, which asks no
# filter, and new namespaces. Everything else is permitted. It is a program for the kernel's classic
# BPF machine, see seccomp(2) and <linux/filter.h>.

# Instructions: load a word of the call, compare it with a constant, mask it, return.
_LOAD: Final = 0x20
_IF_EQUAL: Final = 0x15
_IF_AT_LEAST: Final = 0x35
_IF_ANY_BIT: Final = 0x45
_AND: Final = 0x54
_RETURN: Final = 0x06

# Where a call has its number, its processor and the lower half of its first arguments.
_NUMBER: Final = 0
_PROCESSOR: Final = 4
_ARGUMENT: Final = (16, 24)

# What a filter of Linux returns for a call: SECCOMP_RET_ALLOW and SECCOMP_RET_ERRNO.
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000  # with an error number

# Families of sockets that may be made: Internet, and what asks the kernel about the network.
_FAMILIES: Final = (2, 10, 16)

# Types of socket pairs: stream and sequenced packet. A datagram socket of a pair can still send to
# any socket that has a name.
_PAIRS: Final = (1, 5)
_TYPE_MASK: Final = 0xF

# CLONE_NEWUSER of Linux.
_NEW_USER_NAMESPACE: Final = 0x10000000

# On x86-64, calls of the x32 interface have this bit in their number.
_X32: Final = 0x40000000


# io_uring_setup and clone3, whose arguments a filter cannot see; programs fall back to others.
# Their numbers are the same everywhere.
_MISSING: Final = (425, 435)


def call_filter(machine: str | None = None) -> bytes | None:
    """Return the filter for a machine, as bubblewrap takes it; None where there is none."""
    machine = machine or platform.machine()
    if machine not in _TABLE["machines"]:
        return None
    program = [(_LOAD, 0, 0, _PROCESSOR)]
    for name in _TABLE["machines"][machine]:
        calls = _TABLE["calls"][name]
        program += _on(calls["processor"], _block(name, calls))
    program.append(_refusing(errno.ENOSYS))  # programs of another processor
    return b"".join(struct.pack("=HBBI", *one) for one in program)


_Instruction = tuple[int, int, int, int]


def _refusing(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _REFUSE | error)


def _block(name: str, calls: Mapping[str, Any]) -> list[_Instruction]:
    """Return what is asked about the calls of one processor; always ends with an answer."""
    block = [(_LOAD, 0, 0, _NUMBER)]
    if name == "x86_64":
        block += [(_IF_AT_LEAST, 0, 1, _X32), _refusing(errno.ENOSYS)]
    for number in _MISSING:
        block += [(_IF_EQUAL, 0, 1, number), _refusing(errno.ENOSYS)]
    for number in calls["refused"]:
        block += [(_IF_EQUAL, 0, 1, number), _refusing(errno.EPERM)]
    for number in (calls["clone"], calls["unshare"]):
        block += _on(
            number,
            [
                (_LOAD, 0, 0, _ARGUMENT[0]),
                (_IF_ANY_BIT, 0, 1, _NEW_USER_NAMESPACE),
                _refusing(errno.EPERM),
                (_RETURN, 0, 0, _ALLOW),
            ],
        )
    block += _on(calls["socket"], _one_of(_ARGUMENT[0], _FAMILIES))
    block += _on(calls["socketpair"], _one_of(_ARGUMENT[1], _PAIRS, _TYPE_MASK))
    if "socketcall" in calls:
        # Its arguments lie in memory: no sockets (1) and pairs (8) by this call.
        block += _on(
            calls["socketcall"],
            [
                (_LOAD, 0, 0, _ARGUMENT[0]),
                (_IF_EQUAL, 1, 0, 1),
                (_IF_EQUAL, 0, 1, 8),
                _refusing(errno.EAFNOSUPPORT),
                (_RETURN, 0, 0, _ALLOW),
            ],
        )
    return [*block, (_RETURN, 0, 0, _ALLOW)]


def _on(number: int, then: list[_Instruction]) -> list[_Instruction]:
    """Return what is done where a word has a value; `then` ends with an answer."""
    return [(_IF_EQUAL, 0, len(then), number), *then]


def _one_of(argument: int, values: tuple[int, ...], mask: int | None = None) -> list[_Instruction]:
    """Return what permits a call whose argument has one of some values."""
    steps = [(_LOAD, 0, 0, argument)]
    if mask is not None:
        steps.append((_AND, 0, 0, mask))
    for at, value in enumerate(values):
        steps.append((_IF_EQUAL, len(values) - at, 0, value))
    return [*steps, _refusing(errno.EAFNOSUPPORT), (_RETURN, 0, 0, _ALLOW)]
