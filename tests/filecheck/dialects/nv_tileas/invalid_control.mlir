// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: expects the body to yield values of types [i32], but got []
%p = nv_tileas.pragma : i32 {
  nv_tileas.yield
}

// -----
// CHECK: unsupported mem_semantic: relaxed
nv_tileas.fence relaxed gpu

// -----
// CHECK: mem_scope required when mem_semantic is not weak
nv_tileas.fence acquire

// -----
// CHECK: expects a result of type !async.value<!nv_tileaa.program_id>, but got !async.value<i32>
%j = nv_tileas.async.cancel_next_program_id : !async.value<i32>

// -----
// CHECK: expects a result of type !async.value<tile<4xi32, #nv_tileas.memory<smem>>>, but got !async.value<!nv_tileaa.program_id>
%answer = "test.op"() : () -> tensor<4xi32, #nv_tileas.memory<smem>>
%j = nv_tileas.async.cancel_next_program_id into %answer of tensor<4xi32, #nv_tileas.memory<smem>> : !async.value<!nv_tileaa.program_id>

// -----
// CHECK: expects an answer of type tensor<4xi32, #nv_tileas.memory<smem>>, but got tensor<4xi32>
%answer = "test.op"() : () -> tensor<4xi32>
%p = nv_tileas.read_program_id %answer : tensor<4xi32> -> !nv_tileaa.program_id
