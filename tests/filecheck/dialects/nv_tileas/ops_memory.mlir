// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%p, %m, %o = "test.op"() : () -> (tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xi1>, tensor<1024xf32>)
%a = nv_tileas.load weak %p : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>
%b, %t = nv_tileas.load relaxed gpu %p mask = %m : tensor<1024xi1> other = %o : tensor<1024xf32> {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>} : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>, !nv_tileaa.mem_token
nv_tileas.store weak %p, %a : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32>
%u = nv_tileas.store weak %p, %b mask = %m : tensor<1024xi1> token = %t {atom = #nv_tileas<atom stg_32>, latency = 2 : i32} {note = 1 : i32} : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32> -> !nv_tileaa.mem_token
%v, %i, %rows, %buffer, %half = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16xi32>, tensor<16x8xf32, #nv_tileas.memory<smem>>, tensor<16x8xf32>)
%c = nv_tileas.async.load weak %p mask = %m : tensor<1024xi1> other = %o : tensor<1024xf32> token = %t {atom = #nv_tileas<atom ldgsts_128>} : tensor<1024x!nv_tileaa.ptr<f32>> -> !async.value<tile<1024xf32>>
%large = nv_tileas.alloc_tensor : tensor<1024xf32, #nv_tileas.memory<smem>>
%d = nv_tileas.async.load weak %p into %large : tensor<1024xf32, #nv_tileas.memory<smem>> : tensor<1024x!nv_tileaa.ptr<f32>> -> !async.value<tile<1024xf32>>
%e = nv_tileas.async.store release gpu %p, %a mask = %m : tensor<1024xi1> token = %t : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32> -> !nv_tileas.async_token
%g, %t1 = nv_tileas.gather_load weak %v[%rows, %i] token = %t {sparse_dim = 0 : i32, atom = #nv_tileas<atom ldg_32>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<16x8xf32>[tensor<16xi32>, i32] -> tensor<16x8xf32>, !nv_tileaa.mem_token
%t2 = nv_tileas.scatter_store weak %g, %v[%rows, %i] token = %t1 {sparse_dim = 0 : i32} : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[tensor<16xi32>, i32] -> !nv_tileaa.mem_token
nv_tileas.scatter_store weak %g, %v[%rows, %i] {sparse_dim = 0 : i32, copy_atom = #cute_nvgpu.copy_atom<stg_32>} : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[tensor<16xi32>, i32]
%k = nv_tileas.copy %half : tensor<16x8xf32> -> tensor<16x8xf32, #nv_tileas.memory<smem>>
%l = nv_tileas.copy %half into %buffer {atom = #nv_tileas<atom sts_128>} : tensor<16x8xf32> into tensor<16x8xf32, #nv_tileas.memory<smem>> -> tensor<16x8xf32, #nv_tileas.memory<smem>>
%q = nv_tileas.async.copy %half into %buffer : tensor<16x8xf32> into tensor<16x8xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async_token
%r = nv_tileas.async.copy %buffer {atom = #nv_tileas<atom lds_32>} : tensor<16x8xf32, #nv_tileas.memory<smem>> -> !async.value<tile<16x8xf32>>

// GENERIC: nv_tileas.layout = #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>

// CHECK:      %p, %m, %o = "test.op"() : () -> (tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xi1>, tensor<1024xf32>)
// CHECK-NEXT: %a = nv_tileas.load weak %p : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>
// CHECK-NEXT: %b, %t = nv_tileas.load relaxed gpu %p mask = %m : tensor<1024xi1> other = %o : tensor<1024xf32> {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>} : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: nv_tileas.store weak %p, %a : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32>
// CHECK-NEXT: %u = nv_tileas.store weak %p, %b mask = %m : tensor<1024xi1> token = %t {atom = #nv_tileas<atom stg_32>, latency = 2 : i32} {note = 1 : i32} : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32> -> !nv_tileaa.mem_token
// CHECK-NEXT: %v, %i, %rows, %buffer, %half = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16xi32>, tensor<16x8xf32, #nv_tileas.memory<smem>>, tensor<16x8xf32>)
// CHECK-NEXT: %c = nv_tileas.async.load weak %p mask = %m : tensor<1024xi1> other = %o : tensor<1024xf32> token = %t {atom = #nv_tileas<atom ldgsts_128>} : tensor<1024x!nv_tileaa.ptr<f32>> -> !async.value<tile<1024xf32>>
// CHECK-NEXT: %large = nv_tileas.alloc_tensor : tensor<1024xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %d = nv_tileas.async.load weak %p into %large : tensor<1024xf32, #nv_tileas.memory<smem>> : tensor<1024x!nv_tileaa.ptr<f32>> -> !async.value<tile<1024xf32>>
// CHECK-NEXT: %e = nv_tileas.async.store release gpu %p, %a mask = %m : tensor<1024xi1> token = %t : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32> -> !nv_tileas.async_token
// CHECK-NEXT: %g, %t1 = nv_tileas.gather_load weak %v[%rows, %i] token = %t {sparse_dim = 0 : i32, atom = #nv_tileas<atom ldg_32>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<16x8xf32>[tensor<16xi32>, i32] -> tensor<16x8xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: %t2 = nv_tileas.scatter_store weak %g, %v[%rows, %i] token = %t1 {sparse_dim = 0 : i32} : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[tensor<16xi32>, i32] -> !nv_tileaa.mem_token
// CHECK-NEXT: nv_tileas.scatter_store weak %g, %v[%rows, %i] {sparse_dim = 0 : i32, copy_atom = #cute_nvgpu.copy_atom<stg_32>} : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[tensor<16xi32>, i32]
// CHECK-NEXT: %k = nv_tileas.copy %half : tensor<16x8xf32> -> tensor<16x8xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %l = nv_tileas.copy %half into %buffer {atom = #nv_tileas<atom sts_128>} : tensor<16x8xf32> into tensor<16x8xf32, #nv_tileas.memory<smem>> -> tensor<16x8xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %q = nv_tileas.async.copy %half into %buffer : tensor<16x8xf32> into tensor<16x8xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async_token
// CHECK-NEXT: %r = nv_tileas.async.copy %buffer {atom = #nv_tileas<atom lds_32>} : tensor<16x8xf32, #nv_tileas.memory<smem>> -> !async.value<tile<16x8xf32>>
