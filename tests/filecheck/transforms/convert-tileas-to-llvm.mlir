// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

// A kernel: launch bounds, the alignment that assumes promise, one register per element.
// CHECK-LABEL: llvm.func @kernel(%p: !llvm.ptr<1> {llvm.align = 16 : i64}, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, nvvm.minctasm = 2 : i32, nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.blocksareclusters} {
nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 2, occupancy = 2>, nv_tileaa.cluster_shape = array<i32: 2, 1>} {
  // CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK-DAG: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.clusterid.x : i32
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %m = nv_tileaa.make_memref %q sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64>, dimGroups = [[0]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
  %i = nv_tileaa.get_program_id 0 : i32
  // Two neighbours a thread: one vector load where all of the tile is inside, else two that are
  // masked, with the padding for what lies outside.
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "sge"
  // CHECK-NEXT: llvm.cond_br %[[INSIDE]], ^bb1, ^bb2
  // CHECK: %[[LOADED:.*]] = llvm.load %[[ADDRESS:.*]] {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
  // CHECK-COUNT-2: llvm.intr.masked.load %{{.*}}, %{{.*}}, %{{.*}} {alignment = 4 : i32} : (!llvm.ptr<1>, vector<1xi1>, vector<1xf32>) -> vector<1xf32>
  %x = nv_tileas.tiled_load weak %v[%i] {atom = #nv_tileas<atom ldg_64>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
  // CHECK: ^bb3(%[[X0:.*]]: f32, %[[X1:.*]]: f32):
  // CHECK: llvm.fadd %[[X0]], %[[X0]] : f32
  // CHECK: llvm.fadd %[[X1]], %[[X1]] : f32
  %y = nv_tileaa.addf %x, %x : tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
  // Other rounding modes and flushing are intrinsics.
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.add.rm.ftz.f"
  %z = nv_tileaa.addf %y, %x rounding<negative_inf> flush_to_zero : tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
  // CHECK: llvm.cond_br %[[INSIDE]], ^bb4, ^bb5
  // CHECK: llvm.store %{{.*}}, %[[ADDRESS]] {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
  // CHECK-COUNT-2: llvm.intr.masked.store %{{.*}}, %{{.*}}, %{{.*}} {alignment = 4 : i32}
  nv_tileas.tiled_store weak %z, %v[%i] {atom = #nv_tileas<atom stg_64>} : tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>, !nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32]
  // CHECK: llvm.return
  nv_tileaa.return
}

// The atom decides the instructions: the same layout, one element at a time.
// CHECK-LABEL: llvm.func @narrow
nv_tileaa.func @narrow(%p: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<64xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64>, dimGroups = [[0]]} : !nv_tileaa.memref<64xf32, strides = [1]> -> !nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<64xf32, strides = [1]>>
  %i = nv_tileaa.get_program_id 0 : i32
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  %x = nv_tileas.tiled_load weak %v[%i] {atom = #nv_tileas<atom ldg_32>, in_bounds = array<i1: true>} : !nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<64xf32, strides = [1]>>[i32] -> tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
  // CHECK-NEXT: llvm.return
  nv_tileaa.return
}

// The layout decides which element a register holds.
// CHECK-LABEL: llvm.func @layout
nv_tileaa.func @layout(%p: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<64xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64>, dimGroups = [[0]]} : !nv_tileaa.memref<64xf32, strides = [1]> -> !nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<64xf32, strides = [1]>>
  %i = nv_tileaa.get_program_id 0 : i32
  // CHECK: llvm.getelementptr %{{.*}}[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %x = nv_tileas.tiled_load weak %v[%i] {atom = #nv_tileas<atom ldg_32>, in_bounds = array<i1: true>} : !nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<64xf32, strides = [1]>>[i32] -> tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (32, 1, 0, 0)>>
  nv_tileaa.return
}

// A store after a load of the same memory, ordered by a token, waits for the other threads.
// CHECK-LABEL: llvm.func @ordered
nv_tileaa.func @ordered(%p: !nv_tileaa.ptr<i32>, %x: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  // CHECK: llvm.load
  %a, %t = nv_tileas.load weak %p {atom = #nv_tileas<atom ldg_32>} : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
  // CHECK-NEXT: nvvm.barrier
  // Every thread holds the scalar; one of them stores it.
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
  // CHECK: llvm.intr.masked.store
  %u = nv_tileas.store weak %p, %x token = %t {atom = #nv_tileas<atom stg_32>} : !nv_tileaa.ptr<i32>, i32 -> !nv_tileaa.mem_token
  // CHECK: nvvm.barrier
  %b, %w = nv_tileas.load weak %p token = %u {atom = #nv_tileas<atom ldg_32>} : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
  // CHECK-NOT: nvvm.barrier
  %c, %z = nv_tileas.load weak %p token = %w {atom = #nv_tileas<atom ldg_32>} : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
  // CHECK: llvm.return
  nv_tileaa.return
}
