cuda_tile.module @kernels {
  entry @cat_extract(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg13 : tile<i32>
    %assume_5 = assume div_by<16>, %arg15 : tile<ptr<f32>>
    %assume_6 = assume div_by<16>, %arg18 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_10, %assume_11], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_12 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_14 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
    %tview_16 = make_tensor_view %assume_1, shape = [%assume_12, %assume_13], strides = [%assume_assume_assume_15, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_17 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_assume_19 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_20 = assume div_by<16>, %assume_assume_19 : tile<i32>
    %tview_21 = make_tensor_view %assume_3, shape = [%assume_17, %assume_18], strides = [%assume_assume_assume_20, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_22 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_assume_24 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
    %tview_26 = make_tensor_view %assume_5, shape = [%assume_22, %assume_23], strides = [%assume_assume_assume_25, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x16xf32>, token
    %cst_0_i32_27 = constant <i32: 0> : tile<i32>
    %pview_28 = make_partition_view %tview_16 : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_29, %result_token_30 = load_view_tko weak %pview_28[%blockId_x, %cst_0_i32_27] token = %0 : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x16xf32>, token
    %1 = cat %tile, %tile_29 dim = 1 : tile<8x16xf32>, tile<8x16xf32> -> tile<8x32xf32>
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %pview_32 = make_partition_view %tview_21 : partition_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %1, %pview_32[%blockId_x, %cst_0_i32_31] token = %0 : tile<8x32xf32>, partition_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %3 = remi %blockId_x, %cst_2_i32 signed : tile<i32>
    %cst_0_i32_33 = constant <i32: 0> : tile<i32>
    %4 = cmpi less_than %3, %cst_0_i32_33, signed : tile<i32> -> tile<i1>
    %false = constant <i1: false> : tile<i1>
    %5 = xori %4, %false : tile<i1>
    %6 = cmpi not_equal %3, %cst_0_i32_33, signed : tile<i32> -> tile<i1>
    %7 = andi %5, %6 : tile<i1>
    %8 = addi %3, %cst_2_i32 : tile<i32>
    %9 = select %7, %8, %3 : tile<i1>, tile<i32>
    %cst_2_i32_34 = constant <i32: 2> : tile<i32>
    %10 = extract %1[%9, %cst_2_i32_34] : tile<8x32xf32> -> tile<4x8xf32>
    %reshape = reshape %1 : tile<8x32xf32> -> tile<16x16xf32>
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %cst_1_i32_35 = constant <i32: 1> : tile<i32>
    %11 = extract %reshape[%cst_3_i32, %cst_1_i32_35] : tile<16x16xf32> -> tile<4x8xf32>
    %cst_0_i32_36 = constant <i32: 0> : tile<i32>
    %12 = cat %10, %11 dim = 0 : tile<4x8xf32>, tile<4x8xf32> -> tile<8x8xf32>
    %pview_37 = make_partition_view %tview_26 : partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>
    %13 = store_view_tko weak %12, %pview_37[%blockId_x, %cst_0_i32_36] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
