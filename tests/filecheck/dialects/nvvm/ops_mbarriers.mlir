// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

llvm.func @ops(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %q: i1, %v: vector<2xf16>, %d: f64) {
  nvvm.mbarrier.init %s, %i : !llvm.ptr<3>, i32
  nvvm.mbarrier.init %s, %i, predicate = %q : !llvm.ptr<3>, i32, i1
  nvvm.mbarrier.inval %s : !llvm.ptr<3>
  %0 = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
  nvvm.mbarrier.arrive %s : !llvm.ptr<3>
  nvvm.mbarrier.arrive %c : !llvm.ptr<7>
  %1 = nvvm.mbarrier.arrive %s, %i : !llvm.ptr<3> -> i64
  %2 = nvvm.mbarrier.arrive %s, %i {scope = #nvvm.mem_scope<cluster>, relaxed = true} : !llvm.ptr<3> -> i64
  %3 = nvvm.mbarrier.arrive.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64
  %4 = nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32 -> i64
  nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32
  nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %q : !llvm.ptr<3>, i32, i1
  nvvm.mbarrier.arrive.expect_tx %c, %i : !llvm.ptr<7>, i32
  nvvm.mbarrier.expect_tx %s, %i : !llvm.ptr<3>, i32
  nvvm.mbarrier.complete_tx %s, %i : !llvm.ptr<3>, i32
  nvvm.mbarrier.try_wait.parity %s, %i, %j : !llvm.ptr<3>, i32, i32
  %5 = nvvm.mbarrier.try_wait %s, %l : !llvm.ptr<3>, i64 -> i1
  %6 = nvvm.mbarrier.try_wait %s, %i : !llvm.ptr<3>, i32 -> i1
  %7 = nvvm.mbarrier.try_wait %s, %i, %j : !llvm.ptr<3>, i32, i32 -> i1
  %8 = nvvm.mbarrier.test.wait %s, %l : !llvm.ptr<3>, i64 -> i1
  %9 = nvvm.mbarrier.test.wait %s, %i : !llvm.ptr<3>, i32 -> i1
  %10 = nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3> -> i64
  %11 = nvvm.mbarrier.try_wait %s, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  llvm.return
}

// CHECK:      nvvm.mbarrier.init %s, %i : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.mbarrier.init %s, %i, predicate = %q : !llvm.ptr<3>, i32, i1
// CHECK-NEXT: nvvm.mbarrier.inval %s : !llvm.ptr<3>
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
// CHECK-NEXT: nvvm.mbarrier.arrive %s : !llvm.ptr<3>
// CHECK-NEXT: nvvm.mbarrier.arrive %c : !llvm.ptr<7>
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.arrive %s, %i : !llvm.ptr<3> -> i64
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.arrive %s, %i {scope = #nvvm.mem_scope<cluster>, relaxed = true} : !llvm.ptr<3> -> i64
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.arrive.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32 -> i64
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %q : !llvm.ptr<3>, i32, i1
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %c, %i : !llvm.ptr<7>, i32
// CHECK-NEXT: nvvm.mbarrier.expect_tx %s, %i : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.mbarrier.complete_tx %s, %i : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity %s, %i, %j : !llvm.ptr<3>, i32, i32
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.try_wait %s, %l : !llvm.ptr<3>, i64 -> i1
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.try_wait %s, %i : !llvm.ptr<3>, i32 -> i1
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.try_wait %s, %i, %j : !llvm.ptr<3>, i32, i32 -> i1
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.test.wait %s, %l : !llvm.ptr<3>, i64 -> i1
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.test.wait %s, %i : !llvm.ptr<3>, i32 -> i1
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3> -> i64
// CHECK-NEXT: %{{.*}} = nvvm.mbarrier.try_wait %s, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1

// GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"(%s, %i) <{scope = #nvvm.mem_scope<cluster>, relaxed = true}> : (!llvm.ptr<3>, i32) -> i64
// GENERIC: "nvvm.mbarrier.arrive.expect_tx"(%s, %i, %q) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32, i1) -> ()
