"""A transposed copy through swizzled shared memory: 16-byte accesses to global memory both ways.

`B[N, M] = A[M, N]^T` of f32, tiles of 64 x 64. Row r of a tile is 16 chunks of four elements; chunk
c is at c xor (r / 4 mod 8). So eight lanes that write chunks of a row are in different banks, and
so are 32 lanes that read four neighbouring columns at every fourth row.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, VectorType, f32, i32
from xdsl.ir import SSAValue

from tests.kernel_generators.bugs import Bug
from tests.kernel_generators.builder import GLOBAL, KernelBuilder, Parameter
from tests.kernel_generators.case import Case, Problem
from tileir_xdsl.dialects.llvm import LoadOp, StoreOp
from tileir_xdsl.dialects.nvvm.special_registers import BlockIdXOp

TILE = 64
VECTOR = 4
"""Elements of an access of 16 bytes."""
CHUNKS = TILE // VECTOR
THREADS = 256
SHARED_BYTES = TILE * TILE * 4

TRANSPOSE_BUGS = {
    "the tile is read before it is there": Bug("the tile is there"),
    "the tile is overwritten while it is read": Bug("the tile is read"),
}


def transpose_module(bug: Bug | None = None) -> ModuleOp:
    """The kernel `transpose(A, B, M, N)`; M and N are multiples of 64, the grid is M / 64.

    A block copies a row of tiles, one after the other, through one buffer.
    """
    return _Generator(bug).module()


class _Generator:
    def __init__(self, bug: Bug | None):
        parameters = [Parameter(GLOBAL), Parameter(GLOBAL), Parameter(i32), Parameter(i32)]
        self.k = KernelBuilder("transpose", parameters, THREADS, bug=bug)
        self.vector = VectorType(f32, (VECTOR,))

    def module(self) -> ModuleOp:
        k = self.k
        source, target, rows, columns = k.arguments
        thread = k.thread()
        first_row = k.times(k.add(BlockIdXOp()), TILE)
        # A warp reads two rows of the tile, and writes four columns of 32 rows each.
        row, chunk = k.shift_right(thread, 4), k.bits_and(thread, CHUNKS - 1)
        lane, warp = k.bits_and(thread, 31), k.shift_right(thread, 5)
        column = k.plus(k.times(warp, 8), k.bits_and(lane, 3))
        quad = k.shift_right(lane, 2)
        self.row_step = k.times(k.widened(columns), THREADS // CHUNKS * 4)
        self.column_step = k.times(k.widened(rows), 4 * 4)
        place = k.plus(k.times(k.plus(first_row, row), columns), k.times(chunk, VECTOR))
        loads = k.offset(source, k.widened(place), f32)
        place = k.plus(k.times(column, rows), k.plus(first_row, k.times(quad, VECTOR)))
        stores = k.offset(target, k.widened(place), f32)
        self.written = [self._chunk(k.plus(row, 16 * part), chunk) for part in range(4)]
        self.read = [self._element(quad, column, half) for half in range(2)]
        self.tile_step = k.times(k.widened(rows), TILE * 4)
        initial = [k.quotient(columns, TILE), loads, stores]
        k.repeat(initial, self._copy)
        return k.module()

    def _chunk(self, row: SSAValue, chunk: SSAValue) -> SSAValue:
        """Where a chunk of a row is in the buffer."""
        k = self.k
        mixed = k.bits_xor(chunk, k.bits_and(k.shift_right(row, 2), 7))
        return k.offset(k.shared, k.plus(k.times(row, TILE * 4), k.shift_left(mixed, 4)))

    def _element(self, quad: SSAValue, column: SSAValue, half: int) -> SSAValue:
        """Where a thread's column is in row 4 * quad; for the second half four columns on."""
        k = self.k
        column = k.plus(column, 4 * half)
        chunk = k.bits_xor(k.shift_right(column, 2), quad)
        within = k.shift_left(k.bits_and(column, 3), 2)
        row = k.times(quad, VECTOR * TILE * 4)
        return k.offset(k.shared, k.plus(k.plus(row, k.shift_left(chunk, 4)), within))

    def _copy(self, carried: Sequence[SSAValue]) -> tuple[Sequence[SSAValue], SSAValue]:
        k = self.k
        left, loads, stores = carried
        pointer = loads
        for place in self.written:
            k.run(StoreOp(k.add(LoadOp(pointer, self.vector, 16)), place, 16))
            pointer = k.offset(pointer, self.row_step)
        k.barrier("the tile is there")
        pointer = stores
        for half in self.read:
            # 32 rows further down is the same chunk: the swizzle has a period of 32 rows.
            for below in range(2):
                k.run(StoreOp(self._column(half, below), k.offset(pointer, 32 * 4 * below), 16))
            pointer = k.offset(pointer, self.column_step)
        k.barrier("the tile is read")
        following = [
            k.minus(left, 1),
            k.offset(loads, TILE * 4),
            k.offset(stores, self.tile_step),
        ]
        return following, k.compare("sgt", following[0], 0)

    def _column(self, place: SSAValue, below: int) -> SSAValue:
        """Four elements of a column, of neighbouring rows."""
        k = self.k
        result = k.add(llvm.UndefOp(self.vector))
        for row in range(VECTOR):
            element = k.offset(place, (32 * below + row) * TILE * 4)
            value = k.add(LoadOp(element, f32, 4))
            result = k.add(llvm.InsertElementOp(result, value, k.integer(row)))
        return result


def transpose_problem(m: int, n: int) -> Problem:
    """A random matrix and its transpose."""
    a = np.random.default_rng(m + n).standard_normal((m, n)).astype(np.float32)
    b = np.zeros((n, m), np.float32)
    return Problem([a, b, m, n], b, a.T)


def transpose_case(name: str, m: int, n: int, bugs: Mapping[str, Bug] | None = None) -> Case:
    """The transpose of a random matrix of these extents, multiples of 64."""
    return Case(
        name,
        "sm_80",
        transpose_module,
        (m // TILE, 1, 1),
        SHARED_BYTES,
        lambda: transpose_problem(m, n),
        bugs or {},
    )
