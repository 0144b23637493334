// RUN: xdsl-opt %s -p tileas-insert-barriers | filecheck %s
// RUN: xdsl-opt %s -p tileas-insert-barriers,tileas-insert-barriers | filecheck %s

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
// Threads read what others have written.
// CHECK-LABEL: nv_tileaa.func @read_by_others
// CHECK-SAME: nv_tileas.synchronized
// CHECK:      %[[FULL:.*]] = nv_tileas.copy
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.convert_layout %[[FULL]]
nv_tileaa.func @read_by_others() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  nv_tileaa.return
}

// One that is there is enough.
// CHECK-LABEL: nv_tileaa.func @by_hand
// CHECK:      nv_tileas.copy
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileaa.create_mem_token
// CHECK-NEXT: nv_tileas.convert_layout
nv_tileaa.func @by_hand() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  nv_tileas.barrier agent
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  nv_tileaa.return
}

// In one arm of a branch it orders that arm only: the other one lacks one.
// CHECK-LABEL: nv_tileaa.func @one_arm
// CHECK:      nv_tileas.copy
// CHECK-NEXT: scf.if
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.convert_layout
nv_tileaa.func @one_arm(%c: i1) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  scf.if %c {
    nv_tileas.barrier agent
  }
  %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  nv_tileaa.return
}

// In both it is enough.
// CHECK-LABEL: nv_tileaa.func @both_arms
// CHECK:      scf.if
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: } else {
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileas.convert_layout
nv_tileaa.func @both_arms(%c: i1) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  scf.if %c {
    nv_tileas.barrier agent
  } else {
    nv_tileas.barrier agent
  }
  %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  nv_tileaa.return
}

// Two buffers share bytes 256 to 511.
// CHECK-LABEL: nv_tileaa.func @reuse
// CHECK:      nv_tileas.copy {{.*}} into %[[A:.*]] :
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.copy
nv_tileaa.func @reuse() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %b = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 256, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %v = nv_tileas.copy %x into %b : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  nv_tileaa.return
}

// Each thread writes again what it wrote itself.
// CHECK-LABEL: nv_tileaa.func @same_threads
// CHECK:      nv_tileas.copy
// CHECK-NEXT: nv_tileas.copy
nv_tileaa.func @same_threads() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %v = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  nv_tileaa.return
}

// What an iteration reads the next one overwrites.
// CHECK-LABEL: nv_tileaa.func @loop
// CHECK:      scf.for
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.copy
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.convert_layout
nv_tileaa.func @loop(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
    %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  }
  nv_tileaa.return
}

// What was written before a loop needs one barrier before it.
// CHECK-LABEL: nv_tileaa.func @before_the_loop
// CHECK:      nv_tileas.copy
// CHECK:      nv_tileas.barrier agent
// CHECK-NEXT: scf.for
// CHECK-NEXT: nv_tileas.convert_layout
nv_tileaa.func @before_the_loop(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  scf.for %i = %zero to %n step %one : i32 {
    %r = nv_tileas.convert_layout %w : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  }
  nv_tileaa.return
}

// The condition of a loop is on its back edge, too.
// CHECK-LABEL: nv_tileaa.func @condition
// CHECK:      scf.while
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.convert_layout
// CHECK:      } do {
// CHECK:      nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.copy
nv_tileaa.func @condition(%c: i1) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %w = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
  %again = scf.while (%i = %c) : (i1) -> i1 {
    %r = nv_tileas.convert_layout %a : tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
    scf.condition(%i) %i : i1
  } do {
  ^bb0(%k: i1):
    %v = nv_tileas.copy %x into %a : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> into tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>> -> tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
    scf.yield %k : i1
  }
  nv_tileaa.return
}

// Hardware reads what threads wrote: a fence in those that wrote, before they meet.
// CHECK-LABEL: nv_tileaa.func @bulk_store
// CHECK:      %[[FULL:.*]] = nv_tileas.copy
// CHECK-NEXT: nv_tileas.fence_proxy async_shared
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.async.tiled_tma_store {{.*}}, %[[FULL]]
nv_tileaa.func @bulk_store(%map: !nv_tileas.tma_desc {grid_constant}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
  %i = arith.constant 0 : i32
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %w = nv_tileas.copy %x into %a : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %s = nv_tileas.async.tiled_tma_store %map, %w[%i, %i] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 0 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
  nv_tileas.async.wait %s : !nv_tileas.async_token
  nv_tileaa.return
}

// An MMA in flight reads what is about to be overwritten.
// CHECK-LABEL: nv_tileaa.func @in_flight
// CHECK:      nv_tileas.fence_proxy async_shared
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.async.dot
// CHECK-NEXT: nv_tileas.async.wait_mmas {pending = 0 : i32}
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.copy
nv_tileaa.func @in_flight() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %b = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 8192, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %w = nv_tileas.copy %x into %a : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %v = nv_tileas.copy %x into %b : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %d = nv_tileas.async.dot %w, %v, %c {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
  %u = nv_tileas.copy %x into %a : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %r = nv_tileas.async.future_wait %d : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
  nv_tileaa.return
}

// A token orders accesses of global memory: other threads read here what one has stored, and not
// where each reads its own, nor another tile.
// CHECK-LABEL: nv_tileaa.func @tokens
// CHECK:      nv_tileas.tiled_store
// CHECK-NEXT: nv_tileas.tiled_load
// CHECK-NEXT: nv_tileas.tiled_load
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.tiled_load
nv_tileaa.func @tokens(%p: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<512xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<512xf32, strides = [1]> -> !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>
  %x = arith.constant dense<1.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %i = arith.constant 0 : i32
  %j = arith.constant 1 : i32
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %a = nv_tileas.tiled_store weak %x, %v[%i] token = %t {nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>} : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token
  %lb, %b = nv_tileas.tiled_load weak %v[%i] token = %a {nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.mem_token
  %lc, %c = nv_tileas.tiled_load weak %v[%j] token = %b {nv_tileas.layout = <(1, 32, 4, 1), (0, 4, 1, 0)>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>, !nv_tileaa.mem_token
  %ld, %d = nv_tileas.tiled_load weak %v[%i] token = %c {nv_tileas.layout = <(1, 32, 4, 1), (0, 4, 1, 0)>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>, !nv_tileaa.mem_token
  nv_tileaa.return
}

// Around a loop: a store of one iteration before the load of the next.
// CHECK-LABEL: nv_tileaa.func @tokens_of_a_loop
// CHECK:      scf.for
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.tiled_load
// CHECK-NEXT: nv_tileas.tiled_store
nv_tileaa.func @tokens_of_a_loop(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<512xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<512xf32, strides = [1]> -> !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>
  %x = arith.constant dense<1.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %i = arith.constant 0 : i32
  %j = arith.constant 1 : i32
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %e = scf.for %k = %i to %n step %j iter_args(%f = %t) -> (!nv_tileaa.mem_token) : i32 {
  %lb, %b = nv_tileas.tiled_load weak %v[%i] token = %f {nv_tileas.layout = <(1, 32, 4, 1), (0, 4, 1, 0)>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>, !nv_tileaa.mem_token
  %a = nv_tileas.tiled_store weak %x, %v[%i] token = %t {nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>} : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token
    scf.yield %a : !nv_tileaa.mem_token
  }
  nv_tileaa.return
}

// Agents begin when what a token stands for is over, and are over before what follows them.
// CHECK-LABEL: nv_tileaa.func @tokens_and_agents
// CHECK:      nv_tileas.tiled_store
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.async.pipeline.agent_switch
// CHECK:      nv_tileas.tiled_load
// CHECK:      nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.tiled_load
nv_tileaa.func @tokens_and_agents(%p: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<512xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<512xf32, strides = [1]> -> !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>
  %x = arith.constant dense<1.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %i = arith.constant 0 : i32
  %j = arith.constant 1 : i32
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %a = nv_tileas.tiled_store weak %x, %v[%i] token = %t {nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>} : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token
  nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4>, warp_id = array<i32: 0>, agent_strides = array<i32: 4>} {
  %lb, %b = nv_tileas.tiled_load weak %v[%i] token = %a {nv_tileas.layout = <(1, 32, 4, 1), (0, 4, 1, 0)>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>, !nv_tileaa.mem_token
    nv_tileas.async.pipeline.yield
  }
  %lc, %c = nv_tileas.tiled_load weak %v[%i] token = %a {nv_tileas.layout = <(1, 32, 4, 1), (0, 4, 1, 0)>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<512xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>, !nv_tileaa.mem_token
  nv_tileaa.return
}
// A stage that has been written since it was acquired: threads meet before it is written again.
// CHECK-LABEL: nv_tileaa.func @written_twice
// CHECK:      nv_tileas.async.pipeline.producer_acquire
// CHECK-NEXT: %[[ONCE:.*]] = nv_tileas.async.pipeline.producer_write
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: nv_tileas.async.pipeline.producer_write %[[ONCE]],
nv_tileaa.func @written_twice() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 528 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32} {
  %x = arith.constant dense<0.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
  %y = arith.constant dense<1.0> : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
  %s = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>} : tensor<1x128xf32, #nv_tileas.memory<smem>>
  %p, %q = nv_tileas.async.pipeline.create_pipeline %s {numStages = 1 : i32, producerGroupId = 0 : i8, consumerGroupId = 0 : i8, nv_tileas.smem = #nv_tileas.allocation<offset = 512, size = 16>} : tensor<1x128xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
  %i = nv_tileas.async.pipeline.create_iterator %p : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<128xf32, #nv_tileas.memory<smem, <128, 1>>>>
  %a = nv_tileas.async.pipeline.producer_acquire %p, %i : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<128xf32, #nv_tileas.memory<smem, <128, 1>>>> -> !nv_tileas.async.pipeline.producer_token
  %once = nv_tileas.async.pipeline.producer_write %a, %x : !nv_tileas.async.pipeline.producer_token, tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> -> !nv_tileas.async.pipeline.producer_token
  %twice = nv_tileas.async.pipeline.producer_write %once, %y : !nv_tileas.async.pipeline.producer_token, tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>> -> !nv_tileas.async.pipeline.producer_token
  nv_tileaa.return
}
}
