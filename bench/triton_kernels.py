"""Matrix products and attention for the benchmarks, as one writes them in Triton."""

# pyright: basic
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, k, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    """`c = a b` of tensor descriptors, a tile of `c` for each block."""
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    sums = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, k, STEP):
        sums = tl.dot(a.load([row, at]), b.load([at, column]), sums)
    c.store([row, column], sums.to(tl.bfloat16))


@triton.jit
def attention(
    q, k, v, out, length, scale,
    ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Softmax of `q k` times `v`: descriptors of heads times rows by D, `scale` to base two."""
    block, head = tl.program_id(0), tl.program_id(1)
    rows = block * ROWS + tl.arange(0, ROWS)
    queries = q.load([head * length + block * ROWS, 0])
    highest = tl.full((ROWS,), -1e30, dtype=tl.float32)
    weight = tl.zeros((ROWS,), dtype=tl.float32)
    sums = tl.zeros((ROWS, D), dtype=tl.float32)
    end = tl.minimum(length, (block + 1) * ROWS) if CAUSAL else length
    for at in range(0, end, KEYS):
        keys = k.load([head * length + at, 0])
        scores = tl.dot(queries, keys.T) * scale
        if CAUSAL:
            later = (at + tl.arange(0, KEYS))[None, :] > rows[:, None]
            scores = tl.where(later, -1e30, scores)
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new[:, None])
        change = tl.exp2(highest - new)
        weight = weight * change + tl.sum(p, axis=1)
        values = v.load([head * length + at, 0])
        sums = tl.dot(p.to(tl.bfloat16), values, sums * change[:, None])
        highest = new
    out.store([head * length + block * ROWS, 0], (sums / weight[:, None]).to(tl.bfloat16))


@triton.jit
def ragged_attention(
    q, k, v, out, length, scale,
    ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """The same of any length: descriptors of heads, rows and D; quotients are rounded once."""
    block, head = tl.program_id(0), tl.program_id(1)
    rows = block * ROWS + tl.arange(0, ROWS)
    queries = q.load([head, block * ROWS, 0]).reshape(ROWS, D)
    highest = tl.full((ROWS,), -1e30, dtype=tl.float32)
    weight = tl.zeros((ROWS,), dtype=tl.float32)
    sums = tl.zeros((ROWS, D), dtype=tl.float32)
    end = tl.minimum(length, (block + 1) * ROWS) if CAUSAL else length
    for at in range(0, end, KEYS):
        keys = k.load([head, at, 0]).reshape(KEYS, D)
        scores = tl.dot(queries, keys.T) * scale
        columns = (at + tl.arange(0, KEYS))[None, :]
        allowed = columns < length
        if CAUSAL:
            allowed = allowed & (columns <= rows[:, None])
        scores = tl.where(allowed, scores, -1e30)
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new[:, None])
        change = tl.exp2(highest - new)
        weight = weight * change + tl.sum(p, axis=1)
        values = v.load([head, at, 0]).reshape(KEYS, D)
        sums = tl.dot(p.to(tl.bfloat16), values, sums * change[:, None])
        highest = new
    result = tl.div_rn(sums, tl.broadcast_to(weight[:, None], (ROWS, D))).to(tl.bfloat16)
    out.store([head, block * ROWS, 0], result.reshape(1, ROWS, D))
