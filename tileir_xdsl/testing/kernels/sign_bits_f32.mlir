cuda_tile.module @kernels {
  entry @sign_bits_f32(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_31_i32 = constant <i32: 31> : tile<128xi32>
    %cst_31_i32_4 = constant <i32: 31> : tile<128xi32>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %tview_9 = make_tensor_view %assume_1, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %1 = bitcast %tile : tile<128xf32> -> tile<128xi32>
    %2 = shri %1, %cst_31_i32 unsigned : tile<128xi32>
    %pview_10 = make_partition_view %tview_7 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
    %3 = store_view_tko weak %2, %pview_10[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %4 = shli %2, %cst_31_i32_4 : tile<128xi32>
    %5 = xori %1, %4 : tile<128xi32>
    %6 = bitcast %5 : tile<128xi32> -> tile<128xf32>
    %pview_11 = make_partition_view %tview_9 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %7 = store_view_tko weak %6, %pview_11[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
