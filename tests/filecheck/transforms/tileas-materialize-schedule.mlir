// RUN: xdsl-opt %s -p 'tileas-materialize-async{num-stages=3},tileas-materialize-schedule,tileas-resolve-agent-boundary' | filecheck %s

builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f16>, %b_ptr: !nv_tileaa.ptr<f16>, %c_ptr: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
    %a_ref = nv_tileaa.make_memref %a_ptr : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<16x96xf16, strides = [96, 1]>
    %a = nv_tileaa.block_tile %a_ref {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<16x96xf16, strides = [96, 1]> -> !nv_tileaa.tiled_view<16x16xf16, !nv_tileaa.memref<16x96xf16, strides = [96, 1]>>
    %b_ref = nv_tileaa.make_memref %b_ptr : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<96x16xf16, strides = [16, 1]>
    %b = nv_tileaa.block_tile %b_ref {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<96x16xf16, strides = [16, 1]> -> !nv_tileaa.tiled_view<16x16xf16, !nv_tileaa.memref<96x16xf16, strides = [16, 1]>>
    %c_ref = nv_tileaa.make_memref %c_ptr : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<16x16xf32, strides = [16, 1]>
    %c = nv_tileaa.block_tile %c_ref {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<16x16xf32, strides = [16, 1]> -> !nv_tileaa.tiled_view<16x16xf32, !nv_tileaa.memref<16x16xf32, strides = [16, 1]>>
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %count = arith.constant 6 : index
    %tile = arith.constant 16 : index
    %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %a_map = nv_tileas.make_tiled_tma_desc %a[%tile, %tile] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.tiled_view<16x16xf16, !nv_tileaa.memref<16x96xf16, strides = [96, 1]>>, index, index -> !nv_tileas.tma_desc
    %b_map = nv_tileas.make_tiled_tma_desc %b[%tile, %tile] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.tiled_view<16x16xf16, !nv_tileaa.memref<96x16xf16, strides = [16, 1]>>, index, index -> !nv_tileas.tma_desc
    %total = scf.for %k = %none to %count step %one iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
      %at = arith.muli %k, %tile : index
      %a_buffer = nv_tileas.alloc_tensor : tensor<16x16xf16, #nv_tileas.memory<smem>>
      %a_started = nv_tileas.async.tiled_tma_load %a_map, %a_buffer[%none, %at], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tile<16x16xf16, #nv_tileas.memory<smem>>, index, index, !nv_tileaa.mem_token -> !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>>
      %a_tile = nv_tileas.async.future_wait %a_started : !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>> -> tile<16x16xf16, #nv_tileas.memory<smem>>
      %b_buffer = nv_tileas.alloc_tensor : tensor<16x16xf16, #nv_tileas.memory<smem>>
      %b_started = nv_tileas.async.tiled_tma_load %b_map, %b_buffer[%at, %none], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tile<16x16xf16, #nv_tileas.memory<smem>>, index, index, !nv_tileaa.mem_token -> !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>>
      %b_tile = nv_tileas.async.future_wait %b_started : !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>> -> tile<16x16xf16, #nv_tileas.memory<smem>>
      %started = nv_tileas.async.dot %a_tile, %b_tile, %acc {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf32> -> !async.value<tile<16x16xf32>>
      %sum = nv_tileas.async.future_wait %started : !async.value<tile<16x16xf32>> -> tile<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    nv_tileas.tiled_store weak %total, %c[%none, %none] : tensor<16x16xf32>, !nv_tileaa.tiled_view<16x16xf32, !nv_tileaa.memref<16x16xf32, strides = [16, 1]>>[index, index]
    nv_tileaa.return
  }
}

// CHECK: %[[BUFFER:.*]] = nv_tileas.alloc_tensor
// CHECK: %[[BUFFER2:.*]] = nv_tileas.alloc_tensor
// CHECK: %[[PRODUCER:.*]], %[[CONSUMER:.*]] = nv_tileas.async.pipeline.create_pipeline %[[BUFFER]], %[[BUFFER2]] {numStages = 3
// CHECK: %[[ITER:.*]] = nv_tileas.async.pipeline.create_iterator %[[PRODUCER]] :
// CHECK: %[[READS:.*]] = nv_tileas.async.pipeline.create_iterator %[[CONSUMER]] :
// CHECK: %[[NULL:.*]] = nv_tileas.async.pipeline.create_null_token
// CHECK: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1
// CHECK: %[[START:.*]] = nv_tileas.async.to_async
// CHECK: %total, %{{.*}}, %[[LOOP:.*]] = scf.for %k = %none to %count step %one iter_args(%acc = %[[START]], %[[ITER_ARG:.*]] = %[[READS]], %[[NULL_ARG:.*]] = %[[NULL]]) -> (!async.value<tile<16x16xf32>>, !nv_tileas.async.pipeline.iterator<tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf16, #nv_tileas.memory<smem>>>, !nv_tileas.async.pipeline.consumer_token) {
// CHECK: %[[WAITED:.*]] = nv_tileas.async.pipeline.consumer_wait %[[CONSUMER]], %[[ITER_ARG]] {consumer_idx = 0
// CHECK: %[[READ:.*]], %a_tile, %b_tile = nv_tileas.async.pipeline.consumer_read %[[WAITED]] {consumer_idx = 0
// CHECK: %started = nv_tileas.async.dot %a_tile, %b_tile, %acc {atom = #nv_tileas<atom wgmma_f16_f16_f32>}
// CHECK: %[[NEXT:.*]] = nv_tileas.async.pipeline.inc_iter %[[ITER_ARG]] :
// CHECK: nv_tileas.async.wait %acc :
// CHECK: %{{.*}} = nv_tileas.async.pipeline.consumer_release %[[NULL_ARG]] :
// CHECK: scf.yield %started, %[[NEXT]], %[[READ]] :
// CHECK: %[[TOTAL:.*]] = nv_tileas.async.future_wait %total :
// CHECK: %{{.*}} = nv_tileas.async.pipeline.consumer_release %[[LOOP]] :
// CHECK: nv_tileas.tiled_store weak %[[TOTAL]], %c[{{%.*}}]
// CHECK: }, {
// CHECK: %{{.*}} = scf.for %{{.*}} = %none to %count step %one iter_args(%[[ITER_ARG2:.*]] = %[[ITER]]) -> (!nv_tileas.async.pipeline.iterator<tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf16, #nv_tileas.memory<smem>>>) {
// CHECK: %{{.*}}, %{{.*}} = nv_tileas.async.pipeline.produce_one_async %[[PRODUCER]], %[[ITER_ARG2]] {producer_types = [tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf16, #nv_tileas.memory<smem>>]}
// CHECK-NEXT: ^bb0(%[[STAGE_A:[^ ]*]] : tile<16x16xf16, #nv_tileas.memory<smem>>, %[[STAGE_B:[^ ]*]] : tile<16x16xf16, #nv_tileas.memory<smem>>):
// CHECK: %a_started = nv_tileas.async.tiled_tma_load %a_map, %[[STAGE_A]][%none, %at], %m {atom = #nv_tileas<atom tma_load_2d>}
// CHECK: %b_started = nv_tileas.async.tiled_tma_load %b_map, %[[STAGE_B]][%at, %none], %m {atom = #nv_tileas<atom tma_load_2d>}
// CHECK: %[[FILLED:.*]] = nv_tileas.async.pipeline.inc_iter %[[ITER_ARG2]] :
// CHECK: scf.yield %[[FILLED]] :
