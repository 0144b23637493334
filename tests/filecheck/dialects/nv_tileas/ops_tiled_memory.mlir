// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%v, %i, %x, %t, %at = "test.op"() : () -> (!nv_tileaa.tiled_view<128x64xf16>, i32, index, !nv_tileaa.mem_token, !nv_tileas.async_token)
%s, %m, %buffer, %f = "test.op"() : () -> (!nv_tileas.tiled_view<128x64xf16, smem>, memref<128x64xf16, #nv_tileas.memory<smem>>, tensor<128x64xf16, #nv_tileas.memory<smem>>, !nv_tileas.tiled_view<16xf32, gmem>)
%a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
%b, %t1 = nv_tileas.tiled_load weak %v[%i, %i] token = %t {nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>, elem=nvfp4>, in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<nan>, allow_tma = false} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16, #nv_tileas.layout<((2, 32), 32, 4, 1), ((1, 256), 2, 64, 0)>>, !nv_tileaa.mem_token
%c, %t2 = nv_tileas.tiled_load acquire gpu %s[%x, %x] offset [%x, %x] async_token = %at {atom = #nv_tileas<atom lds_128>} : !nv_tileas.tiled_view<128x64xf16, smem>[index, index] -> tensor<128x64xf16>, !nv_tileas.async_token
%d = nv_tileas.tiled_load %m {nv_tileas.layout = <(128,64),(64,1),swizzle<3,4,3>>} : memref<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16>
%e = nv_tileas.tiled_load relaxed tl_blk %buffer : tensor<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16>
nv_tileas.tiled_store weak %a, %v[%i, %i] : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32]
%t3 = nv_tileas.tiled_store release gpu %a, %v[%i, %i] token = %t1 {atom = #nv_tileas<atom stg_128>} : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !nv_tileaa.mem_token
nv_tileas.tiled_store weak %a, %s[%x, %x] offset [%x, %x] : tensor<128x64xf16>, !nv_tileas.tiled_view<128x64xf16, smem>[index, index]
nv_tileas.tiled_store weak %a, %buffer {note = 1 : i32} : tensor<128x64xf16>, tensor<128x64xf16, #nv_tileas.memory<smem>>
%g = nv_tileas.async.tiled_load weak %v[%i, %i] token = %t into %buffer : tensor<128x64xf16, #nv_tileas.memory<smem>> {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !async.value<tile<128x64xf16>>
%h = nv_tileas.async.tiled_load weak %m : memref<128x64xf16, #nv_tileas.memory<smem>> -> !async.value<tile<128x64xf16>>
%n = "test.op"() : () -> tensor<16xf32>
%o, %t4 = nv_tileas.tiled_atomic_rmw relaxed gpu %n, %f[%x] token = %t {rmw_mode = #nv_tileas.rmw_mode<xchg>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[index] -> tensor<16xf32>, !nv_tileaa.mem_token
%p = nv_tileas.tiled_atomic_rmw acq_rel sys %a, %v[%i, %i] {rmw_mode = #nv_tileas.rmw_mode<add>, atom = #nv_tileas<atom tma_redg_add_2d>} : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
%q = nv_tileas.async.tiled_atomic_rmw weak %n, %f[%x] {rmw_mode = #nv_tileas.rmw_mode<cmpxchg>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[index] -> !async.value<tile<16xf32>>
%mask = "test.op"() : () -> tensor<128x64xi1>
%r = nv_tileas.tiled_load weak %v[%i, %i] mask = %mask : tensor<128x64xi1> {atom = #nv_tileas<atom ldg_16>} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
%t5 = nv_tileas.tiled_store release gpu %a, %v[%i, %i] token = %t mask = %mask : tensor<128x64xi1> : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !nv_tileaa.mem_token

// GENERIC: "nv_tileas.tiled_load"(%s, %x, %x, %x, %x, %at)
// GENERIC-SAME: operandSegmentSizes = array<i32: 1, 2, 2, 1, 0>

// CHECK:      %v, %i, %x, %t, %at = "test.op"() : () -> (!nv_tileaa.tiled_view<128x64xf16>, i32, index, !nv_tileaa.mem_token, !nv_tileas.async_token)
// CHECK-NEXT: %s, %m, %buffer, %f = "test.op"() : () -> (!nv_tileas.tiled_view<128x64xf16, smem>, memref<128x64xf16, #nv_tileas.memory<smem>>, tensor<128x64xf16, #nv_tileas.memory<smem>>, !nv_tileas.tiled_view<16xf32, gmem>)
// CHECK-NEXT: %a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
// CHECK-NEXT: %b, %t1 = nv_tileas.tiled_load weak %v[%i, %i] token = %t {nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>, elem=nvfp4>, in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<nan>, allow_tma = false} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16, #nv_tileas.layout<((2, 32), 32, 4, 1), ((1, 256), 2, 64, 0)>>, !nv_tileaa.mem_token
// CHECK-NEXT: %c, %t2 = nv_tileas.tiled_load acquire gpu %s[%x, %x] offset[%x, %x] async_token = %at {atom = #nv_tileas<atom lds_128>} : !nv_tileas.tiled_view<128x64xf16, smem>[index, index] -> tensor<128x64xf16>, !nv_tileas.async_token
// CHECK-NEXT: %d = nv_tileas.tiled_load %m {nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>>} : memref<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16>
// CHECK-NEXT: %e = nv_tileas.tiled_load relaxed tl_blk %buffer : tensor<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16>
// CHECK-NEXT: nv_tileas.tiled_store weak %a, %v[%i, %i] : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32]
// CHECK-NEXT: %t3 = nv_tileas.tiled_store release gpu %a, %v[%i, %i] token = %t1 {atom = #nv_tileas<atom stg_128>} : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !nv_tileaa.mem_token
// CHECK-NEXT: nv_tileas.tiled_store weak %a, %s[%x, %x] offset[%x, %x] : tensor<128x64xf16>, !nv_tileas.tiled_view<128x64xf16, smem>[index, index]
// CHECK-NEXT: nv_tileas.tiled_store %a, %buffer {note = 1 : i32} : tensor<128x64xf16>, tensor<128x64xf16, #nv_tileas.memory<smem>>
// CHECK-NEXT: %g = nv_tileas.async.tiled_load weak %v[%i, %i] token = %t into %buffer : tensor<128x64xf16, #nv_tileas.memory<smem>> {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !async.value<tile<128x64xf16>>
// CHECK-NEXT: %h = nv_tileas.async.tiled_load %m : memref<128x64xf16, #nv_tileas.memory<smem>> -> !async.value<tile<128x64xf16>>
// CHECK-NEXT: %n = "test.op"() : () -> tensor<16xf32>
// CHECK-NEXT: %o, %t4 = nv_tileas.tiled_atomic_rmw relaxed gpu %n, %f[%x] token = %t {rmw_mode = #nv_tileas.rmw_mode<xchg>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[index] -> tensor<16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: %p = nv_tileas.tiled_atomic_rmw acq_rel sys %a, %v[%i, %i] {rmw_mode = #nv_tileas.rmw_mode<add>, atom = #nv_tileas<atom tma_redg_add_2d>} : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
// CHECK-NEXT: %q = nv_tileas.async.tiled_atomic_rmw weak %n, %f[%x] {rmw_mode = #nv_tileas.rmw_mode<cmpxchg>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[index] -> !async.value<tile<16xf32>>
// CHECK-NEXT: %mask = "test.op"() : () -> tensor<128x64xi1>
// CHECK-NEXT: %r = nv_tileas.tiled_load weak %v[%i, %i] mask = %mask : tensor<128x64xi1> {atom = #nv_tileas<atom ldg_16>} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
// CHECK-NEXT: %t5 = nv_tileas.tiled_store release gpu %a, %v[%i, %i] token = %t mask = %mask : tensor<128x64xi1> : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !nv_tileaa.mem_token
