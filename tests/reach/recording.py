"""Which files of a package run: their functions are made to say so while they are imported."""

from __future__ import annotations

import ast
import importlib.machinery
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

MARK = "__reached__"
"""What every function calls first; a global of its module."""


class _Marking(ast.NodeTransformer):
    """Puts a call of `MARK` at the start of every function and lambda, after the docstring."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._mark(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._mark(node)

    def _mark(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        first = int(ast.get_docstring(node, clean=False) is not None)
        node.body.insert(first, ast.Expr(_call()))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        node.body = ast.BoolOp(ast.Or(), [_call(), node.body])
        return node


def _call() -> ast.Call:
    return ast.Call(ast.Name(MARK, ast.Load()), [], [])


def marked(source: str | bytes, path: str) -> CodeType:
    """The code of a module, all functions of which call `MARK`; lines stay what they are."""
    tree = _Marking().visit(ast.parse(source, path))
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class _Loader(SourceFileLoader):
    """Loads a marked module from its source, past all byte code that is stored."""

    def __init__(self, fullname: str, path: str, reached: set[str], name: str):
        super().__init__(fullname, path)
        self._reached, self._name = reached, name

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return marked(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        reached, name = self._reached, self._name
        setattr(module, MARK, lambda: reached.add(name))
        super().exec_module(module)


class Recorder(MetaPathFinder):
    """Finds the modules of some packages and marks them; `reached` is what has run since."""

    def __init__(self, root: Path, packages: Sequence[str]):
        self.reached: set[str] = set()
        self._root, self._packages = root, tuple(packages)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not any(f"{fullname}.".startswith(f"{package}.") for package in self._packages):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            file = Path(spec.loader.path).resolve()
            name = file.relative_to(self._root).as_posix()
            spec.loader = _Loader(fullname, str(file), self.reached, name)
        return spec

    def install(self) -> None:
        """Records what is imported from now on.

        Raises:
            RuntimeError: a module of the packages is imported already.
        """
        for package in self._packages:
            if package in sys.modules:
                raise RuntimeError(f"{package} is imported already")
        sys.meta_path.insert(0, self)
