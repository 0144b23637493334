// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: expected mask vector<2xi1> and value vector<4xf32> to be vectors of the same shape
%p, %m, %v = "test.op"() : () -> (!llvm.ptr, vector<2xi1>, vector<4xf32>)
llvm.intr.masked.store %v, %p, %m {alignment = 16 : i32} : vector<4xf32>, vector<2xi1> into !llvm.ptr

// -----
// CHECK: expected the pass-through value to have the type of the result
%p, %m, %v = "test.op"() : () -> (!llvm.ptr, vector<4xi1>, vector<4xf32>)
%r = llvm.intr.masked.load %p, %m, %v {alignment = 16 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xi32>

// -----
// CHECK: can be given only acquire, release, acq_rel, and seq_cst orderings
llvm.fence monotonic

// -----
// CHECK: expected LLVM IR floating point type
%p, %i = "test.op"() : () -> (!llvm.ptr, i32)
%r = llvm.atomicrmw fadd %p, %i monotonic : !llvm.ptr, i32

// -----
// CHECK: failure ordering cannot be 'release' or 'acq_rel'
%p, %i = "test.op"() : () -> (!llvm.ptr, i32)
%r = llvm.cmpxchg %p, %i, %i acq_rel release : !llvm.ptr, i32

// -----
// CHECK: expected alignment for atomic access
%p = "test.op"() : () -> !llvm.ptr
%r = llvm.load %p atomic monotonic : !llvm.ptr -> i32

// -----
// CHECK: unsupported ordering 'acquire'
%p, %i = "test.op"() : () -> (!llvm.ptr, i32)
llvm.store %i, %p atomic acquire {alignment = 4 : i64} : i32, !llvm.ptr
