// RUN: xdsl-opt %s -p tileas-slicing | filecheck %s

%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c64 = arith.constant 64 : index
%src, %b, %init, %zero, %n = "test.op"() : () -> (!nv_tileaa.tiled_view<64x16xf16>, tensor<16x128xf16>, tensor<64x128xf32>, index, index)

// Nobody uses the result: both slices start from the initial value.
// CHECK:      %[[C32:.*]] = arith.constant 32 : index
// CHECK-NEXT: %unused = scf.for %[[I:.*]] = %c0 to %[[C32]] step %c1 iter_args(%[[ACC0:.*]] = %init) -> (tensor<64x128xf32>) {
// CHECK-NEXT:   %[[A0:.*]] = nv_tileas.tiled_load weak %src[%[[I]], %zero] : {{.*}} -> tensor<64x16xf16>
// CHECK-NEXT:   %[[X0:.*]] = nv_tileas.wgmma %[[A0]], %b, %[[ACC0]] : {{.*}} -> tensor<64x128xf32>
// CHECK-NEXT:   scf.yield %[[X0]] : tensor<64x128xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = scf.for %[[J:.*]] = %[[C32]] to %c64 step %c1 iter_args(%[[ACC1:.*]] = %init) -> (tensor<64x128xf32>) {
// CHECK-NEXT:   %[[A1:.*]] = nv_tileas.tiled_load weak %src[%[[J]], %zero] : {{.*}} -> tensor<64x16xf16>
// CHECK-NEXT:   %[[X1:.*]] = nv_tileas.wgmma %[[A1]], %b, %[[ACC1]] : {{.*}} -> tensor<64x128xf32>
// CHECK-NEXT:   scf.yield %[[X1]] : tensor<64x128xf32>
// CHECK-NEXT: }
%unused = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32>) {
  %a = nv_tileas.tiled_load %src[%i, %zero] : !nv_tileaa.tiled_view<64x16xf16>[index, index] -> tensor<64x16xf16>
  %x = nv_tileas.wgmma %a, %b, %acc : tensor<64x16xf16>, tensor<16x128xf16>, tensor<64x128xf32> -> tensor<64x128xf32>
  scf.yield %x : tensor<64x128xf32>
} {sliceCount = 2 : i32}

// A result that is used goes from slice to slice. Three do not divide 64: the first gets one more.
// CHECK-NEXT: %[[C22:.*]] = arith.constant 22 : index
// CHECK-NEXT: %[[C43:.*]] = arith.constant 43 : index
// CHECK-NEXT: %[[R0:.*]] = scf.for %{{.*}} = %c0 to %[[C22]] step %c1 iter_args(%{{.*}} = %init)
// CHECK:      %[[R1:.*]] = scf.for %{{.*}} = %[[C22]] to %[[C43]] step %c1 iter_args(%{{.*}} = %[[R0]])
// CHECK:      %[[R2:.*]] = scf.for %{{.*}} = %[[C43]] to %c64 step %c1 iter_args(%{{.*}} = %[[R1]])
// CHECK:      "test.op"(%[[R2]])
%r = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32>) {
  %a = nv_tileas.tiled_load %src[%i, %zero] : !nv_tileaa.tiled_view<64x16xf16>[index, index] -> tensor<64x16xf16>
  %x = nv_tileas.wgmma %a, %b, %acc : tensor<64x16xf16>, tensor<16x128xf16>, tensor<64x128xf32> -> tensor<64x128xf32>
  scf.yield %x : tensor<64x128xf32>
} {sliceCount = 3 : i32}
"test.op"(%r) : (tensor<64x128xf32>) -> ()

// The bound is known at run time only.
// CHECK-NEXT: %[[END:.*]] = arith.maxsi %c0, %n : index
// CHECK-NEXT: %[[TRIPS:.*]] = arith.subi %[[END]], %c0 : index
// CHECK-NEXT: %[[COUNT:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[BASE:.*]] = arith.divui %[[TRIPS]], %[[COUNT]] : index
// CHECK-NEXT: %[[EXTRA:.*]] = arith.remui %[[TRIPS]], %[[COUNT]] : index
// CHECK:      %[[MIDDLE:.*]] = arith.addi %c0, %{{.*}} : index
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[MIDDLE]] step %c1 {
// CHECK:      scf.for %{{.*}} = %[[MIDDLE]] to %n step %c1 {
scf.for %i = %c0 to %n step %c1 {
  %a = nv_tileas.tiled_load %src[%i, %zero] : !nv_tileaa.tiled_view<64x16xf16>[index, index] -> tensor<64x16xf16>
} {sliceCount = 2 : i32}

// The rows of a stage, inside of one handshake.
%p, %it, %object, %k = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<128xf16>>, !nv_tileaa.memref<?xf16, strides = [1]>, i32)
// CHECK:      %[[HALVES:.*]] = nv_tileaa.block_tile %object {tileSizes = array<i64: 64>
// CHECK:      nv_tileas.async.pipeline.produce_one %p, %it {producer_types = [tile<128xf16>]}
// CHECK:      %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT: %[[K0:.*]] = arith.muli %k, %[[TWO]] : i32
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[K1:.*]] = arith.addi %[[K0]], %[[ONE]] : i32
// CHECK-NEXT: %[[T0:.*]] = nv_tileas.tiled_load weak %[[HALVES]][%[[K0]]] : {{.*}} -> tensor<64xf16>
// CHECK-NEXT: %[[T1:.*]] = nv_tileas.tiled_load weak %[[HALVES]][%[[K1]]] : {{.*}} -> tensor<64xf16>
// CHECK-NEXT: %[[I0:.*]] = nv_tileas.insert_slice %[[T0]] into %stage[0][64][1] : tensor<64xf16> into tensor<128xf16>
// CHECK-NEXT: %[[I1:.*]] = nv_tileas.insert_slice %[[T1]] into %[[I0]][64][64][1] : tensor<64xf16> into tensor<128xf16>
// CHECK-NEXT: nv_tileas.async.pipeline.yield %[[I1]] : tile<128xf16>
%tiles = nv_tileaa.block_tile %object {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<?xf16, strides = [1]> -> !nv_tileaa.tiled_view<128xf16, !nv_tileaa.memref<?xf16, strides = [1]>>
%q = nv_tileas.async.pipeline.produce_one %p, %it {producer_types = [tile<128xf16>], sliceCount = 2 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<128xf16>>) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%stage : tile<128xf16>):
  %a = nv_tileas.tiled_load weak %tiles[%k] : !nv_tileaa.tiled_view<128xf16, !nv_tileaa.memref<?xf16, strides = [1]>>[i32] -> tensor<128xf16>
  nv_tileas.async.pipeline.yield %a : tile<128xf16>
}
