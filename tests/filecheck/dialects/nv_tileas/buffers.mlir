// RUN: %roundtrip | filecheck %s
// The programs of the notes on layouts and buffers, before and after their passes.

#smem = #nv_tileas.memory<smem>
#smem_blocked = #nv_tileas.memory<smem, <(128, 64), (64, 1)>>
#smem_swizzled = #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>
#dot_a = #nv_tileas.layout<((2, 2, 2, 4), (4, 8), 4, 1), ((1, 512, 8, 16), (2, 64), 1024, 0)>

%src, %w, %acc, %flag, %offset = "test.op"() : () -> (memref<128x64xf16, #smem>, tensor<64x128xf16>, tensor<128x128xf32>, i1, index)

// CHECK: %a = nv_tileas.tiled_load %src : memref<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16>
%a = nv_tileas.tiled_load %src : memref<128x64xf16, #smem> -> tensor<128x64xf16>
// CHECK-NEXT: %b = nv_tileas.convert_layout %a : tensor<128x64xf16> -> tensor<128x64xf16, #nv_tileas.layout<
%b = nv_tileas.convert_layout %a : tensor<128x64xf16> -> tensor<128x64xf16, #dot_a>
// CHECK-NEXT: %r = nv_tileas.wgmma %b, %w, %acc :
%r = nv_tileas.wgmma %b, %w, %acc : tensor<128x64xf16, #dot_a>, tensor<64x128xf16>, tensor<128x128xf32> -> tensor<128x128xf32>

// CHECK: %d = nv_tileas.tiled_load %src {nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>>}
// CHECK-SAME: : memref<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16, #nv_tileas.layout<
%d = nv_tileas.tiled_load %src
    {nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>>}
    : memref<128x64xf16, #smem> -> tensor<128x64xf16, #dot_a>

// CHECK: %t = nv_tileas.tiled_load %src : {{.*}} -> tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1)>>>
%t = nv_tileas.tiled_load %src : memref<128x64xf16, #smem> -> tensor<128x64xf16, #smem_blocked>
// CHECK-NEXT: %c = nv_tileas.convert_layout %t
%c = nv_tileas.convert_layout %t : tensor<128x64xf16, #smem_blocked>
                                -> tensor<128x64xf16, #smem_swizzled>

// CHECK: %m = nv_tileas.alloc_tensor : tensor<2x128x64xf16, #nv_tileas.memory<smem>>
%m = nv_tileas.alloc_tensor : tensor<2x128x64xf16, #smem>
// CHECK-NEXT: %n = nv_tileas.view %m {offset = 8192 : i64} : tensor<2x128x64xf16, #nv_tileas.memory<smem>> to tensor<128x64xf16, #nv_tileas.memory<smem>>
%n = nv_tileas.view %m {offset = 8192} : tensor<2x128x64xf16, #smem> to tensor<128x64xf16, #smem>
%o = nv_tileas.view %m {offset = 0} : tensor<2x128x64xf16, #smem> to tensor<128x64xf16, #smem>
// CHECK: %buf = tile.select %flag, %n, %o : tensor<128x64xf16, #nv_tileas.memory<smem>>
%buf = tile.select %flag, %n, %o : tensor<128x64xf16, #smem>
// CHECK-NEXT: %p = nv_tileas.view %m offset %offset : {{.*}} to tensor<128x64xf16, #nv_tileas.memory<smem>>
%p = nv_tileas.view %m offset %offset : tensor<2x128x64xf16, #smem> to tensor<128x64xf16, #smem>
