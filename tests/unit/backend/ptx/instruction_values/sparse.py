"""Products with a sparse factor: half of the elements of random matrices, multiplied by numpy."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from tests.unit.backend.ptx.instruction_values.mma import qualifiers_of_scales, scales_of
from tests.unit.backend.ptx.instruction_values.value import Loaded, Stored, Value, fetch
from tests.unit.emulator.instructions import (
    test_sparse_matrix,
    test_sparse_scaled_matrix,
    test_sparse_warpgroup,
)

_REGISTERS = {"f32": "f32", "s32": "i32", "f16": "vector<2xf16>"}


def _operands(name: str, count: int) -> str:
    return f"{name.upper()}[{', '.join(f'%{name}{i}' for i in range(count))}]"


def of_warp(form: test_sparse_matrix.Dot) -> tuple[str, Value]:
    """The op for an `mma.sp`, on what the emulator's own test loads."""
    data, expected = test_sparse_matrix.data_of(form)
    a, b, sums = form.counts
    result = _REGISTERS[form.result]
    struct = f"!llvm.struct<({', '.join([result] * sums)})>"
    attributes = [
        f"multiplicandAPtxType = #nvvm.mma_type<{form.a}>",
        f"multiplicandBPtxType = #nvvm.mma_type<{form.b}>",
        f"shape = #nvvm.shape<m = 16, n = 8, k = {form.k}>",
    ]
    if form.ordered:
        attributes.append("orderedMetadata")
    if "kind" in form.qualifiers:
        attributes.append("kind = #nvvm.mma_kind<f8f6f4>")
    if form.result == "s32":
        overflow = "satfinite" if "satfinite" in form.qualifiers else "wrapped"
        attributes.append(f"intOverflowBehavior = #nvvm.mma_int_overflow<{overflow}>")
    ops = (
        f"%d = nvvm.mma.sp.sync {_operands('a', a)} {_operands('b', b)} {_operands('c', sums)} "
        f"sparseMetadata[%e] selector[%c{form.selector}_i32] {{{', '.join(attributes)}}} "
        f": (i32, i32, {result}) -> {struct}"
    )
    columns = np.split(data, [a, a + b, a + b + sums], axis=1)
    value = Value(
        ops,
        lambda _: {"d": expected},
        loads={
            name: Loaded(
                result if name == "c" else "i32", np.ascontiguousarray(part), part.shape[1]
            )
            for name, part in zip("abce", columns, strict=True)
        },
        stores={"d": Stored(struct, np.zeros_like(expected))},
    )
    return form.mnemonic, value


def with_scales(form: test_sparse_scaled_matrix.Dot) -> tuple[str, Value]:
    """The op for an `mma.sp` with block scales."""
    data, expected = test_sparse_scaled_matrix.data_of(form)
    types = f"{form.a.removeprefix('packed ')} {form.b.removeprefix('packed ')} {form.scales}"
    scaled = qualifiers_of_scales(form.qualifiers, types, form.k)
    places, scales = scales_of(form.places)
    ops = (
        f"{places}\n%d = nvvm.mma.sp.block_scale {_operands('a', 4)} {_operands('b', 4)} "
        f"{_operands('c', 4)} sparseMetadata[%e] selector[%c0_i32] {scales} "
        f"{{orderedMetadata, {scaled}}} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>"
    )
    columns = np.split(data, [4, 8, 12, 13, 14], axis=1)
    value = Value(
        ops,
        lambda _: {"d": expected},
        loads={
            name: Loaded("f32" if name == "c" else "i32", np.ascontiguousarray(part), part.shape[1])
            for name, part in zip("abcexy", columns, strict=True)
        },
        stores={"d": Stored("!llvm.struct<(f32, f32, f32, f32)>", np.zeros_like(expected))},
    )
    return form.mnemonic, value


def of_warpgroup(form: test_sparse_warpgroup.Dot) -> tuple[str, Value]:
    """The text for a `wgmma.mma_async.sp`, which no op prints, from its fence to its wait."""
    given = test_sparse_warpgroup.statement(form)
    d, a, b = form.types
    opcode = f"wgmma.mma_async.sp.sync.aligned.{form.shape}.{d}.{a}.{b}"
    kind, registers = ("f32", "%f") if d == "f32" else ("b32", "%i")
    sums = [f"{registers}{i}" for i in range(form.sums)]
    stores = (
        f"st.global.v2.{kind} [{{$r6}}+{4 * i}], {{{sums[i]}, {sums[i + 1]}}};"
        for i in range(0, form.sums, 2)
    )
    negations = "" if d == "s32" else ", 1, 1"
    transposition = ", 0" if a in ("f16", "bf16") else ""
    text = (
        f"{{ .reg .{kind} {registers}<{form.sums}>; .reg .pred %none; setp.ne.u32 %none, 0, 0; "
        f"wgmma.fence.sync.aligned; {opcode} {{{', '.join(sums)}}}, "
        f"{{{{$r0}}, {{$r1}}, {{$r2}}, {{$r3}}}}, {{$r5}}, {{$r4}}, {form.selector}, %none"
        f"{negations}{transposition}; wgmma.commit_group.sync.aligned; "
        f"wgmma.wait_group.sync.aligned 0; {' '.join(stores)} }}"
    )
    begin = test_sparse_warpgroup.B_START
    image, word = given.image[begin : begin + 64 * form.n], form.descriptors[1] & ~0x3FFF
    ops = f"""{fetch(image.size)}
%address = llvm.ptrtoint %smem : !llvm.ptr<3> to i32
%start = llvm.lshr %address, %c4_i32 : i32
%wide = llvm.zext %start : i32 to i64
%fields = llvm.mlir.constant({word} : i64) : i64
%second = llvm.add %wide, %fields : i64
%own = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>,
  !llvm.array<{form.sums} x i32>
nvvm.inline_ptx "{text}" ro(%a0, %a1, %a2, %a3, %a4, %second, %own
  : i32, i32, i32, i32, i32, i64, !llvm.ptr<1>)"""
    value = Value(
        ops,
        lambda _: {"out": given.expected},
        loads={"a": Loaded("i32", given.left, 5)},
        memory={"image": image, "out": np.zeros_like(given.expected)},
        threads=128,
    )
    return opcode, value


_PLAIN = tuple(
    test_sparse_matrix.Dot(a, b, k, d)
    for types, extents in (
        ((("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16")), (16, 32)),
        ((("f32", "tf32", "tf32"),), (8, 16)),
        (tuple(("s32", *pair) for pair in product(("s8", "u8"), repeat=2)), (32, 64)),
        (tuple(("s32", *pair) for pair in product(("s4", "u4"), repeat=2)), (64, 128)),
        (tuple(("f32", *pair) for pair in product(("e4m3", "e5m2"), repeat=2)), (64,)),
    )
    for d, a, b in types
    for k in extents
)
_NARROW = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")


def _warp_forms() -> Iterator[test_sparse_matrix.Dot]:
    for index, form in enumerate(_PLAIN):
        for ordered in (False, True):
            selected = replace(form, ordered=ordered, selector=index % (4 // form.contributors))
            yield selected
            if form.result == "s32":
                yield replace(selected, qualifiers="m16n8k{}.row.col.satfinite")
    for a, b, d in product(_NARROW, _NARROW, ("f16", "f32")):
        yield test_sparse_matrix.Dot(
            a, b, 64, d, ordered=True, qualifiers="m16n8k{}.row.col.kind::f8f6f4"
        )
    for a, b in product(_NARROW[:2], repeat=2):
        yield test_sparse_matrix.Dot(a, b, 64, "f16", ordered=True)


def _warpgroup_forms() -> Iterator[test_sparse_warpgroup.Dot]:
    """Every width; integers skip the odd multiples of 8 above 24."""
    for types, n in product(test_sparse_warpgroup.TYPES_OF_MMAS, range(8, 257, 8)):
        if types[0] != "s32" or n <= 24 or n % 16 == 0:
            selector = n // 8 % 2 if types[1] in ("f16", "bf16", "tf32") else 0
            yield test_sparse_warpgroup.Dot(types, n, registers=True, selector=selector, adds=False)


_SCALED = "m16n8k{}.row.col.kind::"
_FOUR_BITS = ("packed e2m1", "packed e2m1", 128)
_SCALED_FORMS = (
    *(
        test_sparse_scaled_matrix.Dot(
            a, b, 64, qualifiers=f"{_SCALED}mxf8f6f4.block_scale.scale_vec::1X"
        )
        for a, b in product(_NARROW, repeat=2)
    ),
    *(
        test_sparse_scaled_matrix.Dot(
            *_FOUR_BITS,
            qualifiers=f"{_SCALED}{kind}.block_scale.scale_vec::{count}X",
            scales=scales,
            count=count,
            places=places,
        )
        for kind, count, scales, places in (
            ("mxf4", 2, "ue8m0", (2, 1, 0, 2)),
            ("mxf4nvf4", 2, "ue8m0", (0, 1, 2, 3)),
            ("mxf4nvf4", 4, "ue4m3", (0, 1, 0, 2)),
            ("mxf4nvf4", 4, "ue8m0", (0, 0, 0, 3)),
        )
    ),
)

VALUES: Mapping[str, Value] = dict(
    [
        *map(of_warp, _warp_forms()),
        *map(with_scales, _SCALED_FORMS),
        *map(of_warpgroup, _warpgroup_forms()),
    ]
)
