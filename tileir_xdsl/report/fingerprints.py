"""Detects whether a pass changed a module, without printing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.report.provenance import values_in
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class Fingerprint:
    """The objects of a module in program order, kept alive so that their ids stay unique."""

    parts: tuple[object, ...]

    @staticmethod
    def of(module: ModuleOp) -> Fingerprint:
        """The fingerprint of the present state of a module."""
        return Fingerprint(tuple(_parts(module)))

    def is_same(self, other: Fingerprint) -> bool:
        """Whether a module did not change between two fingerprints: their objects are the same."""
        return len(self.parts) == len(other.parts) and all(
            one is two for one, two in zip(self.parts, other.parts, strict=True)
        )


def _parts(module: ModuleOp) -> Iterator[object]:
    ops = ops_in(module)
    for op in ops:
        yield op
        yield op.parent
        yield from op.operands
        yield from op.successors
        for named in (op.attributes, op.properties):
            yield from named.keys()
            yield from named.values()
    for value in values_in(ops):
        yield value
        yield value.type
        yield value.name_hint
