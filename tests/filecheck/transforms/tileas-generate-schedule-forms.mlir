// The forms of a loop with asynchronous dots: reported, forced, and asked for by the kernel.
// RUN: xdsl-opt %s -p 'tileas-materialize-async,tileas-generate-schedule{explain="%t.txt"}' | filecheck %s
// RUN: cat %t.txt | filecheck %s --check-prefix REPORT
// RUN: xdsl-opt %s -p 'tileas-materialize-async,tileas-generate-schedule{force="#28=in_order_ping_pong"}' | filecheck %s --check-prefix FORCED
// RUN: xdsl-opt %s -p 'tileas-materialize-async,tileas-generate-schedule{force="#28=alongside_ping_pong"},tileas-materialize-schedule' | filecheck %s --check-prefix MUTEX
// RUN: sed 's/ attributes {nv_tileaa.kernel_spec/ attributes {nv_tileas.mma_schedule = "in_order_ping_pong", nv_tileaa.kernel_spec/' %s | xdsl-opt -p 'tileas-materialize-async,tileas-generate-schedule' | filecheck %s --check-prefix FORCED

builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f16>, %b_ptr: !nv_tileaa.ptr<f16>, %c_ptr: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>} {
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
    %w_buffer = nv_tileas.alloc_tensor : tensor<16x16xf16, #nv_tileas.memory<smem>>
    %w_started = nv_tileas.async.tiled_tma_load %a_map, %w_buffer[%none, %none], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tile<16x16xf16, #nv_tileas.memory<smem>>, index, index, !nv_tileaa.mem_token -> !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>>
    %w = nv_tileas.async.future_wait %w_started : !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>> -> tile<16x16xf16, #nv_tileas.memory<smem>>
    %minus = arith.constant dense<-1.000000e+00> : tensor<16x16xf32>
    %n = arith.constant 6 : index
    %total = scf.for %k = %none to %n step %one iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
      %at = arith.muli %k, %tile : index
      %a_buffer = nv_tileas.alloc_tensor : tensor<16x16xf16, #nv_tileas.memory<smem>>
      %a_started = nv_tileas.async.tiled_tma_load %a_map, %a_buffer[%none, %at], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tile<16x16xf16, #nv_tileas.memory<smem>>, index, index, !nv_tileaa.mem_token -> !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>>
      %a_tile = nv_tileas.async.future_wait %a_started : !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>> -> tile<16x16xf16, #nv_tileas.memory<smem>>
      %scores_started = nv_tileas.async.dot %w, %a_tile, %zero {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf32> -> !async.value<tile<16x16xf32>>
      %scores = nv_tileas.async.future_wait %scores_started : !async.value<tile<16x16xf32>> -> tile<16x16xf32>
      %weights = nv_tileaa.fp_to_fp %scores : tensor<16x16xf32> to tensor<16x16xf16>
      %scaled = nv_tileaa.mulf %acc, %minus : tensor<16x16xf32>
      %b_buffer = nv_tileas.alloc_tensor : tensor<16x16xf16, #nv_tileas.memory<smem>>
      %b_started = nv_tileas.async.tiled_tma_load %b_map, %b_buffer[%at, %none], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tile<16x16xf16, #nv_tileas.memory<smem>>, index, index, !nv_tileaa.mem_token -> !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>>
      %b_tile = nv_tileas.async.future_wait %b_started : !async.value<tile<16x16xf16, #nv_tileas.memory<smem>>> -> tile<16x16xf16, #nv_tileas.memory<smem>>
      %started = nv_tileas.async.dot %weights, %b_tile, %scaled {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<16x16xf16>, tile<16x16xf16, #nv_tileas.memory<smem>>, tile<16x16xf32> -> !async.value<tile<16x16xf32>>
      %sum = nv_tileas.async.future_wait %started : !async.value<tile<16x16xf32>> -> tile<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    nv_tileas.tiled_store weak %total, %c[%none, %none] : tensor<16x16xf32>, !nv_tileaa.tiled_view<16x16xf32, !nv_tileaa.memref<16x16xf32, strides = [16, 1]>>[index, index]
    nv_tileaa.return
  }
}

// So small tiles are faster without ping-pong: a barrier takes longer than the dots.
// CHECK-NOT: nv_tile.aws.ping_pong
// CHECK: iter_offset = 1
// CHECK-NOT: nv_tile.aws.ping_pong

// REPORT: op: #28 scf.for
// REPORT: strategy: alongside
// REPORT-NEXT: costs:
// REPORT-NEXT: in_order: 136
// REPORT-NEXT: in_order_ping_pong: {{[0-9]+}}
// REPORT-NEXT: alongside: 72
// REPORT-NEXT: alongside_ping_pong: {{[0-9]+}}

// FORCED-NOT: iter_offset
// FORCED: scf.yield
// FORCED-NEXT: } {nv_tile.aws.ping_pong}
// FORCED-NOT: iter_offset

// MUTEX: %[[M:.*]] = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32
// MUTEX: scf.while
// MUTEX: acquire_mutex %[[M]]
// MUTEX-NEXT: async.dot
// MUTEX-NEXT: inc_iter
// MUTEX-NEXT: async.dot
// MUTEX-NEXT: release_mutex %[[M]]
// MUTEX-NOT: nv_tile.aws.ping_pong
