// RUN: %roundtrip | filecheck %s

%a, %b, %c, %i, %k = "test.op"() : () -> (tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>, tensor<16x32xi8>, tensor<32x8xi8>)
%n, %x, %y, %sx, %sy = "test.op"() : () -> (tensor<16x8xi32>, tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x4xf8E8M0FNU>, tensor<4x8xf8E8M0FNU>)
%z, %e4, %e5, %sa, %sb = "test.op"() : () -> (tensor<16x8xf32>, tensor<16x64xf8E4M3FN>, tensor<64x8xf8E5M2>, tensor<16x2xf8E8M0FNU>, tensor<2x8xf8E8M0FNU>)
%d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>, input_precision = "tf32"} : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32> -> tensor<128x32xf32>
%e = nv_tileas.async.dot %a, %b, %d {fast_acc} : tile<128x64xf16>, tile<64x32xf16>, tile<128x32xf32> -> !async.value<tile<128x32xf32>>
%flying = nv_tileas.async.dot %a, %b, %e : tile<128x64xf16>, tile<64x32xf16>, !async.value<tile<128x32xf32>> -> !async.value<tile<128x32xf32>>
%f = nv_tileas.dot %i, %k, %n {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<unsigned>} : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32> -> tile<16x8xi32>
%g = nv_tileas.dot %x, %y, %z, %sx, %sy : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x4xf8E8M0FNU>, tile<4x8xf8E8M0FNU> -> tile<16x8xf32>
%m = nv_tileas.dot %i, %k, %z, %sx, %sy {atom = #nv_tileas<atom mma_mxf4nvf4_e2m1x2_e2m1x2_f32_ue8m0>} : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xf32>, tile<16x4xf8E8M0FNU>, tile<4x8xf8E8M0FNU> -> tile<16x8xf32>
%h = nv_tileas.dot %e4, %e5, %z, %sa, %sb : tile<16x64xf8E4M3FN>, tile<64x8xf8E5M2>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU> -> tile<16x8xf32>
%w = nv_tileas.wgmma %a, %b, %c : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32> -> tensor<128x32xf32>
%v = nv_tileas.wgmma %i, %k, %n {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<signed>} : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32> -> tensor<16x8xi32>
%r = nv_tileas.reduce %c {axis = 1 : i32, atom = #nv_tileas<atom warp_shfl_xor_f32>, reduce_atom = #cute_nvgpu.reduce_atom<32>} : tensor<128x32xf32> -> tensor<128xf32> {
^bb0(%p: f32, %q: f32):
  %s = arith.addf %p, %q : f32
  nv_tileas.yield %s : f32
}
%t = nv_tileas.scan %c {axis = 0 : i32, inclusive = true, reverse = true} : tensor<128x32xf32> -> tensor<128x32xf32> {
^bb0(%p: f32, %q: f32):
  %s = arith.mulf %p, %q : f32
  nv_tileas.yield %s : f32
}

// CHECK:      %a, %b, %c, %i, %k = "test.op"() : () -> (tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>, tensor<16x32xi8>, tensor<32x8xi8>)
// CHECK-NEXT: %n, %x, %y, %sx, %sy = "test.op"() : () -> (tensor<16x8xi32>, tensor<16x64xf4E2M1FN>, tensor<64x8xf4E2M1FN>, tensor<16x4xf8E8M0FNU>, tensor<4x8xf8E8M0FNU>)
// CHECK-NEXT: %z, %e4, %e5, %sa, %sb = "test.op"() : () -> (tensor<16x8xf32>, tensor<16x64xf8E4M3FN>, tensor<64x8xf8E5M2>, tensor<16x2xf8E8M0FNU>, tensor<2x8xf8E8M0FNU>)
// CHECK-NEXT: %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>, input_precision = "tf32"} : tile<128x64xf16>, tile<64x32xf16>, tile<128x32xf32> -> tile<128x32xf32>
// CHECK-NEXT: %e = nv_tileas.async.dot %a, %b, %d {fast_acc} : tile<128x64xf16>, tile<64x32xf16>, tile<128x32xf32> -> !async.value<tile<128x32xf32>>
// CHECK-NEXT: %flying = nv_tileas.async.dot %a, %b, %e : tile<128x64xf16>, tile<64x32xf16>, !async.value<tile<128x32xf32>> -> !async.value<tile<128x32xf32>>
// CHECK-NEXT: %f = nv_tileas.dot %i, %k, %n {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<unsigned>} : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32> -> tile<16x8xi32>
// CHECK-NEXT: %g = nv_tileas.dot %x, %y, %z, %sx, %sy : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x4xf8E8M0FNU>, tile<4x8xf8E8M0FNU> -> tile<16x8xf32>
// CHECK-NEXT: %m = nv_tileas.dot %i, %k, %z, %sx, %sy {atom = #nv_tileas<atom mma_mxf4nvf4_e2m1x2_e2m1x2_f32_ue8m0>} : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xf32>, tile<16x4xf8E8M0FNU>, tile<4x8xf8E8M0FNU> -> tile<16x8xf32>
// CHECK-NEXT: %h = nv_tileas.dot %e4, %e5, %z, %sa, %sb : tile<16x64xf8E4M3FN>, tile<64x8xf8E5M2>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU> -> tile<16x8xf32>
// CHECK-NEXT: %w = nv_tileas.wgmma %a, %b, %c : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32> -> tensor<128x32xf32>
// CHECK-NEXT: %v = nv_tileas.wgmma %i, %k, %n {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<signed>} : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32> -> tensor<16x8xi32>
// CHECK-NEXT: %r = nv_tileas.reduce %c {axis = 1 : i32, atom = #nv_tileas<atom warp_shfl_xor_f32>, reduce_atom = #cute_nvgpu.reduce_atom<32>} : tensor<128x32xf32> -> tensor<128xf32> {
// CHECK-NEXT: ^bb0(%p: f32, %q: f32):
// CHECK-NEXT:   %s = arith.addf %p, %q : f32
// CHECK-NEXT:   nv_tileas.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: %t = nv_tileas.scan %c {axis = 0 : i32, inclusive = true, reverse = true} : tensor<128x32xf32> -> tensor<128x32xf32> {
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32):
// CHECK-NEXT:   %[[S:.*]] = arith.mulf %[[P]], %[[Q]] : f32
// CHECK-NEXT:   nv_tileas.yield %[[S]] : f32
// CHECK-NEXT: }
