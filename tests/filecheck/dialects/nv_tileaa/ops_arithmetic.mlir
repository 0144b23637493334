// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%f, %i, %s, %b = "test.op"() : () -> (tensor<8x64xf32>, tensor<8x64xi32>, i32, tensor<4xbf16>)
%0 = nv_tileaa.addf %f, %f : tensor<8x64xf32>
%1 = nv_tileaa.addf %f, %f rounding<zero> flush_to_zero : tensor<8x64xf32>
%2 = nv_tileaa.addf %b, %b rounding<negative_inf> : tensor<4xbf16>
%3 = nv_tileaa.addi %i, %i : tensor<8x64xi32>
%4 = nv_tileaa.addi %s, %s overflow<nsw,nuw> : i32

// CHECK:      %0 = nv_tileaa.addf %f, %f : tensor<8x64xf32>
// CHECK-NEXT: %1 = nv_tileaa.addf %f, %f rounding<zero> flush_to_zero : tensor<8x64xf32>
// CHECK-NEXT: %2 = nv_tileaa.addf %b, %b rounding<negative_inf> : tensor<4xbf16>
// CHECK-NEXT: %3 = nv_tileaa.addi %i, %i : tensor<8x64xi32>
// CHECK-NEXT: %4 = nv_tileaa.addi %s, %s overflow<nsw,nuw> : i32

// GENERIC: "nv_tileaa.addf"(%f, %f) <{rounding_mode = #nv_tileaa.rounding_mode<zero>, flush_to_zero}>
