// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: all dimensions must be positive constants, got [?, 4]
%a = nv_tileas.alloc_tensor : tensor<?x4xf32>

// -----
// CHECK: requires the same rank and element type for tile and slice
%a = "test.op"() : () -> tensor<16x16xf32>
%s = nv_tileas.extract_slice %a[0, 0][16, 16][1, 1] : tensor<16x16xf32> to tensor<16x16xf16>

// -----
// CHECK: expects 2 offsets, and an operand for each dynamic one, but got 1, and 0 operands
%a = "test.op"() : () -> tensor<16x16xf32>
%s = nv_tileas.extract_slice %a[0][16, 16][1, 1] : tensor<16x16xf32> to tensor<16x16xf32>

// -----
// CHECK: expects 2 strides, and an operand for each dynamic one, but got 3, and 0 operands
%a, %s = "test.op"() : () -> (tensor<16x16xf32>, tensor<4x4xf32>)
%r = nv_tileas.insert_slice %s into %a[0, 0][4, 4][1, 1, 1] : tensor<4x4xf32> into tensor<16x16xf32>

// -----
// CHECK: expects a slice of sizes [4, ?], but got [4, 8]
%a, %n = "test.op"() : () -> (tensor<16x16xf32>, index)
%s = nv_tileas.extract_slice %a[0, 0][4, %n][1, 1] : tensor<16x16xf32> to tensor<4x8xf32>

// -----
// CHECK: expects offsets of at least 0, but got -1
%a = "test.op"() : () -> tensor<16xf32>
%s = nv_tileas.extract_slice %a[-1][4][1] : tensor<16xf32> to tensor<4xf32>

// -----
// CHECK: expects strides of at least 1, but got 0
%a = "test.op"() : () -> tensor<16xf32>
%s = nv_tileas.extract_slice %a[0][4][0] : tensor<16xf32> to tensor<4xf32>

// -----
// CHECK: slice reaches index 17 of a dimension whose extent is only 16
%v = "test.op"() : () -> !async.value<tile<16xf32>>
%s = nv_tileas.async.extract_slice %v[11][4][2] : !async.value<tile<16xf32>> to !async.value<tile<4xf32>>

// -----
// CHECK: Integer value 18446744073709551616 is out of range for type i64 which supports values in the range [-9223372036854775808, 18446744073709551616)
%a = "test.op"() : () -> tensor<16x16xf32>
%s = nv_tileas.extract_slice %a[18446744073709551616, 0][8, 8][1, 1] : tensor<16x16xf32> to tensor<8x8xf32>
