"""Asynchronous copies, in bulk and of tensors."""

from .form import Form

TENSOR = "nvvm.cp.async.bulk.tensor."
REDUCE = "{redKind = #nvvm.tma_redux_kind<"

COPIES = (
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
    Form(
        "%k = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<4>\n"
        "nvvm.prefetch tensormap, %k : !llvm.ptr<4>",
        "prefetch.const.tensormap",
        "sm_90",
    ),
    Form("nvvm.prefetch level = L2, %g : !llvm.ptr<1>", "prefetch.global.L2"),
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
)
