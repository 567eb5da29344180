"""What a sandbox keeps out and what not; docs/explanation/security.md has the same lines.

As a program it tries every line as its user, outside of a sandbox and in one, and prints what
happened as JSON. An attack is a program in Python that ends well if it succeeds.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, replace
from pathlib import Path

#: A line of the table of what is kept out.
KEPT_OUT: dict[str, Attack] = {}
#: A line of the table of what is not.
LET_IN: dict[str, Attack] = {}

PRELUDE = """
import ctypes, os, socket, stat, subprocess, sys
BASE = {base!r}; PORT = {port}; VICTIM = {victim}; HIDDEN = {hidden!r}; SHARED = {shared!r}
libc = ctypes.CDLL(None, use_errno=True)
def call(function, *arguments):
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
"""


@dataclass(frozen=True)
class Attack:
    """A program, and who succeeds with it outside of a sandbox."""

    code: str
    #: Whether anybody can do this outside; root alone; or it is not tried there.
    outside: str = "anybody"


def kept_out(line: str, code: str, outside: str = "anybody") -> None:
    KEPT_OUT[line] = Attack(textwrap.dedent(code), outside)


def let_in(line: str, code: str) -> None:
    LET_IN[line] = Attack(textwrap.dedent(code), "untried")


kept_out(
    "write, remove or rename files outside its own directories",
    """
    for attempt in (
        lambda: open(BASE + "/project/file", "a").close(),
        lambda: os.rename(BASE + "/project/file", BASE + "/project/other"),
        lambda: os.chmod(BASE + "/project/file", 0o777),
        lambda: open("/etc/marrow-x", "w").close(),
    ):
        try:
            attempt()
            sys.exit(0)
        except OSError:
            pass
    sys.exit(1)
    """,
)
kept_out(
    "read what is in your home directory: keys, passwords, tokens, histories",
    'assert open(os.environ["REAL_HOME"] + "/.ssh/id_rsa").read() == "secret"',
)
kept_out(
    "read other environment variables than PATH, HOME, LANG, LC_*, TMPDIR and those of --env",
    """
    words = " ".join(f"{name}={value}" for name, value in os.environ.items())
    assert "the-token" in words and os.environ["API_TOKEN"]
    """,
)
kept_out("read what others have in /tmp", "assert open(HIDDEN).read()")
kept_out("read or write shared memory of others (/dev/shm)", "open(SHARED, 'r+').close()")
kept_out(
    "reach the network, this machine's own services included",
    "socket.create_connection(('127.0.0.1', PORT), 5)",
)
kept_out(
    "connect to a Unix socket, wherever it lies",
    """
    def stream():
        socket.socket(socket.AF_UNIX).connect(BASE + "/outside/stream")
    def packet():
        # A socket of a pair can send to others too.
        one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        one.sendto(b"x", BASE + "/outside/packet")
    def abstract():
        socket.socket(socket.AF_UNIX).connect("\\0marrow" + BASE)
    for attempt in (stream, packet, abstract):
        try:
            attempt()
            sys.exit(0)
        except OSError:
            pass
    sys.exit(1)
    """,
)
kept_out(
    "talk to the host of a virtual machine (vsock) or to devices by other kinds of sockets",
    """
    for family in (38, 40, 31, 29):  # the kernel's cryptography, vsock, Bluetooth, CAN
        try:
            call(libc.socket, family, socket.SOCK_STREAM if family == 40 else 5, 0)
            sys.exit(0)
        except OSError:
            pass
    sys.exit(1)
    """,
    "untried",
)
kept_out("see or signal processes outside", "os.kill(VICTIM, 0)")
kept_out(
    "leave a process running",
    """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "271.828"])
        os._exit(0)
    """,
    "untried",
)
kept_out(
    "mount a file system, or make a read-only one writable",
    """
    remount_bind_silent = 32 | 4096 | 32768
    call(libc.mount, b"none", b"/", None, remount_bind_silent, None)
    """,
    "untried",
)
kept_out(
    "change settings of the kernel (/proc/sys, /sys)",
    """
    for name in ("/proc/sys/vm/swappiness", "/proc/sys/kernel/core_pattern"):
        try:
            value = open(name).read()
            open(name, "w").write(value)
            sys.exit(0)
        except OSError:
            pass
    sys.exit(1)
    """,
    "root",
)
kept_out(
    "use a capability, also as root",
    """
    status = open("/proc/self/status").read()
    rights = [line.split()[1] for line in status.splitlines() if line.startswith("Cap")]
    assert any(int(one, 16) for one in rights)
    """,
)
kept_out(
    "gain rights by a program with a set-user-ID bit",
    'assert "NoNewPrivs:\\t0" in open("/proc/self/status").read()',
)
kept_out(
    "get rights in namespaces of its own",
    """
    new_user = 0x10000000
    for attempt in (
        lambda: call(libc.unshare, new_user),
        lambda: subprocess.run(["unshare", "-U", "true"], check=True, stderr=-3),
        lambda: call(libc.syscall, 56 if os.uname().machine == "x86_64" else 220,
                     new_user | 17, None, None, None, None),
    ):
        try:
            attempt()
            sys.exit(0)
        except (OSError, subprocess.SubprocessError):
            pass
    sys.exit(1)
    """,
)
kept_out(
    "use devices (disks, /dev/mem, /dev/kmsg), or make one",
    """
    known = "full null ptmx random tty urandom zero".split()
    others = [one.name for one in os.scandir("/dev")
              if not one.is_symlink() and not one.is_dir() and one.name not in known]
    if others:
        sys.exit(0)
    os.mknod("device", stat.S_IFBLK | 0o600, os.makedev(7, 0))
    """,
)
kept_out(
    "read the log of the kernel",
    """
    buffer = ctypes.create_string_buffer(100)
    call(libc.klogctl, 10, None, 0)
    """,
    "root",
)
kept_out(
    "read keys that the kernel keeps (keyrings)",
    """
    number = {"x86_64": 250}.get(os.uname().machine, 219)
    call(libc.syscall, number, 0, -3, 0)
    """,
)
kept_out(
    "type into your terminal",
    "os.open('/dev/tty', os.O_RDWR)",
    "untried",
)
kept_out(
    "go around the filter of system calls (io_uring)",
    """
    call(libc.syscall, 425, 1, ctypes.create_string_buffer(120))
    """,
    "untried",
)
kept_out(
    "as root: read passwords and keys of the system (/etc/shadow, /etc/ssh, other homes)",
    """
    for name in ("/etc/shadow", "/etc/gshadow", "/etc/shadow-"):
        try:
            if open(name).read():
                sys.exit(0)
        except OSError:
            pass
    sys.exit(1)
    """,
    "root",
)

let_in(
    "read other files that you can read: the system's, and those in the current directory",
    "assert open('/etc/passwd').read() and open(BASE + '/project/file').read() == 'safe'",
)
let_in(
    "read what PATH shows of your home: directories of programs and what is installed with them",
    'assert open(os.environ["REAL_HOME"] + "/tool/lib/data").read() == "data"',
)
let_in(
    "write its own directory, $TMPDIR, and a home, /tmp and /dev/shm that only it sees",
    """
    for place in (".", os.environ["TMPDIR"], os.environ["HOME"], "/tmp", "/dev/shm"):
        open(place + "/marrow-x", "w").close()
    """,
)
let_in(
    "use processors, memory, disk space and processes, until its time is up (--timeout, --memory)",
    """
    children = [subprocess.Popen(["sleep", "0.1"]) for _ in range(20)]
    data = bytes(1 << 26)
    open("large", "wb").write(data)
    assert all(child.wait() == 0 for child in children)
    """,
)
let_in(
    "connect its own processes by pipes, pairs of sockets and a loopback that only it has",
    """
    one, other = socket.socketpair()
    one.send(b"x"); assert other.recv(1) == b"x"
    server = socket.create_server(("127.0.0.1", 0))
    socket.create_connection(server.getsockname())
    """,
)
let_in(
    "learn about the machine: names of users, mounted disks, versions, load, the time",
    """
    assert open("/etc/passwd").read() and open("/proc/mounts").read()
    assert os.uname().release and os.getloadavg()
    """,
)
let_in(
    "set a set-user-ID bit on its own files, which no other user can reach",
    """
    open("program", "w").close()
    os.chmod("program", 0o4755)
    assert stat.S_IMODE(os.stat("..").st_mode) == 0o700
    """,
)


def main(base: str) -> None:
    """Try all lines; print for each whether it succeeded outside (None: untried) and inside."""
    from marrow.engine.executors.executor import outcome_of
    from marrow.engine.executors.local import CommandExecutor
    from marrow.engine.process.command import TestCommand as Command
    from marrow.engine.process.sandbox import Sandbox
    from marrow.engine.verdict import Verdict

    root = Path(base)
    for name in ("outside", "project", "home/.ssh", "home/tool/bin", "home/tool/lib", "temporary"):
        (root / name).mkdir(parents=True)
    (root / "project/file").write_text("safe")
    (root / "home/.ssh/id_rsa").write_text("secret")
    (root / "home/tool/lib/data").write_text("data")
    os.environ["HOME"] = str(root / "home")
    os.environ["TMPDIR"] = str(root / "temporary")
    os.environ["API_TOKEN"] = "the-token"
    os.environ["PATH"] = f"{root}/home/tool/bin:{os.environ['PATH']}"
    os.chdir(root / "project")
    hidden, shared = Path(f"/tmp/{root.name}"), Path(f"/dev/shm/{root.name}")
    stream, packet = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    abstract = socket.socket(socket.AF_UNIX)
    victim = subprocess.Popen(["sleep", "1000"])
    results: dict[str, tuple[bool | None, bool]] = {}
    try:
        hidden.write_text("x")
        shared.write_text("x")
        stream.bind(f"{base}/outside/stream")
        packet.bind(f"{base}/outside/packet")
        abstract.bind(f"\0marrow{base}")
        stream.listen()
        abstract.listen()
        server = socket.create_server(("127.0.0.1", 0), backlog=20)
        prelude = PRELUDE.format(
            base=base, port=server.getsockname()[1], victim=victim.pid, hidden=str(hidden),
            shared=str(shared),
        )  # fmt: skip
        inside = Sandbox.around([Path.cwd(), sys.prefix, sys.base_prefix])
        home = os.environ["HOME"]
        for number, (line, attack) in enumerate((KEPT_OUT | LET_IN).items()):
            code = prelude + attack.code.replace('os.environ["REAL_HOME"]', repr(home))
            script = root / "project" / f"attack{number}.py"
            script.write_text(code)
            # Not by HOME: it may be hidden where the interpreter lies.
            command = Command((sys.executable, "-E", "-S", str(script)))
            seen: list[bool | None] = []
            for sandbox in (None, inside):
                if sandbox is None and not _tried(attack):
                    seen.append(None)
                    continue
                (root / "project/file").write_text("safe")
                executor = CommandExecutor(replace(command, sandbox=sandbox), "input", adopt=True)
                executor.allow(60)
                try:
                    outcome = outcome_of(executor.submit(b"x", capture=True))
                finally:
                    executor.close()
                assert outcome.verdict in (Verdict.INTERESTING, Verdict.NOT_INTERESTING), outcome
                seen.append(outcome.verdict is Verdict.INTERESTING)
            results[line] = (seen[0], bool(seen[1]))
        time.sleep(0.2)
        left = subprocess.run(["pgrep", "-f", "sleep 271.82[8]"], check=False, capture_output=True)
        results["leave a process running"] = (None, left.returncode == 0)
    finally:
        victim.kill()
        victim.wait()
        hidden.unlink(missing_ok=True)
        shared.unlink(missing_ok=True)
    print(json.dumps(results))


def _tried(attack: Attack) -> bool:
    return attack.outside == "anybody" or (attack.outside == "root" and os.getuid() == 0)


if __name__ == "__main__":
    main(sys.argv[1])
