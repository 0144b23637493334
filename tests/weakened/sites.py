"""The places of the compiler that emit what orders memory, found in its sources."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.weakened.forms import CLASSES
from tileir_xdsl.passes import PASSES
from tileir_xdsl.targets import DEFAULT_TARGET
from tileir_xdsl.targets.cpu import HOST_CPU
from tileir_xdsl.transforms.pipeline_road import steps

ROOT = Path(__file__).parents[2]
EMITTERS = ("tileir_xdsl/transforms", "tileir_xdsl/builders", "tileir_xdsl/backend")

ACCESSES = ("LoadOp", "StoreOp")
"""Ops that may have an ordering."""

WRAPPERS = ("barrier", "cluster_barrier")
"""Functions that only emit a barrier: what calls them is the place."""


@dataclass(frozen=True)
class Site:
    """One call in a source: `file` from the emitters on, the function around it, and what it calls.

    Of several such calls in a function `number` counts from 0.
    """

    file: str
    function: str
    callee: str
    number: int

    def __str__(self) -> str:
        number = f" {self.number}" if self.number else ""
        return f"{self.file}: {self.function}: {self.callee}{number}"


@dataclass(frozen=True)
class _Call:
    first: int
    last: int
    site: Site


def sites() -> tuple[Site, ...]:
    """All places, by file and line."""
    return tuple(call.site for calls in _calls().values() for call in calls)


@cache
def _calls() -> Mapping[str, tuple[_Call, ...]]:
    """The calls of each source, by its absolute path."""
    found: dict[str, tuple[_Call, ...]] = {}
    for folder in EMITTERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if _of_processors() & {path.with_suffix(""), *path.parents}:
                continue
            calls = tuple(_calls_in(path))
            if calls:
                found[str(path)] = calls
    return found


@cache
def _of_processors() -> frozenset[Path]:
    """The sources of the passes that only the road of processors has.

    Processors order more than weaker forms ask for, so no launch there would tell.
    """
    ours, others = ({step.name for step in steps(gpu)} for gpu in (HOST_CPU, DEFAULT_TARGET))
    return frozenset(ROOT / PASSES[name].module.replace(".", "/") for name in ours - others)


def _calls_in(path: Path) -> Iterator[_Call]:
    name = str(path.relative_to(ROOT / "tileir_xdsl"))
    names = {kind.__name__ for kind in CLASSES} | set(WRAPPERS)
    numbers = Counter[tuple[str, str]]()
    for function, call in _walk(ast.parse(path.read_text("utf-8")), ""):
        callee = _callee(call)
        if callee not in names or function.split(".")[-1] in WRAPPERS:
            continue
        if callee in ACCESSES and "ordering" not in ast.unparse(call).lower():
            continue
        number = numbers[function, callee]
        numbers[function, callee] += 1
        site = Site(name, function, callee, number)
        yield _Call(call.lineno, call.end_lineno or call.lineno, site)


def _walk(node: ast.AST, function: str) -> Iterator[tuple[str, ast.Call]]:
    """The calls below a node, each with the function that is around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield function, child
        is_function = isinstance(child, ast.FunctionDef | ast.ClassDef)
        inner = f"{function}.{child.name}".lstrip(".") if is_function else function
        yield from _walk(child, inner)


def _callee(call: ast.Call) -> str:
    """The name of a class or a function; ops of other dialects have theirs in front."""
    match call.func:
        case ast.Name(name):
            return name
        case ast.Attribute(ast.Name(base), name) if not base.startswith(("nv_tile", "cuda_tile")):
            return name
        case _:
            return ""


def site_at(file: str, line: int, callee: str) -> Site | None:
    """The place of a call that runs at a line of a source."""
    for call in _calls().get(file, ()):
        if call.first <= line <= call.last and call.site.callee == callee:
            return call.site
    return None
