cuda_tile.module @kernels {
  entry @gamma_correction(%x: tile<ptr<f32>>, %x_size: tile<i32>, %x_stride: tile<i32>, %out: tile<ptr<f32>>, %out_size: tile<i32>, %out_stride: tile<i32>, %gamma: tile<f32>) {
    %tx = make_tensor_view %x, shape = [%x_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %tout = make_tensor_view %out, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vx = make_partition_view %tx : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %vout = make_partition_view %tout : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %tile, %loaded = load_view_tko weak %vx[%i] : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %one_gamma = reshape %gamma : tile<f32> -> tile<1xf32>
    %gammas = broadcast %one_gamma : tile<1xf32> -> tile<128xf32>
    %corrected = fpowf %tile, %gammas : tile<128xf32>
    %stored = store_view_tko weak %corrected, %vout[%i] : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
