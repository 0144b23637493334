// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: flush_to_zero modifier only supported for f32 data type, but got: 'f64'
%a = "test.op"() : () -> (f64)
%b = nv_tileaa.addf %a, %a flush_to_zero : f64

// -----
// CHECK: expects one of the rounding modes nearest_even, zero, negative_inf, positive_inf, but got approx
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.mulf %a, %a rounding<approx> : f32

// -----
// CHECK: expects one of the rounding modes approx, full, but got zero
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.tanh %a rounding<zero> : f32

// -----
// CHECK: approx modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> (tensor<4xf16>)
%b = nv_tileaa.sqrt %a rounding<approx> : tensor<4xf16>

// -----
// CHECK: full modifier only supported for f32 data type, but got: 'f64'
%a = "test.op"() : () -> (f64)
%b = nv_tileaa.divf %a, %a rounding<full> : f64

// -----
// CHECK: requires the same shape for all operands and results
%a, %n = "test.op"() : () -> (tensor<4xf32>, i32)
%b = nv_tileaa.fpowi %a, %n : tensor<4xf32>, i32

// -----
// CHECK: requires the same shape for all operands and results
%a = "test.op"() : () -> (tensor<4xf32>)
%b = nv_tileaa.fp_to_fp %a : tensor<4xf32> to tensor<8xf16>

// -----
// CHECK: expects a result narrower than i32, but got i32
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.trunci %a : i32 to i32

// -----
// CHECK: unsupported float type in a conversion: f80
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.fp_to_fp %a : f32 to f80

// -----
// CHECK: expects one of the rounding modes nearest_even, zero, negative_inf, positive_inf, nearest_away, but got full
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.fp_to_fp %a rounding<full> : f32 to f16

// -----
// CHECK: expects element types of equal width, but got i32 and f16 of 32 and 16 bits
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.bitcast %a : i32 to f16

// -----
// CHECK: expects integers or floats, but got index
%a = "test.op"() : () -> (index)
%b = nv_tileaa.bitcast %a : index to i64

// -----
// CHECK: expects tensors of rank 1, but got tensor<2x8xf4E2M1FN>
%a = "test.op"() : () -> (tensor<2x8xf4E2M1FN>)
%b = nv_tileaa.pack %a : tensor<2x8xf4E2M1FN> -> tensor<8xi8>

// -----
// CHECK: requires the same number of bits in source and result, but got 32 and 64
%a = "test.op"() : () -> (tensor<8xf4E2M1FN>)
%b = nv_tileaa.pack %a : tensor<8xf4E2M1FN> -> tensor<8xi8>

// -----
// CHECK: expects the elements of the result to be i8, but got tensor<2xi16>
%a = "test.op"() : () -> (tensor<8xf4E2M1FN>)
%b = nv_tileaa.pack %a : tensor<8xf4E2M1FN> -> tensor<2xi16>

// -----
// CHECK: expects the elements of the source to be i8, but got tensor<2xi16>
%a = "test.op"() : () -> (tensor<2xi16>)
%b = nv_tileaa.unpack %a : tensor<2xi16> -> tensor<8xf4E2M1FN>

// -----
// CHECK: expects the entry block arguments to have the input types of the function type
"nv_tileaa.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%a: i64):
  "nv_tileaa.return"() : () -> ()
}) : () -> ()

// -----
// CHECK: expects a kernel to have no results
nv_tileaa.func @f(%a: i32) -> i32 attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  nv_tileaa.return %a : i32
}

// -----
// CHECK: expects parent op 'nv_tileaa.func'
nv_tileaa.return

// -----
// CHECK: expects operands of the function's result types, [i32], but got []
nv_tileaa.func @f(%a: i32) -> i32 {
  nv_tileaa.return
}

// -----
// CHECK: expects axis 0, 1 or 2, but got 3
%a = nv_tileaa.get_program_id 3 : i32

// -----
// CHECK: expects axis 0 or 1, but got 2
%a = nv_tileaa.get_cta_id 2 : i32

// -----
// CHECK: expects a rank-1 tensor of i32
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.make_range %a, %a : i32 -> tensor<4xi64>

// -----
// CHECK: 'nv_tileaa.div_by' divisor must be a power of 2
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.assume #nv_tileaa.div_by<3>, %a : i32

// -----
// CHECK: 'nv_tileaa.div_by' divisor is too large
%a = "test.op"() : () -> (i64)
%b = nv_tileaa.assume #nv_tileaa.div_by<9223372036854775808>, %a : i64

// -----
// CHECK: 'nv_tileaa.div_by' is valid only for integers, pointers and memrefs, but got f32
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.assume #nv_tileaa.div_by<4>, %a : f32

// -----
// CHECK: 'nv_tileaa.div_by' 'every'/'along' cannot be used if the constrained value is a memref
%a = "test.op"() : () -> (!nv_tileaa.memref<f32>)
%b = nv_tileaa.assume #nv_tileaa.div_by<4, every 1 along 0>, %a : !nv_tileaa.memref<f32>

// -----
// CHECK: 'nv_tileaa.div_by' 'every'/'along' cannot be used if the constrained value is a 0D tile
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.assume #nv_tileaa.div_by<4, every 1 along 0>, %a : i32

// -----
// CHECK: 'nv_tileaa.div_by' expects 'along' to be below 1, but got 1
%a = "test.op"() : () -> (tensor<4xi32>)
%b = nv_tileaa.assume #nv_tileaa.div_by<4, every 1 along 1>, %a : tensor<4xi32>

// -----
// CHECK: 'nv_tileaa.div_by' expects 'every' to be at most 4, but got 8
%a = "test.op"() : () -> (tensor<4xi32>)
%b = nv_tileaa.assume #nv_tileaa.div_by<4, every 8 along 0>, %a : tensor<4xi32>

// -----
// CHECK: 'nv_tileaa.bounded' expects lower bound to be less than or equal to upper bound
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.assume #nv_tileaa.bounded<1, 0>, %a : i32

// -----
// CHECK: 'nv_tileaa.bounded' is valid only for integers, but got f32
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.assume #nv_tileaa.bounded<0, 1>, %a : f32

// -----
// CHECK: 'nv_tileaa.bounded' expects upper bound to be within [-128, 127]
%a = "test.op"() : () -> (i8)
%b = nv_tileaa.assume #nv_tileaa.bounded<0, 128>, %a : i8

// -----
// CHECK: 'nv_tileaa.same_elements' is valid only for integers and pointers, but got f32
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.assume #nv_tileaa.same_elements<[]>, %a : f32

// -----
// CHECK: 'nv_tileaa.same_elements' expects 1 lengths, but got 2
%a = "test.op"() : () -> (tensor<4xi32>)
%b = nv_tileaa.assume #nv_tileaa.same_elements<[1, 1]>, %a : tensor<4xi32>

// -----
// CHECK: 'nv_tileaa.same_elements' expects lengths from 0 to 4, but got 8
%a = "test.op"() : () -> (tensor<4xi32>)
%b = nv_tileaa.assume #nv_tileaa.same_elements<[8]>, %a : tensor<4xi32>

// -----
// CHECK: expects a result tensor with elements of type i32, but got tensor<4xi64>
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.splat %a : i32 -> tensor<4xi64>

// -----
// CHECK: requires the same rank and element type for source and result
%a = "test.op"() : () -> (tensor<2xi32>)
%b = nv_tileaa.broadcast %a : tensor<2xi32> -> tensor<2x8xi32>

// -----
// CHECK: expects a source extent of 1 or 8, that of the result, but got 2
%a = "test.op"() : () -> (tensor<2xi32>)
%b = nv_tileaa.broadcast %a : tensor<2xi32> -> tensor<8xi32>

// -----
// CHECK: requires the same element type for source and result
%a = "test.op"() : () -> (tensor<2xi32>)
%b = nv_tileaa.view %a : tensor<2xi32> -> tensor<2xf32>

// -----
// CHECK: requires the same number of elements in source and result
%a = "test.op"() : () -> (tensor<2xi32>)
%b = nv_tileaa.view %a : tensor<2xi32> -> tensor<8xi32>

// -----
// CHECK: expects a source of one element where no indices are given
%a = "test.op"() : () -> (tensor<2xi32>)
%b = nv_tileaa.extract %a : tensor<2xi32> -> i32

// -----
// CHECK: requires the same element type for source and result
%a = "test.op"() : () -> (tensor<1xi32>)
%b = nv_tileaa.extract %a : tensor<1xi32> -> f32

// -----
// CHECK: expects at most 1 indices, but got 2
%a, %i = "test.op"() : () -> (tensor<2xi32>, i32)
%b = nv_tileaa.extract %a[%i, %i : i32, i32] : tensor<2xi32> -> i32

// -----
// CHECK: expects a result of type tensor<4xi32>, but got tensor<2xi32>
%a, %i = "test.op"() : () -> (tensor<2x4xi32>, i32)
%b = nv_tileaa.extract %a[%i : i32] : tensor<2x4xi32> -> tensor<2xi32>

// -----
// CHECK: expects an axis of at least 0 and below 2, but got 2
%a = "test.op"() : () -> (tensor<4xi32>)
%b = nv_tileaa.expand_dims %a {axis = 2 : i32} : tensor<4xi32> -> tensor<4x1xi32>

// -----
// CHECK: expects a result of type tensor<1x4xi32>, but got tensor<4x1xi32>
%a = "test.op"() : () -> (tensor<4xi32>)
%b = nv_tileaa.expand_dims %a {axis = 0 : i32} : tensor<4xi32> -> tensor<4x1xi32>

// -----
// CHECK: expects a permutation of 2 dimensions, but got [0, 0]
%a = "test.op"() : () -> (tensor<2x4xi32>)
%b = nv_tileaa.permute %a {permutation = array<i32: 0, 0>} : tensor<2x4xi32> -> tensor<2x2xi32>

// -----
// CHECK: expects a result of type tensor<4x2xi32>, but got tensor<2x4xi32>
%a = "test.op"() : () -> (tensor<2x4xi32>)
%b = nv_tileaa.permute %a {permutation = array<i32: 1, 0>} : tensor<2x4xi32> -> tensor<2x4xi32>

// -----
// CHECK: requires the same rank and element type for lhs and rhs
%a, %b = "test.op"() : () -> (tensor<4xi32>, tensor<4xf32>)
%c = nv_tileaa.cat %a, %b {axis = 0 : i32} : tensor<4xi32>, tensor<4xf32> -> tensor<8xi32>

// -----
// CHECK: requires the same extents for lhs and rhs outside axis 0
%a, %b = "test.op"() : () -> (tensor<4x2xi32>, tensor<4x4xi32>)
%c = nv_tileaa.cat %a, %b {axis = 0 : i32} : tensor<4x2xi32>, tensor<4x4xi32> -> tensor<8x2xi32>

// -----
// CHECK: expects a result of type tensor<8xi32>, but got tensor<4xi32>
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.cat %a, %a {axis = 0 : i32} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>

// -----
// CHECK: requires the same rank and element type for tile and slice
%a, %i = "test.op"() : () -> (tensor<4xi32>, i32)
%b = nv_tileaa.extract_slice %a[%i : i32] : tensor<4xi32> -> tensor<2xf32>

// -----
// CHECK: expects slice extents that divide the extents of tensor<4xi32>, but got tensor<3xi32>
%a, %i = "test.op"() : () -> (tensor<4xi32>, i32)
%b = nv_tileaa.extract_slice %a[%i : i32] : tensor<4xi32> -> tensor<3xi32>

// -----
// CHECK: expects 1 indices, but got 2
%a, %b, %i = "test.op"() : () -> (tensor<4xi32>, tensor<2xi32>, i32)
%c = nv_tileaa.insert_slice %b into %a[%i, %i : i32, i32] : tensor<2xi32>, tensor<4xi32> -> tensor<4xi32>

// -----
// CHECK: expects 2 block arguments of type i32
%a = nv_tileaa.generate : tensor<2x2xi32> {
^bb0(%i: i32):
  nv_tileaa.yield %i : i32
}

// -----
// CHECK: expects the body to yield values of types [f32], but got [i32]
%a = nv_tileaa.generate : tensor<2xf32> {
^bb0(%i: i32):
  nv_tileaa.yield %i : i32
}

// -----
// CHECK: expects the result to be a rank-1 tensor of integers, but got tensor<2x2xi32>
%a = "test.op"() : () -> (tensor<4xi32>)
%b = nv_tileaa.histogram %a : tensor<4xi32> -> tensor<2x2xi32>

// -----
// CHECK: expects at least one operand
"nv_tileaa.reduce"() <{axis = 0 : i32}> ({
  "nv_tileaa.yield"() : () -> ()
}) : () -> ()

// -----
// CHECK: requires the same shape for all operands
%a, %b = "test.op"() : () -> (tensor<4xi32>, tensor<8xi32>)
%c, %d = nv_tileaa.reduce %a, %b {axis = 0 : i32} : tensor<4xi32>, tensor<8xi32> -> i32, i32 {
^bb0(%e: i32, %f: i32, %g: i32, %h: i32):
  nv_tileaa.yield %e, %g : i32, i32
}

// -----
// CHECK: expects an axis of at least 0 and below 1, but got 1
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.reduce %a {axis = 1 : i32} : tensor<4xi32> -> i32 {
^bb0(%e: i32, %f: i32):
  nv_tileaa.yield %e : i32
}

// -----
// CHECK: expects 1 results, but got 2
%a = "test.op"() : () -> (tensor<4xi32>)
%c, %d = nv_tileaa.reduce %a {axis = 0 : i32} : tensor<4xi32> -> i32, i32 {
^bb0(%e: i32, %f: i32):
  nv_tileaa.yield %e : i32
}

// -----
// CHECK: expects a result of type i32, but got tensor<4xi32>
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.reduce %a {axis = 0 : i32} : tensor<4xi32> -> tensor<4xi32> {
^bb0(%e: i32, %f: i32):
  nv_tileaa.yield %e : i32
}

// -----
// CHECK: expects block arguments of types [i32, i32], but got [i32, i64]
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.reduce %a {axis = 0 : i32} : tensor<4xi32> -> i32 {
^bb0(%e: i32, %f: i64):
  nv_tileaa.yield %e : i32
}

// -----
// CHECK: expects regions to end with 'nv_tileaa.yield'
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.reduce %a {axis = 0 : i32} : tensor<4xi32> -> i32 {
^bb0(%e: i32, %f: i32):
  "test.termop"() : () -> ()
}

// -----
// CHECK: expects ops without side effects in its body, but got 'test.op'
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.scan %a {axis = 0 : i32, inclusive = true} : tensor<4xi32> -> tensor<4xi32> {
^bb0(%e: i32, %f: i32):
  "test.op"() : () -> ()
  nv_tileaa.yield %e : i32
}

// -----
// CHECK: expects identities of types [i32], but got [i64]
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.reduce %a {axis = 0 : i32, identities = [0 : i64]} : tensor<4xi32> -> i32 {
^bb0(%e: i32, %f: i32):
  nv_tileaa.yield %e : i32
}

// -----
// CHECK: expects an inclusive scan
%a = "test.op"() : () -> (tensor<4xi32>)
%c = nv_tileaa.scan %a {axis = 0 : i32, inclusive = false} : tensor<4xi32> -> tensor<4xi32> {
^bb0(%e: i32, %f: i32):
  nv_tileaa.yield %e : i32
}

// -----
// CHECK: expects 1, 2, 4, 8, 16 or 32 lanes of a warp, but got 3
"test.op"() {a = #cute_nvgpu.reduce_atom<3>} : () -> ()

// -----
// CHECK: expected the element types of A, B, C, and D to be either all integers or all floats.
%a, %b, %c = "test.op"() : () -> (tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>)
%d = nv_tileaa.dot %a, %b, %c : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>

// -----
// CHECK: expects #A and #B have same bit width but got 8 vs 16
%a, %b, %c = "test.op"() : () -> (tensor<4x4xi8>, tensor<4x4xi16>, tensor<4x4xi32>)
%d = nv_tileaa.dot %a, %b, %c : tensor<4x4xi8>, tensor<4x4xi16>, tensor<4x4xi32>

// -----
// CHECK: expect signedness attribute for operand A
%a, %c = "test.op"() : () -> (tensor<4x4xi8>, tensor<4x4xi32>)
%d = nv_tileaa.dot %a, %a, %c : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi32>

// -----
// CHECK: expect signedness attribute for operand B
%a, %c = "test.op"() : () -> (tensor<4x4xi8>, tensor<4x4xi32>)
%d = nv_tileaa.dot %a, %a, %c {signedness_a = #nv_tileaa.signedness<signed>} : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi32>

// -----
// CHECK: expects #C element type to be either f32 or f16, but got f64
%a, %c = "test.op"() : () -> (tensor<4x4xf4E2M1FN>, tensor<4x4xf64>)
%d = nv_tileaa.dot %a, %a, %c : tensor<4x4xf4E2M1FN>, tensor<4x4xf4E2M1FN>, tensor<4x4xf64>

// -----
// CHECK: expects #C element type to be f32, but got f16
%a, %c = "test.op"() : () -> (tensor<4x4xbf16>, tensor<4x4xf16>)
%d = nv_tileaa.dot %a, %a, %c : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xf16>

// -----
// CHECK: expects rank-2 or rank-3 tensor for result, but got (1)
%a = "test.op"() : () -> (tensor<4xf32>)
%d = nv_tileaa.dot %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>

// -----
// CHECK: expects the shape of operand #A and #B to be compatible
%a, %c = "test.op"() : () -> (tensor<4x8xf32>, tensor<4x8xf32>)
%d = nv_tileaa.dot %a, %a, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>

// -----
// CHECK: expects the shape of operand #C is compatible with operands #A and #B
%a, %c = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x8xf32>)
%d = nv_tileaa.dot %a, %a, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x8xf32>

// -----
// CHECK: expects both SFA and SFB to be present
%a, %s = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x1xf8E8M0FNU>)
%d = "nv_tileaa.dot"(%a, %a, %a, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf8E8M0FNU>) -> tensor<4x4xf32>

// -----
// CHECK: expects one of the input precisions tf32, ieee, but got fp8
%a = "test.op"() : () -> (tensor<4x4xf32>)
%d = nv_tileaa.dot %a, %a, %a {input_precision = "fp8"} : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>

// -----
// CHECK: expects activation, filter and accumulator of the same rank, from 3 to 5
%a, %f, %c = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
%d = nv_tileaa.conv_dot %a, %f, %c {convParams = #nv_tileaa.conv_params<padding = [0], stride = [1], dilation = [1]>, activationLayout = #nv_tileaa.activation_layout<channels_last>} : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>

// -----
// CHECK: expects conv params size matched with each other
%a, %f, %c = "test.op"() : () -> (tensor<1x4x2xf32>, tensor<2x3x2xf32>, tensor<1x2x2xf32>)
%d = nv_tileaa.conv_dot %a, %f, %c {convParams = #nv_tileaa.conv_params<padding = [0, 0], stride = [1, 1], dilation = [1, 1]>, activationLayout = #nv_tileaa.activation_layout<channels_last>} : tensor<1x4x2xf32>, tensor<2x3x2xf32>, tensor<1x2x2xf32>

// -----
// CHECK: expects activation and filter of the same number of channels
%a, %f, %c = "test.op"() : () -> (tensor<1x4x2xf32>, tensor<2x3x4xf32>, tensor<1x2x2xf32>)
%d = nv_tileaa.conv_dot %a, %f, %c {convParams = #nv_tileaa.conv_params<padding = [0], stride = [1], dilation = [1]>, activationLayout = #nv_tileaa.activation_layout<channels_last>} : tensor<1x4x2xf32>, tensor<2x3x4xf32>, tensor<1x2x2xf32>

// -----
// CHECK: expects the accumulator to have a batch of 1, output extents [2] and 2 channels
%a, %f, %c = "test.op"() : () -> (tensor<1x4x2xf32>, tensor<2x3x2xf32>, tensor<1x4x2xf32>)
%d = nv_tileaa.conv_dot %a, %f, %c {convParams = #nv_tileaa.conv_params<padding = [0], stride = [1], dilation = [1]>, activationLayout = #nv_tileaa.activation_layout<channels_last>} : tensor<1x4x2xf32>, tensor<2x3x2xf32>, tensor<1x4x2xf32>
