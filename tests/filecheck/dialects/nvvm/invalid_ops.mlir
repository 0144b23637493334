// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: barrier id is missing, it should be set between 0 to 15
%n = "test.op"() : () -> i32
nvvm.barrier number_of_threads = %n

// -----
// CHECK: 'add' redux kind unsupported with 'f32' type. Only supported type is 'i32'.
%m, %f = "test.op"() : () -> (i32, f32)
%r = nvvm.redux.sync add %f, %m : f32 -> f32

// -----
// CHECK: CG cache modifier is only support for 16 bytes copy.
%s, %g = "test.op"() : () -> (!llvm.ptr<3>, !llvm.ptr<1>)
nvvm.cp.async.shared.global %s, %g, 8, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>

// -----
// CHECK: to use im2col mode, the tensor has to be at least 3-dimensional
%c, %p, %s, %i = "test.op"() : () -> (!llvm.ptr<7>, !llvm.ptr, !llvm.ptr<3>, i32)
nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %i] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr

// -----
// CHECK: no wgmma of shape m64n12k16 has A of type f16 and B of type f16
%d, %c = "test.op"() : () -> (i64, !llvm.struct<(f32, f32)>)
%r = nvvm.wgmma.mma_async %d, %d, %c, <m = 64, n = 12, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32)> -> !llvm.struct<(f32, f32)>

// -----
// CHECK: 'nvvm.elect.sync' is not available on sm_80: it needs sm_90
builtin.module attributes {nv_tileaa.target_spec = "sm_80"} {
  %p = nvvm.elect.sync -> i1
}
