"""Completions: names of ops, values, symbols and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from xdsl.context import Context
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.levels import EXTENSION_DIALECTS
from tileir_xdsl.lsp.analysis import Analysis
from tileir_xdsl.lsp.source import Span
from tileir_xdsl.universe import DIALECTS
from tileir_xdsl.walking import ancestors

ROAD = (*DIALECTS, "arith", "llvm", "scf", "builtin")
"""The dialects whose ops are offered, in addition to those of registered extensions."""


class Kind(StrEnum):
    """The kind of an offered name."""

    OPERATION = "operation"
    VALUE = "value"
    SYMBOL = "symbol"


@dataclass(frozen=True)
class Item:
    """A name that may come next, and the text that it would replace."""

    label: str
    kind: Kind
    replaced: Span
    detail: str = ""
    documentation: str = ""


_OP_PREFIX = re.compile(r"^\s*(?:%[\w$.\-:, %]+=\s*)?([\w$.]*)$")
_NAME_PREFIX = re.compile(r"([%@][\w$.\-]*)$")


def complete(analysis: Analysis, context: Context, offset: int) -> list[Item]:
    """The names that may follow at an offset and begin with the text before it."""
    before = analysis.source.line_before(offset)
    if match := _NAME_PREFIX.search(before):
        begun, span = match[1], (offset - len(match[1]), offset)
        offered = _values(analysis, span) if begun[0] == "%" else _symbols(analysis, span)
    elif match := _OP_PREFIX.match(before):
        begun, span = match[1], (offset - len(match[1]), offset)
        offered = _operations(context, begun, span)
    else:
        return []
    return [item for item in offered if item.label.startswith(begun)]


def _operations(context: Context, begun: str, span: Span) -> Iterator[Item]:
    further = (name for _, name in EXTENSION_DIALECTS)
    names = (*ROAD, *further) if begun else (cuda_tile.CudaTile.name,)
    for dialect_name in names:
        dialect = context.get_optional_dialect(dialect_name)
        for op_type in () if dialect is None else dialect.operations:
            short = op_type.name.removeprefix(f"{cuda_tile.CudaTile.name}.")
            label = op_type.name if "." in begun else short
            first = (op_type.__doc__ or "").strip().partition("\n\n")[0]
            yield Item(label, Kind.OPERATION, span, op_type.name, first)


def _values(analysis: Analysis, span: Span) -> Iterator[Item]:
    """The values defined earlier in the enclosing regions, last defined first."""
    op = analysis.operation_at(span[0])
    around = set[Operation | None](() if op is None else (op, *ancestors(op)))
    seen = set[str]()
    for name in reversed(analysis.names_before(span[0])):
        label = analysis.source.text[slice(*name.span)]
        values = name.named
        if not name.is_definition or not isinstance(values, tuple) or label in seen or not values:
            continue
        # Not what the op itself defines, either.
        if values[0].owner not in around and _region_op(values[0]) in around:
            seen.add(label)
            yield Item(label, Kind.VALUE, span, str(values[0].type))


def _region_op(value: SSAValue) -> Operation | None:
    """The op whose region defines a value."""
    owner = value.owner
    return owner.parent_op()


def _symbols(analysis: Analysis, span: Span) -> Iterator[Item]:
    for symbol in analysis.all_symbols():
        yield Item(f"@{symbol.name}", Kind.SYMBOL, span, symbol.op.name)
