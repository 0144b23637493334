"""Tensor memory: allocation, copies, products."""

from .form import Form

TENSOR_MEMORY = (
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
)
