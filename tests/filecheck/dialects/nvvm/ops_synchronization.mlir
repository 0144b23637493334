// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

llvm.func @ops(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %q: i1, %v: vector<2xf16>, %d: f64, %w: i128) {
  nvvm.barrier
  nvvm.barrier id = %i
  nvvm.barrier id = %i number_of_threads = %j
  %0 = nvvm.barrier #nvvm.reduction<and> %i -> i32
  nvvm.barrier.arrive id = %i number_of_threads = %j
  nvvm.barrier.arrive number_of_threads = %j
  nvvm.bar.warp.sync %i : i32
  %1 = nvvm.shfl.sync bfly %i, %j, %j, %j : i32 -> i32
  %2 = nvvm.shfl.sync idx %i, %f, %j, %j {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
  %3 = nvvm.vote.sync ballot %i, %q -> i32
  %4 = nvvm.vote.sync uni %i, %q -> i1
  %5 = nvvm.redux.sync add %i, %j : i32 -> i32
  %6 = nvvm.redux.sync fmax %f, %i {abs = true, nan = true} : f32 -> f32
  %7 = nvvm.match.sync any %i, %l : i64 -> i32
  %8 = nvvm.match.sync all %i, %j : i32 -> !llvm.struct<(i32, i1)>
  %9 = nvvm.elect.sync -> i1
  %10 = nvvm.elect.sync %i -> i1
  nvvm.clusterlaunchcontrol.try.cancel %s, %s
  nvvm.clusterlaunchcontrol.try.cancel multicast, %s, %s
  %11 = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %w : i1
  %12 = nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %w : i32
  llvm.return
}

// CHECK:      nvvm.barrier
// CHECK-NEXT: nvvm.barrier id = %i
// CHECK-NEXT: nvvm.barrier id = %i number_of_threads = %j
// CHECK-NEXT: %{{.*}} = nvvm.barrier #nvvm.reduction<and> %i -> i32
// CHECK-NEXT: nvvm.barrier.arrive id = %i number_of_threads = %j
// CHECK-NEXT: nvvm.barrier.arrive number_of_threads = %j
// CHECK-NEXT: nvvm.bar.warp.sync %i : i32
// CHECK-NEXT: %{{.*}} = nvvm.shfl.sync bfly %i, %j, %j, %j : i32 -> i32
// CHECK-NEXT: %{{.*}} = nvvm.shfl.sync idx %i, %f, %j, %j {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
// CHECK-NEXT: %{{.*}} = nvvm.vote.sync ballot %i, %q -> i32
// CHECK-NEXT: %{{.*}} = nvvm.vote.sync uni %i, %q -> i1
// CHECK-NEXT: %{{.*}} = nvvm.redux.sync add %i, %j : i32 -> i32
// CHECK-NEXT: %{{.*}} = nvvm.redux.sync fmax %f, %i {abs = true, nan = true} : f32 -> f32
// CHECK-NEXT: %{{.*}} = nvvm.match.sync any %i, %l : i64 -> i32
// CHECK-NEXT: %{{.*}} = nvvm.match.sync all %i, %j : i32 -> !llvm.struct<(i32, i1)>
// CHECK-NEXT: %{{.*}} = nvvm.elect.sync -> i1
// CHECK-NEXT: %{{.*}} = nvvm.elect.sync %i -> i1
// CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel %s, %s
// CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel multicast, %s, %s
// CHECK-NEXT: %{{.*}} = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %w : i1
// CHECK-NEXT: %{{.*}} = nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %w : i32

// GENERIC: "nvvm.barrier"(%i, %j) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()
// GENERIC: %{{.*}} = "nvvm.barrier"(%i) <{reductionOp = #nvvm.reduction<and>, operandSegmentSizes = array<i32: 0, 0, 1>}> : (i32) -> i32
// GENERIC: %{{.*}} = "nvvm.shfl.sync"(%i, %f, %j, %j) <{kind = #nvvm<shfl_kind idx>, return_value_and_is_valid}> : (i32, f32, i32, i32) -> !llvm.struct<(f32, i1)>
// GENERIC: %{{.*}} = "nvvm.vote.sync"(%i, %q) <{kind = #nvvm<vote_sync_kind ballot>}> : (i32, i1) -> i32
// GENERIC: %{{.*}} = "nvvm.redux.sync"(%f, %i) <{kind = #nvvm<redux_kind fmax>, abs = true, nan = true}> : (f32, i32) -> f32
// GENERIC: %{{.*}} = "nvvm.match.sync"(%i, %j) <{kind = #nvvm<match_sync_kind all>}> : (i32, i32) -> !llvm.struct<(i32, i1)>
// GENERIC: "nvvm.clusterlaunchcontrol.try.cancel"(%s, %s) <{multicast}> : (!llvm.ptr<3>, !llvm.ptr<3>) -> ()
// GENERIC: %{{.*}} = "nvvm.clusterlaunchcontrol.query.cancel"(%w) <{query_type = #nvvm<cluster_launch_control_query_type get_first_cta_id_x>}> : (i128) -> i32
