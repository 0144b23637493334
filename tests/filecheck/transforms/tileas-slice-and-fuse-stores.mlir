// RUN: xdsl-opt %s -p tileas-slice-and-fuse | filecheck %s

// The sums exceed the registers, but their loop also stores a tile that is not sliced with them:
// repeated for every slice, it would be stored again and again. So the sums stay whole, and that tile
// is sliced in each iteration.

!o = !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
!large = !nv_tileaa.tiled_view<512x64xf32, !o>
!small = !nv_tileaa.tiled_view<16x64xf32, !o>
!t = !nv_tileaa.mem_token

// CHECK:      nv_tileaa.func @sums
// CHECK-NOT:  nv_tileas.slices
// CHECK:      %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<512x64xf32>)
// CHECK-NEXT:   %x, %tx = nv_tileaa.tiled_load weak %v[%i, %zero] : {{.*}} -> tensor<512x64xf32>
// CHECK:        scf.for %slice =
// CHECK:          nv_tileaa.tiled_store weak {{.*}} : tensor<4x64xf32>
// CHECK:        } {nv_tileas.slices = 4 : i32}
// CHECK-NEXT:   %next = nv_tileaa.addf %acc, %x : tensor<512x64xf32>
// CHECK-NEXT:   scf.yield %next : tensor<512x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileaa.tiled_store weak %sum, %v[%zero, %zero] : tensor<512x64xf32>
nv_tileaa.func @sums(%p: !nv_tileaa.ptr<f32>, %r: i32, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %none = nv_tileaa.splat %z : f32 -> tensor<512x64xf32>
  %o = nv_tileaa.make_memref %p sizes = [%r : i32] : !nv_tileaa.ptr<f32> -> !o
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 512, 64>, dimGroups = [[0], [1]]} : !o -> !large
  %w = nv_tileaa.block_tile %o {tileSizes = array<i64: 16, 64>, dimGroups = [[0], [1]]} : !o -> !small
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<512x64xf32>) : i32 {
    %x, %tx = nv_tileaa.tiled_load weak %v[%i, %zero] : !large[i32, i32] -> tensor<512x64xf32>, !t
    %y, %ty = nv_tileaa.tiled_load weak %w[%i, %zero] : !small[i32, i32] -> tensor<16x64xf32>, !t
    %s = nv_tileaa.tiled_store weak %y, %w[%i, %zero] : tensor<16x64xf32>, !small[i32, i32] -> !t
    %next = nv_tileaa.addf %acc, %x : tensor<512x64xf32>
    scf.yield %next : tensor<512x64xf32>
  }
  %u = nv_tileaa.tiled_store weak %sum, %v[%zero, %zero] : tensor<512x64xf32>, !large[i32, i32] -> !t
  nv_tileaa.return
}
