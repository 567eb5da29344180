"""Buckets: crash files whose failures look the same at first sight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from marrow.bugs.case import Case, signature_of
from marrow.bugs.crash_files import CrashFile
from marrow.bugs.failure_key import FailureKey, matches
from marrow.diagnostics.observation import Observation
from marrow.signature.signature import Signature


@dataclass(frozen=True, slots=True)
class FailingFile:
    """A crash file that fails, what was seen of it, and how reliably it does.

    `names` are all names of its content.
    """

    file: CrashFile
    names: tuple[str, ...]
    seen: Observation = field(repr=False)
    key: FailureKey
    shown: int = 1
    runs: int = 1

    @property
    def flaky(self) -> bool:
        """Whether it does not fail every time."""
        return self.shown < self.runs


@dataclass(slots=True)
class Bucket:
    """Files with one key; its cases are those of them that were reduced."""

    key: FailureKey
    signature: Signature
    members: list[FailingFile] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)

    @property
    def tells(self) -> bool:
        """Whether the key alone tells failures apart well."""
        return self.key.tells


def bucketed(files: Iterable[FailingFile], name: str) -> list[Bucket]:
    """Sort files into buckets, in their order; the first of a bucket gives it its signature."""
    by_key: Final[dict[FailureKey, Bucket]] = {}
    buckets: list[Bucket] = []
    for one in files:
        near = one.key.near
        bucket = by_key.get(near)
        if bucket is None:
            alike = (
                other
                for other in buckets
                if other.key.near.sites == near.sites
                and matches(other.key, other.signature, one.seen, one.file.text, one.key)
            )
            bucket = next(alike, None)
            if bucket is None:
                signature = signature_of(one.seen, one.file.text, name)
                bucket = Bucket(near, signature)
                buckets.append(bucket)
            by_key[near] = bucket
        bucket.members.append(one)
    return buckets
