"""Bytecode as text, identical to the output of NVIDIA's disassembler.

With debug information every operation ends with an alias of its location. The aliases follow the
operations: first those without nested locations, then by depth of nesting, then by name.
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
from tileir_xdsl.nesting import levels_in, room_for

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
"""Names of the aliases of scopes and locations; all but the first alias have a number, too."""


def disassemble(module: ModuleOp, *, debug_info: bool = False) -> str:
    """The items of the one `cuda_tile.module` in `module`, with locations if `debug_info`."""
    (tile_module,) = module.body.ops
    assert isinstance(tile_module, cuda_tile.ModuleOp)
    with room_for(levels_in(module)):
        return _with_locations(tile_module) if debug_info else print_items(tile_module)


def _with_locations(tile_module: cuda_tile.ModuleOp) -> str:
    stream = StringIO()
    printer = _LocationPrinter(tile_module, stream)
    producer = tile_module.attributes.get("producer")
    if isinstance(producer, StringAttr):
        stream.write(f"// Producer: {producer.data}\n")
    for operation in tile_module.body.block.ops:
        printer.print_op(operation)
        stream.write("\n")
    aliases = _Aliases(printer.locations)
    names = [aliases.name(location) for location in printer.locations]
    marked = stream.getvalue()
    text = re.sub("\0([0-9]+)\0", lambda mark: names[int(mark[1])], marked)
    return text + aliases.definitions()


class _LocationPrinter(ShortPrinter):
    """Prints a mark after every operation, for the alias of its location.

    `locations` are the locations of the operations, in the order in which the operations start. The
    mark of a location is its index between NUL characters, which the rest of the text does not
    have.
    """

    def __init__(self, operation: Operation, stream: StringIO):
        super().__init__(operation, stream)
        self.locations: list[Attribute] = []

    def print_op(self, op: Operation) -> None:
        index = len(self.locations)
        self.locations.append(op.location)
        super().print_op(op)
        self.print_string(f" loc(\0{index}\0)")


class _Aliases:
    """Aliases of locations and of the attributes nested in them.

    Equal values have one number, and nested values lower numbers. Values are compared by their own
    fields and by the numbers of nested values, because deep values could not be compared as a
    whole.
    """

    def __init__(self, locations: Iterable[Attribute]):
        # The module keeps its locations, and what is inside of them, alive.
        self._by_identity: dict[int, int] = {}
        self._by_fields: dict[tuple[object, ...], int] = {}
        self._values: list[Attribute] = []
        self._depths: list[int] = []
        order: dict[int, None] = {}
        for location in locations:
            self._number(location)
            # A value is noted before those inside of it.
            waiting = [location]
            while waiting:
                value = waiting.pop()
                if (number := self._by_identity[id(value)]) not in order:
                    order[number] = None
                    waiting += reversed(_parts(value))
        self._names: dict[int, str] = {}
        counts = Counter[str]()
        for number in sorted(order, key=lambda n: (self._depths[n], self._kind(n))):
            name = self._kind(number)
            self._names[number] = f"#{name}{counts[name] or ''}"
            counts[name] += 1

    def _kind(self, number: int) -> str:
        return _ALIAS_NAMES[type(self._values[number])]

    def _number(self, location: Attribute) -> None:
        waiting = [location]
        while waiting:
            value = waiting[-1]
            unknown = [part for part in _parts(value) if id(part) not in self._by_identity]
            waiting += unknown
            if not unknown:
                waiting.pop()
                self._by_identity[id(value)] = self._number_of_fields(value)

    def _number_of_fields(self, value: Attribute) -> int:
        inside = [self._by_identity[id(part)] for part in _parts(value)]
        fields = (type(value), *inside, *_own_fields(value))
        if fields not in self._by_fields:
            self._by_fields[fields] = len(self._values)
            self._values.append(value)
            self._depths.append(1 + max((self._depths[part] for part in inside), default=-1))
        return self._by_fields[fields]

    def name(self, value: Attribute) -> str:
        """The alias of a location or of an attribute nested in a location."""
        return self._names[self._by_identity[id(value)]]

    def definitions(self) -> str:
        """The lines that define all aliases."""
        return "".join(
            f"{name} = {self._definition(self._values[number])}\n"
            for number, name in self._names.items()
        )

    def _definition(self, value: Attribute) -> str:
        names = [self.name(part) for part in _parts(value)]
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


def _own_fields(value: Attribute) -> Sequence[Attribute]:
    """Fields that distinguish a value from others with the same parts."""
    match value:
        case DISubprogramAttr():
            return value.line, value.source_name, value.linkage_name, value.scope_line
        case DILexicalBlockAttr():
            return value.line, value.column
        case CallSiteLoc() | FusedLoc() | DICompileUnitAttr():
            return ()
        case _:
            return (value,)


def _parts(value: Attribute) -> Sequence[Attribute]:
    """Parts of `value` referred to by alias, in the order in which they are written."""
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
