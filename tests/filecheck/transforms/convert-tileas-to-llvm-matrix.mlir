// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

// Operands are the fragments of the atom: their registers are those of the instruction.
// CHECK-LABEL: llvm.func @fragments
nv_tileaa.func @fragments(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %a = arith.constant dense<1.0> : tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>
  %b = arith.constant dense<1.0> : tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((16, 128, 8), (32, 1), 0, 0)>>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>
  // CHECK: nvvm.mma.sync A[%[[A0:[0-9]+]], %[[A1:[0-9]+]], %[[A2:[0-9]+]], %[[A3:[0-9]+]]] B[%[[B0:[0-9]+]], %[[B1:[0-9]+]]] C[%[[C:[0-9]+]], %[[C]], %[[C]], %[[C]]] {
  // CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%{{[0-9]+}}, %{{[0-9]+}}] C[%[[C]], %[[C]], %[[C]], %[[C]]] {
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
  // CHECK: %[[A0:.*]] = llvm.bitcast %{{.*}} : i32 to f32
  // CHECK-NEXT: %[[A1:.*]] = llvm.bitcast %{{.*}} : i32 to f32
  // CHECK: %[[B0:.*]] = llvm.bitcast %{{.*}} : i32 to f32
  // CHECK-NEXT: %[[B1:.*]] = llvm.bitcast %{{.*}} : i32 to f32
  // CHECK-NEXT: %[[FIRST:.*]] = llvm.intr.fma(%[[A0]], %[[B0]], %{{.*}}) : (f32, f32, f32) -> f32
  // CHECK-NEXT: llvm.intr.fma(%[[A1]], %[[B1]], %[[FIRST]]) : (f32, f32, f32) -> f32
  // CHECK: llvm.return
  %d = nv_tileas.dot %a, %b, %c : tensor<4x2xf32, #nv_tileas.layout<(1, (2, 4, 4), 1, 1), (0, (1, 2, 0), 0, 0)>>, tensor<2x8xf32, #nv_tileas.layout<(1, (8, 2, 2), 1, 1), (0, (1, 8, 0), 0, 0)>>, tensor<4x8xf32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>> -> tensor<4x8xf32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>
  nv_tileaa.return
}

// A product of a warpgroup is one group of instructions on descriptors of shared memory. That of the
// iteration before is waited for while the next one is on its way.
builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
// CHECK-LABEL: llvm.func @warpgroup
nv_tileaa.func @warpgroup(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %x = arith.constant dense<1.0> : tensor<64x32xf16, #nv_tileas.layout<((8, 2), (4, 8), 4, 1), ((1, 1024), (8, 32), 256, 0)>>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>
  %first = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  // CHECK: nvvm.barrier
  %a = nv_tileas.convert_layout %x : tensor<64x32xf16, #nv_tileas.layout<((8, 2), (4, 8), 4, 1), ((1, 1024), (8, 32), 256, 0)>> -> tensor<64x32xf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>
  %b = nv_tileas.alloc_tensor : tensor<32x32xf16, #nv_tileas.memory<smem, <(32, 32), (32, 1), swizzle<2, 4, 3>>>>
  %start = nv_tileas.async.to_async %zero : tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>> -> !async.value<tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>>
  %last = scf.for %i = %first to %n step %step iter_args(%sum = %start) -> (!async.value<tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>>) : i32 {
    // CHECK: nvvm.wgmma.fence.aligned
    // CHECK: %[[FIRST:.*]] = nvvm.wgmma.mma_async %[[A:.*]], %[[B:.*]], %{{.*}}, <m = 64, n = 32, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
    // CHECK-NEXT: %[[B_NEXT:.*]] = llvm.add %[[B]], %{{.*}} : i64
    // CHECK-NEXT: %[[A_NEXT:.*]] = llvm.add %[[A]], %{{.*}} : i64
    // CHECK-NEXT: nvvm.wgmma.mma_async %[[A_NEXT]], %[[B_NEXT]], %[[FIRST]], <m = 64, n = 32, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
    // CHECK-NOT: nvvm.wgmma.mma_async
    // CHECK: nvvm.wgmma.commit.group.sync.aligned
    %d = nv_tileas.async.dot %a, %b, %sum {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x32xf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>, tile<32x32xf16, #nv_tileas.memory<smem, <(32, 32), (32, 1), swizzle<2, 4, 3>>>>, !async.value<tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>> -> !async.value<tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>>
    // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
    nv_tileas.async.wait %sum : !async.value<tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>>
    scf.yield %d : !async.value<tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>>
  }
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0
  %r = nv_tileas.async.future_wait %last : !async.value<tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>> -> tile<64x32xf32, #nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>>
  nv_tileaa.return
}
}
