// RUN: xdsl-opt %s -p tileas-overlap-epilogue | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-overlap-epilogue{explain="/dev/stdout"}' | filecheck %s --check-prefix REPORT

// Blocks ask for the next tile block. Each agent reads the answer: the epilogue as soon as the accumulators are in
// registers, and the agent of MMAs, when those of a tile are issued, whose warp releases it, too.
// CHECK: %[[ASK:\w+]], %[[ANSWERS:\w+]] = nv_tileas.async.pipeline.create_pipeline {{.*}}tile<2x4xi32
// CHECK: agent_switch {{.*}}num_warps = array<i32: 4, 1, 1>, nv_tileas.accumulators = 2 : i32} {
// CHECK: scf.while (%[[TILE:\w+]] =
// CHECK-NEXT: nv_tileaa.is_valid_program_id %[[TILE]]
// CHECK: nv_tileaa.get_program_id 0 of
// CHECK: nv_tileas.copy {{.*}}#nv_tileas.memory<tmem>> -> tensor<128x32xf32
// CHECK: %[[FULL:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[ANSWERS]], {{.*}}{consumer_idx = 0 : i32}
// CHECK-NEXT: %[[OWNED:\w+]], %[[ANSWER:\w+]] = nv_tileas.async.pipeline.consumer_read %[[FULL]] {consumer_idx = 0 : i32}
// CHECK-NEXT: %[[NEXT:\w+]] = nv_tileas.read_program_id %[[ANSWER]]
// CHECK-NEXT: nv_tileas.async.pipeline.consumer_release %[[OWNED]]
// CHECK: async.tiled_tma_store
// CHECK: scf.yield %[[NEXT]],
// CHECK: }, {
// CHECK: scf.while (%[[TILE:\w+]] =
// CHECK-NEXT: nv_tileaa.is_valid_program_id %[[TILE]]
// CHECK: nv_tileas.async.pipeline.producer_commit
// CHECK: %[[FULL:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[ANSWERS]], {{.*}}{consumer_idx = 0 : i32}
// CHECK-NEXT: %[[OWNED:\w+]], %[[ANSWER:\w+]] = nv_tileas.async.pipeline.consumer_read %[[FULL]] {consumer_idx = 0 : i32}
// CHECK-NEXT: %[[NEXT:\w+]] = nv_tileas.read_program_id %[[ANSWER]]
// CHECK-NEXT: nv_tileas.async.pipeline.consumer_release %[[OWNED]]
// CHECK: scf.yield %[[NEXT]],
// CHECK: }, {
// CHECK: async.cancel_next_program_id

// REPORT: strategy: two_accumulators
// REPORT-NEXT: costs:
// REPORT-NEXT: mmas_in_the_epilogue: 256
builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  builtin.module @kernels {
    nv_tileaa.func @product_128x32x64(%arg0: !nv_tileaa.ptr<bf16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<bf16>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<bf16>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
      %0 = nv_tileas.alloc_tensor : tensor<2x4xi32, #nv_tileas.memory<smem>>
      %1, %2 = nv_tileas.async.pipeline.create_pipeline %0 {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} : tile<2x4xi32, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %3 = nv_tileas.async.pipeline.create_iterator %1 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
      %4 = nv_tileas.async.pipeline.create_iterator %2 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
      %5 = nv_tileas.alloc_tensor : tensor<8x128x64xbf16, #nv_tileas.memory<smem>>
      %6 = nv_tileas.alloc_tensor : tensor<8x64x32xbf16, #nv_tileas.memory<smem>>
      %7, %8 = nv_tileas.async.pipeline.create_pipeline %5, %6 {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} : tile<8x128x64xbf16, #nv_tileas.memory<smem>>, tile<8x64x32xbf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %9 = nv_tileas.async.pipeline.create_iterator %7 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>
      %10 = nv_tileas.async.pipeline.create_iterator %8 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>
      %assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg0 : !nv_tileaa.ptr<bf16>
      %assume_1 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg1 : i32
      %assume_2 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg2 : i32
      %assume_assume = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_2 : i32
      %assume_assume_assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume : i32
      %assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg3 : i32
      %assume_assume_1 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_3 : i32
      %assume_assume_assume_1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_1 : i32
      %tview = nv_tileaa.make_memref %assume sizes = [%assume_1, %assume_assume_assume : i32, i32] strides = [%assume_assume_assume_1 : i32] : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>
      %pview = nv_tileaa.block_tile %tview {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %11 = arith.constant 128 : index
      %12 = arith.constant 64 : index
      %13 = nv_tileas.make_tiled_tma_desc %pview[%11, %12] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32} : !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg5 : !nv_tileaa.ptr<bf16>
      %assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg6 : i32
      %assume_6 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg7 : i32
      %assume_assume_2 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_6 : i32
      %assume_assume_assume_2 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_2 : i32
      %assume_7 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg8 : i32
      %assume_assume_3 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_7 : i32
      %assume_assume_assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_3 : i32
      %tview_1 = nv_tileaa.make_memref %assume_4 sizes = [%assume_5, %assume_assume_assume_2 : i32, i32] strides = [%assume_assume_assume_3 : i32] : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>
      %pview_1 = nv_tileaa.block_tile %tview_1 {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<64x32xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %14 = arith.constant 64 : index
      %15 = arith.constant 32 : index
      %16 = nv_tileas.make_tiled_tma_desc %pview_1[%14, %15] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<64B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 1 : i32} : !nv_tileaa.tiled_view<64x32xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %assume_8 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg10 : !nv_tileaa.ptr<bf16>
      %assume_9 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg11 : i32
      %assume_10 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg12 : i32
      %assume_assume_4 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_10 : i32
      %assume_assume_assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_4 : i32
      %assume_11 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg13 : i32
      %assume_assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_11 : i32
      %assume_assume_assume_5 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_5 : i32
      %tview_2 = nv_tileaa.make_memref %assume_8 sizes = [%assume_9, %assume_assume_assume_4 : i32, i32] strides = [%assume_assume_assume_5 : i32] : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>
      %pview_2 = nv_tileaa.block_tile %tview_2 {tileSizes = array<i64: 128, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<128x32xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %17 = arith.constant 128 : index
      %18 = arith.constant 32 : index
      %19 = nv_tileas.make_tiled_tma_desc %pview_2[%17, %18] {atom = #nv_tileas<atom tma_store_2d>, swizzle_mode = #nv_tileas.swizzle_mode<64B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 2 : i32} : !nv_tileaa.tiled_view<128x32xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %20 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %21 = arith.constant 0.000000e+00 : f32
      %22 = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> i64
      %23 = arith.constant 64 : i64
      %24 = arith.ceildivui %22, %23 : i64
      %25 = nv_tileaa.trunci %24 : i64 to i32
      %cst_0_i32 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %26 = nv_tileaa.current_program_id : !nv_tileaa.program_id
      nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>} {
        %27, %28, %29 = scf.while (%30 = %26, %31 = %10, %32 = %4) : (!nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>) -> (!nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>) {
          %33 = nv_tileaa.is_valid_program_id %30 : i1
          scf.condition(%33) %30, %31, %32 : !nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
        } do {
        ^bb0(%program: !nv_tileaa.program_id, %34: !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, %35: !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>):
          %blockId_x = nv_tileaa.get_program_id 0 of %program : i32
          %blockId_y = nv_tileaa.get_program_id 1 of %program : i32
          %cst_0_f32 = nv_tileaa.splat %21 : f32 -> tensor<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>
          %36 = nv_tileas.async.to_async %cst_0_f32 : tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>> -> !async.value<tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>>
          %for, %for_1 = scf.for %loopIdx = %cst_0_i32 to %25 step %cst_1_i32 iter_args(%iterArg0 = %36, %37 = %34) -> (!async.value<tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>>, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>) : i32 {
            %38 = nv_tileas.async.pipeline.consumer_wait %8, %37 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 19 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %39, %tile, %tile_1 = nv_tileas.async.pipeline.consumer_read %38 {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>
            %40 = nv_tileas.async.dot %tile, %tile_1, %iterArg0 {input_precision = "tf32", atom = #nv_tileas<atom umma_bf16_bf16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>, !async.value<tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>> -> !async.value<tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>>
            nv_tileas.async.wait %40 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22 : i32} : !async.value<tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>>
            %41 = nv_tileas.async.pipeline.consumer_release %39 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %42 = nv_tileas.async.pipeline.inc_iter %37 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 18 : i32} : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>
            scf.yield %40, %42 : !async.value<tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>>, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>
          }
          %for_2 = nv_tileas.async.future_wait %for : !async.value<tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>> -> tile<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>
          %43 = nv_tileaa.fp_to_fp %for_2 : tensor<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>> to tensor<128x32xbf16, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>
          %44 = nv_tileas.alloc_tensor : tensor<128x32xbf16, #nv_tileas.memory<smem, <(128, 32), (32, 1), swizzle<2, 4, 3>>>>
          %45 = nv_tileas.copy %43 into %44 : tensor<128x32xbf16, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>> into tensor<128x32xbf16, #nv_tileas.memory<smem, <(128, 32), (32, 1), swizzle<2, 4, 3>>>> -> tensor<128x32xbf16, #nv_tileas.memory<smem, <(128, 32), (32, 1), swizzle<2, 4, 3>>>>
          nv_tileas.fence acq_rel tl_blk
          %46 = arith.constant 16777216 : i32
          %47 = arith.minui %blockId_x, %46 : i32
          %48 = arith.constant 128 : i32
          %49 = arith.muli %47, %48 : i32
          %50 = arith.constant 67108864 : i32
          %51 = arith.minui %blockId_y, %50 : i32
          %52 = arith.constant 32 : i32
          %53 = arith.muli %51, %52 : i32
          %54 = nv_tileas.async.tiled_tma_store %19, %45[%49, %53] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<128x32xbf16, #nv_tileas.memory<smem, <(128, 32), (32, 1), swizzle<2, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
          nv_tileas.async.wait %54 : !nv_tileas.async_token
          %55 = nv_tileas.async.pipeline.consumer_wait %2, %35 {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>> -> !nv_tileas.async.pipeline.consumer_token
          %56, %57 = nv_tileas.async.pipeline.consumer_read %55 {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<4xi32, #nv_tileas.memory<smem>>
          %58 = nv_tileas.read_program_id %57 : tensor<4xi32, #nv_tileas.memory<smem>> -> !nv_tileaa.program_id
          %59 = nv_tileas.async.pipeline.consumer_release %56 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
          %60 = nv_tileas.async.pipeline.inc_iter %35 : !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>> -> !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
          scf.yield %58, %for_1, %60 : !nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
        }
        nv_tileas.async.pipeline.yield
      }, {
        %61, %62, %63 = scf.while (%64 = %26, %65 = %9, %66 = %3) : (!nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>) -> (!nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>) {
          %67 = nv_tileaa.is_valid_program_id %64 : i1
          scf.condition(%67) %64, %65, %66 : !nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
        } do {
        ^bb0(%program_1: !nv_tileaa.program_id, %68: !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, %69: !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>):
          %70, %71, %72 = nv_tileas.async.pipeline.produce_one_async %1, %69 {producer_types = [tile<4xi32, #nv_tileas.memory<smem>>]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token, tile<4xi32, #nv_tileas.memory<smem>> {
          ^bb0(%73 : tile<4xi32, #nv_tileas.memory<smem>>):
            %74 = nv_tileas.async.cancel_next_program_id into %73 of tensor<4xi32, #nv_tileas.memory<smem>> : !async.value<tile<4xi32, #nv_tileas.memory<smem>>>
            nv_tileas.async.pipeline.yield %73 : tile<4xi32, #nv_tileas.memory<smem>>
          }
          %75 = nv_tileas.async.pipeline.inc_iter %69 : !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>> -> !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
          %blockId_x_1 = nv_tileaa.get_program_id 0 of %program_1 : i32
          %blockId_y_1 = nv_tileaa.get_program_id 1 of %program_1 : i32
          %for_3 = scf.for %loopIdx_1 = %cst_0_i32 to %25 step %cst_1_i32 iter_args(%76 = %68) -> (!nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>) : i32 {
            %77 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} 16777216 : i32
            %78 = arith.minui %blockId_x_1, %77 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : i32
            %79 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 2 : i32} 128 : i32
            %80 = arith.muli %78, %79 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 3 : i32} : i32
            %81 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 4 : i32} 33554432 : i32
            %82 = arith.minui %loopIdx_1, %81 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 5 : i32} : i32
            %83 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 6 : i32} 64 : i32
            %84 = arith.muli %82, %83 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 7 : i32} : i32
            %85 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 8 : i32} 33554432 : i32
            %86 = arith.minui %loopIdx_1, %85 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 9 : i32} : i32
            %87 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 10 : i32} 64 : i32
            %88 = arith.muli %86, %87 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 11 : i32} : i32
            %89 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 12 : i32} 67108864 : i32
            %90 = arith.minui %blockId_y_1, %89 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 13 : i32} : i32
            %91 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 14 : i32} 32 : i32
            %92 = arith.muli %90, %91 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 15 : i32} : i32
            %93 = nv_tileas.async.pipeline.produce_one %7, %76 {producer_types = [tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 16 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token {
            ^bb0(%94 : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, %95 : tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>):
              %96 = nv_tileas.async.tiled_tma_load %13, %94[%80, %84], %20 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 16384 : i32} : !nv_tileas.tma_desc, tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>>
              %97 = nv_tileas.async.tiled_tma_load %16, %95[%88, %92], %20 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 1 : i32, tx_count = 4096 : i32} : !nv_tileas.tma_desc, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>
              nv_tileas.async.pipeline.yield %94, %95 : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>
            }
            %98 = nv_tileas.async.pipeline.inc_iter %76 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 17 : i32} : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>
            scf.yield %98 : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>
          }
          nv_tileas.async.wait %71 : !nv_tileas.async_token
          %99 = nv_tileas.read_program_id %72 : tensor<4xi32, #nv_tileas.memory<smem>> -> !nv_tileaa.program_id
          scf.yield %99, %for_3, %75 : !nv_tileaa.program_id, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x32xbf16, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<2, 4, 3>>>>>, !nv_tileas.async.pipeline.iterator<tile<4xi32, #nv_tileas.memory<smem>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
