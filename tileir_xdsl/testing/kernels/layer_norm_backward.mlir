cuda_tile.module @kernels {
  entry @layer_norm_backward(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<f32>>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f32>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f32>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<f32>>, %arg25: tile<i32>, %arg26: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg13 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg16 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg19 : tile<ptr<f32>>
    %assume_5 = assume div_by<16>, %arg24 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<128xi64>
    %assume_11 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_14 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_17 = make_tensor_view %assume_0, shape = [%assume_14, %assume_15], strides = [%assume_16, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_18 = assume bounded<0, ?>, %arg11 : tile<i32>
    %tview_19 = make_tensor_view %assume_1, shape = [%assume_18], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_20 = assume bounded<0, ?>, %arg14 : tile<i32>
    %tview_21 = make_tensor_view %assume_2, shape = [%assume_20], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_22 = assume bounded<0, ?>, %arg17 : tile<i32>
    %tview_23 = make_tensor_view %assume_3, shape = [%assume_22], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_24 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %arg22 : tile<i32>
    %tview_27 = make_tensor_view %assume_4, shape = [%assume_24, %assume_25], strides = [%assume_26, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_28 = assume bounded<0, ?>, %arg25 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview_17 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %1 = join_tokens %0, %result_token : token
    %cst_0_i32_29 = constant <i32: 0> : tile<i32>
    %pview_30 = make_partition_view %tview : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile_31, %result_token_32 = load_view_tko weak %pview_30[%blockId_x, %cst_0_i32_29] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %2 = join_tokens %0, %result_token_32 : token
    %cst_0_i32_33 = constant <i32: 0> : tile<i32>
    %pview_34 = make_partition_view %tview_19 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_35, %result_token_36 = load_view_tko weak %pview_34[%cst_0_i32_33] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %3 = join_tokens %0, %result_token_36 : token
    %pview_37 = make_partition_view %tview_21 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %tile_38, %result_token_39 = load_view_tko weak %pview_37[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %4 = join_tokens %0, %result_token_39 : token
    %pview_40 = make_partition_view %tview_23 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %tile_41, %result_token_42 = load_view_tko weak %pview_40[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %5 = join_tokens %0, %result_token_42 : token
    %6 = iota : tile<128xi32>
    %reshape = reshape %6 : tile<128xi32> -> tile<1x128xi32>
    %reshape_43 = reshape %assume_15 : tile<i32> -> tile<1x1xi32>
    %bcast = broadcast %reshape_43 : tile<1x1xi32> -> tile<1x128xi32>
    %7 = cmpi less_than %reshape, %bcast, signed : tile<1x128xi32> -> tile<1x128xi1>
    %reshape_44 = reshape %tile_38 : tile<1xf32> -> tile<1x1xf32>
    %bcast_45 = broadcast %reshape_44 : tile<1x1xf32> -> tile<1x128xf32>
    %8 = subf %tile, %bcast_45  : tile<1x128xf32>
    %reshape_46 = reshape %tile_41 : tile<1xf32> -> tile<1x1xf32>
    %bcast_47 = broadcast %reshape_46 : tile<1x1xf32> -> tile<1x128xf32>
    %9 = mulf %8, %bcast_47  : tile<1x128xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_48 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast_49 = broadcast %reshape_48 : tile<1x1xf32> -> tile<1x128xf32>
    %10 = select %7, %9, %bcast_49 : tile<1x128xi1>, tile<1x128xf32>
    %reshape_50 = reshape %tile_35 : tile<128xf32> -> tile<1x128xf32>
    %11 = mulf %tile_31, %reshape_50  : tile<1x128xf32>
    %12 = mulf %10, %11  : tile<1x128xf32>
    %reduce = reduce %12 dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %28 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %28 : tile<f32>
    }
    %reshape_51 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %13 = itof %assume_15 signed  : tile<i32> -> tile<f32>
    %reshape_52 = reshape %13 : tile<f32> -> tile<1x1xf32>
    %14 = divf %reshape_51, %reshape_52  : tile<1x1xf32>
    %reduce_53 = reduce %11 dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %28 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %28 : tile<f32>
    }
    %reshape_54 = reshape %reduce_53 : tile<1xf32> -> tile<1x1xf32>
    %15 = itof %assume_15 signed  : tile<i32> -> tile<f32>
    %reshape_55 = reshape %15 : tile<f32> -> tile<1x1xf32>
    %16 = divf %reshape_54, %reshape_55  : tile<1x1xf32>
    %cst_0_i32_56 = constant <i32: 0> : tile<i32>
    %bcast_57 = broadcast %14 : tile<1x1xf32> -> tile<1x128xf32>
    %bcast_58 = broadcast %16 : tile<1x1xf32> -> tile<1x128xf32>
    %17 = fma %10, %bcast_57, %bcast_58  : tile<1x128xf32>
    %18 = subf %11, %17  : tile<1x128xf32>
    %reshape_59 = reshape %tile_41 : tile<1xf32> -> tile<1x1xf32>
    %bcast_60 = broadcast %reshape_59 : tile<1x1xf32> -> tile<1x128xf32>
    %19 = mulf %18, %bcast_60  : tile<1x128xf32>
    %pview_61 = make_partition_view %tview_27 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %20 = store_view_tko weak %19, %pview_61[%blockId_x, %cst_0_i32_56] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %21 = mulf %tile_31, %10  : tile<1x128xf32>
    %reshape_62 = reshape %21 : tile<1x128xf32> -> tile<128xf32>
    %22 = exti %6 signed : tile<128xi32> -> tile<128xi64>
    %23 = exti %assume_28 signed : tile<i32> -> tile<i64>
    %reshape_63 = reshape %23 : tile<i64> -> tile<1xi64>
    %bcast_64 = broadcast %reshape_63 : tile<1xi64> -> tile<128xi64>
    %24 = cmpi less_than %22, %bcast_64, unsigned : tile<128xi64> -> tile<128xi1>
    %25 = muli %22, %cst_1_i64 : tile<128xi64>
    %reshape_65 = reshape %assume_5 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_66 = broadcast %reshape_65 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %26 = offset %bcast_66, %25 : tile<128xptr<f32>>, tile<128xi64> -> tile<128xptr<f32>>
    %27 = join_tokens %0, %1, %2, %3, %4, %5, %20 : token
    %result, %result_token_67 = atomic_rmw_tko acq_rel device %26, addf, %reshape_62, %24 token=%27 : tile<128xptr<f32>>, tile<128xf32>, tile<128xi1> -> tile<128xf32>, token
    return
  }
}
