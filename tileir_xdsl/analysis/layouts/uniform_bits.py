"""The bits of the element index on which the elements of a tile do not depend.

A broadcast repeats its elements along a dimension, a splat along all of them. An elementwise op
repeats its elements wherever all its operands do. A thread needs only one of the registers that
differ in such bits alone.
"""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, OpResult, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.layouts.transfer import is_elementwise
from tileir_xdsl.analysis.values.on_demand import FactsOnDemand
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import OrderedElementsOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.linear import index_bits


class UniformBits(FactsOnDemand[int]):
    """The bits of the row-major index of an element that make no difference to it, as masks."""

    def sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """The tiles that decide the mask of a value."""
        if not isinstance(value, OpResult):
            return ()
        op = value.op
        if isinstance(op, nv_tileaa.BroadcastOp | nv_tileaa.PermuteOp | OrderedElementsOpInterface):
            return (op.operands[0],)
        return tuple(op.operands) if is_elementwise(op) else ()

    def registers(self, op: Operation, *tiles: SSAValue) -> int:
        """How many different values, or groups of values, tiles of one layout have in a thread."""
        # All registers of a scalar are one.
        spread = [tile for tile in tiles if tile_shape(tile.type).shape]
        layout = layout_of(op, spread[0]) if spread else None
        if layout is None:
            return 1
        uniform = _all_bits(spread[0])
        for tile in spread:
            uniform &= self.of(tile)
        return 1 << f2.rank([base & ~uniform for base in layout.register])

    def fact(self, value: SSAValue) -> int:
        """The mask of a tile."""
        whole = _all_bits(value)
        if not isinstance(value, OpResult):
            return 0
        op = value.op
        match op:
            case nv_tileaa.SplatOp():
                return whole
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as elements):
                data, size = elements.data.data, elements.get_element_type().compile_time_size
                return whole if data == data[:size] * (len(data) // size) else 0
            case nv_tileaa.BroadcastOp():
                return self._broadcast(op)
            case nv_tileaa.PermuteOp():
                return self._permuted(op)
            case OrderedElementsOpInterface():
                return self.known[op.repeated]
            case _ if self.sources(value):
                for operand in op.operands:
                    # A scalar is the same for all elements.
                    whole &= self.known[operand] if tile_shape(operand.type).shape else whole
                return whole
            case _:
                return 0

    def _broadcast(self, op: nv_tileaa.BroadcastOp) -> int:
        known = self.known[op.source]
        before, after = tile_shape(op.source.type).shape, tile_shape(op.result.type).shape
        mask = 0
        for held, bits in zip(index_bits(before), index_bits(after), strict=True):
            for place, bit in enumerate(bits):
                # Bits that the source has not are those of a dimension of one element.
                is_uniform = place >= len(held) or known >> held[place] & 1
                mask |= is_uniform << bit
        return mask

    def _permuted(self, op: nv_tileaa.PermuteOp) -> int:
        known, held = self.known[op.source], index_bits(tile_shape(op.source.type).shape)
        mask = 0
        wanted = index_bits(tile_shape(op.result.type).shape)
        for bits, dim in zip(wanted, op.get_permutation(), strict=True):
            for bit, source in zip(bits, held[dim], strict=True):
                mask |= (known >> source & 1) << bit
        return mask


def _all_bits(value: SSAValue) -> int:
    size = 1
    for extent in tile_shape(value.type).shape:
        size *= extent
    return size - 1
