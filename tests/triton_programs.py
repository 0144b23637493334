"""Triton kernels whose PTX the emulator runs."""

# Triton reads the annotations of parameters, and knows none that Python has.
# pyright: reportMissingParameterType=false, reportUnknownParameterType=false

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    row = tl.program_id(0) * columns
    values = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def transpose(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tile = tl.load(x + r[:, None] * COLUMNS + c[None, :])
    tl.store(out + c[:, None] * ROWS + r[None, :], tl.trans(tile))


@triton.jit
def reductions(x, sums, places, scans, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tile = tl.load(x + r[:, None] * COLUMNS + c[None, :])
    tl.store(sums + c, tl.sum(tile, axis=0))
    tl.store(places + r, tl.argmax(tile, axis=1))
    tl.store(scans + r[:, None] * COLUMNS + c[None, :], tl.cumsum(tile, axis=1))


@triton.jit
def atomics(x, total, bins, seen, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    values = tl.load(x + at, mask=inside, other=0)
    tl.atomic_add(bins + values % 16, 1, mask=inside)
    tl.atomic_max(seen, tl.max(values, axis=0))
    while tl.atomic_cas(total + 1, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + tl.sum(values, axis=0))
    tl.debug_barrier()
    tl.atomic_xchg(total + 1, 0)


@triton.jit
def elementwise(x, y, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    a, b = tl.load(x + at), tl.load(y + at)
    c = tl.where(a > b, tl.sqrt(tl.abs(a)), tl.sin(b) * tl.log(tl.abs(b) + 1))
    c += tl.math.rsqrt(tl.abs(a) + 1) + tl.floor(b) + tl.sigmoid(a) + tl.erf(b)
    wide = a.to(tl.bfloat16).to(tl.float32) + b.to(tl.float16).to(tl.float32)
    tl.store(out + at, c + wide + (a.to(tl.int32) % 7 // 2).to(tl.float32))


@triton.jit
def random_numbers(out, seed, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(out + at, tl.rand(seed, at))


@triton.jit
def gemm(
    a, b, c, k,
    M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """`c = a b` for one tile of rows per block, `b` given by columns."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns, inner = tl.arange(0, N), tl.arange(0, STEP)
    left = a + rows[:, None] * k + inner[None, :]
    right = b + columns[None, :] * k + inner[:, None]
    sums = tl.zeros((M, N), dtype=c.dtype.element_ty)
    for _ in range(0, k, STEP):
        sums = tl.dot(
            tl.load(left), tl.load(right), sums, input_precision=PRECISION, out_dtype=sums.dtype
        )
        left += STEP
        right += STEP
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@triton.jit
def gemm_of_tensors(a, b, c, k, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    sums = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, k, STEP):
        sums = tl.dot(a.load([row, at]), b.load([at, column]), sums)
    c.store([row, column], sums.to(tl.float16))


@triton.jit
def attention(q, k, v, out, length, ROWS: tl.constexpr, D: tl.constexpr):
    r, d = tl.arange(0, ROWS), tl.arange(0, D)
    rows = tl.program_id(0) * ROWS + r
    queries = tl.load(q + rows[:, None] * D + d[None, :])
    highest = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((ROWS,), dtype=tl.float32)
    sums = tl.zeros((ROWS, D), dtype=tl.float32)
    for at in range(0, length, ROWS):
        keys = tl.load(k + (at + r[None, :]) * D + d[:, None])
        values = tl.load(v + (at + r[:, None]) * D + d[None, :])
        scores = tl.dot(queries, keys)
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp(scores - new[:, None])
        scale = tl.exp(highest - new)
        weight = weight * scale + tl.sum(p, axis=1)
        sums = tl.dot(p.to(tl.float16), values, sums * scale[:, None])
        highest = new
    tl.store(out + rows[:, None] * D + d[None, :], sums / weight[:, None])


@triton.jit
def scaled_matmul(
    a, a_scales, b, b_scales, c,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FORMAT: tl.constexpr, PACKED: tl.constexpr,
):  # fmt: skip
    """`c = a b`, `b` given by columns; a scale of 8 bits belongs to 32 elements along k."""
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    inner, groups = tl.arange(0, K // PACKED), tl.arange(0, K // 32)
    left = tl.load(a + rows[:, None] * (K // PACKED) + inner[None, :])
    right = tl.load(b + columns[None, :] * (K // PACKED) + inner[:, None])
    left_scales = tl.load(a_scales + rows[:, None] * (K // 32) + groups[None, :])
    right_scales = tl.load(b_scales + columns[:, None] * (K // 32) + groups[None, :])
    sums = tl.dot_scaled(left, left_scales, FORMAT, right, right_scales, FORMAT)
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@triton.jit
def rearrangements(x, out, bins, SIZE: tl.constexpr):
    """Sorted, through 8 bits, gathered and reversed values, then the largest and its place."""
    at = tl.arange(0, SIZE)
    values = tl.load(x + at)
    tl.device_assert(values < 1000, "too large")
    tl.store(out + at, tl.sort(values))
    tl.store(out + SIZE + at, values.to(tl.float8e5).to(tl.float32) + values.to(tl.bfloat16))
    tl.store(out + 2 * SIZE + at, tl.gather(values, at * 7 % SIZE, 0))
    tl.store(out + 3 * SIZE + at, tl.flip(values))
    highest, place = tl.max(values, axis=0, return_indices=True)
    tl.store(out + 4 * SIZE, highest)
    tl.store(out + 4 * SIZE + 1, place)
    tl.store(bins + tl.arange(0, 16), tl.histogram(at % 16, 16))


@triton.jit
def prints(x, SIZE: tl.constexpr):
    tl.device_print("value", tl.load(x + tl.arange(0, SIZE)))
