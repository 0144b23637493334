"""Accesses of tiles of multicast memory, where one address refers to memory of several devices.

Source: the text form of Tile IR 13.5; PTX ISA, `multimem`.
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
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import PaddingValue, PointerKind, RMWMode
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    GlobalEffect,
    GlobalMemoryOpInterface,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.scratch import Packed, ScratchNeed

from .attributes import MemScope, PaddingValueAttr, RMWModeAttr
from .constraints import TILES
from .pointer_accesses import OrderedRead, memory_order_properties
from .syntax import MemoryOrder, Modification
from .types import MemTokenType, TiledViewType
from .views import TiledAccessOp

REDUCTIONS = tuple(mode for mode in RMWMode if mode not in (RMWMode.ADDF, RMWMode.XCHG))
"""The combinations of the elements of several devices; `add`, `min` and `max` support floats, too.
"""


def _verify_multicast(view: Attribute) -> Attribute:
    """Checks that multimem supports the memory and the elements of a view; returns the element
    type.
    """
    assert isinstance(view, TiledViewType)
    memref = view.memref
    kind = PointerKind.NONE if memref is None else memref.kind.data
    if kind != PointerKind.MULTICAST:
        raise VerifyException(f"expected a multicast pointer, but got {kind}")
    element = view.element_type
    if isinstance(element, IntegerType):
        if element.width.data not in (32, 64):
            raise VerifyException(f"expects 32-bit or 64-bit integers, but got {element}")
    elif not isinstance(element, Float16Type | BFloat16Type | Float32Type | Float64Type):
        raise VerifyException(
            f"expects elements of type i32, i64, f16, bf16, f32 or f64, but got {element}"
        )
    return element


def _verify_reduction(
    mode: RMWMode, element: Attribute, float_extrema: tuple[type[Attribute], ...]
) -> None:
    """Checks that `mode` supports the element type; `float_extrema` are the floats with min and
    max.
    """
    if mode not in REDUCTIONS:
        raise VerifyException(f"expects one of {', '.join(REDUCTIONS)}, but got {mode}")
    if not isinstance(element, AnyFloat) or mode == RMWMode.ADD:
        return
    if mode not in (RMWMode.MIN, RMWMode.MAX) or not isinstance(element, float_extrema):
        raise VerifyException(f"cannot combine elements of {element} by {mode}")


class MultimemOp(TiledAccessOp, RegistersOpInterface, ABC):
    """Base of the accesses of multicast memory."""

    custom_directives = (MemoryOrder, Modification)


@irdl_op_definition
class MultimemLoadReduceOp(MultimemOp, GlobalMemoryOpInterface):
    """Loads the tile of every device and combines the tiles."""

    name = "nv_tileaa.multimem_load_reduce"

    view = operand_def(TiledViewType)
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)
    rmw_mode = prop_def(RMWModeAttr)
    tile = result_def(TILES)
    result_token = result_def(MemTokenType)

    traits = traits_def(OrderedRead())
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) custom<Modification>($rmw_mode) "
        "$view `[` $coords `]` (`token` `=` $token^)? attr-dict "
        "`:` type($view) `[` type($coords) `]` `->` type($tile) `,` type($result_token)"
    )

    def __init__(
        self,
        view: SSAValue,
        coords: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        rmw_mode: RMWMode,
        mem_semantic: MemSemantic = MemSemantic.WEAK,
        mem_scope: MemScope | None = None,
        padding_value: PaddingValue | None = None,
        result_type: Attribute | None = None,
    ):
        assert isinstance(view.type, TiledViewType)
        super().__init__(
            operands=[view, coords, token],
            properties={
                **memory_order_properties(mem_semantic, mem_scope),
                "rmw_mode": RMWModeAttr(rmw_mode),
                "padding_value": None if padding_value is None else PaddingValueAttr(padding_value),
            },
            result_types=[result_type or view.type.tile_type, MemTokenType()],
        )

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "load")
        element = _verify_multicast(self.view.type)
        _verify_reduction(self.rmw_mode.data, element, (Float16Type, BFloat16Type))

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Packed(self.tile, is_loaded=True),)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=False)


STORE_FORMAT = (
    "$tile `,` $view `[` $coords `]` (`token` `=` $token^)? attr-dict "
    "`:` type($tile) `,` type($view) `[` type($coords) `]` `->` type($result_token)"
)


@irdl_op_definition
class MultimemReduceOp(MultimemOp, GlobalMemoryOpInterface):
    """Combines the tile of every device with `tile`, without a result."""

    name = "nv_tileaa.multimem_reduce"

    view = operand_def(TiledViewType)
    tile = operand_def(TILES)
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)
    rmw_mode = prop_def(RMWModeAttr)
    result_token = result_def(MemTokenType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) custom<Modification>($rmw_mode) "
        + STORE_FORMAT
    )

    def __init__(
        self,
        view: SSAValue,
        tile: SSAValue,
        coords: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        rmw_mode: RMWMode,
        mem_semantic: MemSemantic,
        mem_scope: MemScope | None,
    ):
        super().__init__(
            operands=[view, tile, coords, token],
            properties={
                **memory_order_properties(mem_semantic, mem_scope),
                "rmw_mode": RMWModeAttr(rmw_mode),
            },
            result_types=[MemTokenType()],
        )

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "reduction")
        _verify_reduction(self.rmw_mode.data, _verify_multicast(self.view.type), ())

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Packed(self.tile, is_loaded=False),)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True, follows_scratch=True)


@irdl_op_definition
class MultimemStoreOp(MultimemOp, GlobalMemoryOpInterface):
    """Stores the tile to the memory of every device."""

    name = "nv_tileaa.multimem_store"

    view = operand_def(TiledViewType)
    tile = operand_def(TILES)
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)
    result_token = result_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "custom<MemoryOrder>($mem_semantic, $mem_scope) " + STORE_FORMAT

    def __init__(
        self,
        view: SSAValue,
        tile: SSAValue,
        coords: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        mem_semantic: MemSemantic = MemSemantic.WEAK,
        mem_scope: MemScope | None = None,
    ):
        super().__init__(
            operands=[view, tile, coords, token],
            properties=memory_order_properties(mem_semantic, mem_scope),
            result_types=[MemTokenType()],
        )

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "store")
        _verify_multicast(self.view.type)

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Packed(self.tile, is_loaded=False),)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True, follows_scratch=True)


MultimemTileOp = MultimemLoadReduceOp | MultimemReduceOp | MultimemStoreOp
