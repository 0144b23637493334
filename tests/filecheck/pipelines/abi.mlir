// RUN: xdsl-opt %s -p 'tileir-pipeline{gpu=sm_90a abi=tile}' -t ptx | filecheck %s
// RUN: not xdsl-opt %s -p 'tileir-pipeline{gpu=sm_89 abi=tile}' 2>&1 | filecheck %s --check-prefix=ADA
// RUN: not xdsl-opt %s -p 'tileir-pipeline{gpu=sm_90a abi=tiles}' 2>&1 | filecheck %s --check-prefix=NAME

// ADA: ABI 'tile' needs thread block clusters (sm_90 or later), which sm_89 lacks: without them a launch with a block of 1x1x1 starts one thread
// NAME: unknown ABI 'tiles', expected 'native' or 'tile'

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %one = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %all = broadcast %one : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %at = offset %all, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %v = constant <f32: 1.0> : tile<128xf32>
    %t = store_ptr_tko weak %at, %v : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
}

// CHECK: .version 9.0
// CHECK: .visible .entry k(
// CHECK-NEXT: .param .u64 .ptr .global .align 1 k_param_0
// CHECK-NEXT: )
// CHECK-NEXT: .reqntid 128, 1, 1
// CHECK: .explicitcluster
// CHECK-NEXT: .reqnctapercluster 1, 1, 1
// CHECK-NEXT: .blocksareclusters
