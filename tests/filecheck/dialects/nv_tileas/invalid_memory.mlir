// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: expects one pointer to f16 for each element of tensor<16xf16>, but got tensor<16x!nv_tileaa.ptr<f32>>
%p = "test.op"() : () -> tensor<16x!nv_tileaa.ptr<f32>>
%a = nv_tileas.async.load weak %p : tensor<16x!nv_tileaa.ptr<f32>> -> !async.value<tile<16xf16>>

// -----
// CHECK: requires the same type for other and value
%p, %o = "test.op"() : () -> (tensor<16x!nv_tileaa.ptr<f32>>, tensor<8xf32>)
%a = nv_tileas.async.load weak %p other = %o : tensor<8xf32> : tensor<16x!nv_tileaa.ptr<f32>> -> !async.value<tile<16xf32>>

// -----
// CHECK: expects a destination buffer with the shape and elements of tensor<16xf32>, but got tensor<8xf32>
%p, %o = "test.op"() : () -> (tensor<16x!nv_tileaa.ptr<f32>>, tensor<8xf32>)
%a = nv_tileas.async.load weak %p into %o : tensor<8xf32> : tensor<16x!nv_tileaa.ptr<f32>> -> !async.value<tile<16xf32>>

// -----
// CHECK: unsupported mem_semantic: acquire
%p, %o = "test.op"() : () -> (tensor<16x!nv_tileaa.ptr<f32>>, tensor<16xf32>)
%a = nv_tileas.async.store acquire gpu %p, %o : tensor<16x!nv_tileaa.ptr<f32>>, tensor<16xf32> -> !nv_tileas.async_token

// -----
// CHECK: expects a rank-1 tile of 16 positions as coordinate of dimension 0, but got tensor<8xi32>
%v, %i, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<8xi32>)
%g = nv_tileas.gather_load weak %v[%r, %i] {sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<16x8xf32>[tensor<8xi32>, i32] -> tensor<16x8xf32>

// -----
// CHECK: requires the same shape and element type for source and result
%a = "test.op"() : () -> tensor<16xf32>
%b = nv_tileas.copy %a : tensor<16xf32> -> tensor<16xf16>

// -----
// CHECK: expects two memories that nv_tileas can copy between, but got shared to shared
%a = "test.op"() : () -> tensor<16xf32, #nv_tileas.memory<smem>>
%b = nv_tileas.copy %a : tensor<16xf32, #nv_tileas.memory<smem>> -> tensor<16xf32, #nv_tileas.memory<smem>>

// -----
// CHECK: expects a copy atom from shared to register memory
%a = "test.op"() : () -> tensor<16xf32, #nv_tileas.memory<smem>>
%b = nv_tileas.copy %a {atom = #nv_tileas<atom sts_32>} : tensor<16xf32, #nv_tileas.memory<smem>> -> tensor<16xf32, #nv_tileas.layout<(1, 16, 1, 1), (0, 1, 0, 0)>>

// -----
// CHECK: requires the same type for destination and result
%a, %b = "test.op"() : () -> (tensor<16xf32>, tensor<16xf32, #nv_tileas.memory<smem>>)
%c = nv_tileas.copy %a into %b : tensor<16xf32> into tensor<16xf32, #nv_tileas.memory<smem>> -> tensor<16xf32>

// -----
// CHECK: expects a destination operand where the result is a token
%a = "test.op"() : () -> tensor<16xf32>
%c = nv_tileas.async.copy %a : tensor<16xf32> -> !nv_tileas.async_token

// -----
// CHECK: expected offset and size of an allocation to be at least 0, got -16 and 4
"test.op"() {nv_tileas.smem = #nv_tileas.allocation<offset = -16, size = 4>} : () -> ()
