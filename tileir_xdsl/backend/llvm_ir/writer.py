"""The state of one module, and of one function, while it is printed."""

from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, UnitAttr
from xdsl.dialects.llvm import FastMathAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.backend.llvm_ir.constants import constant_text
from tileir_xdsl.backend.llvm_ir.types import type_text
from tileir_xdsl.backend.llvm_ir.words import quoted
from tileir_xdsl.diagnostics import fail

_INLINE = {
    "llvm.mlir.undef": "undef",
    "llvm.mlir.poison": "poison",
    "llvm.mlir.zero": "zeroinitializer",
}
"""Ops that are printed where their result is used."""

CONSTANTS = frozenset({*_INLINE, "llvm.mlir.constant", "llvm.mlir.addressof"})
"""Ops that have no instruction."""


@dataclass
class ModuleText:
    """The declarations and metadata that the functions of a module need."""

    declarations: dict[str, str] = field(default_factory=dict[str, str])
    """Intrinsics by name: the line that declares each."""
    metadata: list[str] = field(default_factory=list[str])
    """Nodes by number."""
    defined: frozenset[str] = frozenset()
    """Functions of the module, which need no declaration."""

    def node(self, text: str) -> str:
        """The number of a node of metadata; nodes with the same text share one."""
        if text not in self.metadata:
            self.metadata.append(text)
        return f"!{self.metadata.index(text)}"

    def distinct(self, *parts: str) -> str:
        """The number of a new node whose first part is itself."""
        number = f"!{len(self.metadata)}"
        self.metadata.append(f"distinct !{{{', '.join((number, *parts))}}}")
        return number


@dataclass
class FunctionText:
    """The names of the values and blocks of a function."""

    module: ModuleText
    values: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    blocks: dict[Block, str] = field(default_factory=dict[Block, str])
    incoming: dict[Block, list[tuple[str, list[str]]]] = field(
        default_factory=dict[Block, list[tuple[str, list[str]]]]
    )
    """The edges into each block: the block they come from, and the values of its arguments."""
    trampolines: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Blocks that only jump, by name; the second of two edges between the same blocks needs one."""

    def value(self, value: SSAValue) -> str:
        """The text of an operand: a name, or a constant."""
        owner = value.owner
        if not isinstance(owner, Operation) or owner.name not in CONSTANTS:
            if value not in self.values:
                self.values[value] = f"%v{len(self.values)}"
            return self.values[value]
        if isinstance(owner, llvm.ConstantOp):
            return constant_text(owner, owner.value, value.type)
        if isinstance(owner, llvm.AddressOfOp):
            return f"@{quoted(owner.global_name.string_value())}"
        return _INLINE[owner.name]

    def typed(self, value: SSAValue) -> str:
        """The text of an operand with its type before it."""
        user = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        assert user is not None
        return f"{type_text(user, value.type)} {self.value(value)}"

    def block(self, block: Block) -> str:
        """The name of a block."""
        if block not in self.blocks:
            self.blocks[block] = f"bb{len(self.blocks)}"
        return self.blocks[block]

    def edge(self, source: Operation, target: Block, arguments: list[SSAValue]) -> str:
        """The label of a branch to a block; records its arguments for the phis of the block."""
        block = source.parent_block()
        assert block is not None
        label, name = self.block(block), self.block(target)
        known = self.incoming.setdefault(target, [])
        values = [self.value(argument) for argument in arguments]
        if values and any(origin == label for origin, _ in known):
            # A phi has one value for each block that it can be reached from.
            label = f"{label}.to{len(self.trampolines)}"
            self.trampolines.append((label, name))
            name = label
        known.append((label, values))
        return f"label %{name}"


def flags_of(op: Operation) -> str:
    """The fast-math flags of an op, each with a space after it."""
    attribute = op.properties.get("fastmathFlags")
    if not isinstance(attribute, FastMathAttr):
        return ""
    if len(attribute.data) == len(FastMathFlag):
        return "fast "
    return "".join(f"{flag.value} " for flag in FastMathFlag if flag in attribute.data)


def is_set(op: Operation, name: str) -> bool:
    """Whether an op has a unit property."""
    return isinstance(op.properties.get(name), UnitAttr)


def check_attributes(op: Operation, *known: str) -> None:
    """Rejects attributes of an op that LLVM would interpret but this module cannot print."""
    for name in op.attributes:
        # Names with a dialect in front are notes of passes.
        if name not in known and ("." not in name or name.startswith(("llvm.", "nvvm."))):
            fail(op, f"attribute '{name}' of '{op.name}' cannot be written as LLVM IR")


def check_bundles(op: Operation) -> None:
    """Refuses operand bundles."""
    bundles = op.properties.get("op_bundle_sizes")
    if bundles is not None and len(bundles):  # pyright: ignore[reportArgumentType]
        fail(op, f"the LLVM IR writer does not support operand bundles of '{op.name}'")


def strings(attribute: Attribute | None) -> list[Attribute]:
    """The elements of an array attribute; empty for None."""
    return list(attribute.data) if isinstance(attribute, ArrayAttr) else []
