// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Multicast pointers and multimem operations. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  entry @mm(%b: tile<ptr<i32, <multicast>>>, %n: tile<i32>, %u: tile<ptr<f32, <unicast>>>, %c: tile<ptr<f32, <multicast>>>) {
    %t = make_token : token
    %2 = make_tensor_view %b, shape = [%n, 64], strides = [64, 1] : tile<ptr<i32, <multicast>>>, tile<i32> -> tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
    %3 = make_tensor_view %c, shape = [32, 64], strides = [64, 1] : tile<ptr<f32, <multicast>>> -> tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
    %z = make_tensor_view %c, shape = [], strides = [] : tile<ptr<f32, <multicast>>> -> tensor_view<f32, #cuda_tile.ptr_attr<multicast>>
    %uu = make_tensor_view %u, shape = [32, 64], strides = [64, 1] : tile<ptr<f32, <unicast>>> -> tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<unicast>>
    %4 = make_partition_view %2 : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
    %5, %t1 = multimem_load_reduce_view_tko relaxed device %4[%n, %n] token = %t attributes {reduction = #cuda_tile.multimem_reduction_kind<and>} : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x8xi32>, token
    %6, %t4 = multimem_load_reduce_view_tko weak %4[%n, %n] inbounds = [true, false] : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x8xi32>, token
    %t2 = multimem_reduce_view_tko relaxed device %4, %5[%n, %n] inbounds = [true, false] attributes {reduction = #cuda_tile.multimem_reduction_kind<umax>} : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xi32>, tile<i32> -> token
    %t3 = multimem_store_view_tko weak %4, %5[%n, %n] token = %t : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xi32>, tile<i32>, token -> token
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.entry @mm(%b: tile<ptr<i32, <multicast>>>, %n: tile<i32>, %u: tile<ptr<f32, <unicast>>>, %c: tile<ptr<f32, <multicast>>>) {
// CHECK: %t = cuda_tile.make_token : token
// CHECK: %[[MAKE_TENSOR_VIEW:.*]] = cuda_tile.make_tensor_view %b, shape = [%n, 64], strides = [64, 1] : tile<ptr<i32, <multicast>>>, tile<i32> -> tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
// CHECK: %{{.*}} = cuda_tile.make_tensor_view %c, shape = [32, 64], strides = [64, 1] : tile<ptr<f32, <multicast>>> -> tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
// CHECK: %z = cuda_tile.make_tensor_view %c, shape = [], strides = [] : tile<ptr<f32, <multicast>>> -> tensor_view<f32, #cuda_tile.ptr_attr<multicast>>
// CHECK: %uu = cuda_tile.make_tensor_view %u, shape = [32, 64], strides = [64, 1] : tile<ptr<f32, <unicast>>> -> tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<unicast>>
// CHECK: %[[MAKE_PARTITION_VIEW:.*]] = cuda_tile.make_partition_view %[[MAKE_TENSOR_VIEW]] : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
// CHECK: %[[MULTIMEM_LOAD_REDUCE_VIEW_TKO:.*]], %t1 = cuda_tile.multimem_load_reduce_view_tko relaxed device %[[MAKE_PARTITION_VIEW]][%n, %n] token = %t  attributes {reduction = #cuda_tile.multimem_reduction_kind<and>} : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x8xi32>, token
// CHECK: %{{.*}}, %t4 = cuda_tile.multimem_load_reduce_view_tko weak %[[MAKE_PARTITION_VIEW]][%n, %n] inbounds = [true, false] : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x8xi32>, token
// CHECK: %t2 = cuda_tile.multimem_reduce_view_tko relaxed device %[[MAKE_PARTITION_VIEW]], %[[MULTIMEM_LOAD_REDUCE_VIEW_TKO]][%n, %n] inbounds = [true, false] attributes {reduction = #cuda_tile.multimem_reduction_kind<umax>} : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xi32>, tile<i32> -> token
// CHECK: %t3 = cuda_tile.multimem_store_view_tko weak %[[MAKE_PARTITION_VIEW]], %[[MULTIMEM_LOAD_REDUCE_VIEW_TKO]][%n, %n] token = %t  : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xi32>, tile<i32>, token -> token
// CHECK: cuda_tile.return
