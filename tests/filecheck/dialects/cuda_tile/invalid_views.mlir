// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Tensor views, tile views, their loads, stores and atomics, and multimem.

// CHECK: custom op 'cuda_tile.make_tensor_view' expected either integer or SSA value
cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>) { %0 = make_tensor_view %p, shape = [x], strides = [1] : tensor_view<4xf32, strides=[1]> } }
// -----
// CHECK: custom op 'cuda_tile.make_tensor_view' expected shape declaration to contain 1 elements due to tensor_view type, but 2 were provided
cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>) { %0 = make_tensor_view %p, shape = [4, 4], strides = [1] : tensor_view<4xf32, strides=[1]> } }
// -----
// CHECK: custom op 'cuda_tile.make_tensor_view' expected stride declaration to contain 1 elements due to tensor_view type, but 0 were provided
cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>) { %0 = make_tensor_view %p, shape = [4], strides = [] : tensor_view<4xf32, strides=[1]> } }
// -----
// CHECK: custom op 'cuda_tile.make_tensor_view' input shape dimension 0 does not match tensor_view type (expected dynamic, got 4)
cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>) { %0 = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<?xf32, strides=[1]> } }
// -----
// CHECK: custom op 'cuda_tile.make_tensor_view' input stride dimension 0 does not match tensor_view type (expected 1, got dynamic)
cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) { %0 = make_tensor_view %p, shape = [4], strides = [%n] : tile<i32> -> tensor_view<4xf32, strides=[1]> } }
// -----
// CHECK: custom op 'cuda_tile.make_tensor_view' expected tensor_view, got '!cuda_tile.tile<f32>'
cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>) { %0 = make_tensor_view %p, shape = [4], strides = [1] : tile<f32> } }
// -----
// CHECK: expected '->'
cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) { %0 = make_tensor_view %p, shape = [%n], strides = [1] : tensor_view<?xf32, strides=[1]> } }
// -----
// CHECK: 'cuda_tile.make_tensor_view' op expected pointer to 'f32' to build tensor_view of this type, got 'f64'
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f64>>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f64>>) -> !cuda_tile.tensor_view<4xf32, strides=[1]>
// -----
// CHECK: 'cuda_tile.make_tensor_view' op expected 1 dynamic shape operands, got 0
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>
// -----
// CHECK: 'cuda_tile.make_tensor_view' op expected 0 dynamic stride operands, got 1
%p, %n = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<4xf32, strides=[1]>
// -----
// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic shape index 1 to be of the same type as the other dynamic values ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%p, %n, %l = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.make_tensor_view"(%p, %n, %l) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?x?xf32, strides=[1,1]>
// -----
// CHECK: 'cuda_tile.make_tensor_view' op operand #0 must be 0D tile of Pointer type values, but got '!cuda_tile.tile<i32>'
%p = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<4xf32, strides=[1]>
// -----
// CHECK: 'cuda_tile.make_tensor_view' op operand #1 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%p, %n = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>
// -----
// CHECK: custom op 'cuda_tile.make_partition_view' expected 'partition_view' type, but got 'f32'
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) { %0 = make_partition_view %v : f32 } }
// -----
// CHECK: custom op 'cuda_tile.make_strided_view' expected 'strided_view' type, but got '!cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>'
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) { %0 = make_strided_view %v : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>> } }
// -----
// CHECK: custom op 'cuda_tile.make_gather_scatter_view' expected 'gather_scatter_view' type, but got '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) { %0 = make_gather_scatter_view %v : tile<f32> } }
// -----
// CHECK: 'cuda_tile.make_partition_view' op expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<8xf32, strides=[1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<4xf32, strides=[1]>')
%v = "test.op"() : () -> !cuda_tile.tensor_view<8xf32, strides=[1]>
%0 = "cuda_tile.make_partition_view"(%v) : (!cuda_tile.tensor_view<8xf32, strides=[1]>) -> !cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
// -----
// CHECK: 'cuda_tile.make_partition_view' op result #0 must be partition view type, but got '!cuda_tile.tile<f32>'
%v = "test.op"() : () -> !cuda_tile.tensor_view<8xf32, strides=[1]>
%0 = "cuda_tile.make_partition_view"(%v) : (!cuda_tile.tensor_view<8xf32, strides=[1]>) -> !cuda_tile.tile<f32>
// -----
// CHECK: 'cuda_tile.make_partition_view' op operand #0 must be tensor view type, but got '!cuda_tile.tile<f32>'
%v = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.make_partition_view"(%v) : (!cuda_tile.tile<f32>) -> !cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
// -----
// CHECK: custom op 'cuda_tile.get_tensor_shape' expected tensor_view, got '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%v: tile<f32>) { %0 = get_tensor_shape %v : tile<f32> -> tile<i32> } }
// -----
// CHECK: custom op 'cuda_tile.get_index_space_shape' expected tile view, got '!cuda_tile.tensor_view<4xf32, strides=[1]>'
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) { %0 = get_index_space_shape %v : tensor_view<4xf32, strides=[1]> -> tile<i32> } }
// -----
// CHECK: 'cuda_tile.get_tensor_shape' op expected 1 results due to tensor rank, but got 2
%v = "test.op"() : () -> !cuda_tile.tensor_view<8xf32, strides=[1]>
%0:2 = "cuda_tile.get_tensor_shape"(%v) : (!cuda_tile.tensor_view<8xf32, strides=[1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
// -----
// CHECK: 'cuda_tile.get_index_space_shape' op expected 1 results due to view index space rank, but got 0
%v = "test.op"() : () -> !cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
"cuda_tile.get_index_space_shape"(%v) : (!cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) -> ()
// -----
// CHECK: 'cuda_tile.get_index_space_shape' op result #0 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) { %0 = get_index_space_shape %v : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>> -> tile<f32> } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op operand #0 must be TileView instance, but got '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%v: tile<f32>) { %0, %t = load_view_tko weak %v[] : tile<f32> -> tile<f32>, token } }
// -----
// CHECK: custom op 'cuda_tile.load_view_tko' invalid memory_ordering_semantics attribute specification. Got "strong" but expect one of: weak, relaxed, acquire, release, acq_rel
cuda_tile.module @m { testing$func @f(%v: tile<f32>) { %0, %t = load_view_tko strong %v[] : tile<f32> -> tile<f32>, token } }
// -----
// CHECK: custom op 'cuda_tile.load_view_tko' operation specifies weak memory ordering semantics, but then provides "device" scope, expected no memory scope.
cuda_tile.module @m { testing$func @f(%v: tile<f32>) { %0, %t = load_view_tko weak device %v[] : tile<f32> -> tile<f32>, token } }
// -----
// CHECK: custom op 'cuda_tile.load_view_tko' invalid memory_scope attribute specification. Got "gpu" but expect one of: tl_blk, device, sys
cuda_tile.module @m { testing$func @f(%v: tile<f32>) { %0, %t = load_view_tko relaxed gpu %v[] : tile<f32> -> tile<f32>, token } }
// -----
// CHECK: custom op 'cuda_tile.load_view_tko' index types must be specified when indices are present
cuda_tile.module @m { testing$func @f(%v: tile<f32>, %i: tile<i32>) { %0, %t = load_view_tko weak %v[%i] : tile<f32> -> tile<f32>, token } }
// -----
// CHECK: custom op 'cuda_tile.load_view_tko' expected 3 index types, got 2
cuda_tile.module @m { testing$func @f(%v: tile<f32>, %i: tile<i32>) { %0, %t = load_view_tko weak %v[%i, %i, %i] : tile<f32>, tile<i32>, tile<i32> -> tile<f32>, token } }
// -----
// CHECK: custom op 'cuda_tile.load_view_tko' expected index type after comma
cuda_tile.module @m { testing$func @f(%v: tile<f32>, %i: tile<i32>) { %0, %t = load_view_tko weak %v[%i, %i] : tile<f32>, tile<i32>, -> tile<f32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expect one of: weak, relaxed, or acquire, but got: acq_rel
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) { %0, %t = load_view_tko acq_rel device %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected 1 index operands (based on view type), got 2
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) { %0, %t = load_view_tko weak %v[%i, %i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected tile type to be '!cuda_tile.tile<4xf32>' (based on view type), got '!cuda_tile.tile<8xf32>'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) { %0, %t = load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<4xi32>'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<4xi32>) { %0, %t = load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<4xi32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>>, %i: tile<i32>, %j: tile<i64>) { %0, %t = load_view_tko weak %v[%i, %j] : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>>, tile<i32>, tile<i64> -> tile<4x4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op operand #1 must be variadic of tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<f32>) { %0, %t = load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<f32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op inbounds size (2) must match the number of index dimensions (1)
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) { %0, %t = load_view_tko weak %v[%i] inbounds = [true, false] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 0
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, sparse_dim=0>, %i: tile<i32>) { %0, %t = load_view_tko weak %v[%i, %i] : gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, sparse_dim=0>, tile<i32> -> tile<4x4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected gather/scatter index size (8) to match tile shape at gather/scatter dimension 0 (4)
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, sparse_dim=0>, %i: tile<i32>, %s: tile<8xi32>) { %0, %t = load_view_tko weak %v[%s, %i] : gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<4x4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected index 1 to be a scalar tile for GatherScatterView
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, sparse_dim=0>, %s: tile<4xi32>) { %0, %t = load_view_tko weak %v[%s, %s] : gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4, 1]>, sparse_dim=0>, tile<4xi32> -> tile<4x4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op expected scalar index 2 to have the same type as other scalar indices ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(4x4x4), tensor_view<4x4x4xf32, strides=[16, 4, 1]>, sparse_dim=0>, %s: tile<4xi32>, %i: tile<i32>, %j: tile<i64>) { %0, %t = load_view_tko weak %v[%s, %i, %j] : gather_scatter_view<tile=(4x4x4), tensor_view<4x4x4xf32, strides=[16, 4, 1]>, sparse_dim=0>, tile<4xi32>, tile<i32>, tile<i64> -> tile<4x4x4xf32>, token } }
// -----
// CHECK: 'cuda_tile.store_view_tko' op expect one of: weak, relaxed, or release, but got: acquire
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = store_view_tko acquire sys %a, %v[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.store_view_tko' op memory scope is required for relaxed store
%v, %i, %a = "test.op"() : () -> (!cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<4xf32>)
%t = "cuda_tile.store_view_tko"(%a, %v, %i) <{memory_ordering_semantics = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, !cuda_tile.tile<i32>) -> !cuda_tile.token
// -----
// CHECK: 'cuda_tile.store_view_tko' op expected tile type to be '!cuda_tile.tile<4xf32>' (based on view type), got '!cuda_tile.tile<8xf32>'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<8xf32>) { %t = store_view_tko weak %a, %v[%i] : tile<8xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op operand #0 must be TileView instance, but got '!cuda_tile.tile<4xf32>'
cuda_tile.module @m { testing$func @f(%i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %a[%i], addf, %a : tile<4xf32>, tile<4xf32>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op gather_scatter_view is not supported; use partition_view instead
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=0>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i], addf, %a : tile<4xf32>, gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=0>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op view element type ('f32') must match value element type ('i32')
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xi32>) { %t = atomic_red_view_tko relaxed device %v[%i], add, %a : tile<4xi32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op view tile shape 4, 8 must match value shape 8, 8 for element-wise atomic operations
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8, 1]>>, %i: tile<i32>, %a: tile<8x8xf32>) { %t = atomic_red_view_tko relaxed device %v[%i, %i], addf, %a : tile<8x8xf32>, partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8, 1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op atomic_red_view_tko op cannot use xchg operation
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i], xchg, %a : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: custom op 'cuda_tile.atomic_red_view_tko' unknown atomic RMW mode: 'sub'; expected one of: and, or, xor, add, addf, max, min, umax, umin
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i], sub, %a : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op 'min' works only with integers i32 and i64
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i], min, %a : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op only 'relaxed' memory ordering is supported for view-based atomic reductions
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko acq_rel device %v[%i], addf, %a : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op memory scope 'sys' is not supported for view-based atomic reductions; use 'tl_blk' or 'device' for TMA compatibility
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed sys %v[%i], addf, %a : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op expected 1 index operand(s) for view with tile rank 1, got 2
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i, %i], addf, %a : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op index operand 0 must be a scalar tile (rank 0), got shape 2
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<2xi32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i], addf, %a : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<2xi32> -> token } }
// -----
// CHECK: 'cuda_tile.multimem_store_view_tko' op expected a multicast pointer, but got none
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = multimem_store_view_tko weak %v, %a[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<4xf32>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.multimem_store_view_tko' op multimem requires 32- or 64-bit integer/index element types; got 8 bits
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>, %a: tile<4xi8>) { %t = multimem_store_view_tko weak %v, %a[%i] : partition_view<tile=(4), tensor_view<4xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xi8>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.multimem_store_view_tko' op multimem supports only f16, bf16, f32, and f64 floating-point element types
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>, %a: tile<4xtf32>) { %t = multimem_store_view_tko weak %v, %a[%i] : partition_view<tile=(4), tensor_view<4xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xtf32>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.multimem_load_reduce_view_tko' op and/or/xor/umin/umax reductions require integer element types
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>) { %0, %t = multimem_load_reduce_view_tko weak %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<xor>} : partition_view<tile=(4), tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.multimem_load_reduce_view_tko' op min/max supports f16 and bf16 float types only; got 'f32'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>) { %0, %t = multimem_load_reduce_view_tko weak %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(4), tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token } }
// -----
// CHECK: expected 'token'
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>, %tok: token) { %0, %t = multimem_load_reduce_view_tko weak %v[%i] token = %tok : partition_view<tile=(4), tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.multimem_reduce_view_tko' op supports only add for floating-point element types
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>, %a: tile<4xf16>) { %t = multimem_reduce_view_tko relaxed device %v, %a[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(4), tensor_view<4xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf16>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.multimem_reduce_view_tko' op memory ordering semantics must be one of: relaxed, release
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>, %a: tile<4xf16>) { %t = multimem_reduce_view_tko acquire device %v, %a[%i] : partition_view<tile=(4), tensor_view<4xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf16>, tile<i32> -> token } }
// -----
// CHECK: custom op 'cuda_tile.make_tensor_view' input shape dimension 0 does not match tensor_view type (expected 4, got dynamic)
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>, %n: tile<i32>) { %0 = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<4xf32, strides=[1]> } }
// -----
// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic stride index 0 to be of the same type as the other dynamic values ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%p, %n, %s = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.make_tensor_view"(%p, %n, %s) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?xf32, strides=[?]>
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op views with padding_value are not supported for atomic reductions
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), padding_value = zero, tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i], addf, %a : tile<4xf32>, partition_view<tile=(4), padding_value = zero, tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op views with padding_value are not supported for atomic reductions
cuda_tile.module @m { testing$func @f(%v: strided_view<tile=(4), traversal_strides=[4], padding_value = nan, tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %a: tile<4xf32>) { %t = atomic_red_view_tko relaxed device %v[%i], addf, %a : tile<4xf32>, strided_view<tile=(4), traversal_strides=[4], padding_value = nan, tensor_view<4xf32, strides=[1]>>, tile<i32> -> token } }
