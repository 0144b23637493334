cuda_tile.module @kernels {
  entry @elementwise_u8(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i8>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i8>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i8>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i8>>
    %assume_2 = assume div_by<16>, %arg9 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i8 = constant <i8: 1> : tile<128xi8>
    %cst_7_i8 = constant <i8: 7> : tile<128xi8>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
    %pview_11 = make_partition_view %tview_7 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>
    %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
    %1 = ori %tile_12, %cst_1_i8 : tile<128xi8>
    %2 = andi %tile_12, %cst_7_i8 : tile<128xi8>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %3 = addi %tile, %tile_12 : tile<128xi8>
    %reshape = reshape %3 : tile<128xi8> -> tile<1x128xi8>
    %pview_14 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %4 = store_view_tko weak %reshape, %pview_14[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %5 = subi %tile, %tile_12 : tile<128xi8>
    %reshape_16 = reshape %5 : tile<128xi8> -> tile<1x128xi8>
    %pview_17 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_16, %pview_17[%cst_1_i32_15, %blockId_x] token = %4 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %7 = muli %tile, %tile_12 : tile<128xi8>
    %reshape_18 = reshape %7 : tile<128xi8> -> tile<1x128xi8>
    %pview_19 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %8 = store_view_tko weak %reshape_18, %pview_19[%cst_2_i32, %blockId_x] token = %6 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %9 = divi %tile, %1 unsigned rounding<positive_inf> : tile<128xi8>
    %reshape_20 = reshape %9 : tile<128xi8> -> tile<1x128xi8>
    %pview_21 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %10 = store_view_tko weak %reshape_20, %pview_21[%cst_3_i32, %blockId_x] token = %8 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %11 = remi %tile, %1 unsigned : tile<128xi8>
    %cst_0_i8 = constant <i8: 0> : tile<128xi8>
    %12 = cmpi less_than %11, %cst_0_i8, unsigned : tile<128xi8> -> tile<128xi1>
    %13 = cmpi less_than %1, %cst_0_i8, unsigned : tile<128xi8> -> tile<128xi1>
    %14 = xori %12, %13 : tile<128xi1>
    %15 = cmpi not_equal %11, %cst_0_i8, unsigned : tile<128xi8> -> tile<128xi1>
    %16 = andi %14, %15 : tile<128xi1>
    %17 = addi %11, %1 : tile<128xi8>
    %18 = select %16, %17, %11 : tile<128xi1>, tile<128xi8>
    %reshape_22 = reshape %18 : tile<128xi8> -> tile<1x128xi8>
    %pview_23 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %19 = store_view_tko weak %reshape_22, %pview_23[%cst_4_i32, %blockId_x] token = %10 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_5_i32 = constant <i32: 5> : tile<i32>
    %20 = maxi %tile, %tile_12 unsigned : tile<128xi8>
    %reshape_24 = reshape %20 : tile<128xi8> -> tile<1x128xi8>
    %pview_25 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %21 = store_view_tko weak %reshape_24, %pview_25[%cst_5_i32, %blockId_x] token = %19 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_6_i32 = constant <i32: 6> : tile<i32>
    %22 = mini %tile, %tile_12 unsigned : tile<128xi8>
    %reshape_26 = reshape %22 : tile<128xi8> -> tile<1x128xi8>
    %pview_27 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %23 = store_view_tko weak %reshape_26, %pview_27[%cst_6_i32, %blockId_x] token = %21 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_7_i32 = constant <i32: 7> : tile<i32>
    %24 = andi %tile, %tile_12 : tile<128xi8>
    %reshape_28 = reshape %24 : tile<128xi8> -> tile<1x128xi8>
    %pview_29 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %25 = store_view_tko weak %reshape_28, %pview_29[%cst_7_i32, %blockId_x] token = %23 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_8_i32 = constant <i32: 8> : tile<i32>
    %26 = ori %tile, %tile_12 : tile<128xi8>
    %reshape_30 = reshape %26 : tile<128xi8> -> tile<1x128xi8>
    %pview_31 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %27 = store_view_tko weak %reshape_30, %pview_31[%cst_8_i32, %blockId_x] token = %25 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_9_i32 = constant <i32: 9> : tile<i32>
    %28 = xori %tile, %tile_12 : tile<128xi8>
    %reshape_32 = reshape %28 : tile<128xi8> -> tile<1x128xi8>
    %pview_33 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %29 = store_view_tko weak %reshape_32, %pview_33[%cst_9_i32, %blockId_x] token = %27 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_10_i32 = constant <i32: 10> : tile<i32>
    %cst_-1_i8 = constant <i8: -1> : tile<128xi8>
    %30 = xori %tile, %cst_-1_i8 : tile<128xi8>
    %reshape_34 = reshape %30 : tile<128xi8> -> tile<1x128xi8>
    %pview_35 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %31 = store_view_tko weak %reshape_34, %pview_35[%cst_10_i32, %blockId_x] token = %29 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_11_i32 = constant <i32: 11> : tile<i32>
    %32 = shli %tile, %2 : tile<128xi8>
    %reshape_36 = reshape %32 : tile<128xi8> -> tile<1x128xi8>
    %pview_37 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %33 = store_view_tko weak %reshape_36, %pview_37[%cst_11_i32, %blockId_x] token = %31 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_12_i32 = constant <i32: 12> : tile<i32>
    %34 = shri %tile, %2 unsigned : tile<128xi8>
    %reshape_38 = reshape %34 : tile<128xi8> -> tile<1x128xi8>
    %pview_39 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %35 = store_view_tko weak %reshape_38, %pview_39[%cst_12_i32, %blockId_x] token = %33 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_13_i32 = constant <i32: 13> : tile<i32>
    %36 = cmpi less_than %tile, %tile_12, unsigned : tile<128xi8> -> tile<128xi1>
    %37 = subi %tile_12, %tile : tile<128xi8>
    %38 = select %36, %tile, %37 : tile<128xi1>, tile<128xi8>
    %reshape_40 = reshape %38 : tile<128xi8> -> tile<1x128xi8>
    %pview_41 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %39 = store_view_tko weak %reshape_40, %pview_41[%cst_13_i32, %blockId_x] token = %35 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_14_i32 = constant <i32: 14> : tile<i32>
    %40 = cmpi equal %tile, %tile_12, unsigned : tile<128xi8> -> tile<128xi1>
    %41 = negi %tile : tile<128xi8>
    %42 = select %40, %tile_12, %41 : tile<128xi1>, tile<128xi8>
    %reshape_42 = reshape %42 : tile<128xi8> -> tile<1x128xi8>
    %pview_43 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>
    %43 = store_view_tko weak %reshape_42, %pview_43[%cst_14_i32, %blockId_x] token = %39 : tile<1x128xi8>, partition_view<tile=(1x128), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
