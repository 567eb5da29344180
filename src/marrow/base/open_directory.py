"""Files below an open directory: write, read, rename and remove without ever leaving it.

A test may replace any directory it can write by a link or a mount, at any moment. Whoever then
removes `work/old` by its path removes the files of somebody else. So whatever marrow writes or
removes where tests can write goes through an `OpenDirectory`:

    with OpenDirectory.at(path) as top:         # a directory that no test can rename
        with top.enter("work/build") as build:  # opened name by name; no link is followed
            build.write("x.c", text)            # a plain file, or FileExistsError
            build.read("log", most=1 << 16)     # never waits for a pipe
            build.remove("old")                 # a file or a whole tree, whatever is in it
        top.clear()

Names are relative. A link or a special file where a directory or plain file is expected raises
`OSError`. `identity` (device and inode) tells whether a directory is still the one it was.

Directories are removed by renaming each into the top first. The kernel refuses to rename a mount
point (EBUSY), so removal never enters one, a bind mount of the same disk included; see
`mounts_below`. It also keeps paths short, however deep a test nested its directories.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
from pathlib import Path
from typing import Final, Self

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Not blocking: to open a pipe for reading would wait for a writer.
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

# How often a directory is emptied again that somebody still writes to.
_TRIES: Final = 20

#: The beginning of the names that directories get while they are removed.
REMOVED: Final = "marrow-removed-"
_NUMBERS: Final = itertools.count()


class OpenDirectory:
    """A directory by its descriptor: still the same one if its path leads elsewhere now."""

    __slots__ = ("descriptor", "identity", "mode")

    def __init__(self, descriptor: int) -> None:
        """Take over an open descriptor of a directory."""
        self.descriptor: Final = descriptor
        status = os.fstat(descriptor)
        #: Its device and inode.
        self.identity: Final = (status.st_dev, status.st_ino)
        #: Its rights when it was opened.
        self.mode: Final = status.st_mode

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """Open a directory by its path. Links in the path are followed, but not the last name."""
        return cls(os.open(path, _DIRECTORY))

    def enter(self, path: str, *, make: bool = False) -> OpenDirectory:
        """Open a directory below this one; with `make`, create what is missing."""
        descriptor = os.dup(self.descriptor)
        try:
            parts = [part for part in path.split("/") if part not in ("", ".")]
            if ".." in parts:
                raise OSError(errno.EINVAL, "it leads out of the directory", path)
            for name in parts:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, dir_fd=descriptor)
                below = os.open(name, _DIRECTORY, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            return OpenDirectory(descriptor)
        except BaseException:
            os.close(descriptor)
            raise

    def unlock(self, name: str) -> OpenDirectory:
        """Open a directory in this one; give its owner back the rights that a test took away."""
        try:
            directory = OpenDirectory(os.open(name, _DIRECTORY, dir_fd=self.descriptor))
        except PermissionError:
            self.chmod(name, stat.S_IRWXU)
            directory = OpenDirectory(os.open(name, _DIRECTORY, dir_fd=self.descriptor))
        if directory.mode & stat.S_IRWXU != stat.S_IRWXU:
            try:
                os.fchmod(directory.descriptor, stat.S_IRWXU)
            except BaseException:
                directory.close()
                raise
        return directory

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- looking -------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Return the names of the entries."""
        return os.listdir(self.descriptor)

    def inodes(self) -> dict[str, int]:
        """Return the inode of each entry by its name."""
        with os.scandir(self.descriptor) as entries:
            return {entry.name: entry.inode() for entry in entries}

    def status(self, name: str) -> os.stat_result:
        """Return the status of an entry; of a link, its own."""
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def exists(self, name: str) -> bool:
        """Whether there is an entry of this name, be it a broken link."""
        try:
            self.status(name)
        except FileNotFoundError:
            return False
        return True

    def open_file(self, name: str) -> int:
        """Open a plain file for reading; raise `OSError` if it is anything else."""
        file = os.open(name, _READ, dir_fd=self.descriptor)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise OSError(errno.EINVAL, "it is not a regular file", name)
        return file

    def read(self, name: str, most: int) -> bytes:
        """Return the first bytes of a plain file, `most` of them at most."""
        with open(self.open_file(name), "rb") as file:
            return file.read(min(most, os.fstat(file.fileno()).st_size))

    # -- writing -------------------------------------------------------------------------------

    def write(self, name: str, content: bytes, mode: int = 0o666, *, exact: bool = False) -> None:
        """Create a plain file; raise `FileExistsError` if there is an entry of this name.

        An `exact` mode holds whatever the umask is.
        """
        with open(os.open(name, _NEW, mode, dir_fd=self.descriptor), "wb") as file:
            file.write(content)
            if exact:
                os.fchmod(file.fileno(), mode)

    def overwrite(self, name: str, content: bytes, mode: int = 0o666) -> int:
        """Write a plain file, over one that is there; return it, open for reading and writing.

        A file that has another name too (a hard link) is replaced, not written to: it may be
        somebody else's.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(name, flags, mode, dir_fd=self.descriptor)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file", name)
            if status.st_nlink > 1:
                os.close(file)
                file = -1
                os.unlink(name, dir_fd=self.descriptor)
                file = os.open(name, flags | os.O_EXCL, mode, dir_fd=self.descriptor)
            os.truncate(file, 0)
            with open(file, "wb", closefd=False) as writing:
                writing.write(content)
            os.lseek(file, 0, os.SEEK_SET)
            return file
        except BaseException:
            if file >= 0:
                os.close(file)
            raise

    def make(self, name: str, mode: int = 0o777) -> None:
        """Create a directory; raise `FileExistsError` if there is an entry of this name."""
        os.mkdir(name, mode, dir_fd=self.descriptor)

    def link(self, name: str, target: str | bytes) -> None:
        """Create a symbolic link."""
        os.symlink(os.fsencode(target), os.fsencode(name), dir_fd=self.descriptor)

    def rename(self, name: str, new: str) -> None:
        """Rename an entry."""
        os.rename(name, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def chmod(self, name: str, mode: int) -> None:
        """Set the rights of an entry; raise `OSError` for a link."""
        _chmod(self.descriptor, name, mode)

    # -- removing ------------------------------------------------------------------------------

    def unlink(self, name: str) -> None:
        """Remove an entry that is not a directory."""
        os.unlink(name, dir_fd=self.descriptor)

    def keep_alone(self, name: str) -> bool:
        """Remove all files but one; return whether that is the only entry then."""
        with os.scandir(self.descriptor) as found:
            entries = [one for one in found if one.name != name]
        if any(one.is_dir(follow_symlinks=False) for one in entries):
            return False
        for one in entries:
            self.unlink(one.name)
        return self.names() == [name]

    def remove(self, name: str) -> None:
        """Remove an entry, with all that is in it; raise `OSError` if that cannot be done.

        It may be missing already.
        """
        try:
            if not stat.S_ISDIR(self.status(name).st_mode):
                self.unlink(name)
                return
        except FileNotFoundError:
            return
        waiting = [self._set_aside(self.descriptor, name)]
        tries = 0
        while waiting:
            inner = self._empty(waiting[-1])
            if inner:
                waiting += inner
                continue
            try:
                os.rmdir(waiting[-1], dir_fd=self.descriptor)
                waiting.pop()
            except OSError as error:
                # A process that was left may have written there meanwhile.
                tries += 1
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or tries > _TRIES:
                    raise

    def _empty(self, name: str) -> list[str]:
        """Delete the files of a directory in this one; return its directories, moved up to here."""
        with self.unlock(name) as directory:
            with os.scandir(directory.descriptor) as found:
                entries = list(found)
            inner = []
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(self._set_aside(directory.descriptor, entry.name))
                    else:
                        directory.unlink(entry.name)
            return inner

    def _set_aside(self, directory: int, name: str) -> str:
        """Move a directory up into this one, under a new name; raise `OSError` for a mount."""
        while self.exists(new := f"{REMOVED}{next(_NUMBERS)}"):
            pass
        try:
            os.rename(name, new, src_dir_fd=directory, dst_dir_fd=self.descriptor)
        except PermissionError:  # a directory without rights cannot be moved elsewhere
            _chmod(directory, name, stat.S_IRWXU)
            os.rename(name, new, src_dir_fd=directory, dst_dir_fd=self.descriptor)
        return new

    def clear(self, *, last: str = "") -> None:
        """Remove all entries, the one called `last` after all others; raise `OSError`."""
        for name in self.names():
            if name != last:
                self.remove(name)
        if last:
            self.remove(last)


def remove_directory(
    path: str | Path, *, last: str = "", opened: OpenDirectory | None = None
) -> bool:
    """Remove a directory that marrow made, or a link of its name; return whether that worked.

    It never raises. Pass the directory as it was `opened` when it was made, if it still is: then
    whatever has its path by now stays if it is another one. The entry `last` is removed after all
    others, so that a removal that was interrupted can be recognised.
    """
    try:
        parent, name = os.path.split(os.path.abspath(path))
        with OpenDirectory.at(os.path.realpath(parent)) as above, contextlib.ExitStack() as own:
            if opened is None:
                if not stat.S_ISDIR(above.status(name).st_mode):
                    above.unlink(name)
                    return True
                opened = own.enter_context(above.unlock(name))
            opened.clear(last=last)
            found = above.status(name)
            if (found.st_dev, found.st_ino) == opened.identity:
                os.rmdir(name, dir_fd=above.descriptor)
    except OSError:
        return not os.path.lexists(path)
    return True


def current_path(opened: OpenDirectory) -> str | None:
    """Return where an open directory is now; None where /proc does not say."""
    with contextlib.suppress(OSError):
        path = os.readlink(f"/proc/self/fd/{opened.descriptor}")
        status = os.lstat(path)
        if (status.st_dev, status.st_ino) == opened.identity:
            return path
    return None


def mounts_below(path: str | Path) -> list[str]:
    """Return what is mounted below a directory, the outermost first; nothing without /proc."""
    above = os.fsencode(os.path.realpath(path)).rstrip(b"/") + b"/"
    found = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_bytes().splitlines():
            place = line.split()[4]
            for sign in (b" ", b"\t", b"\n", b"\\"):  # blanks are octal numbers there
                place = place.replace(b"\\%03o" % sign[0], sign)
            if place.startswith(above):
                found.append(os.fsdecode(place))
    return sorted(found, key=len)


def _chmod(directory: int, name: str, mode: int) -> None:
    try:
        os.chmod(name, mode, dir_fd=directory, follow_symlinks=False)
    except (ValueError, NotImplementedError) as error:  # so Python says that it is a link
        raise OSError(errno.ELOOP, "it is a symbolic link", name) from error
