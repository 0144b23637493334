// RUN: xdsl-opt %s -p canonicalize | filecheck %s
// Operands of dots are tiles as they lie in memory, permuted once.

!matrix = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!columns = !nv_tileaa.memref<?x?xf16, strides = [1, ?]>
!heads = !nv_tileaa.memref<?x?x?x?xf16, strides = [?, ?, ?, 1]>

// The order of a view.
// CHECK-LABEL: @order
// CHECK: %[[V:.*]] = nv_tileaa.block_tile %{{.*}} {tileSizes = array<i64: 32, 16>, dimGroups = [[0 : i64], [1 : i64]]}
// CHECK: %[[T:.*]], %{{.*}} = nv_tileaa.tiled_load weak %[[V]][%j, %i] {in_bounds = array<i1: false, true>
// CHECK: %[[B:.*]] = nv_tileaa.permute %[[T]] {permutation = array<i32: 1, 0>} : tensor<32x16xf16> -> tensor<16x32xf16>
// CHECK: nv_tileaa.dot %{{.*}}, %[[B]], %
nv_tileaa.func @order(%m: !matrix, %i: i32, %j: i32, %a: tensor<16x16xf16>, %c: tensor<16x32xf32>) {
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, dimGroups = [[1 : i64], [0 : i64]]} : !matrix -> !nv_tileaa.tiled_view<16x32xf16, !matrix>
  %t, %k = nv_tileaa.tiled_load weak %v[%i, %j] {in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<16x32xf16, !matrix>[i32, i32] -> tensor<16x32xf16>, !nv_tileaa.mem_token
  %d = nv_tileaa.dot %a, %t, %c : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
  "test.op"(%d, %k) : (tensor<16x32xf32>, !nv_tileaa.mem_token) -> ()
  nv_tileaa.return
}

// The strides of an array; another use of the tile reads the same load.
// CHECK-LABEL: @strides
// CHECK: %[[V:.*]] = nv_tileaa.block_tile %{{.*}} {tileSizes = array<i64: 32, 16>, dimGroups = [[1 : i64], [0 : i64]]}
// CHECK: %[[T:.*]], %{{.*}} = nv_tileaa.tiled_load weak %[[V]][%j, %i]
// CHECK: %[[B:.*]] = nv_tileaa.permute %[[T]] {permutation = array<i32: 1, 0>}
// CHECK: nv_tileaa.dot %{{.*}}, %[[B]], %
// CHECK-NEXT: "test.op"(%{{.*}}, %[[B]])
nv_tileaa.func @strides(%m: !columns, %i: i32, %j: i32, %a: tensor<16x16xf16>, %c: tensor<16x32xf32>) {
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !columns -> !nv_tileaa.tiled_view<16x32xf16, !columns>
  %t, %k = nv_tileaa.tiled_load weak %v[%i, %j] : !nv_tileaa.tiled_view<16x32xf16, !columns>[i32, i32] -> tensor<16x32xf16>, !nv_tileaa.mem_token
  %d = nv_tileaa.dot %a, %t, %c : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
  "test.op"(%d, %t) : (tensor<16x32xf32>, tensor<16x32xf16>) -> ()
  nv_tileaa.return
}

// Dimensions of one element are viewed away first.
// CHECK-LABEL: @heads
// CHECK: nv_tileaa.tiled_load weak %{{.*}}[%i, %j, %i, %j]
// CHECK-NEXT: %[[V:.*]] = nv_tileaa.view %{{.*}} : tensor<1x32x1x16xf16> -> tensor<32x16xf16>
// CHECK-NEXT: %[[B:.*]] = nv_tileaa.permute %[[V]] {permutation = array<i32: 1, 0>}
// CHECK-NEXT: nv_tileaa.dot %{{.*}}, %[[B]], %
nv_tileaa.func @heads(%m: !heads, %i: i32, %j: i32, %a: tensor<16x16xf16>, %c: tensor<16x32xf32>) {
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1, 1, 16, 32>, dimGroups = [[0 : i64], [2 : i64], [3 : i64], [1 : i64]]} : !heads -> !nv_tileaa.tiled_view<1x1x16x32xf16, !heads>
  %t, %k = nv_tileaa.tiled_load weak %v[%i, %i, %j, %j] : !nv_tileaa.tiled_view<1x1x16x32xf16, !heads>[i32, i32, i32, i32] -> tensor<1x1x16x32xf16>, !nv_tileaa.mem_token
  %x = nv_tileaa.view %t : tensor<1x1x16x32xf16> -> tensor<16x32xf16>
  %d = nv_tileaa.dot %a, %x, %c : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
  "test.op"(%d) : (tensor<16x32xf32>) -> ()
  nv_tileaa.return
}

// Dimensions that stay next to each other are one.
// CHECK-LABEL: @halves
// CHECK-NEXT: %[[B:.*]] = nv_tileaa.permute %t {permutation = array<i32: 1, 0>} : tensor<32x16xf16> -> tensor<16x32xf16>
// CHECK-NEXT: nv_tileaa.dot %{{.*}}, %[[B]], %
nv_tileaa.func @halves(%t: tensor<32x16xf16>, %a: tensor<16x16xf16>, %c: tensor<16x32xf32>) {
  %x = nv_tileaa.view %t : tensor<32x16xf16> -> tensor<2x16x16xf16>
  %p = nv_tileaa.permute %x {permutation = array<i32: 2, 0, 1>} : tensor<2x16x16xf16> -> tensor<16x2x16xf16>
  %y = nv_tileaa.view %p : tensor<16x2x16xf16> -> tensor<16x32xf16>
  %d = nv_tileaa.dot %a, %y, %c : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
  "test.op"(%d) : (tensor<16x32xf32>) -> ()
  nv_tileaa.return
}

// Nothing is left of a permutation and its inverse.
// CHECK-LABEL: @twice
// CHECK-NEXT: nv_tileaa.dot %{{.*}}, %t, %
nv_tileaa.func @twice(%t: tensor<16x32xf16>, %a: tensor<16x16xf16>, %c: tensor<16x32xf32>) {
  %p = nv_tileaa.permute %t {permutation = array<i32: 1, 0>} : tensor<16x32xf16> -> tensor<32x16xf16>
  %q = nv_tileaa.permute %p {permutation = array<i32: 1, 0>} : tensor<32x16xf16> -> tensor<16x32xf16>
  %d = nv_tileaa.dot %a, %q, %c : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
  "test.op"(%d) : (tensor<16x32xf32>) -> ()
  nv_tileaa.return
}
