"""Barriers, votes and shuffles, mbarriers, fences, clusters."""

from .form import Form

FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<"
TRY_CANCEL = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"

SYNCHRONIZATION = (
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
)
