// RUN: xdsl-opt %s -t 'ptx{gpu=sm_90a}' | filecheck %s

// A tensor copy, a wait, and a wgmma that accumulates in place.

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @step(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %d: i64, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %s[16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(16384 : i32) : i32
  %ticks = llvm.mlir.constant(10000000 : i32) : i32
  %leader = nvvm.elect.sync -> i1
  nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
  nvvm.barrier
  nvvm.mbarrier.arrive.expect_tx %bar, %bytes, predicate = %leader : !llvm.ptr<3>, i32, i1
  %dst = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%c0, %c1] predicate = %leader : !llvm.ptr<7>, !llvm.ptr
  nvvm.mbarrier.try_wait.parity %bar, %c0, %ticks : !llvm.ptr<3>, i32, i32
  %acc = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.fence.aligned
  %r = nvvm.wgmma.mma_async %d, %d, %acc, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %x = llvm.extractvalue %r[3] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}

// CHECK:      .extern .shared .align 1024 .b8 smem[];
// CHECK:      .visible .entry step(
// CHECK-NEXT: .param .align 64 .b8 step_param_0[128],
// CHECK-NEXT: .param .u64 step_param_1,
// CHECK:      mov.b64 %rd0, step_param_0;
// CHECK-NEXT: cvta.param.u64 %rd1, %rd0;
// CHECK-NEXT: ld.param.u64 %rd2, [step_param_1];
// CHECK-NEXT: ld.param.u64 %rd3, [step_param_2];
// CHECK-NEXT: elect.sync %r0|%p0, -1;
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [smem+16384], 1;
// CHECK-NEXT: fence.mbarrier_init.release.cluster;
// CHECK-NEXT: bar.sync 0;
// CHECK-NEXT: @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem+16384], 16384;
// CHECK-NEXT: @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%rd1, {0, 1}], [smem+16384];
// CHECK-NEXT: $M1:
// CHECK-NEXT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [smem+16384], 0, 10000000;
// CHECK-NEXT: @!%p1 bra $M1;
// CHECK:      wgmma.fence.sync.aligned;
// CHECK:      wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd2, %rd2, 1, 1, 1, 0, 0;
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK-NEXT: wgmma.wait_group.sync.aligned 0;
// CHECK-NEXT: st.global.f32 [%rd3], %f3;
