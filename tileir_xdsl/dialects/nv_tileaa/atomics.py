"""Atomic operations on global memory.

Source: Tile IR specification, section "Atomics".
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import RMWMode
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    GlobalEffect,
    GlobalMemoryOpInterface,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.scratch import Forwarded, ScratchNeed

from .attributes import MemScope, RMWModeAttr
from .constraints import TILES, element_type
from .interfaces import CopyAtomAttrInterface
from .pointer_accesses import PointerAccessOp, memory_order_properties
from .syntax import MemoryOrder, Modification
from .types import MemTokenType, TiledViewType
from .views import TiledAccessOp

INTEGER_ELEMENTS = (i32, i64)
WORD_ELEMENTS = (i32, i64, f32, f64)
FLOAT_ELEMENTS = (Float16Type(), BFloat16Type(), f32, f64)
MODE_ELEMENTS: dict[RMWMode, tuple[Attribute, ...]] = {
    **dict.fromkeys(RMWMode, INTEGER_ELEMENTS),
    RMWMode.ADDF: FLOAT_ELEMENTS,
    RMWMode.XCHG: WORD_ELEMENTS,
}
"""The element types that each modification supports."""


def verify_mode(mode: RMWMode, element: Attribute) -> None:
    """Raises `VerifyException` unless the modification supports elements of this type."""
    if element not in MODE_ELEMENTS[mode]:
        names = ", ".join(map(str, MODE_ELEMENTS[mode]))
        raise VerifyException(
            f"expects elements of one of the types {names} for {mode}, but got {element}"
        )


class AtomicOp(PointerAccessOp, RegistersOpInterface, ABC):
    """Base of the atomic ops through tiles of pointers; each element is a separate transaction."""

    copy_atom = opt_prop_def(CopyAtomAttrInterface)

    custom_directives = (MemoryOrder, Modification)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@irdl_op_definition
class AtomicRMWOp(AtomicOp, GlobalMemoryOpInterface):
    """Replaces each element x that a pointer addresses by `rmw_mode(x, value)`; returns the old x.

    Where the mask is false nothing happens and the result is undefined.
    """

    name = "nv_tileaa.atomic_rmw"

    pointers = operand_def(TILES)
    value = operand_def(TILES)
    mask = opt_operand_def(TILES)
    token = opt_operand_def(MemTokenType)
    rmw_mode = prop_def(RMWModeAttr)
    old = result_def(TILES)
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) custom<Modification>($rmw_mode) "
        "$pointers `,` $value (`mask` `=` $mask^ `:` type($mask))? (`token` `=` $token^)? "
        "attr-dict `:` type($pointers) `,` type($value) `->` type($old) `,` type($result_token)"
    )

    def __init__(
        self,
        pointers: SSAValue,
        value: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
        *,
        rmw_mode: RMWMode,
        mem_semantic: MemSemantic,
        mem_scope: MemScope | None,
    ):
        super().__init__(
            operands=[pointers, value, mask, token],
            properties={
                **memory_order_properties(mem_semantic, mem_scope),
                "rmw_mode": RMWModeAttr(rmw_mode),
            },
            result_types=[value.type, MemTokenType()],
        )

    def verify_(self) -> None:
        self.verify_access(self.pointers, self.value.type, self.mask, "atomic")
        verify_mode(self.rmw_mode.data, element_type(self.value))
        if self.old.type != self.value.type:
            raise VerifyException("requires the same type for value and result")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Forwarded(self.value, self.old),)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True)


@irdl_op_definition
class AtomicCASOp(AtomicOp, GlobalMemoryOpInterface):
    """Replaces each addressed element if its bits equal those of `compare`; returns the old
    elements.

    Where the mask is false nothing happens and the result is `compare`.
    """

    name = "nv_tileaa.atomic_cas"

    pointers = operand_def(TILES)
    compare = operand_def(TILES)
    replacement = operand_def(TILES)
    mask = opt_operand_def(TILES)
    token = opt_operand_def(MemTokenType)
    old = result_def(TILES)
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $pointers `,` $compare `,` $replacement "
        "(`mask` `=` $mask^ `:` type($mask))? (`token` `=` $token^)? attr-dict "
        "`:` type($pointers) `,` type($compare) `,` type($replacement) "
        "`->` type($old) `,` type($result_token)"
    )

    def __init__(
        self,
        pointers: SSAValue,
        compare: SSAValue,
        replacement: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
        *,
        mem_semantic: MemSemantic,
        mem_scope: MemScope | None,
    ):
        super().__init__(
            operands=[pointers, compare, replacement, mask, token],
            properties=memory_order_properties(mem_semantic, mem_scope),
            result_types=[compare.type, MemTokenType()],
        )

    def verify_(self) -> None:
        self.verify_access(self.pointers, self.compare.type, self.mask, "atomic")
        element = element_type(self.compare)
        if element not in WORD_ELEMENTS:
            names = ", ".join(map(str, WORD_ELEMENTS))
            raise VerifyException(
                f"expects elements of one of the types {names}, but got {element}"
            )
        if {self.replacement.type, self.old.type} != {self.compare.type}:
            raise VerifyException("requires the same type for compare, replacement and result")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Forwarded(self.compare, self.old),)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True)


@irdl_op_definition
class TiledAtomicRMWOp(TiledAccessOp, RegistersOpInterface, GlobalMemoryOpInterface):
    """Replaces each element x of a tile of a view by `rmw_mode(x, value)`, without a result.

    `add`, `min` and `max` work on floats as well. Elements outside of the memory object are not
    accessed.
    """

    name = "nv_tileaa.tiled_atomic_rmw"

    view = operand_def(TiledViewType)
    value = operand_def(TILES)
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)
    rmw_mode = prop_def(RMWModeAttr)
    copy_atom = opt_prop_def(CopyAtomAttrInterface)
    result_token = result_def(MemTokenType)

    custom_directives = (MemoryOrder, Modification)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) custom<Modification>($rmw_mode) "
        "$value `,` $view `[` $coords `]` (`token` `=` $token^)? attr-dict "
        "`:` type($value) `,` type($view) `[` type($coords) `]` `->` type($result_token)"
    )

    def __init__(
        self,
        view: SSAValue,
        value: SSAValue,
        coords: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        rmw_mode: RMWMode,
        mem_semantic: MemSemantic,
        mem_scope: MemScope | None,
    ):
        super().__init__(
            operands=[view, value, coords, token],
            properties={
                **memory_order_properties(mem_semantic, mem_scope),
                "rmw_mode": RMWModeAttr(rmw_mode),
            },
            result_types=[MemTokenType()],
        )

    def verify_(self) -> None:
        weak = self.mem_semantic.data == MemSemantic.WEAK
        if weak and self.mem_scope is not None:
            raise VerifyException("memScope not supported when memSemantic is weak")
        if not weak and self.mem_scope is None:
            raise VerifyException("memScope required when memSemantic is not weak")
        self.verify_tile(self.view, self.coords, self.value, "tiled atomic")
        verify_tiled_mode(self.rmw_mode.data, element_type(self.value))

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True)


def verify_tiled_mode(mode: RMWMode, element: Attribute) -> None:
    """Raises `VerifyException` unless `mode` supports elements of this type in tiles of a view."""
    if mode == RMWMode.ADDF:
        raise VerifyException(
            "tiled_atomic_rmw op cannot use fadd operation, please use add instead for both int "
            "and float types"
        )
    if mode == RMWMode.XCHG:
        raise VerifyException("tiled_atomic_rmw op cannot use xchg operation")
    if isinstance(element, AnyFloat):
        if element.bitwidth == 8:
            raise VerifyException("tiled_atomic_rmw not supported for 8-bit types")
        if element.bitwidth == 16 and mode not in (RMWMode.ADD, RMWMode.MAX, RMWMode.MIN):
            raise VerifyException(
                "tiled_atomic_rmw for 16-bit float only supports add, max, min operations"
            )
        if not isinstance(element, Float16Type | BFloat16Type | Float32Type | Float64Type):
            raise VerifyException(f"tiled_atomic_rmw not supported for {element}")
        if mode not in (RMWMode.ADD, RMWMode.MAX, RMWMode.MIN):
            raise VerifyException(f"tiled_atomic_rmw op cannot use {mode} operation on {element}")
        return
    assert isinstance(element, IntegerType)
    if element.width.data == 8:
        raise VerifyException("tiled_atomic_rmw not supported for 8-bit types")
    if element.width.data == 16:
        raise VerifyException("tiled_atomic_rmw not supported for 16-bit integer")
    if element not in INTEGER_ELEMENTS:
        raise VerifyException(f"tiled_atomic_rmw not supported for {element}")
