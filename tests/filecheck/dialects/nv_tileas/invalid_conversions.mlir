// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: requires the same shape and element type for source and result
%a = "test.op"() : () -> tensor<16xf32>
%b = nv_tileas.convert_layout %a : tensor<16xf32> -> tensor<16xf16>

// -----
// CHECK: requires the same shape and element type for source and result
%a = "test.op"() : () -> tensor<16xf32>
%b = nv_tileas.shuffle %a : tensor<16xf32> -> tensor<8xf32>

// -----
// CHECK: requires register layouts for source and result
%a = "test.op"() : () -> tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
%b = nv_tileas.shuffle %a : tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>> -> tensor<64xf32>

// -----
// CHECK: expects elements to stay in their warp
%a = "test.op"() : () -> tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 1), (0, 1, 32, 0)>>
%b = nv_tileas.shuffle %a : tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 1), (0, 1, 32, 0)>> -> tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 1), (0, 2, 1, 0)>>

// -----
// CHECK: cannot convert a layout of 1 warps to one of 2
%a = "test.op"() : () -> tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
%b = nv_tileas.shuffle %a : tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>> -> tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 1), (0, 1, 32, 0)>>

// -----
// CHECK: (1, 32, 2, 1):(0, 2, 2, 0) is not linear over F2: sums of its strides carry
%a = "test.op"() : () -> tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 1), (0, 1, 32, 0)>>
%b = nv_tileas.shuffle %a : tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 1), (0, 1, 32, 0)>> -> tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 1), (0, 2, 2, 0)>>

// -----
// CHECK: expected a power of two, got 11
%a = "test.op"() : () -> tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
%b = nv_tileas.shuffle %a : tensor<64xf32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>> -> tensor<64xf32, #nv_tileas.layout<(1, 32, 2, 11), (0, 1, 32, 0)>>

// -----
// CHECK: expects at most one offset, either a constant or an operand
%a, %o = "test.op"() : () -> (tensor<64xf32>, index)
%b = nv_tileas.view %a offset %o {offset = 0} : tensor<64xf32>

// -----
// CHECK: requires the same element type for source and result
%a = "test.op"() : () -> tensor<64xf32>
%b = nv_tileas.view %a : tensor<64xf32> to tensor<64xi32>

// -----
// CHECK: requires the same element type for source and result
%a = "test.op"() : () -> tensor<64xf32>
%b = nv_tileas.view %a : tensor<64xf32> to !nv_tileas.tiled_view<64xf16, rmem>

// -----
// CHECK: requires the same rank for source and result, and equal extents where both are known
%a = "test.op"() : () -> tensor<64x?xf32>
%b = nv_tileas.view %a : tensor<64x?xf32> to tensor<?xf32>

// -----
// CHECK: requires the same number of elements in source and result
%a = "test.op"() : () -> tensor<64xf32>
%b = nv_tileas.view %a : tensor<64xf32> to tensor<32xf32>

// -----
// CHECK: the view from element 64 to 95 exceeds the 64 elements
%a = "test.op"() : () -> tensor<64xf32>
%b = nv_tileas.view %a {offset = 64} : tensor<64xf32> to tensor<32xf32>

// -----
// CHECK: expects an axis of at least 0 and below 2, but got 2
%a = "test.op"() : () -> tensor<64xf32>
%b = nv_tileas.expand_dims %a {axis = 2 : i32} : tensor<64xf32> -> tensor<64x1xf32>

// -----
// CHECK: expects a result of type tensor<1x64xf32>, but got tensor<64x1xf32>
%a = "test.op"() : () -> tensor<64xf32>
%b = nv_tileas.expand_dims %a {axis = 0 : i32} : tensor<64xf32> -> tensor<64x1xf32>

// -----
// CHECK: requires the same number of bits in source and result
%a = "test.op"() : () -> tensor<64xf32>
%b = nv_tileas.reinterpret %a : tensor<64xf32> -> tensor<64xi8>

// -----
// CHECK: expects integers or floats, but got index
%a = "test.op"() : () -> tensor<64xindex>
%b = nv_tileas.reinterpret %a : tensor<64xindex> -> tensor<64xi64>

// -----
// CHECK: expects 1 block arguments of type i32
%a = nv_tileas.generate : tensor<4xi32> {
  %c = arith.constant 1 : i32
  nv_tileas.yield %c : i32
}

// -----
// CHECK: expects regions to end with 'nv_tileas.yield'
%a = nv_tileas.generate : tensor<4xi32> {
^bb0(%i: i32):
  nv_tileaa.yield %i : i32
}

// -----
// CHECK: expects ops without side effects in its body, but got 'nv_tileas.fence'
%a = nv_tileas.generate : tensor<4xi32> {
^bb0(%i: i32):
  nv_tileas.fence acq_rel gpu
  nv_tileas.yield %i : i32
}
