cuda_tile.module @kernels {
  entry @integer_division_i32(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<128xi32>
    %cst_1_i32_4 = constant <i32: 1> : tile<128xi32>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_11 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_10, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %pview_12 = make_partition_view %tview_7 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile_13, %result_token_14 = load_view_tko weak %pview_12[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %1 = cmpi equal %tile_13, %cst_0_i32, signed : tile<128xi32> -> tile<128xi1>
    %2 = select %1, %cst_1_i32_4, %tile_13 : tile<128xi1>, tile<128xi32>
    %3 = divi %tile, %2 signed rounding<negative_inf> : tile<128xi32>
    %4 = remi %tile, %2 signed : tile<128xi32>
    %cst_0_i32_15 = constant <i32: 0> : tile<128xi32>
    %5 = cmpi less_than %4, %cst_0_i32_15, signed : tile<128xi32> -> tile<128xi1>
    %6 = cmpi less_than %2, %cst_0_i32_15, signed : tile<128xi32> -> tile<128xi1>
    %7 = xori %5, %6 : tile<128xi1>
    %8 = cmpi not_equal %4, %cst_0_i32_15, signed : tile<128xi32> -> tile<128xi1>
    %9 = andi %7, %8 : tile<128xi1>
    %10 = addi %4, %2 : tile<128xi32>
    %11 = select %9, %10, %4 : tile<128xi1>, tile<128xi32>
    %cst_0_i32_16 = constant <i32: 0> : tile<i32>
    %reshape = reshape %3 : tile<128xi32> -> tile<1x128xi32>
    %pview_17 = make_partition_view %tview_11 : partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>
    %12 = store_view_tko weak %reshape, %pview_17[%cst_0_i32_16, %blockId_x] token = %0 : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_18 = constant <i32: 1> : tile<i32>
    %reshape_19 = reshape %11 : tile<128xi32> -> tile<1x128xi32>
    %pview_20 = make_partition_view %tview_11 : partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>
    %13 = store_view_tko weak %reshape_19, %pview_20[%cst_1_i32_18, %blockId_x] token = %12 : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %14 = divi %tile, %2 signed rounding<positive_inf> : tile<128xi32>
    %reshape_21 = reshape %14 : tile<128xi32> -> tile<1x128xi32>
    %pview_22 = make_partition_view %tview_11 : partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>
    %15 = store_view_tko weak %reshape_21, %pview_22[%cst_2_i32, %blockId_x] token = %13 : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %16 = absi %tile : tile<128xi32>
    %17 = absi %2 : tile<128xi32>
    %18 = subi %16, %17 : tile<128xi32>
    %reshape_23 = reshape %18 : tile<128xi32> -> tile<1x128xi32>
    %pview_24 = make_partition_view %tview_11 : partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>
    %19 = store_view_tko weak %reshape_23, %pview_24[%cst_3_i32, %blockId_x] token = %15 : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
