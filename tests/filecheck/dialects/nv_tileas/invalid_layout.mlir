// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: shape and stride of a layout must have the same nesting, got (16, 16) and (1)
"test.op"() {a = #nv_tileas.layout<(16, 16), (1)>} : () -> ()

// -----
// CHECK: shape and stride of a layout must have the same nesting, got (16, (8, 2)) and (1, 16)
"test.op"() {a = #nv_tileas.layout<(16, (8, 2)), (1, 16)>} : () -> ()

// -----
// CHECK: layout extents must be positive, got 0
"test.op"() {a = #nv_tileas.layout<(16, 0), (1, 16)>} : () -> ()

// -----
// CHECK: Expected integer literal
"test.op"() {a = #nv_tileas.layout<(16, -4), (1, 16)>} : () -> ()

// -----
// CHECK: unknown element type 'f128' in layout
"test.op"() {a = #nv_tileas.layout<(16, 0), (1), swizzle<9, 9, 9>, elem=f128>} : () -> ()

// -----
// CHECK: unsupported swizzle, got <3, 3, 3>
"test.op"() {a = #nv_tileas.layout<(16, 16), (1, 16), swizzle<3, 3, 3>>} : () -> ()

// -----
// CHECK: expected a power of two, got 24
"test.op"() {a = #nv_tileas.layout<(24, 64), (64, 1), swizzle<3, 4, 3>>} : () -> ()

// -----
// CHECK: (16, 16):(8, 1) is not linear over F2: sums of its strides carry
"test.op"() {a = #nv_tileas.layout<(16, 16), (8, 1), swizzle<3, 4, 3>>} : () -> ()

// -----
// CHECK: expected four modes (register, lane, warp, block), got (2, 32):(1, 2)
%a = "test.op"() : () -> tensor<64xf32, #nv_tileas.layout<(2, 32), (1, 2)>>
%b = nv_tileas.convert_layout %a : tensor<64xf32, #nv_tileas.layout<(2, 32), (1, 2)>> -> tensor<64xf32>

// -----
// CHECK: expected a power of two, got 3
%a = "test.op"() : () -> tensor<96xf32>
%b = nv_tileas.convert_layout %a : tensor<96xf32> -> tensor<96xf32, #nv_tileas.layout<(3, 32, 1, 1), (1, 3, 0, 0)>>

// -----
// CHECK: base 64 is outside a tile of 64 elements
%m, %i = "test.op"() : () -> (!nv_tileas.tiled_view<64xf32, gmem>, index)
%x = nv_tileas.tiled_load %m[%i] : !nv_tileas.tiled_view<64xf32, gmem>[index] -> tensor<64xf32, #nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>>

// -----
// CHECK: expects a register layout of 4 modes or a memory layout of 1 modes, but got 2 modes
%m, %i = "test.op"() : () -> (!nv_tileas.tiled_view<64xf32, gmem>, index)
%x = nv_tileas.tiled_load %m[%i] {nv_tileas.layout = <(8, 8), (8, 1)>} : !nv_tileas.tiled_view<64xf32, gmem>[index] -> tensor<64xf32>

// -----
// CHECK: Expected a decimal integer without leading zeros
"test.op"() {a = #nv_tileas.layout<(0x10, 16), (1, 16)>} : () -> ()
