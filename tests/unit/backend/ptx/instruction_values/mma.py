"""Products of a warp: fragments of random matrices, multiplied by numpy."""

import re
from collections.abc import Iterator, Mapping
from itertools import product as pairs

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import Arrays, Loaded, Stored, Value
from tests.unit.emulator.instructions import test_scaled_matrix
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.fragments import (
    DTYPES,
    bits_of,
    collect,
    dot,
    packed,
    places,
    random_matrix,
    scatter,
)

Extents = tuple[int, int, int]

_REGISTERS = {"f32": "f32", "f64": "f64", "s32": "i32", "f16": "vector<2xf16>"}
"""The types of accumulators; operands are i32, or f64."""


def opcode_of(types: tuple[str, str, str], extents: Extents, qualifiers: str = "") -> str:
    """An mma.sync with types D, A and B; `qualifiers` such as .satfinite follow the layouts."""
    m, n, k = extents
    d, a, b = types
    return f"mma.sync.aligned.m{m}n{n}k{k}.row.col{qualifiers}.{d}.{a}.{b}.{d}"


def operation(types: tuple[str, str, str], extents: Extents, counts: Extents, more: str) -> str:
    """The op on registers `%a0`, .., `%b0`, .., `%c0`, ..; `more` are further attributes."""
    m, n, k = extents
    operands = (
        f"{name.upper()}[{', '.join(f'%{name}{i}' if count > 1 else f'%{name}' for i in range(count))}]"
        for name, count in zip("abc", counts, strict=True)
    )
    d, *multiplied = types
    given = "".join(
        f"multiplicand{name}PtxType = #nvvm.mma_type<{type_}>, "
        for name, type_ in zip("AB", multiplied, strict=True)
    )
    operand, result = ("f64" if d == "f64" else "i32"), _REGISTERS[d]
    return (
        f"%d = nvvm.mma.sync {' '.join(operands)} {{layoutA = #nvvm.mma_layout<row>, "
        f"layoutB = #nvvm.mma_layout<col>, {given}{more}"
        f"shape = #nvvm.shape<m = {m}, n = {n}, k = {k}>}} : ({operand}, {operand}, {result}) "
        f"-> !llvm.struct<({', '.join([result] * counts[2])})>"
    )


def _value(
    types: tuple[str, str, str], extents: Extents, qualifiers: str = "", bits: str = ""
) -> tuple[str, Value]:
    m, n, k = extents
    d, a, b = types
    opcode = opcode_of(types, extents, qualifiers) + (f".{bits}.popc" if bits else "")
    shape = f"m{m}n{n}k{k}"
    of_lanes = {"a": places("a", shape, a), "b": places("b", shape, b), "c": places("c", shape, d)}
    matrices = {
        "a": random_matrix(a, (m, k), m + n + k),
        "b": random_matrix(b, (k, n), m + n + k + 1),
        "c": random_matrix(d, (m, n), m + n + k + 2),
    }
    if qualifiers == ".satfinite":
        # Sums that would wrap.
        matrices["c"] = np.where(matrices["c"] < 0, -(2**31), 2**31 - 1).astype(np.int32)
    registers = {
        name: packed(scatter(matrix, of_lanes[name]), type_)
        for (name, matrix), type_ in zip(matrices.items(), (a, b, d), strict=True)
    }
    width = dict.fromkeys("abc", 64 if d == "f64" else 32)
    counts = {
        name: matrix.size * bits_of(type_) // 32 // width[name]
        for (name, matrix), type_ in zip(matrices.items(), (a, b, d), strict=True)
    }
    more = f"b1Op = #nvvm.mma_b1op<{bits}_popc>, " if bits else ""
    if d == "s32" and not bits:
        overflow = "satfinite" if qualifiers == ".satfinite" else "wrapped"
        more = f"intOverflowBehavior = #nvvm.mma_int_overflow<{overflow}>, "

    def meaning(before: Arrays) -> Arrays:
        c = collect(before["c"], of_lanes["c"], (m, n))
        total = dot(opcode, matrices["a"], matrices["b"], c)
        return {"d": scatter(total.astype(DTYPES[d]), of_lanes["c"])}

    operand = "f64" if d == "f64" else "i32"
    result = _REGISTERS[d]
    value = Value(
        operation(types, extents, (counts["a"], counts["b"], counts["c"]), more),
        meaning,
        loads={
            name: Loaded(result if name == "c" else operand, array, counts[name])
            for name, array in registers.items()
        },
        stores={
            "d": Stored(
                f"!llvm.struct<({', '.join([result] * counts['c'])})>",
                np.zeros((32, m * n // 32), DTYPES[d]),
            )
        },
    )
    return opcode, value


def _all(
    types: tuple[tuple[str, str, str], ...], shapes: tuple[Extents, ...], *, saturates: bool = False
) -> Iterator[tuple[str, Value]]:
    for one, extents in pairs(types, shapes):
        yield _value(one, extents)
        if saturates:
            yield _value(one, extents, ".satfinite")


def _integers(bits: int) -> tuple[tuple[str, str, str], ...]:
    return tuple(("s32", f"{a}{bits}", f"{b}{bits}") for a in "su" for b in "su")


def _floats_of_bytes(d: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((d, a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2"))


_BITS: tuple[Extents, ...] = ((16, 8, 256), (16, 8, 128), (8, 8, 128))
_PLAIN: tuple[tuple[str, Value], ...] = (
    *_all(
        (("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16")),
        ((16, 8, 16), (16, 8, 8)),
    ),
    *_all((("f32", "tf32", "tf32"),), ((16, 8, 8), (16, 8, 4))),
    *_all(_integers(8), ((16, 8, 32), (16, 8, 16), (8, 8, 16)), saturates=True),
    *_all(_integers(4), ((16, 8, 64), (16, 8, 32), (8, 8, 32)), saturates=True),
    *(_value(("s32", "b1", "b1"), shape, bits=bits) for shape in _BITS for bits in ("xor", "and")),
    *_all(_floats_of_bytes("f16"), ((16, 8, 32), (16, 8, 16))),
    *_all(_floats_of_bytes("f32"), ((16, 8, 32), (16, 8, 16))),
    *_all((("f64", "f64", "f64"),), ((8, 8, 4), (16, 8, 16), (16, 8, 8), (16, 8, 4))),
)


# Factors of 8, 6 and 4 bits, and scales.


_SUMS = "(i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>"


def qualifiers_of_scales(qualifiers: str, types: str, k: int) -> str:
    """The attributes of a product with scales; `types` are those of A, B and the scales."""
    a, b, scales = types.split()
    kind, count = re.findall(r"kind::(\w+)\.block_scale\.scale_vec::(\d)X", qualifiers)[0]
    return (
        f"multiplicandAPtxType = #nvvm.mma_type<{a}>, multiplicandBPtxType = #nvvm.mma_type<{b}>, "
        f"shape = #nvvm.shape<m = 16, n = 8, k = {k}>, kind = #nvvm.block_scale_kind<{kind}>, "
        f"scaleVecSize = #nvvm.scale_vec_size<x{count}>, "
        f"blockScaleFormat = #nvvm.block_scale_format<{scales}>"
    )


def scales_of(selectors: tuple[int, int, int, int]) -> tuple[str, str]:
    """Byte and thread of the scales of A, then of B: what defines them, and the operands."""
    places = "\n".join(
        f"%place{i} = llvm.mlir.constant({place} : i16) : i16" for i, place in enumerate(selectors)
    )
    return places, "scaleA[%x, %place0, %place1] scaleB[%y, %place2, %place3]"


def _narrow(statement: test_scaled_matrix.Dot) -> Value:
    """A product of narrow floats, with scales or without."""
    data, expected = test_scaled_matrix.statement(statement)
    a, b = statement.types.split()[:2]
    sums: Array = np.ascontiguousarray(data[:, 6:-2]).view(expected.dtype)
    scale = {"x": data[:, -2], "y": data[:, -1]} if statement.count else {}
    loads = {"a": Loaded("i32", data[:, :4], 4), "b": Loaded("i32", data[:, 4:6], 2)}
    loads |= {"c": Loaded("f32", sums, 4)}
    loads |= {name: Loaded("i32", np.ascontiguousarray(word)) for name, word in scale.items()}
    if statement.count:
        scaled = qualifiers_of_scales(statement.qualifiers, statement.types, statement.k)
        places, scales = scales_of(statement.selectors)
        fragments = " ".join(
            f"{name.upper()}[{', '.join(f'%{name}{i}' for i in range(count))}]"
            for name, count in (("a", 4), ("b", 2), ("c", 4))
        )
        ops = f"{places}\n%d = nvvm.mma.block_scale {fragments} {scales} {{{scaled}}} : {_SUMS}"
    else:
        ops = operation(("f32", a, b), (16, 8, 32), (4, 2, 4), "")
    stored = Stored("!llvm.struct<(f32, f32, f32, f32)>", np.zeros_like(expected))
    return Value(ops, lambda _: {"d": expected}, loads=loads, stores={"d": stored})


def _narrow_values() -> Iterator[tuple[str, Value]]:
    every = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
    shape = "m16n8k32.row.col.kind"
    for a, b in pairs(every, every):
        if not {a, b} <= {"e4m3", "e5m2"}:
            plain = test_scaled_matrix.Dot(f"{shape}::f8f6f4", f"{a} {b}")
            yield plain.mnemonic, _narrow(plain)
        scaled = test_scaled_matrix.Dot(
            f"{shape}::mxf8f6f4.block_scale.scale_vec::1X", f"{a} {b} ue8m0", 1, (3, 1, 2, 3)
        )
        yield scaled.mnemonic, _narrow(scaled)
    for kind, count, scales, selectors in (
        ("mxf4", 2, "ue8m0", (2, 1, 0, 2)),
        ("mxf4nvf4", 2, "ue8m0", (2, 0, 2, 1)),
        ("mxf4nvf4", 4, "ue4m3", (0, 1, 0, 1)),
        ("mxf4nvf4", 4, "ue8m0", (0, 0, 0, 1)),
    ):
        both = test_scaled_matrix.Dot(
            f"m16n8k64.row.col.kind::{kind}.block_scale.scale_vec::{count}X",
            f"e2m1 e2m1 {scales}",
            count,
            selectors,
        )
        yield both.mnemonic, _narrow(both)


VALUES: Mapping[str, Value] = {**dict(_PLAIN), **dict(_narrow_values())}
