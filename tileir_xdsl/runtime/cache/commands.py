"""Cached output of earlier commands, by the words of the command line, which are not parsed.

Like in the direct mode of ccache, the same command on the same contents writes its former output
again. A command reads only files that its words name, so the key has the contents of these files. A
command that names a pipe, a folder or the standard input is not cached.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tileir_xdsl.runtime.cache.keys import compiler_facts, ptxas_facts, store
from tileir_xdsl.runtime.whole_files import replace_file

_OUTPUTS = ("-o", "--output", "--output-file")
"""The flags whose values name output files; other spellings only cause more cache misses.
"""

_MARK = (0).to_bytes(8, "little")
"""The first bytes of a command's entry; a compilation's entry begins with a length."""


class Written(NamedTuple):
    """The output of a command."""

    file: str | None
    """The name of a file; None or `-` for the standard output."""
    contents: str | bytes


class Command(NamedTuple):
    """A command and the key of its result; the key is None if the result cannot be cached."""

    program: str
    words: tuple[str, ...]
    key: str | None


def command(program: str, words: Sequence[str]) -> Command:
    """A command with its key, computed before the command runs."""
    return Command(program, tuple(words), None if store() is None else _key(program, words))


def written_again(given: Command) -> bool:
    """Writes the cached output of a command; returns whether it was in the cache.

    Also returns False if a file cannot be written, which the command itself reports.
    """
    found = store()
    if found is None or given.key is None:
        return False
    data = found.get(given.key, counts_misses=False)
    if data is None or not data.startswith(_MARK):
        return False
    ptxas, messages, outputs = marshal.loads(data[len(_MARK) :])
    if ptxas and ptxas != ptxas_facts():
        return False
    try:
        for file, contents in outputs:
            if file is not None:
                _write(file, contents)
    except (OSError, ValueError):
        return False
    # Nothing that is done again after a failure comes before this line.
    if messages:
        sys.stderr.write(messages)
    for file, contents in outputs:
        if file is None and isinstance(contents, str):
            sys.stdout.write(contents)
        elif file is None:
            sys.stdout.buffer.write(contents)
    return True


def keep(
    given: Command, messages: str, outputs: Sequence[Written], *, assembled: bool = False
) -> None:
    """Stores the output of a command; `assembled` says that it depends on `ptxas`."""
    found = store()
    # A file that changed meanwhile may have been read before or after.
    if found is None or given.key is None or given.key != _key(given.program, given.words):
        return
    kept = tuple((None if file == "-" else file, contents) for file, contents in outputs)
    facts = (ptxas_facts() if assembled else "", messages, kept)
    if not assembled or facts[0]:
        found.put(given.key, _MARK + marshal.dumps(facts))


def _write(file: str, contents: str | bytes) -> None:
    data = contents.encode() if isinstance(contents, str) else contents
    replace_file(file, lambda stream: stream.write(data))


def _key(program: str, words: Sequence[str]) -> str | None:
    digest = hashlib.sha256(repr((compiler_facts(), program, tuple(words))).encode())
    try:
        for name in _named(words):
            if os.path.isfile(name):
                with open(name, "rb") as file:
                    contents = file.read()
                digest.update(f"\0{len(contents)}\0".encode() + contents)
            elif name == "-" or os.path.exists(name):
                return None
    except (OSError, ValueError):
        return None
    return digest.hexdigest()


def _named(words: Sequence[str]) -> Iterator[str]:
    """The words that may name a file that a command reads."""
    before = ""
    for word in words:
        flag, _, value = word.partition("=")
        if before not in _OUTPUTS:
            yield word
        if value and flag not in _OUTPUTS:
            yield value
        before = word
