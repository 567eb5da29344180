"""The cage of the attack: where hostile tests run, and the proof that they can do no harm.

`bench.attack` starts itself again inside bubblewrap: another user without capabilities, namespaces
of its own for processes, mounts, network and the rest, every file system read-only but a /tmp in
memory of bounded size, limits on processes, memory and file sizes. Inside, `holes` looks for what
is missing before anything hostile runs. There is no way to run the attack without it.
"""

from __future__ import annotations

import compileall
import functools
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

#: Everything of the attack is in here. In memory: nothing on a disk can be written.
SCRATCH: Final = Path("/tmp/attack")

#: Small file systems, for what happens when a disk is full: the kilobytes of each.
DISKS: Final = Path("/tmp/disks")
DISK_SIZES: Final = (12, 16, 24, 32, 48, 64, 96, 128, 256, 512)
DISK_USES: Final = ("files", "temporary")

#: Memory that files may take in all. The huge inputs and what is made of them take a tenth.
_ALL_FILES: Final = 2 << 30

# Nobody else has this number, so that the limit on its processes counts those of the attack alone.
_USER: Final = 61_616

_PROCESSES: Final = 500
_LARGEST_FILE: Final = 1 << 30
_MEMORY: Final = 6 << 30

# Mounts that may be written inside: those in memory, those of the kernel that belong to the
# namespace, and the harmless devices that bubblewrap puts into its /dev.
_WRITABLE: Final = ("/tmp", "/dev", "/proc", "/run", "/var/tmp")

_INSIDE: Final = "--inside-of"


def missing() -> str:
    """Return why there can be no cage on this system; empty if there can."""
    programs = ["bwrap", *(["setpriv"] if os.geteuid() == 0 else [])]
    for program in programs:
        if shutil.which(program) is None:
            return f"{program} is not installed"
    tried = subprocess.run(
        _command(["true"]), capture_output=True, text=True, check=False, timeout=60
    )
    if tried.returncode:
        said = tried.stderr.strip().splitlines()
        return f"bubblewrap cannot make namespaces here: {said[-1] if said else tried.returncode}"
    return ""


def enter(arguments: Sequence[str]) -> int:
    """Run the attack inside the cage; return its exit code."""
    # Inside nothing can be written: marrow would be compiled a thousand times.
    compileall.compile_dir(ROOT / "src", quiet=2)
    outside = " ".join(_namespaces())
    line = [sys.executable, "-m", "bench.attack", _INSIDE, outside, *arguments]
    return subprocess.run(
        _command(line), check=False, preexec_fn=_limit, stdin=subprocess.DEVNULL
    ).returncode


@functools.cache
def no_sandbox() -> str:
    """Return why there can be no sandbox inside of the cage; empty if there can."""
    if shutil.which("bwrap") is None:
        return "no sandbox inside of the cage: bwrap is not installed"
    words = ("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true")
    tried = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    return f"no sandbox inside of the cage: {tried.stderr.strip()}" if tried.returncode else ""


def is_inside(arguments: Sequence[str]) -> bool:
    """Return whether the command line says that this is the inside; `holes` finds out."""
    return list(arguments[:1]) == [_INSIDE]


def _namespaces() -> list[str]:
    return [os.readlink(f"/proc/self/ns/{kind}") for kind in ("pid", "mnt", "net", "ipc")]


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _command(line: Sequence[str]) -> list[str]:
    """Return the words that run something in the cage."""
    root = os.geteuid() == 0
    shown = {str(ROOT), sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1])}
    apart = ["--unshare-all"]
    if root:  # without a user namespace, so that it can become another user
        apart = [f"--unshare-{kind}" for kind in ("pid", "net", "ipc", "uts", "cgroup-try")]
    words = [
        *("bwrap", *apart, "--die-with-parent", "--new-session"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *("--tmpfs", "/run", "--tmpfs", "/var/tmp"),
        *("--perms", "1777", "--size", str(_ALL_FILES), "--tmpfs", "/tmp"),
        *("--perms", "0777", "--dir", str(SCRATCH), "--dir", str(DISKS)),
    ]
    home = str(Path.home())
    hidden = ("/tmp",) if home == "/" else ("/tmp", home)
    if home != "/":  # it is not shown: neither its secrets nor its sockets
        words += ["--tmpfs", home]
    for place in sorted(shown, key=len):
        for above in reversed(Path(place).parents):
            if any(above != Path(one) and above.is_relative_to(one) for one in hidden):
                words += ["--perms", "0755", "--dir", str(above)]
        words += ["--ro-bind", place, place]
    if home not in ("/", *shown):
        words += ["--remount-ro", home]
    for use in DISK_USES:
        for size in DISK_SIZES:
            disk = str(DISKS / f"{use}-{size}")
            words += ["--perms", "0777", "--size", str(size << 10), "--tmpfs", disk]
    words += ["--chdir", str(ROOT), "--setenv", "PYTHONDONTWRITEBYTECODE", "1", "--"]
    if root:
        # Where root starts it, bubblewrap covers parts of /proc, which others could not write
        # anyway; the kernel then permits no sandbox inside.
        words += ["sh", "-ec", 'mount -t proc proc /proc; exec "$@"', "sh"]
        words += [
            *("setpriv", "--reuid", str(_USER), "--regid", str(_USER), "--clear-groups"),
            *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs"),
        ]
    # Here and not earlier: root's own processes are not those to be limited.
    limits = f"--nproc={_PROCESSES}", f"--fsize={_LARGEST_FILE}:"
    return [*words, "prlimit", *limits, "--", *line]


def holes(outside: str) -> list[str]:
    """Look for what is missing in the cage, from the inside; `outside` names its namespaces.

    Whatever this finds must keep the attack from running. Only if all looks well, writing is tried,
    with empty files.
    """
    found = list(_visible_holes(outside))
    return found or list(_writable())


def _visible_holes(outside: str) -> Iterator[str]:
    if set(outside.split()) & set(_namespaces()):
        yield "a namespace is shared with the outside"
    if os.geteuid() == 0 or os.getuid() == 0:
        yield "this is still root"
    status = Path("/proc/self/status").read_text(encoding="ascii")
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    for capabilities in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        if int(facts[capabilities], 16):
            yield f"there are capabilities ({capabilities})"
    if facts["NoNewPrivs"].strip() != "1":
        yield "programs with a set-user-ID bit may gain rights"
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        place, options = line.split()[4:6]
        allowed = any(place == one or place.startswith(f"{one}/") for one in _WRITABLE)
        if not allowed and "ro" not in options.split(","):
            yield f"{place} can be written"
    for number, most in ((resource.RLIMIT_NPROC, _PROCESSES), (resource.RLIMIT_AS, _MEMORY)):
        if not 0 <= resource.getrlimit(number)[1] <= most:
            yield "a limit of resources does not hold"
    if not SCRATCH.is_dir() or shutil.disk_usage(SCRATCH).total > _ALL_FILES:
        yield "the directory of the attack is not one in memory"


def _writable() -> Iterator[str]:
    for place in ("/", "/bin", "/etc", "/usr", "/var", str(ROOT), sys.prefix, str(Path.home())):
        attempt = Path(place) / f"attack-{os.getpid()}"
        try:
            os.close(os.open(attempt, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError:
            continue
        yield f"a file can be made in {place}"
        attempt.unlink()
