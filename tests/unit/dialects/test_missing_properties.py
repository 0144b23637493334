"""Ops verify what is around them, which may lack a property that it needs: it is verified later."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError, VerifyException

from tileir_xdsl.testing.tools import parse

DIALECTS = Path("tests/filecheck/dialects")
FILES = [path for path in sorted(DIALECTS.rglob("*.mlir")) if "invalid" not in path.name]


def modules_of(path: Path) -> Iterator[ModuleOp]:
    """The sound modules of a test for lit."""
    for part in path.read_text(encoding="utf-8").split("// -----"):
        try:
            module = parse(part)
            module.verify()
        except (ParseError, VerifyException):
            continue
        yield module


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: str(path.relative_to(DIALECTS).with_suffix(""))
)
def test_only_verifiers_complain(path: Path):
    """Each property of each op is left out, and is of another kind, once in a file."""
    tried = set[tuple[str, str]]()
    for module in modules_of(path):
        for op in module.walk():
            for name, value in list(op.properties.items()):
                if (op.name, name) in tried:
                    continue
                tried.add((op.name, name))
                for other in (None, StringAttr("other")):
                    replace(op.properties, name, other)
                    with suppress(VerifyException):
                        module.verify()
                    replace(op.properties, name, value)


def replace(properties: dict[str, Attribute], name: str, value: Attribute | None) -> None:
    if value is None:
        del properties[name]
    else:
        properties[name] = value
