// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: expects at least 0 pending MMAs, but got -1
nv_tileas.async.wait_mmas {pending = -1 : i32}

// -----
// CHECK: expects all threads of the cta to arrive, but only those of one agent do
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, max_regs = array<i32: 40>, isolated = false} {
  nv_tileas.barrier cta
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: expects all threads of the cluster to arrive, but CTAs take different branches at 'scf.if'
%rank = nv_tileaa.get_cta_id 0 : i32
%zero = arith.constant 0 : i32
%first = arith.cmpi eq, %rank, %zero : i32
scf.if %first {
  nv_tileas.barrier cluster
}

// -----
// CHECK: Expected `warp`, `agent`, `cta`, or `cluster`.
nv_tileas.barrier block
