cuda_tile.module @kernels {
  experimental$func @halves(%x: tile<128xf32>) -> tile<128xf32> {
    %half = constant <f32: 0.5> : tile<128xf32>
    %y = mulf %x, %half : tile<128xf32>
    return %y : tile<128xf32>
  }
  testing$func @differences(%x: tile<128xf32>, %y: tile<128xf32>) -> tile<128xf32> {
    %d = subf %x, %y : tile<128xf32>
    return %d : tile<128xf32>
  }
  entry @with_functions(%x: tile<ptr<f32>>, %x_size: tile<i32>, %x_stride: tile<i32>, %out: tile<ptr<f32>>, %out_size: tile<i32>, %out_stride: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %tout = make_tensor_view %out, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vx = make_partition_view %tx : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %vout = make_partition_view %tout : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %tile, %loaded = load_view_tko weak %vx[%i] : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %twice = addf %tile, %tile : tile<128xf32>
    %stored = store_view_tko weak %twice, %vout[%i] : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
