cuda_tile.module @kernels {
  entry @layer_norm_backward(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<f32>>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f32>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f32>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<f32>>, %arg25: tile<i32>, %arg26: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg13 : tile<ptr<f32>>
    %assume_5 = assume div_by<16>, %arg16 : tile<ptr<f32>>
    %assume_6 = assume div_by<16>, %arg19 : tile<ptr<f32>>
    %assume_7 = assume div_by<16>, %arg22 : tile<i32>
    %assume_8 = assume div_by<16>, %arg24 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %cst_1_i32_13 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<128xi64>
    %assume_14 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_14, %assume_15], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_16 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_18 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
    %tview_20 = make_tensor_view %assume_1, shape = [%assume_16, %assume_17], strides = [%assume_assume_assume_19, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_21 = assume bounded<0, ?>, %arg11 : tile<i32>
    %tview_22 = make_tensor_view %assume_3, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_23 = assume bounded<0, ?>, %arg14 : tile<i32>
    %tview_24 = make_tensor_view %assume_4, shape = [%assume_23], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_25 = assume bounded<0, ?>, %arg17 : tile<i32>
    %tview_26 = make_tensor_view %assume_5, shape = [%assume_25], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_27 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_28 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_assume_29 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_30 = assume div_by<16>, %assume_assume_29 : tile<i32>
    %tview_31 = make_tensor_view %assume_6, shape = [%assume_27, %assume_28], strides = [%assume_assume_assume_30, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_32 = assume bounded<0, ?>, %arg25 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview_20 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %1 = join_tokens %0, %result_token : token
    %cst_0_i32_33 = constant <i32: 0> : tile<i32>
    %pview_34 = make_partition_view %tview : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile_35, %result_token_36 = load_view_tko weak %pview_34[%blockId_x, %cst_0_i32_33] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %2 = join_tokens %0, %result_token_36 : token
    %cst_0_i32_37 = constant <i32: 0> : tile<i32>
    %pview_38 = make_partition_view %tview_22 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_39, %result_token_40 = load_view_tko weak %pview_38[%cst_0_i32_37] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %3 = join_tokens %0, %result_token_40 : token
    %pview_41 = make_partition_view %tview_24 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %tile_42, %result_token_43 = load_view_tko weak %pview_41[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %4 = join_tokens %0, %result_token_43 : token
    %pview_44 = make_partition_view %tview_26 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %tile_45, %result_token_46 = load_view_tko weak %pview_44[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %5 = join_tokens %0, %result_token_46 : token
    %6 = iota : tile<128xi32>
    %reshape = reshape %6 : tile<128xi32> -> tile<1x128xi32>
    %reshape_47 = reshape %assume_17 : tile<i32> -> tile<1x1xi32>
    %bcast = broadcast %reshape_47 : tile<1x1xi32> -> tile<1x128xi32>
    %7 = cmpi less_than %reshape, %bcast, signed : tile<1x128xi32> -> tile<1x128xi1>
    %reshape_48 = reshape %tile_42 : tile<1xf32> -> tile<1x1xf32>
    %bcast_49 = broadcast %reshape_48 : tile<1x1xf32> -> tile<1x128xf32>
    %8 = subf %tile, %bcast_49  : tile<1x128xf32>
    %reshape_50 = reshape %tile_45 : tile<1xf32> -> tile<1x1xf32>
    %bcast_51 = broadcast %reshape_50 : tile<1x1xf32> -> tile<1x128xf32>
    %9 = mulf %8, %bcast_51  : tile<1x128xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_52 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast_53 = broadcast %reshape_52 : tile<1x1xf32> -> tile<1x128xf32>
    %10 = select %7, %9, %bcast_53 : tile<1x128xi1>, tile<1x128xf32>
    %reshape_54 = reshape %tile_39 : tile<128xf32> -> tile<1x128xf32>
    %11 = mulf %tile_35, %reshape_54  : tile<1x128xf32>
    %12 = mulf %10, %11  : tile<1x128xf32>
    %reduce = reduce %12 dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %28 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %28 : tile<f32>
    }
    %reshape_55 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %13 = itof %assume_17 signed  : tile<i32> -> tile<f32>
    %reshape_56 = reshape %13 : tile<f32> -> tile<1x1xf32>
    %14 = divf %reshape_55, %reshape_56  : tile<1x1xf32>
    %reduce_57 = reduce %11 dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %28 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %28 : tile<f32>
    }
    %reshape_58 = reshape %reduce_57 : tile<1xf32> -> tile<1x1xf32>
    %15 = itof %assume_17 signed  : tile<i32> -> tile<f32>
    %reshape_59 = reshape %15 : tile<f32> -> tile<1x1xf32>
    %16 = divf %reshape_58, %reshape_59  : tile<1x1xf32>
    %cst_0_i32_60 = constant <i32: 0> : tile<i32>
    %bcast_61 = broadcast %14 : tile<1x1xf32> -> tile<1x128xf32>
    %bcast_62 = broadcast %16 : tile<1x1xf32> -> tile<1x128xf32>
    %17 = fma %10, %bcast_61, %bcast_62  : tile<1x128xf32>
    %18 = subf %11, %17  : tile<1x128xf32>
    %reshape_63 = reshape %tile_45 : tile<1xf32> -> tile<1x1xf32>
    %bcast_64 = broadcast %reshape_63 : tile<1x1xf32> -> tile<1x128xf32>
    %19 = mulf %18, %bcast_64  : tile<1x128xf32>
    %pview_65 = make_partition_view %tview_31 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %20 = store_view_tko weak %19, %pview_65[%blockId_x, %cst_0_i32_60] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %21 = mulf %tile_35, %10  : tile<1x128xf32>
    %reshape_66 = reshape %21 : tile<1x128xf32> -> tile<128xf32>
    %22 = exti %6 signed : tile<128xi32> -> tile<128xi64>
    %23 = exti %assume_32 signed : tile<i32> -> tile<i64>
    %reshape_67 = reshape %23 : tile<i64> -> tile<1xi64>
    %bcast_68 = broadcast %reshape_67 : tile<1xi64> -> tile<128xi64>
    %24 = cmpi less_than %22, %bcast_68, unsigned : tile<128xi64> -> tile<128xi1>
    %25 = muli %22, %cst_1_i64 : tile<128xi64>
    %reshape_69 = reshape %assume_8 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_70 = broadcast %reshape_69 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %26 = offset %bcast_70, %25 : tile<128xptr<f32>>, tile<128xi64> -> tile<128xptr<f32>>
    %27 = join_tokens %0, %1, %2, %3, %4, %5, %20 : token
    %result, %result_token_71 = atomic_rmw_tko acq_rel device %26, addf, %reshape_66, %24 token=%27 : tile<128xptr<f32>>, tile<128xf32>, tile<128xi1> -> tile<128xf32>, token
    return
  }
}
