"""wgmma: mma of a warpgroup (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions").

An mma completes when it is issued, unless asynchronous work is delayed. As for `mma`, sums are
computed in double precision and rounded once. A sparse operand is stored as half of its columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.asynchronous import commits, start_work, waits
from tileir_xdsl.emulator.instructions.form import Collective, Form, emit_nothing
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.matrix import (
    element_of,
    fragments,
    gather,
    register_type,
    round_result,
    truncate_to_tf32,
)
from tileir_xdsl.emulator.instructions.sparse import (
    DISTINCT,
    positions_in_rows,
    selected_metadata,
    sparse_mma,
    sparsity,
)
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.matrix_descriptors import MatrixDescriptor
from tileir_xdsl.emulator.syntax import Vector
from tileir_xdsl.emulator.types import TYPES, Array, Mask

WARPS = 4
ROWS = 64
_THREADS = WARPS * WARP_SIZE
_WARP_ROWS = ROWS // WARPS


@cache
def _accumulator(columns: int) -> tuple[Array, Array]:
    """Maps elements of all lanes to positions in the 16 rows of a warp, and the inverse map.

    Element `e` of lane `4g + t` is in row `g + 8 (e div 2 mod 2)` and column
    `8 (e div 4) + 2t + e mod 2`.
    """
    lane, element = np.arange(WARP_SIZE)[:, None], np.arange(columns // 2)[None, :]
    rows = lane // 4 + element // 2 % 2 * 8
    positions = rows * columns + element // 4 * 8 + lane % 4 * 2 + element % 2
    inverse = np.empty(positions.size, np.int64)
    inverse[positions.ravel()] = np.arange(positions.size)
    return positions, inverse.reshape(_WARP_ROWS, columns)


def _active_warpgroups(group: ThreadGroup) -> Mask:
    """Which warpgroups of the group's rectangle run, `[blocks, warpgroups]`.

    Raises `LaneFault` if only some threads of a warpgroup run.
    """
    lanes = group.active().reshape(group.shape[0], -1, _THREADS)
    active = np.logical_or.reduce(lanes, axis=-1)
    if (active[..., None] != lanes).any():
        raise LaneFault("only some threads of a warpgroup have ended", group.active())
    return active


def _shared_matrix(
    group: ThreadGroup, active: Mask, words: Array, extent: int, k: int, name: str, *, k_major: bool
) -> Array:
    """Reads the matrices that descriptors name, `[blocks, warpgroups, extent, k]`.

    The matrix of an inactive warpgroup is arbitrary.

    Raises `LaneFault` for an unaligned or too large matrix, and if descriptors differ within a
    warpgroup.
    """
    memory = group.memory
    element = element_of(name)
    # Bits are read by bytes.
    unit = np.dtype(f"u{max(1, element.bits // 8)}")
    units = k * element.bits // (8 * unit.itemsize)
    per_group = np.broadcast_to(words, group.shape).reshape(group.shape[0], -1, _THREADS)
    differing = (per_group != per_group[..., :1]) & active[..., None]
    if differing.any():
        raise LaneFault(
            "the threads of a warpgroup have different descriptors", differing.reshape(group.shape)
        )
    positions = np.zeros((*per_group.shape[:2], extent, units), np.int64)
    for block, warpgroup in zip(*np.nonzero(active), strict=True):
        descriptor = MatrixDescriptor.decode(int(per_group[block, warpgroup, 0]))
        at = descriptor.addresses(extent, units, unit.itemsize, k_major=k_major)
        problem = ""
        if descriptor.base_offset:
            problem = "a matrix begins at a multiple of its swizzle pattern"
        elif at.max() + unit.itemsize > memory.limits["shared"]:
            problem = (
                f"the matrix reaches to byte {at.max()} of shared memory, "
                f"which has {memory.limits['shared']} bytes"
            )
        if problem:
            lanes = np.zeros(group.shape, np.bool_)
            lanes[block, warpgroup * _THREADS] = True
            raise LaneFault(f"wrong matrix descriptor: {problem}", lanes)
        positions[block, warpgroup] = at + memory.shared_starts[group.b0 + block, 0]
        if memory.races is not None:
            memory.races.matrix(group, block, warpgroup, positions[block, warpgroup])
    return element.unpack(memory.shared.vectors(unit, 1)[positions // unit.itemsize])


def _by_warpgroup(group: ThreadGroup, warps: Array) -> Array:
    """Reshapes rows of warps, `[blocks, warps, 16, n]`, to rows of warpgroups, `[.., 64, n]`."""
    return warps.reshape(group.shape[0], -1, ROWS, warps.shape[-1])


def _extents(match: Match) -> tuple[int, int, int]:
    """The extents of an mma: columns, k, and stored columns of A."""
    _, n, k = (int(extent) for extent in re.findall(r"\d+", match["shape"]))
    return n, k, k // 2 if match.has("sp") else k


def _mma(match: Match, from_registers: bool) -> Callable[..., list[Array]]:
    n, k, left_k = _extents(match)
    left_name, right_name = match["a"], match["b"]
    element, result = element_of(left_name), element_of(match["d"])
    positions, inverse = _accumulator(n)
    signs = [_sign(match, name) for name in ("negate_a", "negate_b")]
    transposed = [_flag(match, name) for name in ("transpose_a", "transpose_b")]
    saturate = match.has("satfinite")
    thinned = _thinned(match, left_name, k) if match.has("sp") else None

    def operand(matrix: Array, name: str, sign: int) -> Array:
        if name == "tf32":
            matrix = truncate_to_tf32(matrix)
        return matrix.astype(np.float64) * sign

    def mma(
        group: ThreadGroup,
        d: tuple[Array, ...],
        a: tuple[Array, ...],
        b: Array,
        scale: Array,
        *metadata: Array,
    ) -> list[Array]:
        active = _active_warpgroups(group)
        if from_registers:
            table = fragments(_WARP_ROWS, 8, left_k, element.per_register).a
            left = _by_warpgroup(group, gather(group, a, element, table))
        else:
            left = _shared_matrix(
                group, active, a[0], ROWS, left_k, left_name, k_major=not transposed[0]
            )
        right = _shared_matrix(group, active, b, n, k, right_name, k_major=not transposed[1])
        left, right = operand(left, left_name, signs[0]), operand(right, right_name, signs[1])
        right = right.swapaxes(-1, -2)
        group.memory.work.mma_bits += left[active].size * element.bits * n
        if thinned is None:
            total = np.matmul(left, right)
        else:
            at = _by_warpgroup(group, thinned(group, metadata[0]))
            total = sparse_mma(left, at, right)
        if scale.any():
            old = _by_warpgroup(group, gather(group, d, result, inverse)).astype(np.float64)
            adds = np.broadcast_to(scale, group.shape)[:, ::_THREADS, None, None]
            total += np.where(adds, old, 0)
        rounded = round_result(total, result.dtype, saturate)
        warps = rounded.reshape(group.shape[0], -1, _WARP_ROWS * n)
        registers = warps.take(positions, axis=-1).view(result.register.dtype)
        return [registers[..., i].reshape(group.shape) for i in range(registers.shape[-1])]

    return mma


def _thinned(match: Match, type_: str, k: int) -> Callable[[ThreadGroup, Array], Array]:
    """A function from metadata to the positions of the stored elements in the rows of warps."""
    stored = sparsity(type_, DISTINCT)
    where = selected_metadata(match, type_, k // stored.width)
    return partial(positions_in_rows, where=where, stored=stored, warps=WARPS)


def _sign(match: Match, name: str) -> int:
    sign = match.immediate(name) if name in match.operands else 1
    if sign not in (1, -1):
        raise match.fail("the scale of an input must be the constant 1 or -1")
    return sign


def _flag(match: Match, name: str) -> int:
    flag = match.immediate(name) if name in match.operands else 0
    if flag not in (0, 1):
        raise match.fail("the transposition of an input must be the constant 0 or 1")
    return flag


def _emit_mma(builder: BlockBuilder, match: Match) -> None:
    n, _, left_k = _extents(match)
    type_ = register_type(match["d"])
    results = builder.elements(match.operands["d"], n // 2 // element_of(match["d"]).per_register)
    left = match.operands["a"]
    from_registers = isinstance(left, Vector)
    if "transpose_b" in match.operands and from_registers == ("transpose_a" in match.operands):
        raise match.fail(
            "with the transposition of B, that of A is needed if A is in shared memory, else "
            "refused"
        )
    if from_registers:
        count = _WARP_ROWS * left_k // WARP_SIZE // element_of(match["a"]).per_register
        a = [builder.source(x, register_type(match["a"])) for x in builder.elements(left, count)]
    else:
        a = [builder.source(left, TYPES["b64"])]
    d = [builder.source(result, type_) for result in results]
    b = builder.source(match.operands["b"], TYPES["b64"])
    scale = builder.source(match.operands["scale"], PREDICATE)
    function = builder.bind(_mma(match, from_registers))
    # Registers are read and written when the dot is done, all else is as it is now.
    fixed = {"b": b, "s": scale} | ({} if from_registers else {"a": a[0]})
    metadata = ""
    if match.has("sp"):
        fixed["e"] = builder.source(match.operands["metadata"], TYPES["b32"])
        metadata = ", e"
    left_values = f"({', '.join(a)},)" if from_registers else "(a,)"
    with builder.nested(f"f(group, w, {', '.join(fixed)})", mask="w"):
        builder.line(f"r = {function}(group, ({', '.join(d)},), {left_values}, b, s{metadata})")
        for index, destination in enumerate(results):
            builder.assign(destination, type_, f"r[{index}].view({builder.bind(type_.dtype)})")
    start = builder.bind(partial(start_work, "wgmma", match.instruction))
    builder.line(f"{start}(f, group, group.active(), {', '.join(fixed.values())})")


_FENCE = Collective(emit_nothing, warps=WARPS)
_COLLECTIVE = Collective(_emit_mma, warps=WARPS)
_FLOAT_COLUMNS = tuple(range(8, 257, 8))
_INTEGER_COLUMNS = (8, 16, 24, *range(32, 257, 16))


def _multiplications(
    k: int, columns: tuple[int, ...], types: str, operands: str = "", *, sparse: bool = True
) -> tuple[Form, ...]:
    """The form of a dense mma and, if `sparse`, that of a sparse mma with twice the k."""
    found: list[Form] = []
    for suffix, operand, more in (("", 1, ""), (".sp", 2, "metadata, selector, "))[: 1 + sparse]:
        shapes = "|".join(f"m64n{n}k{operand * k}" for n in columns)
        mnemonic = f"wgmma.mma_async{suffix}.sync.aligned.<shape:{shapes}>{types}"
        found.append(Form(f"{mnemonic} d, a, b, {more}scale{operands}", _COLLECTIVE))
    return tuple(found)


_NEGATIONS = ", negate_a, negate_b"
_EIGHT_BITS = "e4m3|e5m2"

FORMS: tuple[Form, ...] = (
    Form("wgmma.fence.sync.aligned", _FENCE),
    Form("wgmma.commit_group.sync.aligned", Collective(commits("wgmma"), warps=WARPS)),
    Form("wgmma.wait_group.sync.aligned count", Collective(waits("wgmma"), warps=WARPS)),
    *(
        form
        for types in (".<d:f16|f32>.<a:f16>.<b:f16>", ".<d:f32>.<a:bf16>.<b:bf16>")
        for transpositions in (", transpose_a, transpose_b", ", transpose_b")
        for form in _multiplications(16, _FLOAT_COLUMNS, types, f"{_NEGATIONS}{transpositions}")
    ),
    *_multiplications(8, _FLOAT_COLUMNS, ".<d:f32>.<a:tf32>.<b:tf32>", _NEGATIONS),
    *_multiplications(
        32, _FLOAT_COLUMNS, f".<d:f16|f32>.<a:{_EIGHT_BITS}>.<b:{_EIGHT_BITS}>", _NEGATIONS
    ),
    # The assembler takes `.satfinite` before the types, as the manual has it, and after them.
    *(
        form
        for types in (
            "{.satfinite}.<d:s32>.<a:s8|u8>.<b:s8|u8>",
            ".<d:s32>.<a:s8|u8>.<b:s8|u8>.satfinite",
        )
        for form in _multiplications(32, _INTEGER_COLUMNS, types)
    ),
    *_multiplications(256, _INTEGER_COLUMNS, ".<d:s32>.<a:b1>.<b:b1>.and.popc", sparse=False),
)
