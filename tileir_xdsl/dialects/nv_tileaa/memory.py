"""Pointers, loads and stores through tiles of pointers, and ordering tokens.

Memory order is what the token chain says: an access follows the accesses whose tokens it takes.
"""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from .attributes import MemScope, MemScopeAttr, MemSemantic, MemSemanticAttr
from .syntax import MemoryOrder
from .types import MemTokenType, PointerType, tile_shape


@irdl_op_definition
class CreateMemTokenOp(IRDLOperation):
    """A token that orders nothing before it."""

    name = "nv_tileaa.create_mem_token"

    result = result_def(MemTokenType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[MemTokenType()])


@irdl_op_definition
class JoinMemTokenOp(IRDLOperation):
    """A token that is complete when all its operands are."""

    name = "nv_tileaa.join_mem_token"

    tokens = var_operand_def(MemTokenType)
    result = result_def(MemTokenType)

    traits = traits_def(Pure())
    assembly_format = "`[` $tokens `]` attr-dict `:` type($result)"

    def __init__(self, tokens: Sequence[SSAValue]):
        super().__init__(operands=[tokens], result_types=[MemTokenType()])


@irdl_op_definition
class AddPtrOp(IRDLOperation):
    """Moves pointers by a signed number of elements of the pointee type."""

    name = "nv_tileaa.addptr"

    T: ClassVar = VarConstraint("T", AnyAttr())

    pointer = operand_def(T)
    offset = operand_def()
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)"

    def __init__(self, pointer: SSAValue, offset: SSAValue):
        super().__init__(operands=[pointer, offset], result_types=[pointer.type])

    def verify_(self) -> None:
        pointer, offset = tile_shape(self.pointer.type), tile_shape(self.offset.type)
        if not isinstance(pointer.element, PointerType):
            raise VerifyException(f"expects pointers, but got {self.pointer.type}")
        if not isinstance(offset.element, IntegerType):
            raise VerifyException(f"expects an integer offset, but got {self.offset.type}")
        if pointer.shape != offset.shape:
            raise VerifyException("requires the same shape for pointer and offset")


class PointerAccessOp(IRDLOperation, ABC):
    """Base of loads and stores through a tile of pointers; a mask selects the elements."""

    mem_semantic = prop_def(MemSemanticAttr)
    mem_scope = opt_prop_def(MemScopeAttr)
    latency = opt_prop_def(IntegerAttr[I32])

    custom_directives = (MemoryOrder,)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def verify_access(
        self, pointers: SSAValue, value: SSAValue, mask: SSAValue | None, access: str
    ) -> None:
        """Checks that one access has pointers to its value's elements, and a mask of its shape."""
        verify_memory_order(access, self.mem_semantic, self.mem_scope)
        pointer, tile = tile_shape(pointers.type), tile_shape(value.type)
        if not isinstance(pointer.element, PointerType):
            raise VerifyException(f"expects pointers, but got {pointers.type}")
        if pointer.shape != tile.shape or pointer.element.pointee != tile.element:
            raise VerifyException(
                f"expects pointers to the elements of {value.type}, but got {pointers.type}"
            )
        if mask is None:
            return
        mask_tile = tile_shape(mask.type)
        if mask_tile.shape != tile.shape or mask_tile.element != IntegerType(1):
            raise VerifyException(f"expects a mask of i1 elements shaped as {value.type}")


def verify_memory_order(access: str, semantic: MemSemanticAttr, scope: MemScopeAttr | None) -> None:
    """A weak access has no scope, every other one needs one."""
    if semantic.data == MemSemantic.WEAK and scope is not None:
        raise VerifyException("mem_scope not supported when mem_semantic is weak")
    if semantic.data != MemSemantic.WEAK and scope is None:
        raise VerifyException("mem_scope required when mem_semantic is not weak")
    rejected = {
        "load": (MemSemantic.RELEASE, MemSemantic.ACQ_REL),
        "store": (MemSemantic.ACQUIRE, MemSemantic.ACQ_REL),
    }[access]
    if semantic.data in rejected:
        raise VerifyException(f"unsupported mem_semantic: {semantic.data}")


def memory_order_properties(
    semantic: MemSemantic, scope: MemScope | None
) -> dict[str, Attribute | None]:
    """The two memory-order properties of an access, as its constructor wants them."""
    return {
        "mem_semantic": MemSemanticAttr(semantic),
        "mem_scope": None if scope is None else MemScopeAttr(scope),
    }


class LoadThroughPointersOp(PointerAccessOp, ABC):
    """Base of the loads: what they take. Each load defines its results, the value first."""

    pointers = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def()
    token = opt_operand_def(MemTokenType)

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        value = self.results[0]
        self.verify_access(self.pointers, value, self.mask, "load")
        if self.other is not None and self.other.type != value.type:
            raise VerifyException("requires the same type for other and value")


class StoreThroughPointersOp(PointerAccessOp, ABC):
    """Base of the stores: what they take."""

    pointers = operand_def()
    value = operand_def()
    mask = opt_operand_def()
    token = opt_operand_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_access(self.pointers, self.value, self.mask, "store")


@irdl_op_definition
class LoadOp(LoadThroughPointersOp):
    """Loads through a tile of pointers; a masked-off element is `other`, else undefined."""

    name = "nv_tileaa.load"

    value = result_def()
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $pointers "
        "(`mask` `=` $mask^ `:` type($mask))? (`other` `=` $other^ `:` type($other))? "
        "(`token` `=` $token^)? attr-dict "
        "`:` type($pointers) `->` type($value) `,` type($result_token)"
    )


@irdl_op_definition
class StoreOp(StoreThroughPointersOp):
    """Stores a tile through a tile of pointers."""

    name = "nv_tileaa.store"

    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $pointers `,` $value "
        "(`mask` `=` $mask^ `:` type($mask))? (`token` `=` $token^)? attr-dict "
        "`:` type($pointers) `,` type($value) `->` type($result_token)"
    )
