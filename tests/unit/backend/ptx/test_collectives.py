"""Warp collectives and barriers: values in the emulator."""

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import Array, evaluate, kernel, run

CONSTANTS = """%all = llvm.mlir.constant(-1 : i32) : i32
%c0 = llvm.mlir.constant(0 : i32) : i32
%c1 = llvm.mlir.constant(1 : i32) : i32
%c3 = llvm.mlir.constant(3 : i32) : i32
%c31 = llvm.mlir.constant(31 : i32) : i32
"""
VALUES: Array = np.random.default_rng(0).integers(-100, 100, 64).astype(np.int32)
WARPS = VALUES.reshape(2, 32)
LANES = np.arange(32)

SHUFFLES = {
    "bfly %all, %x0, %c3, %c31": WARPS[:, LANES ^ 3],
    "idx %all, %x0, %c3, %c31": np.repeat(WARPS[:, 3:4], 32, 1),
    "up %all, %x0, %c1, %c0": WARPS[:, np.maximum(LANES - 1, 0)],
    "down %all, %x0, %c1, %c31": WARPS[:, np.minimum(LANES + 1, 31)],
}


@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_shuffle(shuffle: str) -> None:
    ops = f"{CONSTANTS}%result = nvvm.shfl.sync {shuffle} : i32 -> i32"
    result = evaluate(ops, [("i32", VALUES)], "i32")
    np.testing.assert_array_equal(result, SHUFFLES[shuffle].reshape(-1))


def test_shuffle_of_floats_with_the_predicate() -> None:
    ops = f"""{CONSTANTS}
    %s = nvvm.shfl.sync up %all, %x0, %c1, %c0 {{return_value_and_is_valid}} : f32 -> !llvm.struct<(f32, i1)>
    %v = llvm.extractvalue %s[0] : !llvm.struct<(f32, i1)>
    %p = llvm.extractvalue %s[1] : !llvm.struct<(f32, i1)>
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %result = llvm.select %p, %v, %zero : i1, f32"""
    result = evaluate(ops, [("f32", VALUES.astype(np.float32))], "f32")
    expected = np.concatenate([np.zeros((2, 1)), WARPS[:, :-1]], 1)
    np.testing.assert_array_equal(result, expected.reshape(-1))


REDUCTIONS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_warp_reduction(kind: str) -> None:
    ops = f"{CONSTANTS}%result = nvvm.redux.sync {kind} %x0, %all : i32 -> i32"
    result = evaluate(ops, [("i32", VALUES)], "i32").reshape(2, 32)
    np.testing.assert_array_equal(
        result, np.repeat(REDUCTIONS[kind].reduce(WARPS, 1)[:, None], 32, 1)
    )


def test_votes() -> None:
    positive = WARPS > 0
    ballot = [sum(int(bit) << lane for lane, bit in enumerate(row)) for row in positive]
    ops = f"""{CONSTANTS}%p = llvm.icmp "sgt" %x0, %c0 : i32
    %result = nvvm.vote.sync ballot %all, %p -> i32"""
    result = evaluate(ops, [("i32", VALUES)], "i32").view(np.uint32).reshape(2, 32)
    np.testing.assert_array_equal(result, np.repeat(np.array(ballot, np.uint32)[:, None], 32, 1))
    combined = {"any": np.asarray(positive.any(1)), "all": np.asarray(positive.all(1))}
    for kind, expected in combined.items():
        ops = f"""{CONSTANTS}%p = llvm.icmp "sgt" %x0, %c0 : i32
        %v = nvvm.vote.sync {kind} %all, %p -> i1
        %result = llvm.zext %v : i1 to i32"""
        result = evaluate(ops, [("i32", VALUES)], "i32").reshape(2, 32)
        np.testing.assert_array_equal(result, np.repeat(expected[:, None], 32, 1))


def test_barrier_reductions() -> None:
    for kind, expected in (("and", 0), ("or", 1), ("popc", int((VALUES > 0).sum()))):
        body = f"""{CONSTANTS}%tid = nvvm.read.ptx.sreg.tid.x : i32
        %from = llvm.getelementptr %a[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %x = llvm.load %from : !llvm.ptr<1> -> i32
        %p = llvm.icmp "sgt" %x, %c0 : i32
        %i = llvm.zext %p : i1 to i32
        %r = nvvm.barrier #nvvm.reduction<{kind}> %i -> i32
        %to = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        llvm.store %r, %to : i32, !llvm.ptr<1>
        llvm.return"""
        b = np.zeros(64, np.int32)
        run(kernel(body, "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>"), [VALUES.copy(), b])
        np.testing.assert_array_equal(b, np.full(64, expected))


def test_matrix_copies_and_products() -> None:
    # One warp: ldmatrix of a 16x16 tile of f16 gives the A fragment of m16n8k16.
    mma = (
        "{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
        "multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>, "
        "shape = #nvvm.shape<m = 16, n = 8, k = 16>}"
    )
    copy = (
        "{num = 4 : i32, layout = #nvvm.mma_layout<row>, "
        "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
        "eltType = #nvvm.ld_st_matrix_elt_type<b16>}"
    )
    lines = [
        CONSTANTS,
        "%tid = nvvm.read.ptx.sreg.tid.x : i32",
        "%c4 = llvm.mlir.constant(4 : i32) : i32",
        "%c15 = llvm.mlir.constant(15 : i32) : i32",
        "%s = llvm.mlir.addressof @tile : !llvm.ptr<3>",
        "%from = llvm.getelementptr %a[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>",
        "%to = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>",
        "%v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>",
        "llvm.store %v, %to {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>",
        "nvvm.barrier",
        "%row = llvm.and %tid, %c15 : i32",
        "%chunk = llvm.lshr %tid, %c4 : i32",
        "%two = llvm.add %row, %row : i32",
        "%place = llvm.add %two, %chunk : i32",
        "%p = llvm.getelementptr %s[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>",
        f"%f = nvvm.ldmatrix %p {copy} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>",
        *(
            f"%f{n} = llvm.extractvalue %f[{n}] : !llvm.struct<(i32, i32, i32, i32)>"
            for n in range(4)
        ),
        # Columns 0 to 7 of the transposed tile: B as [n][k] is rows 0 to 7 of the same tile.
        "%z = llvm.mlir.constant(0.0 : f32) : f32",
        f"%d = nvvm.mma.sync A[%f0, %f1, %f2, %f3] B[%f0, %f2] C[%z, %z, %z, %z] {mma} "
        ": (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>",
        "%out = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>",
        *(
            line
            for n in range(4)
            for line in (
                f"%d{n} = llvm.extractvalue %d[{n}] : !llvm.struct<(f32, f32, f32, f32)>",
                f"%q{n} = llvm.getelementptr %out[{n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32",
                f"llvm.store %d{n}, %q{n} : f32, !llvm.ptr<1>",
            )
        ),
        "llvm.return",
    ]
    text = (
        "llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} "
        ": !llvm.array<256 x f16>\n"
        + kernel(
            "\n".join(lines),
            "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>",
            "nvvm.reqntid = array<i32: 32>",
        )
    )
    a = np.random.default_rng(3).integers(-4, 5, (16, 16)).astype(np.float16)
    fragments = np.zeros((32, 4), np.float32)
    run(text, [a.reshape(-1), fragments.reshape(-1)])
    product = a.astype(np.float32) @ a[:8].astype(np.float32).T
    group, place = LANES >> 2, LANES & 3
    for n in range(4):
        rows, columns = group + 8 * (n >> 1), 2 * place + (n & 1)
        np.testing.assert_array_equal(fragments[:, n], product[rows, columns])
