// RUN: xdsl-opt %S/../../../bench/kernels/tall/attention_256x64x128.mlir -p 'convert-cuda-tile-to-tileaa{compute-capability="sm_90a"},canonicalize,tileas-slice-and-fuse' | filecheck %s
// RUN: xdsl-opt %S/../../../bench/kernels/tall/attention_256x64x128.mlir -p 'convert-cuda-tile-to-tileaa{compute-capability="sm_90a"},canonicalize,tileas-slice-and-fuse{slices=1}' | filecheck %s --check-prefix WHOLE
// RUN: xdsl-opt %S/../../../bench/kernels/tall/attention_256x64x128.mlir -p 'convert-cuda-tile-to-tileaa{compute-capability="sm_80"},canonicalize,tileas-slice-and-fuse' | filecheck %s --check-prefix WHOLE

// Scores and outputs of 256 rows fit the registers of eight warps, but of asynchronous dots not next
// to an agent that loads.

// CHECK: scf.for %slice
// CHECK: nv_tileaa.dot {{.*}} tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
// CHECK: nv_tileas.slices = 2 : i32

// WHOLE-NOT: %slice
// WHOLE: nv_tileaa.dot {{.*}} tensor<256x128xbf16>, tensor<128x64xbf16>, tensor<256x64xf32>
