"""Splits PTX into lines with the origins of instructions and the values that registers hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue

from tileir_xdsl.backend.ptx import PrintedKernel
from tileir_xdsl.backend.ptx.printing import body_locations
from tileir_xdsl.report.provenance import Origins, Provenance
from tileir_xdsl.report.schema import Line, Span, Text
from tileir_xdsl.walking import ops_in

_REGISTER = re.compile(r"%[a-z]+\d+")
_LOCATION = "\t.loc "


def ptx_text(
    text: str, title: str, kernels: Sequence[PrintedKernel], provenance: Provenance
) -> Text:
    """The PTX of a module with the given kernels.

    A register that holds several values in turn has the id of the first.
    """
    lines = text.split("\n")
    origins: dict[int, Origins] = {}
    registers: dict[int, Mapping[str, str]] = {}
    position = first = 0
    for kernel in kernels:
        found = text.index(kernel.text, position)
        first += text.count("\n", position, found)
        position = found
        own = list(_kernel_origins(kernel, provenance))
        origins |= {first + index: each for index, each in own}
        held = registers_of(kernel, provenance)
        registers |= dict.fromkeys((first + index for index, _ in own), held)
    return Text(
        title,
        "ptx",
        tuple(
            _line(line, origins.get(index, ()), registers.get(index, {}))
            for index, line in enumerate(lines)
        ),
    )


def registers_of(kernel: PrintedKernel, provenance: Provenance) -> dict[str, str]:
    """The ids of the values that the registers of a kernel hold, by name."""
    held: dict[str, str] = {}
    for value in _values(kernel):
        components = kernel.selected.values.get(id(value), ())
        identity = provenance.value(value)
        for component in components if identity is not None else ():
            if isinstance(component, int) and (name := kernel.names.known(component)):
                held.setdefault(name, identity or "")
    return held


def _values(kernel: PrintedKernel) -> Iterator[SSAValue]:
    for block in kernel.op.body.blocks:
        yield from block.args
    for op in ops_in(kernel.op)[1:]:
        yield from op.results


def _kernel_origins(kernel: PrintedKernel, provenance: Provenance) -> Iterator[tuple[int, Origins]]:
    """Line number and origins, for the signature of a kernel and for each line of its body."""
    lines = kernel.text.split("\n")
    locations = body_locations(kernel.selected)
    function = provenance.origins(kernel.op)
    yield 0, function
    end = len(lines) - 1 - lines[::-1].index("}")
    following: Origins = function
    pending: list[LocationAttr | None] = list(locations)
    for index in range(end - 1, -1, -1):
        if not pending:
            return
        if not lines[index].startswith(_LOCATION):
            location = pending.pop()
            following = () if location is None else provenance.origins_at(location) or function
        yield index, following


def _line(text: str, ids: Origins, registers: Mapping[str, str]) -> Line:
    if not registers:
        return Line(text, ids)
    found = ((match, registers.get(match[0])) for match in _REGISTER.finditer(text))
    spans = tuple(Span(*match.span(), name) for match, name in found if name is not None)
    return Line(text, ids, spans)
