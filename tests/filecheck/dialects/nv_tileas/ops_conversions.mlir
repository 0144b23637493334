// RUN: %roundtrip | filecheck %s

%a, %b, %m, %o, %i = "test.op"() : () -> (tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>>, tensor<2x128x64xf16, #nv_tileas.memory<smem>>, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, i32)
%c = nv_tileas.convert_layout %a : tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>> -> tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (32, 1, 0, 0)>>
%s = nv_tileas.shuffle %a : tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>> -> tensor<64x2xf32, #nv_tileas.layout<((2, 2), (2, 16), 1, 1), ((1, 4), (2, 8), 0, 0)>>
%v = nv_tileas.view %a : tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>> to tensor<128xf32>
%w = nv_tileas.view %b {offset = 8192} : tensor<2x128x64xf16, #nv_tileas.memory<smem>> to tensor<128x64xf16, #nv_tileas.memory<smem>>
%x = nv_tileas.view %b offset %o : tensor<2x128x64xf16, #nv_tileas.memory<smem>>
%y = nv_tileas.view %m[%i, %i : i32, i32] : !nv_tileaa.memref<64x64xf16, strides = [64, 1]> to !nv_tileas.tiled_view<16x16xf16, gmem>
%z = nv_tileas.view %v : tensor<128xf32> to tensor<?xf32>
%e = nv_tileas.expand_dims %v {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
%r = nv_tileas.reinterpret %v : tensor<128xf32> -> tensor<512xi8>
%g = nv_tileas.generate : tensor<4x8xi32> {
^bb0(%p: i32, %q: i32):
  %t = arith.addi %p, %q : i32
  nv_tileas.yield %t : i32
}

// CHECK:      %a, %b, %m, %o, %i = "test.op"() : () -> (tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>>, tensor<2x128x64xf16, #nv_tileas.memory<smem>>, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>, index, i32)
// CHECK-NEXT: %c = nv_tileas.convert_layout %a : tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>> -> tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (32, 1, 0, 0)>>
// CHECK-NEXT: %s = nv_tileas.shuffle %a : tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>> -> tensor<64x2xf32, #nv_tileas.layout<((2, 2), (2, 16), 1, 1), ((1, 4), (2, 8), 0, 0)>>
// CHECK-NEXT: %v = nv_tileas.view %a : tensor<64x2xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>> to tensor<128xf32>
// CHECK-NEXT: %w = nv_tileas.view %b {offset = 8192 : i64} : tensor<2x128x64xf16, #nv_tileas.memory<smem>> to tensor<128x64xf16, #nv_tileas.memory<smem>>
// CHECK-NEXT: %x = nv_tileas.view %b offset %o : tensor<2x128x64xf16, #nv_tileas.memory<smem>>
// CHECK-NEXT: %y = nv_tileas.view %m[%i, %i : i32, i32] : !nv_tileaa.memref<64x64xf16, strides = [64, 1]> to !nv_tileas.tiled_view<16x16xf16, gmem>
// CHECK-NEXT: %z = nv_tileas.view %v : tensor<128xf32> to tensor<?xf32>
// CHECK-NEXT: %e = nv_tileas.expand_dims %v {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
// CHECK-NEXT: %r = nv_tileas.reinterpret %v : tensor<128xf32> -> tensor<512xi8>
// CHECK-NEXT: %g = nv_tileas.generate : tensor<4x8xi32> {
// CHECK-NEXT: ^bb0(%p: i32, %q: i32):
// CHECK-NEXT:   %t = arith.addi %p, %q : i32
// CHECK-NEXT:   nv_tileas.yield %t : i32
// CHECK-NEXT: }
