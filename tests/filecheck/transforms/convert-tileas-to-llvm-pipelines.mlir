// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

!producer = !nv_tileas.async.pipeline.producer_token
!consumer = !nv_tileas.async.pipeline.consumer_token
!stage = tensor<64x32xf32, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<3, 4, 3>>>>
!iterator = !nv_tileas.async.pipeline.iterator<tensor<64x32xf32, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<3, 4, 3>>>>>
!tile = tensor<64x32xf32, #nv_tileas.layout<((4, 4), 32, 4, 1), ((1, 512), 4, 128, 0)>>

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {

// One warp loads tiles ahead of four others, which add them up.
// CHECK-LABEL: llvm.func @specialised
// CHECK-SAME: %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}
// CHECK-SAME: nvvm.reqntid = array<i32: 256, 1, 1>
// CHECK-SAME: nvvm.maxnreg = 248 : i32
nv_tileaa.func @specialised(%map: !nv_tileas.tma_desc, %steps: i32)
    attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  // Two stages of 8 KiB, two full barriers of one arrival, two empty ones of four warps.
  // CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32) : i32
  // CHECK: nvvm.prefetch tensormap, %map
  // CHECK: %[[FULL_0:.*]] = llvm.getelementptr %[[SHARED:.*]][16384]
  // CHECK-NEXT: nvvm.mbarrier.init %[[FULL_0]], %[[ONE]] :
  // CHECK: %[[FULL_1:.*]] = llvm.getelementptr %[[SHARED]][16392]
  // CHECK-NEXT: nvvm.mbarrier.init %[[FULL_1]], %[[ONE]] :
  // CHECK: %[[EMPTY_0:.*]] = llvm.getelementptr %[[SHARED]][16400]
  // CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY_0]], %[[FOUR]] :
  // CHECK: %[[EMPTY_1:.*]] = llvm.getelementptr %[[SHARED]][16408]
  // CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY_1]], %[[FOUR]] :
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK: nvvm.barrier
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n32 = arith.constant 32 : i32
  %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %buffer = nv_tileas.alloc_tensor : tensor<2x64x32xf32, #nv_tileas.memory<smem>>
  %p, %c = nv_tileas.async.pipeline.create_pipeline %buffer {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : tensor<2x64x32xf32, #nv_tileas.memory<smem>> -> !producer, !consumer
  %i = nv_tileas.async.pipeline.create_iterator %p : !producer -> !iterator
  %j = nv_tileas.async.pipeline.create_iterator %c : !consumer -> !iterator

  // Each warp goes its way; whole warpgroups change their registers.
  // CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
  // CHECK: %[[CONSUMES:.*]] = llvm.icmp "ult" %[[WARP]], %[[FOUR]] :
  // CHECK-NEXT: llvm.cond_br %[[CONSUMES]],
  // CHECK: nvvm.setmaxregister decrease 128
  // CHECK: nvvm.setmaxregister decrease 40
  nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, max_regs = array<i32: 128, 40>, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>} {
    %zero = arith.constant dense<0.0> : !tile
    // CHECK: ^[[LOOP:bb[0-9]+]](%[[K:[0-9]+]]: i32, %[[STAGE:[0-9]+]]: i32, %[[PHASE:[0-9]+]]: i32,
    // CHECK-NEXT: %[[ALL_FULL:.*]] = llvm.getelementptr %[[BASE:.*]][16384]
    // CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr %[[ALL_FULL]][%[[STAGE]]]
    // CHECK-NEXT: nvvm.mbarrier.try_wait.parity %[[FULL]], %[[PHASE]], %{{.*}} : !llvm.ptr<3>, i32, i32
    // CHECK-NEXT: %[[TILE:.*]] = llvm.mul %[[STAGE]], %[[BYTES:.*]] :
    // CHECK-NEXT: llvm.getelementptr %[[BASE]][%[[TILE]]]
    // CHECK-COUNT-16: llvm.fadd
    // CHECK-NEXT: nvvm.bar.warp.sync
    // CHECK: %[[ALL_EMPTY:.*]] = llvm.getelementptr %[[BASE]][16400]
    // CHECK-NEXT: %[[EMPTY:.*]] = llvm.getelementptr %[[ALL_EMPTY]][%[[STAGE]]]
    // CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]] :
    // The phase changes with the last stage, after which the first one follows.
    // CHECK: %[[OTHER:.*]] = llvm.xor %[[PHASE]], %[[ONE]] :
    // CHECK-NEXT: %[[AFTER:.*]] = llvm.add %[[STAGE]], %[[ONE]] :
    // CHECK-NEXT: %[[WRAPS:.*]] = llvm.icmp "eq" %[[AFTER]], %[[TWO:.*]] :
    // CHECK-NEXT: %[[NEXT_STAGE:.*]] = llvm.select %[[WRAPS]], %[[ZERO:.*]], %[[AFTER]] :
    // CHECK-NEXT: %[[NEXT_PHASE:.*]] = llvm.select %[[WRAPS]], %[[OTHER]], %[[PHASE]] :
    // CHECK: llvm.cond_br %{{.*}}, ^[[LOOP]](%{{[0-9]+}}, %[[NEXT_STAGE]], %[[NEXT_PHASE]], %
    %last, %total = scf.for %k = %n0 to %steps step %n1 iter_args(%at = %j, %acc = %zero) -> (!iterator, !tile) : i32 {
      %w = nv_tileas.async.pipeline.consumer_wait %c, %at {consumer_idx = 0 : i32} : !consumer, !iterator -> !consumer
      %r, %a = nv_tileas.async.pipeline.consumer_read %w {consumer_idx = 0 : i32} : !consumer -> !consumer, !stage
      %x = nv_tileas.convert_layout %a : !stage -> !tile
      %sum = nv_tileaa.addf %acc, %x : !tile
      %released = nv_tileas.async.pipeline.consumer_release %r : !consumer -> !consumer
      %next = nv_tileas.async.pipeline.inc_iter %at : !iterator -> !iterator
      scf.yield %next, %sum : !iterator, !tile
    }
    // A barrier inside of an agent is one of its threads.
    // CHECK: nvvm.barrier id = %[[ONE]] number_of_threads
    %turned = nv_tileas.convert_layout %total : !tile -> tensor<64x32xf32, #nv_tileas.layout<(16, 32, 4, 1), (1, 16, 512, 0)>>
    nv_tileas.async.pipeline.yield
  }, {
    // One thread does it all.
    // CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
    // CHECK-NEXT: llvm.cond_br %[[ELECTED]],
    // CHECK: ^[[LOAD:bb[0-9]+]](%[[K:.*]]: i32, %[[STAGE:.*]]: i32, %[[PHASE:.*]]: i32):
    // The stages are empty at first: the producer waits for the phase before.
    // CHECK-NEXT: %[[OTHER:.*]] = llvm.xor %[[PHASE]], %[[ONE]] :
    // CHECK-NEXT: %[[ALL_EMPTY:.*]] = llvm.getelementptr %[[BASE]][16400]
    // CHECK-NEXT: %[[EMPTY:.*]] = llvm.getelementptr %[[ALL_EMPTY]][%[[STAGE]]]
    // CHECK-NEXT: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %[[OTHER]], %{{.*}} :
    // CHECK-NEXT: %[[ALL_FULL:.*]] = llvm.getelementptr %[[BASE]][16384]
    // CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr %[[ALL_FULL]][%[[STAGE]]]
    // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL]], %[[BYTES]] :
    // CHECK-NEXT: %[[TILE:.*]] = llvm.mul %[[STAGE]], %[[BYTES]] :
    // CHECK-NEXT: %[[COLUMN:.*]] = llvm.mul %[[K]], %{{.*}} :
    // CHECK-NEXT: %[[TARGET:.*]] = llvm.getelementptr %[[BASE]][%[[TILE]]]
    // CHECK-NEXT: %[[CLUSTER:.*]] = llvm.addrspacecast %[[TARGET]] :
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[CLUSTER]], %map, %[[FULL]], box[%[[COLUMN]], %[[ZERO]]] :
    // CHECK-NEXT: %[[AFTER:.*]] = llvm.add %[[STAGE]], %[[ONE]] :
    // CHECK-NEXT: %[[WRAPS:.*]] = llvm.icmp "eq" %[[AFTER]], %[[TWO]] :
    // CHECK-NEXT: %[[NEXT_STAGE:.*]] = llvm.select %[[WRAPS]], %[[ZERO]], %[[AFTER]] :
    // CHECK-NEXT: %[[NEXT_PHASE:.*]] = llvm.select %[[WRAPS]], %[[OTHER]], %[[PHASE]] :
    // CHECK: llvm.cond_br %{{.*}}, ^[[LOAD]](%{{[0-9]+}}, %[[NEXT_STAGE]], %[[NEXT_PHASE]] :
    // CHECK-NOT: nvvm.elect.sync
    // CHECK: llvm.return
    %last = scf.for %k = %n0 to %steps step %n1 iter_args(%at = %i) -> (!iterator) : i32 {
      %produced, %done = nv_tileas.async.pipeline.produce_one_async %p, %at {producer_types = [!stage]} : (!producer, !iterator) -> !producer, !nv_tileas.async_token {
      ^bb0(%stage: !stage):
        %column = arith.muli %k, %n32 : i32
        %x = nv_tileas.async.tiled_tma_load %map, %stage[%n0, %column], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !stage, i32, i32, !nv_tileaa.mem_token -> !nv_tileas.async_token
        nv_tileas.async.pipeline.yield %stage : !stage
      }
      %next = nv_tileas.async.pipeline.inc_iter %at : !iterator -> !iterator
      scf.yield %next : !iterator
    }
    nv_tileas.async.pipeline.yield
  }
  nv_tileaa.return
}

// Copies by all threads: each arrives at the full barrier once its own are done.
// CHECK-LABEL: llvm.func @copied
nv_tileaa.func @copied(%ptr: !nv_tileaa.ptr<f32>)
    attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  // CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(128 : i32) : i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %[[ALL]] :
  // CHECK: %[[BASE:.*]] = llvm.mlir.addressof @copied_shared
  %n0 = arith.constant 0 : i32
  %object = nv_tileaa.make_memref %ptr : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<64x32xf32, strides = [32, 1]>
  %view = nv_tileaa.block_tile %object {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<64x32xf32, strides = [32, 1]> -> !nv_tileaa.tiled_view<64x32xf32, !nv_tileaa.memref<64x32xf32, strides = [32, 1]>>
  %buffer = nv_tileas.alloc_tensor : tensor<1x64x32xf32, #nv_tileas.memory<smem>>
  %p, %c = nv_tileas.async.pipeline.create_pipeline %buffer {numStages = 1 : i32, producerGroupId = 0 : i8, consumerGroupId = 0 : i8} : tensor<1x64x32xf32, #nv_tileas.memory<smem>> -> !producer, !consumer
  %i = nv_tileas.async.pipeline.create_iterator %p : !producer -> !iterator
  // The first round waits for nobody.
  // CHECK-NOT: try_wait
  // CHECK-COUNT-4: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: %[[FULL:.*]] = llvm.getelementptr %[[BASE]][8192]
  // CHECK-NEXT: nvvm.cp.async.mbarrier.arrive %[[FULL]] {noinc = true} : !llvm.ptr<3>
  %produced, %done = nv_tileas.async.pipeline.produce_one_async %p, %i {producer_types = [!stage]} : (!producer, !iterator) -> !producer, !nv_tileas.async_token {
  ^bb0(%stage: !stage):
    %x = nv_tileas.async.tiled_load weak %view[%n0, %n0] into %stage : !stage {atom = #nv_tileas<atom ldgsts_128>} : !nv_tileaa.tiled_view<64x32xf32, !nv_tileaa.memref<64x32xf32, strides = [32, 1]>>[i32, i32] -> !async.value<!stage>
    nv_tileas.async.pipeline.yield %stage : !stage
  }
  // CHECK: nvvm.mbarrier.try_wait.parity %[[FULL]], %{{.*}}, %{{.*}} :
  %w = nv_tileas.async.pipeline.consumer_wait %c, %i {consumer_idx = 0 : i32} : !consumer, !iterator -> !consumer
  %r, %a = nv_tileas.async.pipeline.consumer_read %w {consumer_idx = 0 : i32} : !consumer -> !consumer, !stage
  %released = nv_tileas.async.pipeline.consumer_release %r : !consumer -> !consumer
  nv_tileaa.return
}

}
