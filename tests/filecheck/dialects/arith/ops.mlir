// The tensor forms that stock xDSL rejects, next to the scalar forms.
// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%a, %f, %s, %c = "test.op"() : () -> (tensor<4xi32>, tensor<4xf32>, i32, i1)
%b, %g, %t = "test.op"() : () -> (tensor<4xi32>, tensor<4xf32>, i32)
%0 = arith.cmpi slt, %a, %b : tensor<4xi32>
%1 = arith.cmpf olt, %f, %g : tensor<4xf32>
%2 = arith.select %0, %a, %b : tensor<4xi1>, tensor<4xi32>
%3 = arith.select %c, %a, %b : tensor<4xi32>
%4 = arith.extsi %a : tensor<4xi32> to tensor<4xi64>
%5 = arith.sitofp %a : tensor<4xi32> to tensor<4xf16>
%6 = arith.fptosi %f : tensor<4xf32> to tensor<4xi8>
%7 = arith.trunci %s : i32 to i8
%8 = arith.cmpi eq, %s, %t : i32
%9 = arith.select %8, %s, %t : i32
%10 = arith.addi %0, %0 : tensor<4xi1>
"test.op"(%3, %9) : (tensor<4xi32>, i32) -> ()

// CHECK:      %[[COND:.*]] = arith.cmpi slt, %a, %b : tensor<4xi32>
// CHECK-NEXT: %{{.*}} = arith.cmpf olt, %f, %g : tensor<4xf32>
// CHECK-NEXT: %{{.*}} = arith.select %[[COND]], %a, %b : tensor<4xi1>, tensor<4xi32>
// CHECK-NEXT: %{{.*}} = arith.select %c, %a, %b : tensor<4xi32>
// CHECK-NEXT: %{{.*}} = arith.extsi %a : tensor<4xi32> to tensor<4xi64>
// CHECK-NEXT: %{{.*}} = arith.sitofp %a : tensor<4xi32> to tensor<4xf16>
// CHECK-NEXT: %{{.*}} = arith.fptosi %f : tensor<4xf32> to tensor<4xi8>
// CHECK-NEXT: %{{.*}} = arith.trunci %s : i32 to i8
// CHECK-NEXT: %[[COND2:.*]] = arith.cmpi eq, %s, %t : i32
// CHECK-NEXT: %{{.*}} = arith.select %[[COND2]], %s, %t : i32

// GENERIC: "arith.cmpi"(%a, %b) <{predicate = 2 : i64}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
