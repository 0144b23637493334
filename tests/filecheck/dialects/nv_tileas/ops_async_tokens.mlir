// RUN: %roundtrip | filecheck %s

%tile, %token = "test.op"() : () -> (tensor<16xf32>, !nv_tileaa.mem_token)
%a = nv_tileas.async.to_async %tile : tensor<16xf32> -> !async.value<tile<16xf32>>
%t = nv_tileas.async.token_to_async %token : !nv_tileaa.mem_token -> !nv_tileas.async_token
%v = nv_tileas.async.future_wait %a : !async.value<tile<16xf32>> -> tile<16xf32>
nv_tileas.async.wait %t : !nv_tileas.async_token
%w = nv_tileas.async.wait %t, %a {note = 1 : i32} : !nv_tileas.async_token, !async.value<tile<16xf32>> -> !nv_tileaa.mem_token
%n = nv_tileas.create_none : tile<16xf32>
%m = nv_tileas.create_none : !nv_tileas.async_token
nv_tileas.async.commit_copies
nv_tileas.async.wait_copies {pending = 1 : i32}

// CHECK:      %tile, %token = "test.op"() : () -> (tensor<16xf32>, !nv_tileaa.mem_token)
// CHECK-NEXT: %a = nv_tileas.async.to_async %tile : tile<16xf32> -> !async.value<tile<16xf32>>
// CHECK-NEXT: %t = nv_tileas.async.token_to_async %token : !nv_tileaa.mem_token -> !nv_tileas.async_token
// CHECK-NEXT: %v = nv_tileas.async.future_wait %a : !async.value<tile<16xf32>> -> tile<16xf32>
// CHECK-NEXT: nv_tileas.async.wait %t : !nv_tileas.async_token
// CHECK-NEXT: %w = nv_tileas.async.wait %t, %a {note = 1 : i32} : !nv_tileas.async_token, !async.value<tile<16xf32>> -> !nv_tileaa.mem_token
// CHECK-NEXT: %n = nv_tileas.create_none : tile<16xf32>
// CHECK-NEXT: %m = nv_tileas.create_none : !nv_tileas.async_token
// CHECK-NEXT: nv_tileas.async.commit_copies
// CHECK-NEXT: nv_tileas.async.wait_copies {pending = 1 : i32}
