cuda_tile.module @kernels {
  // Adds the gradients of all devices to the weights of each, and keeps their sum.
  entry @multicast_update(%grad: tile<ptr<f32, <multicast>>>, %grad_size: tile<i32>, %grad_stride: tile<i32>, %sum: tile<ptr<f32, <multicast>>>, %sum_size: tile<i32>, %sum_stride: tile<i32>, %weight: tile<ptr<f32, <multicast>>>, %weight_size: tile<i32>, %weight_stride: tile<i32>, %rate: tile<f32>) {
    %tgrad = make_tensor_view %grad, shape = [%grad_size], strides = [1] : tile<ptr<f32, <multicast>>>, tile<i32> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %tsum = make_tensor_view %sum, shape = [%sum_size], strides = [1] : tile<ptr<f32, <multicast>>>, tile<i32> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %tweight = make_tensor_view %weight, shape = [%weight_size], strides = [1] : tile<ptr<f32, <multicast>>>, tile<i32> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %vgrad = make_partition_view %tgrad : partition_view<tile=(128), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %vsum = make_partition_view %tsum : partition_view<tile=(128), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %vweight = make_partition_view %tweight : partition_view<tile=(128), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %total, %loaded = multimem_load_reduce_view_tko relaxed sys %vgrad[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<add>} : partition_view<tile=(128), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<128xf32>, token
    %one_rate = reshape %rate : tile<f32> -> tile<1xf32>
    %rates = broadcast %one_rate : tile<1xf32> -> tile<128xf32>
    %step = mulf %total, %rates : tile<128xf32>
    %added = multimem_reduce_view_tko relaxed sys %vweight, %step[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<add>} : partition_view<tile=(128), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<128xf32>, tile<i32> -> token
    %kept = multimem_store_view_tko relaxed sys %vsum, %total[%i] : partition_view<tile=(128), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<128xf32>, tile<i32> -> token
    return
  }
}
