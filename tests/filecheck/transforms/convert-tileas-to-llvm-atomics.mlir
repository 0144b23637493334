// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

// All threads hold a scalar, one of them modifies it; the others get what was there.
// CHECK-LABEL: llvm.func @scalar
nv_tileaa.func @scalar(%p: !nv_tileaa.ptr<i32>, %q: !nv_tileaa.ptr<i32>, %x: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
  // CHECK: llvm.cond_br %[[FIRST]],
  // CHECK: llvm.atomicrmw add %p, %x syncscope("device") monotonic
  // CHECK: nvvm.barrier
  // CHECK: %[[LOADED:.*]] = llvm.load
  %o, %t = nv_tileaa.atomic_rmw relaxed gpu add %p, %x : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token
  // A token orders what all threads do: they have waited for each other since.
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.atomicrmw umax %q, %[[LOADED]] syncscope("block") acq_rel
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.return
  %u, %v = nv_tileaa.atomic_rmw acq_rel tl_blk umax %q, %o token = %t : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token
  nv_tileaa.return
}
