// RUN: xdsl-opt %s -p tileas-assign-load-store-layouts,tileas-remove-layout-conversions | filecheck %s
// The worked example of the TileAS layout notes: a tile in shared memory, loaded into the fragments
// of operand A. The load gets its layout there and the encoding of the fragments; the conversion
// that was asked for is no longer needed.

#smem = #nv_tileas.memory<smem>
#dot_a = #nv_tileas.layout<((2, 2, 8, 2), (4, 8), 4, 1), ((1, 512, 8, 4096), (2, 64), 1024, 0)>
#smem_b = #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>

// CHECK: %a = nv_tileas.tiled_load %src
// CHECK-SAME: {{{.*}}nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>>}
// CHECK-SAME: : memref<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16, [[DOT_A:.*]]>
// CHECK-NOT: convert_layout
// CHECK: %r = nv_tileas.wgmma %a, %w, %acc : tensor<128x64xf16, [[DOT_A]]>, tensor<64x64xf16, {{.*}}>, tensor<128x64xf32, {{.*}}> -> tensor<128x64xf32, {{.*}}>
// CHECK-NOT: convert_layout
nv_tileaa.func @example() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %src, %w, %acc = "test.op"() : () -> (memref<128x64xf16, #smem>, tensor<64x64xf16, #smem_b>, tensor<128x64xf32>)
  %a = nv_tileas.tiled_load %src : memref<128x64xf16, #smem> -> tensor<128x64xf16>
  %b = nv_tileas.convert_layout %a : tensor<128x64xf16> -> tensor<128x64xf16, #dot_a>
  %r = nv_tileas.wgmma %b, %w, %acc : tensor<128x64xf16, #dot_a>, tensor<64x64xf16, #smem_b>, tensor<128x64xf32> -> tensor<128x64xf32>
  "test.op"(%r) : (tensor<128x64xf32>) -> ()
  nv_tileaa.return
}
