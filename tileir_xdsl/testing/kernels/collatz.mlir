cuda_tile.module @kernels {
  entry @collatz(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape = reshape %tile : tile<1xi32> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %cst_0_i32_7 = constant <i32: 0> : tile<i32>
    %false = constant <i1: false> : tile<i1>
    %cst_0_i32_8 = constant <i32: 0> : tile<i32>
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %1:2 = loop iter_values(%arg7 = %cst_0_i32, %arg8 = %reshape) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {
      %3 = cmpi equal %arg8, %cst_1_i32_5, signed : tile<i32> -> tile<i1>
      if %3 {
        break %arg7, %arg8 : tile<i32>, tile<i32>
      } else {
      }
      %4 = cmpi greater_than_or_equal %arg7, %arg6, signed : tile<i32> -> tile<i1>
      if %4 {
        %cst_-1_i32 = constant <i32: -1> : tile<i32>
        break %cst_-1_i32, %arg8 : tile<i32>, tile<i32>
      } else {
      }
      %5 = addi %arg7, %cst_1_i32_6 : tile<i32>
      %6 = remi %arg8, %cst_2_i32 signed : tile<i32>
      %7 = cmpi less_than %6, %cst_0_i32_7, signed : tile<i32> -> tile<i1>
      %8 = xori %7, %false : tile<i1>
      %9 = cmpi not_equal %6, %cst_0_i32_7, signed : tile<i32> -> tile<i1>
      %10 = andi %8, %9 : tile<i1>
      %11 = addi %6, %cst_2_i32 : tile<i32>
      %12 = select %10, %11, %6 : tile<i1>, tile<i32>
      %13 = cmpi equal %12, %cst_0_i32_8, signed : tile<i32> -> tile<i1>
      if %13 {
        %cst_2_i32_12 = constant <i32: 2> : tile<i32>
        %16 = divi %arg8, %cst_2_i32_12 signed rounding<negative_inf> : tile<i32>
        continue %5, %16 : tile<i32>, tile<i32>
      } else {
      }
      %14 = muli %cst_3_i32, %arg8 : tile<i32>
      %15 = addi %14, %cst_1_i32_9 : tile<i32>
      continue %5, %15 : tile<i32>, tile<i32>
    }
    %reshape_10 = reshape %1#0 : tile<i32> -> tile<1xi32>
    %pview_11 = make_partition_view %tview_4 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %2 = store_view_tko weak %reshape_10, %pview_11[%blockId_x] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
