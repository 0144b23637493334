// since 13.5
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<i32, <multicast>>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tile<ptr<i32, <multicast>>> -> tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
    %w = make_partition_view %v : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
    %0, %1 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<add>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
    %2, %3 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
    %4, %5 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
    %6, %7 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<and>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
    %8, %9 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<or>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
    %10, %11 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<xor>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
    %12, %13 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<umin>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
    %14, %15 = multimem_load_reduce_view_tko weak %w[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<umax>} : partition_view<tile=(8x16), tensor_view<32x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xi32>, token
  }
}
