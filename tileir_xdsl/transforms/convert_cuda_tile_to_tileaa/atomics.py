"""Atomic operations through tiles of pointers and on tiles of a view."""

from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.atomics import ModifyingOperation
from tileir_xdsl.dialects.enumerations import RMWMode
from tileir_xdsl.dialects.enumerations import RMWMode as AtomicRMWMode
from tileir_xdsl.dialects.nv_tileaa.attributes import RMWModeAttr
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import memory_order
from .patterns import ConvertOp, build
from .views import view_properties


def mode_property(op: ModifyingOperation) -> dict[str, Attribute]:
    """The read-modify-write mode, which has the same name in both dialects."""
    return {"rmw_mode": RMWModeAttr(RMWMode(op.mode.value))}


class ConvertAtomicRMW(ConvertOp[cuda_tile.AtomicRMWTkoOp]):
    def convert(self, op: cuda_tile.AtomicRMWTkoOp) -> Operation:
        return build(
            nv_tileaa.AtomicRMWOp,
            [
                self.conversion.value(op.pointers),
                self.conversion.value(op.arg),
                self.conversion.optional(op.mask),
                self.conversion.optional(op.token),
            ],
            memory_order(op) | mode_property(op),
            self.conversion.converter.convert_all(op.result_types),
        )


class ConvertAtomicCAS(ConvertOp[cuda_tile.AtomicCASTkoOp]):
    def convert(self, op: cuda_tile.AtomicCASTkoOp) -> Operation:
        return build(
            nv_tileaa.AtomicCASOp,
            [
                self.conversion.value(op.pointers),
                self.conversion.value(op.cmp),
                self.conversion.value(op.val),
                self.conversion.optional(op.mask),
                self.conversion.optional(op.token),
            ],
            memory_order(op),
            self.conversion.converter.convert_all(op.result_types),
        )


def tiled_mode_property(op: ModifyingOperation) -> dict[str, Attribute]:
    """The read-modify-write mode; on tiles of a view, `add` also adds floats."""
    # The element type says that it is a float; `addf` is a mode of its own for pointers alone.
    mode = RMWMode.ADD if op.mode == AtomicRMWMode.ADDF else RMWMode(op.mode.value)
    return {"rmw_mode": RMWModeAttr(mode)}


class ConvertAtomicRedView(ConvertOp[cuda_tile.AtomicRedViewTkoOp]):
    def convert(self, op: cuda_tile.AtomicRedViewTkoOp) -> Operation:
        return build(
            nv_tileaa.TiledAtomicRMWOp,
            [
                self.conversion.value(op.view),
                self.conversion.value(op.value),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            view_properties(op, self.architecture) | tiled_mode_property(op),
            self.conversion.converter.convert_all(op.result_types),
        )


def atomic_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """All atomic operations."""
    return {
        cuda_tile.AtomicCASTkoOp: ConvertAtomicCAS(conversion, target),
        cuda_tile.AtomicRMWTkoOp: ConvertAtomicRMW(conversion, target),
        cuda_tile.AtomicRedViewTkoOp: ConvertAtomicRedView(conversion, target),
    }
