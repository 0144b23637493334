// RUN: xdsl-opt %s -p 'tileas-insert-barriers{explain="%t.txt" force="read_by_others#3=none,apart#3=fence_proxy_async_shared/barrier_agent"}' | filecheck %s
// RUN: filecheck %s --input-file %t.txt --check-prefix REPORT

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
// A barrier that is dropped.
// CHECK-LABEL: nv_tileaa.func @read_by_others
// CHECK-SAME: nv_tileas.synchronized
// CHECK:      nv_tileas.copy
// CHECK-NEXT: nv_tileas.convert_layout
// REPORT:      @read_by_others
// REPORT-NEXT:   forced: none
// REPORT-NEXT:   instead of:
// REPORT-NEXT:     - barrier agent
// REPORT-NEXT:   before: #3 nv_tileas.convert_layout %r
nv_tileaa.func @read_by_others() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  nv_tileaa.return
}

// One that comes earlier is enough for the op that would have one.
// CHECK-LABEL: nv_tileaa.func @apart
// CHECK:      nv_tileas.copy
// CHECK-NEXT: nv_tileas.fence_proxy async_shared
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileaa.create_mem_token
// CHECK-NEXT: nv_tileas.convert_layout
// REPORT:      @apart
// REPORT-NEXT:   forced:
// REPORT-NEXT:     - fence_proxy async_shared
// REPORT-NEXT:     - barrier agent
// REPORT-NEXT:   instead of: none
// REPORT-NEXT:   before: #3 nv_tileaa.create_mem_token %t
nv_tileaa.func @apart() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  nv_tileaa.return
}
}
