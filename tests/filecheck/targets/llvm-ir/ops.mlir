// RUN: xdsl-opt %s -t llvm-ir | filecheck %s

llvm.mlir.global internal constant @table(dense<[1, 2, 3, 4]> : tensor<4xi32>) {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
llvm.mlir.global external @word(7 : i32) {addr_space = 0 : i32} : i32
llvm.mlir.global internal constant @text("a\22\0A") {addr_space = 0 : i32} : !llvm.array<3 x i8>
llvm.mlir.global internal @room() {addr_space = 3 : i32, alignment = 64 : i64} : !llvm.array<16 x f32>
llvm.mlir.global external @elsewhere() {addr_space = 0 : i32} : i64

llvm.func @helper(!llvm.ptr, i64) -> i32
llvm.func @variadic(!llvm.ptr, ...) -> i32

llvm.func internal fastcc @parameters(%a: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64, llvm.dereferenceable = 8 : i64, llvm.nonnull, llvm.noundef}, %b: !llvm.ptr {llvm.nocapture, llvm.readonly}, %c: i8 {llvm.zeroext}) -> i8 attributes {no_inline, no_unwind, passthrough = ["cold", ["prefer-vector-width", "512"]], target_cpu = "x86-64-v3", target_features = #llvm.target_features<["+avx2"]>} {
  llvm.return %c : i8
}

llvm.func @integers(%i: i32, %j: i32, %v: vector<4xi32>, %l: i64, %s: i16, %b: i1) -> i32 {
  %0 = llvm.add %i, %j overflow<nsw, nuw> : i32
  %1 = llvm.sub %0, %j : i32
  %2 = llvm.mul %1, %j overflow<nsw> : i32
  %3 = llvm.udiv exact %2, %j : i32
  %4 = llvm.sdiv %3, %j : i32
  %5 = llvm.urem %4, %j : i32
  %6 = llvm.srem %5, %j : i32
  %7 = llvm.and %6, %j : i32
  %8 = llvm.or disjoint %7, %j : i32
  %9 = llvm.xor %8, %j : i32
  %10 = llvm.shl %9, %j overflow<nuw> : i32
  %11 = llvm.lshr exact %10, %j : i32
  %12 = llvm.ashr %11, %j : i32
  %13 = llvm.trunc %l overflow<nsw> : i64 to i32
  %14 = llvm.zext nneg %s : i16 to i32
  %15 = llvm.sext %s : i16 to i32
  %16 = llvm.icmp "slt" %i, %j : i32
  %17 = llvm.icmp "uge" %v, %v : vector<4xi32>
  %18 = llvm.select %16, %i, %j : i1, i32
  %19 = llvm.select %17, %v, %v : vector<4xi1>, vector<4xi32>
  %20 = llvm.freeze %i : i32
  %21 = llvm.intr.smax(%i, %j) : (i32, i32) -> i32
  %22 = llvm.intr.smin(%v, %v) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  %23 = llvm.intr.umax(%i, %j) : (i32, i32) -> i32
  %24 = llvm.intr.umin(%i, %j) : (i32, i32) -> i32
  %25 = llvm.intr.fshl(%i, %j, %i) : (i32, i32, i32) -> i32
  %26 = llvm.intr.fshr(%i, %j, %i) : (i32, i32, i32) -> i32
  %27 = llvm.intr.ctpop(%v) : (vector<4xi32>) -> vector<4xi32>
  %28 = llvm.intr.bitreverse(%i) : (i32) -> i32
  %29 = llvm.intr.bswap(%i) : (i32) -> i32
  %30 = "llvm.intr.ctlz"(%i) <{is_zero_poison = false}> : (i32) -> i32
  %31 = "llvm.intr.cttz"(%i) <{is_zero_poison = true}> : (i32) -> i32
  %32 = "llvm.intr.abs"(%i) <{is_int_min_poison = false}> : (i32) -> i32
  %33 = llvm.call_intrinsic "llvm.vector.reduce.add.v4i32"(%v) : (vector<4xi32>) -> i32
  llvm.return %12 : i32
}

llvm.func @floats(%f: f32, %g: f32, %d: f64, %h: f16, %e: bf16, %v: vector<8xf32>, %w: vector<8xf64>, %i: i32) {
  %0 = llvm.fadd %f, %g : f32
  %1 = llvm.fsub %f, %g {fastmathFlags = #llvm.fastmath<fast>} : f32
  %2 = llvm.fmul %v, %v {fastmathFlags = #llvm.fastmath<nnan, contract>} : vector<8xf32>
  %3 = llvm.fdiv %d, %d : f64
  %4 = llvm.frem %h, %h : f16
  %5 = llvm.fneg %e : bf16
  %6 = llvm.fcmp "olt" %f, %g : f32
  %7 = llvm.fcmp "une" %v, %v : vector<8xf32>
  %8 = llvm.fptosi %f : f32 to i32
  %9 = llvm.fptoui %f : f32 to i32
  %10 = llvm.sitofp %i : i32 to f32
  %11 = llvm.uitofp nneg %i : i32 to f32
  %12 = llvm.fpext %h : f16 to f32
  %13 = llvm.fptrunc %w : vector<8xf64> to vector<8xf32>
  %14 = llvm.bitcast %f : f32 to i32
  %15 = llvm.intr.fabs(%f) : (f32) -> f32
  %16 = llvm.intr.ceil(%v) : (vector<8xf32>) -> vector<8xf32>
  %17 = llvm.intr.floor(%f) : (f32) -> f32
  %18 = llvm.intr.trunc(%f) : (f32) -> f32
  %19 = llvm.intr.rint(%f) : (f32) -> f32
  %20 = llvm.intr.roundeven(%f) : (f32) -> f32
  %21 = llvm.intr.round(%f) : (f32) -> f32
  %22 = llvm.intr.sqrt(%d) : (f64) -> f64
  %23 = llvm.intr.exp(%f) : (f32) -> f32
  %24 = llvm.intr.exp2(%f) : (f32) -> f32
  %25 = llvm.intr.log(%f) : (f32) -> f32
  %26 = llvm.intr.log2(%f) : (f32) -> f32
  %27 = llvm.intr.sin(%f) : (f32) -> f32
  %28 = llvm.intr.cos(%f) : (f32) -> f32
  %29 = llvm.intr.tanh(%f) : (f32) -> f32
  %30 = llvm.intr.pow(%f, %g) : (f32, f32) -> f32
  %31 = llvm.intr.copysign(%f, %g) : (f32, f32) -> f32
  %32 = llvm.intr.maxnum(%f, %g) : (f32, f32) -> f32
  %33 = llvm.intr.minnum(%f, %g) : (f32, f32) -> f32
  %34 = llvm.intr.maximum(%f, %g) : (f32, f32) -> f32
  %35 = llvm.intr.minimum(%f, %g) : (f32, f32) -> f32
  %36 = llvm.intr.fma(%v, %v, %v) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %37 = llvm.intr.fmuladd(%f, %g, %f) {fastmathFlags = #llvm.fastmath<contract>} : (f32, f32, f32) -> f32
  %38 = "llvm.intr.vector.reduce.fadd"(%f, %v) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<8xf32>) -> f32
  %39 = "llvm.intr.vector.reduce.fmul"(%f, %v) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<8xf32>) -> f32
  llvm.return
}

llvm.func @vectors(%v: vector<4xf32>, %f: f32, %i: i32, %s: !llvm.struct<(i32, f32)>) -> vector<4xf32> {
  %0 = llvm.insertelement %f, %v[%i : i32] : vector<4xf32>
  %1 = llvm.extractelement %0[%i : i32] : vector<4xf32>
  %2 = llvm.shufflevector %0, %v [0, 5, -1, 3] : vector<4xf32>
  %3 = llvm.insertvalue %i, %s[0] : !llvm.struct<(i32, f32)>
  %4 = llvm.extractvalue %3[1] : !llvm.struct<(i32, f32)>
  llvm.return %2 : vector<4xf32>
}

llvm.func @constants(%p: !llvm.ptr) {
  %0 = llvm.mlir.constant(-1 : i32) : i32
  llvm.store %0, %p : i32, !llvm.ptr
  %1 = llvm.mlir.constant(true) : i1
  llvm.store %1, %p : i1, !llvm.ptr
  %2 = llvm.mlir.constant(1.1 : f32) : f32
  llvm.store %2, %p : f32, !llvm.ptr
  %3 = llvm.mlir.constant(0x7FF8000000000000 : f64) : f64
  llvm.store %3, %p : f64, !llvm.ptr
  %4 = llvm.mlir.constant(-0.5 : f16) : f16
  llvm.store %4, %p : f16, !llvm.ptr
  %5 = llvm.mlir.constant(3.0 : bf16) : bf16
  llvm.store %5, %p : bf16, !llvm.ptr
  %6 = llvm.mlir.constant(dense<[1.5, 2.5]> : vector<2xf32>) : vector<2xf32>
  llvm.store %6, %p : vector<2xf32>, !llvm.ptr
  %7 = llvm.mlir.constant(dense<[true, false]> : vector<2xi1>) : vector<2xi1>
  llvm.store %7, %p : vector<2xi1>, !llvm.ptr
  %8 = llvm.mlir.undef : i32
  llvm.store %8, %p : i32, !llvm.ptr
  %9 = llvm.mlir.poison : vector<4xf32>
  llvm.store %9, %p : vector<4xf32>, !llvm.ptr
  %10 = llvm.mlir.zero : !llvm.ptr
  llvm.store %10, %p : !llvm.ptr, !llvm.ptr
  %11 = llvm.mlir.addressof @table : !llvm.ptr
  llvm.store %11, %p : !llvm.ptr, !llvm.ptr
  llvm.return
}

llvm.func @memory(%p: !llvm.ptr, %q: !llvm.ptr<1>, %i: i32, %l: i64, %f: f32, %m: vector<4xi1>, %v: vector<4xf32>, %w: vector<4x!llvm.ptr>) {
  %0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> i32
  %1 = llvm.load volatile %p atomic syncscope("singlethread") acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  %2 = llvm.load %q invariant {alignment = 16 : i64, nontemporal} : !llvm.ptr<1> -> vector<4xf32>
  llvm.store %i, %p {alignment = 4 : i64, nontemporal} : i32, !llvm.ptr
  llvm.store volatile %i, %p atomic release {alignment = 4 : i64} : i32, !llvm.ptr
  llvm.fence syncscope("singlethread") acquire
  llvm.fence seq_cst
  %3 = llvm.atomicrmw add %p, %i syncscope("singlethread") monotonic {alignment = 4 : i64} : !llvm.ptr, i32
  %4 = llvm.atomicrmw volatile fadd %p, %f acq_rel : !llvm.ptr, f32
  %5 = llvm.atomicrmw _or %p, %i seq_cst : !llvm.ptr, i32
  %6 = llvm.cmpxchg weak volatile %p, %i, %i acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr, i32
  %7 = llvm.getelementptr %p[%l, 1, %i] : (!llvm.ptr, i64, i32) -> !llvm.ptr, !llvm.struct<(i32, array<4 x f32>)>
  %8 = llvm.getelementptr inbounds %p[4] : (!llvm.ptr) -> !llvm.ptr, i8
  %9 = llvm.alloca %l x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
  %10 = llvm.ptrtoint %p : !llvm.ptr to i64
  %16 = llvm.ptrtoint %w : vector<4x!llvm.ptr> to vector<4xi64>
  %17 = llvm.inttoptr %16 : vector<4xi64> to vector<4x!llvm.ptr>
  %11 = llvm.inttoptr %l : i64 to !llvm.ptr
  %12 = llvm.addrspacecast %q : !llvm.ptr<1> to !llvm.ptr
  %13 = llvm.intr.masked.load %p, %m, %v {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %14 = llvm.intr.masked.load %p, %m {alignment = 4 : i32, nontemporal} : (!llvm.ptr, vector<4xi1>) -> vector<4xf32>
  llvm.intr.masked.store %v, %p, %m {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
  %15 = llvm.intr.stacksave : !llvm.ptr
  llvm.intr.stackrestore %15 : !llvm.ptr
  llvm.return
}

llvm.func @calls(%p: !llvm.ptr, %l: i64) -> i32 {
  %0 = llvm.call @helper(%p, %l) : (!llvm.ptr, i64) -> i32
  %1 = llvm.call @variadic(%p, %l) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
  %2 = llvm.call tail %p(%l) : !llvm.ptr, (i64) -> i32
  llvm.inline_asm has_side_effects "nop", "~{memory}" : () -> ()
  "llvm.intr.trap"() : () -> ()
  llvm.return %0 : i32
}

llvm.func @branches(%i: i32, %b: i1, %n: i64) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.switch %i : i32, ^rest(%i : i32) [0: ^rest(%zero : i32), 7: ^loop(%one : i32)]
^rest(%r: i32):
  llvm.cond_br %b, ^end(%r : i32), ^end(%one : i32)
^loop(%k: i32):
  %k1 = llvm.add %k, %one : i32
  %more = llvm.icmp "slt" %k1, %i : i32
  llvm.cond_br %more, ^loop(%k1 : i32), ^out {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <disable = false, count = 4 : i32>, mustProgress = true>}
^out:
  llvm.br ^end(%k1 : i32)
^end(%e: i32):
  llvm.return %e : i32
^never:
  llvm.unreachable
}

// CHECK:      @table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
// CHECK-NEXT: @word = global i32 7
// CHECK-NEXT: @text = internal constant [3 x i8] c"a\22\0A"
// CHECK-NEXT: @room = internal addrspace(3) global [16 x float] undef, align 64
// CHECK-NEXT: @elsewhere = external global i64
// CHECK:      declare i32 @helper(ptr, i64)
// CHECK:      declare i32 @variadic(ptr, ...)
// CHECK:      define internal fastcc i8 @parameters(ptr noalias align 64 dereferenceable(8) nonnull noundef %v0, ptr captures(none) readonly %v1, i8 zeroext %v2) noinline nounwind "target-cpu"="x86-64-v3" "target-features"="+avx2" cold "prefer-vector-width"="512" {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   ret i8 %v2
// CHECK-NEXT: }
// CHECK:      define i32 @integers(i32 %v0, i32 %v1, <4 x i32> %v2, i64 %v3, i16 %v4, i1 %v5) {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   %v6 = add nsw nuw i32 %v0, %v1
// CHECK-NEXT:   %v7 = sub i32 %v6, %v1
// CHECK-NEXT:   %v8 = mul nsw i32 %v7, %v1
// CHECK-NEXT:   %v9 = udiv exact i32 %v8, %v1
// CHECK-NEXT:   %v10 = sdiv i32 %v9, %v1
// CHECK-NEXT:   %v11 = urem i32 %v10, %v1
// CHECK-NEXT:   %v12 = srem i32 %v11, %v1
// CHECK-NEXT:   %v13 = and i32 %v12, %v1
// CHECK-NEXT:   %v14 = or disjoint i32 %v13, %v1
// CHECK-NEXT:   %v15 = xor i32 %v14, %v1
// CHECK-NEXT:   %v16 = shl nuw i32 %v15, %v1
// CHECK-NEXT:   %v17 = lshr exact i32 %v16, %v1
// CHECK-NEXT:   %v18 = ashr i32 %v17, %v1
// CHECK-NEXT:   %v19 = trunc nsw i64 %v3 to i32
// CHECK-NEXT:   %v20 = zext nneg i16 %v4 to i32
// CHECK-NEXT:   %v21 = sext i16 %v4 to i32
// CHECK-NEXT:   %v22 = icmp slt i32 %v0, %v1
// CHECK-NEXT:   %v23 = icmp uge <4 x i32> %v2, %v2
// CHECK-NEXT:   %v24 = select i1 %v22, i32 %v0, i32 %v1
// CHECK-NEXT:   %v25 = select <4 x i1> %v23, <4 x i32> %v2, <4 x i32> %v2
// CHECK-NEXT:   %v26 = freeze i32 %v0
// CHECK-NEXT:   %v27 = call i32 @llvm.smax.i32(i32 %v0, i32 %v1)
// CHECK-NEXT:   %v28 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v2, <4 x i32> %v2)
// CHECK-NEXT:   %v29 = call i32 @llvm.umax.i32(i32 %v0, i32 %v1)
// CHECK-NEXT:   %v30 = call i32 @llvm.umin.i32(i32 %v0, i32 %v1)
// CHECK-NEXT:   %v31 = call i32 @llvm.fshl.i32(i32 %v0, i32 %v1, i32 %v0)
// CHECK-NEXT:   %v32 = call i32 @llvm.fshr.i32(i32 %v0, i32 %v1, i32 %v0)
// CHECK-NEXT:   %v33 = call <4 x i32> @llvm.ctpop.v4i32(<4 x i32> %v2)
// CHECK-NEXT:   %v34 = call i32 @llvm.bitreverse.i32(i32 %v0)
// CHECK-NEXT:   %v35 = call i32 @llvm.bswap.i32(i32 %v0)
// CHECK-NEXT:   %v36 = call i32 @llvm.ctlz.i32(i32 %v0, i1 false)
// CHECK-NEXT:   %v37 = call i32 @llvm.cttz.i32(i32 %v0, i1 true)
// CHECK-NEXT:   %v38 = call i32 @llvm.abs.i32(i32 %v0, i1 false)
// CHECK-NEXT:   %v39 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v2)
// CHECK-NEXT:   ret i32 %v18
// CHECK-NEXT: }
// CHECK:      define void @floats(float %v0, float %v1, double %v2, half %v3, bfloat %v4, <8 x float> %v5, <8 x double> %v6, i32 %v7) {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   %v8 = fadd float %v0, %v1
// CHECK-NEXT:   %v9 = fsub fast float %v0, %v1
// CHECK-NEXT:   %v10 = fmul nnan contract <8 x float> %v5, %v5
// CHECK-NEXT:   %v11 = fdiv double %v2, %v2
// CHECK-NEXT:   %v12 = frem half %v3, %v3
// CHECK-NEXT:   %v13 = fneg bfloat %v4
// CHECK-NEXT:   %v14 = fcmp olt float %v0, %v1
// CHECK-NEXT:   %v15 = fcmp une <8 x float> %v5, %v5
// CHECK-NEXT:   %v16 = fptosi float %v0 to i32
// CHECK-NEXT:   %v17 = fptoui float %v0 to i32
// CHECK-NEXT:   %v18 = sitofp i32 %v7 to float
// CHECK-NEXT:   %v19 = uitofp nneg i32 %v7 to float
// CHECK-NEXT:   %v20 = fpext half %v3 to float
// CHECK-NEXT:   %v21 = fptrunc <8 x double> %v6 to <8 x float>
// CHECK-NEXT:   %v22 = bitcast float %v0 to i32
// CHECK-NEXT:   %v23 = call float @llvm.fabs.f32(float %v0)
// CHECK-NEXT:   %v24 = call <8 x float> @llvm.ceil.v8f32(<8 x float> %v5)
// CHECK-NEXT:   %v25 = call float @llvm.floor.f32(float %v0)
// CHECK-NEXT:   %v26 = call float @llvm.trunc.f32(float %v0)
// CHECK-NEXT:   %v27 = call float @llvm.rint.f32(float %v0)
// CHECK-NEXT:   %v28 = call float @llvm.roundeven.f32(float %v0)
// CHECK-NEXT:   %v29 = call float @llvm.round.f32(float %v0)
// CHECK-NEXT:   %v30 = call double @llvm.sqrt.f64(double %v2)
// CHECK-NEXT:   %v31 = call float @llvm.exp.f32(float %v0)
// CHECK-NEXT:   %v32 = call float @llvm.exp2.f32(float %v0)
// CHECK-NEXT:   %v33 = call float @llvm.log.f32(float %v0)
// CHECK-NEXT:   %v34 = call float @llvm.log2.f32(float %v0)
// CHECK-NEXT:   %v35 = call float @llvm.sin.f32(float %v0)
// CHECK-NEXT:   %v36 = call float @llvm.cos.f32(float %v0)
// CHECK-NEXT:   %v37 = call float @llvm.tanh.f32(float %v0)
// CHECK-NEXT:   %v38 = call float @llvm.pow.f32(float %v0, float %v1)
// CHECK-NEXT:   %v39 = call float @llvm.copysign.f32(float %v0, float %v1)
// CHECK-NEXT:   %v40 = call float @llvm.maxnum.f32(float %v0, float %v1)
// CHECK-NEXT:   %v41 = call float @llvm.minnum.f32(float %v0, float %v1)
// CHECK-NEXT:   %v42 = call float @llvm.maximum.f32(float %v0, float %v1)
// CHECK-NEXT:   %v43 = call float @llvm.minimum.f32(float %v0, float %v1)
// CHECK-NEXT:   %v44 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v5, <8 x float> %v5, <8 x float> %v5)
// CHECK-NEXT:   %v45 = call contract float @llvm.fmuladd.f32(float %v0, float %v1, float %v0)
// CHECK-NEXT:   %v46 = call float @llvm.vector.reduce.fadd.v8f32(float %v0, <8 x float> %v5)
// CHECK-NEXT:   %v47 = call reassoc float @llvm.vector.reduce.fmul.v8f32(float %v0, <8 x float> %v5)
// CHECK-NEXT:   ret void
// CHECK-NEXT: }
// CHECK:      define <4 x float> @vectors(<4 x float> %v0, float %v1, i32 %v2, { i32, float } %v3) {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   %v4 = insertelement <4 x float> %v0, float %v1, i32 %v2
// CHECK-NEXT:   %v5 = extractelement <4 x float> %v4, i32 %v2
// CHECK-NEXT:   %v6 = shufflevector <4 x float> %v4, <4 x float> %v0, <4 x i32> <i32 0, i32 5, i32 poison, i32 3>
// CHECK-NEXT:   %v7 = insertvalue { i32, float } %v3, i32 %v2, 0
// CHECK-NEXT:   %v8 = extractvalue { i32, float } %v7, 1
// CHECK-NEXT:   ret <4 x float> %v6
// CHECK-NEXT: }
// CHECK:      define void @constants(ptr %v0) {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   store i32 -1, ptr %v0
// CHECK-NEXT:   store i1 true, ptr %v0
// CHECK-NEXT:   store float 0x3FF19999A0000000, ptr %v0
// CHECK-NEXT:   store double 0x7FF8000000000000, ptr %v0
// CHECK-NEXT:   store half 0xHB800, ptr %v0
// CHECK-NEXT:   store bfloat 0xR4040, ptr %v0
// CHECK-NEXT:   store <2 x float> <float 0x3FF8000000000000, float 0x4004000000000000>, ptr %v0
// CHECK-NEXT:   store <2 x i1> <i1 true, i1 false>, ptr %v0
// CHECK-NEXT:   store i32 undef, ptr %v0
// CHECK-NEXT:   store <4 x float> poison, ptr %v0
// CHECK-NEXT:   store ptr zeroinitializer, ptr %v0
// CHECK-NEXT:   store ptr @table, ptr %v0
// CHECK-NEXT:   ret void
// CHECK-NEXT: }
// CHECK:      define void @memory(ptr %v0, ptr addrspace(1) %v1, i32 %v2, i64 %v3, float %v4, <4 x i1> %v5, <4 x float> %v6, <4 x ptr> %v7) {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   %v8 = load i32, ptr %v0, align 4
// CHECK-NEXT:   %v9 = load atomic volatile i32, ptr %v0 syncscope("singlethread") acquire, align 4
// CHECK-NEXT:   %v10 = load <4 x float>, ptr addrspace(1) %v1, align 16, !invariant.load !0, !nontemporal !1
// CHECK-NEXT:   store i32 %v2, ptr %v0, align 4, !nontemporal !1
// CHECK-NEXT:   store atomic volatile i32 %v2, ptr %v0 release, align 4
// CHECK-NEXT:   fence syncscope("singlethread") acquire
// CHECK-NEXT:   fence seq_cst
// CHECK-NEXT:   %v11 = atomicrmw add ptr %v0, i32 %v2 syncscope("singlethread") monotonic, align 4
// CHECK-NEXT:   %v12 = atomicrmw volatile fadd ptr %v0, float %v4 acq_rel
// CHECK-NEXT:   %v13 = atomicrmw or ptr %v0, i32 %v2 seq_cst
// CHECK-NEXT:   %v14 = cmpxchg weak volatile ptr %v0, i32 %v2, i32 %v2 acq_rel monotonic, align 4
// CHECK-NEXT:   %v15 = getelementptr { i32, [4 x float] }, ptr %v0, i64 %v3, i32 1, i32 %v2
// CHECK-NEXT:   %v16 = getelementptr inbounds i8, ptr %v0, i32 4
// CHECK-NEXT:   %v17 = alloca float, i64 %v3, align 64
// CHECK-NEXT:   %v18 = ptrtoint ptr %v0 to i64
// CHECK-NEXT:   %v19 = ptrtoint <4 x ptr> %v7 to <4 x i64>
// CHECK-NEXT:   %v20 = inttoptr <4 x i64> %v19 to <4 x ptr>
// CHECK-NEXT:   %v21 = inttoptr i64 %v3 to ptr
// CHECK-NEXT:   %v22 = addrspacecast ptr addrspace(1) %v1 to ptr
// CHECK-NEXT:   %v23 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v0, <4 x i1> %v5, <4 x float> %v6)
// CHECK-NEXT:   %v24 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v0, <4 x i1> %v5, <4 x float> poison), !nontemporal !1
// CHECK-NEXT:   call void @llvm.masked.store.v4f32.p0(<4 x float> %v6, ptr align 4 %v0, <4 x i1> %v5)
// CHECK-NEXT:   %v25 = call ptr @llvm.stacksave.p0()
// CHECK-NEXT:   call void @llvm.stackrestore.p0(ptr %v25)
// CHECK-NEXT:   ret void
// CHECK-NEXT: }
// CHECK:      define i32 @calls(ptr %v0, i64 %v1) {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   %v2 = call i32 @helper(ptr %v0, i64 %v1)
// CHECK-NEXT:   %v3 = call i32 (ptr, ...) @variadic(ptr %v0, i64 %v1)
// CHECK-NEXT:   %v4 = tail call i32 %v0(i64 %v1)
// CHECK-NEXT:   call void asm sideeffect "nop", "~{memory}"()
// CHECK-NEXT:   call void @llvm.trap()
// CHECK-NEXT:   ret i32 %v2
// CHECK-NEXT: }
// CHECK:      define i32 @branches(i32 %v0, i1 %v1, i64 %v2) {
// CHECK-NEXT: bb0:
// CHECK-NEXT:   switch i32 %v0, label %bb1 [ i32 0, label %bb0.to0 i32 7, label %bb2 ]
// CHECK-NEXT: bb1:
// CHECK-NEXT:   %v3 = phi i32 [ %v0, %bb0 ], [ 0, %bb0.to0 ]
// CHECK-NEXT:   br i1 %v1, label %bb3, label %bb1.to1
// CHECK-NEXT: bb2:
// CHECK-NEXT:   %v4 = phi i32 [ 1, %bb0 ], [ %v5, %bb2 ]
// CHECK-NEXT:   %v5 = add i32 %v4, 1
// CHECK-NEXT:   %v6 = icmp slt i32 %v5, %v0
// CHECK-NEXT:   br i1 %v6, label %bb2, label %bb4, !llvm.loop !6
// CHECK-NEXT: bb4:
// CHECK-NEXT:   br label %bb3
// CHECK-NEXT: bb3:
// CHECK-NEXT:   %v7 = phi i32 [ %v3, %bb1 ], [ 1, %bb1.to1 ], [ %v5, %bb4 ]
// CHECK-NEXT:   ret i32 %v7
// CHECK-NEXT: bb5:
// CHECK-NEXT:   unreachable
// CHECK-NEXT: bb0.to0:
// CHECK-NEXT:   br label %bb1
// CHECK-NEXT: bb1.to1:
// CHECK-NEXT:   br label %bb3
// CHECK-NEXT: }
// CHECK:      declare i32 @llvm.abs.i32(i32, i1)
// CHECK-NEXT: declare i32 @llvm.bitreverse.i32(i32)
// CHECK-NEXT: declare i32 @llvm.bswap.i32(i32)
// CHECK-NEXT: declare <8 x float> @llvm.ceil.v8f32(<8 x float>)
// CHECK-NEXT: declare float @llvm.copysign.f32(float, float)
// CHECK-NEXT: declare float @llvm.cos.f32(float)
// CHECK-NEXT: declare i32 @llvm.ctlz.i32(i32, i1)
// CHECK-NEXT: declare <4 x i32> @llvm.ctpop.v4i32(<4 x i32>)
// CHECK-NEXT: declare i32 @llvm.cttz.i32(i32, i1)
// CHECK-NEXT: declare float @llvm.exp.f32(float)
// CHECK-NEXT: declare float @llvm.exp2.f32(float)
// CHECK-NEXT: declare float @llvm.fabs.f32(float)
// CHECK-NEXT: declare float @llvm.floor.f32(float)
// CHECK-NEXT: declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
// CHECK-NEXT: declare float @llvm.fmuladd.f32(float, float, float)
// CHECK-NEXT: declare i32 @llvm.fshl.i32(i32, i32, i32)
// CHECK-NEXT: declare i32 @llvm.fshr.i32(i32, i32, i32)
// CHECK-NEXT: declare float @llvm.log.f32(float)
// CHECK-NEXT: declare float @llvm.log2.f32(float)
// CHECK-NEXT: declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
// CHECK-NEXT: declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
// CHECK-NEXT: declare float @llvm.maximum.f32(float, float)
// CHECK-NEXT: declare float @llvm.maxnum.f32(float, float)
// CHECK-NEXT: declare float @llvm.minimum.f32(float, float)
// CHECK-NEXT: declare float @llvm.minnum.f32(float, float)
// CHECK-NEXT: declare float @llvm.pow.f32(float, float)
// CHECK-NEXT: declare float @llvm.rint.f32(float)
// CHECK-NEXT: declare float @llvm.round.f32(float)
// CHECK-NEXT: declare float @llvm.roundeven.f32(float)
// CHECK-NEXT: declare float @llvm.sin.f32(float)
// CHECK-NEXT: declare i32 @llvm.smax.i32(i32, i32)
// CHECK-NEXT: declare <4 x i32> @llvm.smin.v4i32(<4 x i32>, <4 x i32>)
// CHECK-NEXT: declare double @llvm.sqrt.f64(double)
// CHECK-NEXT: declare void @llvm.stackrestore.p0(ptr)
// CHECK-NEXT: declare ptr @llvm.stacksave.p0()
// CHECK-NEXT: declare float @llvm.tanh.f32(float)
// CHECK-NEXT: declare void @llvm.trap()
// CHECK-NEXT: declare float @llvm.trunc.f32(float)
// CHECK-NEXT: declare i32 @llvm.umax.i32(i32, i32)
// CHECK-NEXT: declare i32 @llvm.umin.i32(i32, i32)
// CHECK-NEXT: declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
// CHECK-NEXT: declare float @llvm.vector.reduce.fadd.v8f32(float, <8 x float>)
// CHECK-NEXT: declare float @llvm.vector.reduce.fmul.v8f32(float, <8 x float>)
// CHECK:      !0 = !{}
// CHECK-NEXT: !1 = !{i32 1}
// CHECK-NEXT: !2 = !{!"llvm.loop.mustprogress"}
// CHECK-NEXT: !3 = !{!"llvm.loop.vectorize.enable", i1 false}
// CHECK-NEXT: !4 = !{!"llvm.loop.unroll.enable"}
// CHECK-NEXT: !5 = !{!"llvm.loop.unroll.count", i32 4}
// CHECK-NEXT: !6 = distinct !{!6, !2, !3, !4, !5}
