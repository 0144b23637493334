cuda_tile.module @kernels {
  entry @layer_norm(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<f32>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f32>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f32>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg11 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg14 : tile<i32>
    %assume_5 = assume div_by<16>, %arg16 : tile<ptr<f32>>
    %assume_6 = assume div_by<16>, %arg19 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_12, %assume_13], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_14 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_15 = make_tensor_view %assume_1, shape = [%assume_14], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_16 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_17 = make_tensor_view %assume_2, shape = [%assume_16], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_18 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %tview_22 = make_tensor_view %assume_3, shape = [%assume_18, %assume_19], strides = [%assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_23 = assume bounded<0, ?>, %arg17 : tile<i32>
    %tview_24 = make_tensor_view %assume_5, shape = [%assume_23], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_25 = assume bounded<0, ?>, %arg20 : tile<i32>
    %tview_26 = make_tensor_view %assume_6, shape = [%assume_25], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %1 = iota : tile<128xi32>
    %reshape = reshape %1 : tile<128xi32> -> tile<1x128xi32>
    %reshape_27 = reshape %assume_13 : tile<i32> -> tile<1x1xi32>
    %bcast = broadcast %reshape_27 : tile<1x1xi32> -> tile<1x128xi32>
    %2 = cmpi less_than %reshape, %bcast, signed : tile<1x128xi32> -> tile<1x128xi1>
    %reduce = reduce %tile dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %17 : tile<f32>
    }
    %reshape_28 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %3 = itof %assume_13 signed  : tile<i32> -> tile<f32>
    %reshape_29 = reshape %3 : tile<f32> -> tile<1x1xf32>
    %4 = divf %reshape_28, %reshape_29  : tile<1x1xf32>
    %bcast_30 = broadcast %4 : tile<1x1xf32> -> tile<1x128xf32>
    %5 = subf %tile, %bcast_30  : tile<1x128xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_31 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast_32 = broadcast %reshape_31 : tile<1x1xf32> -> tile<1x128xf32>
    %6 = select %2, %5, %bcast_32 : tile<1x128xi1>, tile<1x128xf32>
    %7 = mulf %6, %6  : tile<1x128xf32>
    %reduce_33 = reduce %7 dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %17 : tile<f32>
    }
    %reshape_34 = reshape %reduce_33 : tile<1xf32> -> tile<1x1xf32>
    %8 = itof %assume_13 signed  : tile<i32> -> tile<f32>
    %reshape_35 = reshape %8 : tile<f32> -> tile<1x1xf32>
    %9 = divf %reshape_34, %reshape_35  : tile<1x1xf32>
    %reshape_36 = reshape %arg22 : tile<f32> -> tile<1x1xf32>
    %10 = addf %9, %reshape_36  : tile<1x1xf32>
    %11 = rsqrt %10 : tile<1x1xf32>
    %cst_0_i32_37 = constant <i32: 0> : tile<i32>
    %pview_38 = make_partition_view %tview_15 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_39, %result_token_40 = load_view_tko weak %pview_38[%cst_0_i32_37] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_i32_41 = constant <i32: 0> : tile<i32>
    %pview_42 = make_partition_view %tview_17 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_43, %result_token_44 = load_view_tko weak %pview_42[%cst_0_i32_41] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_i32_45 = constant <i32: 0> : tile<i32>
    %bcast_46 = broadcast %11 : tile<1x1xf32> -> tile<1x128xf32>
    %12 = mulf %6, %bcast_46  : tile<1x128xf32>
    %reshape_47 = reshape %tile_39 : tile<128xf32> -> tile<1x128xf32>
    %reshape_48 = reshape %tile_43 : tile<128xf32> -> tile<1x128xf32>
    %13 = fma %12, %reshape_47, %reshape_48  : tile<1x128xf32>
    %pview_49 = make_partition_view %tview_22 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %14 = store_view_tko weak %13, %pview_49[%blockId_x, %cst_0_i32_45] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %reshape_50 = reshape %4 : tile<1x1xf32> -> tile<1xf32>
    %pview_51 = make_partition_view %tview_24 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %15 = store_view_tko weak %reshape_50, %pview_51[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %reshape_52 = reshape %11 : tile<1x1xf32> -> tile<1xf32>
    %pview_53 = make_partition_view %tview_26 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %16 = store_view_tko weak %reshape_52, %pview_53[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
