"""Kernels that memory bounds, as one writes them in Triton: a block has a row, or a tile."""

# pyright: basic
import triton
import triton.language as tl


@triton.jit
def copy_rows(x, out, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + at, tl.load(x + at))


@triton.jit
def transpose(x, out, rows, columns, TILE: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)
    tile = tl.load(x + i[:, None] * columns + j[None, :])
    tl.store(out + j[:, None] * rows + i[None, :], tile.T)


@triton.jit
def gather_rows(table, numbers, out, SIZE: tl.constexpr):
    i, at = tl.program_id(0), tl.arange(0, SIZE)
    number = tl.load(numbers + i)
    tl.store(out + i * SIZE + at, tl.load(table + number * SIZE + at))


@triton.jit
def row_sum(x, out, SIZE: tl.constexpr):
    i = tl.program_id(0)
    tl.store(out + i, tl.sum(tl.load(x + i * SIZE + tl.arange(0, SIZE)), axis=0))


@triton.jit
def cross_entropy(x, labels, out, SIZE: tl.constexpr):
    i = tl.program_id(0)
    row = tl.load(x + i * SIZE + tl.arange(0, SIZE))
    chosen = tl.load(x + i * SIZE + tl.load(labels + i))
    largest = tl.max(row, axis=0)
    total = tl.sum(tl.exp(row - largest), axis=0)
    tl.store(out + i, tl.log(total) + largest - chosen)


@triton.jit
def rope(x, cosines, sines, out, positions, HALF: tl.constexpr):
    i, at = tl.program_id(0), tl.arange(0, HALF)
    first, second = tl.load(x + i * 2 * HALF + at), tl.load(x + i * 2 * HALF + HALF + at)
    angle = i % positions * HALF + at
    c, s = tl.load(cosines + angle), tl.load(sines + angle)
    tl.store(out + i * 2 * HALF + at, first * c - second * s)
    tl.store(out + i * 2 * HALF + HALF + at, second * c + first * s)
