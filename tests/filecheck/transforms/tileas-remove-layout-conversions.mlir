// RUN: xdsl-opt %s --split-input-file -p tileas-remove-layout-conversions | filecheck %s

// A buffer is loaded in the layout to which it is converted.

#smem = #nv_tileas.memory<smem>
#smem_blocked = #nv_tileas.memory<smem, <(128, 64), (64, 1)>>
#smem_swizzled = #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>
// CHECK-LABEL: @buffer
nv_tileaa.func @buffer(%src: memref<128x64xf16, #smem>, %w: tensor<64x64xf16, #smem>, %acc: tensor<128x64xf32>) {
  // CHECK: %t = nv_tileas.tiled_load %src : memref<128x64xf16, #nv_tileas.memory<smem>> -> tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
  // CHECK-NOT: convert_layout
  // CHECK-NEXT: %r = nv_tileas.wgmma %t, %w, %acc :
  %t = nv_tileas.tiled_load %src : memref<128x64xf16, #smem> -> tensor<128x64xf16, #smem_blocked>
  %c = nv_tileas.convert_layout %t : tensor<128x64xf16, #smem_blocked>
                                  -> tensor<128x64xf16, #smem_swizzled>
  %r = nv_tileas.wgmma %c, %w, %acc : tensor<128x64xf16, #smem_swizzled>, tensor<64x64xf16, #smem>, tensor<128x64xf32> -> tensor<128x64xf32>
  "test.op"(%r) : (tensor<128x64xf32>) -> ()
  nv_tileaa.return
}

// -----

// A sum is computed in the layout of the tiles around it, with a constant of that layout; the arms
// of a branch yield what they have, and one conversion behind them serves both.

#a = #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>
#b = #nv_tileas.layout<((2, 4), 32, 4, 1), ((1, 256), 2, 64, 0)>
// CHECK-LABEL: @registers
nv_tileaa.func @registers(%x: tensor<1024xf32, #a>, %flag: i1) {
  // CHECK: %k = arith.constant dense<1.000000e+00> : tensor<1024xf32, [[A:#nv_tileas.layout<.*>]]>
  // CHECK-NEXT: %z = arith.addf %x, %k : tensor<1024xf32, [[A]]>
  // CHECK-NEXT: "test.op"(%z) : (tensor<1024xf32, [[A]]>) -> ()
  %k = arith.constant dense<1.0> : tensor<1024xf32, #b>
  %y = nv_tileas.convert_layout %x : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
  %z = arith.addf %y, %k : tensor<1024xf32, #b>
  %v = nv_tileas.convert_layout %z : tensor<1024xf32, #b> -> tensor<1024xf32, #a>
  "test.op"(%v) : (tensor<1024xf32, #a>) -> ()
  // CHECK-NEXT: %i = scf.if %flag -> (tensor<1024xf32, [[A]]>) {
  // CHECK-NOT: convert_layout
  // CHECK: scf.yield %p : tensor<1024xf32, [[A]]>
  // CHECK-NOT: convert_layout
  // CHECK: scf.yield %q : tensor<1024xf32, [[A]]>
  // CHECK: nv_tileas.convert_layout %i : tensor<1024xf32, [[A]]> ->
  %i = scf.if %flag -> (tensor<1024xf32, #b>) {
    %p = "test.op"() : () -> tensor<1024xf32, #a>
    %p2 = nv_tileas.convert_layout %p : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    scf.yield %p2 : tensor<1024xf32, #b>
  } else {
    %q = "test.op"() : () -> tensor<1024xf32, #a>
    %q2 = nv_tileas.convert_layout %q : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    scf.yield %q2 : tensor<1024xf32, #b>
  }
  "test.op"(%i) : (tensor<1024xf32, #b>) -> ()
  nv_tileaa.return
}
