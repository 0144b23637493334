cuda_tile.module @kernels {
  entry @integer_folds_i32(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<i32>>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<i1>>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg4 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<i32>
    %assume_2 = assume div_by<16>, %arg7 : tile<ptr<i32>>
    %assume_3 = assume div_by<16>, %arg10 : tile<i32>
    %assume_4 = assume div_by<16>, %arg12 : tile<ptr<i32>>
    %assume_5 = assume div_by<16>, %arg15 : tile<i32>
    %assume_6 = assume div_by<16>, %arg17 : tile<ptr<i32>>
    %assume_7 = assume div_by<16>, %arg21 : tile<i32>
    %assume_8 = assume div_by<16>, %arg22 : tile<i32>
    %assume_9 = assume div_by<16>, %arg24 : tile<ptr<i1>>
    %assume_10 = assume div_by<16>, %arg28 : tile<i32>
    %assume_11 = assume div_by<16>, %arg29 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %cst_1_i32_13 = constant <i32: 1> : tile<i32>
    %cst_1_i32_14 = constant <i32: 1> : tile<i32>
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %cst_1_i32_16 = constant <i32: 1> : tile<2x4x32xi32>
    %cst_90_i32 = constant <i32: 90> : tile<2x4x32xi32>
    %assume_17 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_17, %assume_18, %assume_19], strides = [%assume_assume_assume, %assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?x?xi32, strides=[?,?,1]>
    %assume_22 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_assume_24 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
    %tview_26 = make_tensor_view %assume_2, shape = [%assume_22, %assume_23], strides = [%assume_assume_assume_25, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %assume_27 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_28 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_assume_29 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_30 = assume div_by<16>, %assume_assume_29 : tile<i32>
    %tview_31 = make_tensor_view %assume_4, shape = [%assume_27, %assume_28], strides = [%assume_assume_assume_30, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %assume_32 = assume bounded<0, ?>, %arg18 : tile<i32>
    %assume_33 = assume bounded<0, ?>, %arg19 : tile<i32>
    %assume_34 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_assume_35 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_36 = assume div_by<16>, %assume_assume_35 : tile<i32>
    %assume_assume_37 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_38 = assume div_by<16>, %assume_assume_37 : tile<i32>
    %tview_39 = make_tensor_view %assume_6, shape = [%assume_32, %assume_33, %assume_34], strides = [%assume_assume_assume_36, %assume_assume_assume_38, 1] : tile<i32> -> tensor_view<?x?x?xi32, strides=[?,?,1]>
    %assume_40 = assume bounded<0, ?>, %arg25 : tile<i32>
    %assume_41 = assume bounded<0, ?>, %arg26 : tile<i32>
    %assume_42 = assume bounded<0, ?>, %arg27 : tile<i32>
    %assume_assume_43 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_44 = assume div_by<16>, %assume_assume_43 : tile<i32>
    %assume_assume_45 = assume bounded<0, ?>, %assume_11 : tile<i32>
    %assume_assume_assume_46 = assume div_by<16>, %assume_assume_45 : tile<i32>
    %tview_47 = make_tensor_view %assume_9, shape = [%assume_40, %assume_41, %assume_42], strides = [%assume_assume_assume_44, %assume_assume_assume_46, 1] : tile<i32> -> tensor_view<?x?x?xi1, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_48 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(2x4x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_48] token = %0 : partition_view<tile=(2x4x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>, tile<i32> -> tile<2x4x32xi32>, token
    %cst_0_i32_49 = constant <i32: 0> : tile<i32>
    %reduce = reduce %tile dim=0 identities=[0 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_50 = reduce %reduce dim=0 identities=[0 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_51 = reduce %reduce_50 dim=0 identities=[0 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape = reshape %reduce_51 : tile<i32> -> tile<1x1xi32>
    %pview_52 = make_partition_view %tview_26 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %1 = store_view_tko weak %reshape, %pview_52[%blockId_x, %cst_0_i32_49] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_53 = constant <i32: 1> : tile<i32>
    %2 = ori %tile, %cst_1_i32_16 : tile<2x4x32xi32>
    %reduce_54 = reduce %2 dim=0 identities=[1 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_55 = reduce %reduce_54 dim=0 identities=[1 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_56 = reduce %reduce_55 dim=0 identities=[1 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_57 = reshape %reduce_56 : tile<i32> -> tile<1x1xi32>
    %pview_58 = make_partition_view %tview_26 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %3 = store_view_tko weak %reshape_57, %pview_58[%blockId_x, %cst_1_i32_53] token = %1 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reduce_59 = reduce %tile dim=0 identities=[-2147483648 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_60 = reduce %reduce_59 dim=0 identities=[-2147483648 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_61 = reduce %reduce_60 dim=0 identities=[-2147483648 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_62 = reshape %reduce_61 : tile<i32> -> tile<1x1xi32>
    %pview_63 = make_partition_view %tview_26 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_62, %pview_63[%blockId_x, %cst_2_i32] token = %3 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reduce_64 = reduce %tile dim=0 identities=[2147483647 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_65 = reduce %reduce_64 dim=0 identities=[2147483647 : i32] : tile<4x32xi32> -> tile<32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_66 = reduce %reduce_65 dim=0 identities=[2147483647 : i32] : tile<32xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_67 = reshape %reduce_66 : tile<i32> -> tile<1x1xi32>
    %pview_68 = make_partition_view %tview_26 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %5 = store_view_tko weak %reshape_67, %pview_68[%blockId_x, %cst_3_i32] token = %4 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_69 = constant <i32: 0> : tile<i32>
    %reduce_70 = reduce %tile dim=0 identities=[0 : i32] : tile<2x4x32xi32> -> tile<4x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reduce_71 = reduce %reduce_70 dim=1 identities=[0 : i32] : tile<4x32xi32> -> tile<4xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %reshape_72 = reshape %reduce_71 : tile<4xi32> -> tile<1x4xi32>
    %pview_73 = make_partition_view %tview_31 : partition_view<tile=(1x4), tensor_view<?x?xi32, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_72, %pview_73[%blockId_x, %cst_0_i32_69] token = %0 : tile<1x4xi32>, partition_view<tile=(1x4), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %reduce_74 = reduce %tile dim=1 identities=[-1 : i32] : tile<2x4x32xi32> -> tile<2x32xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %10 = andi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %10 : tile<i32>
    }
    %cst_0_i32_75 = constant <i32: 0> : tile<i32>
    %cst_0_i32_76 = constant <i32: 0> : tile<i32>
    %reshape_77 = reshape %reduce_74 : tile<2x32xi32> -> tile<1x2x32xi32>
    %pview_78 = make_partition_view %tview_39 : partition_view<tile=(1x2x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>
    %7 = store_view_tko weak %reshape_77, %pview_78[%blockId_x, %cst_0_i32_75, %cst_0_i32_76] token = %0 : tile<1x2x32xi32>, partition_view<tile=(1x2x32), tensor_view<?x?x?xi32, strides=[?,?,1]>>, tile<i32> -> token
    %8 = cmpi greater_than %tile, %cst_90_i32, signed : tile<2x4x32xi32> -> tile<2x4x32xi1>
    %reduce_79 = reduce %8 dim=2 identities=[false] : tile<2x4x32xi1> -> tile<2x4xi1> 
    (%reduce_lhs: tile<i1>, %reduce_rhs: tile<i1>) {
      %10 = ori %reduce_lhs, %reduce_rhs : tile<i1>
      yield %10 : tile<i1>
    }
    %cst_0_i32_80 = constant <i32: 0> : tile<i32>
    %cst_0_i32_81 = constant <i32: 0> : tile<i32>
    %reshape_82 = reshape %reduce_79 : tile<2x4xi1> -> tile<1x2x4xi1>
    %pview_83 = make_partition_view %tview_47 : partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>
    %9 = store_view_tko weak %reshape_82, %pview_83[%blockId_x, %cst_0_i32_80, %cst_0_i32_81] token = %0 : tile<1x2x4xi1>, partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
