cuda_tile.module @kernels {
  // c[rows] = a[rows] @ b, in tiles of 64 rows; a row that a has not is neither read nor written.
  entry @gathered_product(%a: tile<ptr<f16>>, %a_rows: tile<i32>, %a_columns: tile<i32>, %a_pitch: tile<i32>, %a_stride: tile<i32>, %b: tile<ptr<f16>>, %b_rows: tile<i32>, %b_columns: tile<i32>, %b_pitch: tile<i32>, %b_stride: tile<i32>, %c: tile<ptr<f32>>, %c_rows: tile<i32>, %c_columns: tile<i32>, %c_pitch: tile<i32>, %c_stride: tile<i32>, %rows: tile<ptr<i32>>, %rows_size: tile<i32>, %rows_stride: tile<i32>) {
    %a_base = assume div_by<16>, %a : tile<ptr<f16>>
    %b_base = assume div_by<16>, %b : tile<ptr<f16>>
    %c_base = assume div_by<16>, %c : tile<ptr<f32>>
    %rows_base = assume div_by<16>, %rows : tile<ptr<i32>>
    %a_step = assume div_by<16>, %a_pitch : tile<i32>
    %b_step = assume div_by<16>, %b_pitch : tile<i32>
    %c_step = assume div_by<16>, %c_pitch : tile<i32>
    %ta = make_tensor_view %a_base, shape = [%a_rows, %a_columns], strides = [%a_step, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %tb = make_tensor_view %b_base, shape = [%b_rows, %b_columns], strides = [%b_step, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %tc = make_tensor_view %c_base, shape = [%c_rows, %c_columns], strides = [%c_step, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %trows = make_tensor_view %rows_base, shape = [%rows_size], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %va = make_gather_scatter_view %ta : gather_scatter_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>, sparse_dim=0>
    %vb = make_partition_view %tb : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %vc = make_gather_scatter_view %tc : gather_scatter_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>
    %vrows = make_partition_view %trows : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %token = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %width = constant <i32: 64> : tile<i32>
    %sums = constant <f32: 0.0> : tile<64x64xf32>
    %steps = divi %a_columns, %width signed rounding<positive_inf> : tile<i32>
    %taken, %listed = load_view_tko weak %vrows[%i] token = %token : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %sum = for %step in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %sums) -> (tile<64x64xf32>) {
      %column = muli %step, %width : tile<i32>
      %x, %read = load_view_tko weak %va[%taken, %column] token = %token : gather_scatter_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>, sparse_dim=0>, tile<64xi32>, tile<i32> -> tile<64x64xf16>, token
      %y, %loaded = load_view_tko weak %vb[%step, %zero] token = %token : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16>, token
      %next = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %stored = store_view_tko weak %sum, %vc[%taken, %zero] token = %token : tile<64x64xf32>, gather_scatter_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>, tile<64xi32>, tile<i32> -> token
    return
  }
}
