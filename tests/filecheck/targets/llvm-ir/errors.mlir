// RUN: not xdsl-opt %s -t llvm-ir --split-input-file 2>&1 | filecheck %s

llvm.func @k() {
  nvvm.barrier
  llvm.return
}

// CHECK: 'nvvm.barrier' cannot be written as LLVM IR
