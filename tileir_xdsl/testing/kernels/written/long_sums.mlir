cuda_tile.module @kernels {
  // Running sums of rows that are too long for the registers of a thread block.
  entry @long_sums(%x: tile<ptr<f32>>, %x_rows: tile<i32>, %x_columns: tile<i32>, %x_stride: tile<i32>, %x_step: tile<i32>, %out: tile<ptr<f32>>, %out_rows: tile<i32>, %out_columns: tile<i32>, %out_stride: tile<i32>, %out_step: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_rows, %x_columns], strides = [%x_stride, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %tout = make_tensor_view %out, shape = [%out_rows, %out_columns], strides = [%out_stride, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %vx = make_partition_view %tx : partition_view<tile=(1x65536), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %vout = make_partition_view %tout : partition_view<tile=(1x65536), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %tile, %loaded = load_view_tko weak %vx[%i, %zero] : partition_view<tile=(1x65536), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x65536xf32>, token
    %sums = scan %tile dim=1 reverse=false identities=[0.0 : f32] : tile<1x65536xf32> -> tile<1x65536xf32>
    (%element: tile<f32>, %accumulated: tile<f32>) {
      %more = addf %element, %accumulated : tile<f32>
      yield %more : tile<f32>
    }
    %stored = store_view_tko weak %sums, %vout[%i, %zero] : tile<1x65536xf32>, partition_view<tile=(1x65536), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
