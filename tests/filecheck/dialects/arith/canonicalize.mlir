// RUN: xdsl-opt %s -p canonicalize | filecheck %s

// A comparison of a tensor with itself stays a comparison of tensors.
// CHECK: %same = arith.cmpi eq, {{%x}}, %x : tensor<4xi32>
%x = "test.op"() : () -> tensor<4xi32>
%same = arith.cmpi eq, %x, %x : tensor<4xi32>
"test.op"(%same) : (tensor<4xi1>) -> ()
