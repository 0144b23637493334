builtin.module attributes {nv_tileaa.compute_capability = 80 : i32, nv_tileaa.target_spec = "sm_80"} {
  builtin.module @kernels {
    nv_tileaa.func @layer_norm(%arg0: !nv_tileaa.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<f32>, %arg6: i32, %arg7: i32, %arg8: !nv_tileaa.ptr<f32>, %arg9: i32, %arg10: i32, %arg11: !nv_tileaa.ptr<f32>, %arg12: i32, %arg13: i32, %arg14: i32, %arg15: i32, %arg16: !nv_tileaa.ptr<f32>, %arg17: i32, %arg18: i32, %arg19: !nv_tileaa.ptr<f32>, %arg20: i32, %arg21: i32, %arg22: f32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.tmem_columns = 0 : i32, nv_tileas.synchronized} {
      %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg0 : !nv_tileaa.ptr<f32>
      %assume_1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg5 : !nv_tileaa.ptr<f32>
      %assume_2 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg8 : !nv_tileaa.ptr<f32>
      %assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg11 : !nv_tileaa.ptr<f32>
      %assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg16 : !nv_tileaa.ptr<f32>
      %assume_5 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg19 : !nv_tileaa.ptr<f32>
      %assume_6 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg1 : i32
      %assume_7 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg2 : i32
      %assume_8 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg3 : i32
      %tview = nv_tileaa.make_memref %assume sizes = [%assume_6, %assume_7 : i32, i32] strides = [%assume_8 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
      %assume_9 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg6 : i32
      %tview_1 = nv_tileaa.make_memref %assume_1 sizes = [%assume_9 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
      %assume_10 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg9 : i32
      %tview_2 = nv_tileaa.make_memref %assume_2 sizes = [%assume_10 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
      %assume_11 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg12 : i32
      %assume_12 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg13 : i32
      %assume_13 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg14 : i32
      %tview_3 = nv_tileaa.make_memref %assume_3 sizes = [%assume_11, %assume_12 : i32, i32] strides = [%assume_13 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
      %assume_14 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg17 : i32
      %tview_4 = nv_tileaa.make_memref %assume_4 sizes = [%assume_14 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
      %assume_15 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg20 : i32
      %tview_5 = nv_tileaa.make_memref %assume_5 sizes = [%assume_15 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %cst_0_i32 = arith.constant 0 : i32
      %pview = nv_tileaa.block_tile %tview {tileSizes = array<i64: 1, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<1x128xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
      %tile, %result_token = nv_tileas.tiled_load weak %pview[%blockId_x, %cst_0_i32] token = %0 {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<1x128xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>[i32, i32] -> tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.mem_token
      %1 = arith.constant 0 : i32
      %2 = arith.constant 128 : i32
      %3 = nv_tileaa.make_range %1, %2 : i32 -> tensor<128xi32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %reshape = nv_tileas.view %3 : tensor<128xi32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> to tensor<1x128xi32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %bcast = nv_tileaa.splat %assume_7 : i32 -> tensor<1x128xi32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %4 = arith.cmpi slt, %reshape, %bcast : tensor<1x128xi32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %reduce = nv_tileas.reduce %tile {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>, axis = 1 : i32} : tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> -> tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> {
      ^bb0(%reduce_lhs: f32, %reduce_rhs: f32):
        %5 = nv_tileaa.addf %reduce_lhs, %reduce_rhs : f32
        nv_tileas.yield %5 : f32
      }
      %reshape_1 = nv_tileas.view %reduce : tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> to tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %6 = arith.sitofp %assume_7 : i32 to f32
      %reshape_2 = nv_tileaa.splat %6 : f32 -> tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %7 = nv_tileaa.divf %reshape_1, %reshape_2 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %bcast_1 = nv_tileaa.broadcast %7 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> -> tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %8 = nv_tileaa.subf %tile, %bcast_1 : tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %cst_0_f32 = arith.constant 0.000000e+00 : f32
      %bcast_2 = nv_tileaa.splat %cst_0_f32 : f32 -> tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %9 = arith.select %4, %8, %bcast_2 : tensor<1x128xi1, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %10 = nv_tileaa.mulf %9, %9 : tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      nv_tileas.barrier agent
      %reduce_1 = nv_tileas.reduce %10 {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>, axis = 1 : i32} : tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> -> tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> {
      ^bb0(%reduce_lhs_1: f32, %reduce_rhs_1: f32):
        %11 = nv_tileaa.addf %reduce_lhs_1, %reduce_rhs_1 : f32
        nv_tileas.yield %11 : f32
      }
      %reshape_3 = nv_tileas.view %reduce_1 : tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> to tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %12 = arith.sitofp %assume_7 : i32 to f32
      %reshape_4 = nv_tileaa.splat %12 : f32 -> tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %13 = nv_tileaa.divf %reshape_3, %reshape_4 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %reshape_5 = nv_tileaa.splat %arg22 : f32 -> tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %14 = nv_tileaa.addf %13, %reshape_5 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %15 = nv_tileaa.rsqrt %14 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %cst_0_i32_1 = arith.constant 0 : i32
      %pview_1 = nv_tileaa.block_tile %tview_1 {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
      %tile_1, %result_token_1 = nv_tileas.tiled_load weak %pview_1[%cst_0_i32_1] token = %0 {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.mem_token
      %cst_0_i32_2 = arith.constant 0 : i32
      %pview_2 = nv_tileaa.block_tile %tview_2 {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
      %tile_2, %result_token_2 = nv_tileas.tiled_load weak %pview_2[%cst_0_i32_2] token = %0 {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<128xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.mem_token
      %cst_0_i32_3 = arith.constant 0 : i32
      %bcast_3 = nv_tileaa.broadcast %15 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> -> tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %16 = nv_tileaa.mulf %9, %bcast_3 : tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %reshape_6 = nv_tileas.view %tile_1 : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> to tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %reshape_7 = nv_tileas.view %tile_2 : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> to tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %17 = nv_tileaa.fma %16, %reshape_6, %reshape_7 : tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %pview_3 = nv_tileaa.block_tile %tview_3 {tileSizes = array<i64: 1, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<1x128xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
      %18 = nv_tileas.tiled_store weak %17, %pview_3[%blockId_x, %cst_0_i32_3] token = %0 {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>} : tensor<1x128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.tiled_view<1x128xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
      %reshape_8 = nv_tileas.view %7 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> to tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %pview_4 = nv_tileaa.block_tile %tview_4 {tileSizes = array<i64: 1>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<1xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
      %19 = nv_tileas.tiled_store weak %reshape_8, %pview_4[%blockId_x] token = %0 {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(1, 32, 4, 1), (0, 0, 0, 0)>} : tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>, !nv_tileaa.tiled_view<1xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token
      %reshape_9 = nv_tileas.view %15 : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> to tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
      %pview_5 = nv_tileaa.block_tile %tview_5 {tileSizes = array<i64: 1>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<1xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
      %20 = nv_tileas.tiled_store weak %reshape_9, %pview_5[%blockId_x] token = %0 {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(1, 32, 4, 1), (0, 0, 0, 0)>} : tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>, !nv_tileaa.tiled_view<1xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token
      nv_tileaa.return
    }
  }
}
