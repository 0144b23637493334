"""What Python files import, from their text."""

import ast
import importlib.util
from collections.abc import Iterator


def imported_modules(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """The absolute names of all modules that a module imports, at any depth of its code.

    What stands after `from module import` is taken for a module, too.
    """
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                target = importlib.util.resolve_name(
                    "." * node.level + (node.module or ""), package
                )
                yield from (f"{target}.{alias.name}" for alias in node.names)
            case _:
                pass
