// RUN: xdsl-opt %s -p tileas-materialize-async | filecheck %s

// Tiles that threads round before one dot share a pipeline, though one is read before the other is
// loaded.
builtin.module attributes {nv_tileaa.compute_capability = 80 : i32, nv_tileaa.target_spec = "sm_80"} {
  nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f32>, %b_ptr: !nv_tileaa.ptr<f32>, %acc: tensor<32x32xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 16), 0)>>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
    %a_ref = nv_tileaa.make_memref %a_ptr : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<32x256xf32, strides = [256, 1]>
    %a = nv_tileaa.block_tile %a_ref {tileSizes = array<i64: 32, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<32x256xf32, strides = [256, 1]> -> !nv_tileaa.tiled_view<32x32xf32, !nv_tileaa.memref<32x256xf32, strides = [256, 1]>>
    %b_ref = nv_tileaa.make_memref %b_ptr : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<256x32xf32, strides = [32, 1]>
    %b = nv_tileaa.block_tile %b_ref {tileSizes = array<i64: 32, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<256x32xf32, strides = [32, 1]> -> !nv_tileaa.tiled_view<32x32xf32, !nv_tileaa.memref<256x32xf32, strides = [32, 1]>>
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %count = arith.constant 8 : i32
    %sum = scf.for %k = %none to %count step %one iter_args(%c = %acc) -> (tensor<32x32xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 16), 0)>>) : i32 {
      %a_tile = nv_tileas.tiled_load weak %a[%none, %k] {atom = #nv_tileas<atom ldgsts_128>} : !nv_tileaa.tiled_view<32x32xf32, !nv_tileaa.memref<32x256xf32, strides = [256, 1]>>[i32, i32] -> tensor<32x32xf32, #nv_tileas.memory<smem, <(32, 32), (32, 1), swizzle<3, 4, 3>>>>
      %a_read = nv_tileas.convert_layout %a_tile : tensor<32x32xf32, #nv_tileas.memory<smem, <(32, 32), (32, 1), swizzle<3, 4, 3>>>> -> tensor<32x32xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>
      %a_rounded = nv_tileaa.fp_to_fp %a_read : tensor<32x32xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>> to tensor<32x32xtf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>
      %x = nv_tileas.convert_layout %a_rounded : tensor<32x32xtf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>> -> tensor<32x32xtf32, #nv_tileas.layout<((2, 8), (4, 8), (2, 2), 1), ((256, 4), (1, 32), (512, 0), 0)>>
      %b_tile = nv_tileas.tiled_load weak %b[%k, %none] {atom = #nv_tileas<atom ldgsts_128>} : !nv_tileaa.tiled_view<32x32xf32, !nv_tileaa.memref<256x32xf32, strides = [32, 1]>>[i32, i32] -> tensor<32x32xf32, #nv_tileas.memory<smem, <(32, 32), (32, 1), swizzle<3, 4, 3>>>>
      %b_read = nv_tileas.convert_layout %b_tile : tensor<32x32xf32, #nv_tileas.memory<smem, <(32, 32), (32, 1), swizzle<3, 4, 3>>>> -> tensor<32x32xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>
      %b_rounded = nv_tileaa.fp_to_fp %b_read : tensor<32x32xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>> to tensor<32x32xtf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>
      %y = nv_tileas.convert_layout %b_rounded : tensor<32x32xtf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>> -> tensor<32x32xtf32, #nv_tileas.layout<((8, 2), (4, 8), (2, 2), 1), ((128, 8), (32, 1), (0, 16), 0)>>
      %d = nv_tileas.dot %x, %y, %c {input_precision = "tf32", atom = #nv_tileas<atom mma_tf32_tf32_f32>} : tile<32x32xtf32, #nv_tileas.layout<((2, 8), (4, 8), (2, 2), 1), ((256, 4), (1, 32), (512, 0), 0)>>, tile<32x32xtf32, #nv_tileas.layout<((8, 2), (4, 8), (2, 2), 1), ((128, 8), (32, 1), (0, 16), 0)>>, tile<32x32xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 16), 0)>> -> tile<32x32xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 16), 0)>>
      scf.yield %d : tensor<32x32xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 16), 0)>>
    }
    "test.op"(%sum) : (tensor<32x32xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 16), 0)>>) -> ()
    nv_tileaa.return
  }
}

// CHECK: create_pipeline %{{.*}}, %{{.*}} {
// CHECK-NOT: create_pipeline
// CHECK: %[[READ:.*]], %a_tile, %b_tile = nv_tileas.async.pipeline.consumer_read
// CHECK-NEXT: %a_read = nv_tileas.convert_layout %a_tile
// CHECK-NEXT: %a_rounded = nv_tileaa.fp_to_fp %a_read
// CHECK-NEXT: %x = nv_tileas.convert_layout %a_rounded
// CHECK-NEXT: %b_read = nv_tileas.convert_layout %b_tile
// CHECK-NEXT: %{{.*}} = nv_tileas.async.pipeline.consumer_release %[[READ]]
// CHECK-NEXT: %b_rounded = nv_tileaa.fp_to_fp %b_read
