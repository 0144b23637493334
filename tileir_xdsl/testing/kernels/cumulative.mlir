cuda_tile.module @kernels {
  entry @cumulative(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg15 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_12 = make_tensor_view %assume_0, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_16 = make_tensor_view %assume_1, shape = [%assume_13, %assume_14], strides = [%assume_15, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_17 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg18 : tile<i32>
    %tview_20 = make_tensor_view %assume_2, shape = [%assume_17, %assume_18], strides = [%assume_19, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<4x64xf32>, token
    %cst_0_i32_21 = constant <i32: 0> : tile<i32>
    %1 = scan %tile dim=1 reverse=false identities=[0.000000e+00 : f32] : tile<4x64xf32> -> tile<4x64xf32> 
    (%arg20: tile<f32>, %arg21: tile<f32>) {
      %9 = addf %arg20, %arg21  : tile<f32>
      yield %9 : tile<f32>
    }
    %pview_22 = make_partition_view %tview_12 : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %1, %pview_22[%blockId_x, %cst_0_i32_21] token = %0 : tile<4x64xf32>, partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_23 = constant <i32: 0> : tile<i32>
    %3 = scan %tile dim=1 reverse=false identities=[1.000000e+00 : f32] : tile<4x64xf32> -> tile<4x64xf32> 
    (%arg20: tile<f32>, %arg21: tile<f32>) {
      %9 = mulf %arg20, %arg21  : tile<f32>
      yield %9 : tile<f32>
    }
    %pview_24 = make_partition_view %tview_16 : partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %3, %pview_24[%blockId_x, %cst_0_i32_23] token = %0 : tile<4x64xf32>, partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
    %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<4x64xf32>
    %5 = cmpf greater_than ordered %tile, %bcast : tile<4x64xf32> -> tile<4x64xi1>
    %6 = exti %5 unsigned : tile<4x64xi1> -> tile<4x64xi32>
    %cst_0_i32_25 = constant <i32: 0> : tile<i32>
    %7 = scan %6 dim=1 reverse=true identities=[0 : i32] : tile<4x64xi32> -> tile<4x64xi32> 
    (%arg20: tile<i32>, %arg21: tile<i32>) {
      %9 = addi %arg20, %arg21 : tile<i32>
      yield %9 : tile<i32>
    }
    %pview_26 = make_partition_view %tview_20 : partition_view<tile=(4x64), tensor_view<?x?xi32, strides=[?,1]>>
    %8 = store_view_tko weak %7, %pview_26[%blockId_x, %cst_0_i32_25] token = %0 : tile<4x64xi32>, partition_view<tile=(4x64), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
