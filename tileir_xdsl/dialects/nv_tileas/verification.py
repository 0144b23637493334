"""Verifies ops once per signature: a program has many ops, but few signatures of each."""

from typing import TypeVar

from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation

from tileir_xdsl.dialects.lazy_definition import when_defined

OpT = TypeVar("OpT", bound=IRDLOperation)

Signature = tuple[tuple[Attribute, ...], tuple[Attribute, ...], tuple[tuple[str, Attribute], ...]]
"""The types of operands and results, and the properties."""


def verified_by_signature(op: type[OpT]) -> type[OpT]:
    """Decorator: the op is verified once for each combination of types and properties.

    The op's verification must depend on nothing else. A signature that failed is verified again
    every time.
    """
    when_defined(op, _verify_by_signature)
    return op


def _verify_by_signature(op: type[OpT]) -> None:
    verify = op.verify_
    accepted: set[Signature] = set()

    def verify_(self: OpT) -> None:
        signature = (
            tuple([operand.type for operand in self.operands]),
            tuple([result.type for result in self.results]),
            tuple(self.properties.items()),
        )
        if signature not in accepted:
            verify(self)
            accepted.add(signature)

    op.verify_ = verify_
