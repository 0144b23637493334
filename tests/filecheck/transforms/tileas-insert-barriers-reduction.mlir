// A reduction over the warps of a block: each writes its part to scratch memory and reads those of all.
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/layer_norm.mlir --gpu sm_80 --emit nv_tileas | filecheck %s
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/layer_norm.mlir --gpu sm_90a --emit nv_tileas | filecheck %s
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/layer_norm.mlir --gpu sm_100a --emit nv_tileas | filecheck %s

// The barrier between writing and reading is part of the reduction; one more is needed before the
// next one uses the same bytes.
// CHECK:      nv_tileas.smem_bytes = 16 : i32
// CHECK-SAME: nv_tileas.synchronized
// CHECK-NOT:  nv_tileas.barrier
// CHECK:      %[[SUM:.*]] = nv_tileas.reduce %{{.*}} {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>, axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>}
// CHECK-NOT:  nv_tileas.barrier
// CHECK:      %[[DISTANCE:.*]] = nv_tileaa.subf
// CHECK:      %[[SQUARE:.*]] = nv_tileaa.mulf
// CHECK-NEXT: nv_tileas.barrier agent
// CHECK-NEXT: %[[SQUARES:.*]] = nv_tileas.reduce %[[SQUARE]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>, axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>}
// CHECK-NOT:  nv_tileas.barrier
// CHECK-NOT:  nv_tileas.fence_proxy
