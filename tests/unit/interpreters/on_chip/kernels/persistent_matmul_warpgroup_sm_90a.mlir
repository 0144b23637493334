builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  builtin.module @kernels {
    nv_tileaa.func @persistent_matmul_warpgroup(%arg0: !nv_tileaa.ptr<f16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<f16>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<f16>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32, %tma: !nv_tileas.tma_desc {grid_constant}, %tma_1: !nv_tileas.tma_desc {grid_constant}, %tma_2: !nv_tileas.tma_desc {grid_constant}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_tileas.tensor_maps = [#nv_tileas.tensor_map<64x64xf16, arg0, sizes = [arg1, arg2], strides = [arg3, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg5, sizes = [arg7, arg6], strides = [1, arg8], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg10, sizes = [arg11, arg12], strides = [arg13, 1], swizzle = 128B, oob = zero>], nv_tileas.smem_bytes = 147712 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_tileas.tmem_columns = 0 : i32, nv_tileas.synchronized} {
      %0 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
      %1, %2 = nv_tileas.async.pipeline.create_pipeline %0 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 147456, size = 128>} : tile<8x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %3 = nv_tileas.async.pipeline.create_iterator %1 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
      %4 = nv_tileas.async.pipeline.create_iterator %2 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
      %5 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
      %6, %7 = nv_tileas.async.pipeline.create_pipeline %5 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 147584, size = 128>} : tile<8x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %8 = nv_tileas.async.pipeline.create_iterator %6 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
      %9 = nv_tileas.async.pipeline.create_iterator %7 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
      %assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg0 : !nv_tileaa.ptr<f16>
      %assume_1 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg1 : i32
      %assume_2 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg2 : i32
      %assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg3 : i32
      %assume_assume = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_3 : i32
      %assume_assume_assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume : i32
      %tview = nv_tileaa.make_memref %assume sizes = [%assume_1, %assume_2 : i32, i32] strides = [%assume_assume_assume : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
      %assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg10 : !nv_tileaa.ptr<f16>
      %assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg11 : i32
      %assume_6 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg12 : i32
      %assume_7 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg13 : i32
      %assume_assume_1 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_7 : i32
      %assume_assume_assume_1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_1 : i32
      %tview_1 = nv_tileaa.make_memref %assume_4 sizes = [%assume_5, %assume_6 : i32, i32] strides = [%assume_assume_assume_1 : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
      %10 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %11 = nv_tileaa.get_dim_size %tview_1 {axis = 1 : i32} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i64
      %12 = arith.constant 64 : i64
      %13 = arith.ceildivui %11, %12 : i64
      %14 = nv_tileaa.trunci %13 : i64 to i32
      %15 = nv_tileaa.get_dim_size %tview_1 {axis = 0 : i32} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i64
      %16 = arith.constant 64 : i64
      %17 = arith.ceildivui %15, %16 : i64
      %18 = nv_tileaa.trunci %17 : i64 to i32
      %19 = arith.muli %18, %14 : i32
      %20 = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i64
      %21 = arith.constant 64 : i64
      %22 = arith.ceildivui %20, %21 : i64
      %23 = nv_tileaa.trunci %22 : i64 to i32
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %gridSize_x = nv_tileaa.get_num_programs 0 : i32
      %cst_0_i32 = arith.constant 0 : i32
      %24 = arith.cmpi slt, %14, %cst_0_i32 : i32
      %25 = arith.constant 0.000000e+00 : f32
      %cst_0_i32_1 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %26 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %27 = nv_tileas.async.token_to_async %26 : !nv_tileaa.mem_token -> !nv_tileas.async_token
      nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides = array<i32: 4, 4>, max_regs = array<i32: 240, 40>} {
        %cst_0_f32 = nv_tileaa.splat %25 : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %for, %for_1, %28, %29 = scf.for %loopIdx = %blockId_x to %19 step %gridSize_x iter_args(%iterArg0 = %10, %30 = %9, %31 = %4, %32 = %27) -> (!nv_tileaa.mem_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>, !nv_tileas.async_token) : i32 {
          %33 = arith.floordivsi %loopIdx, %14 : i32
          %34 = arith.remsi %loopIdx, %14 : i32
          %35 = arith.cmpi slt, %34, %cst_0_i32 : i32
          %36 = arith.xori %35, %24 : i1
          %37 = arith.cmpi ne, %34, %cst_0_i32 : i32
          %38 = arith.andi %36, %37 : i1
          %39 = nv_tileaa.addi %34, %14 : i32
          %40 = arith.select %38, %39, %34 : i32
          %for_2, %for_3, %41 = scf.for %loopIdx_1 = %cst_0_i32_1 to %23 step %cst_1_i32 iter_args(%iterArg0_1 = %cst_0_f32, %42 = %30, %43 = %31) -> (tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>) : i32 {
            %44 = nv_tileas.async.pipeline.consumer_wait %7, %42 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %45, %tile = nv_tileas.async.pipeline.consumer_read %44 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            %46 = nv_tileas.async.pipeline.consumer_wait %2, %43 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 27 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %47, %tile_1 = nv_tileas.async.pipeline.consumer_read %46 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 28 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>
            nv_tileas.barrier agent
            %48 = nv_tileas.convert_layout %tile_1 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 29 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            nv_tileas.fence_proxy async_shared
            nv_tileas.barrier agent
            %49 = nv_tileas.async.dot %tile, %48, %iterArg0_1 {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 30 : i32} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
            %50 = nv_tileas.async.future_wait %49 {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 25 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %51 = nv_tileas.async.pipeline.consumer_release %47 {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 23 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %52 = nv_tileas.async.pipeline.consumer_release %45 {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 24 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %53 = nv_tileas.async.pipeline.inc_iter %42 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 18 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
            %54 = nv_tileas.async.pipeline.inc_iter %43 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 20 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
            scf.yield %50, %53, %54 : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
          }
          %55 = nv_tileas.async.wait %32 : !nv_tileas.async_token -> !nv_tileaa.mem_token
          %iterArg0_2 = nv_tileaa.join_mem_token[%iterArg0, %55] : !nv_tileaa.mem_token
          %56 = nv_tileaa.fp_to_fp %for_2 : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
          %57 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 139264, size = 8192>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          nv_tileas.barrier agent
          %58 = nv_tileas.copy %56 into %57 : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          nv_tileas.fence acq_rel tl_blk
          %59 = nv_tileas.async.token_to_async %iterArg0_2 : !nv_tileaa.mem_token -> !nv_tileas.async_token
          nv_tileas.async.wait %59 : !nv_tileas.async_token
          %60 = arith.constant 33554432 : i32
          %61 = arith.minui %33, %60 : i32
          %62 = arith.constant 64 : i32
          %63 = arith.muli %61, %62 : i32
          %64 = arith.constant 33554432 : i32
          %65 = arith.minui %40, %64 : i32
          %66 = arith.constant 64 : i32
          %67 = arith.muli %65, %66 : i32
          nv_tileas.fence_proxy async_shared
          nv_tileas.barrier agent
          %68 = nv_tileas.async.tiled_tma_store %tma_2, %58[%63, %67] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
          scf.yield %iterArg0, %for_3, %41, %68 : !nv_tileaa.mem_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>, !nv_tileas.async_token
        }
        %69 = nv_tileas.async.wait %29 : !nv_tileas.async_token -> !nv_tileaa.mem_token
        nv_tileas.async.pipeline.yield
      }, {
        %for_4, %70 = scf.for %loopIdx_2 = %blockId_x to %19 step %gridSize_x iter_args(%71 = %8, %72 = %3) -> (!nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>) : i32 {
          %73 = arith.floordivsi %loopIdx_2, %14 : i32
          %74 = arith.remsi %loopIdx_2, %14 : i32
          %75 = arith.cmpi slt, %74, %cst_0_i32 : i32
          %76 = arith.xori %75, %24 : i1
          %77 = arith.cmpi ne, %74, %cst_0_i32 : i32
          %78 = arith.andi %76, %77 : i1
          %79 = nv_tileaa.addi %74, %14 : i32
          %80 = arith.select %78, %79, %74 : i32
          %for_5, %81 = scf.for %loopIdx_3 = %cst_0_i32_1 to %23 step %cst_1_i32 iter_args(%82 = %71, %83 = %72) -> (!nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>) : i32 {
            %84 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} 33554432 : i32
            %85 = arith.minui %73, %84 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : i32
            %86 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 2 : i32} 64 : i32
            %87 = arith.muli %85, %86 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 3 : i32} : i32
            %88 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 4 : i32} 33554432 : i32
            %89 = arith.minui %loopIdx_3, %88 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 5 : i32} : i32
            %90 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 6 : i32} 64 : i32
            %91 = arith.muli %89, %90 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 7 : i32} : i32
            %92, %93 = nv_tileas.async.pipeline.produce_one_async %6, %82 {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 8 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
            ^bb0(%94 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>):
              %95 = nv_tileas.async.tiled_tma_load %tma, %94[%87, %91], %10 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
              nv_tileas.async.pipeline.yield %94 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            }
            %96 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 9 : i32} 33554432 : i32
            %97 = arith.minui %loopIdx_3, %96 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 10 : i32} : i32
            %98 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 11 : i32} 64 : i32
            %99 = arith.muli %97, %98 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 12 : i32} : i32
            %100 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 13 : i32} 33554432 : i32
            %101 = arith.minui %80, %100 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 14 : i32} : i32
            %102 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 15 : i32} 64 : i32
            %103 = arith.muli %101, %102 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 16 : i32} : i32
            %104, %105 = nv_tileas.async.pipeline.produce_one_async %1, %83 {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 26 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
            ^bb0(%106 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>):
              %107 = nv_tileas.async.tiled_tma_load %tma_1, %106[%99, %103], %10 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 1 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
              nv_tileas.async.pipeline.yield %106 : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>
            }
            %108 = nv_tileas.async.pipeline.inc_iter %82 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 17 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
            %109 = nv_tileas.async.pipeline.inc_iter %83 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 19 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
            scf.yield %108, %109 : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
          }
          scf.yield %for_5, %81 : !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
