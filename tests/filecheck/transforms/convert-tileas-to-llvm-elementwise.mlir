// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

// Scalars, for short: of a tile, every register of a thread is computed like them.
// CHECK-LABEL: llvm.func @integers(%a: i32, %b: i32, %c: i1)
nv_tileaa.func @integers(%a: i32, %b: i32, %c: i1) {
  // Constant powers of two need no division.
  // CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32) : i32
  // CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i32) : i32
  // CHECK: llvm.ashr %a, %[[THREE]] : i32
  %eight = arith.constant 8 : i32
  %0 = arith.floordivsi %a, %eight : i32
  // CHECK: %[[LSHR:.*]] = llvm.lshr %a, %[[THREE]] : i32
  // CHECK: %[[COND:.*]] = llvm.icmp "ne"
  // CHECK: %[[WIDE2:.*]] = llvm.zext %[[COND]] :
  // CHECK: llvm.add %[[LSHR]], %[[WIDE2]] :
  %1 = arith.ceildivui %a, %eight : i32
  // Others do, and a correction.
  // CHECK: %[[QUOTIENT:.*]] = llvm.sdiv %a, %b : i32
  // CHECK: %[[PRODUCT:.*]] = llvm.mul %[[QUOTIENT]], %b : i32
  // CHECK: llvm.sub %a, %[[PRODUCT]] : i32
  // CHECK: llvm.sext %{{.*}} : i1 to i32
  %2 = arith.floordivsi %a, %b : i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mulhi.ui"(%a, %b) : (i32, i32) -> i32
  %3 = nv_tileaa.mulhiui %a, %b : i32
  // CHECK: llvm.select %c, %a, %b : i1, i32
  %4 = arith.select %c, %a, %b : i32
  nv_tileaa.return
}

// CHECK-LABEL: llvm.func @floats(%x: f32, %y: f32, %h: f16, %d: f64)
nv_tileaa.func @floats(%x: f32, %y: f32, %h: f16, %d: f64) {
  // The fast-math flags of an op stay with it.
  // CHECK: llvm.fmul %x, %y {fastmathFlags = #llvm.fastmath<contract>} : f32
  %0 = arith.mulf %x, %y fastmath<contract> : f32
  // CHECK: llvm.fdiv %x, %y {fastmathFlags = #llvm.fastmath<arcp>} : f32
  %1 = nv_tileaa.divf %x, %y {fastmath = #arith.fastmath<arcp>} : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%x, %y)
  %2 = nv_tileaa.divf %x, %y rounding<full> : f32
  // A difference is the sum with the negated number.
  // CHECK: %[[NEGATED:.*]] = llvm.fneg %y : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.add.rp.f"(%x, %[[NEGATED]])
  %3 = nv_tileaa.subf %x, %y rounding<positive_inf> : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.fma.rz.d"(%d, %d, %d)
  %4 = nv_tileaa.fma %d, %d, %d rounding<zero> : f64
  // Half precision rounds twice in one direction, in f32 and then in f16, which is as good as once.
  // CHECK: %[[WIDE:.*]] = llvm.fpext %h : f16 to f32
  // CHECK: %[[SUM:.*]] = llvm.call_intrinsic "llvm.nvvm.add.rm.f"(%[[WIDE]], %[[WIDE]])
  // CHECK: %[[NEAREST:.*]] = llvm.fptrunc %[[SUM]] : f32 to f16
  // CHECK: llvm.fcmp "ogt" %{{.*}}, %[[SUM]] :
  %5 = nv_tileaa.addf %h, %h rounding<negative_inf> : f16
  // CHECK: llvm.intr.maximum(%x, %y) : (f32, f32) -> f32
  %6 = arith.maximumf %x, %y : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.fmin.ftz.nan.f"(%x, %y)
  %7 = nv_tileaa.minf %x, %y propagate_nan flush_to_zero : f32
  nv_tileaa.return
}

// CHECK-LABEL: llvm.func @conversions(%single: f32, %double: f64, %number: i64)
nv_tileaa.func @conversions(%single: f32, %double: f64, %number: i64) {
  // Two floats of 8 bits at once; here the second one is the first again.
  // CHECK: nvvm.convert.f32x2.to.f8x2 %single, %single
  %0 = nv_tileaa.fp_to_fp %single : f32 to f8E4M3FN
  // From f64 through an f32 that is rounded to odd.
  // CHECK: llvm.call_intrinsic "llvm.nvvm.d2f.rz"(%double)
  // CHECK: llvm.fcmp "one" %{{.*}}, %double :
  // CHECK: llvm.or
  // CHECK: nvvm.convert.float.to.tf32
  %1 = nv_tileaa.fp_to_fp %double : f64 to tf32
  // Integers saturate, and NaN is 0.
  // CHECK: %[[INTEGER:.*]] = llvm.call_intrinsic "llvm.nvvm.d2ll.rz"(%double) : (f64) -> i64
  // CHECK: %[[COND2:.*]] = llvm.fcmp "uno" %double, %double :
  // CHECK: llvm.select %[[COND2]], %{{.*}}, %[[INTEGER]] : i1, i64
  %2 = nv_tileaa.fp_to_int %double signed : f64 to i64
  // CHECK: llvm.uitofp %number : i64 to f32
  %3 = arith.uitofp %number : i64 to f32
  nv_tileaa.return
}
