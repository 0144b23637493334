cuda_tile.module @kernels {
  entry @cumulative(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg13 : tile<i32>
    %assume_5 = assume div_by<16>, %arg15 : tile<ptr<i32>>
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
    %tview_26 = make_tensor_view %assume_5, shape = [%assume_22, %assume_23], strides = [%assume_assume_assume_25, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<4x64xf32>, token
    %cst_0_i32_27 = constant <i32: 0> : tile<i32>
    %1 = scan %tile dim=1 reverse=false identities=[0.000000e+00 : f32] : tile<4x64xf32> -> tile<4x64xf32> 
    (%arg20: tile<f32>, %arg21: tile<f32>) {
      %9 = addf %arg20, %arg21  : tile<f32>
      yield %9 : tile<f32>
    }
    %pview_28 = make_partition_view %tview_16 : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %1, %pview_28[%blockId_x, %cst_0_i32_27] token = %0 : tile<4x64xf32>, partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_29 = constant <i32: 0> : tile<i32>
    %3 = scan %tile dim=1 reverse=false identities=[1.000000e+00 : f32] : tile<4x64xf32> -> tile<4x64xf32> 
    (%arg20: tile<f32>, %arg21: tile<f32>) {
      %9 = mulf %arg20, %arg21  : tile<f32>
      yield %9 : tile<f32>
    }
    %pview_30 = make_partition_view %tview_21 : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %3, %pview_30[%blockId_x, %cst_0_i32_29] token = %0 : tile<4x64xf32>, partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
    %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<4x64xf32>
    %5 = cmpf greater_than ordered %tile, %bcast : tile<4x64xf32> -> tile<4x64xi1>
    %6 = exti %5 unsigned : tile<4x64xi1> -> tile<4x64xi32>
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %7 = scan %6 dim=1 reverse=true identities=[0 : i32] : tile<4x64xi32> -> tile<4x64xi32> 
    (%arg20: tile<i32>, %arg21: tile<i32>) {
      %9 = addi %arg20, %arg21 : tile<i32>
      yield %9 : tile<i32>
    }
    %pview_32 = make_partition_view %tview_26 : partition_view<tile=(4x64), tensor_view<?x?xi32, strides=[?,1]>>
    %8 = store_view_tko weak %7, %pview_32[%blockId_x, %cst_0_i32_31] token = %0 : tile<4x64xi32>, partition_view<tile=(4x64), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
