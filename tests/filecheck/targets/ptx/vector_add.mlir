// RUN: xdsl-opt %s -t ptx | filecheck %s
// RUN: xdsl-opt %s -t 'ptx{gpu=sm_80 ptx_version=7.8}' | filecheck %s --check-prefix=SM80

// Masked 16-byte accesses: one predicated instruction where all elements are inside.

llvm.func @vector_add(%a: !llvm.ptr<1> {llvm.align = 16 : i64}, %b: !llvm.ptr<1> {llvm.align = 16 : i64}, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  %1 = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(dense<0.0> : vector<2xf32>) : vector<2xf32>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %i = llvm.mul %tid, %two : i32
  %j = llvm.add %i, %1 : i32
  %m0 = llvm.icmp "slt" %i, %n : i32
  %m1 = llvm.icmp "slt" %j, %n : i32
  %u = llvm.mlir.poison : vector<2xi1>
  %v = llvm.insertelement %m0, %u[%0 : i32] : vector<2xi1>
  %mask = llvm.insertelement %m1, %v[%1 : i32] : vector<2xi1>
  %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.intr.masked.load %pa, %mask, %zero {alignment = 8 : i32} : (!llvm.ptr<1>, vector<2xi1>, vector<2xf32>) -> vector<2xf32>
  %x0 = llvm.extractelement %x[%0 : i32] : vector<2xf32>
  %x1 = llvm.extractelement %x[%1 : i32] : vector<2xf32>
  %y0 = llvm.fadd %x0, %x0 : f32
  %y1 = llvm.fadd %x1, %x1 : f32
  %w = llvm.mlir.poison : vector<2xf32>
  %w0 = llvm.insertelement %y0, %w[%0 : i32] : vector<2xf32>
  %w1 = llvm.insertelement %y1, %w0[%1 : i32] : vector<2xf32>
  llvm.intr.masked.store %w1, %pb, %mask {alignment = 8 : i32} : vector<2xf32>, vector<2xi1> into !llvm.ptr<1>
  llvm.return
}

// SM80: .version 7.8
// SM80: .target sm_80

// CHECK:      .version 8.0
// CHECK-NEXT: .target sm_90a
// CHECK-NEXT: .address_size 64
// CHECK:      .visible .entry vector_add(
// CHECK-NEXT: .param .u64 .ptr .global .align 16 vector_add_param_0,
// CHECK-NEXT: .param .u64 .ptr .global .align 16 vector_add_param_1,
// CHECK-NEXT: .param .u32 vector_add_param_2
// CHECK-NEXT: )
// CHECK-NEXT: .reqntid 128, 1, 1
// CHECK-NEXT: .minnctapersm 1
// CHECK-NEXT: {
// CHECK-NEXT: .reg .pred %p<4>;
// CHECK-NEXT: .reg .b32 %r<4>;
// CHECK-NEXT: .reg .b64 %rd<6>;
// CHECK-NEXT: .reg .f32 %f<4>;
// CHECK-NEXT: ld.param.u64 %rd0, [vector_add_param_0];
// CHECK-NEXT: ld.param.u64 %rd1, [vector_add_param_1];
// CHECK-NEXT: ld.param.u32 %r0, [vector_add_param_2];
// CHECK-NEXT: mov.u32 %r1, %tid.x;
// CHECK-NEXT: mul.lo.s32 %r2, %r1, 2;
// CHECK-NEXT: add.s32 %r3, %r2, 1;
// CHECK-NEXT: setp.lt.s32 %p0, %r2, %r0;
// CHECK-NEXT: setp.lt.s32 %p1, %r3, %r0;
// CHECK-NEXT: mul.wide.s32 %rd2, %r2, 4;
// CHECK-NEXT: add.s64 %rd3, %rd0, %rd2;
// CHECK-NEXT: mul.wide.s32 %rd4, %r2, 4;
// CHECK-NEXT: add.s64 %rd5, %rd1, %rd4;
// CHECK-NEXT: and.pred %p2, %p0, %p1;
// CHECK-NEXT: @%p2 ld.global.v2.f32 {%f0, %f1}, [%rd3];
// CHECK-NEXT: @%p2 bra $M2;
// CHECK-NEXT: mov.f32 %f0, 0f00000000;
// CHECK-NEXT: @%p0 ld.global.f32 %f0, [%rd3];
// CHECK-NEXT: mov.f32 %f1, 0f00000000;
// CHECK-NEXT: @%p1 ld.global.f32 %f1, [%rd3+4];
// CHECK-NEXT: $M2:
// CHECK-NEXT: add.rn.f32 %f2, %f0, %f0;
// CHECK-NEXT: add.rn.f32 %f3, %f1, %f1;
// CHECK-NEXT: and.pred %p3, %p0, %p1;
// CHECK-NEXT: @%p3 st.global.v2.f32 [%rd5], {%f2, %f3};
// CHECK-NEXT: @%p3 bra $M1;
// CHECK-NEXT: @%p0 st.global.f32 [%rd5], %f2;
// CHECK-NEXT: @%p1 st.global.f32 [%rd5+4], %f3;
// CHECK-NEXT: $M1:
// CHECK-NEXT: ret;
