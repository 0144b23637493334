// RUN: xdsl-opt %s -p lower-tma-load-store-to-async | filecheck %s

!a = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!tiles = !nv_tileaa.tiled_view<64x64xf16, !a>
!staged = tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
!held = tensor<64x64xf16, #nv_tileas.layout<((8, 4), (8, 4), 4, 1), ((1, 1024), (8, 64), 256, 0)>>

// Padding that no tensor map fills in is put in before the tile is read first; of NaN nothing is left to do.

// CHECK: nv_tileaa.func @operands
// CHECK: oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0
// CHECK: oob_mode = #nv_tileas.oob_mode<nan>, tmaIdx = 1
// CHECK: %[[X:.*]] = nv_tileas.async.future_wait
// CHECK-NOT: nv_tileas.pad
// CHECK: %y = nv_tileas.async.future_wait
// CHECK-NEXT: %x = nv_tileas.pad %[[X]] of %v[%i, %j] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>[i32, i32] -> tensor
// CHECK-NEXT: "test.op"(%x, %y)
nv_tileaa.func @operands(%p: !nv_tileaa.ptr<f16>, %m: i32, %n: i32, %s: i32, %i: i32, %j: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %o = nv_tileaa.make_memref %p sizes = [%m, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> !a
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !a -> !tiles
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %x, %first = nv_tileas.tiled_load weak %v[%i, %j] token = %t {atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>, padding_value = #nv_tileaa.padding_value<neg_inf>} : !tiles[i32, i32] -> !staged, !nv_tileaa.mem_token
  %y, %second = nv_tileas.tiled_load weak %v[%i, %j] token = %t {atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>, padding_value = #nv_tileaa.padding_value<nan>} : !tiles[i32, i32] -> !staged, !nv_tileaa.mem_token
  "test.op"(%x, %y) : (!staged, !staged) -> ()
  nv_tileaa.return
}

// A tile in registers is padded there.

// CHECK: nv_tileaa.func @registers
// CHECK: %[[LOADED:.*]] = nv_tileas.async.future_wait
// CHECK: %[[HELD:.*]] = nv_tileas.convert_layout %[[LOADED]]
// CHECK-NEXT: %x = nv_tileas.pad %[[HELD]] of %v[%i, %j] {padding_value = #nv_tileaa.padding_value<neg_zero>, in_bounds = array<i1: true, false>}
// CHECK-NEXT: "test.op"(%x)
nv_tileaa.func @registers(%p: !nv_tileaa.ptr<f16>, %m: i32, %n: i32, %s: i32, %i: i32, %j: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %o = nv_tileaa.make_memref %p sizes = [%m, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> !a
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !a -> !tiles
  %x = nv_tileas.tiled_load weak %v[%i, %j] {atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>, in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<neg_zero>} : !tiles[i32, i32] -> !held
  "test.op"(%x) : (!held) -> ()
  nv_tileaa.return
}
