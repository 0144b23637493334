// RUN: xdsl-opt %s -p tilecpu-group | filecheck %s
// RUN: xdsl-opt %s -p 'tilecpu-group{gpu=cpu-x86-64-v3}' | filecheck %s --check-prefix V3
// RUN: xdsl-opt %s -p 'tilecpu-group{force="#8=4,#16=new/8,#18=2"}' | filecheck %s --check-prefix FORCED
// RUN: xdsl-opt %s -p 'tilecpu-group{explain="-"}' | filecheck %s --check-prefix EXPLAIN

// The row is loaded and summed up in one nest, and centered in the next: its tile is in memory in
// between. The mean is not: it is computed where it is subtracted.

// CHECK:      tilecpu.groups = [{vector = 16 : i64}, {vector = 16 : i64}], tilecpu.blocks_per_task = 64 : i64
// CHECK:      nv_tileaa.tiled_load weak %v[%i, %zero] token = %t {tilecpu.group = 0 : i64, padding_value
// CHECK-NEXT: %sum = nv_tileaa.reduce %x {tilecpu.group = 0 : i64, axis = 1 : i32}
// CHECK:      %row = nv_tileaa.broadcast %column : tensor<1x1xf32> -> tensor<1x64xf32>
// CHECK:      %mean = nv_tileaa.mulf %row, %scale {tilecpu.group = 1 : i64}
// CHECK-NEXT: %y = nv_tileaa.subf %x, %mean {tilecpu.group = 1 : i64}
// CHECK-NEXT: nv_tileaa.tiled_store weak %y, %w[%i, %zero] token = %t {tilecpu.group = 1 : i64}

// V3: tilecpu.groups = [{vector = 8 : i64}, {vector = 8 : i64}]
// FORCED: tilecpu.groups = [{vector = 4 : i64}, {vector = 8 : i64}], tilecpu.blocks_per_task = 2 : i64

// EXPLAIN:      tilecpu-group
// EXPLAIN-NEXT:   @center
// EXPLAIN-NEXT:     group: 0
// EXPLAIN-NEXT:     index space: 64
// EXPLAIN-NEXT:     ops:
// EXPLAIN-NEXT:       - #7 nv_tileaa.tiled_load %x %tx
// EXPLAIN-NEXT:       - #8 nv_tileaa.reduce %sum
// EXPLAIN-NEXT:     vector: 16
// EXPLAIN-NEXT:     why: the fewest vectors
// EXPLAIN-NEXT:     candidates:
// EXPLAIN-NEXT:       - costs:
// EXPLAIN-NEXT:           16: 4
// EXPLAIN:          op: #18 nv_tileaa.return
// EXPLAIN-NEXT:     blocks per task: 64
// EXPLAIN-NEXT:     why: a task accesses nearly 16,384 elements

!a = !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
!v = !nv_tileaa.tiled_view<1x64xf32, !a>
nv_tileaa.func @center(%p: !nv_tileaa.ptr<f32>, %n: i32, %s: i32, %q: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %i = nv_tileaa.get_program_id 0 : i32
  %a = nv_tileaa.make_memref %p sizes = [%n, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f32> -> !a
  %v = nv_tileaa.block_tile %a {tileSizes = array<i64: 1, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !a -> !v
  %b = nv_tileaa.make_memref %q sizes = [%n, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f32> -> !a
  %w = nv_tileaa.block_tile %b {tileSizes = array<i64: 1, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !a -> !v
  %x, %tx = nv_tileaa.tiled_load weak %v[%i, %zero] token = %t {padding_value = #nv_tileaa.padding_value<zero>} : !v[i32, i32] -> tensor<1x64xf32>, !nv_tileaa.mem_token
  %sum = nv_tileaa.reduce %x {axis = 1 : i32} : tensor<1x64xf32> -> tensor<1xf32> {
  ^bb0(%l: f32, %r: f32):
    %add = nv_tileaa.addf %l, %r : f32
    nv_tileaa.yield %add : f32
  }
  %column = nv_tileaa.view %sum : tensor<1xf32> -> tensor<1x1xf32>
  %row = nv_tileaa.broadcast %column : tensor<1x1xf32> -> tensor<1x64xf32>
  %c = arith.constant 0.015625 : f32
  %scale = nv_tileaa.splat %c : f32 -> tensor<1x64xf32>
  %mean = nv_tileaa.mulf %row, %scale : tensor<1x64xf32>
  %y = nv_tileaa.subf %x, %mean : tensor<1x64xf32>
  %ty = nv_tileaa.tiled_store weak %y, %w[%i, %zero] token = %t : tensor<1x64xf32>, !v[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}
