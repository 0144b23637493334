// RUN: xdsl-opt %S/../../../bench/kernels/tall/attention_256x64x128.mlir -p 'tileir-pipeline{gpu=sm_120a}' | filecheck %s
// RUN: xdsl-opt %S/../../../bench/kernels/tall/attention_256x64x128.mlir -p 'tileir-pipeline{gpu=sm_120a strategy="warp-specialize"}' | filecheck %s --check-prefix AGENTS

// Fragments, scores and outputs of 256 rows need the registers that a loading warp takes, unless
// agents are asked for.

// CHECK-NOT: nvvm.setmaxregister
// CHECK: nvvm.mma.sync

// AGENTS: nvvm.setmaxregister increase
// AGENTS: nvvm.mma.sync
