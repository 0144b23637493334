// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

llvm.func @ops(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %q: i1, %v: vector<2xf16>, %d: f64) {
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.shared.global %s, %g, 4, cache = ca, %i : !llvm.ptr<3>, !llvm.ptr<1>, i32
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 2
  nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>
  nvvm.cp.async.mbarrier.arrive %s : !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 1
  nvvm.cp.async.bulk.wait_group 0 {read}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] : !llvm.ptr<7>, !llvm.ptr
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i, %j] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j, %i] im2col[%h] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] l2_cache_hint = %l : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j] : !llvm.ptr
  nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i : !llvm.ptr<7>, !llvm.ptr<1>
  nvvm.cp.async.bulk.global.shared.cta %g, %s, %i : !llvm.ptr<1>, !llvm.ptr<3>
  nvvm.prefetch level = L2, %g : !llvm.ptr<1>
  nvvm.cp.async.bulk.global.shared.cta %g, %s, %i l2_cache_hint = %l : !llvm.ptr<1>, !llvm.ptr<3>
  nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %s, %i : !llvm.ptr<7>, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] l2_cache_hint = %l {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j] l2_cache_hint = %l : !llvm.ptr
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  nvvm.prefetch tensormap, %p, predicate = %q : !llvm.ptr, i1
  nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i multicast_mask = %h l2_cache_hint = %l : !llvm.ptr<7>, !llvm.ptr<1>
  llvm.return
}

// CHECK:      nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK-NEXT: nvvm.cp.async.shared.global %s, %g, 4, cache = ca, %i : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.mbarrier.arrive %s : !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] : !llvm.ptr<7>, !llvm.ptr
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i, %j] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j, %i] im2col[%h] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] : !llvm.ptr, !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] l2_cache_hint = %l : !llvm.ptr, !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j] : !llvm.ptr
// CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i : !llvm.ptr<7>, !llvm.ptr<1>
// CHECK-NEXT: nvvm.cp.async.bulk.global.shared.cta %g, %s, %i : !llvm.ptr<1>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.prefetch level = L2, %g : !llvm.ptr<1>
// CHECK-NEXT: nvvm.cp.async.bulk.global.shared.cta %g, %s, %i l2_cache_hint = %l : !llvm.ptr<1>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %s, %i : !llvm.ptr<7>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] l2_cache_hint = %l {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j] l2_cache_hint = %l : !llvm.ptr
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
// CHECK-NEXT: nvvm.prefetch tensormap, %p, predicate = %q : !llvm.ptr, i1
// CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i multicast_mask = %h l2_cache_hint = %l : !llvm.ptr<7>, !llvm.ptr<1>

// GENERIC: "nvvm.cp.async.shared.global"(%s, %g, %i) <{size = 4 : i32, modifier = #nvvm<load_cache_modifier ca>}> : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
// GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"(%c, %p, %i, %j, %i, %s, %h) <{mode = #nvvm.tma_load_mode<im2col>, operandSegmentSizes = array<i32: 1, 1, 3, 1, 1, 0, 0, 0>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, i32, !llvm.ptr<3>, i16) -> ()
// GENERIC: "nvvm.cp.async.bulk.tensor.reduce"(%p, %s, %i, %j) <{redKind = #nvvm.tma_redux_kind<add>, operandSegmentSizes = array<i32: 1, 1, 2, 0>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32) -> ()
// GENERIC: "nvvm.prefetch"(%g) <{cacheLevel = #nvvm<prefetch_cache_level L2>}> : (!llvm.ptr<1>) -> ()
