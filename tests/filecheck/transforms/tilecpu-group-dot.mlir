// RUN: xdsl-opt %s -p tilecpu-group | filecheck %s
// RUN: xdsl-opt %s -p 'tilecpu-group{force="#4=8x32/panels"}' | filecheck %s --check-prefix FORCED
// RUN: xdsl-opt %s -p 'tilecpu-group{force="#4=8x32/panels"},convert-tileaa-to-tilecpu' | filecheck %s --check-prefix CONVERTED
// RUN: xdsl-opt %s -p 'tilecpu-group{explain="-"}' | filecheck %s --check-prefix EXPLAIN

// The register block has the fewest loads for each multiply-add; its 16 vectors stay in registers.
// Another one, and operand B packed in panels of 32 columns, can be forced.

// CHECK:  nv_tileaa.dot {{.*}}tilecpu.register_block = array<i64: 4, 64, 16>
// FORCED: nv_tileaa.dot {{.*}}tilecpu.register_block = array<i64: 8, 32, 16>, tilecpu.panels
// CONVERTED: tilecpu.dot {{.*}} scratch {{.*}} {register_block = array<i64: 8, 32, 16>, panels}

// EXPLAIN:      - #4 nv_tileaa.dot %d
// EXPLAIN-NEXT: dot: 4x64/rows
// EXPLAIN-NEXT: why: the fewest loads for each multiply-add
// EXPLAIN:      4x64: 0.5
// EXPLAIN:      rows: 0
// EXPLAIN-NEXT: panels: 0.125

nv_tileaa.func @dot(%p: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %c = arith.constant 1.0 : f32
  %a = nv_tileaa.splat %c : f32 -> tensor<16x16xf32>
  %b = nv_tileaa.splat %c : f32 -> tensor<16x64xf32>
  %acc = nv_tileaa.splat %c : f32 -> tensor<16x64xf32>
  %d = nv_tileaa.dot %a, %b, %acc {input_precision = "ieee"} : tensor<16x16xf32>, tensor<16x64xf32>, tensor<16x64xf32>
  %s = nv_tileaa.splat %p : !nv_tileaa.ptr<f32> -> tensor<16x64x!nv_tileaa.ptr<f32>>
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %u = nv_tileaa.store weak %s, %d token = %t : tensor<16x64x!nv_tileaa.ptr<f32>>, tensor<16x64xf32> -> !nv_tileaa.mem_token
  nv_tileaa.return
}
