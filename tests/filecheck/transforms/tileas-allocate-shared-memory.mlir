// RUN: xdsl-opt %s -p tileas-allocate-shared-memory | filecheck %s
// RUN: xdsl-opt %s -p tileas-allocate-shared-memory,tileas-allocate-shared-memory | filecheck %s

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
// A buffer that is not live any more leaves its memory to the next one, and to scratch memory.
// CHECK-LABEL: nv_tileaa.func @reuse
// CHECK-SAME: nv_tileas.smem_bytes = 8192 : i32, nv_tileas.smem_alignment = 128 : i32
// CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>}
// CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>}
// CHECK: convert_layout {{.*}} {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 8192>}
nv_tileaa.func @reuse() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
  %a = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem>>
  %b = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem>>
  %sa = nv_tileas.copy %zero into %a : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.memory<smem>>
  %ra = nv_tileas.convert_layout %sa : tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
  %sb = nv_tileas.copy %ra into %b : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.memory<smem>>
  %rb = nv_tileas.convert_layout %sb : tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
  %turned = nv_tileas.convert_layout %rb : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> -> tensor<64x64xf16, #nv_tileas.layout<(32, 32, 4, 1), (128, 1, 32, 0)>>
  nv_tileaa.return
}

// The results of four warps, one word each; an offset that is there stays.
// CHECK-LABEL: nv_tileaa.func @reduction
// CHECK: nv_tileas.reduce {{.*}} {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>
// CHECK: nv_tileas.reduce {{.*}} {nv_tileas.scratch = #nv_tileas.allocation<offset = 1024, size = 16>
nv_tileaa.func @reduction(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %end = arith.constant 256 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<256xi32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
  %s = nv_tileas.reduce %x {axis = 0 : i32} : tensor<256xi32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = nv_tileaa.addi %a, %b : i32
    nv_tileas.yield %c : i32
  }
  %t = nv_tileas.reduce %x {axis = 0 : i32, nv_tileas.scratch = #nv_tileas.allocation<offset = 1024, size = 16>} : tensor<256xi32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> -> i32 {
  ^bb0(%d: i32, %e: i32):
    %f = nv_tileaa.addi %d, %e : i32
    nv_tileas.yield %f : i32
  }
  nv_tileaa.return
}
}
