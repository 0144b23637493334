// RUN: xdsl-opt %s -p tilecpu-group,convert-tileaa-to-tilecpu | filecheck %s

// Each group is a nest over the elements of the row; the row itself is in a buffer, as both read it.

// CHECK:      tilecpu.func @center(
// CHECK:        %c = arith.constant 1.562500e-02 : f32
// CHECK-NEXT:   %x = tilecpu.alloc : !tilecpu.buffer<1x64xf32>
// CHECK-NEXT:   %sum = tilecpu.alloc : !tilecpu.buffer<1xf32>
// CHECK-NEXT:   tilecpu.nest ([[J:%.*]]) in [64] vector 16 {
// CHECK-NEXT:     [[X:%.*]] = tilecpu.load %v[%i, %zero] at affine_map<(d0) -> (0, d0)> {padding_value = #nv_tileaa.padding_value<zero>} : {{.*}} -> f32
// CHECK-NEXT:     tilecpu.write [[X]], %x[affine_map<(d0) -> (0, d0)>] : f32, !tilecpu.buffer<1x64xf32>
// CHECK-NEXT:     tilecpu.reduce [[X]] into %sum along 0 : f32 into !tilecpu.buffer<1xf32> {
// CHECK-NEXT:     ^{{.*}}(%l: f32, %r: f32):
// CHECK-NEXT:       %add = nv_tileaa.addf %l, %r : f32
// CHECK-NEXT:       nv_tileaa.yield %add : f32
// CHECK:        tilecpu.nest ([[K:%.*]]) in [64] vector 16 {
// CHECK-NEXT:     [[S:%.*]] = tilecpu.read %sum[affine_map<(d0) -> (0)>] : !tilecpu.buffer<1xf32> -> f32
// CHECK-NEXT:     [[M:%.*]] = nv_tileaa.mulf [[S]], %c : f32
// CHECK-NEXT:     [[E:%.*]] = tilecpu.read %x[affine_map<(d0) -> (0, d0)>] : !tilecpu.buffer<1x64xf32> -> f32
// CHECK-NEXT:     [[Y:%.*]] = nv_tileaa.subf [[E]], [[M]] : f32
// CHECK-NEXT:     tilecpu.store [[Y]], %w[%i, %zero] at affine_map<(d0) -> (0, d0)> : f32, {{.*}}[i32, i32]
// CHECK-NEXT:   }
// CHECK-NEXT:   tilecpu.return

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

// Assertions are in nests, and tiles that are printed in buffers, as are scalars.

// CHECK-LABEL: tilecpu.func @show(
// CHECK:         [[TILE:%.*]] = tilecpu.alloc : !tilecpu.buffer<16xi1>
// CHECK:         tilecpu.nest
// CHECK:           [[LESS:%.*]] = arith.cmpi slt
// CHECK-NEXT:      tilecpu.write [[LESS]], [[TILE]]
// CHECK-NEXT:      nv_tileaa.assert [[LESS]], "within n" : i1
// CHECK:         [[SCALAR:%.*]] = tilecpu.alloc : !tilecpu.buffer<i32>
// CHECK:           tilecpu.write %n, [[SCALAR]][affine_map<() -> ()>]
// CHECK:         tilecpu.print "%d of %d", [[TILE]], [[SCALAR]]

nv_tileaa.func @show(%p: !nv_tileaa.ptr<i32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %end = arith.constant 16 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<16xi32>
  %m = nv_tileaa.splat %n : i32 -> tensor<16xi32>
  %less = arith.cmpi slt, %x, %m : tensor<16xi32>
  nv_tileaa.assert %less, "within n" : tensor<16xi1>
  %t = nv_tileaa.print "%d of %d", %less, %n : tensor<16xi1>, i32 -> !nv_tileaa.mem_token
  nv_tileaa.return
}

// Slices are copied.

// CHECK-LABEL: tilecpu.func @slices(
// CHECK:         tilecpu.copy %x, %y : !tilecpu.buffer<16xi32>, !tilecpu.buffer<16xi32>
// CHECK-NEXT:    tilecpu.copy_slice %part, %y[%n] : !tilecpu.buffer<4xi32>, !tilecpu.buffer<16xi32>[i32]
// CHECK:         tilecpu.copy_slice %y, %z[%one] : !tilecpu.buffer<16xi32>, !tilecpu.buffer<4xi32>[i32]

nv_tileaa.func @slices(%p: !nv_tileaa.ptr<i32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = arith.constant 16 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<16xi32>
  %part = nv_tileaa.splat %n : i32 -> tensor<4xi32>
  %y = nv_tileaa.insert_slice %part into %x[%n : i32] : tensor<4xi32>, tensor<16xi32> -> tensor<16xi32>
  %z = nv_tileaa.extract_slice %y[%one : i32] : tensor<16xi32> -> tensor<4xi32>
  %sum = arith.addi %z, %part : tensor<4xi32>
  %t = nv_tileaa.print "%d", %sum : tensor<4xi32> -> !nv_tileaa.mem_token
  nv_tileaa.return
}
