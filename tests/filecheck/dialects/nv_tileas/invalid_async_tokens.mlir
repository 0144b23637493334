// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: expects at least one operand
nv_tileas.async.wait

// -----
// CHECK: expects a payload of type f32, got i32
%v = "test.op"() : () -> (!async.value<f32>)
%n = nv_tileas.async.future_wait %v : !async.value<f32> -> i32

// -----
// CHECK: expects a payload of type f32, got i32
%n = "test.op"() : () -> i32
%v = nv_tileas.async.to_async %n : i32 -> !async.value<f32>

// -----
// CHECK: expects at least 0 pending groups, but got -1
nv_tileas.async.wait_copies {pending = -1 : i32}
