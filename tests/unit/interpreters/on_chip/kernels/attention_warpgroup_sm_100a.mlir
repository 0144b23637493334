builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  builtin.module @kernels {
    nv_tileaa.func @attention_warpgroup(%arg0: !nv_tileaa.ptr<f16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: !nv_tileaa.ptr<f16>, %arg8: i32, %arg9: i32, %arg10: i32, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: !nv_tileaa.ptr<f16>, %arg15: i32, %arg16: i32, %arg17: i32, %arg18: i32, %arg19: i32, %arg20: i32, %arg21: !nv_tileaa.ptr<f16>, %arg22: i32, %arg23: i32, %arg24: i32, %arg25: i32, %arg26: i32, %arg27: i32, %arg28: f32, %tma: !nv_tileas.tma_desc {grid_constant}, %tma_1: !nv_tileas.tma_desc {grid_constant}, %tma_2: !nv_tileas.tma_desc {grid_constant}, %tma_3: !nv_tileas.tma_desc {grid_constant}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_tileas.tensor_maps = [#nv_tileas.tensor_map<1x64x64xf16, arg0, sizes = [arg1, arg2, arg3], strides = [arg4, arg5, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<1x64x64xf16, arg7, sizes = [arg8, arg9, arg10], strides = [arg11, arg12, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<1x64x64xf16, arg14, sizes = [arg15, arg16, arg17], strides = [arg18, arg19, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<1x64x64xf16, arg21, sizes = [arg22, arg23, arg24], strides = [arg25, arg26, 1], swizzle = 128B, oob = zero>], nv_tileas.smem = #nv_tileas.allocation<offset = 147456, size = 8>, nv_tileas.smem_bytes = 147760 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_tileas.tmem_columns = 128 : i32, nv_tileas.synchronized} {
      %0 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
      %1, %2 = nv_tileas.async.pipeline.create_pipeline %0 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 147464, size = 128>} : tile<8x1x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %3 = nv_tileas.async.pipeline.create_iterator %1 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
      %4 = nv_tileas.async.pipeline.create_iterator %2 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
      %5 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>} : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
      %6, %7 = nv_tileas.async.pipeline.create_pipeline %5 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 147592, size = 128>} : tile<8x1x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %8 = nv_tileas.async.pipeline.create_iterator %6 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
      %9 = nv_tileas.async.pipeline.create_iterator %7 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
      %assume = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg9 : i32
      %10 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %cst_64_i32 = arith.constant 64 : i32
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %blockId_y = nv_tileaa.get_program_id 1 : i32
      %cst_0_i32 = arith.constant 0 : i32
      %11 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 8192>} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
      %12 = arith.constant -2147483648 : i32
      %13 = arith.minui %blockId_y, %12 : i32
      %14 = arith.constant 1 : i32
      %15 = arith.muli %13, %14 : i32
      %16 = arith.constant 33554432 : i32
      %17 = arith.minui %blockId_x, %16 : i32
      %18 = arith.constant 64 : i32
      %19 = arith.muli %17, %18 : i32
      %20 = arith.constant 0 : i32
      %21 = arith.constant -1.000000e+30 : f32
      %22 = arith.constant 0.000000e+00 : f32
      %23 = arith.constant 0.000000e+00 : f32
      %24 = arith.ceildivsi %assume, %cst_64_i32 : i32
      %cst_0_i32_1 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %cst_0_i32_2 = arith.constant 0 : i32
      %25 = arith.constant 0.000000e+00 : f32
      %26 = arith.constant 0 : i32
      %27 = arith.constant 64 : i32
      %cst_f32 = arith.constant -1.000000e+30 : f32
      %cst_0_i32_3 = arith.constant 0 : i32
      %cst_0_i32_4 = arith.constant 0 : i32
      %28 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
      %29 = arith.constant -2147483648 : i32
      %30 = arith.minui %blockId_y, %29 : i32
      %31 = arith.constant 1 : i32
      %32 = arith.muli %30, %31 : i32
      %33 = arith.constant 33554432 : i32
      %34 = arith.minui %blockId_x, %33 : i32
      %35 = arith.constant 64 : i32
      %36 = arith.muli %34, %35 : i32
      %37 = arith.constant 0 : i32
      nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides = array<i32: 4, 4>, max_regs = array<i32: 240, 40>} {
        %38 = nv_tileas.async.tiled_tma_load %tma, %11[%15, %19, %20], %10 {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 147720, size = 8>} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
        %tile = nv_tileas.async.future_wait %38 : !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
        %cst_f32_1 = nv_tileaa.splat %21 : f32 -> tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
        %cst_0_f32 = nv_tileaa.splat %22 : f32 -> tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
        %cst_0_f32_1 = nv_tileaa.splat %23 : f32 -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %cst_0_f32_2 = nv_tileaa.splat %25 : f32 -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %bcast = nv_tileaa.splat %arg28 : f32 -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %39 = nv_tileaa.make_range %26, %27 : i32 -> tensor<64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
        %bcast_1 = nv_tileaa.splat %assume : i32 -> tensor<1x64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
        %bcast_2 = nv_tileaa.splat %cst_f32 : f32 -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %40 = nv_tileas.async.to_async %cst_0_f32_1 {nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>} : tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
        %41 = arith.cmpi slt, %cst_0_i32_1, %24 : i32
        %for, %for_1 = scf.if %41 -> (!async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>) {
          %42 = nv_tileas.async.pipeline.consumer_wait %7, %9 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 46 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
          %43, %tile_1 = nv_tileas.async.pipeline.consumer_read %42 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 47 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
          %reshape = nv_tileas.view %tile {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          %reshape_1 = nv_tileas.view %tile_1 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 49 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          %44 = nv_tileaa.permute %reshape_1 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>
          %45 = nv_tileas.async.dot %reshape, %44, %cst_0_f32_2 {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 147728, size = 8>, nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
          %46 = nv_tileas.async.pipeline.inc_iter %9 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 52 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          %47, %48, %49, %50, %51, %52, %53 = scf.while (%54 = %cst_0_i32_1, %55 = %40, %56 = %cst_f32_1, %57 = %cst_0_f32, %58 = %4, %59 = %46, %60 = %45, %61 = %43) : (i32, !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.consumer_token) -> (i32, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) {
            %62 = nv_tileas.async.future_wait %60 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 10 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %63 = nv_tileas.async.pipeline.consumer_release %61 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 11 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %64 = nv_tileaa.mulf %62, %bcast {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 12 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %65 = arith.muli %54, %cst_64_i32 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 13 : i32} : i32
            %bcast_3 = nv_tileaa.splat %65 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 14 : i32} : i32 -> tensor<64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
            %66 = nv_tileaa.addi %bcast_3, %39 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 15 : i32} : tensor<64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
            %reshape_2 = nv_tileas.view %66 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 16 : i32} : tensor<64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>> to tensor<1x64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
            %67 = arith.cmpi slt, %reshape_2, %bcast_1 : tensor<1x64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
            %bcast_4 = nv_tileaa.broadcast %67 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 18 : i32} : tensor<1x64xi1, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>> -> tensor<64x64xi1, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %68 = arith.select %bcast_4, %64, %bcast_2 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 19 : i32} : tensor<64x64xi1, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>, tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %reduce = nv_tileas.reduce %68 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32, axis = 1 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> tensor<64xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>> {
            ^bb0(%reduce_lhs: f32, %reduce_rhs: f32):
              %69 = arith.maxnumf %reduce_lhs, %reduce_rhs : f32
              nv_tileas.yield %69 : f32
            }
            %reshape_3 = nv_tileas.view %reduce {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} : tensor<64xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>> to tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
            %70 = arith.maxnumf %56, %reshape_3 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22 : i32} : tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
            %bcast_5 = nv_tileaa.broadcast %70 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32} : tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>> -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %71 = nv_tileaa.subf %68, %bcast_5 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 24 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %72 = nv_tileaa.exp2 %71 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 25 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %73 = nv_tileaa.subf %56, %70 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 26 : i32} : tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
            %74 = nv_tileaa.exp2 %73 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 27 : i32} : tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
            %reduce_1 = nv_tileas.reduce %72 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 28 : i32, axis = 1 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> tensor<64xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>> {
            ^bb0(%reduce_lhs_1: f32, %reduce_rhs_1: f32):
              %75 = nv_tileaa.addf %reduce_lhs_1, %reduce_rhs_1 : f32
              nv_tileas.yield %75 : f32
            }
            %reshape_4 = nv_tileas.view %reduce_1 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 29 : i32} : tensor<64xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>> to tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
            %76 = nv_tileaa.fma %57, %74, %reshape_4 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 30 : i32} : tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
            %77 = nv_tileaa.fp_to_fp %72 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 41 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %bcast_6 = nv_tileaa.broadcast %74 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 42 : i32} : tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>> -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %iterArg0 = nv_tileas.async.future_wait %55 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 43 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %78 = nv_tileaa.mulf %iterArg0, %bcast_6 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 44 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
            %79 = nv_tileas.convert_layout %77 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 45 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 139264, size = 8192>} : tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            %80 = arith.addi %54, %cst_1_i32 : i32
            %81 = arith.subi %24, %54 : i32
            %82 = arith.cmpi ugt, %81, %cst_1_i32 : i32
            scf.condition(%82) %80, %58, %79, %78, %70, %76, %59 : i32, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          } do {
          ^bb0(%83: i32, %84: !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, %85: tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, %86: tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>, %87: tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, %88: tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, %89: !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>):
            %90 = nv_tileas.async.pipeline.consumer_wait %7, %89 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 46 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %91, %tile_2 = nv_tileas.async.pipeline.consumer_read %90 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 47 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
            %reshape_5 = nv_tileas.view %tile {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            %reshape_6 = nv_tileas.view %tile_2 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 49 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            %92 = nv_tileaa.permute %reshape_6 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>
            %93 = nv_tileas.async.dot %reshape_5, %92, %cst_0_f32_2 {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 147736, size = 8>, nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
            %94 = nv_tileas.async.pipeline.inc_iter %89 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 52 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            %95 = nv_tileas.async.pipeline.consumer_wait %2, %84 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 53 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %96, %tile_3 = nv_tileas.async.pipeline.consumer_read %95 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 54 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
            %reshape_7 = nv_tileas.view %tile_3 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 55 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            nv_tileas.fence_proxy async_shared
            %97 = nv_tileas.async.dot %85, %reshape_7, %86 {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 56 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 147744, size = 8>, nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
            nv_tileas.async.wait %97 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 57 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
            %98 = nv_tileas.async.pipeline.consumer_release %96 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 58 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %99 = nv_tileas.async.pipeline.inc_iter %84 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 61 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            scf.yield %83, %97, %87, %88, %99, %94, %93, %91 : i32, !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.consumer_token
          }
          %100 = nv_tileas.async.pipeline.consumer_wait %2, %48 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 53 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
          %101, %tile_4 = nv_tileas.async.pipeline.consumer_read %100 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 54 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
          %reshape_8 = nv_tileas.view %tile_4 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 55 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          nv_tileas.fence_proxy async_shared
          %102 = nv_tileas.async.dot %49, %reshape_8, %50 {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 56 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 147752, size = 8>, nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
          nv_tileas.async.wait %102 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 57 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>
          %103 = nv_tileas.async.pipeline.consumer_release %101 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 58 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
          %104 = nv_tileas.async.pipeline.inc_iter %48 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 61 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          scf.yield %102, %52 : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
        } else {
          scf.yield %40, %cst_0_f32 : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
        }
        %for_2 = nv_tileas.async.future_wait %for : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %bcast_7 = nv_tileaa.broadcast %for_1 : tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>> -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %105 = nv_tileaa.divf %for_2, %bcast_7 : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %106 = nv_tileaa.fp_to_fp %105 : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
        %107 = nv_tileas.convert_layout %106 {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 8192>, atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
        %reshape_9 = nv_tileas.view %107 : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> to tensor<1x64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>>
        nv_tileas.barrier agent
        %108 = nv_tileas.copy %reshape_9 into %28 : tensor<1x64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> into tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> -> tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
        nv_tileas.fence acq_rel tl_blk
        nv_tileas.fence_proxy async_shared
        nv_tileas.barrier agent
        %109 = nv_tileas.async.tiled_tma_store %tma_3, %108[%32, %36, %37] {atom = #nv_tileas<atom tma_store_3d>, tmaIdx = 3 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32 -> !nv_tileas.async_token
        nv_tileas.async.wait %109 : !nv_tileas.async_token
        nv_tileas.async.pipeline.yield
      }, {
        %110, %111 = scf.for %loopIdx = %cst_0_i32_1 to %24 step %cst_1_i32 iter_args(%112 = %8, %113 = %3) -> (!nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) : i32 {
          %114 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 0 : i32} -2147483648 : i32
          %115 = arith.minui %blockId_y, %114 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 1 : i32} : i32
          %116 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 2 : i32} 1 : i32
          %117 = arith.muli %115, %116 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 3 : i32} : i32
          %118 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 4 : i32} 33554432 : i32
          %119 = arith.minui %loopIdx, %118 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 5 : i32} : i32
          %120 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 6 : i32} 64 : i32
          %121 = arith.muli %119, %120 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 7 : i32} : i32
          %122 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 8 : i32} 0 : i32
          %123, %124 = nv_tileas.async.pipeline.produce_one_async %6, %112 {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 9 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
          ^bb0(%125 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>):
            %126 = nv_tileas.async.tiled_tma_load %tma_1, %125[%117, %121, %122], %10 {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 1 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            nv_tileas.async.pipeline.yield %125 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
          }
          %127 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 31 : i32} -2147483648 : i32
          %128 = arith.minui %blockId_y, %127 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 32 : i32} : i32
          %129 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 33 : i32} 1 : i32
          %130 = arith.muli %128, %129 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 34 : i32} : i32
          %131 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 35 : i32} 33554432 : i32
          %132 = arith.minui %loopIdx, %131 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 36 : i32} : i32
          %133 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 37 : i32} 64 : i32
          %134 = arith.muli %132, %133 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 38 : i32} : i32
          %135 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 39 : i32} 0 : i32
          %136, %137 = nv_tileas.async.pipeline.produce_one_async %1, %113 {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 40 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
          ^bb0(%138 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>):
            %139 = nv_tileas.async.tiled_tma_load %tma_2, %138[%130, %134, %135], %10 {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 2 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            nv_tileas.async.pipeline.yield %138 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
          }
          %140 = nv_tileas.async.pipeline.inc_iter %112 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 59 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          %141 = nv_tileas.async.pipeline.inc_iter %113 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 60 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          scf.yield %140, %141 : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
