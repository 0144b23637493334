cuda_tile.module @kernels {
  entry @arena(%bytes: tile<ptr<i8>>, %bytes_size: tile<i32>, %bytes_stride: tile<i32>, %out: tile<ptr<f32>>, %out_size: tile<i32>, %out_stride: tile<i32>, %used: tile<i32>) {
    %tout = make_tensor_view %out, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vout = make_partition_view %tout : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    // The first address behind the bytes in use that is a multiple of 16.
    %free = offset %bytes, %used : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %address = ptr_to_int %free : tile<ptr<i8>> -> tile<i64>
    %below = constant <i64: 15> : tile<i64>
    %mask = constant <i64: -16> : tile<i64>
    %beyond = addi %address, %below : tile<i64>
    %aligned = andi %beyond, %mask : tile<i64>
    %start = int_to_ptr %aligned : tile<i64> -> tile<ptr<i8>>
    %floats = ptr_to_ptr %start : tile<ptr<i8>> -> tile<ptr<f32>>
    %tfloats = make_tensor_view %floats, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vfloats = make_partition_view %tfloats : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %loaded = load_view_tko weak %vfloats[%i] : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %twice = addf %tile, %tile : tile<128xf32>
    %stored = store_view_tko weak %twice, %vout[%i] : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
