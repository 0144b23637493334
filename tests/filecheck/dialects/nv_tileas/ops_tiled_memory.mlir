// RUN: %roundtrip | filecheck %s

%v, %i, %t = "test.op"() : () -> (!nv_tileaa.tiled_view<128x64xf16>, i32, !nv_tileaa.mem_token)
%a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
%b, %t1 = nv_tileas.tiled_load weak %v[%i, %i] token = %t {nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>, elem=nvfp4>, in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<nan>, allow_tma = false} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16, #nv_tileas.layout<((2, 32), 32, 4, 1), ((1, 256), 2, 64, 0)>>, !nv_tileaa.mem_token
nv_tileas.tiled_store weak %a, %v[%i, %i] : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32]
%t2 = nv_tileas.tiled_store release gpu %a, %v[%i, %i] token = %t1 {atom = #nv_tileas<atom stg_128>} : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !nv_tileaa.mem_token
%c = nv_tileas.convert_layout %a : tensor<128x64xf16> -> tensor<128x64xf16, #nv_tileas.layout<((2, 32), 32, 4, 1), ((1, 256), 2, 64, 0)>>

// CHECK:      %a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16>
// CHECK-NEXT: %b, %t1 = nv_tileas.tiled_load weak %v[%i, %i] token = %t {nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>, elem=nvfp4>, in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<nan>, allow_tma = false} : !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> tensor<128x64xf16, #nv_tileas.layout<((2, 32), 32, 4, 1), ((1, 256), 2, 64, 0)>>, !nv_tileaa.mem_token
// CHECK-NEXT: nv_tileas.tiled_store weak %a, %v[%i, %i] : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32]
// CHECK-NEXT: %t2 = nv_tileas.tiled_store release gpu %a, %v[%i, %i] token = %t1 {atom = #nv_tileas<atom stg_128>} : tensor<128x64xf16>, !nv_tileaa.tiled_view<128x64xf16>[i32, i32] -> !nv_tileaa.mem_token
// CHECK-NEXT: %c = nv_tileas.convert_layout %a : tensor<128x64xf16> -> tensor<128x64xf16, #nv_tileas.layout<((2, 32), 32, 4, 1), ((1, 256), 2, 64, 0)>>
