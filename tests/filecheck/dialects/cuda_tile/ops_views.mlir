// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Views and their loads, stores and atomics. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  entry @views(%b: tile<ptr<f32>>, %n: tile<i32>, %l: tile<i64>) {
    %t = make_token : token
    %0 = make_tensor_view %b, shape = [], strides = [] : tensor_view<f32>
    %1 = make_tensor_view %b, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
    %2 = make_tensor_view %b, shape = [%n, 64], strides = [%n, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
    %3 = make_tensor_view %b, shape = [%l, %l], strides = [1, %l] : tile<i64> -> tensor_view<?x?xf32, strides=[1,?]>
    %4 = make_partition_view %2 : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>
    %5 = make_partition_view %2 : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
    %6 = make_strided_view %2 : strided_view<tile=(4x8), traversal_strides=[4,3], padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
    %7 = make_gather_scatter_view %2 : gather_scatter_view<tile=(8x8), padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>
    %8:2 = get_tensor_shape %2 : tensor_view<?x64xf32, strides=[?,1]> -> tile<i32>
    %9:2 = get_index_space_shape %4 : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>> -> tile<i64>
    %i = iota : tile<8xi32>
    %10, %t0 = load_view_tko weak %4[%n, %n] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %11, %t1 = load_view_tko acquire device %5[%9#0, %9#1] token = %t optimization_hints = <sm_100 = {allow_tma = false, latency = 3}> : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i64> -> tile<4x8xf32>, token
  }
  entry @views2(%b: tile<ptr<f32>>, %n: tile<i32>, %l: tile<i64>) {
    %t = make_token : token
    %2 = make_tensor_view %b, shape = [%n, 64], strides = [%n, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
    %4 = make_partition_view %2 : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>
    %6 = make_strided_view %2 : strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[?,1]>>
    %7 = make_gather_scatter_view %2 : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>
    %i = iota : tile<8xi32>
    %12, %t2 = load_view_tko weak %7[%i, %n] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
    %13, %t3 = load_view_tko relaxed sys %6[%n, %n] inbounds = [true, false] : strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %t4 = store_view_tko weak %13, %6[%n, %n] : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
    %t5 = store_view_tko release device %13, %4[%l, %l] token = %t2 inbounds = [true, true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i64> -> token
    %t6 = atomic_red_view_tko relaxed device %4[%n, %n], addf, %13 : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
    %t7 = atomic_red_view_tko relaxed tl_blk %4[%n, %n], addf, %13 token = %t inbounds = [false, true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.entry @views(%b: tile<ptr<f32>>, %n: tile<i32>, %l: tile<i64>) {
// CHECK: %t = cuda_tile.make_token : token
// CHECK: %{{.*}} = cuda_tile.make_tensor_view %b, shape = [], strides = [] : tensor_view<f32>
// CHECK: %{{.*}} = cuda_tile.make_tensor_view %b, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
// CHECK: %[[MAKE_TENSOR_VIEW:.*]] = cuda_tile.make_tensor_view %b, shape = [%n, 64], strides = [%n, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
// CHECK: %{{.*}} = cuda_tile.make_tensor_view %b, shape = [%l, %l], strides = [1, %l] : tile<i64> -> tensor_view<?x?xf32, strides=[1,?]>
// CHECK: %[[MAKE_PARTITION_VIEW:.*]] = cuda_tile.make_partition_view %[[MAKE_TENSOR_VIEW]] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>
// CHECK: %[[MAKE_PARTITION_VIEW2:.*]] = cuda_tile.make_partition_view %[[MAKE_TENSOR_VIEW]] : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
// CHECK: %{{.*}} = cuda_tile.make_strided_view %[[MAKE_TENSOR_VIEW]] : strided_view<tile=(4x8), traversal_strides=[4,3], padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
// CHECK: %{{.*}} = cuda_tile.make_gather_scatter_view %[[MAKE_TENSOR_VIEW]] : gather_scatter_view<tile=(8x8), padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>
// CHECK: %{{.*}}, %{{.*}} = cuda_tile.get_tensor_shape %[[MAKE_TENSOR_VIEW]] : tensor_view<?x64xf32, strides=[?,1]> -> tile<i32>
// CHECK: %[[GET_INDEX_SPACE_SHAPE:.*]], %[[GET_INDEX_SPACE_SHAPE2:.*]] = cuda_tile.get_index_space_shape %[[MAKE_PARTITION_VIEW]] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>> -> tile<i64>
// CHECK: %i = cuda_tile.iota : tile<8xi32>
// CHECK: %{{.*}}, %t0 = cuda_tile.load_view_tko weak %[[MAKE_PARTITION_VIEW]][%n, %n] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
// CHECK: %{{.*}}, %t1 = cuda_tile.load_view_tko acquire device %[[MAKE_PARTITION_VIEW2]][%[[GET_INDEX_SPACE_SHAPE]], %[[GET_INDEX_SPACE_SHAPE2]]] token = %t optimization_hints = <sm_100 = {allow_tma = false, latency = 3}> : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i64> -> tile<4x8xf32>, token
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @views2(%b: tile<ptr<f32>>, %n: tile<i32>, %l: tile<i64>) {
// CHECK: %t = cuda_tile.make_token : token
// CHECK: %[[MAKE_TENSOR_VIEW2:.*]] = cuda_tile.make_tensor_view %b, shape = [%n, 64], strides = [%n, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
// CHECK: %[[MAKE_PARTITION_VIEW3:.*]] = cuda_tile.make_partition_view %[[MAKE_TENSOR_VIEW2]] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>
// CHECK: %[[MAKE_STRIDED_VIEW:.*]] = cuda_tile.make_strided_view %[[MAKE_TENSOR_VIEW2]] : strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[?,1]>>
// CHECK: %[[MAKE_GATHER_SCATTER_VIEW:.*]] = cuda_tile.make_gather_scatter_view %[[MAKE_TENSOR_VIEW2]] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>
// CHECK: %i = cuda_tile.iota : tile<8xi32>
// CHECK: %{{.*}}, %t2 = cuda_tile.load_view_tko weak %[[MAKE_GATHER_SCATTER_VIEW]][%i, %n] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
// CHECK: %[[LOAD_VIEW_TKO:.*]], %t3 = cuda_tile.load_view_tko relaxed sys %[[MAKE_STRIDED_VIEW]][%n, %n] inbounds = [true, false] : strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
// CHECK: %t4 = cuda_tile.store_view_tko weak %[[LOAD_VIEW_TKO]], %[[MAKE_STRIDED_VIEW]][%n, %n] : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
// CHECK: %t5 = cuda_tile.store_view_tko release device %[[LOAD_VIEW_TKO]], %[[MAKE_PARTITION_VIEW3]][%l, %l] token = %t2 inbounds = [true, true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i64> -> token
// CHECK: %t6 = cuda_tile.atomic_red_view_tko relaxed device %[[MAKE_PARTITION_VIEW3]][%n, %n], addf, %[[LOAD_VIEW_TKO]] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
// CHECK: %t7 = cuda_tile.atomic_red_view_tko relaxed tl_blk %[[MAKE_PARTITION_VIEW3]][%n, %n], addf, %[[LOAD_VIEW_TKO]] token = %t inbounds = [false, true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
// CHECK: cuda_tile.return
