// RUN: xdsl-opt %s -p convert-tileaa-to-tileas | filecheck %s

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {

// Accesses change dialect with everything they carry, but padding that no element needs; other ops
// stay.
// CHECK-LABEL: nv_tileaa.func @accesses
nv_tileaa.func @accesses(%p: !nv_tileaa.ptr<f32>, %n: i32, %m: i1) {
  // CHECK-NEXT: %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // CHECK-NEXT: %o = nv_tileaa.make_memref %p sizes = [%n :
  %o = nv_tileaa.make_memref %p sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
  // CHECK-NEXT: %v = nv_tileaa.block_tile %o {
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 8>, dimGroups = [[0]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
  // CHECK-NEXT: %x, %t1 = nv_tileas.load acquire gpu %p mask = %m : i1 token = %t {latency = 4 : i32} : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token
  %x, %t1 = nv_tileaa.load acquire gpu %p mask = %m : i1 token = %t {latency = 4 : i32} : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token
  // CHECK-NEXT: %t2 = nv_tileas.store release sys %p, %x token = %t1 : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token
  %t2 = nv_tileaa.store release sys %p, %x token = %t1 : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token
  // CHECK-NEXT: %y, %t3 = nv_tileas.tiled_load weak %v[%n] token = %t2 {in_bounds = array<i1: false>, padding_value = #nv_tileaa.padding_value<nan>, allow_tma = true, latency = 2 : i32}
  %y, %t3 = nv_tileaa.tiled_load weak %v[%n] token = %t2 {padding_value = #nv_tileaa.padding_value<nan>, in_bounds = array<i1: false>, allow_tma = true, latency = 2 : i32} : !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<8xf32>, !nv_tileaa.mem_token
  // CHECK-NEXT: %t4 = nv_tileas.tiled_store relaxed tl_blk %y, %v[%n] token = %t3 : tensor<8xf32>
  %t4 = nv_tileaa.tiled_store relaxed tl_blk %y, %v[%n] token = %t3 : tensor<8xf32>, !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token
  // CHECK-NEXT: %z, %t5 = nv_tileas.tiled_load weak %v[%n] token = %t4 {in_bounds = array<i1: true>} :
  %z, %t5 = nv_tileaa.tiled_load weak %v[%n] token = %t4 {padding_value = #nv_tileaa.padding_value<nan>, in_bounds = array<i1: true>} : !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<8xf32>, !nv_tileaa.mem_token
  // CHECK-NEXT: nv_tileaa.return
  nv_tileaa.return
}

// Matrix products get the atom of the target, which here runs beside the threads.
// CHECK-LABEL: nv_tileaa.func @product
nv_tileaa.func @product(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>, %i: i32) {
  // Offsets of slices are computed where their indices are defined.
  // CHECK-NEXT: %[[N:.*]] = arith.index_cast %i : i32 to index
  // CHECK-NEXT: %[[FOUR:.*]] = arith.constant 4 : index
  // CHECK-NEXT: %[[O:.*]] = arith.muli %[[N]], %[[FOUR]] : index
  // CHECK-NEXT: %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x16xf16>, tile<16x64xf16>, tile<64x64xf32> -> !async.value<tile<64x64xf32>>
  // CHECK-NEXT: %[[D:.*]] = nv_tileas.async.future_wait %d : !async.value<tile<64x64xf32>> -> tile<64x64xf32>
  %d = nv_tileaa.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
  // CHECK-NEXT: %r = nv_tileas.reduce %[[D]] {axis = 1 : i32} : tensor<64x64xf32> -> tensor<64xf32> {
  // CHECK-NEXT: ^bb0(%x: f32, %y: f32):
  // CHECK-NEXT:   %m = arith.maxnumf %x, %y : f32
  // CHECK-NEXT:   nv_tileas.yield %m : f32
  %r = nv_tileaa.reduce %d {axis = 1 : i32} : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maxnumf %x, %y : f32
    nv_tileaa.yield %m : f32
  }
  // CHECK:      %v = nv_tileas.view %r : tensor<64xf32> to tensor<8x8xf32>
  %v = nv_tileaa.view %r : tensor<64xf32> -> tensor<8x8xf32>
  // CHECK-NEXT: %[[S:.*]] = nv_tileas.extract_slice %v[%[[O]], 0][4, 8][1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
  %s = nv_tileaa.extract_slice %v[%i, %i : i32, i32] : tensor<8x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %p = nv_tileaa.permute %[[S]] { 
  %p = nv_tileaa.permute %s {permutation = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: nv_tileaa.return
  nv_tileaa.return
}

// A queue between agents is a pipeline.
// CHECK-LABEL: nv_tileaa.func @agents
nv_tileaa.func @agents(%n: i32) {
  // CHECK-NEXT: %[[B:.*]] = nv_tileas.alloc_tensor : tensor<2xi32, #nv_tileas.memory<smem>>
  // CHECK-NEXT: %[[P:.*]], %[[C:.*]] = nv_tileas.async.pipeline.create_pipeline %[[B]] {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true}
  // CHECK-NEXT: %[[I:.*]] = nv_tileas.async.pipeline.create_iterator %[[P]] :
  // CHECK-NEXT: %[[J:.*]] = nv_tileas.async.pipeline.create_iterator %[[C]] :
  %q = nv_tileaa.create_queue {stages = 2 : i32} : !nv_tileaa.queue<i32>
  // CHECK-NEXT: nv_tileas.async.pipeline.agent_switch %[[I]], %[[J]] {num_agents_per_group = 1 : i32, isolated = false}
  nv_tileaa.execute attributes {num_agents_per_group = 1 : i32} {
    // CHECK: nv_tileas.async.pipeline.produce_one %[[P]], %
    nv_tileaa.queue.put %q : !nv_tileaa.queue<i32> {
      // CHECK: nv_tileas.async.pipeline.yield %n : i32
      nv_tileaa.queue.yield %n : i32
    }
    // CHECK: nv_tileas.async.pipeline.inc_iter
    nv_tileaa.yield
  } {
    // CHECK: nv_tileas.async.pipeline.consume_one %[[C]], %
    %x = nv_tileaa.queue.get %q : !nv_tileaa.queue<i32> -> i32
    nv_tileaa.yield
  }
  nv_tileaa.return
}

}
