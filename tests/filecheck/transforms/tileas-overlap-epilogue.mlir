// RUN: xdsl-opt %s -p tileas-overlap-epilogue | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-overlap-epilogue{explain="/dev/stdout"}' | filecheck %s --check-prefix REPORT
// RUN: xdsl-opt %s -p 'tileas-overlap-epilogue{force="#66=one_accumulator"},tileas-allocate-tensor-memory' | filecheck %s --check-prefix ONE
// RUN: xdsl-opt %s -p 'tileas-overlap-epilogue{force="#66=mmas_in_the_epilogue"}' | filecheck %s --check-prefix NONE

// A persistent product: the agent that stores the tiles reads accumulators from two stages in tensor memory, and
// one more of one warp issues the MMAs. Where a tile has no step along K, neither has a stage.
// CHECK: %[[COLUMNS:\w+]] = nv_tileas.alloc_tensor : tensor<2x128x128xf32, #nv_tileas.memory<tmem>>
// CHECK-NEXT: %[[FILL:\w+]], %[[READ:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[COLUMNS]] {numStages = 2 : i32, {{.*}}sharedMem = false
// CHECK: agent_switch {{.*}}num_warps = array<i32: 8, 1, 1>, nv_tileas.accumulators = 2 : i32} {
// CHECK: scf.for
// CHECK: arith.select
// CHECK: %[[RUNS:\w+]] = arith.cmpi slt, %[[FIRST:\w+]], %[[END:\w+]] : i32
// CHECK-NEXT: %{{\w+}}, %[[TILE:\w+]] = scf.if %[[RUNS]] ->
// CHECK-NEXT: %[[FULL:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[READ]],
// CHECK-NEXT: %[[OWNED:\w+]], %[[STAGE:\w+]] = nv_tileas.async.pipeline.consumer_read %[[FULL]]
// CHECK-NEXT: %[[LOADED:\w+]] = nv_tileas.copy %[[STAGE]] : tensor<128x128xf32, #nv_tileas.memory<tmem>> -> tensor<128x128xf32, #nv_tileas.layout<
// CHECK-NEXT: nv_tileas.async.pipeline.consumer_release %[[OWNED]]
// CHECK: } else {
// CHECK: nv_tileaa.fp_to_fp %[[TILE]]
// CHECK: async.tiled_tma_store
// CHECK: }, {
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: %[[EMPTY:\w+]] = nv_tileas.async.pipeline.producer_acquire %[[FILL]],
// CHECK-NEXT: %[[START:\w+]] = nv_tileas.async.to_async
// CHECK-NEXT: %[[SUM:\w+]], %{{\w+}} = scf.for %{{\w+}} = %[[FIRST]] to %[[END]] {{.*}}iter_args(%{{\w+}} = %[[START]],
// CHECK: nv_tileas.async.dot
// CHECK: %[[WRITTEN:\w+]] = nv_tileas.async.pipeline.producer_write %[[EMPTY]], %[[SUM]]
// CHECK-NEXT: nv_tileas.async.pipeline.producer_commit %[[WRITTEN]]
// CHECK: }, {
// CHECK: produce_one

// REPORT: op: #66 nv_tileas.async.pipeline.agent_switch
// REPORT-NEXT: strategy: two_accumulators
// REPORT-NEXT: costs:
// REPORT-NEXT:   mmas_in_the_epilogue: 832
// REPORT-NEXT:   one_accumulator: 192
// REPORT-NEXT:   two_accumulators: 0
// REPORT-NEXT: columns:
// REPORT-NEXT:   one_accumulator: 128
// REPORT-NEXT:   two_accumulators: 256

// ONE: nv_tileas.tmem_columns = 128 : i32
// ONE: nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 128>} : tensor<1x128x128xf32, #nv_tileas.memory<tmem>>
// ONE: nv_tileas.accumulators = 1 : i32

// NONE-NOT: memory<tmem>
// NONE: agent_switch {{.*}}num_warps = array<i32: 8, 1>, nv_tileas.accumulators = 0 : i32}

builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  builtin.module @kernels {
    nv_tileaa.func @persistent_128x128x64(%arg0: !nv_tileaa.ptr<bf16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<bf16>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<bf16>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>} {
      %0 = nv_tileas.alloc_tensor : tensor<6x128x64xbf16, #nv_tileas.memory<smem>>
      %1 = nv_tileas.alloc_tensor : tensor<6x64x128xbf16, #nv_tileas.memory<smem>>
      %2, %3 = nv_tileas.async.pipeline.create_pipeline %0, %1 {numStages = 6 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} : tile<6x128x64xbf16, #nv_tileas.memory<smem>>, tile<6x64x128xbf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
      %4 = nv_tileas.async.pipeline.create_iterator %2 : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
      %5 = nv_tileas.async.pipeline.create_iterator %3 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
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
      %6 = arith.constant 128 : index
      %7 = arith.constant 64 : index
      %8 = nv_tileas.make_tiled_tma_desc %pview[%6, %7] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32} : !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg5 : !nv_tileaa.ptr<bf16>
      %assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg6 : i32
      %assume_6 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg7 : i32
      %assume_assume_2 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_6 : i32
      %assume_assume_assume_2 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_2 : i32
      %assume_7 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg8 : i32
      %assume_assume_3 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_7 : i32
      %assume_assume_assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_3 : i32
      %tview_1 = nv_tileaa.make_memref %assume_4 sizes = [%assume_5, %assume_assume_assume_2 : i32, i32] strides = [%assume_assume_assume_3 : i32] : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>
      %pview_1 = nv_tileaa.block_tile %tview_1 {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<64x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %9 = arith.constant 64 : index
      %10 = arith.constant 64 : index
      %11 = nv_tileas.make_tiled_tma_desc %pview_1[%9, %10] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 1 : i32} : !nv_tileaa.tiled_view<64x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %assume_8 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg10 : !nv_tileaa.ptr<bf16>
      %assume_9 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg11 : i32
      %assume_10 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg12 : i32
      %assume_assume_4 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_10 : i32
      %assume_assume_assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_4 : i32
      %assume_11 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg13 : i32
      %assume_assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_11 : i32
      %assume_assume_assume_5 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_5 : i32
      %tview_2 = nv_tileaa.make_memref %assume_8 sizes = [%assume_9, %assume_assume_assume_4 : i32, i32] strides = [%assume_assume_assume_5 : i32] : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>
      %pview_2 = nv_tileaa.block_tile %tview_2 {tileSizes = array<i64: 128, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<128x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %12 = arith.constant 128 : index
      %13 = arith.constant 64 : index
      %14 = nv_tileas.make_tiled_tma_desc %pview_2[%12, %13] {atom = #nv_tileas<atom tma_store_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 2 : i32} : !nv_tileaa.tiled_view<128x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %15 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %16 = nv_tileaa.get_dim_size %tview_2 {axis = 1 : i32} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> i64
      %17 = arith.constant 128 : i64
      %18 = arith.ceildivui %16, %17 : i64
      %19 = nv_tileaa.trunci %18 : i64 to i32
      %20 = nv_tileaa.get_dim_size %tview_2 {axis = 0 : i32} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> i64
      %21 = arith.constant 128 : i64
      %22 = arith.ceildivui %20, %21 : i64
      %23 = nv_tileaa.trunci %22 : i64 to i32
      %24 = arith.muli %23, %19 : i32
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %gridSize_x = nv_tileaa.get_num_programs 0 : i32
      %cst_0_i32 = arith.constant 0 : i32
      %25 = arith.cmpi slt, %19, %cst_0_i32 : i32
      %26 = arith.constant 0.000000e+00 : f32
      %27 = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> i64
      %28 = arith.constant 64 : i64
      %29 = arith.ceildivui %27, %28 : i64
      %30 = nv_tileaa.trunci %29 : i64 to i32
      %cst_0_i32_1 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %31 = nv_tileas.create_none : !nv_tileas.async_token
      nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 8, 1>} {
        %cst_0_f32 = nv_tileaa.splat %26 : f32 -> tensor<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>
        %for, %for_1, %32 = scf.for %loopIdx = %blockId_x to %24 step %gridSize_x iter_args(%iterArg0 = %15, %33 = %5, %34 = %31) -> (!nv_tileaa.mem_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>, !nv_tileas.async_token) : i32 {
          %35 = arith.floordivsi %loopIdx, %19 : i32
          %36 = arith.remsi %loopIdx, %19 : i32
          %37 = arith.cmpi slt, %36, %cst_0_i32 : i32
          %38 = arith.xori %37, %25 : i1
          %39 = arith.cmpi ne, %36, %cst_0_i32 : i32
          %40 = arith.andi %38, %39 : i1
          %41 = nv_tileaa.addi %36, %19 : i32
          %42 = arith.select %40, %41, %36 : i32
          %43 = nv_tileas.async.to_async %cst_0_f32 : tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>> -> !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>
          %for_2, %for_3 = scf.for %loopIdx_1 = %cst_0_i32_1 to %30 step %cst_1_i32 iter_args(%iterArg0_1 = %43, %44 = %33) -> (!async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>) : i32 {
            %45 = nv_tileas.async.pipeline.consumer_wait %3, %44 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 21 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
            %46, %tile, %tile_1 = nv_tileas.async.pipeline.consumer_read %45 {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 22 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>
            %47 = nv_tileas.async.dot %tile, %tile_1, %iterArg0_1 {input_precision = "tf32", atom = #nv_tileas<atom umma_bf16_bf16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 23 : i32} : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>, !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>> -> !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>
            nv_tileas.async.wait %47 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 19 : i32} : !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>
            %48 = nv_tileas.async.pipeline.consumer_release %46 {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
            %49 = nv_tileas.async.pipeline.inc_iter %44 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 18 : i32} : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
            scf.yield %47, %49 : !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
          }
          %50 = nv_tileas.async.wait %34 : !nv_tileas.async_token -> !nv_tileaa.mem_token
          %iterArg0_2 = nv_tileaa.join_mem_token[%iterArg0, %50] : !nv_tileaa.mem_token
          %for_4 = nv_tileas.async.future_wait %for_2 : !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>> -> tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>
          %51 = nv_tileaa.fp_to_fp %for_4 : tensor<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>> to tensor<128x128xbf16, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>
          %52 = nv_tileas.alloc_tensor : tensor<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>
          %53 = nv_tileas.copy %51 into %52 : tensor<128x128xbf16, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>> into tensor<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>> -> tensor<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>
          nv_tileas.fence acq_rel tl_blk
          %54 = nv_tileas.async.token_to_async %iterArg0_2 : !nv_tileaa.mem_token -> !nv_tileas.async_token
          nv_tileas.async.wait %54 : !nv_tileas.async_token
          %55 = arith.constant 16777216 : i32
          %56 = arith.minui %35, %55 : i32
          %57 = arith.constant 128 : i32
          %58 = arith.muli %56, %57 : i32
          %59 = arith.constant 16777216 : i32
          %60 = arith.minui %42, %59 : i32
          %61 = arith.constant 128 : i32
          %62 = arith.muli %60, %61 : i32
          %63 = nv_tileas.async.tiled_tma_store %14, %53[%58, %62] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
          scf.yield %iterArg0, %for_3, %63 : !nv_tileaa.mem_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>, !nv_tileas.async_token
        }
        %64 = nv_tileas.async.wait %32 : !nv_tileas.async_token -> !nv_tileaa.mem_token
        nv_tileas.async.pipeline.yield
      }, {
        %for_5 = scf.for %loopIdx_2 = %blockId_x to %24 step %gridSize_x iter_args(%65 = %4) -> (!nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>) : i32 {
          %66 = arith.floordivsi %loopIdx_2, %19 : i32
          %67 = arith.remsi %loopIdx_2, %19 : i32
          %68 = arith.cmpi slt, %67, %cst_0_i32 : i32
          %69 = arith.xori %68, %25 : i1
          %70 = arith.cmpi ne, %67, %cst_0_i32 : i32
          %71 = arith.andi %69, %70 : i1
          %72 = nv_tileaa.addi %67, %19 : i32
          %73 = arith.select %71, %72, %67 : i32
          %for_6 = scf.for %loopIdx_3 = %cst_0_i32_1 to %30 step %cst_1_i32 iter_args(%74 = %65) -> (!nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>) : i32 {
            %75 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} 16777216 : i32
            %76 = arith.minui %66, %75 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : i32
            %77 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 2 : i32} 128 : i32
            %78 = arith.muli %76, %77 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 3 : i32} : i32
            %79 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 4 : i32} 33554432 : i32
            %80 = arith.minui %loopIdx_3, %79 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 5 : i32} : i32
            %81 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 6 : i32} 64 : i32
            %82 = arith.muli %80, %81 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 7 : i32} : i32
            %83 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 8 : i32} 33554432 : i32
            %84 = arith.minui %loopIdx_3, %83 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 9 : i32} : i32
            %85 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 10 : i32} 64 : i32
            %86 = arith.muli %84, %85 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 11 : i32} : i32
            %87 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 12 : i32} 16777216 : i32
            %88 = arith.minui %73, %87 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 13 : i32} : i32
            %89 = arith.constant {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 14 : i32} 128 : i32
            %90 = arith.muli %88, %89 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 15 : i32} : i32
            %91 = nv_tileas.async.pipeline.produce_one %2, %74 {producer_types = [tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 16 : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token {
            ^bb0(%92 : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, %93 : tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>):
              %94 = nv_tileas.async.tiled_tma_load %8, %92[%78, %82], %15 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 16384 : i32} : !nv_tileas.tma_desc, tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>>
              %95 = nv_tileas.async.tiled_tma_load %11, %93[%86, %90], %15 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 1 : i32, tx_count = 16384 : i32} : !nv_tileas.tma_desc, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
              nv_tileas.async.pipeline.yield %92, %93 : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>
            }
            %96 = nv_tileas.async.pipeline.inc_iter %74 {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 17 : i32} : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
            scf.yield %96 : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
          }
          scf.yield %for_6 : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
