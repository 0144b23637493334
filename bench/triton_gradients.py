"""Attention, backward, as one writes it in Triton: see `bench.attention_gradients`."""

# pyright: basic
import triton
import triton.language as tl


@triton.jit
def row_deltas(out, d_out, delta, ROWS: tl.constexpr, D: tl.constexpr):
    """The dots of rows of pointers."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * D + tl.arange(0, D)[None, :]
    x, y = tl.load(out + at).to(tl.float32), tl.load(d_out + at).to(tl.float32)
    tl.store(delta + rows, tl.sum(x * y, axis=1))


@triton.jit
def key_gradients(
    q, k, v, d_out, log, delta, d_k, d_v, length, scale,
    ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Descriptors of heads times rows by D, pointers to a number for each query."""
    block, head = tl.program_id(0), tl.program_id(1)
    base = head * length
    keys, values = k.load([base + block * KEYS, 0]), v.load([base + block * KEYS, 0])
    columns = block * KEYS + tl.arange(0, KEYS)
    sum_k = tl.zeros((KEYS, D), dtype=tl.float32)
    sum_v = tl.zeros((KEYS, D), dtype=tl.float32)
    first = block * KEYS // ROWS * ROWS if CAUSAL else 0
    for at in range(first, length, ROWS):
        rows = at + tl.arange(0, ROWS)
        queries, out = q.load([base + at, 0]), d_out.load([base + at, 0])
        scores = tl.dot(keys, queries.T) * scale
        weights = tl.exp2(scores - tl.load(log + base + rows)[None, :])
        if CAUSAL:
            weights = tl.where(columns[:, None] <= rows[None, :], weights, 0.0)
        d_weights = tl.dot(values, out.T)
        d_scores = weights * (d_weights - tl.load(delta + base + rows)[None, :])
        sum_v = tl.dot(weights.to(tl.bfloat16), out, sum_v)
        sum_k = tl.dot(d_scores.to(tl.bfloat16), queries, sum_k)
    factor = scale * 0.6931471805599453
    d_k.store([base + block * KEYS, 0], (sum_k * factor).to(tl.bfloat16))
    d_v.store([base + block * KEYS, 0], sum_v.to(tl.bfloat16))


@triton.jit
def query_gradients(
    q, k, v, d_out, log, delta, d_q, length, scale,
    ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """The same of queries."""
    block, head = tl.program_id(0), tl.program_id(1)
    base = head * length
    rows = block * ROWS + tl.arange(0, ROWS)
    queries, out = q.load([base + block * ROWS, 0]), d_out.load([base + block * ROWS, 0])
    logs, deltas = tl.load(log + base + rows)[:, None], tl.load(delta + base + rows)[:, None]
    total = tl.zeros((ROWS, D), dtype=tl.float32)
    end = tl.minimum(length, (block + 1) * ROWS) if CAUSAL else length
    for at in range(0, end, KEYS):
        keys, values = k.load([base + at, 0]), v.load([base + at, 0])
        weights = tl.exp2(tl.dot(queries, keys.T) * scale - logs)
        if CAUSAL:
            columns = at + tl.arange(0, KEYS)
            weights = tl.where(columns[None, :] <= rows[:, None], weights, 0.0)
        d_scores = weights * (tl.dot(out, values.T) - deltas)
        total = tl.dot(d_scores.to(tl.bfloat16), keys, total)
    factor = scale * 0.6931471805599453
    d_q.store([base + block * ROWS, 0], (total * factor).to(tl.bfloat16))
