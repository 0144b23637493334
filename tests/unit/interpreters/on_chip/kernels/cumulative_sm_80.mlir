builtin.module attributes {nv_tileaa.compute_capability = 80 : i32, nv_tileaa.target_spec = "sm_80"} {
  builtin.module @kernels {
    nv_tileaa.func @cumulative(%arg0: !nv_tileaa.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<f32>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<f32>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32, %arg15: !nv_tileaa.ptr<i32>, %arg16: i32, %arg17: i32, %arg18: i32, %arg19: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.tmem_columns = 0 : i32, nv_tileas.synchronized} {
      %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg0 : !nv_tileaa.ptr<f32>
      %assume_1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg5 : !nv_tileaa.ptr<f32>
      %assume_2 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg10 : !nv_tileaa.ptr<f32>
      %assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg15 : !nv_tileaa.ptr<i32>
      %assume_4 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg1 : i32
      %assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg2 : i32
      %assume_6 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg3 : i32
      %tview = nv_tileaa.make_memref %assume sizes = [%assume_4, %assume_5 : i32, i32] strides = [%assume_6 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
      %assume_7 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg6 : i32
      %assume_8 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg7 : i32
      %assume_9 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg8 : i32
      %tview_1 = nv_tileaa.make_memref %assume_1 sizes = [%assume_7, %assume_8 : i32, i32] strides = [%assume_9 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
      %assume_10 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg11 : i32
      %assume_11 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg12 : i32
      %assume_12 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg13 : i32
      %tview_2 = nv_tileaa.make_memref %assume_2 sizes = [%assume_10, %assume_11 : i32, i32] strides = [%assume_12 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
      %assume_13 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg16 : i32
      %assume_14 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg17 : i32
      %assume_15 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg18 : i32
      %tview_3 = nv_tileaa.make_memref %assume_3 sizes = [%assume_13, %assume_14 : i32, i32] strides = [%assume_15 : i32] : !nv_tileaa.ptr<i32> -> !nv_tileaa.memref<?x?xi32, strides = [?, 1]>
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %cst_0_i32 = arith.constant 0 : i32
      %pview = nv_tileaa.block_tile %tview {tileSizes = array<i64: 4, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<4x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
      %tile, %result_token = nv_tileas.tiled_load weak %pview[%blockId_x, %cst_0_i32] token = %0 {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(2, 32, 4, 1), (1, 2, 64, 0)>} : !nv_tileaa.tiled_view<4x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>[i32, i32] -> tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>, !nv_tileaa.mem_token
      %cst_0_i32_1 = arith.constant 0 : i32
      %1 = nv_tileas.scan %tile {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 1024>, axis = 1 : i32, inclusive = true} : tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>> -> tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>> {
      ^bb0(%arg20: f32, %arg21: f32):
        %2 = nv_tileaa.addf %arg20, %arg21 : f32
        nv_tileas.yield %2 : f32
      }
      %pview_1 = nv_tileaa.block_tile %tview_1 {tileSizes = array<i64: 4, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<4x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
      %3 = nv_tileas.tiled_store weak %1, %pview_1[%blockId_x, %cst_0_i32_1] token = %0 {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (1, 2, 64, 0)>} : tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>, !nv_tileaa.tiled_view<4x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
      %cst_0_i32_2 = arith.constant 0 : i32
      nv_tileas.barrier agent
      %4 = nv_tileas.scan %tile {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 1024>, axis = 1 : i32, inclusive = true} : tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>> -> tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>> {
      ^bb0(%arg20_1: f32, %arg21_1: f32):
        %5 = nv_tileaa.mulf %arg20_1, %arg21_1 : f32
        nv_tileas.yield %5 : f32
      }
      %pview_2 = nv_tileaa.block_tile %tview_2 {tileSizes = array<i64: 4, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<4x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
      %6 = nv_tileas.tiled_store weak %4, %pview_2[%blockId_x, %cst_0_i32_2] token = %0 {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (1, 2, 64, 0)>} : tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>, !nv_tileaa.tiled_view<4x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
      %cst_1_f32 = arith.constant 1.000000e+00 : f32
      %bcast = nv_tileaa.splat %cst_1_f32 : f32 -> tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>
      %7 = arith.cmpf ogt, %tile, %bcast : tensor<4x64xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>
      %8 = arith.extui %7 : tensor<4x64xi1, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>> to tensor<4x64xi32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>
      %cst_0_i32_3 = arith.constant 0 : i32
      nv_tileas.barrier agent
      %9 = nv_tileas.scan %8 {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 1024>, axis = 1 : i32, inclusive = true, reverse = true} : tensor<4x64xi32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>> -> tensor<4x64xi32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>> {
      ^bb0(%arg20_2: i32, %arg21_2: i32):
        %10 = nv_tileaa.addi %arg20_2, %arg21_2 : i32
        nv_tileas.yield %10 : i32
      }
      %pview_3 = nv_tileaa.block_tile %tview_3 {tileSizes = array<i64: 4, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xi32, strides = [?, 1]> -> !nv_tileaa.tiled_view<4x64xi32, !nv_tileaa.memref<?x?xi32, strides = [?, 1]>>
      %11 = nv_tileas.tiled_store weak %9, %pview_3[%blockId_x, %cst_0_i32_3] token = %0 {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (1, 2, 64, 0)>} : tensor<4x64xi32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>, !nv_tileaa.tiled_view<4x64xi32, !nv_tileaa.memref<?x?xi32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
      nv_tileaa.return
    }
  }
}
