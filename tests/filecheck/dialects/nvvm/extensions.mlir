// RUN: %roundtrip | filecheck %s

// Ops that MLIR 22 does not have; the other files of this folder hold those it has.

llvm.func @ops(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %q: i1, %v: vector<2xf16>, %d: f64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
  %m = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<e4m3>, multiplicandBPtxType = #nvvm.mma_type<e5m2>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %x = nvvm.wgmma.mma_async %l, %l, %u, <m = 64, n = 8, k = 8>, D[<f32>, <zero>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>] predicate = %q : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  %y = nvvm.wgmma.mma_async.register A[%i, %i, %i, %i], %l, %u, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  %b = nvvm.convert.f32x2.to.ue5m3x2 %f, %f : vector<2xi8>
  %w = nvvm.convert.ue5m3x2.to.bf16x2 %b : vector<2xi8> -> vector<2xbf16>
  llvm.return
}

// CHECK:      %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
// CHECK-NEXT: %m = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] {shape = #nvvm.shape<m = 16, n = 8, k = 32>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<e4m3>, multiplicandBPtxType = #nvvm.mma_type<e5m2>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK-NEXT: %x = nvvm.wgmma.mma_async %l, %l, %u, <m = 64, n = 8, k = 8>, D[<f32>, <zero>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>] predicate = %q : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK-NEXT: %y = nvvm.wgmma.mma_async.register A[%i, %i, %i, %i], %l, %u, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK-NEXT: %b = nvvm.convert.f32x2.to.ue5m3x2 %f, %f : vector<2xi8>
// CHECK-NEXT: %w = nvvm.convert.ue5m3x2.to.bf16x2 %b : vector<2xi8> -> vector<2xbf16>
