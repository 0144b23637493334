"""Joins the parts of the runner into one file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from bench.pack.runner import PARTS

RUNNER = Path(__file__).parent / "runner"


def _is_ours(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bench.pack.runner")


def _names(tree: ast.Module) -> Iterator[str]:
    """What a module defines at its top."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case _:
                pass


def runner_text() -> str:
    """`run_pack.py`: the parts of the runner one after the other, without imports of each other.

    Raises ValueError for a name that two parts define.
    """
    modules: set[str] = set()
    imported: dict[str, set[str]] = {}
    bodies: list[str] = []
    owners: dict[str, str] = {}
    for part in PARTS:
        text = (RUNNER / f"{part}.py").read_text("utf-8")
        tree, lines = ast.parse(text), text.splitlines()
        for name in _names(tree):
            if owners.setdefault(name, part) != part:
                raise ValueError(f"'{name}' is defined in {owners[name]} and in {part}")
        head = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
        for node in head:
            if isinstance(node, ast.Import):
                modules.add(ast.unparse(node))
            elif not _is_ours(node):
                imported.setdefault(node.module or "", set()).update(a.name for a in node.names)
        last = max(node.end_lineno or 0 for node in head)
        title = ast.get_docstring(tree) or ""
        comment = "\n".join(f"# {line}".rstrip() for line in title.splitlines())
        bodies.append("\n".join([comment, *lines[last:]]).rstrip())
    future = f"from __future__ import {imported.pop('__future__').pop()}"
    imports = [f"from {name} import {', '.join(sorted(imported[name]))}" for name in imported]
    top = (
        '"""Runs a pack: see --help. Made by `python -m bench.pack build` from the parts of it."""'
    )
    return "\n\n".join([top, future, "\n".join(sorted([*modules, *imports])), *bodies]) + "\n"
