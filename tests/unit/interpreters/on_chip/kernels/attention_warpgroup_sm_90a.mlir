builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  builtin.module @kernels {
    nv_tileaa.func @attention_warpgroup(%arg0: !nv_tileaa.ptr<f16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: !nv_tileaa.ptr<f16>, %arg8: i32, %arg9: i32, %arg10: i32, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: !nv_tileaa.ptr<f16>, %arg15: i32, %arg16: i32, %arg17: i32, %arg18: i32, %arg19: i32, %arg20: i32, %arg21: !nv_tileaa.ptr<f16>, %arg22: i32, %arg23: i32, %arg24: i32, %arg25: i32, %arg26: i32, %arg27: i32, %arg28: f32, %tma: !nv_tileas.tma_desc {grid_constant}, %tma_1: !nv_tileas.tma_desc {grid_constant}, %tma_2: !nv_tileas.tma_desc {grid_constant}, %tma_3: !nv_tileas.tma_desc {grid_constant}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_tileas.tensor_maps = [#nv_tileas.tensor_map<1x64x64xf16, arg0, sizes = [arg1, arg2, arg3], strides = [arg4, arg5, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<1x64x64xf16, arg7, sizes = [arg8, arg9, arg10], strides = [arg11, arg12, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<1x64x64xf16, arg14, sizes = [arg15, arg16, arg17], strides = [arg18, arg19, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<1x64x64xf16, arg21, sizes = [arg22, arg23, arg24], strides = [arg25, arg26, 1], swizzle = 128B, oob = zero>], nv_tileas.smem_bytes = 139528 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_tileas.tmem_columns = 0 : i32, nv_tileas.synchronized} {
      %0 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
      %1, %2 = nv_tileas.async.pipeline.create_pipeline %0 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 139264, size = 128>} : tile<8x1x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %3 = nv_tileas.async.pipeline.create_iterator %1 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
      %4 = nv_tileas.async.pipeline.create_iterator %2 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
      %5 = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>} : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
      %6, %7 = nv_tileas.async.pipeline.create_pipeline %5 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem = #nv_tileas.allocation<offset = 139392, size = 128>} : tile<8x1x64x64xf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
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
        %38 = nv_tileas.async.tiled_tma_load %tma, %11[%15, %19, %20], %10 {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32, nv_tileas.smem = #nv_tileas.allocation<offset = 139520, size = 8>} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
        %tile = nv_tileas.async.future_wait %38 : !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
        %cst_f32_1 = nv_tileaa.splat %21 : f32 -> tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
        %cst_0_f32 = nv_tileaa.splat %22 : f32 -> tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
        %cst_0_f32_1 = nv_tileaa.splat %23 : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %cst_0_f32_2 = nv_tileaa.splat %25 : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %bcast = nv_tileaa.splat %arg28 : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %39 = nv_tileaa.make_range %26, %27 : i32 -> tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
        %bcast_1 = nv_tileaa.splat %assume : i32 -> tensor<1x64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
        %bcast_2 = nv_tileaa.splat %cst_f32 : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %40 = arith.cmpi slt, %cst_0_i32_1, %24 : i32
        %for, %for_1 = scf.if %40 -> (tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>) {
          %41 = nv_tileas.async.pipeline.consumer_wait %7, %9 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
          %42, %tile_1 = nv_tileas.async.pipeline.consumer_read %41 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 49 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
          %reshape = nv_tileas.view %tile {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          %reshape_1 = nv_tileas.view %tile_1 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          %43 = nv_tileaa.permute %reshape_1 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 52 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>
          %44 = nv_tileas.async.dot %reshape, %43, %cst_0_f32_2 {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 53 : i32} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
          %45 = nv_tileas.async.pipeline.inc_iter %9 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 54 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          %46 = nv_tileas.async.future_wait %44 : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
          %47 = nv_tileas.async.to_async %46 : tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
          %48 = nv_tileas.async.to_async %cst_0_f32_1 : tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
          %49 = nv_tileas.async.pipeline.create_null_token : !nv_tileas.async.pipeline.consumer_token
          %50, %51, %52, %53, %54, %55, %56, %57, %58 = scf.while (%59 = %cst_0_i32_1, %60 = %cst_f32_1, %61 = %cst_0_f32, %62 = %4, %63 = %45, %64 = %47, %65 = %42, %66 = %48, %67 = %49) : (i32, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.consumer_token, !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.consumer_token) -> (i32, tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) {
            %68 = nv_tileas.async.future_wait %64 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 10 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %69 = nv_tileas.async.pipeline.consumer_release %65 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 11 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %70 = nv_tileaa.mulf %68, %bcast {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 12 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %71 = arith.muli %59, %cst_64_i32 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 13 : i32} : i32
            %bcast_3 = nv_tileaa.splat %71 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 14 : i32} : i32 -> tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
            %72 = nv_tileaa.addi %bcast_3, %39 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 15 : i32} : tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
            %reshape_2 = nv_tileas.view %72 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 16 : i32} : tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>> to tensor<1x64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
            %73 = arith.cmpi slt, %reshape_2, %bcast_1 : tensor<1x64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
            %bcast_4 = nv_tileaa.broadcast %73 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 18 : i32} : tensor<1x64xi1, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>> -> tensor<64x64xi1, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %74 = arith.select %bcast_4, %70, %bcast_2 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 19 : i32} : tensor<64x64xi1, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %reduce = nv_tileas.reduce %74 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32, axis = 1 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> tensor<64xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>> {
            ^bb0(%reduce_lhs: f32, %reduce_rhs: f32):
              %75 = arith.maxnumf %reduce_lhs, %reduce_rhs : f32
              nv_tileas.yield %75 : f32
            }
            %reshape_3 = nv_tileas.view %reduce {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} : tensor<64xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>> to tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
            %76 = arith.maxnumf %60, %reshape_3 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22 : i32} : tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
            %bcast_5 = nv_tileaa.broadcast %76 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32} : tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>> -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %77 = nv_tileaa.subf %74, %bcast_5 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 24 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %78 = nv_tileaa.exp2 %77 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 25 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %79 = nv_tileaa.subf %60, %76 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 26 : i32} : tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
            %80 = nv_tileaa.exp2 %79 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 27 : i32} : tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
            %reduce_1 = nv_tileas.reduce %78 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 28 : i32, axis = 1 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> tensor<64xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>> {
            ^bb0(%reduce_lhs_1: f32, %reduce_rhs_1: f32):
              %81 = nv_tileaa.addf %reduce_lhs_1, %reduce_rhs_1 : f32
              nv_tileas.yield %81 : f32
            }
            %reshape_4 = nv_tileas.view %reduce_1 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 29 : i32} : tensor<64xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>> to tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
            %82 = nv_tileaa.fma %61, %80, %reshape_4 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 30 : i32} : tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
            %83 = nv_tileas.async.pipeline.consumer_wait %2, %62 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 41 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %84, %tile_2 = nv_tileas.async.pipeline.consumer_read %83 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 42 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
            %85 = nv_tileas.async.future_wait %66 : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %86 = nv_tileas.async.pipeline.consumer_release %67 {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 44 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %87 = nv_tileaa.fp_to_fp %78 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 45 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %bcast_6 = nv_tileaa.broadcast %80 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 46 : i32} : tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>> -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %88 = nv_tileaa.mulf %85, %bcast_6 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 47 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
            %89 = arith.addi %59, %cst_1_i32 : i32
            %90 = arith.subi %24, %59 : i32
            %91 = arith.cmpi ugt, %90, %cst_1_i32 : i32
            scf.condition(%91) %89, %tile_2, %87, %88, %62, %76, %82, %84, %63 : i32, tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          } do {
          ^bb0(%92: i32, %93: tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, %94: tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, %95: tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, %96: !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, %97: tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, %98: tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, %99: !nv_tileas.async.pipeline.consumer_token, %100: !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>):
            %101 = nv_tileas.async.pipeline.consumer_wait %7, %100 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %102, %tile_3 = nv_tileas.async.pipeline.consumer_read %101 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 49 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
            %reshape_5 = nv_tileas.view %tile {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            %reshape_6 = nv_tileas.view %tile_3 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            %103 = nv_tileaa.permute %reshape_6 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 52 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>
            %104 = nv_tileas.async.dot %reshape_5, %103, %cst_0_f32_2 {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 53 : i32} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
            %105 = nv_tileas.async.pipeline.inc_iter %100 {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 54 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            %reshape_7 = nv_tileas.view %93 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 55 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
            %106 = nv_tileas.async.dot %94, %reshape_7, %95 {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 56 : i32} : tile<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
            %107 = nv_tileas.async.pipeline.inc_iter %96 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 59 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            scf.yield %92, %97, %98, %107, %105, %104, %102, %106, %99 : i32, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.consumer_token, !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>, !nv_tileas.async.pipeline.consumer_token
          }
          %reshape_8 = nv_tileas.view %51 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 55 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
          %108 = nv_tileas.async.dot %52, %reshape_8, %53 {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 56 : i32} : tile<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>
          %109 = nv_tileas.async.pipeline.inc_iter %54 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 59 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          %110 = nv_tileas.async.future_wait %108 : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
          %111 = nv_tileas.async.pipeline.consumer_release %57 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
          scf.yield %110, %56 : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
        } else {
          scf.yield %cst_0_f32_1, %cst_0_f32 : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
        }
        %bcast_7 = nv_tileaa.broadcast %for_1 : tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>> -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %112 = nv_tileaa.divf %for, %bcast_7 : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %113 = nv_tileaa.fp_to_fp %112 : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        %reshape_9 = nv_tileas.view %113 : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> to tensor<1x64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
        nv_tileas.barrier agent
        %114 = nv_tileas.copy %reshape_9 into %28 : tensor<1x64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> -> tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
        nv_tileas.fence acq_rel tl_blk
        nv_tileas.fence_proxy async_shared
        nv_tileas.barrier agent
        %115 = nv_tileas.async.tiled_tma_store %tma_3, %114[%32, %36, %37] {atom = #nv_tileas<atom tma_store_3d>, tmaIdx = 3 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32 -> !nv_tileas.async_token
        nv_tileas.async.wait %115 : !nv_tileas.async_token
        nv_tileas.async.pipeline.yield
      }, {
        %116, %117 = scf.for %loopIdx = %cst_0_i32_1 to %24 step %cst_1_i32 iter_args(%118 = %8, %119 = %3) -> (!nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) : i32 {
          %120 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 0 : i32} -2147483648 : i32
          %121 = arith.minui %blockId_y, %120 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 1 : i32} : i32
          %122 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 2 : i32} 1 : i32
          %123 = arith.muli %121, %122 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 3 : i32} : i32
          %124 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 4 : i32} 33554432 : i32
          %125 = arith.minui %loopIdx, %124 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 5 : i32} : i32
          %126 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 6 : i32} 64 : i32
          %127 = arith.muli %125, %126 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 7 : i32} : i32
          %128 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 8 : i32} 0 : i32
          %129, %130 = nv_tileas.async.pipeline.produce_one_async %6, %118 {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 9 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
          ^bb0(%131 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>):
            %132 = nv_tileas.async.tiled_tma_load %tma_1, %131[%123, %127, %128], %10 {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 1 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            nv_tileas.async.pipeline.yield %131 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
          }
          %133 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 31 : i32} -2147483648 : i32
          %134 = arith.minui %blockId_y, %133 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 32 : i32} : i32
          %135 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 33 : i32} 1 : i32
          %136 = arith.muli %134, %135 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 34 : i32} : i32
          %137 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 35 : i32} 33554432 : i32
          %138 = arith.minui %loopIdx, %137 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 36 : i32} : i32
          %139 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 37 : i32} 64 : i32
          %140 = arith.muli %138, %139 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 38 : i32} : i32
          %141 = arith.constant {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 39 : i32} 0 : i32
          %142, %143 = nv_tileas.async.pipeline.produce_one_async %1, %119 {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 40 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
          ^bb0(%144 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>):
            %145 = nv_tileas.async.tiled_tma_load %tma_2, %144[%136, %140, %141], %10 {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 2 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>, i32, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
            nv_tileas.async.pipeline.yield %144 : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
          }
          %146 = nv_tileas.async.pipeline.inc_iter %118 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 57 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          %147 = nv_tileas.async.pipeline.inc_iter %119 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 58 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
          scf.yield %146, %147 : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
