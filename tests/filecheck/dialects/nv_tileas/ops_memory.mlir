// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%p, %m, %o = "test.op"() : () -> (tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xi1>, tensor<1024xf32>)
%a = nv_tileas.load weak %p : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>
%b, %t = nv_tileas.load relaxed gpu %p mask = %m : tensor<1024xi1> other = %o : tensor<1024xf32> {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>} : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>, !nv_tileaa.mem_token
nv_tileas.store weak %p, %a : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32>
%u = nv_tileas.store weak %p, %b mask = %m : tensor<1024xi1> token = %t {atom = #nv_tileas<atom stg_32>, latency = 2 : i32} {note = 1 : i32} : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32> -> !nv_tileaa.mem_token

// CHECK:      %a = nv_tileas.load weak %p : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>
// CHECK-NEXT: %b, %t = nv_tileas.load relaxed gpu %p mask = %m : tensor<1024xi1> other = %o : tensor<1024xf32> {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>} : tensor<1024x!nv_tileaa.ptr<f32>> -> tensor<1024xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: nv_tileas.store weak %p, %a : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32>
// CHECK-NEXT: %u = nv_tileas.store weak %p, %b mask = %m : tensor<1024xi1> token = %t {atom = #nv_tileas<atom stg_32>, latency = 2 : i32} {note = 1 : i32} : tensor<1024x!nv_tileaa.ptr<f32>>, tensor<1024xf32> -> !nv_tileaa.mem_token

// GENERIC: nv_tileas.layout = #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>
