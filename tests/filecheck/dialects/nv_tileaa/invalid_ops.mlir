// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: mem_scope not supported when mem_semantic is weak
%p = "test.op"() : () -> !nv_tileaa.ptr<f32>
%v, %t = nv_tileaa.load weak gpu %p : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: mem_scope required when mem_semantic is not weak
%p = "test.op"() : () -> !nv_tileaa.ptr<f32>
%v, %t = nv_tileaa.load relaxed %p : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: unsupported mem_semantic: release
%p = "test.op"() : () -> !nv_tileaa.ptr<f32>
%v, %t = nv_tileaa.load release gpu %p : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: unsupported mem_semantic: acquire
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<f32>, f32)
%t = nv_tileaa.store acquire gpu %p, %v : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token

// -----
// CHECK: expects pointers to the elements of f64, but got !nv_tileaa.ptr<f32>
%p = "test.op"() : () -> !nv_tileaa.ptr<f32>
%v, %t = nv_tileaa.load weak %p : !nv_tileaa.ptr<f32> -> f64, !nv_tileaa.mem_token

// -----
// CHECK: expects a mask of i1 elements shaped as f32
%p, %m = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i8)
%v, %t = nv_tileaa.load weak %p mask = %m : i8 : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: requires the same type for other and value
%p, %o = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i32)
%v, %t = nv_tileaa.load weak %p other = %o : i32 : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: requires the same shape for pointer and offset
%p, %o = "test.op"() : () -> (!nv_tileaa.ptr<f32>, tensor<4xi32>)
%q = nv_tileaa.addptr %p, %o : !nv_tileaa.ptr<f32>, tensor<4xi32>

// -----
// CHECK: expects 1 dynamic sizes, but got 0
%p = "test.op"() : () -> !nv_tileaa.ptr<f32>
%m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>

// -----
// CHECK: expects rank of tileSizes be equal to rank of dimGroups, but got 2 and 1
%m = "test.op"() : () -> !nv_tileaa.memref<8x8xf32, strides = [8, 1]>
%v = nv_tileaa.block_tile %m {tileSizes = array<i64: 4, 4>, dimGroups = [[0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4x4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects non-empty tileSizes
%m = "test.op"() : () -> !nv_tileaa.memref<8xf32, strides = [1]>
%v = nv_tileaa.block_tile %m {tileSizes = array<i64>, dimGroups = [[0]]} : !nv_tileaa.memref<8xf32, strides = [1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8xf32, strides = [1]>>

// -----
// CHECK: expects non-empty dimGroups
%m = "test.op"() : () -> !nv_tileaa.memref<8xf32, strides = [1]>
%v = nv_tileaa.block_tile %m {tileSizes = array<i64: 4>, dimGroups = []} : !nv_tileaa.memref<8xf32, strides = [1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8xf32, strides = [1]>>

// -----
// CHECK: expects all tile size bigger than zero
%m = "test.op"() : () -> !nv_tileaa.memref<8xf32, strides = [1]>
%v = nv_tileaa.block_tile %m {tileSizes = array<i64: 0>, dimGroups = [[0]]} : !nv_tileaa.memref<8xf32, strides = [1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8xf32, strides = [1]>>

// -----
// CHECK: expects dim is being tiled only one time, but got 0
%m = "test.op"() : () -> !nv_tileaa.memref<8x8xf32, strides = [8, 1]>
%v = nv_tileaa.block_tile %m {tileSizes = array<i64: 4, 4>, dimGroups = [[0], [0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4x4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects 1 coordinates, but got 2
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<4xf32>[i32, i32] -> tensor<4xf32>, !nv_tileaa.mem_token

// -----
// CHECK: requires the same shape for tileSize and tensor value
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%i] : !nv_tileaa.tiled_view<4xf32>[i32] -> tensor<8xf32>, !nv_tileaa.mem_token

// -----
// CHECK: incorrect number of in_bounds elements: expected 1, but found 2
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%i] {in_bounds = array<i1: true, true>} : !nv_tileaa.tiled_view<4xf32>[i32] -> tensor<4xf32>, !nv_tileaa.mem_token

// -----
// CHECK: flush_to_zero modifier only supported for f32 data type, but got: 'f64'
%a = "test.op"() : () -> f64
%b = nv_tileaa.addf %a, %a flush_to_zero : f64

// -----
// CHECK: expects axis 0, 1 or 2, but got 3
%a = nv_tileaa.get_program_id 3 : i32

// -----
// CHECK: expects a tensor of i32, but got tensor<4xi64>
%a = "test.op"() : () -> i32
%b = nv_tileaa.splat %a : i32 -> tensor<4xi64>

// -----
// CHECK: expects extents of 1 or 8 in the source, but got 2
%a = "test.op"() : () -> tensor<2xi32>
%b = nv_tileaa.broadcast %a : tensor<2xi32> -> tensor<8xi32>

// -----
// CHECK: requires the same number of elements in source and result
%a = "test.op"() : () -> tensor<2xi32>
%b = nv_tileaa.view %a : tensor<2xi32> -> tensor<8xi32>

// -----
// CHECK: divisor must be a power of 2
%a = "test.op"() : () -> i32
%b = nv_tileaa.assume #nv_tileaa.div_by<3>, %a : i32

// -----
// CHECK: expects lower bound to be less than or equal to upper bound
%a = "test.op"() : () -> i32
%b = nv_tileaa.assume #nv_tileaa.bounded<1, 0>, %a : i32

// -----
// CHECK: expected 1 strides, got 2
%m = "test.op"() : () -> !nv_tileaa.memref<8xf32, strides = [1, 2]>
