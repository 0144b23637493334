cuda_tile.module @kernels {
  entry @row_of_layer_norm(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<f32>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f32>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f32>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg2 : tile<i32>
    %assume_2 = assume div_by<16>, %arg3 : tile<i32>
    %assume_3 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg2 : tile<i32>
    %assume_5 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %assume_6 = assume div_by<16>, %arg2 : tile<i32>
    %assume_7 = assume div_by<16>, %arg11 : tile<ptr<f32>>
    %assume_8 = assume div_by<16>, %arg1 : tile<i32>
    %assume_9 = assume div_by<16>, %arg2 : tile<i32>
    %assume_10 = assume div_by<16>, %arg3 : tile<i32>
    %assume_11 = assume div_by<16>, %arg16 : tile<ptr<f32>>
    %assume_12 = assume div_by<16>, %arg19 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_13 = constant <i32: 1> : tile<i32>
    %cst_1_i32_14 = constant <i32: 1> : tile<i32>
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %cst_1_i32_16 = constant <i32: 1> : tile<i32>
    %cst_1_i32_17 = constant <i32: 1> : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_18 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_assume_assume, %assume_assume_assume_19], strides = [%assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_assume_22 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
    %tview_24 = make_tensor_view %assume_3, shape = [%assume_assume_assume_23], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_assume_25 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_26 = assume div_by<16>, %assume_assume_25 : tile<i32>
    %tview_27 = make_tensor_view %assume_5, shape = [%assume_assume_assume_26], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_assume_28 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
    %assume_assume_30 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
    %assume_assume_32 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
    %tview_34 = make_tensor_view %assume_7, shape = [%assume_assume_assume_29, %assume_assume_assume_31], strides = [%assume_assume_assume_33, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_35 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview_36 = make_tensor_view %assume_11, shape = [%assume_35], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_37 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview_38 = make_tensor_view %assume_12, shape = [%assume_37], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x1024xf32>, token
    %1 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<1024xi32> -> tile<1x1024xi32>
    %reshape_39 = reshape %assume_assume_assume_19 : tile<i32> -> tile<1x1xi32>
    %bcast = broadcast %reshape_39 : tile<1x1xi32> -> tile<1x1024xi32>
    %2 = cmpi less_than %reshape, %bcast, signed : tile<1x1024xi32> -> tile<1x1024xi1>
    %reduce = reduce %tile dim=1 identities=[0.000000e+00 : f32] : tile<1x1024xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %17 : tile<f32>
    }
    %reshape_40 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %3 = itof %assume_assume_assume_19 signed  : tile<i32> -> tile<f32>
    %reshape_41 = reshape %3 : tile<f32> -> tile<1x1xf32>
    %4 = divf %reshape_40, %reshape_41 rounding<full> : tile<1x1xf32>
    %bcast_42 = broadcast %4 : tile<1x1xf32> -> tile<1x1024xf32>
    %5 = subf %tile, %bcast_42  : tile<1x1024xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_43 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast_44 = broadcast %reshape_43 : tile<1x1xf32> -> tile<1x1024xf32>
    %6 = select %2, %5, %bcast_44 : tile<1x1024xi1>, tile<1x1024xf32>
    %7 = mulf %6, %6  : tile<1x1024xf32>
    %reduce_45 = reduce %7 dim=1 identities=[0.000000e+00 : f32] : tile<1x1024xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %17 : tile<f32>
    }
    %reshape_46 = reshape %reduce_45 : tile<1xf32> -> tile<1x1xf32>
    %8 = itof %assume_assume_assume_19 signed  : tile<i32> -> tile<f32>
    %reshape_47 = reshape %8 : tile<f32> -> tile<1x1xf32>
    %9 = divf %reshape_46, %reshape_47 rounding<full> : tile<1x1xf32>
    %reshape_48 = reshape %arg22 : tile<f32> -> tile<1x1xf32>
    %10 = addf %9, %reshape_48  : tile<1x1xf32>
    %11 = rsqrt %10 : tile<1x1xf32>
    %cst_0_i32_49 = constant <i32: 0> : tile<i32>
    %pview_50 = make_partition_view %tview_24 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_51, %result_token_52 = load_view_tko weak %pview_50[%cst_0_i32_49] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %cst_0_i32_53 = constant <i32: 0> : tile<i32>
    %pview_54 = make_partition_view %tview_27 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_55, %result_token_56 = load_view_tko weak %pview_54[%cst_0_i32_53] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %cst_0_i32_57 = constant <i32: 0> : tile<i32>
    %bcast_58 = broadcast %11 : tile<1x1xf32> -> tile<1x1024xf32>
    %12 = mulf %6, %bcast_58  : tile<1x1024xf32>
    %reshape_59 = reshape %tile_51 : tile<1024xf32> -> tile<1x1024xf32>
    %reshape_60 = reshape %tile_55 : tile<1024xf32> -> tile<1x1024xf32>
    %13 = fma %12, %reshape_59, %reshape_60  : tile<1x1024xf32>
    %pview_61 = make_partition_view %tview_34 : partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %14 = store_view_tko weak %13, %pview_61[%blockId_x, %cst_0_i32_57] token = %0 : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %reshape_62 = reshape %4 : tile<1x1xf32> -> tile<1xf32>
    %pview_63 = make_partition_view %tview_36 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %15 = store_view_tko weak %reshape_62, %pview_63[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %reshape_64 = reshape %11 : tile<1x1xf32> -> tile<1xf32>
    %pview_65 = make_partition_view %tview_38 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %16 = store_view_tko weak %reshape_64, %pview_65[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
