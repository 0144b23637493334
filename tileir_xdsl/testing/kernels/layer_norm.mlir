cuda_tile.module @kernels {
  entry @layer_norm(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<f32>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f32>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f32>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg11 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg16 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg19 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_10, %assume_11], strides = [%assume_12, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_14 = make_tensor_view %assume_0, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_15 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_16 = make_tensor_view %assume_1, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_17 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg14 : tile<i32>
    %tview_20 = make_tensor_view %assume_2, shape = [%assume_17, %assume_18], strides = [%assume_19, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_21 = assume bounded<0, ?>, %arg17 : tile<i32>
    %tview_22 = make_tensor_view %assume_3, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_23 = assume bounded<0, ?>, %arg20 : tile<i32>
    %tview_24 = make_tensor_view %assume_4, shape = [%assume_23], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %1 = iota : tile<128xi32>
    %reshape = reshape %1 : tile<128xi32> -> tile<1x128xi32>
    %reshape_25 = reshape %assume_11 : tile<i32> -> tile<1x1xi32>
    %bcast = broadcast %reshape_25 : tile<1x1xi32> -> tile<1x128xi32>
    %2 = cmpi less_than %reshape, %bcast, signed : tile<1x128xi32> -> tile<1x128xi1>
    %reduce = reduce %tile dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %17 : tile<f32>
    }
    %reshape_26 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %3 = itof %assume_11 signed  : tile<i32> -> tile<f32>
    %reshape_27 = reshape %3 : tile<f32> -> tile<1x1xf32>
    %4 = divf %reshape_26, %reshape_27  : tile<1x1xf32>
    %bcast_28 = broadcast %4 : tile<1x1xf32> -> tile<1x128xf32>
    %5 = subf %tile, %bcast_28  : tile<1x128xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_29 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast_30 = broadcast %reshape_29 : tile<1x1xf32> -> tile<1x128xf32>
    %6 = select %2, %5, %bcast_30 : tile<1x128xi1>, tile<1x128xf32>
    %7 = mulf %6, %6  : tile<1x128xf32>
    %reduce_31 = reduce %7 dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %17 : tile<f32>
    }
    %reshape_32 = reshape %reduce_31 : tile<1xf32> -> tile<1x1xf32>
    %8 = itof %assume_11 signed  : tile<i32> -> tile<f32>
    %reshape_33 = reshape %8 : tile<f32> -> tile<1x1xf32>
    %9 = divf %reshape_32, %reshape_33  : tile<1x1xf32>
    %reshape_34 = reshape %arg22 : tile<f32> -> tile<1x1xf32>
    %10 = addf %9, %reshape_34  : tile<1x1xf32>
    %11 = rsqrt %10 : tile<1x1xf32>
    %cst_0_i32_35 = constant <i32: 0> : tile<i32>
    %pview_36 = make_partition_view %tview_14 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_37, %result_token_38 = load_view_tko weak %pview_36[%cst_0_i32_35] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_i32_39 = constant <i32: 0> : tile<i32>
    %pview_40 = make_partition_view %tview_16 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_41, %result_token_42 = load_view_tko weak %pview_40[%cst_0_i32_39] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_i32_43 = constant <i32: 0> : tile<i32>
    %bcast_44 = broadcast %11 : tile<1x1xf32> -> tile<1x128xf32>
    %12 = mulf %6, %bcast_44  : tile<1x128xf32>
    %reshape_45 = reshape %tile_37 : tile<128xf32> -> tile<1x128xf32>
    %reshape_46 = reshape %tile_41 : tile<128xf32> -> tile<1x128xf32>
    %13 = fma %12, %reshape_45, %reshape_46  : tile<1x128xf32>
    %pview_47 = make_partition_view %tview_20 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %14 = store_view_tko weak %13, %pview_47[%blockId_x, %cst_0_i32_43] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %reshape_48 = reshape %4 : tile<1x1xf32> -> tile<1xf32>
    %pview_49 = make_partition_view %tview_22 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %15 = store_view_tko weak %reshape_48, %pview_49[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %reshape_50 = reshape %11 : tile<1x1xf32> -> tile<1xf32>
    %pview_51 = make_partition_view %tview_24 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %16 = store_view_tko weak %reshape_50, %pview_51[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
