// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: invalid TMA atom type
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>) {
  %n = arith.constant 64 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom ldg_128>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: expects a view of global memory, but got !nv_tileas.tiled_view<64x64xf16, smem>
nv_tileaa.func @k(%v: !nv_tileas.tiled_view<64x64xf16, smem>) {
  %n = arith.constant 64 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tiled_view<64x64xf16, smem>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: tmaBoxDim and atomBoxDim length mismatch
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>) {
  %n = arith.constant 64 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_3d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: only support element_stride = 1 tma desc
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 2]>) {
  %n = arith.constant 64 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 2]>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: only support element_stride = 1 tma desc
nv_tileaa.func @k(%v: !nv_tileas.tiled_view<64x64xf16, gmem, <(64, (8, 8)), (1, (512, 64))>>) {
  %n = arith.constant 64 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tiled_view<64x64xf16, gmem, <(64, (8, 8)), (1, (512, 64))>>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: tma boxDims[0] * elemTypeBitWidth is not a multiple of 16 bytes
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>) {
  %n = arith.constant 12 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: expected tma descriptor pointer to have alignment at least 128
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>) {
  %n = arith.constant 64 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>, alignment = 64 : i64} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: expected MakeTiledTMADescOp not depends on scf
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, %a: index, %b: i1) {
  %n = scf.if %b -> (index) {
    scf.yield %a : index
  } else {
    scf.yield %a : index
  }
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: expected MakeTiledTMADescOp not depends on scf
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, %a: index) {
  scf.for %n = %a to %a step %a {
    %m = arith.addi %n, %a : index
    %d = nv_tileas.make_tiled_tma_desc %v[%m, %m] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  }
  nv_tileaa.return
}

// -----
// CHECK: math dialect not suppourt in separateHostTMA pass in the moment.
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, %a: i32) {
  %n = math.absi %a : i32
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, i32, i32 -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: expects a descriptor to depend on kernel arguments and arith alone, but got 'test.op'
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>) {
  %n = "test.op"() : () -> index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: expect a tma_load atom type
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_store_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: expect a tma_store atom type
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_store %d, %s[%i, %i] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index -> !nv_tileas.async_token

// -----
// CHECK: expect a tma_redg atom type
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_reduce %d, %s[%i, %i] {atom = #nv_tileas<atom tma_store_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index -> !nv_tileas.async_token

// -----
// CHECK: TmaReduceOp do not support SCATTER4 mode
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_reduce %d, %s[%i, %i] {atom = #nv_tileas<atom tma_scatter4_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index -> !nv_tileas.async_token

// -----
// CHECK: expects 1 to 2 coordinates, but got 3
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i, %i], %t {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: expects 1 to 2 coordinates, but got 0
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[], %t {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: expects a view of shared memory, but got !nv_tileas.tiled_view<64x64xf16, gmem>
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, gmem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, gmem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: smem layout is not TMA compatible
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem, <(64, 64), (64, 1), swizzle<2, 5, 2>>>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem, <(64, 64), (64, 1), swizzle<2, 5, 2>>>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: smem layout is not TMA compatible
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (128, 2)>>>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (128, 2)>>>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: TmaLoad only support zero padding now
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>, padding_value = #nv_tileaa.padding_value<nan>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: expects a cta_group of 1 or 2, but got 4
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>, cta_group = 4 : i32} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: missing or invalid num_multicast for a multicast TMA load
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>, num_multicast = 3 : i32} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: missing or invalid num_multicast for a multicast TMA load
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>, multicast_stride = 2 : i32} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: GatherTmaLoad only support zero padding now
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.gather_tma_load %d, %s[%i, %i], %rows, %t {atom = #nv_tileas<atom tma_gather4_2d>, padding_value = #nv_tileaa.padding_value<neg_inf>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, tensor<64xi32>, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: scatter_tma_store does not support padding_value
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.scatter_tma_store %d, %s[%i, %i], %rows {atom = #nv_tileas<atom tma_scatter4_2d>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, tensor<64xi32> -> !nv_tileas.async_token

// -----
// CHECK: expects the row numbers to be a rank-1 tensor of i32, but got tensor<64xi64>
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi64>)
%a = nv_tileas.async.scatter_tma_store %d, %s[%i, %i], %rows {atom = #nv_tileas<atom tma_scatter4_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, tensor<64xi64> -> !nv_tileas.async_token

// -----
// CHECK: tma box-dim and copy atom box-dim mismatch
nv_tileaa.func @k(%v: !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, %s: !nv_tileas.tiled_view<64x64xf16, smem>, %t: !nv_tileaa.mem_token) {
  %n = arith.constant 64 : index
  %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, index -> !nv_tileas.tma_desc
  %a = nv_tileas.async.tiled_tma_load %d, %s[%n, %n, %n], %t {atom = #nv_tileas<atom tma_load_3d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token
  nv_tileaa.return
}

// -----
// CHECK: expected an argument of the kernel, such as arg0
"test.op"() {map = #nv_tileas.tensor_map<64x64xf16, first, sizes = [64, 64], strides = [64, 1], swizzle = none, oob = zero>} : () -> ()

// -----
// CHECK: expected 2 sizes, got 1
"test.op"() {map = #nv_tileas.tensor_map<64x64xf16, arg0, sizes = [64], strides = [64, 1], swizzle = none, oob = zero>} : () -> ()

// -----
// CHECK: expected at least one stride of 1
"test.op"() {map = #nv_tileas.tensor_map<64x64xf16, arg0, sizes = [64, 64], strides = [64, 2], swizzle = none, oob = zero>} : () -> ()

// -----
// CHECK: unsupported tma load mode 'tiled'
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.gather_tma_load %d, %s[%i], %rows, %t {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, tensor<64xi32>, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: unsupported tma load mode 'gather4'
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_gather4_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: unsupported tma store mode 'tiled'
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.scatter_tma_store %d, %s[%i], %rows {atom = #nv_tileas<atom tma_store_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, tensor<64xi32> -> !nv_tileas.async_token

// -----
// CHECK: unsupported tma store mode 'scatter4'
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_store %d, %s[%i, %i] {atom = #nv_tileas<atom tma_scatter4_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index -> !nv_tileas.async_token

// -----
// CHECK: TmaLoad only support padding of floating-point elements
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xi16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xi16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: GatherTmaLoad only support padding of floating-point elements
%d, %s, %i, %t, %rows = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xi16, smem>, index, !nv_tileaa.mem_token, tensor<64xi32>)
%a = nv_tileas.async.gather_tma_load %d, %s[%i], %rows, %t {atom = #nv_tileas<atom tma_gather4_2d>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xi16, smem>, index, tensor<64xi32>, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: expects at least one tensor map, and one result for each map
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>) {
  %d0, %d1 = nv_tileas.make_device_tma_descs %p {tensor_maps = [#nv_tileas.tensor_map<64x64xf16, arg0, sizes = [64, 64], strides = [64, 1], swizzle = none, oob = zero>], slots = 1 : i32} : !nv_tileaa.ptr<f16> -> !nv_tileas.tma_desc, !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: expects at least one slot
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>) {
  %d0 = nv_tileas.make_device_tma_descs %p {tensor_maps = [#nv_tileas.tensor_map<64x64xf16, arg0, sizes = [64, 64], strides = [64, 1], swizzle = none, oob = zero>], slots = 0 : i32} : !nv_tileaa.ptr<f16> -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: a tensor map names arg1, but the op has 1 operands
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>) {
  %d0 = nv_tileas.make_device_tma_descs %p {tensor_maps = [#nv_tileas.tensor_map<64x64xf16, arg1, sizes = [64, 64], strides = [64, 1], swizzle = none, oob = zero>], slots = 1 : i32} : !nv_tileaa.ptr<f16> -> !nv_tileas.tma_desc
  nv_tileaa.return
}

// -----
// CHECK: requires the same type for tile and result
nv_tileaa.func @k(%v: !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>, %x: tensor<64x64xf16>, %y: tensor<64x32xf16>, %i: i32, %j: index) {
  %z = nv_tileas.pad %x of %v[%i, %i] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<64x64xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xf32>
  nv_tileaa.return
}

// -----
// CHECK: requires the same size for tileSize and tensor
nv_tileaa.func @k(%v: !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>, %x: tensor<64x64xf16>, %y: tensor<64x32xf16>, %i: i32, %j: index) {
  %z = nv_tileas.pad %y of %v[%i, %i] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<64x32xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>[i32, i32] -> tensor<64x32xf16>
  nv_tileaa.return
}

// -----
// CHECK: expects 2 coordinates, but got 1
nv_tileaa.func @k(%v: !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>, %x: tensor<64x64xf16>, %y: tensor<64x32xf16>, %i: i32, %j: index) {
  %z = nv_tileas.pad %x of %v[%i] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<64x64xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>[i32] -> tensor<64x64xf16>
  nv_tileaa.return
}

// -----
// CHECK: expects 2 offsets or none, but got 1
nv_tileaa.func @k(%v: !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>, %x: tensor<64x64xf16>, %y: tensor<64x32xf16>, %i: i32, %j: index) {
  %z = nv_tileas.pad %x of %v[%i, %i] offset [%j] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<64x64xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xf16>
  nv_tileaa.return
}

// -----
// CHECK: incorrect number of in_bounds elements: expected 2, but found 1
nv_tileaa.func @k(%v: !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>, %x: tensor<64x64xf16>, %y: tensor<64x32xf16>, %i: i32, %j: index) {
  %z = nv_tileas.pad %x of %v[%i, %i] {padding_value = #nv_tileaa.padding_value<neg_inf>, in_bounds = array<i1: true>} : tensor<64x64xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xf16>
  nv_tileaa.return
}

// -----
// CHECK: expects floating-point elements for a named padding_value, but got i16
nv_tileaa.func @k(%v: !nv_tileaa.tiled_view<64x64xi16, !nv_tileaa.memref<64x64xi16, strides = [64, 1]>>, %x: tensor<64x64xi16>, %y: tensor<64x32xi16>, %i: i32, %j: index) {
  %z = nv_tileas.pad %x of %v[%i, %i] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<64x64xi16>, !nv_tileaa.tiled_view<64x64xi16, !nv_tileaa.memref<64x64xi16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xi16>
  nv_tileaa.return
}

// -----
// CHECK: TmaLoad only support zero padding now
%d, %s, %i, %t = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>, padding_value = 1.0 : f16} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

// -----
// CHECK: expects padding of type f16, but got f32
%d, %s, %i, %t = "test.op"() : () -> (!nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, !nv_tileaa.mem_token)
%a = nv_tileas.async.tiled_tma_load %d, %s[%i, %i], %t {atom = #nv_tileas<atom tma_load_2d>, padding_value = 0.0 : f32} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<64x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token
