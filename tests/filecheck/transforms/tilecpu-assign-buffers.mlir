// RUN: xdsl-opt %s -p tilecpu-group,convert-tileaa-to-tilecpu,tilecpu-assign-buffers | filecheck %s
// RUN: xdsl-opt %s -p 'tilecpu-group,convert-tileaa-to-tilecpu,tilecpu-assign-buffers{explain="-"}' | filecheck %s --check-prefix EXPLAIN

// CHECK: tilecpu.arena_bytes = 320 : i64
// CHECK: %x = tilecpu.alloc {offset = 0 : i64} : !tilecpu.buffer<1x64xf32>
// CHECK: %sum = tilecpu.alloc {offset = 256 : i64} : !tilecpu.buffer<1xf32>

// EXPLAIN:      buffer: #7 tilecpu.alloc %x
// EXPLAIN-NEXT: bytes: 0 to 255
// EXPLAIN-NEXT: why: alive from #7 to

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
