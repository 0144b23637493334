cuda_tile.module @kernels {
  entry @nan_handling(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<ptr<i32>>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg15 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg20 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_8, %assume_9], strides = [%assume_10, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_11 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_14 = make_tensor_view %assume_0, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_15 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_18 = make_tensor_view %assume_1, shape = [%assume_15, %assume_16], strides = [%assume_17, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %arg18 : tile<i32>
    %tview_22 = make_tensor_view %assume_2, shape = [%assume_19, %assume_20], strides = [%assume_21, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_23 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %arg23 : tile<i32>
    %tview_26 = make_tensor_view %assume_3, shape = [%assume_23, %assume_24], strides = [%assume_25, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %cst_0_i32_27 = constant <i32: 0> : tile<i32>
    %pview_28 = make_partition_view %tview_14 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_29, %result_token_30 = load_view_tko weak %pview_28[%blockId_x, %cst_0_i32_27] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %1 = maxf %tile, %tile_29 : tile<1x64xf32>
    %pview_32 = make_partition_view %tview_18 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %1, %pview_32[%blockId_x, %cst_0_i32_31] token = %0 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_33 = constant <i32: 1> : tile<i32>
    %3 = minf %tile, %tile_29 : tile<1x64xf32>
    %pview_34 = make_partition_view %tview_18 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %3, %pview_34[%blockId_x, %cst_1_i32_33] token = %2 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %5 = maxf %tile, %tile_29 propagate_nan : tile<1x64xf32>
    %pview_35 = make_partition_view %tview_18 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %6 = store_view_tko weak %5, %pview_35[%blockId_x, %cst_2_i32] token = %4 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %7 = minf %tile, %tile_29 propagate_nan : tile<1x64xf32>
    %pview_36 = make_partition_view %tview_18 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %8 = store_view_tko weak %7, %pview_36[%blockId_x, %cst_3_i32] token = %6 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %9 = cmpf not_equal unordered %tile, %tile : tile<1x64xf32> -> tile<1x64xi1>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<1x64xf32>
    %10 = select %9, %bcast, %tile : tile<1x64xi1>, tile<1x64xf32>
    %pview_37 = make_partition_view %tview_18 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %11 = store_view_tko weak %10, %pview_37[%blockId_x, %cst_4_i32] token = %8 : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_38 = constant <i32: 0> : tile<i32>
    %reduce = reduce %tile dim=1 identities=[0xFF800000 : f32] : tile<1x64xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %18 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %18 : tile<f32>
    }
    %reshape_39 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %pview_40 = make_partition_view %tview_22 : partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>
    %12 = store_view_tko weak %reshape_39, %pview_40[%blockId_x, %cst_0_i32_38] token = %0 : tile<1x1xf32>, partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_41 = constant <i32: 1> : tile<i32>
    %reduce_42 = reduce %tile dim=1 identities=[0x7F800000 : f32] : tile<1x64xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %18 = minf %reduce_lhs, %reduce_rhs propagate_nan : tile<f32>
      yield %18 : tile<f32>
    }
    %reshape_43 = reshape %reduce_42 : tile<1xf32> -> tile<1x1xf32>
    %pview_44 = make_partition_view %tview_22 : partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>
    %13 = store_view_tko weak %reshape_43, %pview_44[%blockId_x, %cst_1_i32_41] token = %12 : tile<1x1xf32>, partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_45 = constant <i32: 0> : tile<i32>
    %14 = iota : tile<64xi32>
    %reshape_46 = reshape %14 : tile<64xi32> -> tile<1x64xi32>
    %reduce_47:2 = reduce %tile, %reshape_46 dim=1 identities=[0xFF800000 : f32, 0 : i32] : tile<1x64xf32>, tile<1x64xi32> -> tile<1xf32>, tile<1xi32> 
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
    %reshape_48 = reshape %reduce_47#1 : tile<1xi32> -> tile<1x1xi32>
    %pview_49 = make_partition_view %tview_26 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %15 = store_view_tko weak %reshape_48, %pview_49[%blockId_x, %cst_0_i32_45] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_50 = constant <i32: 1> : tile<i32>
    %16 = iota : tile<64xi32>
    %reshape_51 = reshape %16 : tile<64xi32> -> tile<1x64xi32>
    %reduce_52:2 = reduce %tile, %reshape_51 dim=1 identities=[0x7F800000 : f32, 0 : i32] : tile<1x64xf32>, tile<1x64xi32> -> tile<1xf32>, tile<1xi32> 
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
    %reshape_53 = reshape %reduce_52#1 : tile<1xi32> -> tile<1x1xi32>
    %pview_54 = make_partition_view %tview_26 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %17 = store_view_tko weak %reshape_53, %pview_54[%blockId_x, %cst_1_i32_50] token = %15 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
