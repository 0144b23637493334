cuda_tile.module @kernels {
  // What four query heads add to the keys that they share: a loop takes one head after the other out of a tile.
  entry @summed_heads(%x: tile<ptr<f32>>, %x_heads: tile<i32>, %x_rows: tile<i32>, %x_columns: tile<i32>, %x_pitch: tile<i32>, %x_stride: tile<i32>, %x_step: tile<i32>, %out: tile<ptr<f32>>, %out_heads: tile<i32>, %out_rows: tile<i32>, %out_columns: tile<i32>, %out_pitch: tile<i32>, %out_stride: tile<i32>, %out_step: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_heads, %x_rows, %x_columns], strides = [%x_pitch, %x_stride, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %vx = make_partition_view %tx : partition_view<tile=(4x16x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tout = make_tensor_view %out, shape = [%out_heads, %out_rows, %out_columns], strides = [%out_pitch, %out_stride, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %vout = make_partition_view %tout : partition_view<tile=(1x16x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %heads = constant <i32: 4> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<1x16x64xf32>
    %tile, %loaded = load_view_tko weak %vx[%k, %j, %i] : partition_view<tile=(4x16x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<4x16x64xf32>, token
    %sum = for %h in (%zero to %heads, step %one) : tile<i32> iter_values(%before = %nothing) -> (tile<1x16x64xf32>) {
      %head = extract %tile[%h, %zero, %zero] : tile<4x16x64xf32> -> tile<1x16x64xf32>
      %after = addf %before, %head : tile<1x16x64xf32>
      continue %after : tile<1x16x64xf32>
    }
    %stored = store_view_tko weak %sum, %vout[%k, %j, %i] : tile<1x16x64xf32>, partition_view<tile=(1x16x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
