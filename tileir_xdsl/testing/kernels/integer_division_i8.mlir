cuda_tile.module @kernels {
  entry @integer_division_i8(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i8>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i8>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i8>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i8>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_0_i8 = constant <i8: 0> : tile<128xi8>
    %cst_1_i8 = constant <i8: 1> : tile<128xi8>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
    %pview_11 = make_partition_view %tview_6 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>
    %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
    %1 = cmpi equal %tile_12, %cst_0_i8, signed : tile<128xi8> -> tile<128xi1>
    %2 = select %1, %cst_1_i8, %tile_12 : tile<128xi1>, tile<128xi8>
    %3 = divi %tile, %2 signed rounding<negative_inf> : tile<128xi8>
    %4 = remi %tile, %2 signed : tile<128xi8>
    %cst_0_i8_14 = constant <i8: 0> : tile<128xi8>
    %5 = cmpi less_than %4, %cst_0_i8_14, signed : tile<128xi8> -> tile<128xi1>
    %6 = cmpi less_than %2, %cst_0_i8_14, signed : tile<128xi8> -> tile<128xi1>
    %7 = xori %5, %6 : tile<128xi1>
    %8 = cmpi not_equal %4, %cst_0_i8_14, signed : tile<128xi8> -> tile<128xi1>
    %9 = andi %7, %8 : tile<128xi1>
    %10 = addi %4, %2 : tile<128xi8>
    %11 = select %9, %10, %4 : tile<128xi1>, tile<128xi8>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %reshape = reshape %3 : tile<128xi8> -> tile<1x128xi8>
    %pview_15 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %12 = store_view_tko weak %reshape, %pview_15[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_16 = constant <i32: 1> : tile<i32>
    %reshape_17 = reshape %11 : tile<128xi8> -> tile<1x128xi8>
    %pview_18 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %13 = store_view_tko weak %reshape_17, %pview_18[%cst_1_i32_16, %blockId_x] token = %12 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %14 = divi %tile, %2 signed rounding<positive_inf> : tile<128xi8>
    %reshape_19 = reshape %14 : tile<128xi8> -> tile<1x128xi8>
    %pview_20 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %15 = store_view_tko weak %reshape_19, %pview_20[%cst_2_i32, %blockId_x] token = %13 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %16 = absi %tile : tile<128xi8>
    %17 = absi %2 : tile<128xi8>
    %18 = subi %16, %17 : tile<128xi8>
    %reshape_21 = reshape %18 : tile<128xi8> -> tile<1x128xi8>
    %pview_22 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %19 = store_view_tko weak %reshape_21, %pview_22[%cst_3_i32, %blockId_x] token = %15 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
