// RUN: xdsl-opt %s -p tileas-canonicalize --split-input-file | filecheck %s

// Loops over integers become one, where the product of their trips is known.
// CHECK: %c4 = arith.constant 4 : i32
// CHECK-NEXT: %[[INNER:.*]] = arith.constant 4 : i32
// CHECK-NEXT: %[[TOTAL:.*]] = arith.constant 8 : i32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: scf.for %[[N:.*]] = %[[ZERO]] to %[[TOTAL]] step %[[ONE]] : i32 {
// CHECK-NEXT: %i = arith.divsi %[[N]], %[[INNER]] : i32
// CHECK-NEXT: %j = arith.remsi %[[N]], %[[INNER]] : i32
// CHECK-NEXT: nv_tileas.extract_slice %x[0, 2][1, 2][1, 1]
// CHECK-NEXT: "test.op"(%{{.*}}, %i, %j)
// CHECK-NOT: scf.for
// CHECK: %n = "test.op"()
%x = "test.op"() : () -> tensor<16x8xf32>
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
%c4 = arith.constant 4 : i32
scf.for %i = %c0 to %c2 step %c1 : i32 {
  scf.for %j = %c0 to %c4 step %c1 : i32 {
    %s = nv_tileas.extract_slice %x[0, 2][1, 2][1, 1] : tensor<16x8xf32> to tensor<1x2xf32>
    "test.op"(%s, %i, %j) : (tensor<1x2xf32>, i32, i32) -> ()
  }
}

// -----
// The product of trips that nobody knows may wrap around.
// CHECK: scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT: scf.for %j = %c0 to %c4 step %c1 : i32 {
%n = "test.op"() : () -> i32
%x = "test.op"() : () -> tensor<16x8xf32>
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c4 = arith.constant 4 : i32
scf.for %i = %c0 to %n step %c1 : i32 {
  scf.for %j = %c0 to %c4 step %c1 : i32 {
    %s = nv_tileas.extract_slice %x[0, 2][1, 2][1, 1] : tensor<16x8xf32> to tensor<1x2xf32>
    "test.op"(%s, %i, %j) : (tensor<1x2xf32>, i32, i32) -> ()
  }
}

// -----
// A product of 2**31 is no signed number of 32 bits.
// CHECK: scf.for %i = %c0 to %many step %c1 : i32 {
// CHECK-NEXT: scf.for %j = %c0 to %c4 step %c1 : i32 {
%x = "test.op"() : () -> tensor<16x8xf32>
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c4 = arith.constant 4 : i32
%many = arith.constant 536870912 : i32
scf.for %i = %c0 to %many step %c1 : i32 {
  scf.for %j = %c0 to %c4 step %c1 : i32 {
    %s = nv_tileas.extract_slice %x[0, 2][1, 2][1, 1] : tensor<16x8xf32> to tensor<1x2xf32>
    "test.op"(%s, %i, %j) : (tensor<1x2xf32>, i32, i32) -> ()
  }
}

// -----
// What has been inserted is not extracted again; no other op is folded.
// CHECK: %[[SUM:.*]] = arith.addi %i, %i : index
// CHECK-NOT: extract_slice
// CHECK: "test.op"(%a, %[[SUM]])
%a, %d, %i = "test.op"() : () -> (tensor<8x8xf32>, tensor<16x8xf32>, index)
%sum = arith.addi %i, %i : index
%t = nv_tileas.insert_slice %a into %d[%i, 0][8, 8][1, 1] : tensor<8x8xf32> into tensor<16x8xf32>
%s = nv_tileas.extract_slice %t[%i, 0][8, 8][1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
"test.op"(%s, %sum) : (tensor<8x8xf32>, index) -> ()
