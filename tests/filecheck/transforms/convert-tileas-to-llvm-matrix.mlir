// RUN: xdsl-opt %s -p convert-tileas-to-llvm | filecheck %s

// Operands are the fragments of the atom: their registers are those of the instruction.
// CHECK-LABEL: llvm.func @fragments
nv_tileaa.func @fragments(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %a = arith.constant dense<1.0> : tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>
  %b = arith.constant dense<1.0> : tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((16, 128, 8), (32, 1), 0, 0)>>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>
  // CHECK-COUNT-2: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: llvm.return
  %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>} : tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>, tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((16, 128, 8), (32, 1), 0, 0)>>, tensor<16x16xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>> -> tensor<16x16xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>
  nv_tileaa.return
}

// Without an instruction for its types a product is multiplications and additions along K.
// CHECK-LABEL: llvm.func @elements
nv_tileaa.func @elements(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %a = arith.constant dense<1.0> : tensor<4x2xf32, #nv_tileas.layout<(1, (2, 4, 4), 1, 1), (0, (1, 2, 0), 0, 0)>>
  %b = arith.constant dense<1.0> : tensor<2x8xf32, #nv_tileas.layout<(1, (8, 2, 2), 1, 1), (0, (1, 8, 0), 0, 0)>>
  %c = arith.constant dense<0.0> : tensor<4x8xf32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>
  // CHECK: %[[FIRST:.*]] = llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
  // CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[FIRST]]) : (f32, f32, f32) -> f32
  // CHECK: llvm.return
  %d = nv_tileas.dot %a, %b, %c : tensor<4x2xf32, #nv_tileas.layout<(1, (2, 4, 4), 1, 1), (0, (1, 2, 0), 0, 0)>>, tensor<2x8xf32, #nv_tileas.layout<(1, (8, 2, 2), 1, 1), (0, (1, 8, 0), 0, 0)>>, tensor<4x8xf32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>> -> tensor<4x8xf32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>
  nv_tileaa.return
}
