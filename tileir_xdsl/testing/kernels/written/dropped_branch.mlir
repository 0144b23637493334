cuda_tile.module @kernels {
  // A residual branch that is dropped for whole samples. Its tiles exceed the registers of a block: they are computed in slices, through the branch.
  entry @dropped_branch(%x: tile<ptr<f32>>, %x_samples: tile<i32>, %x_rows: tile<i32>, %x_columns: tile<i32>, %x_pitch: tile<i32>, %x_stride: tile<i32>, %x_step: tile<i32>, %f: tile<ptr<f32>>, %f_samples: tile<i32>, %f_rows: tile<i32>, %f_columns: tile<i32>, %f_pitch: tile<i32>, %f_stride: tile<i32>, %f_step: tile<i32>, %kept: tile<ptr<f32>>, %kept_size: tile<i32>, %kept_stride: tile<i32>, %out: tile<ptr<f32>>, %out_samples: tile<i32>, %out_rows: tile<i32>, %out_columns: tile<i32>, %out_pitch: tile<i32>, %out_stride: tile<i32>, %out_step: tile<i32>, %scale: tile<f32>) {
    %tx = make_tensor_view %x, shape = [%x_samples, %x_rows, %x_columns], strides = [%x_pitch, %x_stride, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %vx = make_partition_view %tx : partition_view<tile=(1x128x512), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tf = make_tensor_view %f, shape = [%f_samples, %f_rows, %f_columns], strides = [%f_pitch, %f_stride, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %vf = make_partition_view %tf : partition_view<tile=(1x128x512), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tout = make_tensor_view %out, shape = [%out_samples, %out_rows, %out_columns], strides = [%out_pitch, %out_stride, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %vout = make_partition_view %tout : partition_view<tile=(1x128x512), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tkept = make_tensor_view %kept, shape = [%kept_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vkept = make_partition_view %tkept : partition_view<tile=(1), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %kept_tile, %kept_loaded = load_view_tko weak %vkept[%k] : partition_view<tile=(1), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %number = reshape %kept_tile : tile<1xf32> -> tile<f32>
    %none = constant <f32: 0.0> : tile<f32>
    %is_kept = cmpf greater_than ordered %number, %none : tile<f32> -> tile<i1>
    %x_tile, %x_loaded = load_view_tko weak %vx[%k, %j, %i] : partition_view<tile=(1x128x512), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x128x512xf32>, token
    %x_rows_columns = reshape %x_tile : tile<1x128x512xf32> -> tile<128x512xf32>
    %f_tile, %f_loaded = load_view_tko weak %vf[%k, %j, %i] : partition_view<tile=(1x128x512), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x128x512xf32>, token
    %f_rows_columns = reshape %f_tile : tile<1x128x512xf32> -> tile<128x512xf32>
    %sum = if %is_kept -> (tile<128x512xf32>) {
      %one_scale = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scales = broadcast %one_scale : tile<1x1xf32> -> tile<128x512xf32>
      %scaled = mulf %f_rows_columns, %scales : tile<128x512xf32>
      %added = addf %x_rows_columns, %scaled : tile<128x512xf32>
      yield %added : tile<128x512xf32>
    } else {
      yield %x_rows_columns : tile<128x512xf32>
    }
    %result = reshape %sum : tile<128x512xf32> -> tile<1x128x512xf32>
    %stored = store_view_tko weak %result, %vout[%k, %j, %i] : tile<1x128x512xf32>, partition_view<tile=(1x128x512), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
