// RUN: %roundtrip | filecheck %s

%n, %a, %b, %f = "test.op"() : () -> (i32, tensor<16xf32>, tensor<16xf32>, i1)
%p = nv_tileas.pragma attributes {ocgEnterDirectives = ["nounroll"], ocgLeaveDirectives = ["unroll"]} : i32 {
  nv_tileas.yield %n : i32
}
nv_tileas.pragma {
  nv_tileas.yield
}
nv_tileas.fence acq_rel gpu
%i = nv_tileas.cancel_next_program_id : !nv_tileaa.program_id
%j = nv_tileas.async.cancel_next_program_id : !async.value<!nv_tileaa.program_id>
%answer = "test.op"() : () -> tensor<4xi32, #nv_tileas.memory<smem>>
%k = nv_tileas.async.cancel_next_program_id into %answer of tensor<4xi32, #nv_tileas.memory<smem>> : !async.value<tensor<4xi32, #nv_tileas.memory<smem>>>
%l = nv_tileas.read_program_id %answer : tensor<4xi32, #nv_tileas.memory<smem>> -> !nv_tileaa.program_id
%t = tile.select %f, %a, %b : tensor<16xf32>

// CHECK:      %n, %a, %b, %f = "test.op"() : () -> (i32, tensor<16xf32>, tensor<16xf32>, i1)
// CHECK-NEXT: %p = nv_tileas.pragma attributes {ocgEnterDirectives = ["nounroll"], ocgLeaveDirectives = ["unroll"]} : i32 {
// CHECK-NEXT:   nv_tileas.yield %n : i32
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileas.pragma {
// CHECK-NEXT:   nv_tileas.yield
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileas.fence acq_rel gpu
// CHECK-NEXT: %i = nv_tileas.cancel_next_program_id : !nv_tileaa.program_id
// CHECK-NEXT: %j = nv_tileas.async.cancel_next_program_id : !async.value<!nv_tileaa.program_id>
// CHECK-NEXT: %answer = "test.op"() : () -> tensor<4xi32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %k = nv_tileas.async.cancel_next_program_id into %answer of tensor<4xi32, #nv_tileas.memory<smem>> : !async.value<tile<4xi32, #nv_tileas.memory<smem>>>
// CHECK-NEXT: %l = nv_tileas.read_program_id %answer : tensor<4xi32, #nv_tileas.memory<smem>> -> !nv_tileaa.program_id
// CHECK-NEXT: %t = tile.select %f, %a, %b : tensor<16xf32>
