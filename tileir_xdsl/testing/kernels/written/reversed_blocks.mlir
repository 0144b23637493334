cuda_tile.module @kernels {
  entry @reversed_blocks(%x: tile<ptr<f32>>, %x_size: tile<i32>, %x_stride: tile<i32>, %out: tile<ptr<f32>>, %out_size: tile<i32>, %out_stride: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %tout = make_tensor_view %out, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vx = make_partition_view %tx : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %vout = make_partition_view %tout : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %tile, %loaded = load_view_tko weak %vx[%i] : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %scratch = alloca num_elem = 128, alignment = 16 : tile<ptr<f32>>
    %one_scratch = reshape %scratch : tile<ptr<f32>> -> tile<1xptr<f32>>
    %scratches = broadcast %one_scratch : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %positions = iota : tile<128xi32>
    %last = constant <i32: 127> : tile<128xi32>
    %opposite = subi %last, %positions : tile<128xi32>
    %to = offset %scratches, %positions : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %from = offset %scratches, %opposite : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %written = store_ptr_tko weak %to, %tile : tile<128xptr<f32>>, tile<128xf32> -> token
    %fenced = memory_fence_alias_tko %written
    %before = token.join [%loaded, %fenced] : token
    %reversed, %read = load_ptr_tko weak %from token=%before : tile<128xptr<f32>> -> tile<128xf32>, token
    %stored = store_view_tko weak %reversed, %vout[%i] : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
