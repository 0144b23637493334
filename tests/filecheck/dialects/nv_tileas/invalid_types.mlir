// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: all dimensions must be positive constants, got [0]
"test.op"() {t = !nv_tileas.tiled_view<0xf32, smem>} : () -> ()

// -----
// CHECK: expected a swizzle of 32, 64 or 128 bytes, got 16
"test.op"() {a = #nv_tileas.swizzle_mode<16B>} : () -> ()

// -----
// CHECK: payload of !async.value must not itself be asynchronous, but got !async.value<f32>
"test.op"() {t = !async.value<!async.value<f32>>} : () -> ()

// -----
// CHECK: expects an agent of at least one warp, but got 0
"test.op"() {t = !nv_tileas.agent<0>} : () -> ()

// -----
// CHECK: expected attribute value
%n = nv_tileas.create_none {note = } : f32

// -----
// CHECK: expects a pipeline iterator to have a payload
"test.op"() {t = !nv_tileas.async.pipeline.iterator<>} : () -> ()
