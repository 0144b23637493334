cuda_tile.module @kernels {
  entry @running_extrema(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %cst_3_i32 = constant <i32: 3> : tile<1x32xi32>
    %cst_1_i32_2 = constant <i32: 1> : tile<1x32xi32>
    %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_3, %assume_4], strides = [%assume_5, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %assume_6 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_9 = make_tensor_view %assume_0, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<1x32xi32>, token
    %1 = scan %tile dim=1 reverse=false identities=[-2147483648 : i32] : tile<1x32xi32> -> tile<1x32xi32> 
    (%arg10: tile<i32>, %arg11: tile<i32>) {
      %21 = maxi %arg10, %arg11 signed : tile<i32>
      yield %21 : tile<i32>
    }
    %cst_3_i32_10 = constant <i32: 3> : tile<i32>
    %2 = muli %cst_3_i32_10, %blockId_x : tile<i32>
    %cst_0_i32_11 = constant <i32: 0> : tile<i32>
    %pview_12 = make_partition_view %tview_9 : partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>
    %3 = store_view_tko weak %1, %pview_12[%2, %cst_0_i32_11] token = %0 : tile<1x32xi32>, partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %4 = scan %tile dim=1 reverse=true identities=[2147483647 : i32] : tile<1x32xi32> -> tile<1x32xi32> 
    (%arg10: tile<i32>, %arg11: tile<i32>) {
      %21 = mini %arg10, %arg11 signed : tile<i32>
      yield %21 : tile<i32>
    }
    %cst_3_i32_13 = constant <i32: 3> : tile<i32>
    %5 = muli %cst_3_i32_13, %blockId_x : tile<i32>
    %cst_1_i32_14 = constant <i32: 1> : tile<i32>
    %6 = addi %5, %cst_1_i32_14 : tile<i32>
    %cst_0_i32_15 = constant <i32: 0> : tile<i32>
    %pview_16 = make_partition_view %tview_9 : partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>
    %7 = store_view_tko weak %4, %pview_16[%6, %cst_0_i32_15] token = %3 : tile<1x32xi32>, partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32_17 = constant <i32: 3> : tile<i32>
    %8 = muli %cst_3_i32_17, %blockId_x : tile<i32>
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %9 = addi %8, %cst_2_i32 : tile<i32>
    %cst_0_i32_18 = constant <i32: 0> : tile<i32>
    %10 = remi %tile, %cst_3_i32 signed : tile<1x32xi32>
    %cst_0_i32_19 = constant <i32: 0> : tile<1x32xi32>
    %11 = cmpi less_than %10, %cst_0_i32_19, signed : tile<1x32xi32> -> tile<1x32xi1>
    %12 = cmpi less_than %cst_3_i32, %cst_0_i32_19, signed : tile<1x32xi32> -> tile<1x32xi1>
    %13 = xori %11, %12 : tile<1x32xi1>
    %14 = cmpi not_equal %10, %cst_0_i32_19, signed : tile<1x32xi32> -> tile<1x32xi1>
    %15 = andi %13, %14 : tile<1x32xi1>
    %16 = addi %10, %cst_3_i32 : tile<1x32xi32>
    %17 = select %15, %16, %10 : tile<1x32xi1>, tile<1x32xi32>
    %18 = subi %17, %cst_1_i32_2 : tile<1x32xi32>
    %19 = scan %18 dim=1 reverse=true identities=[1 : i32] : tile<1x32xi32> -> tile<1x32xi32> 
    (%arg10: tile<i32>, %arg11: tile<i32>) {
      %21 = muli %arg10, %arg11 : tile<i32>
      yield %21 : tile<i32>
    }
    %pview_20 = make_partition_view %tview_9 : partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>
    %20 = store_view_tko weak %19, %pview_20[%9, %cst_0_i32_18] token = %7 : tile<1x32xi32>, partition_view<tile=(1x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
