// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s

!memref = !nv_tileaa.memref<?xf32, strides = [1]>
!view = !nv_tileaa.tiled_view<8xf32, !memref>

// CHECK: tilecpu.func @k(%p: !nv_tileaa.ptr<f32>, %n: i32, %m: i1) attributes {tilecpu.arena_bytes = 64 : i64} {
tilecpu.func @k(%p: !nv_tileaa.ptr<f32>, %n: i32, %m: i1) attributes {tilecpu.arena_bytes = 64 : i64} {
  // CHECK-NEXT: %b = tilecpu.alloc {offset = 64 : i64} : !tilecpu.buffer<16x8xf32>
  %b = tilecpu.alloc {offset = 64 : i64} : !tilecpu.buffer<16x8xf32>
  // CHECK-NEXT: %o = tilecpu.alloc : !tilecpu.buffer<16xf32>
  %o = tilecpu.alloc : !tilecpu.buffer<16xf32>
  %a = tilecpu.alloc : !tilecpu.buffer<16x4xf32>
  %d = tilecpu.alloc : !tilecpu.buffer<8x4xf32>
  %s = tilecpu.alloc : !tilecpu.buffer<256xi8>
  %one = tilecpu.alloc : !tilecpu.buffer<f32>
  // CHECK: %c4 = tilecpu.constant dense<[1, 2, 3, 4]> : tensor<4xi32> : !tilecpu.buffer<4xi32>
  %c4 = tilecpu.constant dense<[1, 2, 3, 4]> : tensor<4xi32> : !tilecpu.buffer<4xi32>
  %x = nv_tileaa.make_memref %p sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !memref
  %t = nv_tileaa.block_tile %x {tileSizes = array<i64: 8>, dimGroups = [[0 : i64]]} : !memref -> !view
  // CHECK: tilecpu.nest (%i, %j) in [16, 8] vector 8 {
  tilecpu.nest (%i, %j) in [16, 8] vector 8 {
    // CHECK-NEXT: %e = tilecpu.read %b[affine_map<(d0, d1) -> (d0, d1)>] : !tilecpu.buffer<16x8xf32> -> f32
    %e = tilecpu.read %b[affine_map<(d0, d1) -> (d0, d1)>] : !tilecpu.buffer<16x8xf32> -> f32
    // CHECK-NEXT: %l = tilecpu.load %t[%n] at affine_map<(d0, d1) -> (d1)> {padding_value = #nv_tileaa.padding_value<zero>} :
    %l = tilecpu.load %t[%n] at affine_map<(d0, d1) -> (d1)> {padding_value = #nv_tileaa.padding_value<zero>} : !view[i32] -> f32
    %sum = nv_tileaa.addf %e, %l : f32
    // CHECK: tilecpu.write %sum, %b[affine_map<(d0, d1) -> (d0, d1)>] : f32, !tilecpu.buffer<16x8xf32>
    tilecpu.write %sum, %b[affine_map<(d0, d1) -> (d0, d1)>] : f32, !tilecpu.buffer<16x8xf32>
    // CHECK-NEXT: tilecpu.store %sum, %t[%n] at affine_map<(d0, d1) -> (d1)> : f32,
    tilecpu.store %sum, %t[%n] at affine_map<(d0, d1) -> (d1)> : f32, !view[i32]
    // CHECK-NEXT: %k = tilecpu.index affine_map<(d0, d1) -> (((d0 * 8) + d1))> : i32
    %k = tilecpu.index affine_map<(d0, d1) -> (d0 * 8 + d1)> : i32
    %q = nv_tileaa.addptr %p, %k : !nv_tileaa.ptr<f32>, i32
    // CHECK: %g = tilecpu.load_pointer %q mask %m other %e : f32 : !nv_tileaa.ptr<f32> -> f32
    %g = tilecpu.load_pointer %q mask %m other %e : f32 : !nv_tileaa.ptr<f32> -> f32
    // CHECK-NEXT: tilecpu.store_pointer %g, %q mask %m : f32, !nv_tileaa.ptr<f32>
    tilecpu.store_pointer %g, %q mask %m : f32, !nv_tileaa.ptr<f32>
    // CHECK-NEXT: %old = tilecpu.atomic_rmw addf %q, %g mask %m {mem_semantic = #nv_tileaa.mem_semantic<relaxed>} : !nv_tileaa.ptr<f32>, f32 -> f32
    %old = tilecpu.atomic_rmw addf %q, %g mask %m {mem_semantic = #nv_tileaa.mem_semantic<relaxed>} : !nv_tileaa.ptr<f32>, f32 -> f32
    // CHECK-NEXT: %was = tilecpu.atomic_cas %q, %g, %old {mem_semantic = #nv_tileaa.mem_semantic<acquire>} : !nv_tileaa.ptr<f32>, f32, f32 -> f32
    %was = tilecpu.atomic_cas %q, %g, %old {mem_semantic = #nv_tileaa.mem_semantic<acquire>} : !nv_tileaa.ptr<f32>, f32, f32 -> f32
    // CHECK-NEXT: tilecpu.atomic_update addf %was, %t[%n] at affine_map<(d0, d1) -> (d1)> {mem_semantic = #nv_tileaa.mem_semantic<relaxed>} : f32,
    tilecpu.atomic_update addf %was, %t[%n] at affine_map<(d0, d1) -> (d1)> {mem_semantic = #nv_tileaa.mem_semantic<relaxed>} : f32, !view[i32]
    // CHECK-NEXT: tilecpu.reduce %sum into %o along 1 : f32 into !tilecpu.buffer<16xf32> {
    tilecpu.reduce %sum into %o along 1 : f32 into !tilecpu.buffer<16xf32> {
    ^bb0(%first: f32, %second: f32):
      %r = nv_tileaa.addf %first, %second : f32
      nv_tileaa.yield %r : f32
    }
  }
  // CHECK: tilecpu.nest () in [] vector 1 {
  tilecpu.nest () in [] vector 1 {
    %c = arith.constant 1.0 : f32
    // CHECK: tilecpu.write %c, %one[affine_map<() -> ()>] : f32, !tilecpu.buffer<f32>
    tilecpu.write %c, %one[affine_map<() -> ()>] : f32, !tilecpu.buffer<f32>
  }
  // CHECK: tilecpu.dot %a, %d, %b scratch %s : !tilecpu.buffer<256xi8> {register_block = array<i64: 4, 8, 8>, transposed_b} :
  tilecpu.dot %a, %d, %b scratch %s : !tilecpu.buffer<256xi8> {register_block = array<i64: 4, 8, 8>, transposed_b} : !tilecpu.buffer<16x4xf32>, !tilecpu.buffer<8x4xf32>, !tilecpu.buffer<16x8xf32>
  // CHECK-NEXT: tilecpu.print "%f %d", %b, %a : !tilecpu.buffer<16x8xf32>, !tilecpu.buffer<16x4xf32>
  tilecpu.print "%f %d", %b, %a : !tilecpu.buffer<16x8xf32>, !tilecpu.buffer<16x4xf32>
  // CHECK-NEXT: tilecpu.copy_slice %b, %d[%n, %n] : !tilecpu.buffer<16x8xf32>, !tilecpu.buffer<8x4xf32>[i32, i32]
  tilecpu.copy_slice %b, %d[%n, %n] : !tilecpu.buffer<16x8xf32>, !tilecpu.buffer<8x4xf32>[i32, i32]
  // CHECK-NEXT: tilecpu.copy %b, %b : !tilecpu.buffer<16x8xf32>, !tilecpu.buffer<16x8xf32>
  tilecpu.copy %b, %b : !tilecpu.buffer<16x8xf32>, !tilecpu.buffer<16x8xf32>
  // CHECK-NEXT: tilecpu.scan %b into %b along 1 {reverse} : !tilecpu.buffer<16x8xf32> into !tilecpu.buffer<16x8xf32> {
  tilecpu.scan %b into %b along 1 {reverse} : !tilecpu.buffer<16x8xf32> into !tilecpu.buffer<16x8xf32> {
  ^bb0(%first: f32, %second: f32):
    %r = nv_tileaa.addf %first, %second : f32
    nv_tileaa.yield %r : f32
  }
  tilecpu.return
}
