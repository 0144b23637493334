// RUN: xdsl-opt %s -t ptx | filecheck %s

// A loop-carried accumulator and pointer keep one register each; a small branch is predicated.

llvm.func @sum(%a: !llvm.ptr<1>, %out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  llvm.br ^head(%c0, %zero, %a : i32, f32, !llvm.ptr<1>)
^head(%i: i32, %sum: f32, %p: !llvm.ptr<1>):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^exit
^body:
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %sum1 = llvm.fadd %sum, %x : f32
  %i1 = llvm.add %i, %c1 : i32
  %p1 = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  llvm.br ^head(%i1, %sum1, %p1 : i32, f32, !llvm.ptr<1>)
^exit:
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %first = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %first, ^store, ^end
^store:
  llvm.store %sum, %out : f32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
}

// CHECK:      ld.param.u64 %rd0, [sum_param_0];
// CHECK-NEXT: ld.param.u64 %rd1, [sum_param_1];
// CHECK-NEXT: ld.param.u32 %r0, [sum_param_2];
// CHECK-NEXT: mov.b32 %r1, 0;
// CHECK-NEXT: mov.f32 %f0, 0f00000000;
// CHECK-NEXT: $L1:
// CHECK-NEXT: setp.lt.s32 %p0, %r1, %r0;
// CHECK-NEXT: @!%p0 bra $L3;
// CHECK-NEXT: ld.global.f32 %f1, [%rd0];
// CHECK-NEXT: add.rn.f32 %f0, %f0, %f1;
// CHECK-NEXT: add.s32 %r1, %r1, 1;
// CHECK-NEXT: add.s64 %rd0, %rd0, 4;
// CHECK-NEXT: bra.uni $L1;
// CHECK-NEXT: $L3:
// CHECK-NEXT: mov.u32 %r2, %tid.x;
// CHECK-NEXT: setp.eq.b32 %p1, %r2, 0;
// CHECK-NEXT: @%p1 st.global.f32 [%rd1], %f0;
// CHECK-NEXT: ret;
