cuda_tile.module @kernels {
  entry @integer_folds_i64(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i64>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i64>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<i64>>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<i1>>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
    %assume_0 = assume div_by<16>, %arg4 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<i32>
    %assume_2 = assume div_by<16>, %arg7 : tile<ptr<i64>>
    %assume_3 = assume div_by<16>, %arg10 : tile<i32>
    %assume_4 = assume div_by<16>, %arg12 : tile<ptr<i64>>
    %assume_5 = assume div_by<16>, %arg15 : tile<i32>
    %assume_6 = assume div_by<16>, %arg17 : tile<ptr<i64>>
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
    %cst_1_i64 = constant <i64: 1> : tile<2x4x32xi64>
    %cst_90_i64 = constant <i64: 90> : tile<2x4x32xi64>
    %assume_16 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_19 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_20 = assume div_by<16>, %assume_assume_19 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_16, %assume_17, %assume_18], strides = [%assume_assume_assume, %assume_assume_assume_20, 1] : tile<i32> -> tensor_view<?x?x?xi64, strides=[?,?,1]>
    %assume_21 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_22 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_assume_23 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_24 = assume div_by<16>, %assume_assume_23 : tile<i32>
    %tview_25 = make_tensor_view %assume_2, shape = [%assume_21, %assume_22], strides = [%assume_assume_assume_24, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
    %assume_26 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_27 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_assume_28 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
    %tview_30 = make_tensor_view %assume_4, shape = [%assume_26, %assume_27], strides = [%assume_assume_assume_29, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
    %assume_31 = assume bounded<0, ?>, %arg18 : tile<i32>
    %assume_32 = assume bounded<0, ?>, %arg19 : tile<i32>
    %assume_33 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_assume_34 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_35 = assume div_by<16>, %assume_assume_34 : tile<i32>
    %assume_assume_36 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32>
    %tview_38 = make_tensor_view %assume_6, shape = [%assume_31, %assume_32, %assume_33], strides = [%assume_assume_assume_35, %assume_assume_assume_37, 1] : tile<i32> -> tensor_view<?x?x?xi64, strides=[?,?,1]>
    %assume_39 = assume bounded<0, ?>, %arg25 : tile<i32>
    %assume_40 = assume bounded<0, ?>, %arg26 : tile<i32>
    %assume_41 = assume bounded<0, ?>, %arg27 : tile<i32>
    %assume_assume_42 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_43 = assume div_by<16>, %assume_assume_42 : tile<i32>
    %assume_assume_44 = assume bounded<0, ?>, %assume_11 : tile<i32>
    %assume_assume_assume_45 = assume div_by<16>, %assume_assume_44 : tile<i32>
    %tview_46 = make_tensor_view %assume_9, shape = [%assume_39, %assume_40, %assume_41], strides = [%assume_assume_assume_43, %assume_assume_assume_45, 1] : tile<i32> -> tensor_view<?x?x?xi1, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_47 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(2x4x32), tensor_view<?x?x?xi64, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_47] token = %0 : partition_view<tile=(2x4x32), tensor_view<?x?x?xi64, strides=[?,?,1]>>, tile<i32> -> tile<2x4x32xi64>, token
    %cst_0_i32_48 = constant <i32: 0> : tile<i32>
    %reduce = reduce %tile dim=0 identities=[0] : tile<2x4x32xi64> -> tile<4x32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_49 = reduce %reduce dim=0 identities=[0] : tile<4x32xi64> -> tile<32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_50 = reduce %reduce_49 dim=0 identities=[0] : tile<32xi64> -> tile<i64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reshape = reshape %reduce_50 : tile<i64> -> tile<1x1xi64>
    %pview_51 = make_partition_view %tview_25 : partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>
    %1 = store_view_tko weak %reshape, %pview_51[%blockId_x, %cst_0_i32_48] token = %0 : tile<1x1xi64>, partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_52 = constant <i32: 1> : tile<i32>
    %2 = ori %tile, %cst_1_i64 : tile<2x4x32xi64>
    %reduce_53 = reduce %2 dim=0 identities=[1] : tile<2x4x32xi64> -> tile<4x32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_54 = reduce %reduce_53 dim=0 identities=[1] : tile<4x32xi64> -> tile<32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_55 = reduce %reduce_54 dim=0 identities=[1] : tile<32xi64> -> tile<i64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reshape_56 = reshape %reduce_55 : tile<i64> -> tile<1x1xi64>
    %pview_57 = make_partition_view %tview_25 : partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>
    %3 = store_view_tko weak %reshape_56, %pview_57[%blockId_x, %cst_1_i32_52] token = %1 : tile<1x1xi64>, partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reduce_58 = reduce %tile dim=0 identities=[-9223372036854775808] : tile<2x4x32xi64> -> tile<4x32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_59 = reduce %reduce_58 dim=0 identities=[-9223372036854775808] : tile<4x32xi64> -> tile<32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_60 = reduce %reduce_59 dim=0 identities=[-9223372036854775808] : tile<32xi64> -> tile<i64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i64>
      yield %10 : tile<i64>
    }
    %reshape_61 = reshape %reduce_60 : tile<i64> -> tile<1x1xi64>
    %pview_62 = make_partition_view %tview_25 : partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_61, %pview_62[%blockId_x, %cst_2_i32] token = %3 : tile<1x1xi64>, partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reduce_63 = reduce %tile dim=0 identities=[9223372036854775807] : tile<2x4x32xi64> -> tile<4x32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_64 = reduce %reduce_63 dim=0 identities=[9223372036854775807] : tile<4x32xi64> -> tile<32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_65 = reduce %reduce_64 dim=0 identities=[9223372036854775807] : tile<32xi64> -> tile<i64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i64>
      yield %10 : tile<i64>
    }
    %reshape_66 = reshape %reduce_65 : tile<i64> -> tile<1x1xi64>
    %pview_67 = make_partition_view %tview_25 : partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>
    %5 = store_view_tko weak %reshape_66, %pview_67[%blockId_x, %cst_3_i32] token = %4 : tile<1x1xi64>, partition_view<tile=(1x1), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_68 = constant <i32: 0> : tile<i32>
    %reduce_69 = reduce %tile dim=0 identities=[0] : tile<2x4x32xi64> -> tile<4x32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reduce_70 = reduce %reduce_69 dim=1 identities=[0] : tile<4x32xi64> -> tile<4xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %reshape_71 = reshape %reduce_70 : tile<4xi64> -> tile<1x4xi64>
    %pview_72 = make_partition_view %tview_30 : partition_view<tile=(1x4), tensor_view<?x?xi64, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_71, %pview_72[%blockId_x, %cst_0_i32_68] token = %0 : tile<1x4xi64>, partition_view<tile=(1x4), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %reduce_73 = reduce %tile dim=1 identities=[-1] : tile<2x4x32xi64> -> tile<2x32xi64> 
    (%reduce_lhs: tile<i64>, %reduce_rhs: tile<i64>) {
      %10 = andi %reduce_lhs, %reduce_rhs : tile<i64>
      yield %10 : tile<i64>
    }
    %cst_0_i32_74 = constant <i32: 0> : tile<i32>
    %cst_0_i32_75 = constant <i32: 0> : tile<i32>
    %reshape_76 = reshape %reduce_73 : tile<2x32xi64> -> tile<1x2x32xi64>
    %pview_77 = make_partition_view %tview_38 : partition_view<tile=(1x2x32), tensor_view<?x?x?xi64, strides=[?,?,1]>>
    %7 = store_view_tko weak %reshape_76, %pview_77[%blockId_x, %cst_0_i32_74, %cst_0_i32_75] token = %0 : tile<1x2x32xi64>, partition_view<tile=(1x2x32), tensor_view<?x?x?xi64, strides=[?,?,1]>>, tile<i32> -> token
    %8 = cmpi greater_than %tile, %cst_90_i64, signed : tile<2x4x32xi64> -> tile<2x4x32xi1>
    %reduce_78 = reduce %8 dim=2 identities=[false] : tile<2x4x32xi1> -> tile<2x4xi1> 
    (%reduce_lhs: tile<i1>, %reduce_rhs: tile<i1>) {
      %10 = ori %reduce_lhs, %reduce_rhs : tile<i1>
      yield %10 : tile<i1>
    }
    %cst_0_i32_79 = constant <i32: 0> : tile<i32>
    %cst_0_i32_80 = constant <i32: 0> : tile<i32>
    %reshape_81 = reshape %reduce_78 : tile<2x4xi1> -> tile<1x2x4xi1>
    %pview_82 = make_partition_view %tview_46 : partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>
    %9 = store_view_tko weak %reshape_81, %pview_82[%blockId_x, %cst_0_i32_79, %cst_0_i32_80] token = %0 : tile<1x2x4xi1>, partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
