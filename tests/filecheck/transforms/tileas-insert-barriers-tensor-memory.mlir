// Columns of tensor memory that another tile had before: who accessed them, and who does next.
// RUN: xdsl-opt %s -p tileas-insert-barriers | filecheck %s
// RUN: xdsl-opt %s -p tileas-insert-barriers,tileas-insert-barriers | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-insert-barriers{explain="%t.txt"}' -o /dev/null
// RUN: filecheck %s --check-prefix REPORT --input-file %t.txt

// REPORT:      inserted:
// REPORT-NEXT: - fence_tmem before
// REPORT-NEXT: - barrier agent
// REPORT-NEXT: - fence_tmem after
// REPORT:      reads (generic proxy)
// REPORT:      writes (generic proxy)
// REPORT:      columns: 0 to 31 of tensor memory
// REPORT:      why: one allocation reuses the memory of another

builtin.module attributes {nv_tileaa.target_spec = "sm_100a"} {
// Of 64 columns the second warpgroup has read those from 32 on, of 32 columns it writes those from 16 on.
// CHECK-LABEL: nv_tileaa.func @other_width
// CHECK:      tmem_load
// CHECK:      nv_tileas.alloc_tensor
// CHECK-NEXT: nv_tileas.fence_tmem before
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.fence_tmem after
// CHECK-NEXT: {{.*}}tmem_store
// CHECK-NEXT: {{.*}}tmem_load
// CHECK-NEXT: nv_tileaa.return
nv_tileaa.func @other_width() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %y = arith.constant dense<0.0> : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>> into tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  nv_tileaa.return
}

// Each warpgroup has the columns that it had.
// CHECK-LABEL: nv_tileaa.func @same_width
// CHECK-NOT:  nv_tileas.fence_tmem
// CHECK-NOT:  nv_tileas.barrier
// CHECK:      nv_tileaa.return
nv_tileaa.func @same_width() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %y = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  nv_tileaa.return
}

// There is one warpgroup.
// CHECK-LABEL: nv_tileaa.func @one_warpgroup
// CHECK-NOT:  nv_tileas.fence_tmem
// CHECK-NOT:  nv_tileas.barrier
// CHECK:      nv_tileaa.return
nv_tileaa.func @one_warpgroup() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(64, 32, 4, 1), (1, 64, 2048, 0)>>
  %y = arith.constant dense<0.0> : tensor<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x64>} : tensor<128x64xf32, #nv_tileas.layout<(64, 32, 4, 1), (1, 64, 2048, 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(64, 32, 4, 1), (1, 64, 2048, 0)>>
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>> into tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>
  nv_tileaa.return
}

// Columns 16 to 31 are of the first warpgroup in both, columns 32 to 47 of the second.
// CHECK-LABEL: nv_tileaa.func @columns_of_the_same
// CHECK-NOT:  nv_tileas.fence_tmem
// CHECK-NOT:  nv_tileas.barrier
// CHECK:      nv_tileaa.return
nv_tileaa.func @columns_of_the_same() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %y = arith.constant dense<0.0> : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 16, size = 32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>> into tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  nv_tileaa.return
}

// A barrier without the fences is not enough.
// CHECK-LABEL: nv_tileaa.func @barrier_by_hand
// CHECK:      nv_tileas.barrier agent
// CHECK:      nv_tileas.fence_tmem before
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.fence_tmem after
// CHECK-NEXT: {{.*}}tmem_store
nv_tileaa.func @barrier_by_hand() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %y = arith.constant dense<0.0> : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  nv_tileas.barrier agent
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>> into tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  nv_tileaa.return
}

// The fence after it is missing, or the barrier and that.
// CHECK-LABEL: nv_tileaa.func @before_by_hand
// CHECK:      nv_tileas.fence_tmem before
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.alloc_tensor
// CHECK-NEXT: nv_tileas.fence_tmem after
// CHECK-LABEL: nv_tileaa.func @fence_by_hand
// CHECK:      nv_tileas.fence_tmem before
// CHECK-NEXT: nv_tileas.alloc_tensor
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.fence_tmem after
// CHECK-LABEL: nv_tileaa.func @all_by_hand
// CHECK:      nv_tileas.fence_tmem after
// CHECK-NOT:  nv_tileas.barrier
// CHECK:      nv_tileaa.return
nv_tileaa.func @before_by_hand() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %y = arith.constant dense<0.0> : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  nv_tileas.fence_tmem before
  nv_tileas.barrier agent
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>> into tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  nv_tileaa.return
}
nv_tileaa.func @fence_by_hand() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %y = arith.constant dense<0.0> : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  nv_tileas.fence_tmem before
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>> into tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  nv_tileaa.return
}
nv_tileaa.func @all_by_hand() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32} {
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  %y = arith.constant dense<0.0> : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %w = nv_tileas.copy %x into %a {atom = #nv_tileas<atom tmem_store_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
  %r = nv_tileas.copy %w {atom = #nv_tileas<atom tmem_load_32x32b_x32>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)>>
  nv_tileas.fence_tmem before
  nv_tileas.barrier agent
  nv_tileas.fence_tmem after
  %b = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 32>} : tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %v = nv_tileas.copy %y into %b {atom = #nv_tileas<atom tmem_store_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>> into tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.memory<tmem>>
  %s = nv_tileas.copy %v {atom = #nv_tileas<atom tmem_load_32x32b_x16>} : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32, #nv_tileas.layout<(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)>>
  nv_tileaa.return
}
}
