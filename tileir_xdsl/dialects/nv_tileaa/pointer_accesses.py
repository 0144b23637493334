"""Pointers, loads and stores through tiles of pointers, and ordering tokens.

Tokens order memory accesses: an access follows the accesses whose tokens are its operands.
"""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I32, I64, IntegerAttr, IntegerType, UnitAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    EffectInstance,
    MemoryAllocEffect,
    MemoryEffect,
    MemoryEffectKind,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    GlobalEffect,
    GlobalMemoryOpInterface,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.scratch import ADDRESS_BYTES, ScratchNeed, Staging

from .attributes import (
    CacheModifierAttr,
    EvictionPolicyAttr,
    MemScope,
    MemScopeAttr,
    MemSemanticAttr,
)
from .constraints import TILES
from .interfaces import CopyAtomAttrInterface
from .syntax import MemoryOrder
from .types import MemTokenType, PointerType, tile_shape


@irdl_op_definition
class CreateMemTokenOp(IRDLOperation, RegistersOpInterface):
    """A token that represents no earlier access."""

    name = "nv_tileaa.create_mem_token"

    result = result_def(MemTokenType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[MemTokenType()])


@irdl_op_definition
class JoinMemTokenOp(IRDLOperation, RegistersOpInterface):
    """A token that is complete when all operand tokens are complete."""

    name = "nv_tileaa.join_mem_token"

    tokens = var_operand_def(MemTokenType)
    result = result_def(MemTokenType)

    traits = traits_def(Pure())
    assembly_format = "`[` $tokens `]` attr-dict `:` type($result)"

    def __init__(self, tokens: Sequence[SSAValue]):
        super().__init__(operands=[tokens], result_types=[MemTokenType()])


class OrderingOp(IRDLOperation, RegistersOpInterface, GlobalMemoryOpInterface):
    """Base of the ops that only order accesses: their operand and their result are a token."""

    token = opt_operand_def(MemTokenType)
    result = result_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "($token^)? attr-dict `:` type($result)"

    def __init__(self, token: SSAValue | None = None):
        super().__init__(operands=[token], result_types=[MemTokenType()])

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True)


@irdl_op_definition
class MemoryFenceAliasOp(OrderingOp):
    """Orders accesses of the same memory through different addresses."""

    name = "nv_tileaa.memory_fence_alias"


@irdl_op_definition
class GdcWaitOp(OrderingOp):
    """Waits until the grids that this one depends on have finished and flushed memory."""

    name = "nv_tileaa.gdc_wait"


@irdl_op_definition
class GdcLaunchDependentsOp(OrderingOp):
    """Allows the grids that depend on this one to start."""

    name = "nv_tileaa.gdc_launch_dependents"


@irdl_op_definition
class AllocaOp(IRDLOperation, RegistersOpInterface):
    """Uninitialised memory for `num_elements` elements, until the end of the block that contains
    the op.

    `alignment` is in bytes. The memory is private to the tile block unless `global`.
    """

    name = "nv_tileaa.alloca"

    num_elements = prop_def(IntegerAttr[I64])
    alignment = prop_def(IntegerAttr[I64])
    is_global = opt_prop_def(UnitAttr, prop_name="global")
    result = result_def(PointerType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(
        self,
        num_elements: int,
        alignment: int,
        result_type: PointerType,
        is_global: bool = False,
    ):
        super().__init__(
            properties={
                "num_elements": IntegerAttr(num_elements, i64),
                "alignment": IntegerAttr(alignment, i64),
                "global": UnitAttr() if is_global else None,
            },
            result_types=[result_type],
        )

    def verify_(self) -> None:
        if self.num_elements.value.data < 0:
            raise VerifyException(
                f"expects num_elements to be at least 0, but got {self.num_elements.value.data}"
            )
        alignment = self.alignment.value.data
        if alignment <= 0 or alignment & (alignment - 1):
            raise VerifyException(f"expects an alignment that is a power of 2, but got {alignment}")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        # The address that one thread allocates on the heap for all.
        return (Staging(ADDRESS_BYTES),)


@irdl_op_definition
class AddPtrOp(IRDLOperation, RegistersOpInterface):
    """Moves pointers by a signed number of elements of the pointee type."""

    name = "nv_tileaa.addptr"

    T: ClassVar = VarConstraint("T", AnyAttr())

    pointer = operand_def(T)
    offset = operand_def(TILES)
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
        self, pointers: SSAValue, value: Attribute, mask: SSAValue | None, access: str
    ) -> None:
        """Checks that one access has pointers to the elements of a tile, and a mask of its shape.

        Args:
            pointers: one for each element.
            value: the type of the tile.
            mask: which elements are accessed.
            access: the kind of access, a key of `REJECTED_SEMANTICS`.
        """
        verify_memory_order(access, self.mem_semantic, self.mem_scope)
        pointer, tile = tile_shape(pointers.type), tile_shape(value)
        if not isinstance(pointer.element, PointerType):
            raise VerifyException(f"expects pointers, but got {pointers.type}")
        if pointer.shape != tile.shape or pointer.element.pointee != tile.element:
            raise VerifyException(
                f"expects one pointer to {tile.element} for each element of {value}, but got "
                f"{pointers.type}"
            )
        if mask is None:
            return
        mask_tile = tile_shape(mask.type)
        if mask_tile.shape != tile.shape or mask_tile.element != IntegerType(1):
            raise VerifyException(f"expects a mask of i1 elements with the shape of {value}")


REJECTED_SEMANTICS: dict[str, tuple[MemSemantic, ...]] = {
    "load": (MemSemantic.RELEASE, MemSemantic.ACQ_REL),
    "store": (MemSemantic.ACQUIRE, MemSemantic.ACQ_REL),
    "atomic": (MemSemantic.WEAK,),
    "tiled atomic": (MemSemantic.ACQUIRE, MemSemantic.ACQ_REL),
    "reduction": (MemSemantic.WEAK, MemSemantic.ACQUIRE, MemSemantic.ACQ_REL),
}
"""The memory semantics that each kind of access rejects."""


class OrderedRead(MemoryEffect):
    """The effects of a read; a read that is not weak also orders other accesses, so it counts as a
    write.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        effects = {EffectInstance(MemoryEffectKind.READ)}
        if op.properties["mem_semantic"] != MemSemanticAttr(MemSemantic.WEAK):
            effects.add(EffectInstance(MemoryEffectKind.WRITE))
        return effects


def verify_memory_order(access: str, semantic: MemSemanticAttr, scope: MemScopeAttr | None) -> None:
    """Raises `VerifyException` for a memory semantic that this kind of access rejects.

    A weak access has no scope; every other access needs a scope.
    """
    if semantic.data == MemSemantic.WEAK and scope is not None:
        raise VerifyException("mem_scope not supported when mem_semantic is weak")
    if semantic.data != MemSemantic.WEAK and scope is None:
        raise VerifyException("mem_scope required when mem_semantic is not weak")
    if semantic.data in REJECTED_SEMANTICS[access]:
        raise VerifyException(f"unsupported mem_semantic: {semantic.data}")


def memory_order_properties(
    semantic: MemSemantic, scope: MemScope | None
) -> dict[str, Attribute | None]:
    """The properties `mem_semantic` and `mem_scope` of an access."""
    return {
        "mem_semantic": MemSemanticAttr(semantic),
        "mem_scope": None if scope is None else MemScopeAttr(scope),
    }


class LoadThroughPointersOp(PointerAccessOp, GlobalMemoryOpInterface, ABC):
    """Base of the loads with their operands. Each subclass defines results, the loaded value
    first.
    """

    pointers = operand_def(TILES)
    mask = opt_operand_def(TILES)
    other = opt_operand_def(TILES)
    token = opt_operand_def(MemTokenType)

    traits = traits_def(OrderedRead())

    def verify_(self) -> None:
        value = self.results[0]
        self.verify_access(self.pointers, value.type, self.mask, "load")
        if self.other is not None and self.other.type != value.type:
            raise VerifyException("requires the same type for other and value")

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=False)


class StoreThroughPointersOp(PointerAccessOp, GlobalMemoryOpInterface, ABC):
    """Base of the stores, with their operands."""

    pointers = operand_def(TILES)
    value = operand_def(TILES)
    mask = opt_operand_def(TILES)
    token = opt_operand_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_access(self.pointers, self.value.type, self.mask, "store")

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True)


@irdl_op_definition
class LoadOp(LoadThroughPointersOp, RegistersOpInterface):
    """Loads through a tile of pointers; a masked-off element is `other`, or undefined without
    `other`.
    """

    name = "nv_tileaa.load"

    cache_modifier = opt_prop_def(CacheModifierAttr)
    eviction_policy = opt_prop_def(EvictionPolicyAttr)
    copy_atom = opt_prop_def(CopyAtomAttrInterface)
    value = result_def(TILES)
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $pointers "
        "(`mask` `=` $mask^ `:` type($mask))? (`other` `=` $other^ `:` type($other))? "
        "(`token` `=` $token^)? attr-dict "
        "`:` type($pointers) `->` type($value) `,` type($result_token)"
    )


@irdl_op_definition
class StoreOp(StoreThroughPointersOp, RegistersOpInterface):
    """Stores a tile through a tile of pointers."""

    name = "nv_tileaa.store"

    cache_modifier = opt_prop_def(CacheModifierAttr)
    eviction_policy = opt_prop_def(EvictionPolicyAttr)
    copy_atom = opt_prop_def(CopyAtomAttrInterface)
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $pointers `,` $value "
        "(`mask` `=` $mask^ `:` type($mask))? (`token` `=` $token^)? attr-dict "
        "`:` type($pointers) `,` type($value) `->` type($result_token)"
    )
