// RUN: xdsl-opt %s -p canonicalize --split-input-file | filecheck %s

// A slice at constants gets a static type.
// CHECK: %slice = nv_tileas.extract_slice %src[0, 0][64, 64][1, 1]
// CHECK-SAME: : tensor<128x128xf32> to tensor<64x64xf32>
// CHECK-NEXT: "test.op"(%slice) : (tensor<64x64xf32>) -> ()
%src = "test.op"() : () -> tensor<128x128xf32>
%c0 = arith.constant 0 : index
%c64 = arith.constant 64 : index
%c1 = arith.constant 1 : index
%slice = nv_tileas.extract_slice %src[%c0, %c0][%c64, %c64][%c1, %c1]
    : tensor<128x128xf32> to tensor<?x?xf32>
"test.op"(%slice) : (tensor<?x?xf32>) -> ()

// -----
// What has just been inserted is taken at once.
// CHECK: %x, %dst, %i, %j, %m, %n = "test.op"()
// CHECK-NEXT: "test.op"(%x) : (tensor<?x?xf32>) -> ()
%x, %dst, %i, %j, %m, %n = "test.op"() : () -> (tensor<?x?xf32>, tensor<64x64xf32>, index, index, index, index)
%t = nv_tileas.insert_slice %x into %dst[%i, %j][%m, %n][1, 1]
    : tensor<?x?xf32> into tensor<64x64xf32>
%y = nv_tileas.extract_slice %t[%i, %j][%m, %n][1, 1]
    : tensor<64x64xf32> to tensor<?x?xf32>
"test.op"(%y) : (tensor<?x?xf32>) -> ()

// -----
// Each arm allocates a tile of its own.
// CHECK: %r = scf.if %cond -> (tensor<64x64xf32>) {
// CHECK-NEXT: %[[TA:.*]] = nv_tileas.alloc_tensor : tensor<64x64xf32>
// CHECK-NEXT: %[[TAV:.*]] = nv_tileas.insert_slice %seed into %[[TA]][0, 0][%m, %n][1, 1] : tensor<?x?xf32> into tensor<64x64xf32>
// CHECK-NEXT: %[[V:.*]] = nv_tileas.insert_slice %a into %[[TAV]][%i, %j][%m, %n][1, 1] : tensor<?x?xf32> into tensor<64x64xf32>
// CHECK-NEXT: scf.yield %[[V]] : tensor<64x64xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[TB:.*]] = nv_tileas.alloc_tensor : tensor<64x64xf32>
// CHECK-NEXT: %[[TBV:.*]] = nv_tileas.insert_slice %seed into %[[TB]][0, 0][%m, %n][1, 1] : tensor<?x?xf32> into tensor<64x64xf32>
// CHECK-NEXT: %[[W:.*]] = nv_tileas.insert_slice %b into %[[TBV]][%i, %j][%m, %n][1, 1] : tensor<?x?xf32> into tensor<64x64xf32>
// CHECK-NEXT: scf.yield %[[W]] : tensor<64x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: "test.op"(%r)
%cond, %seed, %a, %b, %i, %j, %m, %n = "test.op"() : () -> (i1, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, index, index, index, index)
%init = nv_tileas.alloc_tensor : tensor<64x64xf32>
%init_v = nv_tileas.insert_slice %seed into %init[0, 0][%m, %n][1, 1]
    : tensor<?x?xf32> into tensor<64x64xf32>
%r = scf.if %cond -> (tensor<64x64xf32>) {
    %v = nv_tileas.insert_slice %a into %init_v[%i, %j][%m, %n][1, 1]
        : tensor<?x?xf32> into tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
} else {
    %v = nv_tileas.insert_slice %b into %init_v[%i, %j][%m, %n][1, 1]
        : tensor<?x?xf32> into tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
}
"test.op"(%r) : (tensor<64x64xf32>) -> ()

// -----
// Each arm extracts the slice that is wanted; then it allocates a tile of its own.
// CHECK: %s = scf.if %cond -> (tensor<8x8xf32>) {
// CHECK-NEXT: %[[TA:.*]] = nv_tileas.alloc_tensor : tensor<16x16xf32>
// CHECK-NEXT: %[[VA:.*]] = nv_tileas.insert_slice %a into %[[TA]][%i, 0][16, 8][1, 1]
// CHECK-NEXT: %[[SA:.*]] = nv_tileas.extract_slice %[[VA]][%i, 0][8, 8][1, 1] : tensor<16x16xf32> to tensor<8x8xf32>
// CHECK-NEXT: scf.yield %[[SA]] : tensor<8x8xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[TB:.*]] = nv_tileas.alloc_tensor : tensor<16x16xf32>
// CHECK-NEXT: %[[VB:.*]] = nv_tileas.insert_slice %b into %[[TB]][0, %i][16, 8][1, 1]
// CHECK-NEXT: %[[SB:.*]] = nv_tileas.extract_slice %[[VB]][%i, 0][8, 8][1, 1] : tensor<16x16xf32> to tensor<8x8xf32>
// CHECK-NEXT: scf.yield %[[SB]] : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: "test.op"(%s)
%cond, %a, %b, %i = "test.op"() : () -> (i1, tensor<16x8xf32>, tensor<16x8xf32>, index)
%init = nv_tileas.alloc_tensor : tensor<16x16xf32>
%r = scf.if %cond -> (tensor<16x16xf32>) {
  %v = nv_tileas.insert_slice %a into %init[%i, 0][16, 8][1, 1] : tensor<16x8xf32> into tensor<16x16xf32>
  scf.yield %v : tensor<16x16xf32>
} else {
  %v = nv_tileas.insert_slice %b into %init[0, %i][16, 8][1, 1] : tensor<16x8xf32> into tensor<16x16xf32>
  scf.yield %v : tensor<16x16xf32>
}
%s = nv_tileas.extract_slice %r[%i, 0][8, 8][1, 1] : tensor<16x16xf32> to tensor<8x8xf32>
"test.op"(%s) : (tensor<8x8xf32>) -> ()

// -----
// A slice of a view is a view of a slice.
// CHECK: %[[S:.*]] = nv_tileas.extract_slice %x[%i, 0][32, 64][1, 1] : tensor<128x64xf32> to tensor<32x64xf32>
// CHECK-NEXT: %[[V:.*]] = nv_tileas.view %[[S]] : tensor<32x64xf32> to tensor<1x32x64xf32>
// CHECK-NEXT: "test.op"(%[[V]])
%x, %i = "test.op"() : () -> (tensor<128x64xf32>, index)
%v = nv_tileas.view %x : tensor<128x64xf32> to tensor<1x128x64xf32>
%s = nv_tileas.extract_slice %v[0, %i, 0][1, 32, 64][1, 1, 1] : tensor<1x128x64xf32> to tensor<1x32x64xf32>
"test.op"(%s) : (tensor<1x32x64xf32>) -> ()

// -----
// Two loops become one over the product of their ranges.
// CHECK: %[[N:.*]] = arith.constant 4 : index
// CHECK: %[[TOTAL:.*]] = arith.muli %n, %[[N]] : index
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[TOTAL]] step %{{.*}} {
// CHECK-NEXT: %[[Q:.*]] = arith.divsi %[[K]], %[[N]] : index
// CHECK-NEXT: %[[R:.*]] = arith.remsi %[[K]], %[[N]] : index
// CHECK: %[[SLICE:.*]] = nv_tileas.extract_slice %x[%[[Q]], %j][1, 2][1, 1]
// CHECK-NEXT: "test.op"(%[[SLICE]])
// CHECK-NEXT: }
// CHECK-NOT: scf.for
%x, %n = "test.op"() : () -> (tensor<16x8xf32>, index)
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c8 = arith.constant 8 : index
scf.for %i = %c0 to %n step %c1 {
  scf.for %j = %c0 to %c8 step %c2 {
    %s = nv_tileas.extract_slice %x[%i, %j][1, 2][1, 1] : tensor<16x8xf32> to tensor<1x2xf32>
    "test.op"(%s) : (tensor<1x2xf32>) -> ()
  }
}
