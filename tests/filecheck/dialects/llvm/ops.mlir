// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

llvm.func @ops(%p: !llvm.ptr<1>, %m: vector<4xi1>, %v: vector<4xf32>, %i: i32, %f: f32, %iv: vector<4xi32>, %l: i64) {
  %0 = llvm.intr.masked.load %p, %m, %v {alignment = 16 : i32} : (!llvm.ptr<1>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %01 = llvm.intr.masked.load %p, %m {alignment = 16 : i32, nontemporal} : (!llvm.ptr<1>, vector<4xi1>) -> vector<4xi32>
  llvm.intr.masked.store %v, %p, %m {alignment = 16 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr<1>
  %1 = llvm.extractelement %v[%i : i32] : vector<4xf32>
  %2 = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr
  %3 = llvm.freeze %i : i32
  llvm.fence syncscope("agent") acquire
  llvm.fence seq_cst
  %4 = llvm.atomicrmw add %p, %i syncscope("block") monotonic {alignment = 4 : i64} : !llvm.ptr<1>, i32
  %5 = llvm.atomicrmw volatile fadd %p, %f acq_rel : !llvm.ptr<1>, f32
  %6 = llvm.cmpxchg weak volatile %p, %i, %i syncscope("device") acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr<1>, i32
  %61 = llvm.cmpxchg %p, %i, %i  acq_rel monotonic : !llvm.ptr<1>, i32
  %7 = llvm.mlir.poison : i32
  %8 = llvm.intr.smax(%i, %i) : (i32, i32) -> i32
  %9 = "llvm.intr.ctlz"(%i) <{is_zero_poison = false}> : (i32) -> i32
  %10 = "llvm.intr.abs"(%i) <{is_int_min_poison = false}> : (i32) -> i32
  %11 = llvm.intr.ctpop(%i) : (i32) -> i32
  %12 = llvm.intr.fmuladd(%f, %f, %f) : (f32, f32, f32) -> f32
  %13 = llvm.intr.maximum(%f, %f) {fastmathFlags = #llvm.fastmath<contract>} : (f32, f32) -> f32
  %14 = llvm.intr.fshl(%i, %i, %i) : (i32, i32, i32) -> i32
  %15 = llvm.intr.bitreverse(%i) : (i32) -> i32
  %16 = llvm.intr.trunc(%f) : (f32) -> f32
  %17 = llvm.intr.rint(%f) : (f32) -> f32
  %18 = llvm.intr.roundeven(%f) : (f32) -> f32
  %19 = llvm.intr.tanh(%f) : (f32) -> f32
  %21 = llvm.load volatile %p atomic syncscope("block") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  %22 = llvm.load %p invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr<1> -> i32
  llvm.store volatile %i, %p atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
  %23 = llvm.fptosi %f : f32 to i32
  %24 = llvm.uitofp %i : i32 to f32
  %25 = llvm.uitofp nneg %i : i32 to f32
  %28 = llvm.intr.bswap(%i) : (i32) -> i32
  %29 = llvm.call_intrinsic "llvm.nvvm.add.rz.f"(%f, %f) : (f32, f32) -> f32
  %34 = llvm.ptrtoint %p : !llvm.ptr<1> to i64
  %35 = llvm.inttoptr %34 : i64 to !llvm.ptr<3>
  llvm.return
}

// CHECK:      %{{.*}} = llvm.intr.masked.load %p, %m, %v {alignment = 16 : i32} : (!llvm.ptr<1>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: %{{.*}} = llvm.intr.masked.load %p, %m {alignment = 16 : i32, nontemporal} : (!llvm.ptr<1>, vector<4xi1>) -> vector<4xi32>
// CHECK-NEXT: llvm.intr.masked.store %v, %p, %m {alignment = 16 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr<1>
// CHECK-NEXT: %{{.*}} = llvm.extractelement %v[%i : i32] : vector<4xf32>
// CHECK-NEXT: %{{.*}} = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr
// CHECK-NEXT: %{{.*}} = llvm.freeze %i : i32
// CHECK-NEXT: llvm.fence syncscope("agent") acquire
// CHECK-NEXT: llvm.fence seq_cst
// CHECK-NEXT: %{{.*}} = llvm.atomicrmw add %p, %i syncscope("block") monotonic {alignment = 4 : i64} : !llvm.ptr<1>, i32
// CHECK-NEXT: %{{.*}} = llvm.atomicrmw volatile fadd %p, %f acq_rel : !llvm.ptr<1>, f32
// CHECK-NEXT: %{{.*}} = llvm.cmpxchg weak volatile %p, %i, %i syncscope("device") acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr<1>, i32
// CHECK-NEXT: %{{.*}} = llvm.cmpxchg %p, %i, %i acq_rel monotonic : !llvm.ptr<1>, i32
// CHECK-NEXT: %{{.*}} = llvm.mlir.poison : i32
// CHECK-NEXT: %{{.*}} = llvm.intr.smax(%i, %i) : (i32, i32) -> i32
// CHECK-NEXT: %{{.*}} = "llvm.intr.ctlz"(%i) <{is_zero_poison = false}> : (i32) -> i32
// CHECK-NEXT: %{{.*}} = "llvm.intr.abs"(%i) <{is_int_min_poison = false}> : (i32) -> i32
// CHECK-NEXT: %{{.*}} = llvm.intr.ctpop(%i) : (i32) -> i32
// CHECK-NEXT: %{{.*}} = llvm.intr.fmuladd(%f, %f, %f) : (f32, f32, f32) -> f32
// CHECK-NEXT: %{{.*}} = llvm.intr.maximum(%f, %f) {fastmathFlags = #llvm.fastmath<contract>} : (f32, f32) -> f32
// CHECK-NEXT: %{{.*}} = llvm.intr.fshl(%i, %i, %i) : (i32, i32, i32) -> i32
// CHECK-NEXT: %{{.*}} = llvm.intr.bitreverse(%i) : (i32) -> i32
// CHECK-NEXT: %{{.*}} = llvm.intr.trunc(%f) : (f32) -> f32
// CHECK-NEXT: %{{.*}} = llvm.intr.rint(%f) : (f32) -> f32
// CHECK-NEXT: %{{.*}} = llvm.intr.roundeven(%f) : (f32) -> f32
// CHECK-NEXT: %{{.*}} = llvm.intr.tanh(%f) : (f32) -> f32
// CHECK-NEXT: %{{.*}} = llvm.load volatile %p atomic syncscope("block") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NEXT: %{{.*}} = llvm.load %p invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr<1> -> i32
// CHECK-NEXT: llvm.store volatile %i, %p atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-NEXT: %{{.*}} = llvm.fptosi %f : f32 to i32
// CHECK-NEXT: %{{.*}} = llvm.uitofp %i : i32 to f32
// CHECK-NEXT: %{{.*}} = llvm.uitofp nneg %i : i32 to f32
// CHECK-NEXT: %{{.*}} = llvm.intr.bswap(%i) : (i32) -> i32
// CHECK-NEXT: %{{.*}} = llvm.call_intrinsic "llvm.nvvm.add.rz.f"(%f, %f) : (f32, f32) -> f32
// CHECK-NEXT: %[[PTRTOINT:.*]] = llvm.ptrtoint %p : !llvm.ptr<1> to i64
// CHECK-NEXT: %{{.*}} = llvm.inttoptr %[[PTRTOINT]] : i64 to !llvm.ptr<3>

// GENERIC: %{{.*}} = "llvm.intr.masked.load"(%p, %m, %v) <{alignment = 16 : i32}> : (!llvm.ptr<1>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
// GENERIC: "llvm.fence"() <{ordering = 4 : i64, syncscope = "agent"}> : () -> ()
// GENERIC: %{{.*}} = "llvm.atomicrmw"(%p, %f) <{bin_op = 11 : i64, ordering = 6 : i64, volatile_}> : (!llvm.ptr<1>, f32) -> f32
// GENERIC: %{{.*}} = "llvm.cmpxchg"(%p, %i, %i) <{success_ordering = 6 : i64, failure_ordering = 2 : i64, syncscope = "device", weak, volatile_, alignment = 4 : i64}> : (!llvm.ptr<1>, i32, i32) -> !llvm.struct<(i32, i1)>
// GENERIC: %{{.*}} = "llvm.load"(%p) <{ordering = 0 : i64, invariant, alignment = 4 : i64, nontemporal}> : (!llvm.ptr<1>) -> i32
