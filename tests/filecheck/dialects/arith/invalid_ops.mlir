// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | %check-parts %s

// CHECK: Result type has i1 element type and same shape as operands
%a = "test.op"() : () -> tensor<4xi32>
%b = "arith.cmpi"(%a, %a) <{predicate = 0 : i64}> : (tensor<4xi32>, tensor<4xi32>) -> i1

// -----
// CHECK: Destination bit-width must be larger than the input bit-width
%a = "test.op"() : () -> tensor<4xi32>
%b = arith.extsi %a : tensor<4xi32> to tensor<4xi32>

// -----
// CHECK: Destination bit-width must be smaller than the input bit-width
%a = "test.op"() : () -> tensor<4xi32>
%b = arith.trunci %a : tensor<4xi32> to tensor<4xi64>

// -----
// CHECK: requires the same shape for all operands and results
%a = "test.op"() : () -> tensor<4xi32>
%b = arith.sitofp %a : tensor<4xi32> to tensor<8xf32>

// -----
// CHECK: expected condition type to have the same shape as the result
%c, %a = "test.op"() : () -> (tensor<8xi1>, tensor<4xi32>)
%b = arith.select %c, %a, %a : tensor<8xi1>, tensor<4xi32>
