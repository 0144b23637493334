// The softmax of each row of a matrix with up to 256 columns, a row a tile block.
//
//     tileir run row_softmax.mlir --grid 16 --arg random:f32:16x200 --arg out:zeros:f32:16x200
cuda_tile.module @samples {
  entry @row_softmax(%x: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %pitch: tile<i32>, %step: tile<i32>,
                     %y: tile<ptr<f32>>, %y_rows: tile<i32>, %y_columns: tile<i32>, %y_pitch: tile<i32>, %y_step: tile<i32>) {
    %start = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %x_array = make_tensor_view %x, shape = [%rows, %columns], strides = [%pitch, %step] : tile<i32> -> tensor_view<?x?xf32, strides=[?,?]>
    %y_array = make_tensor_view %y, shape = [%y_rows, %y_columns], strides = [%y_pitch, %y_step] : tile<i32> -> tensor_view<?x?xf32, strides=[?,?]>
    // Columns beyond the matrix read as minus infinity, whose power of e is zero.
    %x_tiles = make_partition_view %x_array : partition_view<tile=(1x256), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,?]>>
    %y_tiles = make_partition_view %y_array : partition_view<tile=(1x256), tensor_view<?x?xf32, strides=[?,?]>>
    %row, %read = load_view_tko weak %x_tiles[%i, %first] token = %start : partition_view<tile=(1x256), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,?]>>, tile<i32> -> tile<1x256xf32>, token
    %largest = reduce %row dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %larger = maxf %a, %b : tile<f32>
      yield %larger : tile<f32>
    }
    %largest_column = reshape %largest : tile<1xf32> -> tile<1x1xf32>
    %largest_row = broadcast %largest_column : tile<1x1xf32> -> tile<1x256xf32>
    %shifted = subf %row, %largest_row : tile<1x256xf32>
    %powers = exp %shifted : tile<1x256xf32>
    %sum = reduce %powers dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %added = addf %a, %b : tile<f32>
      yield %added : tile<f32>
    }
    %sum_column = reshape %sum : tile<1xf32> -> tile<1x1xf32>
    %sum_row = broadcast %sum_column : tile<1x1xf32> -> tile<1x256xf32>
    %result = divf %powers, %sum_row : tile<1x256xf32>
    %end = store_view_tko weak %result, %y_tiles[%i, %first] token = %start : tile<1x256xf32>, partition_view<tile=(1x256), tensor_view<?x?xf32, strides=[?,?]>>, tile<i32> -> token
    return
  }
}
