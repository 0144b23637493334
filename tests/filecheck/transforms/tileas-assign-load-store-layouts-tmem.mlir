// RUN: xdsl-opt %s -p tileas-assign-load-store-layouts | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-assign-load-store-layouts{explain="%t.txt"}' && filecheck %s --check-prefix REPORT < %t.txt
// RUN: xdsl-opt %s -p 'tileas-assign-load-store-layouts{force="#22=umma_bf16_bf16_f32_32x32b"}' | filecheck %s --check-prefix SHARED

// The result of one dot is operand A of the next: threads have it in registers, from where they store it to tensor memory, as the
// result of the strategy `_tmem_a`. Forced, it goes through shared memory.

// CHECK: %s = nv_tileas.async.dot %q, %k, {{.*}} : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
// CHECK: %p = nv_tileaa.fp_to_fp {{.*}} to tensor<128x64xbf16, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
// CHECK-NOT: nv_tileas.convert_layout
// CHECK: %o = nv_tileas.async.dot %p, %w, {{.*}} : tile<128x64xbf16, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>, tile<64x64xbf16, #nv_tileas.memory<smem,

// REPORT: dot: #22 nv_tileas.async.dot %o
// REPORT: umma_bf16_bf16_f32_32x32b:
// REPORT-NEXT: transactions: 4
// REPORT: umma_bf16_bf16_f32_32x32b_tmem_a:
// REPORT-NEXT: transactions: 0
// REPORT: chosen: umma_bf16_bf16_f32_32x32b_tmem_a

// SHARED: %[[STORED:.*]] = nv_tileas.convert_layout %p : {{.*}} -> tensor<128x64xbf16, #nv_tileas.memory<smem,
// SHARED: %o = nv_tileas.async.dot %[[STORED]], %w,

builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
nv_tileaa.func @k(%qp: !nv_tileaa.ptr<bf16>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>} {
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %z = arith.constant 0 : i32
  %a = nv_tileaa.assume #nv_tileaa.div_by<16>, %qp : !nv_tileaa.ptr<bf16>
  %v = nv_tileaa.make_memref %a : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<256x64xbf16, strides = [64, 1]>
  %qv = nv_tileaa.block_tile %v {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<256x64xbf16, strides = [64, 1]> -> !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<256x64xbf16, strides = [64, 1]>>
  %kv = nv_tileaa.block_tile %v {tileSizes = array<i64: 64, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<256x64xbf16, strides = [64, 1]> -> !nv_tileaa.tiled_view<64x64xbf16, !nv_tileaa.memref<256x64xbf16, strides = [64, 1]>>
  %q, %t0 = nv_tileas.tiled_load weak %qv[%n, %z] token = %t : !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<256x64xbf16, strides = [64, 1]>>[i32, i32] -> tensor<128x64xbf16>, !nv_tileaa.mem_token
  %k, %t1 = nv_tileas.tiled_load weak %kv[%n, %z] token = %t : !nv_tileaa.tiled_view<64x64xbf16, !nv_tileaa.memref<256x64xbf16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xbf16>, !nv_tileaa.mem_token
  %w, %t2 = nv_tileas.tiled_load weak %kv[%z, %z] token = %t : !nv_tileaa.tiled_view<64x64xbf16, !nv_tileaa.memref<256x64xbf16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xbf16>, !nv_tileaa.mem_token
  %0 = arith.constant 0.000000e+00 : f32
  %c = nv_tileaa.splat %0 : f32 -> tensor<128x64xf32>
  %1 = nv_tileas.alloc_tensor : tensor<128x64xf32>
  %2 = arith.constant 0.000000e+00 : f32
  %3 = nv_tileaa.splat %2 : f32 -> tensor<128x64xf32>
  %4 = nv_tileas.insert_slice %3 into %1[0, 0][128, 64][1, 1] : tensor<128x64xf32> into tensor<128x64xf32>
  %5 = nv_tileas.alloc_tensor : tensor<128x64xf32>
  %6 = arith.constant 0.000000e+00 : f32
  %7 = nv_tileaa.splat %6 : f32 -> tensor<128x64xf32>
  %8 = nv_tileas.insert_slice %7 into %5[0, 0][128, 64][1, 1] : tensor<128x64xf32> into tensor<128x64xf32>
  %s = nv_tileas.async.dot %q, %k, %8 {input_precision = "tf32", atom = #nv_tileas<atom umma_bf16_bf16_f32>} : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32> -> !async.value<tile<128x64xf32>>
  %s_1 = nv_tileas.async.future_wait %s : !async.value<tile<128x64xf32>> -> tile<128x64xf32>
  %p = nv_tileaa.fp_to_fp %s_1 : tensor<128x64xf32> to tensor<128x64xbf16>
  %o = nv_tileas.async.dot %p, %w, %4 {input_precision = "tf32", atom = #nv_tileas<atom umma_bf16_bf16_f32>} : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32> -> !async.value<tile<128x64xf32>>
  %o_1 = nv_tileas.async.future_wait %o : !async.value<tile<128x64xf32>> -> tile<128x64xf32>
  %r = nv_tileaa.fp_to_fp %o_1 : tensor<128x64xf32> to tensor<128x64xbf16>
  %t3 = nv_tileas.tiled_store weak %r, %qv[%n, %z] token = %t2 : tensor<128x64xbf16>, !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<256x64xbf16, strides = [64, 1]>>[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}
}
