builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  builtin.module @kernels {
    nv_tileaa.func @matmul_f16_warpgroup(%arg0: !nv_tileaa.ptr<f16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<f16>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<f16>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32, %tma: !nv_tileas.tma_desc {grid_constant}, %tma_1: !nv_tileas.tma_desc {grid_constant}, %tma_2: !nv_tileas.tma_desc {grid_constant}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_tileas.tensor_maps = [#nv_tileas.tensor_map<64x64xf16, arg0, sizes = [arg1, arg2], strides = [arg3, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg5, sizes = [arg6, arg7], strides = [arg8, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg10, sizes = [arg11, arg12], strides = [arg13, 1], swizzle = 128B, oob = zero>], nv_tileas.smem_bytes = 131200 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_tileas.tmem_columns = 0 : i32, nv_tileas.synchronized} {
      %0 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
      %1 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
      %2, %3 = nv_tileas.async.pipeline.create_pipeline %0, %1 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 128>} : tile<8x64x64xf16, #nv_tileas.memory<smem>>, tile<8x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
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
      %12 = nv_tileas.async.pipeline.create_null_token : !nv_tileas.async.pipeline.consumer_token
      %13 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
      %14 = arith.constant 33554432 : i32
      %15 = arith.minui %blockId_x, %14 : i32
      %16 = arith.constant 64 : i32
      %17 = arith.muli %15, %16 : i32
      %18 = arith.constant 33554432 : i32
      %19 = arith.minui %blockId_y, %18 : i32
      %20 = arith.constant 64 : i32
      %21 = arith.muli %19, %20 : i32
      nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides = array<i32: 4, 4>, max_regs = array<i32: 240, 40>} {
        %cst_0_f32 = nv_tileaa.splat %7 : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %22 = nv_tileas.async.to_async %cst_0_f32 : tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
        %for, %for_1, %23 = scf.for %loopIdx = %cst_0_i32 to %11 step %cst_1_i32 iter_args(%iterArg0 = %22, %24 = %5, %25 = %12) -> (!async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.consumer_token) : i32 {
          %26 = nv_tileas.async.pipeline.consumer_wait %3, %24 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 19 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
          %27, %tile, %tile_1 = nv_tileas.async.pipeline.consumer_read %26 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          %28 = nv_tileas.async.dot %tile, %tile_1, %iterArg0 {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
          %29 = nv_tileas.async.pipeline.inc_iter %24 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 18 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
          nv_tileas.async.wait %iterArg0 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
          %30 = nv_tileas.async.pipeline.consumer_release %25 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
          scf.yield %28, %29, %27 : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.consumer_token
        }
        %for_2 = nv_tileas.async.future_wait %for : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %31 = nv_tileas.async.pipeline.consumer_release %23 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
        %32 = nv_tileaa.fp_to_fp %for_2 : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        nv_tileas.barrier agent
        %33 = nv_tileas.copy %32 into %13 : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
        nv_tileas.fence acq_rel tl_blk
        nv_tileas.fence_proxy async_shared
        nv_tileas.barrier agent
        %34 = nv_tileas.async.tiled_tma_store %tma_2, %33[%17, %21] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
        nv_tileas.async.wait %34 : !nv_tileas.async_token
        nv_tileas.async.pipeline.yield
      }, {
        %for_3 = scf.for %loopIdx_1 = %cst_0_i32 to %11 step %cst_1_i32 iter_args(%35 = %4) -> (!nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>) : i32 {
          %36 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} 33554432 : i32
          %37 = arith.minui %blockId_x, %36 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : i32
          %38 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 2 : i32} 64 : i32
          %39 = arith.muli %37, %38 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 3 : i32} : i32
          %40 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 4 : i32} 33554432 : i32
          %41 = arith.minui %loopIdx_1, %40 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 5 : i32} : i32
          %42 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 6 : i32} 64 : i32
          %43 = arith.muli %41, %42 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 7 : i32} : i32
          %44 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 8 : i32} 33554432 : i32
          %45 = arith.minui %loopIdx_1, %44 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 9 : i32} : i32
          %46 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 10 : i32} 64 : i32
          %47 = arith.muli %45, %46 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 11 : i32} : i32
          %48 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 12 : i32} 33554432 : i32
          %49 = arith.minui %blockId_y, %48 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 13 : i32} : i32
          %50 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 14 : i32} 64 : i32
          %51 = arith.muli %49, %50 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 15 : i32} : i32
          %52, %53 = nv_tileas.async.pipeline.produce_one_async %2, %35 {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 16 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
          ^bb0(%54 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, %55 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>):
            %56 = nv_tileas.async.tiled_tma_load %tma, %54[%39, %43], %6 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
            %57 = nv_tileas.async.tiled_tma_load %tma_1, %55[%47, %51], %6 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 1 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
            nv_tileas.async.pipeline.yield %54, %55 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          }
          %58 = nv_tileas.async.pipeline.inc_iter %35 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 17 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
          scf.yield %58 : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
