// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | %check-parts %s

tilecpu.func @k() {
  // CHECK: expects a vector width that divides 8, the innermost extent, but got 16
  tilecpu.nest (%i) in [8] vector 16 {
  }
  tilecpu.return
}

// -----

tilecpu.func @k() {
  %b = tilecpu.alloc : !tilecpu.buffer<8xf32>
  tilecpu.nest (%i, %j) in [4, 8] vector 8 {
    // CHECK: expects a map from 2 indices of the nest to 1 indices, but got (d0) -> (d0)
    %e = tilecpu.read %b[affine_map<(d0) -> (d0)>] : !tilecpu.buffer<8xf32> -> f32
  }
  tilecpu.return
}

// -----

tilecpu.func @k() {
  // CHECK: expects an offset of at least 0 that is a multiple of 64, but got 32
  %b = tilecpu.alloc {offset = 32 : i64} : !tilecpu.buffer<8xf32>
  tilecpu.return
}

// -----

tilecpu.func @k() {
  %a = tilecpu.alloc : !tilecpu.buffer<16x4xf32>
  %b = tilecpu.alloc : !tilecpu.buffer<8x4xf32>
  %c = tilecpu.alloc : !tilecpu.buffer<16x8xf32>
  // CHECK: expects shapes [.., M, K], [.., K, N] and [.., M, N], but got (16, 4), (8, 4) and (16, 8)
  tilecpu.dot %a, %b, %c {register_block = array<i64: 4, 8, 8>} : !tilecpu.buffer<16x4xf32>, !tilecpu.buffer<8x4xf32>, !tilecpu.buffer<16x8xf32>
  tilecpu.return
}

// -----

tilecpu.func @k() {
  %a = tilecpu.alloc : !tilecpu.buffer<16x4xf32>
  %b = tilecpu.alloc : !tilecpu.buffer<4x8xf32>
  %c = tilecpu.alloc : !tilecpu.buffer<16x8xf32>
  // CHECK: expects a register block that divides 16 x 8 and consists of whole vectors, but got 3 x 8 with vectors of 8
  tilecpu.dot %a, %b, %c {register_block = array<i64: 3, 8, 8>} : !tilecpu.buffer<16x4xf32>, !tilecpu.buffer<4x8xf32>, !tilecpu.buffer<16x8xf32>
  tilecpu.return
}

// -----

tilecpu.func @k() {
  %b = tilecpu.alloc : !tilecpu.buffer<8xf32>
  %c = arith.constant 1.0 : f32
  tilecpu.nest (%i) in [8] vector 8 {
    // CHECK: expects a dimension of at least 0 and below 1, but got 1
    tilecpu.reduce %c into %b along 1 : f32 into !tilecpu.buffer<8xf32> {
    ^bb0(%first: f32, %second: f32):
      nv_tileaa.yield %first : f32
    }
  }
  tilecpu.return
}

// -----

tilecpu.func @k(%n: i32) {
  %a = tilecpu.alloc : !tilecpu.buffer<8xf32>
  %b = tilecpu.alloc : !tilecpu.buffer<3xf32>
  // CHECK: expects 1 indices and slice extents that divide [8], but got 1 and [3]
  tilecpu.copy_slice %a, %b[%n] : !tilecpu.buffer<8xf32>, !tilecpu.buffer<3xf32>[i32]
  tilecpu.return
}
