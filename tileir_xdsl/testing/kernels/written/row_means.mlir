cuda_tile.module @kernels {
  entry @row_means(%x: tile<ptr<f32>>, %x_rows: tile<i32>, %x_columns: tile<i32>, %x_stride: tile<i32>, %x_step: tile<i32>, %out: tile<ptr<f32>>, %out_size: tile<i32>, %out_stride: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_rows, %x_columns], strides = [%x_stride, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %tout = make_tensor_view %out, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vx = make_partition_view %tx : partition_view<tile=(8x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %vout = make_partition_view %tout : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %rows, %columns = get_tensor_shape %tx : tensor_view<?x?xf32, strides=[?,1]> -> tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %most = constant <i32: 31> : tile<i32>
    %width = constant <i32: 32> : tile<i32>
    %beyond = addi %columns, %most : tile<i32>
    %tiles = divi %beyond, %width signed : tile<i32>
    %nothing = constant <f32: 0.0> : tile<8x32xf32>
    %sum = for unsigned %n in (%zero to %tiles, step %one) : tile<i32> iter_values(%partial = %nothing) -> (tile<8x32xf32>) {
      %tile, %loaded = load_view_tko weak %vx[%i, %n] : partition_view<tile=(8x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x32xf32>, token
      %next = addf %partial, %tile : tile<8x32xf32>
      continue %next : tile<8x32xf32>
    }
    %total = reduce %sum dim=1 identities=[0.0 : f32] : tile<8x32xf32> -> tile<8xf32>
    (%element: tile<f32>, %accumulated: tile<f32>) {
      %more = addf %element, %accumulated : tile<f32>
      yield %more : tile<f32>
    }
    %count = itof %columns signed : tile<i32> -> tile<f32>
    %one_count = reshape %count : tile<f32> -> tile<1xf32>
    %counts = broadcast %one_count : tile<1xf32> -> tile<8xf32>
    %mean = divf %total, %counts : tile<8xf32>
    %stored = store_view_tko weak %mean, %vout[%i] : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
