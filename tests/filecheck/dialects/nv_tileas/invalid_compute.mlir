// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: expected the element types of A, B, C, and D to be either all integers or all floats.
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xi32>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xi32> -> tensor<16x8xi32>

// -----
// CHECK: expects #A and #B have same bit width but got 8 vs 16
%a, %b, %c = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x8xi16>, tensor<16x8xi32>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x32xi8>, tensor<32x8xi16>, tensor<16x8xi32> -> tensor<16x8xi32>

// -----
// CHECK: expect signedness attribute for operand A
%a, %b, %c = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32> -> tensor<16x8xi32>

// -----
// CHECK: expects #C element type to be f64, but got f32
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf64>, tensor<32x8xf64>, tensor<16x8xf32>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x32xf64>, tensor<32x8xf64>, tensor<16x8xf32> -> tensor<16x8xf32>

// -----
// CHECK: expects the shape of operand #A and #B to be compatible
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<16x8xf16>, tensor<16x8xf32>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x32xf16>, tensor<16x8xf16>, tensor<16x8xf32> -> tensor<16x8xf32>

// -----
// CHECK: expects the shape of operand #C is compatible with operands #A and #B
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x16xf32>)
%d = nv_tileas.async.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x16xf32> -> !async.value<tensor<16x16xf32>>

// -----
// CHECK: expects a result of type tensor<16x8xf32>, but got tensor<16x8xf16>
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32> -> tensor<16x8xf16>

// -----
// CHECK: expects a result of type tensor<16x8xf32>, but got tensor<16x8xf16>
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>)
%d = nv_tileas.wgmma %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32> -> tensor<16x8xf16>

// -----
// CHECK: expects one of the input precisions tf32, ieee, but got f8
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>)
%d = nv_tileas.dot %a, %b, %c {input_precision = "f8"} : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32> -> tensor<16x8xf32>

// -----
// CHECK: expects both SFA and SFB to be present
%a, %b, %c, %s = "test.op"() : () -> (tensor<16x64xf8E4M3FN>, tensor<64x8xf8E4M3FN>, tensor<16x8xf32>, tensor<16x2xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c, %s : tensor<16x64xf8E4M3FN>, tensor<64x8xf8E4M3FN>, tensor<16x8xf32>, tensor<16x2xf8E8M0FNU> -> tensor<16x8xf32>

// -----
// CHECK: fp4 mma should expect scaling factors
%a, %b, %c = "test.op"() : () -> (tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32> -> tensor<16x8xf32>

// -----
// CHECK: sfa and sfb element type mismatch
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x4xf8E8M0FNU>, tensor<4x8xf8E4M3FN>)
%d = nv_tileas.dot %a, %b, %c, %s, %t : tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x4xf8E8M0FNU>, tensor<4x8xf8E4M3FN> -> tensor<16x8xf32>

// -----
// CHECK: expects c type to be Float32
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf16>, tensor<16x4xf8E8M0FNU>, tensor<4x8xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c, %s, %t : tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf16>, tensor<16x4xf8E8M0FNU>, tensor<4x8xf8E8M0FNU> -> tensor<16x8xf16>

// -----
// CHECK: Scale factor vector size mismatch: 16, 32
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x4xf8E8M0FNU>, tensor<2x8xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c, %s, %t : tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x4xf8E8M0FNU>, tensor<2x8xf8E8M0FNU> -> tensor<16x8xf32>

// -----
// CHECK: unsupported block-scaled mma configuration
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x2xf8E4M3FN>, tensor<2x8xf8E4M3FN>)
%d = nv_tileas.dot %a, %b, %c, %s, %t : tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x2xf8E4M3FN>, tensor<2x8xf8E4M3FN> -> tensor<16x8xf32>

// -----
// CHECK: unsupported block-scaled mma configuration
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x64x1xf8E8M0FNU>, tensor<64x8x1xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c, %s, %t : tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x8xf32>, tensor<16x64x1xf8E8M0FNU>, tensor<64x8x1xf8E8M0FNU> -> tensor<16x8xf32>

// -----
// CHECK: expects an atom whose operand A is e2m1x2 for scaled operands of i8
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>, tensor<16x2xf8E8M0FNU>, tensor<2x8xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c, %s, %t {atom = #nv_tileas<atom mma_mxf4_e2m1_e2m1_f32>} : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>, tensor<16x2xf8E8M0FNU>, tensor<2x8xf8E8M0FNU> -> tensor<16x8xf32>

// -----
// CHECK: expects an atom whose operand A is e2m1x2 for scaled operands of i8
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>, tensor<16x2xf8E8M0FNU>, tensor<2x8xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c, %s, %t : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>, tensor<16x2xf8E8M0FNU>, tensor<2x8xf8E8M0FNU> -> tensor<16x8xf32>

// -----
// CHECK: unsupported block-scaled mma configuration
%a, %b, %c, %s, %t = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>, tensor<16x1xf8E8M0FNU>, tensor<1x8xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c, %s, %t {atom = #nv_tileas<atom mma_mxf4_e2m1x2_e2m1x2_f32>} : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>, tensor<16x1xf8E8M0FNU>, tensor<1x8xf8E8M0FNU> -> tensor<16x8xf32>

// -----
// CHECK: expects the body to yield values of types [f32], but got []
%a = "test.op"() : () -> tensor<16x8xf32>
%r = nv_tileas.reduce %a {axis = 1 : i32} : tensor<16x8xf32> -> tensor<16xf32> {
^bb0(%x: f32, %y: f32):
  nv_tileas.yield
}

// -----
// CHECK: expects regions to end with 'nv_tileas.yield'
%a = "test.op"() : () -> tensor<16x8xf32>
%r = nv_tileas.scan %a {axis = 1 : i32, inclusive = true} : tensor<16x8xf32> -> tensor<16x8xf32> {
^bb0(%x: f32, %y: f32):
  nv_tileaa.yield %x : f32
}

// -----
// CHECK: expected accumulator to be a tile, got !async.value<tile<16x8xf32>>
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, !async.value<tile<16x8xf32>>)
%d = nv_tileas.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, !async.value<tile<16x8xf32>> -> tensor<16x8xf32>

// -----
// CHECK: expects an atom that a pair of CTAs can execute, as cta_group is 2
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>)
%d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>, cta_group = 2 : i32} : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32> -> tensor<16x8xf32>
