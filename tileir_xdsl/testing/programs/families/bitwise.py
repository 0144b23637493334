"""Bitwise operations."""

from __future__ import annotations

from tileir_xdsl.dialects.cuda_tile import AndIOp, OrIOp, XOrIOp
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import type_of

_Bitwise = AndIOp | OrIOp | XOrIOp


def _row(operation: type[_Bitwise]) -> Row:
    def emit(b: Builder) -> None:
        lhs = b.some_value(INTEGERS)
        b.keep(b.add(operation(lhs, b.value(type_of(lhs)))).result)

    return Row(1, emit)


ROWS: Rows = {operation: _row(operation) for operation in (AndIOp, OrIOp, XOrIOp)}
