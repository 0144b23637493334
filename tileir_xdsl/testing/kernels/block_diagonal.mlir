cuda_tile.module @kernels {
  entry @block_diagonal(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<4x4xf32>, token
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %pview_10 = make_partition_view %tview : partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_11, %result_token_12 = load_view_tko weak %pview_10[%blockId_x, %cst_1_i32_9] token = %0 : partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<4x4xf32>, token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %1 = remi %blockId_x, %cst_2_i32 signed : tile<i32>
    %cst_0_i32_13 = constant <i32: 0> : tile<i32>
    %2 = cmpi less_than %1, %cst_0_i32_13, signed : tile<i32> -> tile<i1>
    %false = constant <i1: false> : tile<i1>
    %3 = xori %2, %false : tile<i1>
    %4 = cmpi not_equal %1, %cst_0_i32_13, signed : tile<i32> -> tile<i1>
    %5 = andi %3, %4 : tile<i1>
    %6 = addi %1, %cst_2_i32 : tile<i32>
    %7 = select %5, %6, %1 : tile<i1>, tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8x8xf32>
    %cst_0_i32_14 = constant <i32: 0> : tile<i32>
    %8 = insert %tile, %cst_0_f32[%cst_0_i32_14, %7] : tile<4x4xf32>, tile<8x8xf32>
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %cst_1_i32_16 = constant <i32: 1> : tile<i32>
    %9 = subi %cst_1_i32_16, %7 : tile<i32>
    %10 = insert %tile_11, %8[%cst_1_i32_15, %9] : tile<4x4xf32>, tile<8x8xf32>
    %cst_7_i32 = constant <i32: 7> : tile<i32>
    %cst_0_i32_17 = constant <i32: 0> : tile<i32>
    %cst_9_f32 = constant <f32: 9.000000e+00> : tile<f32>
    %reshape = reshape %cst_9_f32 : tile<f32> -> tile<1x1xf32>
    %11 = insert %reshape, %10[%cst_7_i32, %cst_0_i32_17] : tile<1x1xf32>, tile<8x8xf32>
    %cst_0_i32_18 = constant <i32: 0> : tile<i32>
    %pview_19 = make_partition_view %tview_8 : partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>
    %12 = store_view_tko weak %11, %pview_19[%blockId_x, %cst_0_i32_18] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
