"""Which tests execute what faults change, from one run of `make test` with marks in the sources.

A mark stands before each statement that a fault changes. What is in no function has none: it runs
while its module is imported.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from . import marking
from .fault import Fault

FIRST = 15.0
"""Seconds of the tests that are run first."""

Marks = Mapping[str, Mapping[str, float]]
"""For each fault, by digest, the seconds of each test that executes what it changes."""


def record(faults: Sequence[Fault], root: Path, file: Path, jobs: int) -> None:
    """Runs the unit tests of `make test` in a copy of the sources, which gets marks for the faults."""
    by_source = defaultdict[str, list[Fault]](list)
    for fault in faults:
        by_source[fault.file].append(fault)
    for source, same in by_source.items():
        path = root / source
        path.write_text(marked(path.read_text("utf-8"), same), "utf-8")
    plugins = ("-p", marking.__name__, "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", f"-n{jobs}", "--dist", "worksteal", *plugins]
    environment = os.environ | {"PYTHONPATH": str(root), marking.FILE: str(file.absolute())}
    # Tests that look at the sources fail: they say nothing of faults.
    subprocess.run(command, cwd=root, env=environment, check=False)


def read(file: Path) -> Marks:
    """What `record` has written."""
    marks = defaultdict[str, dict[str, float]](dict)
    for line in file.read_text("utf-8").splitlines():
        test, seconds, digests = json.loads(line)
        for digest in digests:
            marks[digest][test] = seconds
    return marks


def marked(text: str, faults: Iterable[Fault]) -> str:
    """A source with a mark before each statement in a function that one of the faults changes."""
    found = list(_statements(ast.parse(text), text.splitlines(), inside=False))
    before = defaultdict[int, list[str]](list)
    for fault in faults:
        line = text.count("\n", 0, text.index(fault.old) + _first_difference(fault)) + 1
        around = [op for op in found if op.lineno <= line <= (op.end_lineno or op.lineno)]
        if around:
            innermost = max(around, key=lambda op: op.lineno)
            indentation = " " * innermost.col_offset
            before[innermost.lineno].append(f"{indentation}{marking.call(fault.digest)}\n")
    lines = enumerate(text.splitlines(keepends=True), 1)
    return "".join("".join((*before[number], line)) for number, line in lines)


def _first_difference(fault: Fault) -> int:
    """Where, in the old text, the first character that is no blank differs from the new text."""
    pairs = enumerate(zip_longest(fault.old, fault.new))
    first = next(number for number, (old, new) in pairs if old != new)
    blanks = len(fault.old[first:]) - len(fault.old[first:].lstrip())
    return min(first + blanks, len(fault.old) - 1)


def _statements(node: ast.AST, lines: Sequence[str], *, inside: bool) -> Iterator[ast.stmt]:
    """The statements in functions that a line may stand before, without definitions."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                is_inside = True
            case ast.ClassDef():
                is_inside = False
            case _:
                is_inside = inside
                if inside and isinstance(child, ast.stmt) and not _is_elif(child, lines):
                    yield child
        yield from _statements(child, lines, inside=is_inside)


def _is_elif(statement: ast.stmt, lines: Sequence[str]) -> bool:
    return lines[statement.lineno - 1].lstrip().startswith("elif")


def round_robin(seconds: Mapping[str, float]) -> Sequence[str]:
    """The cheapest test of each file, then the next one of each."""
    by_file = defaultdict[str, list[str]](list)
    for test in sorted(seconds, key=lambda name: (seconds[name], name)):
        by_file[test.partition("::")[0]].append(test)
    return [test for turn in zip_longest(*by_file.values()) for test in turn if test is not None]


def batches(
    tests: Sequence[str], seconds: Mapping[str, float], most: float
) -> Iterator[Sequence[str]]:
    """The tests in order, first few and then ever more at a time, as far as they fit into seconds."""
    batch, spent, end = list[str](), 0.0, FIRST
    for test in tests:
        batch.append(test)
        spent += seconds[test]
        if spent >= min(end, most):
            yield batch
            batch, end = [], end * 3
        if spent >= most:
            return
    if batch:
        yield batch
