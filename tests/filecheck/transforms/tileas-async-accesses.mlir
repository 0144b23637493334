// RUN: xdsl-opt %s -p tileas-assign-dot-layouts,tileas-assign-load-store-layouts | filecheck %s

// Asynchronous accesses without atoms get theirs: copies as wide as the addresses are known to be
// aligned, stores of single elements. A dot that no asynchronous instruction does is done at once.

!memref = !nv_tileaa.memref<64x32xf32, strides = [32, 1]>
!view = !nv_tileaa.tiled_view<64x32xf32, !nv_tileaa.memref<64x32xf32, strides = [32, 1]>>
!buffer = tensor<64x32xf32, #nv_tileas.memory<smem>>
!pointers = tensor<64x32x!nv_tileaa.ptr<f32>>

builtin.module attributes {nv_tileaa.target_spec = "sm_80"} {

// CHECK-LABEL: nv_tileaa.func @accesses
nv_tileaa.func @accesses(%p: !nv_tileaa.ptr<f32>)
    attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %c0 = arith.constant 0 : index
  %aligned = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %ref = nv_tileaa.make_memref %aligned : !nv_tileaa.ptr<f32> -> !memref
  %v = nv_tileaa.block_tile %ref {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref -> !view
  %b = nv_tileas.alloc_tensor : !buffer
  // CHECK: nv_tileas.async.tiled_load weak %v[%c0, %c0] into %b : {{.*}} {atom = #nv_tileas<atom ldgsts_128>}
  %l = nv_tileas.async.tiled_load weak %v[%c0, %c0] into %b : !buffer : !view[index, index] -> !async.value<!buffer>
  %t = nv_tileas.async.future_wait %l : !async.value<!buffer> -> !buffer
  // The number of an element is known to begin nowhere in particular: one element a copy.
  %one = nv_tileaa.splat %p : !nv_tileaa.ptr<f32> -> !pointers
  // CHECK: nv_tileas.async.load weak %{{.*}} into %b : {{.*}} {atom = #nv_tileas<atom ldgsts_32>}
  %m = nv_tileas.async.load weak %one into %b : !buffer : !pointers -> !async.value<!buffer>
  %u = nv_tileas.async.future_wait %m : !async.value<!buffer> -> !buffer
  %x = nv_tileas.convert_layout %u : !buffer -> tensor<64x32xf32>
  // CHECK: nv_tileas.async.store weak %{{.*}}, %{{.*}} {atom = #nv_tileas<atom stg_32>}
  %s = nv_tileas.async.store weak %one, %x : !pointers, tensor<64x32xf32> -> !nv_tileas.async_token
  nv_tileas.async.wait %s : !nv_tileas.async_token
  nv_tileaa.return
}

// CHECK-LABEL: nv_tileaa.func @dots
nv_tileaa.func @dots(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>)
    attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  // CHECK: %[[D:.*]] = nv_tileas.dot %{{.*}}, %{{.*}}, %{{.*}} {atom = #nv_tileas<atom mma_f16_f16_f32>}
  // CHECK: %[[F:.*]] = nv_tileas.async.to_async %[[D]] :
  // CHECK: %[[W:.*]] = nv_tileas.async.future_wait %[[F]] :
  // CHECK: %[[E:.*]] = nv_tileas.dot %{{.*}}, %{{.*}}, %[[W]] {atom = #nv_tileas<atom mma_f16_f16_f32>}
  // CHECK: nv_tileas.async.to_async %[[E]] :
  %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>} : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32> -> !async.value<tensor<16x8xf32>>
  %e = nv_tileas.async.dot %a, %b, %d {atom = #nv_tileas<atom mma_f16_f16_f32>} : tensor<16x16xf16>, tensor<16x8xf16>, !async.value<tensor<16x8xf32>> -> !async.value<tensor<16x8xf32>>
  %r = nv_tileas.async.future_wait %e : !async.value<tensor<16x8xf32>> -> tensor<16x8xf32>
  nv_tileaa.return
}
}
