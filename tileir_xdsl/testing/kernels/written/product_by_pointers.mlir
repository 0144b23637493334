cuda_tile.module @kernels {
  // c = a @ b in tiles of 64x64, as kernels of pointers have it: addresses and masks are tiles. The common size and the columns of b are multiples of 16.
  entry @product_by_pointers(%a: tile<ptr<f16>>, %a_rows: tile<i32>, %a_columns: tile<i32>, %a_pitch: tile<i32>, %a_stride: tile<i32>, %b: tile<ptr<f16>>, %b_rows: tile<i32>, %b_columns: tile<i32>, %b_pitch: tile<i32>, %b_stride: tile<i32>, %c: tile<ptr<f32>>, %c_rows: tile<i32>, %c_columns: tile<i32>, %c_pitch: tile<i32>, %c_stride: tile<i32>) {
    %a_base = assume div_by<16>, %a : tile<ptr<f16>>
    %b_base = assume div_by<16>, %b : tile<ptr<f16>>
    %c_base = assume div_by<16>, %c : tile<ptr<f32>>
    %depth = assume div_by<16>, %a_columns : tile<i32>
    %width = assume div_by<16>, %b_columns : tile<i32>
    %a_step = assume div_by<16>, %a_pitch : tile<i32>
    %b_step = assume div_by<16>, %b_pitch : tile<i32>
    %c_step = assume div_by<16>, %c_pitch : tile<i32>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %none = constant <f16: 0.0> : tile<64x64xf16>
    %sums = constant <f32: 0.0> : tile<64x64xf32>
    %lanes = iota : tile<64xi32>
    %top = muli %i, %size : tile<i32>
    %top_1 = reshape %top : tile<i32> -> tile<1xi32>
    %top_64 = broadcast %top_1 : tile<1xi32> -> tile<64xi32>
    %row = addi %top_64, %lanes : tile<64xi32>
    %row_2 = reshape %row : tile<64xi32> -> tile<64x1xi32>
    %rows = broadcast %row_2 : tile<64x1xi32> -> tile<64x64xi32>
    %left = muli %j, %size : tile<i32>
    %left_1 = reshape %left : tile<i32> -> tile<1xi32>
    %left_64 = broadcast %left_1 : tile<1xi32> -> tile<64xi32>
    %column = addi %left_64, %lanes : tile<64xi32>
    %column_2 = reshape %column : tile<64xi32> -> tile<1x64xi32>
    %columns = broadcast %column_2 : tile<1x64xi32> -> tile<64x64xi32>
    %lanes_down = reshape %lanes : tile<64xi32> -> tile<64x1xi32>
    %down = broadcast %lanes_down : tile<64x1xi32> -> tile<64x64xi32>
    %lanes_across = reshape %lanes : tile<64xi32> -> tile<1x64xi32>
    %across = broadcast %lanes_across : tile<1x64xi32> -> tile<64x64xi32>
    %height_2 = reshape %a_rows : tile<i32> -> tile<1x1xi32>
    %heights = broadcast %height_2 : tile<1x1xi32> -> tile<64x64xi32>
    %width_2 = reshape %width : tile<i32> -> tile<1x1xi32>
    %widths = broadcast %width_2 : tile<1x1xi32> -> tile<64x64xi32>
    %depth_2 = reshape %depth : tile<i32> -> tile<1x1xi32>
    %depths = broadcast %depth_2 : tile<1x1xi32> -> tile<64x64xi32>
    %a_step_2 = reshape %a_step : tile<i32> -> tile<1x1xi32>
    %a_steps = broadcast %a_step_2 : tile<1x1xi32> -> tile<64x64xi32>
    %b_step_2 = reshape %b_step : tile<i32> -> tile<1x1xi32>
    %b_steps = broadcast %b_step_2 : tile<1x1xi32> -> tile<64x64xi32>
    %c_step_2 = reshape %c_step : tile<i32> -> tile<1x1xi32>
    %c_steps = broadcast %c_step_2 : tile<1x1xi32> -> tile<64x64xi32>
    %a_2 = reshape %a_base : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %a_all = broadcast %a_2 : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>
    %b_2 = reshape %b_base : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %b_all = broadcast %b_2 : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>
    %c_2 = reshape %c_base : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %c_all = broadcast %c_2 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %has_row = cmpi less_than %rows, %heights, signed : tile<64x64xi32> -> tile<64x64xi1>
    %has_column = cmpi less_than %columns, %widths, signed : tile<64x64xi32> -> tile<64x64xi1>
    %a_start = muli %rows, %a_steps : tile<64x64xi32>
    %token = make_token : token
    %sum = for %step in (%zero to %depth, step %size) : tile<i32> iter_values(%acc = %sums) -> (tile<64x64xf32>) {
      %step_2 = reshape %step : tile<i32> -> tile<1x1xi32>
      %steps = broadcast %step_2 : tile<1x1xi32> -> tile<64x64xi32>
      %a_depth = addi %steps, %across : tile<64x64xi32>
      %a_in = cmpi less_than %a_depth, %depths, signed : tile<64x64xi32> -> tile<64x64xi1>
      %a_mask = andi %a_in, %has_row : tile<64x64xi1>
      %a_offset = addi %a_start, %a_depth : tile<64x64xi32>
      %a_at = offset %a_all, %a_offset : tile<64x64xptr<f16>>, tile<64x64xi32> -> tile<64x64xptr<f16>>
      %x, %read = load_ptr_tko weak %a_at, %a_mask, %none token=%token : tile<64x64xptr<f16>>, tile<64x64xi1>, tile<64x64xf16> -> tile<64x64xf16>, token
      %b_depth = addi %steps, %down : tile<64x64xi32>
      %b_in = cmpi less_than %b_depth, %depths, signed : tile<64x64xi32> -> tile<64x64xi1>
      %b_mask = andi %b_in, %has_column : tile<64x64xi1>
      %b_row = muli %b_depth, %b_steps : tile<64x64xi32>
      %b_offset = addi %b_row, %columns : tile<64x64xi32>
      %b_at = offset %b_all, %b_offset : tile<64x64xptr<f16>>, tile<64x64xi32> -> tile<64x64xptr<f16>>
      %y, %loaded = load_ptr_tko weak %b_at, %b_mask, %none token=%token : tile<64x64xptr<f16>>, tile<64x64xi1>, tile<64x64xf16> -> tile<64x64xf16>, token
      %next = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %c_row = muli %rows, %c_steps : tile<64x64xi32>
    %c_offset = addi %c_row, %columns : tile<64x64xi32>
    %c_at = offset %c_all, %c_offset : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %c_mask = andi %has_row, %has_column : tile<64x64xi1>
    %stored = store_ptr_tko weak %c_at, %sum, %c_mask token=%token : tile<64x64xptr<f32>>, tile<64x64xf32>, tile<64x64xi1> -> token
    return
  }
}
