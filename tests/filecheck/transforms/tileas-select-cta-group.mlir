// RUN: xdsl-opt %s -p tileas-select-cta-group | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-select-cta-group{explain="/dev/stdout"}' | filecheck %s --check-prefix REPORT
// RUN: xdsl-opt %s -p 'tileas-select-cta-group{force="#73=one_cta"}' | filecheck %s --check-prefix ONE

// A product of which each CTA of a cluster has 128 rows, with loads in an agent of their own. Each CTA
// has half of B, and seven stages are eight.
// CHECK: nv_tileas.alloc_tensor : tensor<8x128x64xbf16,
// CHECK: create_pipeline {{.*}}numStages = 8 : i32
// CHECK: nv_tileas.async.dot {{.*}}cta_group = 2 : i32{{.*}}tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 0)), swizzle<3, 4, 3>>>>
// CHECK: nv_tileas.async.tiled_tma_load {{.*}}cta_group = 2 : i32{{.*}}tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
// CHECK: nv_tileas.async.tiled_tma_load {{.*}}tx_count = 8192 : i32, cta_group = 2 : i32{{.*}}tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 0)), swizzle<3, 4, 3>>>>

// REPORT: strategy: pair_of_ctas
// REPORT-NEXT: costs:
// REPORT-NEXT:   one_cta: 512
// REPORT-NEXT:   pair_of_ctas: 384
// REPORT: stage bytes before: 32768
// REPORT-NEXT: stage bytes: 24576
// REPORT-NEXT: stages: 8

// ONE-NOT: cta_group
// ONE: numStages = 7 : i32
// ONE: num_multicast = 2 : i32

builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  builtin.module @kernels {
    nv_tileaa.func @product(%arg0: !nv_tileaa.ptr<bf16>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !nv_tileaa.ptr<bf16>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: !nv_tileaa.ptr<bf16>, %arg11: i32, %arg12: i32, %arg13: i32, %arg14: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 2>, nv_tileaa.cluster_shape = array<i32: 2, 1>, nv_tileas.num_warps = 12 : i32} {
      %0 = nv_tileas.alloc_tensor : tensor<7x128x64xbf16, #nv_tileas.memory<smem>>
      %1 = nv_tileas.alloc_tensor : tensor<7x64x128xbf16, #nv_tileas.memory<smem>>
      %2, %3 = nv_tileas.async.pipeline.create_pipeline %0, %1 {numStages = 7 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} : tile<7x128x64xbf16, #nv_tileas.memory<smem>>, tile<7x64x128xbf16, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
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
      %6 = nv_tileaa.block_tile %tview {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %7 = arith.constant 128 : index
      %8 = arith.constant 64 : index
      %9 = nv_tileas.make_tiled_tma_desc %6[%7, %8] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32} : !nv_tileaa.tiled_view<128x64xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg5 : !nv_tileaa.ptr<bf16>
      %assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg6 : i32
      %assume_6 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg7 : i32
      %assume_assume_2 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_6 : i32
      %assume_assume_assume_2 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_2 : i32
      %assume_7 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg8 : i32
      %assume_assume_3 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_7 : i32
      %assume_assume_assume_3 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_3 : i32
      %tview_1 = nv_tileaa.make_memref %assume_4 sizes = [%assume_5, %assume_assume_assume_2 : i32, i32] strides = [%assume_assume_assume_3 : i32] : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>
      %pview = nv_tileaa.block_tile %tview_1 {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<64x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %10 = arith.constant 64 : index
      %11 = arith.constant 64 : index
      %12 = nv_tileas.make_tiled_tma_desc %pview[%10, %11] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 1 : i32} : !nv_tileaa.tiled_view<64x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %assume_8 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg10 : !nv_tileaa.ptr<bf16>
      %assume_9 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg11 : i32
      %assume_10 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg12 : i32
      %assume_assume_4 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_10 : i32
      %assume_assume_assume_4 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_4 : i32
      %assume_11 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg13 : i32
      %assume_assume_5 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %assume_11 : i32
      %assume_assume_assume_5 = nv_tileaa.assume #nv_tileaa.div_by<16>, %assume_assume_5 : i32
      %tview_2 = nv_tileaa.make_memref %assume_8 sizes = [%assume_9, %assume_assume_assume_4 : i32, i32] strides = [%assume_assume_assume_5 : i32] : !nv_tileaa.ptr<bf16> -> !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>
      %13 = nv_tileaa.block_tile %tview_2 {tileSizes = array<i64: 128, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<128x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>
      %14 = arith.constant 128 : index
      %15 = arith.constant 64 : index
      %16 = nv_tileas.make_tiled_tma_desc %13[%14, %15] {atom = #nv_tileas<atom tma_store_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 2 : i32} : !nv_tileaa.tiled_view<128x128xbf16, !nv_tileaa.memref<?x?xbf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
      %cta_row = nv_tileaa.get_cta_id 0 : i32
      %17 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %18 = arith.constant 2 : i32
      %19 = arith.muli %blockId_x, %18 : i32
      %20 = nv_tileaa.addi %19, %cta_row : i32
      %blockId_y = nv_tileaa.get_program_id 1 : i32
      %21 = arith.constant 0.000000e+00 : f32
      %22 = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x?xbf16, strides = [?, 1]> -> i64
      %23 = arith.constant 64 : i64
      %24 = arith.ceildivui %22, %23 : i64
      %25 = nv_tileaa.trunci %24 : i64 to i32
      %cst_0_i32 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %26 = nv_tileas.alloc_tensor : tensor<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>
      %27 = arith.constant 16777216 : i32
      %28 = arith.minui %20, %27 : i32
      %29 = arith.constant 128 : i32
      %30 = arith.muli %28, %29 : i32
      %31 = arith.constant 16777216 : i32
      %32 = arith.minui %blockId_y, %31 : i32
      %33 = arith.constant 128 : i32
      %34 = arith.muli %32, %33 : i32
      nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 8, 1>, warp_id = array<i32: 0, 8>, agent_strides = array<i32: 8, 4>, max_regs = array<i32: 232, 40>} {
        %35 = nv_tileaa.splat %21 : f32 -> tensor<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>
        %36 = nv_tileas.async.to_async %35 : tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>> -> !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>
        %for, %for_1 = scf.for %loopIdx = %cst_0_i32 to %25 step %cst_1_i32 iter_args(%iterArg0 = %36, %37 = %5) -> (!async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>) : i32 {
          %38 = nv_tileas.async.pipeline.consumer_wait %3, %37 {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.consumer_token
          %39, %tile, %tile_1 = nv_tileas.async.pipeline.consumer_read %38 {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>
          %40 = nv_tileas.async.dot %tile, %tile_1, %iterArg0 {input_precision = "tf32", atom = #nv_tileas<atom umma_bf16_bf16_f32>} : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>, !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>> -> !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>
          nv_tileas.async.wait %40 : !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>
          %41 = nv_tileas.async.pipeline.consumer_release %39 : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
          %42 = nv_tileas.async.pipeline.inc_iter %37 : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
          scf.yield %40, %42 : !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>>, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
        }
        %for_2 = nv_tileas.async.future_wait %for : !async.value<tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>> -> tile<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>
        %43 = nv_tileaa.fp_to_fp %for_2 : tensor<128x128xf32, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>> to tensor<128x128xbf16, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>>
        %44 = nv_tileas.copy %43 into %26 : tensor<128x128xbf16, #nv_tileas.layout<(64, 32, (4, 2), 1), (1, 128, (4096, 64), 0)>> into tensor<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>> -> tensor<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>
        nv_tileas.fence acq_rel tl_blk
        %45 = nv_tileas.async.tiled_tma_store %16, %44[%30, %34] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<128x128xbf16, #nv_tileas.memory<smem, <(128, (64, 2)), (64, (1, 8192)), swizzle<3, 4, 3>>>>, i32, i32 -> !nv_tileas.async_token
        nv_tileas.async.wait %45 : !nv_tileas.async_token
        nv_tileas.async.pipeline.yield
      }, {
        %for_3 = scf.for %loopIdx_1 = %cst_0_i32 to %25 step %cst_1_i32 iter_args(%46 = %4) -> (!nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>) : i32 {
          %47 = arith.constant 16777216 : i32
          %48 = arith.minui %20, %47 : i32
          %49 = arith.constant 128 : i32
          %50 = arith.muli %48, %49 : i32
          %51 = arith.constant 33554432 : i32
          %52 = arith.minui %loopIdx_1, %51 : i32
          %53 = arith.constant 64 : i32
          %54 = arith.muli %52, %53 : i32
          %55 = arith.constant 33554432 : i32
          %56 = arith.minui %loopIdx_1, %55 : i32
          %57 = arith.constant 64 : i32
          %58 = arith.muli %56, %57 : i32
          %59 = arith.constant 16777216 : i32
          %60 = arith.minui %blockId_y, %59 : i32
          %61 = arith.constant 128 : i32
          %62 = arith.muli %60, %61 : i32
          %63 = nv_tileas.async.pipeline.produce_one %2, %46 {producer_types = [tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>) -> !nv_tileas.async.pipeline.producer_token {
          ^bb0(%64 : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, %65 : tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>):
            %66 = nv_tileas.async.tiled_tma_load %9, %64[%50, %54], %17 {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 16384 : i32} : !nv_tileas.tma_desc, tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>>
            %67 = nv_tileas.async.tiled_tma_load %12, %65[%58, %62], %17 {atom = #nv_tileas<atom tma_load_2d>, num_multicast = 2 : i32, multicast_stride = 1 : i32, tmaIdx = 1 : i32, tx_count = 16384 : i32} : !nv_tileas.tma_desc, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !async.value<tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
            nv_tileas.async.pipeline.yield %64, %65 : tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>
          }
          %68 = nv_tileas.async.pipeline.inc_iter %46 : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>> -> !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
          scf.yield %68 : !nv_tileas.async.pipeline.iterator<tile<128x64xbf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x128xbf16, #nv_tileas.memory<smem, <(64, (64, 2)), (64, (1, 4096)), swizzle<3, 4, 3>>>>>
        }
        nv_tileas.async.pipeline.yield
      }
      nv_tileaa.return
    }
  }
}
