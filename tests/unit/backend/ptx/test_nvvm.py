"""Every `nvvm` op: its text, acceptance by ptxas and the emulator, refusal below its target."""

from dataclasses import dataclass

import pytest
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.backend.ptx.harness import assemble, kernel, ptx
from tests.unit.tools import parse
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.backend.ptx.tables import RULES
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.special_registers import (
    SPECIAL_REGISTERS,
    Clock64Op,
    GlobalTimerOp,
    SpecialRegisterOp,
)

ARGUMENTS = "%g: !llvm.ptr<1>, %p: !llvm.ptr, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %d: f64"

PROLOGUE = """%s0 = llvm.mlir.addressof @smem : !llvm.ptr<3>
%s = llvm.getelementptr %s0[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%c = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
%t = llvm.inttoptr %j : i32 to !llvm.ptr<6>
%q = llvm.icmp "slt" %i, %j : i32
%hf = llvm.fptrunc %f : f32 to f16
%i0 = llvm.mlir.constant(0 : i32) : i32
%i1 = llvm.mlir.constant(1 : i32) : i32
%c31 = llvm.mlir.constant(31 : i32) : i32
%c128 = llvm.mlir.constant(128 : i32) : i32
%all = llvm.mlir.constant(-1 : i32) : i32
%u = llvm.mlir.undef : vector<2xf16>
%v0 = llvm.insertelement %hf, %u[%i0 : i32] : vector<2xf16>
%v = llvm.insertelement %hf, %v0[%i1 : i32] : vector<2xf16>
%b = llvm.bitcast %h : i16 to vector<2xi8>"""

USES = {
    "i16": "llvm.store %0, %g : i16, !llvm.ptr<1>",
    "vector<2xf16>": "llvm.store %0, %g : vector<2xf16>, !llvm.ptr<1>",
    "i32": "llvm.store %0, %g : i32, !llvm.ptr<1>",
    "i64": "llvm.store %0, %g : i64, !llvm.ptr<1>",
    "f32": "llvm.store %0, %g : f32, !llvm.ptr<1>",
    "f64": "llvm.store %0, %g : f64, !llvm.ptr<1>",
    "i1": "llvm.store %0, %g : i1, !llvm.ptr<1>",
}


def module(op: str) -> str:
    """A kernel around one op. Its result, if any, is `%0` and is stored."""
    lines = [PROLOGUE, op]
    if "%0" in op:
        last = op.rpartition("\n")[2]
        result = last.rpartition("->")[2] if "->" in last else last.rpartition(":")[2]
        result = result.partition(" (")[0].rpartition(" to ")[2]
        lines.append(USES.get(result.strip(), ""))
    lines.append("llvm.return")
    smem = (
        "llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} "
        ": !llvm.array<0 x i8>\n"
    )
    return smem + kernel("\n".join(lines), ARGUMENTS, "nvvm.reqntid = array<i32: 128>")


SATURATING = "{rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}"
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


FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<"
TENSOR = "nvvm.cp.async.bulk.tensor."
TRY_CANCEL = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
REDUCE = "{redKind = #nvvm.tma_redux_kind<"


@dataclass(frozen=True)
class Form:
    """An op, the instruction it becomes up to its operands, and the lowest target that has it."""

    op: str
    opcode: str
    gpu: str = "sm_80"
    lower: str | None = None


FORMS = [
    Form("nvvm.barrier", "bar.sync 0;"),
    Form("nvvm.barrier id = %i1 number_of_threads = %c128", "bar.sync 1, 128;"),
    Form("%0 = nvvm.barrier #nvvm.reduction<popc> %i -> i32", "bar.red.popc.u32"),
    Form("%0 = nvvm.barrier #nvvm.reduction<and> %i -> i32", "bar.red.and.pred"),
    Form("nvvm.barrier.arrive id = %i1 number_of_threads = %c128", "bar.arrive 1, 128;"),
    Form("nvvm.barrier.arrive number_of_threads = %c128", "bar.arrive 0, 128;"),
    Form("nvvm.bar.warp.sync %all : i32", "bar.warp.sync -1;"),
    Form("%0 = nvvm.shfl.sync bfly %all, %i, %i1, %c31 : i32 -> i32", "shfl.sync.bfly.b32"),
    Form("%0 = nvvm.shfl.sync up %all, %f, %i1, %i0 : f32 -> f32", "shfl.sync.up.b32"),
    Form("%0 = nvvm.shfl.sync down %all, %i, %i1, %c31 : i32 -> i32", "shfl.sync.down.b32"),
    Form(
        "%0 = nvvm.shfl.sync idx %all, %i, %i1, %c31 {return_value_and_is_valid} "
        ": i32 -> !llvm.struct<(i32, i1)>",
        "shfl.sync.idx.b32",
    ),
    Form("%0 = nvvm.vote.sync ballot %all, %q -> i32", "vote.sync.ballot.b32"),
    Form("%0 = nvvm.vote.sync any %all, %q -> i1", "vote.sync.any.pred"),
    Form("%0 = nvvm.vote.sync all %all, %q -> i1", "vote.sync.all.pred"),
    Form("%0 = nvvm.vote.sync uni %all, %q -> i1", "vote.sync.uni.pred"),
    *(
        Form(f"%0 = nvvm.redux.sync {kind} %i, %all : i32 -> i32", f"redux.sync.{text}")
        for kind, text in {
            "add": "add.s32",
            "and": "and.b32",
            "max": "max.s32",
            "min": "min.s32",
            "or": "or.b32",
            "umax": "max.u32",
            "umin": "min.u32",
            "xor": "xor.b32",
        }.items()
    ),
    Form(
        "%0 = nvvm.redux.sync fmax %f, %all {abs = true, nan = true} : f32 -> f32",
        "redux.sync.max.abs.NaN.f32",
        "sm_100a",
        "sm_120a",
    ),
    Form("%0 = nvvm.match.sync any %all, %i : i32 -> i32", "match.any.sync.b32"),
    Form("%0 = nvvm.match.sync any %all, %l : i64 -> i32", "match.any.sync.b64"),
    Form(
        "%0 = nvvm.match.sync all %all, %i : i32 -> !llvm.struct<(i32, i1)>", "match.all.sync.b32"
    ),
    Form("%0 = nvvm.elect.sync -> i1", "elect.sync", "sm_90", "sm_89"),
    # mbarriers
    Form("nvvm.mbarrier.init %s, %i : !llvm.ptr<3>, i32", "mbarrier.init.shared::cta.b64"),
    Form("nvvm.mbarrier.init %p, %i, predicate = %q : !llvm.ptr, i32, i1", "mbarrier.init.b64"),
    Form("nvvm.mbarrier.inval %s : !llvm.ptr<3>", "mbarrier.inval.shared::cta.b64"),
    Form("%0 = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64", "mbarrier.arrive.shared::cta.b64"),
    Form("nvvm.mbarrier.arrive %s : !llvm.ptr<3>", "mbarrier.arrive.shared::cta.b64"),
    Form(
        "nvvm.mbarrier.arrive %c, %i : !llvm.ptr<7>",
        "mbarrier.arrive.shared::cluster.b64 _",
        "sm_90",
        "sm_89",
    ),
    Form(
        "%0 = nvvm.mbarrier.arrive %s, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3> -> i64",
        "mbarrier.arrive.release.cluster.shared::cta.b64",
        "sm_90",
    ),
    Form(
        "%0 = nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3> -> i64",
        "mbarrier.arrive_drop.shared::cta.b64",
    ),
    Form(
        "%0 = nvvm.mbarrier.arrive.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64",
        "mbarrier.arrive.noComplete.shared::cta.b64",
    ),
    Form(
        "nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _",
        "sm_90",
        "sm_89",
    ),
    Form(
        "nvvm.mbarrier.arrive.expect_tx %c, %i : !llvm.ptr<7>, i32",
        "mbarrier.arrive.expect_tx.shared::cluster.b64 _",
        "sm_90",
    ),
    Form(
        "nvvm.mbarrier.expect_tx %s, %i : !llvm.ptr<3>, i32",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
        "sm_90",
    ),
    Form(
        "nvvm.mbarrier.complete_tx %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32",
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64",
        "sm_90",
    ),
    Form(
        "%st = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64\n"
        "%0 = nvvm.mbarrier.test.wait %s, %st : !llvm.ptr<3>, i64 -> i1",
        "mbarrier.test_wait.shared::cta.b64",
    ),
    Form(
        "%0 = nvvm.mbarrier.test.wait %s, %i : !llvm.ptr<3>, i32 -> i1",
        "mbarrier.test_wait.parity.shared::cta.b64",
    ),
    Form(
        "%0 = nvvm.mbarrier.try_wait %s, %i : !llvm.ptr<3>, i32 -> i1",
        "mbarrier.try_wait.parity.shared::cta.b64",
        "sm_90",
        "sm_89",
    ),
    Form(
        "%0 = nvvm.mbarrier.try_wait %s, %l, %i {scope = #nvvm.mem_scope<cluster>} "
        ": !llvm.ptr<3>, i64, i32 -> i1",
        "mbarrier.try_wait.acquire.cluster.shared::cta.b64",
        "sm_90",
    ),
    Form(
        "nvvm.mbarrier.try_wait.parity %s, %i, %j : !llvm.ptr<3>, i32, i32",
        "mbarrier.try_wait.parity.shared::cta.b64",
        "sm_90",
    ),
    # blocks that have not started
    Form("nvvm.clusterlaunchcontrol.try.cancel %s, %s", f"{TRY_CANCEL}.b128", "sm_100", "sm_90a"),
    Form(
        "nvvm.clusterlaunchcontrol.try.cancel multicast, %s, %s",
        f"{TRY_CANCEL}.multicast::cluster::all.b128",
        "sm_100a",
        "sm_100",
    ),
    *(
        Form(
            "%a = llvm.load %s : !llvm.ptr<3> -> i128\n"
            f"%0 = nvvm.clusterlaunchcontrol.query.cancel query = {query}, %a : {type_}",
            f"clusterlaunchcontrol.query_cancel.{text}.b128",
            "sm_100",
            "sm_90a",
        )
        for query, type_, text in (
            ("is_canceled", "i1", "is_canceled.pred"),
            ("get_first_cta_id_x", "i32", "get_first_ctaid::x.b32"),
            ("get_first_cta_id_y", "i32", "get_first_ctaid::y.b32"),
            ("get_first_cta_id_z", "i32", "get_first_ctaid::z.b32"),
        )
    ),
    # fences and clusters
    Form("nvvm.memory.barrier <gpu>", "fence.acq_rel.gpu;"),
    Form("nvvm.memory.barrier <cluster>", "fence.acq_rel.cluster;", "sm_90", "sm_89"),
    Form(f"{FENCE}async>}}", "fence.proxy.async;", "sm_90", "sm_89"),
    Form(f"{FENCE}async.global>}}", "fence.proxy.async.global;", "sm_90"),
    Form(
        f"{FENCE}async.shared>, space = #nvvm.shared_space<cta>}}",
        "fence.proxy.async.shared::cta;",
        "sm_90",
    ),
    Form(f"{FENCE}alias>}}", "fence.proxy.alias;"),
    Form(
        "nvvm.fence.proxy.acquire <gpu> %p, %c128",
        "fence.proxy.tensormap::generic.acquire.gpu",
        "sm_90",
        "sm_89",
    ),
    Form("nvvm.fence.proxy.release <gpu>", "fence.proxy.tensormap::generic.release.gpu;", "sm_90"),
    Form("nvvm.fence.mbarrier.init", "fence.mbarrier_init.release.cluster;", "sm_90", "sm_89"),
    Form("nvvm.fence.sc.cluster", "fence.sc.cluster;", "sm_90", "sm_89"),
    Form(
        "nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}",
        "fence.acquire.sync_restrict::shared::cluster.cluster;",
        "sm_90",
    ),
    Form(
        "nvvm.fence.sync_restrict {order = #nvvm.mem_order<release>}",
        "fence.release.sync_restrict::shared::cta.cluster;",
        "sm_90",
    ),
    Form(
        "nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<acquire>}",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
        "sm_90",
    ),
    Form("nvvm.cluster.arrive {aligned}", "barrier.cluster.arrive.aligned;", "sm_90", "sm_89"),
    Form("nvvm.cluster.arrive.relaxed", "barrier.cluster.arrive.relaxed;", "sm_90"),
    Form("nvvm.cluster.wait", "barrier.cluster.wait;", "sm_90"),
    # copies
    Form(
        "nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>",
        "cp.async.cg.shared.global",
    ),
    Form(
        "nvvm.cp.async.shared.global %s, %g, 4, cache = ca, %i : !llvm.ptr<3>, !llvm.ptr<1>, i32",
        "cp.async.ca.shared.global",
    ),
    Form("nvvm.cp.async.commit.group", "cp.async.commit_group;"),
    Form("nvvm.cp.async.wait.group 2", "cp.async.wait_group 2;"),
    Form(
        "nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64",
    ),
    Form("nvvm.cp.async.bulk.commit.group", "cp.async.bulk.commit_group;", "sm_90", "sm_89"),
    Form("nvvm.cp.async.bulk.wait_group 1", "cp.async.bulk.wait_group 1;", "sm_90"),
    Form("nvvm.cp.async.bulk.wait_group 0 {read}", "cp.async.bulk.wait_group.read 0;", "sm_90"),
    Form(
        "nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i multicast_mask = %h "
        "l2_cache_hint = %l : !llvm.ptr<7>, !llvm.ptr<1>",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "sm_90",
    ),
    Form(
        "nvvm.cp.async.bulk.shared.cluster.global %s, %g, %s, %i : !llvm.ptr<3>, !llvm.ptr<1>",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes",
        "sm_90",
    ),
    Form(
        "nvvm.cp.async.bulk.global.shared.cta %g, %s, %i : !llvm.ptr<1>, !llvm.ptr<3>",
        "cp.async.bulk.global.shared::cta.bulk_group",
        "sm_90",
    ),
    Form(
        "nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %s, %i : !llvm.ptr<7>, !llvm.ptr<3>",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        "sm_90",
    ),
    *(
        Form(
            f"{TENSOR}shared.cluster.global %c, %p, %s, box[{', '.join(['%i'] * rank)}] "
            ": !llvm.ptr<7>, !llvm.ptr",
            f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes",
            "sm_90",
            "sm_89",
        )
        for rank in range(1, 6)
    ),
    Form(
        f"{TENSOR}shared.cluster.global %c, %p, %s, box[%i, %j] multicast_mask = %h "
        "l2_cache_hint = %l predicate = %q : !llvm.ptr<7>, !llvm.ptr",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint",
        "sm_90",
    ),
    Form(
        f"{TENSOR}shared.cluster.global %s, %p, %s, box[%i, %j] {{isCTAOnly = true}} "
        ": !llvm.ptr<3>, !llvm.ptr",
        "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes",
        "sm_90",
    ),
    Form(
        f"{TENSOR}shared.cluster.global %c, %p, %s, box[%i, %j, %i] im2col[%h] "
        "{mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
        "sm_90",
    ),
    Form(
        f"{TENSOR}shared.cluster.global %c, %p, %s, box[%i, %j, %j, %j, %j] "
        "{mode = #nvvm.tma_load_mode<tile_gather4>} : !llvm.ptr<7>, !llvm.ptr",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4",
        "sm_100a",
        "sm_90a",
    ),
    Form(
        f"{TENSOR}global.shared.cta %p, %s, box[%i, %j] l2_cache_hint = %l "
        ": !llvm.ptr, !llvm.ptr<3>",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint",
        "sm_90",
        "sm_89",
    ),
    Form(
        f"{TENSOR}global.shared.cta %p, %s, box[%i, %j, %j], predicate = %q "
        ": !llvm.ptr, !llvm.ptr<3>",
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group",
        "sm_90",
    ),
    *(
        Form(
            f"{TENSOR}reduce %p, %s, box[%i, %j] {REDUCE}{kind}>}} : !llvm.ptr, !llvm.ptr<3>",
            f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{kind}.bulk_group",
            "sm_90",
        )
        for kind in ("add", "max", "min", "inc", "dec", "and", "or", "xor")
    ),
    Form(
        f"{TENSOR}prefetch %p, box[%i, %j] l2_cache_hint = %l : !llvm.ptr",
        "cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint",
        "sm_90",
    ),
    Form("nvvm.prefetch tensormap, %p : !llvm.ptr", "prefetch.tensormap", "sm_90", "sm_89"),
    Form("nvvm.prefetch level = L2, %g : !llvm.ptr<1>", "prefetch.global.L2"),
    # matrix instructions
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
    # conversions
    Form(
        f"%0 = nvvm.convert.f32x2.to.f8x2 %f, %f {SATURATING} : i16 (f8E4M3FN)",
        "cvt.rn.satfinite.e4m3x2.f32",
        "sm_89",
        "sm_86",
    ),
    Form(
        "%0 = nvvm.convert.f16x2.to.f8x2 %v {relu = true} : vector<2xf16> -> i16 (f8E5M2)",
        "cvt.rn.satfinite.relu.e5m2x2.f16x2",
        "sm_89",
        "sm_86",
    ),
    Form(
        "%0 = nvvm.convert.f8x2.to.f16x2 %b : vector<2xi8> (f8E5M2) -> vector<2xf16>",
        "cvt.rn.f16x2.e5m2x2",
        "sm_89",
        "sm_86",
    ),
    # tensor memory
    Form(
        "nvvm.tcgen05.alloc %s, %c128 : !llvm.ptr<3>, i32",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
        "sm_100a",
        "sm_120a",
    ),
    Form(
        "nvvm.tcgen05.dealloc %t, %c128 {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<6>, i32",
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.relinquish_alloc_permit",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
        "sm_100a",
    ),
    Form("nvvm.tcgen05.fence <before>", "tcgen05.fence::before_thread_sync;", "sm_100a"),
    Form("nvvm.tcgen05.wait <load>", "tcgen05.wait::ld.sync.aligned;", "sm_100a", "sm_90a"),
    Form(
        "nvvm.tcgen05.commit %s, multicast_mask = %h : !llvm.ptr<3>, i16",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64",
        "sm_100a",
    ),
    Form("nvvm.tcgen05.shift %t : !llvm.ptr<6>", "tcgen05.shift.cta_group::1.down", "sm_100a"),
    Form(
        "nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_128x256b>}",
        "tcgen05.cp.cta_group::1.128x256b",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, "
        "multicast = #nvvm.tcgen05_cp_multicast<warpx4>}",
        "tcgen05.cp.cta_group::1.32x128b.warpx4",
        "sm_100a",
    ),
    Form(
        "%0 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32",
        "sm_100a",
    ),
    Form(
        "%0 = nvvm.tcgen05.ld %t pack {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} "
        ": vector<8xi32>",
        "tcgen05.ld.sync.aligned.16x256b.x2.pack::16b.b32",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.st %t, %i {shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : i32",
        "tcgen05.st.sync.aligned.16x64b.x1.b32",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.mma %t, %l, %l, %i, %q {kind = #nvvm.tcgen05_mma_kind<f16>, "
        "ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)",
        "tcgen05.mma.cta_group::1.kind::f16",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.mma %t, %t, %l, %i, %q {kind = #nvvm.tcgen05_mma_kind<i8>, "
        "ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1)",
        "tcgen05.mma.cta_group::1.kind::i8",
        "sm_100a",
        "sm_103a",
    ),
    Form(
        "nvvm.tcgen05.mma %t, %l, %l, %i, %q {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = "
        "#nvvm.cta_group<cta_1>, collectorOp = #nvvm.tcgen05_mma_collectorop<fill>} "
        ": (!llvm.ptr<6>, i64, i64, i32, i1)",
        "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill",
        "sm_100a",
    ),
    Form(
        f"{TENSOR}shared.cluster.global %c, %p, %s, box[%i, %j, %i, %j] im2col[%h, %h] "
        "{mode = #nvvm.tma_load_mode<im2col_w_128>} : !llvm.ptr<7>, !llvm.ptr",
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier",
        "sm_100a",
    ),
    Form(
        f"{TENSOR}prefetch %p, box[%i, %j, %i] im2col[%h, %h] "
        "{mode = #nvvm.tma_load_mode<im2col_w>} : !llvm.ptr",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.mma %t, %t, %l, %i, %q {aShift, kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = "
        "#nvvm.cta_group<cta_1>, collectorOp = #nvvm.tcgen05_mma_collectorop<lastuse>} "
        ": (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1)",
        "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.mma.sp %t, %t, %l, %i, %q, %t {aShift, kind = #nvvm.tcgen05_mma_kind<f16>, "
        "ctaGroup = #nvvm.cta_group<cta_2>} "
        ": (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1, !llvm.ptr<6>)",
        "tcgen05.mma.sp.cta_group::2.kind::f16.ashift",
        "sm_100a",
    ),
    Form(
        "nvvm.tcgen05.mma.sp %t, %l, %l, %i, %q, %t {kind = #nvvm.tcgen05_mma_kind<tf32>, "
        "ctaGroup = #nvvm.cta_group<cta_1>, collectorOp = #nvvm.tcgen05_mma_collectorop<lastuse>} "
        ": (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>)",
        "tcgen05.mma.sp.cta_group::1.kind::tf32.collector::a::lastuse",
        "sm_100a",
        "sm_120a",
    ),
    Form(
        "nvvm.tcgen05.mma.ws %t, %t, %l, %i, %q, %l {kind = #nvvm.tcgen05_mma_kind<i8>, "
        "collectorBBuffer = #nvvm.tcgen05_mma_collectorb<b2>} "
        ": (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1, i64)",
        "tcgen05.mma.ws.cta_group::1.kind::i8.collector::b2::discard",
        "sm_100a",
        "sm_103a",
    ),
    Form(
        "nvvm.tcgen05.mma.ws.sp %t, %l, %l, %i, %q, %t {kind = #nvvm.tcgen05_mma_kind<f8f6f4>, "
        "collectorOp = #nvvm.tcgen05_mma_collectorop<use>} "
        ": (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>)",
        "tcgen05.mma.ws.sp.cta_group::1.kind::f8f6f4.collector::b0::use",
        "sm_100a",
        "sm_90a",
    ),
    Form(
        "nvvm.tcgen05.mma.block_scale %t, %l, %l, %i, %q, %t, %t {kind = "
        "#nvvm.block_scale_kind<mxf8f6f4>, ctaGroup = #nvvm.cta_group<cta_1>, "
        "collectorOp = #nvvm.tcgen05_mma_collectorop<fill>} "
        ": (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.collector::a::fill",
        "sm_100a",
        "sm_120a",
    ),
    Form(
        "nvvm.tcgen05.mma.block_scale %t, %t, %l, %i, %q, %t, %t {kind = "
        "#nvvm.block_scale_kind<mxf4nvf4>, ctaGroup = #nvvm.cta_group<cta_1>, "
        "blockScale = #nvvm.tcgen05_mma_block_scale<block16>} "
        ": (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16",
        "sm_100f",
    ),
    Form(
        "nvvm.tcgen05.mma.sp.block_scale %t, %l, %l, %i, %q, %t, %t, %t {kind = "
        "#nvvm.block_scale_kind<mxf4>, ctaGroup = #nvvm.cta_group<cta_1>, "
        "blockScale = #nvvm.tcgen05_mma_block_scale<block32>} "
        ": (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>, !llvm.ptr<6>)",
        "tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale.block32",
        "sm_100a",
        "sm_100f",
    ),
    # the rest
    Form(
        "nvvm.setmaxregister increase 232",
        "setmaxnreg.inc.sync.aligned.u32 232;",
        "sm_90a",
        "sm_90",
    ),
    Form("nvvm.setmaxregister decrease 40", "setmaxnreg.dec.sync.aligned.u32 40;", "sm_90a"),
    Form("nvvm.griddepcontrol wait", "griddepcontrol.wait;", "sm_90", "sm_89"),
    Form("nvvm.griddepcontrol launch_dependents", "griddepcontrol.launch_dependents;", "sm_90"),
    Form("nvvm.nanosleep %i", "nanosleep.u32"),
    Form("nvvm.exit", "exit;"),
    Form("%0 = nvvm.rcp.approx.ftz.f %f : f32", "rcp.approx.ftz.f32"),
    Form(
        '%0 = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%f : f32) -> f32',
        "ex2.approx.ftz.f32",
    ),
    Form(
        'nvvm.inline_ptx "prefetch.global.L1 [{$r0}];" ro(%g : !llvm.ptr<1>), predicate = %q',
        "@%p0 prefetch.global.L1",
    ),
]


def name(form: Form) -> str:
    return form.opcode


def operation(form: Form) -> str:
    """The name of a form's op."""
    return form.op.rpartition("\n")[2].removeprefix("%0 = ").strip('"').split()[0].partition('"')[0]


@pytest.mark.parametrize("form", FORMS, ids=name)
def test_form(form: Form) -> None:
    text = ptx(module(form.op), form.gpu)
    assert form.opcode in text
    assemble(text, form.gpu)
    emulator.load(text)


@pytest.mark.parametrize("form", [form for form in FORMS if form.lower is not None], ids=name)
def test_lower_targets_are_refused(form: Form) -> None:
    assert form.lower is not None
    operation = form.op.rpartition("\n")[2].removeprefix("%0 = ").split()[0].partition("[")[0]
    with pytest.raises(
        DiagnosticException, match=f"'{operation}' is not available on {form.lower}"
    ):
        ptx(module(form.op), form.lower)


@pytest.mark.parametrize("selector", ["%i", "%c31"])
def test_sparsity_selectors_are_constants(selector: str) -> None:
    op = sparse_mma("f16", 16, (2, 2, 4), ("v", "v", "f")).replace("%i0", selector)
    with pytest.raises(DiagnosticException, match="selector must be a constant below 4"):
        ptx(module(op), "sm_80")


def test_lower_versions_are_refused() -> None:
    text = module("%0 = nvvm.elect.sync -> i1")
    with pytest.raises(DiagnosticException, match=r"needs PTX 8\.0, .* 7\.8"):
        emit(parse(text), "sm_90", 7.8)
    assert ".version 8.0\n" in emit(parse(text), "sm_90", 8.0)


def test_version_rises_with_the_instructions() -> None:
    assert ptx(module("nvvm.barrier"), "sm_89").startswith(".version 7.8\n")
    text = mma("e4m3", "m = 16, n = 8, k = 32", (4, 2, 4), ("i", "i", "f"))
    assert ptx(module(text), "sm_89").startswith(".version 8.4\n")


@pytest.mark.parametrize("op", SPECIAL_REGISTERS, ids=lambda op: str(op.name))
def test_special_register(op: type[SpecialRegisterOp]) -> None:
    wide = op in (Clock64Op, GlobalTimerOp)
    type_, bits = ("i64", 64) if wide else ("i32", 32)
    text = ptx(module(f"%0 = {op.name} : {type_}"), "sm_90")
    assert f"mov.u{bits} %r{'d' * wide}" in text and f", {op.register()};" in text
    assemble(text, "sm_90")


def test_every_op_has_a_rule() -> None:
    assert [op.name for op in NVVM.operations if op not in RULES] == []


def test_every_op_is_in_a_form() -> None:
    covered = {operation(form) for form in FORMS}
    covered |= {op.name for op in SPECIAL_REGISTERS}
    missing = {op.name for op in NVVM.operations} - covered
    # Tested with their accumulators, and with their operands, in files of their own.
    assert missing == {
        "nvvm.convert.float.to.tf32",
        "nvvm.mapa",
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.fence.aligned",
        "nvvm.wgmma.mma_async",
        "nvvm.wgmma.mma_async.register",
        "nvvm.wgmma.wait.group.sync.aligned",
    }
