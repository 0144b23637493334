cuda_tile.module @kernels {
  entry @integer_folds_i32(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<i32>>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<i1>>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg7 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg12 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg17 : tile<ptr<i32>>
    %assume_3 = assume div_by<16>, %arg24 : tile<ptr<i1>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<2x4x32xi32>
    %cst_90_i32 = constant <i32: 90> : tile<2x4x32xi32>
    %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg5 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_9, %assume_10, %assume_11], strides = [%assume_12, %assume_13, 1] : tile<i32> -> tensor_view<?x?x?xi32, strides=[?,?,1]>
    %assume_14 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg10 : tile<i32>
    %tview_17 = make_tensor_view %assume_0, shape = [%assume_14, %assume_15], strides = [%assume_16, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %assume_18 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg15 : tile<i32>
    %tview_21 = make_tensor_view %assume_1, shape = [%assume_18, %assume_19], strides = [%assume_20, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %assume_22 = assume bounded<0, ?>, %arg18 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg19 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %arg22 : tile<i32>
    %tview_27 = make_tensor_view %assume_2, shape = [%assume_22, %assume_23, %assume_24], strides = [%assume_25, %assume_26, 1] : tile<i32> -> tensor_view<?x?x?xi32, strides=[?,?,1]>
    %assume_28 = assume bounded<0, ?>, %arg25 : tile<i32>
    %assume_29 = assume bounded<0, ?>, %arg26 : tile<i32>
    %assume_30 = assume bounded<0, ?>, %arg27 : tile<i32>
    %assume_31 = assume bounded<0, ?>, %arg28 : tile<i32>
    %assume_32 = assume bounded<0, ?>, %arg29 : tile<i32>
    %tview_33 = make_tensor_view %assume_3, shape = [%assume_28, %assume_29, %assume_30], strides = [%assume_31, %assume_32, 1] : tile<i32> -> tensor_view<?x?x?xi1, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_34 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(2x4x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_34] token = %0 : partition_view<tile=(2x4x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>, tile<i32> -> tile<2x4x32xi32>, token
    %cst_0_i32_35 = constant <i32: 0> : tile<i32>
    %reduce = reduce %tile dim=0 identities=[0 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_36 = reduce %reduce dim=0 identities=[0 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_37 = reduce %reduce_36 dim=0 identities=[0 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape = reshape %reduce_37 : tile<i32> -> tile<1x1xi32>
    %pview_38 = make_partition_view %tview_17 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %1 = store_view_tko weak %reshape, %pview_38[%blockId_x, %cst_0_i32_35] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_39 = constant <i32: 1> : tile<i32>
    %2 = ori %tile, %cst_1_i32_8 : tile<2x4x32xi32>
    %reduce_40 = reduce %2 dim=0 identities=[1 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_41 = reduce %reduce_40 dim=0 identities=[1 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_42 = reduce %reduce_41 dim=0 identities=[1 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_43 = reshape %reduce_42 : tile<i32> -> tile<1x1xi32>
    %pview_44 = make_partition_view %tview_17 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %3 = store_view_tko weak %reshape_43, %pview_44[%blockId_x, %cst_1_i32_39] token = %1 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reduce_45 = reduce %tile dim=0 identities=[-2147483648 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_46 = reduce %reduce_45 dim=0 identities=[-2147483648 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_47 = reduce %reduce_46 dim=0 identities=[-2147483648 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_48 = reshape %reduce_47 : tile<i32> -> tile<1x1xi32>
    %pview_49 = make_partition_view %tview_17 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_48, %pview_49[%blockId_x, %cst_2_i32] token = %3 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reduce_50 = reduce %tile dim=0 identities=[2147483647 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_51 = reduce %reduce_50 dim=0 identities=[2147483647 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_52 = reduce %reduce_51 dim=0 identities=[2147483647 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_53 = reshape %reduce_52 : tile<i32> -> tile<1x1xi32>
    %pview_54 = make_partition_view %tview_17 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %5 = store_view_tko weak %reshape_53, %pview_54[%blockId_x, %cst_3_i32] token = %4 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_55 = constant <i32: 0> : tile<i32>
    %reduce_56 = reduce %tile dim=0 identities=[0 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_57 = reduce %reduce_56 dim=1 identities=[0 : i32] : tile<4x32xi32> -> tile<4xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_58 = reshape %reduce_57 : tile<4xi32> -> tile<1x4xi32>
    %pview_59 = make_partition_view %tview_21 : partition_view<tile=(1x4), tensor_view<?x?xi32, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_58, %pview_59[%blockId_x, %cst_0_i32_55] token = %0 : tile<1x4xi32>, partition_view<tile=(1x4), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %reduce_60 = reduce %tile dim=1 identities=[-1 : i32] : tile<2x4x32xi32> -> tile<2x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = andi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %cst_0_i32_61 = constant <i32: 0> : tile<i32>
    %cst_0_i32_62 = constant <i32: 0> : tile<i32>
    %reshape_63 = reshape %reduce_60 : tile<2x32xi32> -> tile<1x2x32xi32>
    %pview_64 = make_partition_view %tview_27 : partition_view<tile=(1x2x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>
    %7 = store_view_tko weak %reshape_63, %pview_64[%blockId_x, %cst_0_i32_61, %cst_0_i32_62] token = %0 : tile<1x2x32xi32>, partition_view<tile=(1x2x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>, tile<i32> -> token
    %8 = cmpi greater_than %tile, %cst_90_i32, signed : tile<2x4x32xi32> -> tile<2x4x32xi1>
    %reduce_65 = reduce %8 dim=2 identities=[false] : tile<2x4x32xi1> -> tile<2x4xi1> 
    (%reduce_lhs: tile<i1>, %reduce_rhs: tile<i1>) {
      %10 = ori %reduce_lhs, %reduce_rhs : tile<i1>
      yield %10 : tile<i1>
    }
    %cst_0_i32_66 = constant <i32: 0> : tile<i32>
    %cst_0_i32_67 = constant <i32: 0> : tile<i32>
    %reshape_68 = reshape %reduce_65 : tile<2x4xi1> -> tile<1x2x4xi1>
    %pview_69 = make_partition_view %tview_33 : partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>
    %9 = store_view_tko weak %reshape_68, %pview_69[%blockId_x, %cst_0_i32_66, %cst_0_i32_67] token = %0 : tile<1x2x4xi1>, partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
