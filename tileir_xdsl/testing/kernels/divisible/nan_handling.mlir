cuda_tile.module @kernels {
  entry @nan_handling(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<ptr<i32>>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg13 : tile<i32>
    %assume_5 = assume div_by<16>, %arg15 : tile<ptr<f32>>
    %assume_6 = assume div_by<16>, %arg18 : tile<i32>
    %assume_7 = assume div_by<16>, %arg20 : tile<ptr<i32>>
    %assume_8 = assume div_by<16>, %arg23 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_13, %assume_14], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_15 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_17 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
    %tview_19 = make_tensor_view %assume_1, shape = [%assume_15, %assume_16], strides = [%assume_assume_assume_18, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_20 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_assume_22 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
    %tview_24 = make_tensor_view %assume_3, shape = [%assume_20, %assume_21], strides = [%assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_25 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_assume_27 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_28 = assume div_by<16>, %assume_assume_27 : tile<i32>
    %tview_29 = make_tensor_view %assume_5, shape = [%assume_25, %assume_26], strides = [%assume_assume_assume_28, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_30 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_31 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_assume_32 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
    %tview_34 = make_tensor_view %assume_7, shape = [%assume_30, %assume_31], strides = [%assume_assume_assume_33, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %cst_0_i32_35 = constant <i32: 0> : tile<i32>
    %pview_36 = make_partition_view %tview_19 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_37, %result_token_38 = load_view_tko weak %pview_36[%blockId_x, %cst_0_i32_35] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %cst_0_i32_39 = constant <i32: 0> : tile<i32>
    %1 = maxf %tile, %tile_37 : tile<1x64xf32>
    %pview_40 = make_partition_view %tview_24 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %1, %pview_40[%blockId_x, %cst_0_i32_39] token = %0 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_41 = constant <i32: 1> : tile<i32>
    %3 = minf %tile, %tile_37 : tile<1x64xf32>
    %pview_42 = make_partition_view %tview_24 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %3, %pview_42[%blockId_x, %cst_1_i32_41] token = %2 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %5 = maxf %tile, %tile_37 propagate_nan : tile<1x64xf32>
    %pview_43 = make_partition_view %tview_24 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %6 = store_view_tko weak %5, %pview_43[%blockId_x, %cst_2_i32] token = %4 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %7 = minf %tile, %tile_37 propagate_nan : tile<1x64xf32>
    %pview_44 = make_partition_view %tview_24 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %8 = store_view_tko weak %7, %pview_44[%blockId_x, %cst_3_i32] token = %6 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %9 = cmpf not_equal unordered %tile, %tile : tile<1x64xf32> -> tile<1x64xi1>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<1x64xf32>
    %10 = select %9, %bcast, %tile : tile<1x64xi1>, tile<1x64xf32>
    %pview_45 = make_partition_view %tview_24 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %11 = store_view_tko weak %10, %pview_45[%blockId_x, %cst_4_i32] token = %8 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_46 = constant <i32: 0> : tile<i32>
    %reduce = reduce %tile dim=1 identities=[0xFF800000 : f32] : tile<1x64xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %18 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %18 : tile<f32>
    }
    %reshape_47 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %pview_48 = make_partition_view %tview_29 : partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>
    %12 = store_view_tko weak %reshape_47, %pview_48[%blockId_x, %cst_0_i32_46] token = %0 : tile<1x1xf32>, partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_49 = constant <i32: 1> : tile<i32>
    %reduce_50 = reduce %tile dim=1 identities=[0x7F800000 : f32] : tile<1x64xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %18 = minf %reduce_lhs, %reduce_rhs propagate_nan : tile<f32>
      yield %18 : tile<f32>
    }
    %reshape_51 = reshape %reduce_50 : tile<1xf32> -> tile<1x1xf32>
    %pview_52 = make_partition_view %tview_29 : partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>
    %13 = store_view_tko weak %reshape_51, %pview_52[%blockId_x, %cst_1_i32_49] token = %12 : tile<1x1xf32>, partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_53 = constant <i32: 0> : tile<i32>
    %14 = iota : tile<64xi32>
    %reshape_54 = reshape %14 : tile<64xi32> -> tile<1x64xi32>
    %reduce_55:2 = reduce %tile, %reshape_54 dim=1 identities=[0xFF800000 : f32, 0 : i32] : tile<1x64xf32>, tile<1x64xi32> -> tile<1xf32>, tile<1xi32> 
    (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
      %18 = cmpf greater_than ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %19 = cmpf equal ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %20 = cmpf not_equal unordered %reduce_lhs0, %reduce_lhs0 : tile<f32> -> tile<i1>
      %21 = cmpf not_equal unordered %reduce_rhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %22 = cmpf equal ordered %reduce_lhs0, %reduce_lhs0 : tile<f32> -> tile<i1>
      %23 = andi %22, %21 : tile<i1>
      %24 = ori %18, %23 : tile<i1>
      %25 = andi %20, %21 : tile<i1>
      %26 = ori %19, %25 : tile<i1>
      %27 = cmpi less_than %reduce_lhs1, %reduce_rhs1, signed : tile<i32> -> tile<i1>
      %28 = andi %26, %27 : tile<i1>
      %29 = ori %24, %28 : tile<i1>
      %30 = select %29, %reduce_lhs0, %reduce_rhs0 : tile<i1>, tile<f32>
      %31 = select %29, %reduce_lhs1, %reduce_rhs1 : tile<i1>, tile<i32>
      yield %30, %31 : tile<f32>, tile<i32>
    }
    %reshape_56 = reshape %reduce_55#1 : tile<1xi32> -> tile<1x1xi32>
    %pview_57 = make_partition_view %tview_34 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %15 = store_view_tko weak %reshape_56, %pview_57[%blockId_x, %cst_0_i32_53] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_58 = constant <i32: 1> : tile<i32>
    %16 = iota : tile<64xi32>
    %reshape_59 = reshape %16 : tile<64xi32> -> tile<1x64xi32>
    %reduce_60:2 = reduce %tile, %reshape_59 dim=1 identities=[0x7F800000 : f32, 0 : i32] : tile<1x64xf32>, tile<1x64xi32> -> tile<1xf32>, tile<1xi32> 
    (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
      %18 = cmpf less_than ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %19 = cmpf equal ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %20 = cmpf not_equal unordered %reduce_lhs0, %reduce_lhs0 : tile<f32> -> tile<i1>
      %21 = cmpf not_equal unordered %reduce_rhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %22 = cmpf equal ordered %reduce_rhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %23 = andi %20, %22 : tile<i1>
      %24 = ori %18, %23 : tile<i1>
      %25 = andi %20, %21 : tile<i1>
      %26 = ori %19, %25 : tile<i1>
      %27 = cmpi less_than %reduce_lhs1, %reduce_rhs1, signed : tile<i32> -> tile<i1>
      %28 = andi %26, %27 : tile<i1>
      %29 = ori %24, %28 : tile<i1>
      %30 = select %29, %reduce_lhs0, %reduce_rhs0 : tile<i1>, tile<f32>
      %31 = select %29, %reduce_lhs1, %reduce_rhs1 : tile<i1>, tile<i32>
      yield %30, %31 : tile<f32>, tile<i32>
    }
    %reshape_61 = reshape %reduce_60#1 : tile<1xi32> -> tile<1x1xi32>
    %pview_62 = make_partition_view %tview_34 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %17 = store_view_tko weak %reshape_61, %pview_62[%blockId_x, %cst_1_i32_58] token = %15 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
