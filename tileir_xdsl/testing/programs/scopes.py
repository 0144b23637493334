"""Debug information of random programs: locations in nested lexical blocks and calls."""

from __future__ import annotations

import random

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
)

from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
    EntryOp,
)
from tileir_xdsl.dialects.cuda_tile.debug_info import scope_of

DEPTHS = (1, 2, 5, 70, 150)
"""The numbers of nested lexical blocks and nested calls."""

_DIRECTORY, _FILE = "/src", "k.py"


def _place(line: int, column: int) -> FileLineColLoc:
    path = StringAttr(f"{_DIRECTORY}/{_FILE}")
    return FileLineColLoc(path, IntAttr(line), IntAttr(column))


def add_scopes(module: ModuleOp, source: random.Random) -> None:
    """Gives every kernel a subprogram, and its operations locations in scopes of random depth."""
    file = DIFileAttr(_FILE, _DIRECTORY)
    unit = DICompileUnitAttr(file)
    for entry in [op for op in module.walk() if isinstance(op, EntryOp)]:
        name = entry.sym_name.data
        function = DISubprogramAttr(file, 1, name, name, unit, scope_line=1)
        blocks = [function, *_nested(function, file, source.choice(DEPTHS))]
        callee = DISubprogramAttr(file, 500, "callee", "callee", unit, scope_line=500)
        calls = source.choice(DEPTHS)
        for number, op in enumerate(entry.walk(), 2):
            scope = function if op is entry else source.choice(blocks)
            location = _in_scope(_place(number, source.randint(1, 90)), scope)
            if op is not entry and source.random() < 0.1:
                for depth in range(source.randint(1, calls)):
                    location = CallSiteLoc(_in_scope(_place(500 + depth, 1), callee), location)
            op.location = location


def _nested(
    function: DISubprogramAttr, file: DIFileAttr, depth: int
) -> list[DISubprogramAttr | DILexicalBlockAttr]:
    blocks: list[DISubprogramAttr | DILexicalBlockAttr] = [function]
    for line in range(2, 2 + depth):
        blocks.append(DILexicalBlockAttr(blocks[-1], file, line, 1))
    return blocks[1:]


def _in_scope(place: LocationAttr, scope: DISubprogramAttr | DILexicalBlockAttr) -> LocationAttr:
    return FusedLoc(ArrayAttr([place]), scope)


def has_scopes(module: ModuleOp) -> bool:
    """Whether the kernels of a module have debug information."""
    return any(isinstance(op, EntryOp) and scope_of(op.location) for op in module.walk())
