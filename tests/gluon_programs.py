"""Gluon kernels: layouts by hand, and partitions of warps that work on their own."""

# Gluon reads the annotations, and what it computes while it compiles is of type `constexpr`.
# pyright: reportMissingParameterType=false, reportUnknownParameterType=false
# pyright: reportAssignmentType=false, reportArgumentType=false

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier


@gluon.jit
def transpose(x, out, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    by_rows: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    by_columns: gl.constexpr = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])
    row = gl.arange(0, ROWS, gl.SliceLayout(1, by_rows))[:, None]
    column = gl.arange(0, COLUMNS, gl.SliceLayout(0, by_rows))[None, :]
    tile = gl.convert_layout(gl.load(x + row * COLUMNS + column), by_columns)
    row = gl.arange(0, ROWS, gl.SliceLayout(1, by_columns))[:, None]
    column = gl.arange(0, COLUMNS, gl.SliceLayout(0, by_columns))[None, :]
    gl.store(out + column * ROWS + row, tile)


@gluon.jit
def consume(out, buffer, full, empty, STEPS: gl.constexpr, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    place = gl.arange(0, SIZE, layout)
    total = gl.zeros([SIZE], gl.float32, layout)
    for i in range(STEPS):
        mbarrier.wait(full, i & 1)
        total += buffer.load(layout)
        mbarrier.arrive(empty, count=1)
    gl.store(out + place, total)


@gluon.jit
def produce(x, buffer, full, empty, STEPS: gl.constexpr, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    place = gl.arange(0, SIZE, layout)
    for i in range(STEPS):
        values = gl.load(x + i * SIZE + place)
        mbarrier.wait(empty, (i & 1) ^ 1)
        buffer.store(values * 2.0)
        mbarrier.arrive(full, count=1)


@gluon.jit
def doubled_sum(x, out, STEPS: gl.constexpr, SIZE: gl.constexpr):
    """Four warps double rows and pass them through shared memory to four that add them."""
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(gl.float32, [SIZE], shared)
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(full, count=1)
    mbarrier.init(empty, count=1)
    fence_async_shared()
    gl.warp_specialize(
        [
            (consume, (out, buffer, full, empty, STEPS, SIZE)),
            (produce, (x, buffer, full, empty, STEPS, SIZE)),
        ],
        [4],
        [40],
    )
