"""The names that others build on are those of a stored list, and examples use no others.

`python -m tests.unit.repository.test_public_names` writes the list anew.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from pathlib import Path

import pytest
from xdsl.ir import Attribute, Operation

from tests.unit.tools import REPOSITORY
from tileir_xdsl import templates
from tileir_xdsl.options import Options
from tileir_xdsl.report import schema
from tileir_xdsl.universe import DIALECTS

LIST = Path(__file__).with_name("public_names.txt")
PAGE = REPOSITORY / "docs" / "stability.md"
EXAMPLES = REPOSITORY / "docs" / "examples"

PACKAGES = ("tileir_xdsl", "tileir_xdsl.extensions", "tileir_xdsl.testing")
"""The packages whose `__all__` is public."""

DIALECTS_OF = "tileir_xdsl.dialects"

LEVELS = ("cuda_tile", "nv_tileaa", "nv_tileas")
"""The dialects whose text is public."""

ADVICE = """\
The public names are not those of {file}. Others build on them: where the change is meant, write the
list anew by `python -m tests.unit.repository.test_public_names`, and add a line to CHANGELOG.md in the
same commit.
"""


def listed_on_page() -> list[str]:
    """The interfaces and analyses of the page."""
    rows = PAGE.read_text("utf-8").partition("## Interfaces and analyses")[2]
    return re.findall(r"^\| `(tileir_xdsl\.[\w.]+)` \|", rows, re.MULTILINE)


def described(value: object) -> str:
    """The parameters of a function, the public names of a class; empty for other values."""
    if isinstance(value, type):
        names = [name for name in _names_in(value) if not name.startswith("_")]
        return f": {', '.join(sorted(names))}" if names else ""
    if not inspect.isfunction(value):
        return ""
    shown = [
        parameter.replace(annotation=parameter.empty, default=parameter.empty)
        for parameter in inspect.signature(value).parameters.values()
    ]
    return str(inspect.Signature(shown))


def _names_in(kind: type) -> set[str]:
    """The names that a class has from classes of ours, fields and members of an enumeration too."""
    ours = [each for each in kind.__mro__ if each.__module__.startswith("tileir_xdsl")]
    return {name for each in ours for name in (*vars(each), *getattr(each, "__annotations__", {}))}


def public_names() -> Iterator[str]:
    """All that is promised, a line each."""
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in sorted(module.__all__):
            yield f"{package}.{name}{described(getattr(module, name))}"
    for name in listed_on_page():
        module, _, last = name.rpartition(".")
        yield f"{name}{described(getattr(importlib.import_module(module), last))}"
    for field in fields(Options):
        yield f"option {field.name}"
    yield f"report {schema.SCHEMA} version {schema.SCHEMA_VERSION}"
    for name, part in sorted(vars(schema).items()):
        if (
            inspect.isclass(part)
            and part.__module__ == schema.__name__
            and hasattr(part, "__dataclass_fields__")
        ):
            yield f"report {name}: {', '.join(schema.fields_in_json(part))}"
    for level in LEVELS:
        yield from sorted(f"op {op.name}" for op in DIALECTS[level]().operations)


def test_the_public_names_are_those_of_the_list():
    stored = LIST.read_text("utf-8").splitlines()
    now = list(public_names())
    changes = [f"- {name}" for name in stored if name not in now]
    changes += [f"+ {name}" for name in now if name not in stored]
    assert not changes, "\n".join([ADVICE.format(file=LIST.name), *changes])


def test_the_page_lists_names_in_order():
    names = listed_on_page()
    assert len(names) > 5 and len(set(names)) == len(names)


def sources() -> dict[str, str]:
    """The Python of examples and templates, by a name to show."""
    found = {
        str(file.relative_to(EXAMPLES)): file.read_text("utf-8")
        for file in sorted(EXAMPLES.rglob("*.py"))
    }
    for kind in templates.KINDS:
        files = templates.files_of(kind, "my_name")
        found |= {f"{kind}/{name}": text for name, text in files.items() if name.endswith(".py")}
    return found


def is_public(module: str, name: str) -> bool:
    """Whether examples may import a name."""
    if module in PACKAGES:
        return name in importlib.import_module(module).__all__ or f"{module}.{name}" in PACKAGES
    if f"{module}.{name}" in listed_on_page():
        return True
    package, _, dialect = module.rpartition(".")
    if module == DIALECTS_OF:
        return name in DIALECTS
    if package != DIALECTS_OF or dialect not in DIALECTS:
        return False
    value = getattr(importlib.import_module(module), name)
    return inspect.isclass(value) and issubclass(value, Operation | Attribute | Enum)


@pytest.mark.parametrize("file", sorted(sources()))
def test_examples_use_public_names(file: str):
    used = [
        (node.module or "", alias.name)
        for node in ast.walk(ast.parse(sources()[file]))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module or "").partition(".")[0] == "tileir_xdsl"
    ]
    assert [f"{module}.{name}" for module, name in used if not is_public(module, name)] == []


def main() -> None:
    LIST.write_text("".join(f"{name}\n" for name in public_names()), "utf-8")


if __name__ == "__main__":
    main()
