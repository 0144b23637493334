// RUN: xdsl-opt %s -p lower-tma-load-store-to-async | filecheck %s
// RUN: xdsl-opt %s -p lower-tma-load-store-to-async,tileas-attach-tma-desc-args | filecheck %s --check-prefix=ATTACHED

!a = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!tiles = !nv_tileaa.tiled_view<128x128xf16, !a>

// Two boxes of 64 columns, one behind the other, fill the buffer of a load.

// CHECK: nv_tileaa.func @load
// CHECK: [[D:%.*]] = nv_tileas.make_tiled_tma_desc %v[%{{.*}}, %{{.*}}] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32}
// CHECK: [[B:%.*]] = nv_tileas.alloc_tensor : tensor<128x128xf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>
// CHECK: [[R:%.*]] = arith.muli
// CHECK: [[C:%.*]] = arith.muli
// CHECK: [[W:%.*]] = nv_tileas.async.tiled_tma_load [[D]], [[B]][[[R]], [[C]]], %t {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 32768 : i32}
// CHECK: %x = nv_tileas.async.future_wait [[W]] :

// ATTACHED: nv_tileaa.func @load(%p: !nv_tileaa.ptr<f16>, %m: i32, %n: i32, %s: i32, %i: i32, [[D:%.*]]: !nv_tileas.tma_desc {grid_constant})
// ATTACHED-SAME: nv_tileas.tensor_maps = [#nv_tileas.tensor_map<128x64xf16, arg0, sizes = [arg1, arg2], strides = [arg3, 1], swizzle = 128B, oob = zero>]
// ATTACHED-NOT: make_tiled_tma_desc
// ATTACHED: nv_tileas.async.tiled_tma_load [[D]], %{{.*}}[%{{.*}}, %{{.*}}], %t {
nv_tileaa.func @load(%p: !nv_tileaa.ptr<f16>, %m: i32, %n: i32, %s: i32, %i: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %o = nv_tileaa.make_memref %p sizes = [%m, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> !a
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 128>, dimGroups = [[0], [1]]} : !a -> !tiles
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %x, %done = nv_tileas.tiled_load weak %v[%i, %i] token = %t {atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>} : !tiles[i32, i32] -> tensor<128x128xf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>, !nv_tileaa.mem_token
  "test.op"(%x) : (tensor<128x128xf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>) -> ()
  nv_tileaa.return
}

// Rows in any order: their numbers go to shared memory once, where they are made, and the tensor map has boxes of one row.

!r = tensor<64xi32, #nv_tileas.layout<(1, (32, 1), (2, 2), 1), (0, (1, 0), (32, 0), 0)>>
!rs = tensor<64xi32, #nv_tileas.memory<smem, <64, 1>>>
!x = tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>

// CHECK: nv_tileaa.func @rows
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[WIDTH:.*]] = arith.constant 64 : index
// CHECK: %[[FROM:.*]] = nv_tileas.make_tiled_tma_desc %v[%[[ONE]], %[[WIDTH]]] {atom = #nv_tileas<atom tma_gather4_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32}
// CHECK: %[[TO:.*]] = nv_tileas.make_tiled_tma_desc %v[%{{.*}}, %{{.*}}] {atom = #nv_tileas<atom tma_scatter4_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 1 : i32}
// CHECK: %rows = "test.op"()
// CHECK-NEXT: %[[PLACE:.*]] = nv_tileas.alloc_tensor : tensor<64xi32, #nv_tileas.memory<smem, <64, 1>>>
// CHECK-NEXT: %[[NUMBERS:.*]] = nv_tileas.copy %rows into %[[PLACE]]
// CHECK: %[[B:.*]] = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// CHECK: %[[COLUMN:.*]] = arith.muli
// CHECK: %[[W:.*]] = nv_tileas.async.gather_tma_load %[[FROM]], %[[B]][%[[COLUMN]]], %[[NUMBERS]], %t {atom = #nv_tileas<atom tma_gather4_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32}
// CHECK: %x = nv_tileas.async.future_wait %[[W]] :
// CHECK-NOT: nv_tileas.copy
// CHECK: nv_tileas.async.scatter_tma_store %[[TO]], %x[%{{.*}}], %[[NUMBERS]] {atom = #nv_tileas<atom tma_scatter4_2d>, tmaIdx = 1 : i32}

// ATTACHED: nv_tileaa.func @rows
// ATTACHED-SAME: nv_tileas.tensor_maps = [#nv_tileas.tensor_map<1x64xf16, arg0, sizes = [arg1, arg2], strides = [arg3, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<1x64xf16, arg0, sizes = [arg1, arg2], strides = [arg3, 1], swizzle = 128B, oob = zero>]
nv_tileaa.func @rows(%p: !nv_tileaa.ptr<f16>, %m: i32, %n: i32, %s: i32, %i: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %o = nv_tileaa.make_memref %p sizes = [%m, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> !a
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]], tileStrides = array<i64: 1, 1>} : !a -> !nv_tileaa.tiled_view<64x64xf16, !a>
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %rows = "test.op"() : () -> !r
  "test.op"() : () -> ()
  %x, %done = nv_tileas.gather_load weak %v[%rows, %i] token = %t {sparse_dim = 0 : i32, atom = #nv_tileas<atom tma_gather4_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>} : !nv_tileaa.tiled_view<64x64xf16, !a>[!r, i32] -> !x, !nv_tileaa.mem_token
  %stored = nv_tileas.scatter_store weak %x, %v[%rows, %i] token = %t {sparse_dim = 0 : i32, atom = #nv_tileas<atom tma_scatter4_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>} : !x, !nv_tileaa.tiled_view<64x64xf16, !a>[!r, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}

// An atomic reduction combines a box in shared memory with what is in global memory.

!sums = tensor<64x64xf32, #nv_tileas.layout<((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)>>
!c = !nv_tileaa.memref<?x?xf32, strides = [?, 1]>

// CHECK: nv_tileaa.func @sums
// CHECK: %[[MAP:.*]] = nv_tileas.make_tiled_tma_desc %v[%{{.*}}, %{{.*}}] {atom = #nv_tileas<atom tma_redg_add_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32}
// CHECK: %[[PLACE:.*]] = nv_tileas.alloc_tensor : tensor<64x64xf32, #nv_tileas.memory<smem, <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>>>
// CHECK-NEXT: %[[FILLED:.*]] = nv_tileas.copy %x into %[[PLACE]]
// CHECK-NEXT: nv_tileas.fence acq_rel tl_blk
// CHECK: %[[DONE:.*]] = nv_tileas.async.tiled_tma_reduce %[[MAP]], %[[FILLED]][%{{.*}}, %{{.*}}] {atom = #nv_tileas<atom tma_redg_add_2d>, tmaIdx = 0 : i32}
// CHECK-NEXT: nv_tileas.async.wait %[[DONE]]
nv_tileaa.func @sums(%p: !nv_tileaa.ptr<f32>, %m: i32, %n: i32, %s: i32, %i: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %o = nv_tileaa.make_memref %p sizes = [%m, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f32> -> !c
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !c -> !nv_tileaa.tiled_view<64x64xf32, !c>
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %x = "test.op"() : () -> !sums
  %old, %done = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %v[%i, %i] token = %t {rmw_mode = #nv_tileas.rmw_mode<add>, atom = #nv_tileas<atom tma_redg_add_2d>, nv_tileas.layout = <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>} : !sums, !nv_tileaa.tiled_view<64x64xf32, !c>[i32, i32] -> !sums, !nv_tileaa.mem_token
  nv_tileaa.return
}
