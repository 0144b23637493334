// RUN: xdsl-opt %s -p tileas-select-lowering | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-select-lowering{force="#7=all_threads/all_threads,#13=one_thread/elected_lane_of_first_warp"}' | filecheck %s --check-prefix FORCED
// RUN: xdsl-opt %s -p 'tileas-select-lowering{explain="/dev/stdout"}' | filecheck %s --check-prefix REPORT

!producer = !nv_tileas.async.pipeline.producer_token
!consumer = !nv_tileas.async.pipeline.consumer_token
!stage = tensor<64x32xf32, #nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<3, 4, 3>>>>
!iterator = !nv_tileas.async.pipeline.iterator<!stage>

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
nv_tileaa.func @specialised(%map: !nv_tileas.tma_desc, %steps: i32)
    attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %buffer = nv_tileas.alloc_tensor : tensor<2x64x32xf32, #nv_tileas.memory<smem>>
  %p, %c = nv_tileas.async.pipeline.create_pipeline %buffer {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : tensor<2x64x32xf32, #nv_tileas.memory<smem>> -> !producer, !consumer
  %i = nv_tileas.async.pipeline.create_iterator %p : !producer -> !iterator
  %j = nv_tileas.async.pipeline.create_iterator %c : !consumer -> !iterator
  // CHECK: agent_switch {{{.*}}nv_tileas.regions = [#nv_tileas.strategy<all_threads>, #nv_tileas.strategy<one_thread>], nv_tileas.issuer = #nv_tileas.issuer<elected_lane>}
  // FORCED: agent_switch {{{.*}}nv_tileas.regions = [#nv_tileas.strategy<all_threads>, #nv_tileas.strategy<all_threads>]}
  // REPORT: op: #7 nv_tileas.async.pipeline.agent_switch
  // REPORT-NEXT: strategy: all_threads/one_thread
  // REPORT-NEXT: agents:
  // REPORT-NEXT: - strategy: all_threads
  // REPORT: one_thread: the agent has 4 warps
  // REPORT: - strategy: one_thread
  // REPORT: op: #7 nv_tileas.async.pipeline.agent_switch
  // REPORT-NEXT: issuer: elected_lane
  // REPORT-NEXT: costs:
  // REPORT-NEXT: elected_lane: 2
  // REPORT-NEXT: elected_lane_of_first_warp: 6
  // REPORT-NEXT: first_thread: 22
  // REPORT-NEXT: pruned:
  // REPORT-NEXT: only_thread: 32 threads execute the region around it
  nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, max_regs = array<i32: 128, 40>, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>} {
    %w = nv_tileas.async.pipeline.consumer_wait %c, %j {consumer_idx = 0 : i32} : !consumer, !iterator -> !consumer
    %r, %a = nv_tileas.async.pipeline.consumer_read %w {consumer_idx = 0 : i32} : !consumer -> !consumer, !stage
    %x = nv_tileas.convert_layout %a : !stage -> tensor<64x32xf32, #nv_tileas.layout<((4, 4), 32, 4, 1), ((1, 512), 4, 128, 0)>>
    %released = nv_tileas.async.pipeline.consumer_release %r : !consumer -> !consumer
    nv_tileas.async.pipeline.yield
  }, {
    // CHECK: produce_one_async {{.*}}nv_tileas.strategy = #nv_tileas.strategy<one_thread>, nv_tileas.issuer = #nv_tileas.issuer<only_thread>}
    // FORCED: produce_one_async {{.*}}nv_tileas.strategy = #nv_tileas.strategy<one_thread>, nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_first_warp>}
    // REPORT: op: #13 nv_tileas.async.pipeline.produce_one_async
    // REPORT-NEXT: strategy: one_thread
    %produced, %done = nv_tileas.async.pipeline.produce_one_async %p, %i {producer_types = [!stage]} : (!producer, !iterator) -> !producer, !nv_tileas.async_token {
    ^bb0(%stage: !stage):
      // CHECK: tiled_tma_load {{.*}}nv_tileas.issuer = #nv_tileas.issuer<only_thread>}
      // FORCED: tiled_tma_load {{.*}}nv_tileas.issuer = #nv_tileas.issuer<only_thread>}
      // REPORT: op: #14 nv_tileas.async.tiled_tma_load
      // REPORT-NEXT: issuer: only_thread
      %x = nv_tileas.async.tiled_tma_load %map, %stage[%n0, %n0], %m {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, !stage, i32, i32, !nv_tileaa.mem_token -> !nv_tileas.async_token
      nv_tileas.async.pipeline.yield %stage : !stage
    }
    nv_tileas.async.pipeline.yield
  }
  nv_tileaa.return
}
}
