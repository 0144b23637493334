// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%a, %b, %c = "test.op"() : () -> (tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>)
%0 = nv_tileaa.dot %a, %b, %c {input_precision = "tf32", fastmath = "contract"} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
%d, %e, %f = "test.op"() : () -> (tensor<2x8x64xi8>, tensor<2x64x16xi8>, tensor<2x8x16xi32>)
%1 = nv_tileaa.dot %d, %e, %f {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<unsigned>} : tensor<2x8x64xi8>, tensor<2x64x16xi8>, tensor<2x8x16xi32>
%g, %h, %i, %sg, %sh = "test.op"() : () -> (tensor<8x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<8x8xf32>, tensor<8x4xf8E4M3FN>, tensor<4x8xf8E4M3FN>)
%2 = nv_tileaa.dot %g, %h, %i scaled by %sg, %sh {propagate_nan, fast_acc} : tensor<8x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<8x8xf32>, tensor<8x4xf8E4M3FN>, tensor<4x8xf8E4M3FN>
%j, %k, %l = "test.op"() : () -> (tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16>, tensor<1x6x6x32xf32>)
%3 = nv_tileaa.conv_dot %j, %k, %l {convParams = #nv_tileaa.conv_params<padding = [0, 0], stride = [1, 1], dilation = [1, 1]>, activationLayout = #nv_tileaa.activation_layout<channels_last>} : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16>, tensor<1x6x6x32xf32>

%values, %others = "test.op"() : () -> (tensor<8x64xf32>, tensor<8x64xi32>)
%sum = nv_tileaa.reduce %values {axis = 1 : i32} : tensor<8x64xf32> -> tensor<8xf32> {
^bb0(%acc: f32, %val: f32):
  %s = nv_tileaa.addf %acc, %val : f32
  nv_tileaa.yield %s : f32
}
%last, %number = nv_tileaa.reduce %values, %others {axis = 0 : i32, identities = [1.000000e+00 : f32, 3 : i32], reduce_atom = #cute_nvgpu.reduce_atom<32>} : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<64xf32>, tensor<64xi32> {
^bb0(%x0: f32, %x1: f32, %n0: i32, %n1: i32):
  nv_tileaa.yield %x1, %n1 : f32, i32
}
%prefix = nv_tileaa.scan %values {axis = 1 : i32, inclusive = true} : tensor<8x64xf32> -> tensor<8x64xf32> {
^bb0(%acc: f32, %elem: f32):
  %s = nv_tileaa.addf %acc, %elem : f32
  nv_tileaa.yield %s : f32
}
%suffix = nv_tileaa.scan %values {axis = 1 : i32, inclusive = true, reverse = true} : tensor<8x64xf32> -> tensor<8x64xf32> {
^bb0(%acc: f32, %elem: f32):
  nv_tileaa.yield %elem : f32
}

// CHECK:      %{{.*}} = nv_tileaa.dot %a, %b, %c {input_precision = "tf32", fastmath = "contract"} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
// CHECK:      %{{.*}} = nv_tileaa.dot %d, %e, %f {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<unsigned>} : tensor<2x8x64xi8>, tensor<2x64x16xi8>, tensor<2x8x16xi32>
// CHECK:      %{{.*}} = nv_tileaa.dot %g, %h, %i scaled by %sg, %sh {propagate_nan, fast_acc} : tensor<8x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<8x8xf32>, tensor<8x4xf8E4M3FN>, tensor<4x8xf8E4M3FN>
// CHECK:      %{{.*}} = nv_tileaa.conv_dot %j, %k, %l {convParams = #nv_tileaa.conv_params<padding = [0, 0], stride = [1, 1], dilation = [1, 1]>, activationLayout = #nv_tileaa.activation_layout<channels_last>} : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16>, tensor<1x6x6x32xf32>
// CHECK:      %sum = nv_tileaa.reduce %values {axis = 1 : i32} : tensor<8x64xf32> -> tensor<8xf32> {
// CHECK-NEXT: ^bb0(%acc: f32, %val: f32):
// CHECK-NEXT:   %s = nv_tileaa.addf %acc, %val : f32
// CHECK-NEXT:   nv_tileaa.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: %last, %number = nv_tileaa.reduce %values, %others {axis = 0 : i32, identities = [1.000000e+00 : f32, 3 : i32], reduce_atom = #cute_nvgpu.reduce_atom<32>} : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<64xf32>, tensor<64xi32> {
// CHECK-NEXT: ^bb0(%x0: f32, %x1: f32, %n0: i32, %n1: i32):
// CHECK-NEXT:   nv_tileaa.yield %x1, %n1 : f32, i32
// CHECK-NEXT: }
// CHECK-NEXT: %prefix = nv_tileaa.scan %values {axis = 1 : i32, inclusive = true} : tensor<8x64xf32> -> tensor<8x64xf32> {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %elem: f32):
// CHECK-NEXT:   %[[S:.*]] = nv_tileaa.addf %[[ACC]], %elem : f32
// CHECK-NEXT:   nv_tileaa.yield %[[S]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %suffix = nv_tileaa.scan %values {axis = 1 : i32, inclusive = true, reverse = true} : tensor<8x64xf32> -> tensor<8x64xf32> {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[ELEM:.*]]: f32):
// CHECK-NEXT:   nv_tileaa.yield %[[ELEM]] : f32
// CHECK-NEXT: }

// GENERIC: "nv_tileaa.dot"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {input_precision = "tf32", fastmath = "contract"}
