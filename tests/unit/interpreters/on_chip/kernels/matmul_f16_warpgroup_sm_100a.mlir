builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  builtin.module @kernels {
    nv_tileaa.func @matmul_f16_warpgroup(%arg0: !nv_tileaa.ptr<f16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<f16>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<f16>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32, %tma: !nv_tileas.tma_desc {grid_constant}, %tma_1: !nv_tileas.tma_desc {grid_constant}, %tma_2: !nv_tileas.tma_desc {grid_constant}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_tileas.tensor_maps = [#nv_tileas.tensor_map<64x64xf16, arg0, sizes = [arg1, arg2], strides = [arg3, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg5, sizes = [arg6, arg7], strides = [arg8, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg10, sizes = [arg11, arg12], strides = [arg13, 1], swizzle = 128B, oob = zero>], nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 8>, nv_tileas.smem_bytes = 131216 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_tileas.tmem_columns = 64 : i32, nv_tileas.synchronized} {
      %0 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
      %1 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
      %2, %3 = nv_tileas.async.pipeline.create_pipeline %0, %1 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 131080, size = 128>} : tile<8x64x64xf16, #nv_tileas.memory<smem>>, tile<8x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %4 = nv_tileas.async.pipeline.create_iterator %2 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
      %5 = nv_tileas.async.pipeline.create_iterator %3 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
      %assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg0 : !nv_tileaa.ptr<f16>
      %assume_1 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg1 : i32
      %assume_2 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg2 : i32
      %assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg3 : i32
      %assume_assume = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_3 : i32
      %assume_assume_assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume : i32
      %tview = nv_tileaa.make_memref %assume sizes = [%assume_1, %assume_2 : i32, i32] strides = [%assume_assume_assume : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
      %6 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %blockId_y = nv_tileaa.get_program_id 1 : i32
      %7 = arith.constant 0.000000e+00 : f32
      %8 = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i64
      %9 = arith.constant 64 : i64
      %10 = arith.ceildivui %8, %9 : i64
      %11 = nv_tileaa.trunci %10 : i64 to i32
      %cst_0_i32 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %12 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
      %13 = arith.constant 33554432 : i32
      %14 = arith.minui %blockId_x, %13 : i32
      %15 = arith.constant 64 : i32
      %16 = arith.muli %14, %15 : i32
      %17 = arith.constant 33554432 : i32
      %18 = arith.minui %blockId_y, %17 : i32
      %19 = arith.constant 64 : i32
      %20 = arith.muli %18, %19 : i32
      nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides = array<i32: 4, 4>, max_regs = array<i32: 240, 40>} {
        %cst_0_f32 = nv_tileaa.splat %7 : f32 -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %21 = nv_tileas.async.to_async %cst_0_f32 {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
        nv_tileas.fence_tmem before
        nv_tileas.barrier agent
        nv_tileas.fence_tmem after
        %for, %for_1 = scf.for %loopIdx = %cst_0_i32 to %11 step %cst_1_i32 iter_args(%iterArg0 = %21, %22 = %5) -> (!async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>) : i32 {
          %23 = nv_tileas.async.pipeline.consumer_wait %3, %22 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
          %24, %tile, %tile_1 = nv_tileas.async.pipeline.consumer_read %23 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          %25 = nv_tileas.async.dot %tile, %tile_1, %iterArg0 {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 131208, size = 8>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
          nv_tileas.async.wait %25 {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 19 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
          %26 = nv_tileas.async.pipeline.consumer_release %24 {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 20 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
          %27 = nv_tileas.async.pipeline.inc_iter %22 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 18 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
          scf.yield %25, %27 : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
        }
        %for_2 = nv_tileas.async.future_wait %for : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %28 = nv_tileaa.fp_to_fp %for_2 : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %29 = nv_tileas.convert_layout %28 {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 8192>, atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
        nv_tileas.barrier agent
        %30 = nv_tileas.copy %29 into %12 : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
        nv_tileas.fence acq_rel tl_blk
        nv_tileas.fence_proxy async_shared
        nv_tileas.barrier agent
        %31 = nv_tileas.async.tiled_tma_store %tma_2, %30[%16, %20] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
        nv_tileas.async.wait %31 : !nv_tileas.async_token
        nv_tileas.async.pipeline.yield
      }, {
        %for_3 = scf.for %loopIdx_1 = %cst_0_i32 to %11 step %cst_1_i32 iter_args(%32 = %4) -> (!nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>) : i32 {
          %33 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} 33554432 : i32
          %34 = arith.minui %blockId_x, %33 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : i32
          %35 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 2 : i32} 64 : i32
          %36 = arith.muli %34, %35 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 3 : i32} : i32
          %37 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 4 : i32} 33554432 : i32
          %38 = arith.minui %loopIdx_1, %37 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 5 : i32} : i32
          %39 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 6 : i32} 64 : i32
          %40 = arith.muli %38, %39 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 7 : i32} : i32
          %41 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 8 : i32} 33554432 : i32
          %42 = arith.minui %loopIdx_1, %41 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 9 : i32} : i32
          %43 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 10 : i32} 64 : i32
          %44 = arith.muli %42, %43 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 11 : i32} : i32
          %45 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 12 : i32} 33554432 : i32
          %46 = arith.minui %blockId_y, %45 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 13 : i32} : i32
          %47 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 14 : i32} 64 : i32
          %48 = arith.muli %46, %47 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 15 : i32} : i32
          %49, %50 = nv_tileas.async.pipeline.produce_one_async %2, %32 {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 16 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
          ^bb0(%51 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, %52 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>):
            %53 = nv_tileas.async.tiled_tma_load %tma, %51[%36, %40], %6 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
            %54 = nv_tileas.async.tiled_tma_load %tma_1, %52[%44, %48], %6 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 1 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
            nv_tileas.async.pipeline.yield %51, %52 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          }
          %55 = nv_tileas.async.pipeline.inc_iter %32 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 17 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
          scf.yield %55 : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
