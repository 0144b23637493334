// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

!a = !nv_tileaa.memref<100x64xf16, strides = [64, 1]>
!tiles = !nv_tileaa.tiled_view<64x64xf16, !a>
!held = tensor<64x64xf16, #nv_tileas.layout<((8, 4), (8, 4), 4, 1), ((1, 1024), (8, 64), 256, 0)>>

// One test for the whole tile, and selections where it does not hold.

// CHECK: llvm.func @pad
// CHECK: %[[PADDING:.*]] = llvm.mlir.constant(0x7c00 : f16)
// CHECK: %[[FITS:.*]] = llvm.icmp "ult" %i,
// CHECK: %[[ENDS:.*]] = llvm.icmp "sle"
// CHECK: %[[INSIDE:.*]] = llvm.and %[[FITS]], %[[ENDS]]
// CHECK-NEXT: llvm.cond_br %[[INSIDE]], ^[[AS_IT_IS:.*]], ^[[RIM:.*]]
// CHECK-NEXT: ^[[AS_IT_IS]]:
// CHECK-NEXT: llvm.br ^[[AFTER:[^(]*]](%x
// CHECK-NEXT: ^[[RIM]]:
// CHECK-COUNT-32: llvm.select %{{.*}}, %x, %[[PADDING]]
// CHECK: llvm.br ^[[AFTER]](
nv_tileaa.func @pad(%p: !nv_tileaa.ptr<f16>, %i: i32, %x: f16) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %o = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f16> -> !a
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !a -> !tiles
  %zero = arith.constant 0 : i32
  %t = nv_tileaa.splat %x : f16 -> !held
  %y = nv_tileas.pad %t of %v[%i, %zero] {padding_value = #nv_tileaa.padding_value<pos_inf>} : !held, !tiles[i32, i32] -> !held
  nv_tileas.tiled_store weak %y, %v[%i, %zero] {atom = #nv_tileas<atom stg_128>} : !held, !tiles[i32, i32]
  nv_tileaa.return
}
