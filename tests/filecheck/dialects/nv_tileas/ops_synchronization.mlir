// RUN: %roundtrip | filecheck %s

nv_tileas.barrier warp
nv_tileas.barrier agent {note = "by hand"}
nv_tileas.barrier cta
nv_tileas.barrier cluster
nv_tileas.fence_proxy async
nv_tileas.fence_proxy async_shared
nv_tileas.fence_tmem before
nv_tileas.fence_tmem after
nv_tileas.async.wait_mmas {pending = 0 : i32}

// CHECK:      nv_tileas.barrier warp
// CHECK-NEXT: nv_tileas.barrier agent {note = "by hand"}
// CHECK-NEXT: nv_tileas.barrier cta
// CHECK-NEXT: nv_tileas.barrier cluster
// CHECK-NEXT: nv_tileas.fence_proxy async
// CHECK-NEXT: nv_tileas.fence_proxy async_shared
// CHECK-NEXT: nv_tileas.fence_tmem before
// CHECK-NEXT: nv_tileas.fence_tmem after
// CHECK-NEXT: nv_tileas.async.wait_mmas {pending = 0 : i32}
