"""What Python files import, from their text."""

import ast
import importlib.util
from collections.abc import Iterator, Mapping


def imported_modules(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """The absolute names of all modules that a module imports, at any depth of its code.

    What stands after `from module import` is taken for a module, too.
    """
    package = module if is_package else module.rpartition(".")[0]
    for node in _statements(ast.parse(source)):
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


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements of a module. Expressions, of which there are many more, have none inside."""
    pending: list[ast.AST] = [tree]
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
                yield node
                pending.append(node)


def named_modules(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """The modules that a module may import by name: `import_module("a.b")`, and names in tables.

    Only where one of `IMPORTERS` occurs. Then each of its string constants counts that is a dotted
    name or a place, such as `a.b:NAME`, and each word after the start of each name that is put
    together, as in `import_module(f"{__name__}.{table}")`. So some are names of no module.
    """
    # Few files have one even in a comment: the others need not be parsed.
    if not any(name in source for name in IMPORTERS):
        return
    package = module if is_package else module.rpartition(".")[0]
    nodes = list(ast.walk(ast.parse(source)))
    if not any(map(_names_importer, nodes)):
        return
    values = {"__name__": module, "__package__": package}
    composed = [_known_start(node, values) for node in nodes if isinstance(node, ast.JoinedStr)]
    starts = [text for text in composed if text.endswith(".") and _is_dotted(text[:-1])]
    if any(isinstance(node, ast.alias) and node.name == "names_of" for node in nodes):
        starts.append(f"{module}.")
    yield from (text for text in composed if _is_dotted(text))
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.partition(":")[0]
            if text.startswith(".") and _is_dotted(text[1:]):
                yield package + text
            elif _is_dotted(text):
                yield from (start + text for start in starts)
                # A word alone is any word.
                if "." in text:
                    yield text


IMPORTERS = ("import_module", "__import__", "value_at", "names_of")
"""The functions that import what a string names."""


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _names_importer(node: ast.AST) -> bool:
    """Whether a node is a name of one of `IMPORTERS`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name in IMPORTERS
        case _:
            return False


def _known_start(text: ast.JoinedStr, values: Mapping[str, str]) -> str:
    """What a text begins with, up to the first part that is not known."""
    start = ""
    for part in text.values:
        match part:
            case ast.Constant(value=str(known)):
                start += known
            case ast.FormattedValue(value=ast.Name(id=name)) if name in values:
                start += values[name]
            case _:
                break
    return start
