cuda_tile.module @kernels {
  // c = [a | h] @ b in tiles of 64x64, sample by sample: the left operand is in two arrays, as the input and the state of a recurrent cell are. The columns of a are a multiple of 64.
  entry @joined_product(%a: tile<ptr<f16>>, %a_heads: tile<i32>, %a_rows: tile<i32>, %a_columns: tile<i32>, %a_pitch: tile<i32>, %a_stride: tile<i32>, %a_step: tile<i32>, %h: tile<ptr<f16>>, %h_heads: tile<i32>, %h_rows: tile<i32>, %h_columns: tile<i32>, %h_pitch: tile<i32>, %h_stride: tile<i32>, %h_step: tile<i32>, %b: tile<ptr<f16>>, %b_rows: tile<i32>, %b_columns: tile<i32>, %b_stride: tile<i32>, %b_step: tile<i32>, %c: tile<ptr<f32>>, %c_heads: tile<i32>, %c_rows: tile<i32>, %c_columns: tile<i32>, %c_pitch: tile<i32>, %c_stride: tile<i32>, %c_step: tile<i32>) {
    %a_base = assume div_by<16>, %a : tile<ptr<f16>>
    %h_base = assume div_by<16>, %h : tile<ptr<f16>>
    %b_base = assume div_by<16>, %b : tile<ptr<f16>>
    %c_base = assume div_by<16>, %c : tile<ptr<f32>>
    %a_outer = assume div_by<16>, %a_pitch : tile<i32>
    %h_outer = assume div_by<16>, %h_pitch : tile<i32>
    %c_outer = assume div_by<16>, %c_pitch : tile<i32>
    %a_row = assume div_by<16>, %a_stride : tile<i32>
    %h_row = assume div_by<16>, %h_stride : tile<i32>
    %b_row = assume div_by<16>, %b_stride : tile<i32>
    %c_row = assume div_by<16>, %c_stride : tile<i32>
    %ta = make_tensor_view %a_base, shape = [%a_heads, %a_rows, %a_columns], strides = [%a_outer, %a_row, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %th = make_tensor_view %h_base, shape = [%h_heads, %h_rows, %h_columns], strides = [%h_outer, %h_row, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %tc = make_tensor_view %c_base, shape = [%c_heads, %c_rows, %c_columns], strides = [%c_outer, %c_row, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %tb = make_tensor_view %b_base, shape = [%b_rows, %b_columns], strides = [%b_row, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %va = make_partition_view %ta : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %vh = make_partition_view %th : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %token = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %width = constant <i32: 64> : tile<i32>
    %sums = constant <f32: 0.0> : tile<64x64xf32>
    %first = divi %a_columns, %width signed rounding<positive_inf> : tile<i32>
    %second = divi %h_columns, %width signed rounding<positive_inf> : tile<i32>
    %steps = addi %first, %second : tile<i32>
    %sum = for %step in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %sums) -> (tile<64x64xf32>) {
      %is_first = cmpi less_than %step, %first, signed : tile<i32> -> tile<i1>
      %x = if %is_first -> (tile<64x64xf16>) {
        %a_tile, %a_token = load_view_tko weak %va[%k, %i, %step] token = %token : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf16>, token
        %a_operand = reshape %a_tile : tile<1x64x64xf16> -> tile<64x64xf16>
        yield %a_operand : tile<64x64xf16>
      } else {
        %rest = subi %step, %first : tile<i32>
        %h_tile, %h_token = load_view_tko weak %vh[%k, %i, %rest] token = %token : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf16>, token
        %h_operand = reshape %h_tile : tile<1x64x64xf16> -> tile<64x64xf16>
        yield %h_operand : tile<64x64xf16>
      }
      %y, %loaded = load_view_tko weak %vb[%step, %j] token = %token : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16>, token
      %next = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %result = reshape %sum : tile<64x64xf32> -> tile<1x64x64xf32>
    %stored = store_view_tko weak %result, %vc[%k, %i, %j] token = %token : tile<1x64x64xf32>, partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
