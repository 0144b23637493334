"""Matrix products and attention for the benchmarks, as one writes them in Triton."""

# pyright: basic, reportGeneralTypeIssues=false
import triton
import triton.language as tl


@triton.jit
def tile_of(number, high, wide, GROUP: tl.constexpr):
    """The row and the column of a tile by its number, so that GROUP rows of tiles go together."""
    first = number // (GROUP * wide) * GROUP
    count = tl.minimum(high - first, GROUP)
    within = number % (GROUP * wide)
    return first + within % count, within // count


@triton.jit
def in_groups(GROUP: tl.constexpr):
    """The tile of a block of a grid in two dimensions."""
    if GROUP == 1:
        return tl.program_id(0), tl.program_id(1)
    high, wide = tl.num_programs(0), tl.num_programs(1)
    return tile_of(tl.program_id(1) * high + tl.program_id(0), high, wide, GROUP)


@triton.jit
def matmul(
    a, b, c, k,
    M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr,
    TRANSPOSED: tl.constexpr, GROUP: tl.constexpr, SUMS: tl.constexpr,
):  # fmt: skip
    """`c = a b`, or of b transposed, of tensor descriptors: a tile of `c` for each block."""
    i, j = in_groups(GROUP)
    row, column = i * M, j * N
    sums = tl.zeros((M, N), dtype=SUMS)
    for at in range(0, k, STEP):
        if TRANSPOSED:
            sums = tl.dot(a.load([row, at]), b.load([column, at]).T, sums)
        else:
            sums = tl.dot(a.load([row, at]), b.load([at, column]), sums)
    c.store([row, column], sums.to(c.dtype))


@triton.jit
def persistent_matmul(
    a, b, c, m, n, k,
    M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, GROUP: tl.constexpr, HALVES: tl.constexpr,
):  # fmt: skip
    """`c = a b`: blocks go on from tile to tile, and store HALVES of them one after the other."""
    high, wide = tl.cdiv(m, M), tl.cdiv(n, N)
    for number in tl.range(tl.program_id(0), high * wide, tl.num_programs(0), flatten=True):
        i, j = tile_of(number, high, wide, GROUP)
        row, column = i * M, j * N
        sums = tl.zeros((M, N), dtype=tl.float32)
        for at in range(0, k, STEP):
            sums = tl.dot(a.load([row, at]), b.load([at, column]), sums)
        if HALVES:
            left, right = tl.split(tl.permute(tl.reshape(sums, (M, 2, N // 2)), (0, 2, 1)))
            c.store([row, column], left.to(c.dtype))
            c.store([row, column + N // 2], right.to(c.dtype))
        else:
            c.store([row, column], sums.to(c.dtype))


@triton.jit
def grouped_matmul(
    a, b, experts, c, k,
    M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """`c = a b` with the matrix b of the expert of each tile of rows."""
    i, j = in_groups(GROUP)
    row, column, expert = i * M, j * N, tl.load(experts + i)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, k, STEP):
        right = b.load([expert, at, column]).reshape(STEP, N)
        sums = tl.dot(a.load([row, at]), right, sums)
    c.store([row, column], sums.to(c.dtype))


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


@triton.jit
def matmul_of_pointers(
    a, b, c, m, n, k, a_pitch, b_pitch, c_pitch,
    M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr,
):  # fmt: skip
    """`c = a b` of any size, by tiles of pointers."""
    row, column = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    steps = tl.arange(0, STEP)
    a_tile = a + (row[:, None] * a_pitch + steps[None, :])
    b_tile = b + (steps[:, None] * b_pitch + column[None, :])
    in_rows, in_columns = row[:, None] < m, column[None, :] < n
    sums = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, k, STEP):
        left = tl.load(a_tile, mask=in_rows & (steps[None, :] < k - at), other=0.0)
        right = tl.load(b_tile, mask=(steps[:, None] < k - at) & in_columns, other=0.0)
        sums = tl.dot(left, right, sums)
        a_tile += STEP
        b_tile += STEP * b_pitch
    c_tile = c + (row[:, None] * c_pitch + column[None, :])
    tl.store(c_tile, sums.to(tl.bfloat16), mask=in_rows & in_columns)


@triton.jit
def attention_of_pointers(
    q, k, v, out, length, pitch, head_pitch, scale,
    ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """`ragged_attention` by tiles of pointers."""
    block, head = tl.program_id(0), tl.program_id(1)
    rows = block * ROWS + tl.arange(0, ROWS)
    own = head * head_pitch + rows[:, None] * pitch + tl.arange(0, D)[None, :]
    exists = rows[:, None] < length
    queries = tl.load(q + own, mask=exists, other=0.0)
    highest = tl.full((ROWS,), -1e30, dtype=tl.float32)
    weight = tl.zeros((ROWS,), dtype=tl.float32)
    sums = tl.zeros((ROWS, D), dtype=tl.float32)
    end = tl.minimum(length, (block + 1) * ROWS) if CAUSAL else length
    for at in range(0, end, KEYS):
        columns = at + tl.arange(0, KEYS)
        tile = head * head_pitch + columns[:, None] * pitch + tl.arange(0, D)[None, :]
        keys = tl.load(k + tile, mask=columns[:, None] < length, other=0.0)
        scores = tl.dot(queries, keys.T) * scale
        allowed = columns[None, :] < length
        if CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None])
        scores = tl.where(allowed, scores, -1e30)
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new[:, None])
        change = tl.exp2(highest - new)
        weight = weight * change + tl.sum(p, axis=1)
        values = tl.load(v + tile, mask=columns[:, None] < length, other=0.0)
        sums = tl.dot(p.to(tl.bfloat16), values, sums * change[:, None])
        highest = new
    result = tl.div_rn(sums, tl.broadcast_to(weight[:, None], (ROWS, D))).to(tl.bfloat16)
    tl.store(out + own, result, mask=exists)
