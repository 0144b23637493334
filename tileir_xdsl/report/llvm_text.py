"""Splits LLVM IR into lines with the origins of instructions and the values that names hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.llvm_ir.writer import CONSTANTS
from tileir_xdsl.report.provenance import Provenance
from tileir_xdsl.report.schema import Line, Span, Text

_NAME = re.compile(r"%v\d+")


def llvm_text(text: str, title: str, module: ModuleOp, provenance: Provenance) -> Text:
    """The LLVM IR printed from a module of `llvm` ops."""
    lines = text.rstrip("\n").split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("define ")]
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp) and op.body.blocks]
    made = [Line(line) for line in lines]
    for start, function in zip(starts, functions, strict=True):
        printed = list(_printed(function))
        end = start + len(printed)
        values = dict(
            zip(_NAME.findall(lines[start]), function.body.blocks[0].args, strict=True)
        ) | {
            line.split(maxsplit=1)[0]: value
            for line, (_, value) in zip(lines[start:end], printed, strict=True)
            if value is not None
        }
        ids = {name: provenance.value(value) for name, value in values.items()}
        made[start:end] = [
            Line(line, () if op is None else provenance.origins(op), tuple(_spans(line, ids)))
            for line, (op, _) in zip(lines[start:end], printed, strict=True)
        ]
    return Text(title, "llvm", tuple(made))


def _printed(function: FuncOp) -> Iterator[tuple[Operation | None, SSAValue | None]]:
    """The op and the named value of each line of a function, from `define` on."""
    yield function, None
    for block in function.body.blocks:
        yield None, None
        if block is not function.body.blocks.first:
            yield from ((None, argument) for argument in block.args)
        for op in block.ops:
            if op.name not in CONSTANTS:
                yield op, op.results[0] if op.results else None


def _spans(line: str, ids: Mapping[str, str | None]) -> Iterator[Span]:
    for match in _NAME.finditer(line):
        if (name := ids.get(match[0])) is not None:
            yield Span(*match.span(), name)
