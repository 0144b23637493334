"""Docstrings as Markdown: those of classes and modules, and the strings below fields."""

import ast
import inspect
import textwrap
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any


def doc_of(value: Any) -> str:
    """The docstring of a class or module, without its indentation."""
    return inspect.cleandoc(value.__doc__ or "")


def first_sentence(text: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(text.split("\n\n", 1)[0].split())


@cache
def _module_tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def field_docs(cls: type) -> dict[str, str]:
    """The strings that stand below the fields of a class and of those it inherits from."""
    docs: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        module = inspect.getmodule(one)
        if module is None or not module.__name__.startswith("tileir_xdsl"):
            continue
        for node in ast.walk(_module_tree(module)):
            if isinstance(node, ast.ClassDef) and node.name == one.__name__:
                docs |= _docs_below(node.body)
    return docs


def constant_docs(module: ModuleType) -> dict[str, str]:
    """The strings that stand below the constants of a module."""
    return _docs_below(_module_tree(module).body)


def _docs_below(body: Sequence[ast.stmt]) -> dict[str, str]:
    docs: dict[str, str] = {}
    for statement, following in pairwise(body):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str() as text)),
            ):
                docs[name] = " ".join(text.split())
            case _:
                pass
    return docs


def cell(text: str) -> str:
    """A text as a cell of a table."""
    return " ".join(textwrap.dedent(text).split()).replace("|", "\\|")
