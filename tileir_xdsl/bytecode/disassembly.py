"""Bytecode as text, the same as NVIDIA's disassembler prints.

With debug information every operation ends in its location, an alias. The aliases follow the
operations: those without others inside first, then by the depth of what is inside, then by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from io import StringIO

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
    scoped_location,
)
from tileir_xdsl.dialects.cuda_tile.printing import ShortPrinter, print_items

_ALIAS_NAMES: dict[type[Attribute], str] = {
    DIFileAttr: "di_file",
    DICompileUnitAttr: "di_compile_unit",
    DISubprogramAttr: "di_subprogram",
    DILexicalBlockAttr: "di_lexical_block",
    UnknownLoc: "loc",
    FileLineColLoc: "loc",
    FusedLoc: "loc",
    CallSiteLoc: "loc",
}
"""Names of the aliases of scopes and locations; all but the first one have a number, too."""


def disassemble(module: ModuleOp, *, debug_info: bool = False) -> str:
    """The items of the one `cuda_tile.module` in `module`, with locations if `debug_info`."""
    (tile_module,) = module.body.ops
    assert isinstance(tile_module, cuda_tile.ModuleOp)
    if not debug_info:
        return print_items(tile_module)
    stream = StringIO()
    printer = _LocationPrinter(tile_module, stream)
    producer = tile_module.attributes.get("producer")
    if isinstance(producer, StringAttr):
        stream.write(f"// Producer: {producer.data}\n")
    for operation in tile_module.body.block.ops:
        printer.print_op(operation)
        stream.write("\n")
    aliases = _Aliases(printer.locations)
    names = [aliases.names[location] for location in printer.locations]
    marked = stream.getvalue()
    text = re.sub("\0([0-9]+)\0", lambda mark: names[int(mark[1])], marked)
    return text + aliases.definitions()


class _LocationPrinter(ShortPrinter):
    """Prints a mark after every operation, for the alias of its location.

    `locations` are those of the operations in the order in which they start; the mark of one is its
    index between NUL characters, which stand nowhere else in the text.
    """

    def __init__(self, operation: Operation, stream: StringIO):
        super().__init__(operation, stream)
        self.locations: dict[Attribute, int] = {}

    def print_op(self, op: Operation) -> None:
        index = self.locations.setdefault(op.location, len(self.locations))
        super().print_op(op)
        self.print_string(f" loc(\0{index}\0)")


class _Aliases:
    """Aliases of locations and of everything inside of them."""

    def __init__(self, locations: Iterable[Attribute]):
        self._depths: dict[Attribute, int] = {}
        for location in locations:
            self._visit(location)
        ordered = sorted(
            self._depths, key=lambda value: (self._depths[value], _ALIAS_NAMES[type(value)])
        )
        self.names: dict[Attribute, str] = {}
        counts = Counter[str]()
        for value in ordered:
            name = _ALIAS_NAMES[type(value)]
            self.names[value] = f"#{name}{counts[name] or ''}"
            counts[name] += 1

    def _visit(self, value: Attribute) -> int:
        """Notes a value, before those inside of it, and returns how deep these are."""
        if value not in self._depths:
            self._depths[value] = 0
            parts = [self._visit(part) for part in _parts(value)]
            self._depths[value] = 1 + max(parts, default=-1)
        return self._depths[value]

    def definitions(self) -> str:
        """The lines that define all aliases."""
        return "".join(
            f"{name} = {self._definition(value)}\n" for value, name in self.names.items()
        )

    def _definition(self, value: Attribute) -> str:
        names = [self.names[part] for part in _parts(value)]
        match value:
            case CallSiteLoc():
                return f"loc(callsite({names[0]} at {names[1]}))"
            case FusedLoc():
                return f"#cuda_tile.di_loc<{names[0]} in {names[1]}>"
            case DICompileUnitAttr():
                return f"#cuda_tile.di_compile_unit<file = {names[0]}>"
            case DISubprogramAttr():
                scope_line = value.scope_line.data
                return (
                    f"#cuda_tile.di_subprogram<file = {names[0]}, line = {value.line.data}, "
                    f"name = {value.source_name}, linkageName = {value.linkage_name}, "
                    f"compileUnit = {names[1]}"
                    f"{f', scopeLine = {scope_line}' if scope_line else ''}>"
                )
            case DILexicalBlockAttr():
                column = value.column.data
                return (
                    f"#cuda_tile.di_lexical_block<scope = {names[0]}, file = {names[1]}, "
                    f"line = {value.line.data}{f', column = {column}' if column else ''}>"
                )
            case _:
                return str(value)


def _parts(value: Attribute) -> Sequence[Attribute]:
    """What `value` refers to by alias, in the order in which it is written."""
    match value:
        case CallSiteLoc():
            return value.callee, value.caller
        case FusedLoc():
            scoped = scoped_location(value)
            assert scoped is not None
            return scoped
        case DICompileUnitAttr():
            return (value.file,)
        case DISubprogramAttr():
            return value.file, value.compile_unit
        case DILexicalBlockAttr():
            return value.scope, value.file
        case _:
            return ()
