cuda_tile.module @kernels {
  entry @nested_branches(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = cmpi greater_than_or_equal %blockId_x, %assume_2, signed : tile<i32> -> tile<i1>
    if %1 {
      return
    } else {
    }
    %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape = reshape %tile : tile<1xi32> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_5 = constant <i32: 0> : tile<i32>
    %2 = cmpi greater_than %reshape, %cst_0_i32_5, signed : tile<i32> -> tile<i1>
    %3 = if %2 -> (tile<i32>) {
      %cst_100_i32 = constant <i32: 100> : tile<i32>
      %5 = cmpi greater_than %reshape, %cst_100_i32, signed : tile<i32> -> tile<i1>
      %6 = if %5 -> (tile<i32>) {
        %cst_3_i32 = constant <i32: 3> : tile<i32>
        yield %cst_3_i32 : tile<i32>
      } else {
        %cst_2_i32 = constant <i32: 2> : tile<i32>
        %7 = remi %reshape, %cst_2_i32 signed : tile<i32>
        %cst_0_i32_8 = constant <i32: 0> : tile<i32>
        %8 = cmpi less_than %7, %cst_0_i32_8, signed : tile<i32> -> tile<i1>
        %false = constant <i1: false> : tile<i1>
        %9 = xori %8, %false : tile<i1>
        %10 = cmpi not_equal %7, %cst_0_i32_8, signed : tile<i32> -> tile<i1>
        %11 = andi %9, %10 : tile<i1>
        %12 = addi %7, %cst_2_i32 : tile<i32>
        %13 = select %11, %12, %7 : tile<i1>, tile<i32>
        %cst_0_i32_9 = constant <i32: 0> : tile<i32>
        %14 = cmpi equal %13, %cst_0_i32_9, signed : tile<i32> -> tile<i1>
        %15 = if %14 -> (tile<i32>) {
          %cst_2_i32_10 = constant <i32: 2> : tile<i32>
          %cst_0_i32_11 = constant <i32: 0> : tile<i32>
          %cst_1_i32_12 = constant <i32: 1> : tile<i32>
          %cst_3_i32 = constant <i32: 3> : tile<i32>
          %cst_5_i32 = constant <i32: 5> : tile<i32>
          %cst_1_i32_13 = constant <i32: 1> : tile<i32>
          %16 = addi %cst_5_i32, %cst_1_i32_13 : tile<i32>
          %17 = mini %reshape, %16 signed : tile<i32>
          %18 = maxi %cst_0_i32_11, %16 signed : tile<i32>
          %for = for %loopIdx in (%cst_0_i32_11 to %17, step %cst_1_i32_12) : tile<i32> iter_values(%iterArg0 = %cst_2_i32_10) -> (tile<i32>) {
            %19 = cmpi equal %loopIdx, %cst_3_i32, signed : tile<i32> -> tile<i1>
            if %19 {
              continue %iterArg0 : tile<i32>
            } else {
            }
            %20 = addi %iterArg0, %loopIdx : tile<i32>
            continue %20 : tile<i32>
          }
          %for_14 = for %loopIdx in (%18 to %reshape, step %cst_1_i32_12) : tile<i32> iter_values(%iterArg0 = %for) -> (tile<i32>) {
            %19 = cmpi equal %loopIdx, %cst_3_i32, signed : tile<i32> -> tile<i1>
            if %19 {
              continue %iterArg0 : tile<i32>
            } else {
            }
            %cst_10_i32 = constant <i32: 10> : tile<i32>
            %20 = addi %iterArg0, %cst_10_i32 : tile<i32>
            continue %20 : tile<i32>
          }
          yield %for_14 : tile<i32>
        } else {
          %cst_1_i32_10 = constant <i32: 1> : tile<i32>
          yield %cst_1_i32_10 : tile<i32>
        }
        yield %15 : tile<i32>
      }
      yield %6 : tile<i32>
    } else {
      %cst_0_i32_8 = constant <i32: 0> : tile<i32>
      %5 = cmpi less_than %reshape, %cst_0_i32_8, signed : tile<i32> -> tile<i1>
      %6 = if %5 -> (tile<i32>) {
        %7 = negi %reshape : tile<i32>
        yield %7 : tile<i32>
      } else {
        yield %cst_0_i32 : tile<i32>
      }
      yield %6 : tile<i32>
    }
    %reshape_6 = reshape %3 : tile<i32> -> tile<1xi32>
    %pview_7 = make_partition_view %tview_4 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %4 = store_view_tko weak %reshape_6, %pview_7[%blockId_x] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
