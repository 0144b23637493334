"""Every op prints, parses and compares in both forms; every verifier says what is wrong."""

import re

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.unit.backend.ptx.nvvm_forms import FORMS, SCALED, module, scaled
from tileir_xdsl.dialects.nvvm.special_registers import SPECIAL_REGISTERS
from tileir_xdsl.testing.tools import parse, roundtrip

VALUES = """%p, %g, %s, %c, %i, %j, %l, %h, %f, %q, %v, %t, %w = "test.op"() : () ->
  (!llvm.ptr, !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr<7>, i32, i32, i64, i16, f32, i1, vector<2xf16>, !llvm.ptr<6>, i128)
%acc = "test.op"() : () -> !llvm.struct<(f32, f32, f32, f32)>
%iacc = "test.op"() : () -> !llvm.struct<(i32, i32, i32, i32)>
"""


def test_round_trip() -> None:
    """All forms in one kernel, each with names of its own for what it defines."""
    ops: list[str] = []
    for number, form in enumerate(FORMS):
        defined = "|".join(re.findall(r"^%(\w+) = ", form.op, re.M))
        ops.append(re.sub(rf"%({defined})\b", rf"%r{number}_\1", form.op) if defined else form.op)
    text = roundtrip(module("\n".join(ops)))
    assert text.count("nvvm.") >= len(FORMS)


def test_special_registers() -> None:
    for op in SPECIAL_REGISTERS.values():
        roundtrip(f"%0 = {op.name} : i32")
    text = roundtrip("%0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32")
    assert "range <i32, 0, 128> : i32" in text


WGMMA = ": !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>"
TENSOR = "nvvm.cp.async.bulk.tensor."

_BITS = (
    "%0 = nvvm.mma.sync A[%i] B[%i] C[%i, %i] {{layoutA = #nvvm.mma_layout<row>, layoutB = "
    "#nvvm.mma_layout<col>, {}multiplicandAPtxType = #nvvm.mma_type<b1>, multiplicandBPtxType = "
    "#nvvm.mma_type<b1>, shape = #nvvm.shape<m = 8, n = 8, k = 128>}} "
    ": (i32, i32, i32) -> !llvm.struct<(i32, i32)>"
)
SPARSE = (
    "%0 = nvvm.mma.sp.sync A[%i, %i] B[%i, %i] C[%f, %f, %f, %f] sparseMetadata[%i] selector[%i]"
)
SPARSE_TYPES = ": (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>"

INVALID = {
    "nvvm.barrier number_of_threads = %i": "barrier id is missing",
    '"nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 0, 0, 1>}> : (i32) -> ()': "expected an operation, a predicate and a result together, as a reduction needs them",
    "%0 = nvvm.barrier id = %i, #nvvm.reduction<and> %i -> i32": "reduction are only available when id is 0",
    "nvvm.mbarrier.arrive.expect_tx %c, %i, predicate = %q : !llvm.ptr<7>, i32, i1": "mbarrier in shared_cluster space is not supported when using predicate",
    "%0 = nvvm.mma.sync A[%i, %i] B[%i] C[%i, %i, %i, %i] {layoutA = #nvvm.mma_layout<row>, "
    "layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>, "
    "multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} "
    ": (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>": "op requires intOverflowBehavior attribute",
    _BITS.format(""): "op requires b1Op attribute",
    _BITS.format(
        "b1Op = #nvvm.mma_b1op<and_popc>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>, "
    ): "an mma of 1-bit elements cannot saturate",
    "%0 = nvvm.wgmma.mma_async %l, %l, %iacc, <m = 64, n = 8, k = 256>, "
    "D[<s32>, <one>, <satfinite>], A[<b1>, <one>, <row>], B[<b1>, <one>, <col>] "
    + WGMMA.replace("f32", "i32"): "an mma of 1-bit elements cannot saturate",
    "%0 = nvvm.shfl.sync bfly %i, %f, %i, %i : f32 -> i32": "expected the result type f32, got i32",
    "%0 = nvvm.vote.sync ballot %i, %q -> i1": "vote.sync 'ballot' returns an i32",
    "%0 = nvvm.vote.sync any %i, %q -> i32": "vote.sync 'any' returns an i1",
    "%0 = nvvm.redux.sync fmin %i, %i : i32 -> i32": "Only supported type is 'f32'",
    "%0 = nvvm.redux.sync add %i, %i {nan = true} : i32 -> i32": "'abs' and 'nan' are for f32 only",
    "%0 = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %w : i32": "is_canceled query type returns an i1",
    "%0 = nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_z, %w : i1": "get_first_cta_id_x, get_first_cta_id_y, get_first_cta_id_z query types return an i32",
    "nvvm.mbarrier.init %c, %i : !llvm.ptr<7>, i32": "expected a pointer to address space 0 or 3, got !llvm.ptr<7>",
    "%0 = nvvm.mbarrier.arrive %c : !llvm.ptr<7> -> i64": "mbarrier in shared_cluster space cannot return any value",
    "nvvm.mbarrier.arrive %s {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<3>": "mbarrier scope must be either CTA or Cluster",
    "%0 = nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %q : !llvm.ptr<3>, i32, i1 -> i64": "Predicate-op with return value is not supported",
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>}": "async_shared fence requires space attribute, others have none",
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<tensormap>}": "tensormap proxy is not a supported",
    "nvvm.fence.sync_restrict {order = #nvvm.mem_order<sc>}": "only acquire and release semantics are supported",
    "nvvm.cp.async.shared.global %s, %g, 12, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>": "expected byte size to be either 4, 8 or 16.",
    "nvvm.cp.async.shared.global %s, %g, 16, cache = cs : !llvm.ptr<3>, !llvm.ptr<1>": "Only CG and CA cache modifiers are supported.",
    f"{TENSOR}shared.cluster.global %s, %p, %s, box[%i] : !llvm.ptr<3>, !llvm.ptr": "Shared::cta destination requires isCTAOnly",
    f"{TENSOR}shared.cluster.global %s, %p, %s, box[%i] multicast_mask = %h {{isCTAOnly = true}} "
    ": !llvm.ptr<3>, !llvm.ptr": "Multicast is not supported with shared::cta mode.",
    f"{TENSOR}shared.cluster.global %c, %p, %s, box[%i, %i, %i, %i, %i, %i] "
    ": !llvm.ptr<7>, !llvm.ptr": "expects coordinates between 1 to 5 dimension",
    f"{TENSOR}shared.cluster.global %c, %p, %s, box[%i, %i, %i] im2col[%h] "
    ": !llvm.ptr<7>, !llvm.ptr": "im2col offsets expected 0 (provided 1)",
    f"{TENSOR}global.shared.cta %p, %s, box[%i] {{mode = #nvvm.tma_store_mode<tile_scatter4>}} "
    ": !llvm.ptr, !llvm.ptr<3>": "scatter4 requires 5 coordinates",
    "nvvm.prefetch %g : !llvm.ptr<1>": "requires specification of either cache level or tensormap",
    "%0 = nvvm.ldmatrix %s {num = 3 : i32, layout = #nvvm.mma_layout<row>, shape = "
    "#nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} "
    ": (!llvm.ptr<3>) -> i32": "expected num attribute to be 1, 2 or 4 for 8x8 matrix",
    "%0 = nvvm.ldmatrix %s {num = 2 : i32, layout = #nvvm.mma_layout<row>, shape = "
    "#nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} "
    ": (!llvm.ptr<3>) -> i32": "expected destination type !llvm.struct<(i32, i32)>, got i32",
    "%0 = nvvm.mma.sync A[%i, %i] B[%i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, "
    "layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} "
    ": (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>": "integer operands A and B need multiplicandAPtxType and multiplicandBPtxType",
    "%0 = nvvm.mma.sync A[%v] B[%v] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, "
    "layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} "
    ": (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>": "expected (2, 1, 4) operands for A, B and C, got (1, 1, 4)",
    "%0 = nvvm.mma.sync A[%v, %v] B[%v] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, "
    "layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 16, k = 8>} "
    ": (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>": "no mma of shape m16n16k8 has A of type f16 and B of type f16",
    "%0 = nvvm.wgmma.mma_async %l, %l, %acc, <m = 64, n = 16, k = 16>, D[<f32>, <one>], "
    f"A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] {WGMMA}": "expected 8 accumulator registers as operand and as result, got 4",
    "%0 = nvvm.wgmma.mma_async %l, %l, %acc, <m = 64, n = 8, k = 8>, D[<f32>, <one>], "
    f"A[<tf32>, <one>, <col>], B[<tf32>, <one>, <col>] {WGMMA}": "layoutA must be row and layoutB col for tf32",
    "%0 = nvvm.wgmma.mma_async %l, %l, %acc, <m = 64, n = 8, k = 16>, D[<f32>, <one>], "
    f"A[<f16>, <one>, <row>], B[<bf16>, <one>, <col>] {WGMMA}": "no wgmma has A of type f16, B of type bf16 and accumulator of type f32",
    "nvvm.setmaxregister increase 233": "new register size must be multiple of 8",
    "nvvm.setmaxregister increase 16": "new register size must be in between 24 to 256",
    "%0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rm>}": "Only {rn,rz,rna} rounding modes supported for ConvertFloatToTF32Op.",
    "%0 = nvvm.convert.f32x2.to.f8x2 %f, %f : i16 (f8E5M2)": "conversions to f8E5M2 round to nearest: rnd must be rn",
    "%0 = nvvm.convert.f32x2.to.f8x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>} : i16 (f8E5M2)": "conversions to f8E5M2 saturate: sat must be satfinite",
    "%0 = nvvm.convert.f16x2.to.f8x2 %v : vector<2xf16> -> vector<4xi8> (f8E5M2)": "expected a vector of two elements for a pair of floats, got vector<4xi8>",
    "%8 = llvm.trunc %i : i32 to i8\n"
    "%0 = nvvm.convert.f4x2.to.f16x2 %8 : i8 (f4E2M1FN) -> vector<4xf16>": "expected a vector of two elements for a pair of floats, got vector<4xf16>",
    "nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_64x128b>}": "Shape 64x128b requires multicast warpx2_01_23 or warpx2_02_13 for tcgen05.cp Op",
    "nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>}": "Shape 32x128b requires multicast warpx4 for tcgen05.cp Op",
    "%0 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<2xi32>": "expects 4 x 2^n registers, n from 0 to 7, for shape_16x256b, but got 2",
    "nvvm.tcgen05.mma %t, %l, %l, %i, %q scale = %l {kind = #nvvm.tcgen05_mma_kind<i8>, "
    "ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, i64)": "Scale input accumulator can only be used with f16 and tf32 types",
    "nvvm.tcgen05.mma.sp %t, %l, %l, %i, %q, %t scale = %l {kind = #nvvm.tcgen05_mma_kind<f8f6f4>, "
    "ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, i64)": "Scale input accumulator can only be used with f16 and tf32 types",
    "nvvm.tcgen05.mma %t, %l, %l, %i, %q {aShift, kind = #nvvm.tcgen05_mma_kind<f16>, "
    "ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)": "A-shift can be applied only when matrix A is in tensor memory",
    **{
        "nvvm.tcgen05.mma %t, %t, %l, %i, %q {aShift, kind = #nvvm.tcgen05_mma_kind<f16>, "
        f"collectorOp = #nvvm.tcgen05_mma_collectorop<{use}>, ctaGroup = #nvvm.cta_group<cta_1>}} "
        ": (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1)": "Cannot use collector::a::use or colletor::a::fill with ashift"
        for use in ("use", "fill")
    },
    "nvvm.tcgen05.mma.block_scale %t, %t, %l, %i, %q, %t, %t {aShift, kind = #nvvm.block_scale_kind<mxf4>, "
    "ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)": "ashift is not supported with tcgen05.mma.block_scale variants",
    f"{SPARSE} {{multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, "
    f"shape = #nvvm.shape<m = 16, n = 8, k = 32>}} {SPARSE_TYPES}": "no sparse mma has A of type s8, B of type s8, accumulator of type f32 and unordered metadata",
    f"{SPARSE} {{multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, "
    f"shape = #nvvm.shape<m = 16, n = 8, k = 32>}} {SPARSE_TYPES}": "expected (4, 4, 4) operands for A, B and C, got (2, 2, 4)",
    f"{SPARSE} {{multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, "
    f"shape = #nvvm.shape<m = 16, n = 8, k = 32>}} {SPARSE_TYPES}": "no mma of shape m16n8k32 has A of type tf32 and B of type tf32",
    f"{SPARSE} {{kind = #nvvm.mma_kind<f8f6f4>, multiplicandAPtxType = #nvvm.mma_type<e4m3>, "
    "multiplicandBPtxType = #nvvm.mma_type<e4m3>, shape = #nvvm.shape<m = 16, n = 8, k = 64>} "
    f"{SPARSE_TYPES}": "no sparse mma of kind f8f6f4 has A of type e4m3, B of type e4m3, accumulator of type f32 and unordered metadata",
    "nvvm.tcgen05.mma.block_scale %t, %l, %l, %i, %q, %t, %t {kind = #nvvm.block_scale_kind<mxf4nvf4>, "
    "ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)": "mxf4nvf4 requires block scale attribute",
    "nvvm.tcgen05.mma.block_scale %t, %l, %l, %i, %q, %t, %t {kind = #nvvm.block_scale_kind<mxf4>, "
    "blockScale = #nvvm.tcgen05_mma_block_scale<block16>, ctaGroup = #nvvm.cta_group<cta_1>} "
    ": (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)": "mxf4 kind does not support block16 attribute",
    f"%0 = nvvm.mma.block_scale A[%i, %i, %i, %i] B[%i, %i] {SCALED} {scaled('mxf4', 4, 64)}": "no mma of kind mxf4 has A of type e2m1, B of type e2m1 and scales ue4m3, x4",
    f"%0 = nvvm.mma.sp.block_scale A[%i, %i, %i, %i] B[%i, %i, %i, %i] {SCALED} {scaled('mxf4nvf4', 4, 128)}".replace(
        "scaleA", "sparseMetadata[%i] selector[%i] scaleA", 1
    ): "op requires orderedMetadata attribute",
    "%0 = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr": "expected a pointer to address space 7, got !llvm.ptr",
}


@pytest.mark.parametrize("op", INVALID)
def test_invalid(op: str) -> None:
    with pytest.raises(VerifyException) as caught:
        parse(VALUES + op)
    assert INVALID[op] in str(caught.value)
