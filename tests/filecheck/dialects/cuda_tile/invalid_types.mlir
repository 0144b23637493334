// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Types, wherever they stand.

// CHECK: all dimensions must be positive constants, got 0, 2
cuda_tile.module @m { testing$func @f(%a: tile<0x2xf32>) { } }
// -----
// CHECK: all dimensions must be powers of two, got 3, 4
cuda_tile.module @m { testing$func @f(%a: tile<3x4xf32>) { } }
// -----
// CHECK: tile would exceed the maximum of 16777216 elements
cuda_tile.module @m { testing$func @f(%a: tile<16777216x2xf32>) { } }
// -----
// CHECK: F4E2M1FN tiles must have an even number of elements
cuda_tile.module @m { testing$func @f(%a: tile<1xf4E2M1FN>) { } }
// -----
// CHECK: expected static shape
cuda_tile.module @m { testing$func @f(%a: tile<4x?xf32>) { } }
// -----
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4
cuda_tile.module @m { testing$func @f(%a: tile<4xindex>) { } }
// -----
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xi4, strides=[1]>) { } }
// -----
// CHECK: failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64
cuda_tile.module @m { testing$func @f(%a: ptr<tile<f32>>) { } }
// -----
// CHECK: unknown type: tensors
cuda_tile.module @m { testing$func @f(%a: tensors<f32>) { } }
// -----
// CHECK: expected valid keyword
cuda_tile.module @m { testing$func @f(%a: 5) { } }
// -----
// CHECK: expected '<'
cuda_tile.module @m { testing$func @f(%a: tile) { } }
// -----
// CHECK: expected '>'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32) { } }
// -----
// CHECK: strides must not be provided for 0-d tiles
cuda_tile.module @m { testing$func @f(%a: tensor_view<f32, strides=[]>) { } }
// -----
// CHECK: unexpected token after element type in 0-d tensor_view
cuda_tile.module @m { testing$func @f(%a: tensor_view<f32 strides=[]>) { } }
// -----
// CHECK: expected a ptr_attr attribute
cuda_tile.module @m { testing$func @f(%a: tensor_view<f32, 5>) { } }
// -----
// CHECK: expected ','
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32>) { } }
// -----
// CHECK: expected 'strides'
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, stride=[1]>) { } }
// -----
// CHECK: expected '='
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, strides[1]>) { } }
// -----
// CHECK: expected either 64-bit integer or question mark
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, strides=[x]>) { } }
// -----
// CHECK: expected strictly positive integer, got 0
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, strides=[0]>) { } }
// -----
// CHECK: expected '>'
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, strides=[1] x>) { } }
// -----
// CHECK: expected shape and stride to be of same rank but got shape of rank 2 and stride of rank 1
cuda_tile.module @m { testing$func @f(%a: tensor_view<4x4xf32, strides=[1]>) { } }
// -----
// CHECK: dimensions must have strictly positive constant sizes but got [0, ?]
cuda_tile.module @m { testing$func @f(%a: tensor_view<0x?xf32, strides=[1, 1]>) { } }
// -----
// CHECK: expected 'tile'
cuda_tile.module @m { testing$func @f(%a: partition_view<4>) { } }
// -----
// CHECK: expected '('
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=4>) { } }
// -----
// CHECK: expected 'tensor_view' type, but got 'f32'
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4), f32>) { } }
// -----
// CHECK: tile dimension 1 exceeds i32 limitations (got 2147483648, expected strictly positive and less than or equal to 2147483647)
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x2147483648), tensor_view<4x4xf32, strides=[4, 1]>>) { } }
// -----
// CHECK: invalid padding_value attribute specification. Got "one" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4), padding_value = one, tensor_view<4xf32, strides=[1]>>) { } }
// -----
// CHECK: 0-dimension tile shape is not supported
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(), tensor_view<f32>>) { } }
// -----
// CHECK: expected tensor_view rank and tile rank to match, got tensor_view of rank 2 and tiles of rank 1
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4), tensor_view<4x4xf32, strides=[4, 1]>>) { } }
// -----
// CHECK: expected dim_map to map exactly all 2 dimensions of the tile, got 1 mappings
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, dim_map=[0]>) { } }
// -----
// CHECK: expected 'dim_map'
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, map=[0]>) { } }
// -----
// CHECK: tile shape dimensions must have power of two length but got [5, 1024]
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(5x1024), tensor_view<4x4xf32, strides=[4, 1]>>) { } }
// -----
// CHECK: target dimension must not be negative, got -1
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, dim_map=[0, -1]>) { } }
// -----
// CHECK: target dimension is outside of tensor view dimensions, expected strictly less than 2, got 2
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, dim_map=[0, 2]>) { } }
// -----
// CHECK: target dimension 1 mapped at least twice (for tile dimensions 0 and 1)
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, dim_map=[1, 1]>) { } }
// -----
// CHECK: tile would exceed the maximum of 16777216 elements
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(8192x4096), tensor_view<4x4xf32, strides=[4, 1]>>) { } }
// -----
// CHECK: padding_value nan can only be used with floating point element types, got 'i32'
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4), padding_value = nan, tensor_view<4xi32, strides=[1]>>) { } }
// -----
// CHECK: expected 2 traversal strides, got 1
cuda_tile.module @m { testing$func @f(%a: strided_view<tile=(4x4), traversal_strides=[1], tensor_view<4x4xf32, strides=[4, 1]>>) { } }
// -----
// CHECK: traversal strides must be strictly positive but got [1, 0]
cuda_tile.module @m { testing$func @f(%a: strided_view<tile=(4x4), traversal_strides=[1, 0], tensor_view<4x4xf32, strides=[4, 1]>>) { } }
// -----
// CHECK: expected 'traversal_strides'
cuda_tile.module @m { testing$func @f(%a: strided_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>>) { } }
// -----
// CHECK: gather dimension is outside of tensor view dimensions, expected strictly less than 2, got 2
cuda_tile.module @m { testing$func @f(%a: gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, sparse_dim=2>) { } }
// -----
// CHECK: expected 'sparse_dim'
cuda_tile.module @m { testing$func @f(%a: gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, dim_map=[1, 0]>) { } }
