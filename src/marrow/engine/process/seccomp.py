"""The filter of system calls in a sandbox: doors that no namespace closes.

A read-only file system does not keep a test from connecting to a socket in it, and some things that
the kernel offers know no namespaces: keyrings, the kernel's log, sockets to the host of a virtual
machine. So the filter permits Internet sockets (the network of a sandbox is empty) and pairs of
connected sockets, and refuses what leads around the rest: io_uring, which asks no filter, and new
namespaces. Everything else is permitted.

Written as a program for the kernel's classic BPF machine, see seccomp(2) and <linux/filter.h>.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass
from typing import Final

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


@dataclass(frozen=True, slots=True)
class _Calls:
    """The numbers of system calls on a processor, from its table in the kernel."""

    processor: int
    socket: int
    socketpair: int
    clone: int
    unshare: int
    #: syslog, add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd.
    refused: tuple[int, ...]
    #: Calls whose arguments a filter cannot see; programs fall back to others without them.
    missing: tuple[int, ...] = (425, 435)  # io_uring_setup and clone3, the same everywhere
    #: The old call of 32-bit programs for everything about sockets.
    socketcall: int | None = None


_GENERIC: Final = (198, 199, 220, 97, (116, 217, 218, 219, 241, 280, 282))
_X86_64: Final = _Calls(0xC000003E, 41, 53, 56, 272, (103, 248, 249, 250, 298, 321, 323))
_I386: Final = _Calls(
    0x40000003, 359, 360, 120, 310, (103, 286, 287, 288, 336, 357, 374), socketcall=102
)
_AARCH64: Final = _Calls(0xC00000B7, *_GENERIC)
_RISCV64: Final = _Calls(0xC00000F3, *_GENERIC)

#: What programs may be made of, by the name of the machine.
_MACHINES: Final = {
    "x86_64": (_X86_64, _I386),
    "aarch64": (_AARCH64,),
    "riscv64": (_RISCV64,),
}


def call_filter(machine: str | None = None) -> bytes | None:
    """Return the filter for a machine, as bubblewrap takes it; None where there is none."""
    tables = _MACHINES.get(machine or platform.machine())
    if tables is None:
        return None
    program = [(_LOAD, 0, 0, _PROCESSOR)]
    for calls in tables:
        program += _on(calls.processor, _block(calls))
    program.append(_refusing(errno.ENOSYS))  # programs of another processor
    return b"".join(struct.pack("=HBBI", *one) for one in program)


_Instruction = tuple[int, int, int, int]


def _refusing(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _REFUSE | error)


def _block(calls: _Calls) -> list[_Instruction]:
    """Return what is asked about the calls of one processor; always ends with an answer."""
    block = [(_LOAD, 0, 0, _NUMBER)]
    if calls is _X86_64:
        block += [(_IF_AT_LEAST, 0, 1, _X32), _refusing(errno.ENOSYS)]
    for number in calls.missing:
        block += [(_IF_EQUAL, 0, 1, number), _refusing(errno.ENOSYS)]
    for number in calls.refused:
        block += [(_IF_EQUAL, 0, 1, number), _refusing(errno.EPERM)]
    for number in (calls.clone, calls.unshare):
        block += _on(
            number,
            [
                (_LOAD, 0, 0, _ARGUMENT[0]),
                (_IF_ANY_BIT, 0, 1, _NEW_USER_NAMESPACE),
                _refusing(errno.EPERM),
                (_RETURN, 0, 0, _ALLOW),
            ],
        )
    block += _on(calls.socket, _one_of(_ARGUMENT[0], _FAMILIES))
    block += _on(calls.socketpair, _one_of(_ARGUMENT[1], _PAIRS, _TYPE_MASK))
    if calls.socketcall is not None:
        # Its arguments lie in memory: no sockets (1) and pairs (8) by this call.
        block += _on(
            calls.socketcall,
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
