"""Block scales of `mma.sync`: bytes in a register word of a lane.

An instruction names the first byte of its scales, and which lanes of every four hold them (PTX ISA,
"Block Scaling"). So one word serves up to four steps along K and four fragments. The layouts of
`layout.fragments.scales_a` and `scales_b` place the bytes so.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.nvvm.attributes import MMAType
from tileir_xdsl.dialects.nvvm.mma_attributes import (
    BlockScaleFormat,
    BlockScaleKind,
    ScaleVectorSize,
)
from tileir_xdsl.dialects.nvvm.scaled_matrix import MmaBlockScaleOp, Scale
from tileir_xdsl.layout.fragments import Position
from tileir_xdsl.layout.linear import LinearLayout, element_strides
from tileir_xdsl.targets.mma import MMAAtom, MMAShape

from ..shared_memory.scratch import LoadedTile
from ..thread.builder import LLVMBuilder
from ..thread.packed_registers import pack
from .fragments import registers_by_coordinate

WORD_SCALES = 4
"""The scales in a register."""
I16 = IntegerType(16)


class BlockScales:
    """The scales of A or B in registers or shared memory, packed once into words."""

    def __init__(
        self,
        tile: Sequence[SSAValue] | LoadedTile,
        layout: LinearLayout,
        block: int,
        builder: LLVMBuilder,
        *,
        of_a: bool,
    ):
        self._tile, self._layout, self._block = tile, layout, block
        self._builder, self._of_a = builder, of_a
        self._held = registers_by_coordinate(layout)
        self._words: dict[tuple[int, ...], SSAValue] = {}
        # Rows of A are along the first dimension, columns of B along the second.
        stride = element_strides(layout.shape)[-2 if of_a else -1]
        # The lanes of every four that an instruction does not read by itself have other scales.
        own = 1 if of_a else 0
        self._threads = tuple(base // stride for base in layout.lane[own:2] if base)

    def at(self, batch: tuple[int, ...], first: Position) -> Scale:
        """The scales for the instruction whose operand begins at a row and column of A or B."""
        row, column = first
        position, k = (row, column) if self._of_a else (column, row)
        thread = 0
        for number, step in enumerate(self._threads):
            if position & step:
                thread, position = thread | 1 << number, position - step
        block = k // self._block
        word, byte = block - block % WORD_SCALES, block % WORD_SCALES
        integer = self._builder.integer
        return self._word(batch, position, word), integer(byte, I16), integer(thread, I16)

    def _word(self, batch: tuple[int, ...], position: int, first: int) -> SSAValue:
        key = (*batch, position, first)
        if key not in self._words:
            of_a = self._of_a
            blocks = self._layout.shape[-1 if of_a else -2]
            extent = self._layout.shape[-2 if of_a else -1]
            numbers = [
                self._held[*batch, *((position % extent, k) if of_a else (k, position % extent))]
                for k in range(first, min(first + WORD_SCALES, blocks))
            ]
            self._words[key] = self._packed(numbers)
        return self._words[key]

    def _packed(self, numbers: Sequence[int]) -> SSAValue:
        tile = self._tile
        if not isinstance(tile, LoadedTile):
            return pack(self._builder, [tile[number] for number in numbers])[0]
        word = tile.vector_word(numbers)
        if word is not None:
            return word
        return pack(self._builder, [tile.register(number) for number in numbers])[0]


def scaled_mma(
    a: Sequence[SSAValue],
    b: Sequence[SSAValue],
    c: Sequence[SSAValue],
    scales: tuple[Scale, Scale],
    atom: MMAAtom,
    shape: MMAShape,
) -> MmaBlockScaleOp:
    """An `mma.sync` instruction with block scales."""
    kind = next(kind for kind in BlockScaleKind if f".kind::{kind.value}." in atom.ptx)
    return MmaBlockScaleOp(
        a,
        b,
        c,
        *scales,
        (shape.m, shape.n, atom.packing * shape.k),
        (MMAType(atom.numbers[0]), MMAType(atom.numbers[1])),
        kind,
        ScaleVectorSize(f"x{shape.k // atom.scale_block}"),
        BlockScaleFormat(atom.scale),
    )
