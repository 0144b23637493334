// RUN: xdsl-opt %s -p tileas-assign-load-store-layouts | filecheck %s
// RUN: xdsl-opt %s -p tileas-assign-load-store-layouts,tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s --check-prefix LLVM

// What threads compute is copied to the stage, which the region yields in its place. A scalar has a
// buffer of its own: one thread stores it, and each one loads it.

!producer = !nv_tileas.async.pipeline.producer_token
!consumer = !nv_tileas.async.pipeline.consumer_token
!iterator = !nv_tileas.async.pipeline.iterator<i32, tile<128xi32>>
!numbers = tensor<2xi32, #nv_tileas.memory<smem>>
!tiles = tensor<2x128xi32, #nv_tileas.memory<smem>>

builtin.module attributes {nv_tileaa.target_spec = "sm_80"} {

// CHECK-LABEL: nv_tileaa.func @in_a_region
// LLVM-LABEL: llvm.func @in_a_region
nv_tileaa.func @in_a_region(%n: i32, %out: !nv_tileaa.ptr<i32>)
    attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %b0 = nv_tileas.alloc_tensor : !numbers
  %b1 = nv_tileas.alloc_tensor : !tiles
  %p, %c = nv_tileas.async.pipeline.create_pipeline %b0, %b1 {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 0 : i8} : !numbers, !tiles -> !producer, !consumer
  // CHECK: create_iterator {{.*}}iterator<i32, tile<128xi32, #nv_tileas.memory<smem,{{.*}}
  %i = nv_tileas.async.pipeline.create_iterator %p : !producer -> !iterator
  // CHECK: produce_one
  // CHECK-NEXT: ^bb0(%{{.*}} : i32, %[[STAGE:.*]] : tile<128xi32, #nv_tileas.memory<smem,{{.*}}):
  // CHECK-NEXT: %[[TILE:.*]] = nv_tileaa.splat %n
  // CHECK-NEXT: nv_tileas.copy %[[TILE]] into %[[STAGE]] :
  // CHECK-NEXT: nv_tileas.async.pipeline.yield %n, %[[STAGE]] :
  // Each thread stores its element, and the first one the number as well; then all arrive.
  // LLVM: llvm.store %n, %[[MY_ELEMENT:.*]] {
  // LLVM: llvm.cond_br
  // LLVM: llvm.store %n, %[[NUMBER:.*]] {
  // LLVM: nvvm.mbarrier.arrive
  %filled = nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [i32, tile<128xi32>]} : (!producer, !iterator) -> !producer {
  ^bb0(%number: i32, %stage: tile<128xi32>):
    %tile = nv_tileaa.splat %n : i32 -> tensor<128xi32>
    nv_tileas.async.pipeline.yield %n, %tile : i32, tile<128xi32>
  }
  // CHECK: consume_one
  // CHECK-NEXT: ^bb0(%[[GOT:.*]] : i32, %[[HELD:.*]] : tile<128xi32, #nv_tileas.memory<smem,{{.*}}):
  // CHECK-NEXT: %[[LOADED:.*]] = nv_tileas.convert_layout %[[HELD]] :
  // CHECK-NEXT: nv_tileas.async.pipeline.yield %[[GOT]], %[[LOADED]] :
  // LLVM: nvvm.mbarrier.test.wait
  // LLVM: llvm.load %[[NUMBER]]
  // LLVM: llvm.load %[[MY_ELEMENT]]
  // LLVM: nvvm.bar.warp.sync
  // LLVM: nvvm.mbarrier.arrive
  %emptied, %got, %held = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [i32, tile<128xi32>]} : (!consumer, !iterator) -> !consumer, i32, tensor<128xi32> {
  ^bb0(%number: i32, %stage: tile<128xi32>):
    nv_tileas.async.pipeline.yield %number, %stage : i32, tile<128xi32>
  }
  %many = nv_tileaa.splat %got : i32 -> tensor<128xi32>
  %sum = arith.addi %many, %held : tensor<128xi32>
  %at = nv_tileaa.splat %out : !nv_tileaa.ptr<i32> -> tensor<128x!nv_tileaa.ptr<i32>>
  nv_tileas.store weak %at, %sum : tensor<128x!nv_tileaa.ptr<i32>>, tensor<128xi32>
  nv_tileaa.return
}

// The same in single steps: the values come from registers, with whatever layout.
// CHECK-LABEL: nv_tileaa.func @in_steps
// LLVM-LABEL: llvm.func @in_steps
nv_tileaa.func @in_steps(%n: i32, %out: !nv_tileaa.ptr<i32>)
    attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %b0 = nv_tileas.alloc_tensor : !numbers
  %b1 = nv_tileas.alloc_tensor : !tiles
  %p, %c = nv_tileas.async.pipeline.create_pipeline %b0, %b1 {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 0 : i8} : !numbers, !tiles -> !producer, !consumer
  %i = nv_tileas.async.pipeline.create_iterator %p : !producer -> !iterator
  %tile = nv_tileaa.splat %n : i32 -> tensor<128xi32>
  %empty = nv_tileas.async.pipeline.producer_acquire %p, %i : !producer, !iterator -> !producer
  // CHECK: producer_write %{{.*}}, %n, %{{.*}} : {{.*}}, i32, tile<128xi32, #nv_tileas.layout<
  // LLVM: llvm.store %n
  // LLVM: llvm.cond_br
  // LLVM: llvm.store %n
  // LLVM: nvvm.mbarrier.arrive
  %written = nv_tileas.async.pipeline.producer_write %empty, %n, %tile : !producer, i32, tile<128xi32> -> !producer
  %full = nv_tileas.async.pipeline.producer_commit %written : !producer -> !producer
  %waited = nv_tileas.async.pipeline.consumer_wait %c, %i {consumer_idx = 0 : i32} : !consumer, !iterator -> !consumer
  // CHECK: %{{.*}}, %{{.*}}, %[[HELD:.*]] = nv_tileas.async.pipeline.consumer_read {{.*}} i32, tile<128xi32, #nv_tileas.memory<smem,
  %read, %got, %held = nv_tileas.async.pipeline.consumer_read %waited {consumer_idx = 0 : i32} : !consumer -> !consumer, i32, tile<128xi32>
  %many = nv_tileaa.splat %got : i32 -> tensor<128xi32>
  // CHECK: nv_tileas.convert_layout %[[HELD]] :
  // LLVM: nvvm.mbarrier.test.wait
  // LLVM-COUNT-2: llvm.load
  // LLVM: nvvm.mbarrier.arrive
  %sum = arith.addi %many, %held : tensor<128xi32>
  %released = nv_tileas.async.pipeline.consumer_release %read : !consumer -> !consumer
  %at = nv_tileaa.splat %out : !nv_tileaa.ptr<i32> -> tensor<128x!nv_tileaa.ptr<i32>>
  nv_tileas.store weak %at, %sum : tensor<128x!nv_tileaa.ptr<i32>>, tensor<128xi32>
  nv_tileaa.return
}
}
