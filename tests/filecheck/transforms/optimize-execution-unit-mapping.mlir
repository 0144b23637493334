// RUN: xdsl-opt %s -p optimize-execution-unit-mapping | filecheck %s

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
  // CHECK: nv_tileaa.func @kernel
  // CHECK-SAME: nv_tileas.num_warps = 12 : i32
  nv_tileaa.func @kernel() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>} {
    // CHECK: agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 1, 8>, warp_id = array<i32: 8, 0>, agent_strides = array<i32: 4, 8>, max_regs = array<i32: 40, 232>}
    nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 1, -1>} {
      nv_tileas.async.pipeline.yield
    }, {
      %tile = arith.constant dense<0.000000e+00> : tensor<64xf32>
      nv_tileas.async.pipeline.yield
    }
    nv_tileaa.return
  }

  // Without tiles nobody needs many registers.
  // CHECK: nv_tileaa.func @scalars
  // CHECK: agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 2>, warp_id = array<i32: 0, 4>, agent_strides = array<i32: 4, 4>}
  nv_tileaa.func @scalars() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
    nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 2>} {
      nv_tileas.async.pipeline.yield
    }, {
      nv_tileas.async.pipeline.yield
    }
    nv_tileaa.return
  }
}
