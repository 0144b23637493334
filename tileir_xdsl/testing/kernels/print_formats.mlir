cuda_tile.module @kernels {
  entry @print_formats(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %1 = join_tokens %0, %result_token : token
    %2 = ftoi %tile signed  : tile<4xf32> -> tile<4xi32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %3 = cmpi equal %blockId_x, %cst_0_i32, signed : tile<i32> -> tile<i1>
    %4 = if %3 -> (token) {
      %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
      %7 = join_tokens %0, %1 : token
      %8 = print_tko "%d blocks\0A", %gridSize_x token=%7 : tile<i32> -> token
      %9 = join_tokens %8, %1 : token
      %10 = print_tko "%5d|%-5d|%+d|%05d\0A", %2, %2, %2, %2 token=%9 : tile<4xi32>, tile<4xi32>, tile<4xi32>, tile<4xi32> -> token
      %11 = join_tokens %10, %1 : token
      %12 = print_tko "%x %o %u\0A", %2, %2, %2 token=%11 : tile<4xi32>, tile<4xi32>, tile<4xi32> -> token
      %13 = join_tokens %12, %1 : token
      %14 = print_tko "%f %8.3f %e %g 100%%\0A", %tile, %tile, %tile, %tile token=%13 : tile<4xf32>, tile<4xf32>, tile<4xf32>, tile<4xf32> -> token
      %15 = ftof %tile  : tile<4xf32> -> tile<4xf16>
      %16 = exti %2 signed : tile<4xi32> -> tile<4xi64>
      %17 = join_tokens %14, %1 : token
      %18 = print_tko "halves: %f long: %lld\0A", %15, %16 token=%17 : tile<4xf16>, tile<4xi64> -> token
      %19 = trunci %2 : tile<4xi32> -> tile<4xi8>
      %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
      %reshape = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
      %bcast = broadcast %reshape : tile<1xf32> -> tile<4xf32>
      %20 = cmpf greater_than ordered %tile, %bcast : tile<4xf32> -> tile<4xi1>
      %21 = join_tokens %18, %1 : token
      %22 = print_tko "small=%d positive=%d;\0A", %19, %20 token=%21 : tile<4xi8>, tile<4xi1> -> token
      yield %22 : token
    } else {
      yield %0 : token
    }
    %pview_5 = make_partition_view %tview_4 : partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>
    %5 = join_tokens %0, %4 : token
    %6 = store_view_tko weak %2, %pview_5[%blockId_x] token = %5 : tile<4xi32>, partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
