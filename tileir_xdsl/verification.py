"""Verifies a whole module, but ops of `llvm` and `nvvm` only once for each signature.

A signature is an op's class, operand and result types, properties and attributes. A thread's
program has thousands of ops, but a few hundred signatures. The verifiers of these dialects read
only the signature and the module's target. So an op is valid if another op with its signature was
valid for that target. Ops with regions or successors, and last ops of blocks, are verified one by
one.
"""

from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, ErasedSSAValue, Operation, Region
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.rewriting import dialect_name

BY_SIGNATURE = frozenset({"llvm", "nvvm"})
"""Dialects whose verifiers read only an op's signature and the module's target."""

MOST_SIGNATURES = 20_000
"""How many signatures are stored for a target: enough for some hundred kernels."""

Signature = tuple[object, ...]


def verify_module(module: ModuleOp) -> None:
    """A faster `module.verify()`; raises the same `VerifyException`."""
    _Verifier(_accepted_for(None)).verify(module)


@dataclass
class _Accepted:
    """The valid signatures for a target, and the numbers of their attributes."""

    signatures: set[Signature] = field(default_factory=set[Signature])
    numbers: dict[Attribute, int] = field(default_factory=dict[Attribute, int])

    def forget(self) -> None:
        self.signatures.clear()
        self.numbers.clear()


@cache
def _accepted_for(_target: Attribute | None) -> _Accepted:
    return _Accepted()


def _verify_last(op: Operation, region: Region | None) -> None:
    """Verifies the last op of a block, without xDSL's walk over all blocks of the region."""
    if (
        region is not None
        and region.first_block is not region.last_block
        and op.has_trait(IsTerminator)
        and all(successor.parent is region for successor in op.successors)
        and ErasedSSAValue not in map(type, op.operands)
    ):
        try:
            op.verify_()
            return
        except VerifyException:
            pass
    # In xDSL's words.
    op.verify()


@dataclass
class _Verifier:
    """The verification of one module."""

    accepted: _Accepted
    by_identity: dict[int, int] = field(default_factory=dict[int, int])
    """Numbers of attributes by `id`; the module keeps the attributes alive."""
    by_class: dict[type[Operation], bool] = field(default_factory=dict[type[Operation], bool])
    """Whether a class of ops is verified by signature."""

    def verify(self, op: Operation) -> None:
        """Verifies an op and its nested ops."""
        if op.regions:
            around = self.accepted
            if isinstance(op, ModuleOp) and TARGET_ATTRIBUTE in op.attributes:
                self._enter(op.attributes[TARGET_ATTRIBUTE])
            for region in op.regions:
                for block in region.blocks:
                    self._verify_block(block)
            if self.accepted is not around:
                self.accepted = around
                self.by_identity.clear()
            op.verify(verify_nested_ops=False)
            return
        if not self._is_by_signature(op):
            op.verify()
            return
        signature = self._signature(op)
        if signature not in self.accepted.signatures:
            op.verify()
            self.accepted.signatures.add(signature)

    def _enter(self, target: Attribute) -> None:
        """Switches to the signatures of another target."""
        self.accepted = _accepted_for(target)
        self.by_identity.clear()
        if len(self.accepted.signatures) > MOST_SIGNATURES:
            self.accepted.forget()

    def _verify_block(self, block: Block) -> None:
        last = block.last_op
        if last is None:
            block.verify()
            return
        for op in block.ops:
            if op.parent is not block:
                raise ValueError(f"'{op.name}' op is in a block that is not its parent")
            if op is last and not op.regions:
                _verify_last(op, block.parent)
            else:
                self.verify(op)

    def _is_by_signature(self, op: Operation) -> bool:
        cls = type(op)
        found = self.by_class.get(cls)
        if found is None:
            found = self.by_class[cls] = dialect_name(op) in BY_SIGNATURE
        if not found or op.successors:
            return False
        # By class, which has no subclasses: every operand of a thread's program is asked.
        return ErasedSSAValue not in map(type, op.operands)

    def _signature(self, op: Operation) -> Signature:
        number = self._number
        return (
            type(op),
            tuple([number(operand.type) for operand in op.operands]),
            tuple([number(result.type) for result in op.results]),
            tuple([(name, number(value)) for name, value in op.properties.items()]),
            tuple([(name, number(value)) for name, value in op.attributes.items()]),
        )

    def _number(self, attribute: Attribute) -> int:
        """A number that equal attributes share."""
        number = self.by_identity.get(id(attribute))
        if number is None:
            numbers = self.accepted.numbers
            number = self.by_identity[id(attribute)] = numbers.setdefault(attribute, len(numbers))
        return number
