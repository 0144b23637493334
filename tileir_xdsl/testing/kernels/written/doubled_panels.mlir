cuda_tile.module @kernels {
  // Panels of 2x4 tiles, each tile twice what it was: two loops of which the inner one is alone in the outer one.
  entry @doubled_panels(%x: tile<ptr<f32>>, %x_rows: tile<i32>, %x_columns: tile<i32>, %x_stride: tile<i32>, %x_step: tile<i32>, %out: tile<ptr<f32>>, %out_rows: tile<i32>, %out_columns: tile<i32>, %out_stride: tile<i32>, %out_step: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_rows, %x_columns], strides = [%x_stride, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %tout = make_tensor_view %out, shape = [%out_rows, %out_columns], strides = [%out_stride, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %vx = make_partition_view %tx : partition_view<tile=(8x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %vout = make_partition_view %tout : partition_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %top = muli %i, %two : tile<i32>
    %left = muli %j, %four : tile<i32>
    for %a in (%zero to %two, step %one) : tile<i32> {
      for %b in (%zero to %four, step %one) : tile<i32> {
        %row = addi %top, %a : tile<i32>
        %column = addi %left, %b : tile<i32>
        %tile, %loaded = load_view_tko weak %vx[%row, %column] : partition_view<tile=(8x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x32xf32>, token
        %twice = addf %tile, %tile : tile<8x32xf32>
        %stored = store_view_tko weak %twice, %vout[%row, %column] : tile<8x32xf32>, partition_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
      }
    }
    return
  }
}
