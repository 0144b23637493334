"""Whether a module is as it was, without its text: passes mostly leave it alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.report.provenance import values_in
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class Fingerprint:
    """The objects of a module in the order of the program; they are kept so that no others get
    their identity.
    """

    parts: tuple[object, ...]

    @staticmethod
    def of(module: ModuleOp) -> Fingerprint:
        """The fingerprint of a module as it is now."""
        return Fingerprint(tuple(_parts(module)))

    def is_same(self, other: Fingerprint) -> bool:
        """Whether a module was not changed in between: made of the very same objects."""
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
