"""Products of warps, and their fragments in shared memory."""

from .form import Form

MMA = "{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "


def mma(
    type: str,
    shape: str,
    counts: tuple[int, int, int],
    operands: tuple[str, str, str],
    other: str | None = None,
    bits: str = "",
) -> str:
    """An mma.sync of packed integers, or of other operands; `operands` are names.

    `other` is the type of B where it differs, `bits` what 1-bit products do before they count.
    """
    parts = [
        f"{name}[{', '.join([f'%{operand}'] * count)}]"
        for name, operand, count in zip("ABC", operands, counts, strict=True)
    ]
    types = {"i": "i32", "f": "f32", "d": "f64", "v": "vector<2xf16>"}
    a, b, c = (types[operand] for operand in operands)
    given = (
        f"multiplicandAPtxType = #nvvm.mma_type<{type}>, "
        f"multiplicandBPtxType = #nvvm.mma_type<{other or type}>, "
        if operands[0] == "i"
        else ""
    )
    if bits:
        given += f"b1Op = #nvvm.mma_b1op<{bits}>, "
    elif c == "i32":
        given += "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, "
    result = ", ".join([c] * counts[2])
    return (
        f"%0 = nvvm.mma.sync {' '.join(parts)} {MMA}{given}shape = #nvvm.shape<{shape}>}} "
        f": ({a}, {b}, {c}) -> !llvm.struct<({result})>"
    )


def sparse_mma(
    type: str, k: int, counts: tuple[int, int, int], operands: tuple[str, str, str], more: str = ""
) -> str:
    """An mma.sp, as `mma`; `more` are further attributes."""
    dense = mma(type, f"m = 16, n = 8, k = {k}", counts, operands).replace(
        "mma.sync", "mma.sp.sync"
    )
    head, _, tail = dense.partition(MMA)
    return f"{head}sparseMetadata[%i] selector[%i0] {{{more}{tail}"


SCALED = "C[%f, %f, %f, %f] scaleA[%i, %h, %h] scaleB[%j, %h, %h]"


def scaled(kind: str, count: int, k: int) -> str:
    """What an mma of 4-bit floats with block scales ends with."""
    return (
        f"{{kind = #nvvm.block_scale_kind<{kind}>, scaleVecSize = #nvvm.scale_vec_size<x{count}>, "
        "blockScaleFormat = #nvvm.block_scale_format<ue4m3>, multiplicandAPtxType = "
        "#nvvm.mma_type<e2m1>, multiplicandBPtxType = #nvvm.mma_type<e2m1>, "
        f"shape = #nvvm.shape<m = 16, n = 8, k = {k}>}} "
        ": (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>"
    )


def matrix(num: int, trans: bool, kind: str = "b16", extent: str = "m = 8, n = 8") -> str:
    layout = "col" if trans else "row"
    return (
        f"{{num = {num} : i32, layout = #nvvm.mma_layout<{layout}>, "
        f"shape = #nvvm.ld_st_matrix_shape<{extent}>, "
        f"eltType = #nvvm.ld_st_matrix_elt_type<{kind}>}}"
    )


def stored(trans: bool, kind: str = "b16", extent: str = "m = 8, n = 8") -> str:
    return matrix(0, trans, kind, extent).replace("num = 0 : i32, ", "")


MATRIX = (
    *(
        Form(
            f"%0 = nvvm.ldmatrix %s {matrix(num, trans)} : (!llvm.ptr<3>) -> "
            + ("i32" if num == 1 else f"!llvm.struct<({', '.join(['i32'] * num)})>"),
            f"ldmatrix.sync.aligned.m8n8.x{num}{'.trans' * trans}.shared.b16",
        )
        for num in (1, 2, 4)
        for trans in (False, True)
    ),
    Form(
        f"%0 = nvvm.ldmatrix %s {matrix(1, True, 'b8', 'm = 16, n = 16')} "
        ": (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        "sm_100a",
        "sm_90a",
    ),
    *(
        Form(
            f"nvvm.stmatrix %s, {', '.join(['%i'] * num)} {stored(trans)} "
            f": !llvm.ptr<3>, {', '.join(['i32'] * num)}",
            f"stmatrix.sync.aligned.m8n8.x{num}{'.trans' * trans}.shared.b16",
            "sm_90",
            "sm_89",
        )
        for num in (1, 2, 4)
        for trans in (False, True)
    ),
    Form(
        mma("f16", "m = 16, n = 8, k = 16", (4, 2, 4), ("v", "v", "f")),
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    ),
    Form(
        mma("f16", "m = 16, n = 8, k = 8", (2, 1, 2), ("v", "v", "v")),
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
    ),
    Form(
        mma("bf16", "m = 16, n = 8, k = 16", (4, 2, 4), ("i", "i", "f")),
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
    ),
    Form(
        mma("tf32", "m = 16, n = 8, k = 8", (4, 2, 4), ("i", "i", "f")),
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
    ),
    Form(
        mma("s8", "m = 16, n = 8, k = 32", (4, 2, 4), ("i", "i", "i")),
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
    ),
    Form(
        mma("u8", "m = 16, n = 8, k = 16", (2, 1, 4), ("i", "i", "i")),
        "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32",
    ),
    Form(
        mma("s4", "m = 16, n = 8, k = 64", (4, 2, 4), ("i", "i", "i"), other="u4"),
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32",
    ),
    Form(
        mma("b1", "m = 8, n = 8, k = 128", (1, 1, 2), ("i", "i", "i"), bits="xor_popc"),
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
    ),
    Form(
        mma("f64", "m = 8, n = 8, k = 4", (1, 1, 2), ("d", "d", "d")),
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
    ),
    Form(
        mma("f64", "m = 16, n = 8, k = 16", (8, 4, 4), ("d", "d", "d")),
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",
        "sm_90",
        "sm_89",
    ),
    Form(
        mma("e4m3", "m = 16, n = 8, k = 32", (4, 2, 4), ("i", "i", "f")),
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
        "sm_89",
        "sm_86",
    ),
    Form(
        mma("e2m1", "m = 16, n = 8, k = 32", (4, 2, 4), ("i", "i", "f")),
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32",
        "sm_120a",
        "sm_100a",
    ),
    Form(
        sparse_mma("f16", 32, (4, 4, 4), ("v", "v", "f")),
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
    ),
    Form(
        sparse_mma("tf32", 8, (2, 2, 4), ("i", "i", "f"), "orderedMetadata, "),
        "mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
    ),
    Form(
        sparse_mma("u4", 128, (4, 4, 4), ("i", "i", "i")).replace("wrapped", "satfinite"),
        "mma.sp.sync.aligned.m16n8k128.row.col.satfinite.s32.u4.u4.s32",
    ),
    Form(
        sparse_mma("e5m2", 64, (4, 4, 4), ("i", "i", "f")),
        "mma.sp.sync.aligned.m16n8k64.row.col.f32.e5m2.e5m2.f32",
        "sm_89",
        "sm_86",
    ),
    Form(
        sparse_mma(
            "e3m2",
            64,
            (4, 4, 2),
            ("i", "i", "v"),
            "orderedMetadata, kind = #nvvm.mma_kind<f8f6f4>, ",
        ),
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e3m2.f16",
        "sm_120a",
        "sm_100a",
    ),
    Form(
        f"%0 = nvvm.mma.block_scale A[%i, %i, %i, %i] B[%i, %j] {SCALED} {scaled('mxf4nvf4', 4, 64)}",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
        ".f32.e2m1.e2m1.f32.ue4m3",
        "sm_120a",
        "sm_100a",
    ),
    Form(
        "%0 = nvvm.mma.sp.block_scale A[%i, %i, %i, %i] B[%i, %j, %i, %j] "
        + SCALED.replace("scaleA", "sparseMetadata[%i] selector[%i0] scaleA", 1)
        + scaled("mxf4nvf4", 4, 128).replace("{", "{orderedMetadata, ", 1),
        "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale"
        ".scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
        "sm_120a",
        "sm_100a",
    ),
)
