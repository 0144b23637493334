cuda_tile.module @kernels {
  entry @integer_folds_i8(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i8>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i8>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<i8>>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<i1>>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg7 : tile<ptr<i8>>
    %assume_1 = assume div_by<16>, %arg12 : tile<ptr<i8>>
    %assume_2 = assume div_by<16>, %arg17 : tile<ptr<i8>>
    %assume_3 = assume div_by<16>, %arg24 : tile<ptr<i1>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i8 = constant <i8: 1> : tile<2x4x32xi8>
    %cst_90_i8 = constant <i8: 90> : tile<2x4x32xi8>
    %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg5 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_8, %assume_9, %assume_10], strides = [%assume_11, %assume_12, 1] : tile<i32> -> tensor_view<?x?x?xi8, strides=[?,?,1]>
    %assume_13 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg10 : tile<i32>
    %tview_16 = make_tensor_view %assume_0, shape = [%assume_13, %assume_14], strides = [%assume_15, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_17 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg15 : tile<i32>
    %tview_20 = make_tensor_view %assume_1, shape = [%assume_17, %assume_18], strides = [%assume_19, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_21 = assume bounded<0, ?>, %arg18 : tile<i32>
    %assume_22 = assume bounded<0, ?>, %arg19 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %arg22 : tile<i32>
    %tview_26 = make_tensor_view %assume_2, shape = [%assume_21, %assume_22, %assume_23], strides = [%assume_24, %assume_25, 1] : tile<i32> -> tensor_view<?x?x?xi8, strides=[?,?,1]>
    %assume_27 = assume bounded<0, ?>, %arg25 : tile<i32>
    %assume_28 = assume bounded<0, ?>, %arg26 : tile<i32>
    %assume_29 = assume bounded<0, ?>, %arg27 : tile<i32>
    %assume_30 = assume bounded<0, ?>, %arg28 : tile<i32>
    %assume_31 = assume bounded<0, ?>, %arg29 : tile<i32>
    %tview_32 = make_tensor_view %assume_3, shape = [%assume_27, %assume_28, %assume_29], strides = [%assume_30, %assume_31, 1] : tile<i32> -> tensor_view<?x?x?xi1, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_33 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(2x4x32), tensor_view<?x?x?xi8, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_33] token = %0 : partition_view<tile=(2x4x32), tensor_view<?x?x?xi8, strides=[?,?,1]>>, tile<i32> -> tile<2x4x32xi8>, token
    %cst_0_i32_34 = constant <i32: 0> : tile<i32>
    %reduce = reduce %tile dim=0 identities=[0 : i8] : tile<2x4x32xi8> -> tile<4x32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_35 = reduce %reduce dim=0 identities=[0 : i8] : tile<4x32xi8> -> tile<32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_36 = reduce %reduce_35 dim=0 identities=[0 : i8] : tile<32xi8> -> tile<i8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reshape = reshape %reduce_36 : tile<i8> -> tile<1x1xi8>
    %pview_37 = make_partition_view %tview_16 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>
    %1 = store_view_tko weak %reshape, %pview_37[%blockId_x, %cst_0_i32_34] token = %0 : tile<1x1xi8>, partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_38 = constant <i32: 1> : tile<i32>
    %2 = ori %tile, %cst_1_i8 : tile<2x4x32xi8>
    %reduce_39 = reduce %2 dim=0 identities=[1 : i8] : tile<2x4x32xi8> -> tile<4x32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_40 = reduce %reduce_39 dim=0 identities=[1 : i8] : tile<4x32xi8> -> tile<32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_41 = reduce %reduce_40 dim=0 identities=[1 : i8] : tile<32xi8> -> tile<i8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = muli %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reshape_42 = reshape %reduce_41 : tile<i8> -> tile<1x1xi8>
    %pview_43 = make_partition_view %tview_16 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>
    %3 = store_view_tko weak %reshape_42, %pview_43[%blockId_x, %cst_1_i32_38] token = %1 : tile<1x1xi8>, partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reduce_44 = reduce %tile dim=0 identities=[-128 : i8] : tile<2x4x32xi8> -> tile<4x32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_45 = reduce %reduce_44 dim=0 identities=[-128 : i8] : tile<4x32xi8> -> tile<32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_46 = reduce %reduce_45 dim=0 identities=[-128 : i8] : tile<32xi8> -> tile<i8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = maxi %reduce_lhs, %reduce_rhs signed : tile<i8>
      yield %10 : tile<i8>
    }
    %reshape_47 = reshape %reduce_46 : tile<i8> -> tile<1x1xi8>
    %pview_48 = make_partition_view %tview_16 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_47, %pview_48[%blockId_x, %cst_2_i32] token = %3 : tile<1x1xi8>, partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reduce_49 = reduce %tile dim=0 identities=[127 : i8] : tile<2x4x32xi8> -> tile<4x32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_50 = reduce %reduce_49 dim=0 identities=[127 : i8] : tile<4x32xi8> -> tile<32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_51 = reduce %reduce_50 dim=0 identities=[127 : i8] : tile<32xi8> -> tile<i8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = mini %reduce_lhs, %reduce_rhs signed : tile<i8>
      yield %10 : tile<i8>
    }
    %reshape_52 = reshape %reduce_51 : tile<i8> -> tile<1x1xi8>
    %pview_53 = make_partition_view %tview_16 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>
    %5 = store_view_tko weak %reshape_52, %pview_53[%blockId_x, %cst_3_i32] token = %4 : tile<1x1xi8>, partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_54 = constant <i32: 0> : tile<i32>
    %reduce_55 = reduce %tile dim=0 identities=[0 : i8] : tile<2x4x32xi8> -> tile<4x32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reduce_56 = reduce %reduce_55 dim=1 identities=[0 : i8] : tile<4x32xi8> -> tile<4xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = addi %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %reshape_57 = reshape %reduce_56 : tile<4xi8> -> tile<1x4xi8>
    %pview_58 = make_partition_view %tview_20 : partition_view<tile=(1x4), tensor_view<?x?xi8, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_57, %pview_58[%blockId_x, %cst_0_i32_54] token = %0 : tile<1x4xi8>, partition_view<tile=(1x4), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
    %reduce_59 = reduce %tile dim=1 identities=[-1 : i8] : tile<2x4x32xi8> -> tile<2x32xi8> 
    (%reduce_lhs: tile<i8>, %reduce_rhs: tile<i8>) {
      %10 = andi %reduce_lhs, %reduce_rhs : tile<i8>
      yield %10 : tile<i8>
    }
    %cst_0_i32_60 = constant <i32: 0> : tile<i32>
    %cst_0_i32_61 = constant <i32: 0> : tile<i32>
    %reshape_62 = reshape %reduce_59 : tile<2x32xi8> -> tile<1x2x32xi8>
    %pview_63 = make_partition_view %tview_26 : partition_view<tile=(1x2x32), tensor_view<?x?x?xi8, strides=[?,?,1]>>
    %7 = store_view_tko weak %reshape_62, %pview_63[%blockId_x, %cst_0_i32_60, %cst_0_i32_61] token = %0 : tile<1x2x32xi8>, partition_view<tile=(1x2x32), tensor_view<?x?x?xi8, strides=[?,?,1]>>, tile<i32> -> token
    %8 = cmpi greater_than %tile, %cst_90_i8, signed : tile<2x4x32xi8> -> tile<2x4x32xi1>
    %reduce_64 = reduce %8 dim=2 identities=[false] : tile<2x4x32xi1> -> tile<2x4xi1> 
    (%reduce_lhs: tile<i1>, %reduce_rhs: tile<i1>) {
      %10 = ori %reduce_lhs, %reduce_rhs : tile<i1>
      yield %10 : tile<i1>
    }
    %cst_0_i32_65 = constant <i32: 0> : tile<i32>
    %cst_0_i32_66 = constant <i32: 0> : tile<i32>
    %reshape_67 = reshape %reduce_64 : tile<2x4xi1> -> tile<1x2x4xi1>
    %pview_68 = make_partition_view %tview_32 : partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>
    %9 = store_view_tko weak %reshape_67, %pview_68[%blockId_x, %cst_0_i32_65, %cst_0_i32_66] token = %0 : tile<1x2x4xi1>, partition_view<tile=(1x2x4), tensor_view<?x?x?xi1, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
