// RUN: xdsl-opt %s -p tileas-allocate-shared-memory --split-input-file --verify-diagnostics | %check-parts %s

// CHECK: 'nv_tileas.copy' op has bytes 4096 to 12287 of shared memory, which overlap bytes 0 to 8191 of 'nv_tileas.copy' op %a while both are live
builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
nv_tileaa.func @overlap(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
  %a = nv_tileas.copy %zero {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>} : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> -> tensor<64x64xf16, #nv_tileas.memory<smem>>
  %b = nv_tileas.copy %zero {nv_tileas.smem = #nv_tileas.allocation<offset = 4096, size = 8192>} : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> -> tensor<64x64xf16, #nv_tileas.memory<smem>>
  %ra = nv_tileas.convert_layout %a : tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
  %rb = nv_tileas.convert_layout %b : tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
  nv_tileaa.return
}
}

// -----
// CHECK: 'nv_tileas.alloc_tensor' op has shared memory at byte 64, expected a multiple of 128
builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
nv_tileaa.func @alignment(%n: i32) {
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 64, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem>>
  nv_tileaa.return
}
}

// -----
// CHECK: 'nv_tileas.alloc_tensor' op has bytes 98304 to 106495 of shared memory, but a thread block of sm_89 has only 101376 bytes
builtin.module attributes {nv_tileaa.target_spec = "sm_89"} {
nv_tileaa.func @limit(%n: i32) {
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 98304, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem>>
  nv_tileaa.return
}
}
