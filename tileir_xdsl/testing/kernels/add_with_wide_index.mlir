cuda_tile.module @kernels {
  entry @add_with_wide_index(%arg0: tile<ptr<f32>>, %arg1: tile<i64>, %arg2: tile<i64>, %arg3: tile<ptr<f32>>, %arg4: tile<i64>, %arg5: tile<i64>, %arg6: tile<ptr<f32>>, %arg7: tile<i64>, %arg8: tile<i64>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %cst_1_i64 = constant <i64: 1> : tile<i64>
    %cst_1_i64_2 = constant <i64: 1> : tile<i64>
    %cst_1_i64_3 = constant <i64: 1> : tile<i64>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i64>
    %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %assume_5 = assume bounded<0, ?>, %arg4 : tile<i64>
    %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i64>
    %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %pview = make_partition_view %tview : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%1] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i64> -> tile<1024xf32>, token
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %pview_9 = make_partition_view %tview_6 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_10, %result_token_11 = load_view_tko weak %pview_9[%2] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i64> -> tile<1024xf32>, token
    %3 = addf %tile, %tile_10  : tile<1024xf32>
    %4 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %pview_12 = make_partition_view %tview_8 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
    %5 = store_view_tko weak %3, %pview_12[%4] token = %0 : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i64> -> token
    return
  }
}
