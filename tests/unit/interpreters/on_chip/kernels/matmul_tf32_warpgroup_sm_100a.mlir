builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  builtin.module @kernels {
    nv_tileaa.func @matmul_tf32_warpgroup(%arg0: !nv_tileaa.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<f32>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<f32>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32, %tma: !nv_tileas.tma_desc {grid_constant}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, "nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_tileas.tensor_maps = [#nv_tileas.tensor_map<64x32xf32, arg10, sizes = [arg11, arg12], strides = [arg13, 1], swizzle = 128B, oob = zero>], nv_tileas.smem = #nv_tileas.allocation<offset = 32768, size = 8>, nv_tileas.smem_bytes = 32784 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_tileas.tmem_columns = 64 : i32, nv_tileas.synchronized} {
      %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg0 : !nv_tileaa.ptr<f32>
      %assume_1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg3 : i32
      %assume_2 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg5 : !nv_tileaa.ptr<f32>
      %assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg8 : i32
      %assume_4 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg1 : i32
      %assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg2 : i32
      %assume_assume = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_1 : i32
      %assume_assume_assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume : i32
      %tview = nv_tileaa.make_memref %assume sizes = [%assume_4, %assume_5 : i32, i32] strides = [%assume_assume_assume : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
      %assume_6 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg6 : i32
      %assume_7 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg7 : i32
      %assume_assume_1 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_3 : i32
      %assume_assume_assume_1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_1 : i32
      %tview_1 = nv_tileaa.make_memref %assume_2 sizes = [%assume_6, %assume_7 : i32, i32] strides = [%assume_assume_assume_1 : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %blockId_y = nv_tileaa.get_program_id 1 : i32
      %1 = arith.constant 0.000000e+00 : f32
      %cst_0_f32 = nv_tileaa.splat %1 : f32 -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
      %2 = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> i64
      %3 = arith.constant 64 : i64
      %4 = arith.ceildivui %2, %3 : i64
      %5 = nv_tileaa.trunci %4 : i64 to i32
      %cst_0_i32 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %pview = nv_tileaa.block_tile %tview {tileSizes = array<i64: 64, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
      %pview_1 = nv_tileaa.block_tile %tview_1 {tileSizes = array<i64: 64, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
      %for = scf.for %loopIdx = %cst_0_i32 to %5 step %cst_1_i32 iter_args(%iterArg0 = %cst_0_f32) -> (tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>) : i32 {
        %tile, %result_token = nv_tileas.tiled_load weak %pview[%blockId_x, %loopIdx] token = %0 {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>[i32, i32] -> tensor<64x64xf32, #nv_tileas.layout<((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)>>, !nv_tileaa.mem_token
        %tile_1, %result_token_1 = nv_tileas.tiled_load weak %pview_1[%loopIdx, %blockId_y] token = %0 {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(32, 32, 4, 1), (128, 1, 32, 0)>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>[i32, i32] -> tensor<64x64xf32, #nv_tileas.layout<(32, 32, 4, 1), (128, 1, 32, 0)>>, !nv_tileaa.mem_token
        %6 = nv_tileaa.fp_to_fp %tile : tensor<64x64xf32, #nv_tileas.layout<((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)>> to tensor<64x64xtf32, #nv_tileas.layout<((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)>>
        %7 = nv_tileaa.fp_to_fp %tile_1 : tensor<64x64xf32, #nv_tileas.layout<(32, 32, 4, 1), (128, 1, 32, 0)>> to tensor<64x64xtf32, #nv_tileas.layout<(32, 32, 4, 1), (128, 1, 32, 0)>>
        %8 = nv_tileas.convert_layout %6 {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 16384>} : tensor<64x64xtf32, #nv_tileas.layout<((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)>> -> tensor<64x64xtf32, #nv_tileas.memory<smem, <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>>>
        %9 = nv_tileas.convert_layout %7 {nv_tileas.smem = #nv_tileas.allocation<offset = 16384, size = 16384>} : tensor<64x64xtf32, #nv_tileas.layout<(32, 32, 4, 1), (128, 1, 32, 0)>> -> tensor<64x64xtf32, #nv_tileas.memory<smem, <((32, 2), 64), ((1, 2048), 32), swizzle<3, 4, 3>>>>
        nv_tileas.fence_proxy async_shared
        %10 = nv_tileas.async.dot %8, %9, %iterArg0 {input_precision = "tf32", atom = #nv_tileas<atom umma_tf32_tf32_f32>, nv_tileas.smem = #nv_tileas.allocation<offset = 32776, size = 8>, nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tile<64x64xtf32, #nv_tileas.memory<smem, <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>>>, tile<64x64xtf32, #nv_tileas.memory<smem, <((32, 2), 64), ((1, 2048), 32), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
        %11 = nv_tileas.async.future_wait %10 : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        scf.yield %11 : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
      }
      %12 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 16384>} : tensor<64x64xf32, #nv_tileas.memory<smem, <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>>>
      %13 = nv_tileas.copy %for into %12 : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> into tensor<64x64xf32, #nv_tileas.memory<smem, <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>>> -> tensor<64x64xf32, #nv_tileas.memory<smem, <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>>>
      nv_tileas.fence acq_rel tl_blk
      %14 = arith.constant 33554432 : i32
      %15 = arith.minui %blockId_x, %14 : i32
      %16 = arith.constant 64 : i32
      %17 = arith.muli %15, %16 : i32
      %18 = arith.constant 33554432 : i32
      %19 = arith.minui %blockId_y, %18 : i32
      %20 = arith.constant 64 : i32
      %21 = arith.muli %19, %20 : i32
      nv_tileas.fence_proxy async_shared
      nv_tileas.barrier agent
      %22 = nv_tileas.async.tiled_tma_store %tma, %13[%17, %21] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 0 : i32} : !nv_tileas.tma_desc, tile<64x64xf32, #nv_tileas.memory<smem, <(64, (32, 2)), (32, (1, 2048)), swizzle<3, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
      nv_tileas.async.wait %22 : !nv_tileas.async_token
      nv_tileaa.return
    }
  }
}
