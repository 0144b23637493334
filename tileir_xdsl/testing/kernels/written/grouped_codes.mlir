cuda_tile.module @kernels {
  // Codes of 8 bits for numbers, with a scale for each row of 32: a loop takes the groups of a tile one after the other.
  entry @grouped_codes(%x: tile<ptr<f32>>, %x_rows: tile<i32>, %x_columns: tile<i32>, %x_stride: tile<i32>, %x_step: tile<i32>, %codes: tile<ptr<i8>>, %codes_rows: tile<i32>, %codes_columns: tile<i32>, %codes_stride: tile<i32>, %codes_step: tile<i32>, %scales: tile<ptr<f32>>, %scales_rows: tile<i32>, %scales_columns: tile<i32>, %scales_stride: tile<i32>, %scales_step: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_rows, %x_columns], strides = [%x_stride, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %vx = make_partition_view %tx : partition_view<tile=(32x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tcodes = make_tensor_view %codes, shape = [%codes_rows, %codes_columns], strides = [%codes_stride, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %vcodes = make_partition_view %tcodes : partition_view<tile=(32x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %tscales = make_tensor_view %scales, shape = [%scales_rows, %scales_columns], strides = [%scales_stride, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %vscales = make_partition_view %tscales : partition_view<tile=(32x1), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %groups = constant <i32: 4> : tile<i32>
    %least = constant <f32: 1.0e-30> : tile<32x1xf32>
    %most = constant <f32: 127.0> : tile<32x1xf32>
    %nothing = constant <i8: 0> : tile<32x128xi8>
    %first = muli %j, %groups : tile<i32>
    %tile, %loaded = load_view_tko weak %vx[%i, %j] : partition_view<tile=(32x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x128xf32>, token
    %all = for %g in (%zero to %groups, step %one) : tile<i32> iter_values(%before = %nothing) -> (tile<32x128xi8>) {
      %group = extract %tile[%zero, %g] : tile<32x128xf32> -> tile<32x32xf32>
      %sizes = absf %group : tile<32x32xf32>
      %largest = reduce %sizes dim=1 identities=[0.0 : f32] : tile<32x32xf32> -> tile<32xf32>
      (%element: tile<f32>, %accumulated: tile<f32>) {
        %larger = maxf %element, %accumulated : tile<f32>
        yield %larger : tile<f32>
      }
      %column = reshape %largest : tile<32xf32> -> tile<32x1xf32>
      %known = maxf %column, %least : tile<32x1xf32>
      %scale = divf %known, %most : tile<32x1xf32>
      %scale_of_all = broadcast %scale : tile<32x1xf32> -> tile<32x32xf32>
      %scaled = divf %group, %scale_of_all : tile<32x32xf32>
      %code = ftoi %scaled signed : tile<32x32xf32> -> tile<32x32xi8>
      %after = insert %code, %before[%zero, %g] : tile<32x32xi8>, tile<32x128xi8>
      %place = addi %first, %g : tile<i32>
      %noted = store_view_tko weak %scale, %vscales[%i, %place] : tile<32x1xf32>, partition_view<tile=(32x1), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
      continue %after : tile<32x128xi8>
    }
    %stored = store_view_tko weak %all, %vcodes[%i, %j] : tile<32x128xi8>, partition_view<tile=(32x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
