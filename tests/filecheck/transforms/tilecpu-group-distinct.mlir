// RUN: xdsl-opt %s -p 'tilecpu-group{gpu=cpu-x86-64-v4}' | filecheck %s

// CHECK:      @in_place
// CHECK-SAME: tilecpu.groups = [{vector = 16 : i64}]
// CHECK-SAME: tilecpu.distinct = [{location = "", dimensions = [{tile = 4 : i64, size = 8 : i64, stride_argument = 1 : i64}, {tile = 64 : i64, size_argument = 2 : i64, stride = 1 : i64}]}]

// CHECK:      @computed_stride
// CHECK-SAME: tilecpu.groups = [{vector = 16 : i64}, {vector = 16 : i64}]
// CHECK-NOT:  tilecpu.distinct

!a = !nv_tileaa.memref<8x?xf32, strides = [?, 1]>
!v = !nv_tileaa.tiled_view<4x64xf32, !a>
nv_tileaa.func @in_place(%p: !nv_tileaa.ptr<f32>, %s: i32, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %a = nv_tileaa.make_memref %p sizes = [%n : i32] strides = [%s : i32] : !nv_tileaa.ptr<f32> -> !a
  %v = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 64>, dimGroups = [[0], [1]]} : !a -> !v
  %x, %tx = nv_tileaa.tiled_load weak %v[%zero, %zero] token = %t : !v[i32, i32] -> tensor<4x64xf32>, !nv_tileaa.mem_token
  %y = nv_tileaa.addf %x, %x : tensor<4x64xf32>
  %u = nv_tileaa.tiled_store weak %y, %v[%zero, %zero] token = %tx : tensor<4x64xf32>, !v[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}

nv_tileaa.func @computed_stride(%p: !nv_tileaa.ptr<f32>, %s: i32, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %c = arith.addi %s, %s : i32
  %a = nv_tileaa.make_memref %p sizes = [%n : i32] strides = [%c : i32] : !nv_tileaa.ptr<f32> -> !a
  %v = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 64>, dimGroups = [[0], [1]]} : !a -> !v
  %x, %tx = nv_tileaa.tiled_load weak %v[%zero, %zero] token = %t : !v[i32, i32] -> tensor<4x64xf32>, !nv_tileaa.mem_token
  %y = nv_tileaa.addf %x, %x : tensor<4x64xf32>
  %u = nv_tileaa.tiled_store weak %y, %v[%zero, %zero] token = %tx : tensor<4x64xf32>, !v[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}
