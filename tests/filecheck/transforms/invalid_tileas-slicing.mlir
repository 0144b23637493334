// RUN: xdsl-opt %s -p tileas-slicing --split-input-file --verify-diagnostics --allow-unregistered-dialect | %check-parts %s

// CHECK: The `sliceCount` need to be a `IntegerAttr`
%c0, %c8, %c1 = "test.op"() : () -> (index, index, index)
scf.for %i = %c0 to %c8 step %c1 {
} {sliceCount = [2 : i32, 2 : i32]}

// -----
// CHECK: unsupported op in Slicing pass
%c0 = arith.constant 0 : index
%c8 = arith.constant 8 : index
%c1 = arith.constant 1 : index
scf.for %i = %c0 to %c8 step %c1 {
  "custom.op"(%i) : (index) -> ()
} {sliceCount = 2 : i32}

// -----
// CHECK: unsupported op to be a lower bound in slicing pass
%c0, %c8, %c1 = "test.op"() : () -> (index, index, index)
scf.for %i = %c0 to %c8 step %c1 {
} {sliceCount = 2 : i32}

// -----
// CHECK: fail to get an initial forOperand in slicing pass
func.func @f(%init: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init) -> (index) {
    scf.yield %i : index
  } {sliceCount = 2 : i32}
  func.return %init : index
}

// -----
// CHECK: unsupported atom of copyOp in slicing pass
%c0 = arith.constant 0 : index
%c8 = arith.constant 8 : index
%c1 = arith.constant 1 : index
%tile = nv_tileas.alloc_tensor : tensor<8xf32>
scf.for %i = %c0 to %c8 step %c1 {
  %t = nv_tileas.copy %tile : tensor<8xf32> -> tensor<8xf32, #nv_tileas.memory<smem>>
} {sliceCount = 2 : i32}
