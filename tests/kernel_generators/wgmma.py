"""What kernels with wgmma share: tiles in shared memory as boxes of 128 bytes by rows.

A row of a box is 128 bytes in the 128-byte swizzle: the 16-byte chunk c of row r is at chunk
c xor (r mod 8). A wider tile is several boxes, one after the other.
Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "Strides" and "Swizzling".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import BFloat16Type, Float16Type, IntegerType, bf16, f16
from xdsl.ir import SSAValue

from tests.kernel_generators.builder import SHARED_CLUSTER, KernelBuilder, Value
from tileir_xdsl.dialects.llvm import AddrSpaceCastOp
from tileir_xdsl.dialects.nvvm.attributes import MMALayout, WGMMAScaleOut, WGMMAType
from tileir_xdsl.dialects.nvvm.matrix import StMatrixOp
from tileir_xdsl.dialects.nvvm.mbarriers import MBarrierArriveExpectTxOp
from tileir_xdsl.dialects.nvvm.tensor_copies import (
    CpAsyncBulkTensorGlobalToSharedClusterOp,
    CpAsyncBulkTensorSharedCTAToGlobalOp,
)
from tileir_xdsl.dialects.nvvm.wgmma import WgmmaMmaAsyncOp, WgmmaMmaAsyncRegisterOp

ROW_BYTES = 128
BOX_COLUMNS = 64
"""Elements of 16 bits in a row of a box."""
STEP_BYTES = 32
"""Bytes along k that one wgmma takes."""
WARPGROUP = 128
WARPGROUP_ROWS = 64

HALF_TYPES: dict[WGMMAType, Float16Type | BFloat16Type] = {
    WGMMAType.F16: f16,
    WGMMAType.BF16: bf16,
}
"""The element types of 16 bits."""

ELEMENT_BYTES = {
    WGMMAType.F16: 2,
    WGMMAType.BF16: 2,
    WGMMAType.TF32: 4,
    WGMMAType.E4M3: 1,
    WGMMAType.S8: 1,
}


@dataclass(frozen=True)
class Operand:
    """A tile in shared memory as an operand of wgmma.

    K-major has rows of k elements; else, for elements of 16 bits, a row is one k, and the boxes lie
    along m or n.
    """

    rows: int
    is_k_major: bool

    @property
    def box_bytes(self) -> int:
        """The bytes of a box, 64 columns."""
        return self.rows * ROW_BYTES

    @property
    def layout_of_a(self) -> MMALayout:
        return MMALayout.ROW if self.is_k_major else MMALayout.COLUMN

    @property
    def layout_of_b(self) -> MMALayout:
        return MMALayout.COLUMN if self.is_k_major else MMALayout.ROW

    def descriptor_bits(self) -> int:
        """All fields of a matrix descriptor but the address: 128-byte swizzle, strides."""
        leading = 16 if self.is_k_major else self.box_bytes
        stride = 8 * ROW_BYTES
        return 1 << 62 | stride >> 4 << 32 | leading >> 4 << 16

    def step_bytes(self, step: int) -> int:
        """How far the operand of a step along k is from that of step 0."""
        if not self.is_k_major:
            return step * STEP_BYTES // 2 * ROW_BYTES
        box, within = divmod(step * STEP_BYTES, ROW_BYTES)
        return box * self.box_bytes + within


def descriptor(builder: KernelBuilder, operand: Operand, pointer: SSAValue) -> SSAValue:
    """The matrix descriptor of an operand that starts at `pointer`."""
    address = builder.bits_and(builder.address(pointer), 0x3FFFF)
    encoded = builder.widened(builder.shift_right(address, 4))
    return builder.bits_or(encoded, operand.descriptor_bits())


def advanced(builder: KernelBuilder, descriptor: SSAValue, bytes: int) -> SSAValue:
    """The descriptor of the same operand a number of bytes further, a multiple of 16."""
    return builder.plus(descriptor, bytes >> 4) if bytes else descriptor


@dataclass(frozen=True)
class Dot:
    """Products `D = A * B + D` of 64 rows by a warpgroup, in sums of 32 bits."""

    n: int
    element: WGMMAType
    a: Operand
    b: Operand

    def accumulate(
        self,
        builder: KernelBuilder,
        sums: SSAValue,
        a: SSAValue | Sequence[SSAValue],
        b: SSAValue,
        steps: int,
        *,
        overwrites: bool = False,
    ) -> SSAValue:
        """Issues the products of `steps` steps along k; the first may overwrite the sums.

        `a` is a descriptor, or for each step four registers that hold a fragment.
        """
        shape = (WARPGROUP_ROWS, self.n, STEP_BYTES // ELEMENT_BYTES[self.element])
        total = WGMMAType.S32 if self.element is WGMMAType.S8 else WGMMAType.F32
        types = (total, self.element, self.element)
        for step in range(steps):
            b_step = advanced(builder, b, self.b.step_bytes(step))
            scale = WGMMAScaleOut.ZERO if overwrites and step == 0 else WGMMAScaleOut.ONE
            if isinstance(a, SSAValue):
                a_step = advanced(builder, a, self.a.step_bytes(step))
                layouts = (self.a.layout_of_a, self.b.layout_of_b)
                op = WgmmaMmaAsyncOp(sums, a_step, b_step, shape, types, layouts, scale_d=scale)
            else:
                fragment = a[4 * step : 4 * step + 4]
                layouts = (MMALayout.ROW, self.b.layout_of_b)
                op = WgmmaMmaAsyncRegisterOp(
                    sums, fragment, b_step, shape, types, layouts, scale_d=scale
                )
            sums = builder.add(op)
        return sums


def expect_bytes(builder: KernelBuilder, site: str, barrier: SSAValue, bytes: int) -> None:
    """Arrives at the barrier of a stage, and tells how many bytes are on their way to it."""
    if builder.sites.keeps(site):
        count = builder.integer(builder.sites.number(f"bytes of: {site}", bytes))
        builder.run(MBarrierArriveExpectTxOp(barrier, count))


def load_boxes(
    builder: KernelBuilder,
    tensor_map: SSAValue,
    destination: SSAValue,
    box_bytes: int,
    columns: Sequence[Value],
    rows: Sequence[Value],
    barrier: SSAValue,
    blocks: int | None = None,
) -> None:
    """Copies boxes of a tensor that start at these columns to places one after the other.

    `rows` are the coordinates in the other dimensions, the fastest first. With a mask of `blocks`
    of the cluster, the copy goes to all of these, and their barriers count its bytes.
    """
    mask = None if blocks is None else builder.integer(blocks, IntegerType(16))
    for number, column in enumerate(columns):
        place = builder.offset(destination, number * box_bytes)
        builder.run(
            CpAsyncBulkTensorGlobalToSharedClusterOp(
                builder.add(AddrSpaceCastOp(place, SHARED_CLUSTER)),
                tensor_map,
                [builder.integer(coordinate) for coordinate in (column, *rows)],
                barrier,
                multicast_mask=mask,
            )
        )


def store_boxes(
    builder: KernelBuilder,
    tensor_map: SSAValue,
    source: SSAValue,
    box_bytes: int,
    columns: Sequence[Value],
    rows: Sequence[Value],
) -> None:
    """Copies boxes back to a tensor; the group is yet to be committed."""
    for number, column in enumerate(columns):
        place = builder.offset(source, number * box_bytes)
        coordinates = [builder.integer(coordinate) for coordinate in (column, *rows)]
        builder.run(CpAsyncBulkTensorSharedCTAToGlobalOp(tensor_map, place, coordinates))


def stage_sums(
    builder: KernelBuilder,
    sums: Sequence[SSAValue],
    element: WGMMAType,
    destination: SSAValue,
    box_bytes: int,
    warp: SSAValue,
    lane: SSAValue,
) -> None:
    """Writes the accumulator of 64 rows, rounded, to boxes at `destination`.

    Four matrices of 8x8 are 16 rows by 32 bytes: lane l gives the address of row l mod 16, and of
    the first 16 bytes where l < 16. `warp` is the number of the warp in its warpgroup.
    """
    row = builder.plus(builder.shift_left(warp, 4), builder.bits_and(lane, 15))
    start = builder.offset(destination, builder.shift_left(row, 7))
    within, half = builder.bits_and(row, 7), builder.shift_right(lane, 4)
    pointers: list[SSAValue] = []
    for pair in range(4):
        chunk = builder.bits_xor(builder.bits_or(half, 2 * pair), within)
        pointers.append(builder.offset(start, builder.shift_left(chunk, 4)))
    type = HALF_TYPES[element]
    packed = [
        builder.packed(low, high, type) for low, high in zip(sums[::2], sums[1::2], strict=True)
    ]
    for number in range(len(packed) // 4):
        box, pair = divmod(number, 4)
        place = builder.offset(pointers[pair], box * box_bytes)
        builder.run(StMatrixOp(place, packed[4 * number : 4 * number + 4]))
