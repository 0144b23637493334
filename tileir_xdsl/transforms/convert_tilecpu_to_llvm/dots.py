"""Register-blocked dots: `acc += a @ b` on row-major tiles in the arena.

A register block is `rows` times `columns` elements of the accumulator, held in registers for all of
K. Each step of K loads one row of B in vectors, and broadcasts one element of A for each row. Each
vector of the block takes one fused multiply-add.

Element `(i, j)` is `fma(a[i, K - 1], b[K - 1, j], .. fma(a[i, 0], b[0, j], acc[i, j]))`, in
ascending order of k. So the bits of the result depend neither on the width of vectors nor on the
register block. Integers wrap around.

Operands that are narrower than the accumulator are first widened into scratch memory, exactly. An
accumulator of f16 is widened, too, and rounded once at the end. A transposed operand B is packed
into scratch memory. With `panels`, every B is packed into panels with the columns of a register
block.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    f32,
)
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, element_of, lanes_of, like, vector_of

from .element_conversions import narrow_float, widen_float
from .transposition import transpose

ALIGNMENT = 64
"""Bytes to which tiles and scratch memory are aligned."""

UNROLLED_STEPS = 2
"""Steps along K in one iteration; more steps gain nothing on a core with AVX-512."""


@dataclass(frozen=True)
class Registers:
    """The vector registers of a target."""

    bytes: int
    """The bytes of one register."""
    accumulators: int
    """How many registers hold a register block; the others hold operands."""
    columns: int
    """The most vectors along a row of a register block."""


@dataclass(frozen=True)
class RegisterBlock:
    """The part of an accumulator that registers hold; sizes are in elements."""

    rows: int
    columns: int
    lanes: int
    """The elements of one vector, a divisor of `columns`."""


@dataclass(frozen=True)
class Dot:
    """The shape and the element types of a dot; sizes are powers of two."""

    batch: int
    m: int
    n: int
    k: int
    a: Attribute
    b: Attribute
    acc: Attribute
    is_signed: tuple[bool, bool] = (True, True)
    """Whether integer elements of A and of B are signed."""
    transposed: tuple[bool, bool] = (False, False)
    """Whether tile A is stored as (K, M), and tile B as (N, K)."""
    panels: bool = False
    """Whether B is packed first, so that the columns of a register block are contiguous."""

    @property
    def computed(self) -> Attribute:
        """The type in which terms are accumulated."""
        return f32 if isinstance(self.acc, Float16Type | BFloat16Type) else self.acc


def why_not_lowered(dot: Dot) -> str | None:
    """The reason for which a dot has no register-blocked form; None if it has such a form."""
    if isinstance(dot.acc, IntegerType):
        operands_fit = all(isinstance(each, IntegerType) for each in (dot.a, dot.b))
        return None if operands_fit else f"a dot of {dot.a} and {dot.b} to {dot.acc}"
    known = (Float16Type, BFloat16Type, Float32Type, Float64Type)
    for each in (dot.a, dot.b, dot.acc):
        if not isinstance(each, known):
            return f"a dot of {dot.a} and {dot.b} to {dot.acc}"
    return None


def register_blocks(dot: Dot, registers: Registers) -> dict[RegisterBlock, float]:
    """The register blocks that fit the accumulators, each with the loads per multiply-add."""
    lanes = min(dot.n, registers.bytes // bytes_of(dot.computed))
    most = min(dot.n // lanes, registers.columns)
    return {
        RegisterBlock(rows, vectors * lanes, lanes): 1 / rows + 1 / vectors
        for vectors in powers_of_two(most)
        for rows in powers_of_two(min(dot.m, registers.accumulators // vectors))
    }


def powers_of_two(most: int) -> list[int]:
    """The powers of two from 1 to `most`."""
    return [1 << exponent for exponent in range(most.bit_length())]


def register_block(dot: Dot, registers: Registers) -> RegisterBlock:
    """The register block with the fewest loads."""
    costs = register_blocks(dot, registers)
    return min(costs, key=costs.__getitem__)


def bytes_of(element: Attribute) -> int:
    """The bytes of an element in memory."""
    assert isinstance(element, IntegerType | AnyFloat)
    return max(1, element.bitwidth // 8)


@dataclass(frozen=True)
class _Scratch:
    """The byte offsets in scratch memory of the operands that are widened or packed; None for
    others.
    """

    a: int | None
    b: int | None
    acc: int | None
    bytes: int


def _scratch(dot: Dot) -> _Scratch:
    offsets: list[int | None] = []
    total = 0
    needed = (
        (dot.a != dot.computed, dot.batch * dot.m * dot.k),
        (dot.b != dot.computed or dot.transposed[1] or dot.panels, dot.batch * dot.k * dot.n),
        (dot.acc != dot.computed, dot.batch * dot.m * dot.n),
    )
    for is_needed, elements in needed:
        offsets.append(total if is_needed else None)
        size = elements * bytes_of(dot.computed) if is_needed else 0
        total += -(-size // ALIGNMENT) * ALIGNMENT
    a, b, acc = offsets
    return _Scratch(a, b, acc, total)


def scratch_bytes(dot: Dot) -> int:
    """The scratch memory that a dot needs, in bytes."""
    return _scratch(dot).bytes


def emit_dot(
    code: LLVMCode,
    dot: Dot,
    block: RegisterBlock,
    a: SSAValue,
    b: SSAValue,
    acc: SSAValue,
    scratch: SSAValue | None,
) -> None:
    """Adds the dot to the accumulator in place; `a`, `b` and `acc` are pointers to tiles."""
    places = _scratch(dot)

    def place(offset: int) -> SSAValue:
        assert scratch is not None, "expected scratch memory"
        return code.offset(scratch, offset) if offset else scratch

    widen = _widening(code, dot)
    total = acc
    if places.a is not None:
        packed = place(places.a)
        _convert(code, a, packed, dot.batch * dot.m * dot.k, dot.a, dot.computed, widen[0])
        a = packed
    if places.b is not None:
        packed = place(places.b)
        if dot.transposed[1]:
            _pack_transposed(code, dot, block, b, packed, widen[1])
        elif dot.panels:
            _pack_panels(code, dot, block, b, packed, widen[1])
        else:
            _convert(code, b, packed, dot.batch * dot.k * dot.n, dot.b, dot.computed, widen[1])
        b = packed
    if places.acc is not None:
        total = place(places.acc)
        elements = dot.batch * dot.m * dot.n
        _convert(code, acc, total, elements, dot.acc, dot.computed, lambda v: widen_float(code, v))
    _emit_blocks(code, dot, block, a, b, total)
    if places.acc is not None:
        elements = dot.batch * dot.m * dot.n
        narrow = _narrowing(code, dot.acc)
        _convert(code, total, acc, elements, dot.computed, dot.acc, narrow)


Convert = Callable[[SSAValue], SSAValue]
"""Converts a vector to another element type."""


def _narrowing(code: LLVMCode, element: Attribute) -> Convert:
    return lambda value: narrow_float(code, value, element)


def _widening(code: LLVMCode, dot: Dot) -> tuple[Convert, Convert]:
    """The conversions of elements of A and of B to the type of the accumulator."""

    def of(element: Attribute, is_signed: bool) -> Convert:
        if element == dot.computed:
            return lambda value: value
        if isinstance(element, IntegerType):
            extend = llvm.SExtOp if is_signed else llvm.ZExtOp
            return lambda value: code.add(extend(value, like(value.type, dot.computed)))
        if isinstance(dot.computed, Float64Type) and isinstance(element, Float32Type):
            return lambda value: code.add(llvm.FPExtOp(value, like(value.type, dot.computed)))
        if isinstance(dot.computed, Float64Type):
            wide = like
            return lambda value: code.add(
                llvm.FPExtOp(narrow := widen_float(code, value), wide(narrow.type, dot.computed))
            )
        return lambda value: widen_float(code, value)

    return of(dot.a, dot.is_signed[0]), of(dot.b, dot.is_signed[1])


def _convert(
    code: LLVMCode,
    source: SSAValue,
    target: SSAValue,
    elements: int,
    from_type: Attribute,
    to_type: Attribute,
    convert: Convert,
) -> None:
    """Copies a whole tile into another element type."""
    lanes = min(elements, 16)
    vector = vector_of(from_type, lanes)

    def body(index: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        value = code.load(
            code.offset(source, index, from_type), vector, lanes * bytes_of(from_type)
        )
        pointer = code.offset(target, index, to_type)
        code.store(convert(value), pointer, min(ALIGNMENT, lanes * bytes_of(to_type)))
        return ()

    count = (code.integer(0), code.integer(elements), code.integer(lanes))
    code.loop(*count, (), body, runs=True)


def _pack_transposed(
    code: LLVMCode,
    dot: Dot,
    block: RegisterBlock,
    source: SSAValue,
    target: SSAValue,
    widen: Convert,
) -> None:
    """Writes tiles (N, K) as (K, N) or as panels, in the type of the accumulator."""
    side = min(block.lanes, dot.n, dot.k)
    vector = vector_of(dot.b, side)
    alignment = side * bytes_of(dot.b)

    def matrix(batch: SSAValue) -> None:
        base = code.times(batch, code.integer(dot.k * dot.n)) if dot.batch > 1 else None

        def columns(k: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            def rows(n: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                read = code.plus(code.times(n, code.integer(dot.k)), k)
                write = _offset_in_b(code, dot, block, k, n)
                if base is not None:
                    read, write = code.plus(read, base), code.plus(write, base)
                values = [
                    widen(
                        code.load(
                            code.offset(source, code.plus(read, code.integer(row * dot.k)), dot.b),
                            vector,
                            min(ALIGNMENT, alignment),
                        )
                    )
                    for row in range(side)
                ]
                for row, value in enumerate(transpose(code, values)):
                    offset = code.plus(write, code.integer(row * _columns_of_b(dot, block)))
                    pointer = code.offset(target, offset, dot.computed)
                    code.store(value, pointer, min(ALIGNMENT, side * bytes_of(dot.computed)))
                return ()

            _count(code, dot.n, side, rows)
            return ()

        _count(code, dot.k, side, columns)

    _for_each_matrix(code, dot.batch, matrix)


def _pack_panels(
    code: LLVMCode,
    dot: Dot,
    block: RegisterBlock,
    source: SSAValue,
    target: SSAValue,
    widen: Convert,
) -> None:
    """Writes tiles (K, N) as panels, in the type of the accumulator."""
    vector, size = vector_of(dot.b, block.lanes), block.lanes * bytes_of(dot.b)

    def matrix(batch: SSAValue) -> None:
        base = code.times(batch, code.integer(dot.k * dot.n))

        def rows(k: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            def columns(n: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                read = code.plus(base, code.plus(code.times(k, code.integer(dot.n)), n))
                value = code.load(code.offset(source, read, dot.b), vector, min(ALIGNMENT, size))
                write = code.plus(base, _offset_in_b(code, dot, block, k, n))
                pointer = code.offset(target, write, dot.computed)
                alignment = min(ALIGNMENT, block.lanes * bytes_of(dot.computed))
                code.store(widen(value), pointer, alignment)
                return ()

            _count(code, dot.n, block.lanes, columns)
            return ()

        _count(code, dot.k, 1, rows)

    _for_each_matrix(code, dot.batch, matrix)


def _columns_of_b(dot: Dot, block: RegisterBlock) -> int:
    """The elements of a row of B, or of a row of a panel."""
    return block.columns if dot.panels else dot.n


def _offset_in_b(
    code: LLVMCode, dot: Dot, block: RegisterBlock, k: SSAValue, n: SSAValue
) -> SSAValue:
    """The offset of an element of B, in elements."""
    row = code.times(k, code.integer(_columns_of_b(dot, block)))
    if not dot.panels:
        return code.plus(row, n)
    inside = code.add(llvm.AndOp(n, code.integer(block.columns - 1)))
    first = code.add(llvm.SubOp(n, inside))
    return code.plus(code.times(first, code.integer(dot.k)), code.plus(row, inside))


Body = Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]


def _count(code: LLVMCode, extent: int, step: int, body: Body) -> None:
    """Emits a loop over a static extent without carried values; for one iteration only the body."""
    if extent == step:
        body(code.integer(0), ())
    else:
        code.loop(code.integer(0), code.integer(extent), code.integer(step), (), body, runs=True)


def _for_each_matrix(code: LLVMCode, batch: int, emit: Callable[[SSAValue], None]) -> None:
    def body(index: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        emit(index)
        return ()

    _count(code, batch, 1, body)


def _emit_blocks(
    code: LLVMCode, dot: Dot, block: RegisterBlock, a: SSAValue, b: SSAValue, acc: SSAValue
) -> None:
    """Emits all register blocks; consecutive blocks share columns of B, which stay in the cache."""
    element = dot.computed

    def matrix(batch: SSAValue) -> None:
        def of(pointer: SSAValue, *extents: int) -> SSAValue:
            if dot.batch == 1:
                return pointer
            return code.offset(pointer, code.times(batch, code.integer(prod(extents))), element)

        tiles = of(a, dot.m, dot.k), of(b, dot.k, dot.n), of(acc, dot.m, dot.n)

        def columns(column: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            def rows(row: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                _emit_block(code, dot, block, tiles, row, column)
                return ()

            _count(code, dot.m, block.rows, rows)
            return ()

        _count(code, dot.n, block.columns, columns)

    _for_each_matrix(code, dot.batch, matrix)


def _emit_block(
    code: LLVMCode,
    dot: Dot,
    block: RegisterBlock,
    tiles: tuple[SSAValue, SSAValue, SSAValue],
    row: SSAValue,
    column: SSAValue,
) -> None:
    element, lanes = dot.computed, block.lanes
    vector = vector_of(element, lanes)
    size = bytes_of(element)
    alignment = min(ALIGNMENT, lanes * size)
    row_stride, step_stride = (1, dot.m) if dot.transposed[0] else (dot.k, 1)
    a = code.offset(tiles[0], code.times(row, code.integer(row_stride)), element)
    in_b = code.times(column, code.integer(dot.k)) if dot.panels else column
    b = code.offset(tiles[1], in_b, element)
    start = code.plus(code.times(row, code.integer(dot.n)), column)
    acc = code.offset(tiles[2], start, element)
    vectors = range(block.columns // lanes)
    pointers = [
        code.offset(acc, code.integer(i * dot.n + j * lanes), element)
        for i in range(block.rows)
        for j in vectors
    ]
    initial = [code.load(pointer, vector, alignment) for pointer in pointers]
    steps = min(UNROLLED_STEPS, dot.k)

    def body(k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        sums = [*carried]
        for step in range(steps):
            k_row = code.plus(k, code.integer(step)) if step else k
            row_of_b = code.integer(_columns_of_b(dot, block))
            b_row = code.offset(b, code.times(k_row, row_of_b), element)
            a_step = code.offset(a, code.times(k_row, code.integer(step_stride)), element)
            loaded = [
                code.load(code.offset(b_row, code.integer(j * lanes), element), vector, alignment)
                for j in vectors
            ]
            for i in range(block.rows):
                pointer = code.offset(a_step, code.integer(i * row_stride), element)
                factor = code.splat(code.load(pointer, element, size), lanes)
                for j in vectors:
                    index = i * len(vectors) + j
                    sums[index] = _multiply_add(code, factor, loaded[j], sums[index])
        return sums

    count = (code.integer(0), code.integer(dot.k), code.integer(steps))
    for value, pointer in zip(code.loop(*count, initial, body, runs=True), pointers, strict=True):
        code.store(value, pointer, alignment)


def _multiply_add(code: LLVMCode, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    if isinstance(element_of(a.type), IntegerType):
        return code.plus(code.times(a, b), c)
    assert lanes_of(a.type) == lanes_of(c.type)
    return code.add(llvm.FMAOp(a, b, c))
