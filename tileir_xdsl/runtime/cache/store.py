"""A store of bytes by key, in a folder of limited size that many processes may share.

An entry is a file that is created atomically, by renaming. The first digit of an entry's key
selects one of 16 folders. Each folder has its own limit, so that a new entry requires a scan of
only one folder. The least recently used entries are removed first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDERS = "0123456789abcdef"
"""The names of the folders: the first digits of keys, which are hexadecimal."""

_MAGIC = b"tileir-cache-1\n"
_DIGEST_BYTES = hashlib.sha256().digest_size
_HEAD_BYTES = len(_MAGIC) + _DIGEST_BYTES

_HITS, _MISSES = "hits", "misses"

_UNFINISHED = ".unfinished-"
_ABANDONED_SECONDS = 3600.0
"""The age after which an unfinished file is assumed to be left by a killed process."""

_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Prevents waiting if a file is replaced by a pipe; Windows has no such flag."""

_KEPT_OF_FULL = 0.9
"""The fraction of its limit to which a full folder is reduced, to leave room for new entries."""


class Entry(NamedTuple):
    """A file of the store."""

    path: Path
    size: int
    used: float
    """The time of its last read or write, in seconds since the epoch."""


class Counts(NamedTuple):
    """The numbers of hits and misses of all processes since the store was cleared."""

    hits: int
    misses: int


class Store(NamedTuple):
    """A folder, which need not exist yet, of entries with at most `limit` bytes."""

    folder: Path
    limit: int

    def get(self, key: str, *, counts_misses: bool = True) -> bytes | None:
        """The bytes under the key; None if there are none, or if they are damaged."""
        path = self._path(key)
        contents = _read(path)
        data = None if contents is None else _unpacked(contents)
        with contextlib.suppress(OSError):
            if data is not None:
                os.utime(path)
            elif contents is not None:
                path.unlink()
        if data is not None or counts_misses:
            self._count(_MISSES if data is None else _HITS)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Stores data under a key, if the folder is private to this user and the data fit."""
        contents = _MAGIC + hashlib.sha256(data).digest() + data
        path = self._path(key)
        room = self.limit // len(FOLDERS)
        if len(contents) > room:
            return
        unfinished = path.parent / f"{_UNFINISHED}{os.urandom(8).hex()}"
        try:
            if not self.prepare():
                return
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with open(
                os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as file:
                file.write(contents)
            os.replace(unfinished, path)
        except OSError:
            with contextlib.suppress(OSError):
                unfinished.unlink()
            return
        _make_room(path.parent, room)

    def prepare(self) -> bool:
        """Creates the folder; returns whether this user owns it and no other user may write it."""
        try:
            self._make_folder()
            return _is_private(os.stat(self.folder))
        except OSError:
            return False

    def peek(self, entry: Entry) -> bytes | None:
        """The bytes of an entry, not marked as used; None if it was removed or is damaged."""
        contents = _read(entry.path)
        return None if contents is None else _unpacked(contents)

    def counts(self) -> Counts:
        """The numbers of hits and misses of `get`."""
        hits, misses = (_size(self.folder / name) for name in (_HITS, _MISSES))
        return Counts(hits, misses)

    def _count(self, name: str) -> None:
        # A byte for each: what processes append at once is not lost, and needs no lock.
        with contextlib.suppress(OSError):
            self._make_folder()
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _WITHOUT_WAITING
            handle = os.open(self.folder / name, flags, 0o600)
            try:
                os.write(handle, b".")
            finally:
                os.close(handle)

    def entries(self) -> list[Entry]:
        """All entries."""
        return [entry for name in FOLDERS for entry in _files(self.folder / name, unfinished=False)]

    def clear(self) -> int:
        """Removes all entries and unfinished files; returns the number of removed entries.

        Raises OSError for a file that cannot be removed.
        """
        count = len(self.entries())
        for name in FOLDERS:
            for entry in _files(self.folder / name, unfinished=True):
                entry.path.unlink(missing_ok=True)
        for name in (_HITS, _MISSES):
            # Where there is no folder, there is nothing to count either.
            with contextlib.suppress(NotADirectoryError):
                (self.folder / name).unlink(missing_ok=True)
        return count

    def _make_folder(self) -> None:
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        # `parents` would give the mode to the last folder only.
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / key[0] / key[1:]


def _read(path: Path) -> bytes | None:
    """The contents of a file that this user owns; None if there is none."""
    try:
        with open(os.open(path, os.O_RDONLY | _WITHOUT_WAITING), "rb") as file:
            status = os.fstat(file.fileno())
            is_ours = stat.S_ISREG(status.st_mode) and _is_private(status)
            return file.read() if is_ours else None
    except OSError:
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_private(status: os.stat_result) -> bool:
    """Whether this user owns a file or folder, and no other user may write it.

    False on a system that does not report owners.
    """
    user = os.getuid() if hasattr(os, "getuid") else None
    return status.st_uid == user and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _unpacked(contents: bytes) -> bytes | None:
    data = contents[_HEAD_BYTES:]
    if contents[:_HEAD_BYTES] != _MAGIC + hashlib.sha256(data).digest():
        return None
    return data


def _files(folder: Path, *, unfinished: bool) -> Iterator[Entry]:
    try:
        listed = list(os.scandir(folder))
    except OSError:
        return
    for file in listed:
        # Another process may have removed it.
        with contextlib.suppress(OSError):
            status = file.stat(follow_symlinks=False)
            if unfinished or not file.name.startswith(_UNFINISHED):
                yield Entry(Path(file.path), status.st_size, status.st_mtime)


def _make_room(folder: Path, room: int) -> None:
    """Removes the least recently used entries of a folder until `room` bytes suffice."""
    found = sorted(_files(folder, unfinished=True), key=lambda entry: entry.used)
    size = sum(entry.size for entry in found)
    least = size if size <= room else int(room * _KEPT_OF_FULL)
    now = time.time()
    for entry in found:
        is_unfinished = entry.path.name.startswith(_UNFINISHED)
        abandoned = is_unfinished and now - entry.used > _ABANDONED_SECONDS
        # A file in writing by another process already has its full size, and stays.
        if abandoned or (size > least and not is_unfinished):
            with contextlib.suppress(OSError):
                entry.path.unlink()
            size -= entry.size
