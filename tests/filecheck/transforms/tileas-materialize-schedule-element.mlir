// RUN: xdsl-opt %s -p 'tileas-materialize-async{num-stages=3},tileas-materialize-schedule' | filecheck %s

// An element that says what is loaded is there before the agents start.

builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f16>, %b_ptr: !nv_tileaa.ptr<f16>, %c_ptr: !nv_tileaa.ptr<f32>, %e_ptr: !nv_tileaa.ptr<i32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
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
    %e_ref = nv_tileaa.make_memref %e_ptr : !nv_tileaa.ptr<i32> -> !nv_tileaa.memref<4xi32, strides = [1]>
    %e = nv_tileaa.block_tile %e_ref {tileSizes = array<i64: 1>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<4xi32, strides = [1]> -> !nv_tileaa.tiled_view<1xi32, !nv_tileaa.memref<4xi32, strides = [1]>>
    %element, %element_token = nv_tileas.tiled_load weak %e[%none] token = %m {atom = #nv_tileas<atom ldg_32>} : !nv_tileaa.tiled_view<1xi32, !nv_tileaa.memref<4xi32, strides = [1]>>[index] -> tensor<1xi32>, !nv_tileaa.mem_token
    %number = nv_tileaa.extract %element : tensor<1xi32> -> i32
    %row = arith.index_cast %number : i32 to index
    %total = scf.for %k = %none to %count step %one iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
      %at = arith.muli %k, %tile : index
      %a_buffer = nv_tileas.alloc_tensor : tensor<16x16xf16, #nv_tileas.memory<smem>>
      %a_started = nv_tileas.async.tiled_tma_load %a_map, %a_buffer[%row, %at], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tile<16x16xf16, #nv_tileas.memory<smem>>, index, index, !nv_tileaa.mem_token -> !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>>
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

// CHECK: %element, %element_token = nv_tileas.tiled_load weak %e[%none] token = %m
// CHECK-NEXT: %number = nv_tileaa.extract %element : tensor<1xi32> -> i32
// CHECK-NEXT: %row = arith.index_cast %number : i32 to index
// CHECK: nv_tileas.async.pipeline.agent_switch
// CHECK-NOT: nv_tileas.tiled_load
// CHECK: nv_tileas.async.dot
// CHECK: nv_tileas.tiled_store
// CHECK: }, {
// CHECK: nv_tileas.async.pipeline.produce_one_async
// CHECK: nv_tileas.async.tiled_tma_load %a_map, %{{.*}}[%row, %at], %m
