// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: expects at least one stage, but got 0
%v = "test.op"() : () -> (!nv_tileaa.tiled_view<2x16xf16>)
%p, %c = nv_tileas.async.pipeline.create_pipeline %v {numStages = 0 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : !nv_tileaa.tiled_view<2x16xf16> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token

// -----
// CHECK: expects at least one buffer view
%p, %c = nv_tileas.async.pipeline.create_pipeline {numStages = 3 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token

// -----
// CHECK: expects a buffer view whose first extent is 3, the number of stages, but got !nv_tileaa.tiled_view<2x16xf16>
%v = "test.op"() : () -> (!nv_tileaa.tiled_view<2x16xf16>)
%p, %c = nv_tileas.async.pipeline.create_pipeline %v {numStages = 3 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : !nv_tileaa.tiled_view<2x16xf16> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token

// -----
// CHECK: pipeline regions must end with 'nv_tileas.async.pipeline.yield'
%p, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>)
%q = nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [f32]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%x : f32):
  nv_tileaa.yield %x : f32
}

// -----
// CHECK: expects iterator payload to match with producer types [f16], but got: [f32]
%p, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>)
%q = nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [f16]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%x : f16):
  nv_tileas.async.pipeline.yield %x : f16
}

// -----
// CHECK: expects region arguement types to match with producer types [f32], but got: [f32, i32]
%p, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>)
%q = nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [f32]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%x : !nv_tileas.async.pipeline.iterator<f32>, %y : i32):
  nv_tileas.async.pipeline.yield %y : i32
}

// -----
// CHECK: expects region result types to be match with operation result types [f32], but got: []
%p, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>)
%q, %t = nv_tileas.async.pipeline.produce_one_async %p, %i {producer_types = [f32]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
^bb0(%x : !nv_tileas.async.pipeline.iterator<f32>):
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: expects region result types to be match with operation result types [i32], but got: [f32]
%c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
%d, %n = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [f32]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>) -> !nv_tileas.async.pipeline.consumer_token, i32 {
^bb0(%x : f32):
  nv_tileas.async.pipeline.yield %x : f32
}

// -----
// CHECK: consumer_idx out of range for consumer group
%c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
%w = nv_tileas.async.pipeline.consumer_wait %c, %i {consumer_idx = -1 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32> -> !nv_tileas.async.pipeline.consumer_token

// -----
// CHECK: consumer_idx out of range for consumer group
%c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 2 : i32} {
  nv_tileas.async.pipeline.yield
}, {
  %d, %t = nv_tileas.async.pipeline.consume_one_async %c, %i {consumer_idx = 2 : i32, consumer_types = [f32]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>) -> !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async_token {
  ^bb0(%x : f32):
    nv_tileas.async.pipeline.yield %x : f32
  }
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: requires the same type for operand and result
%i = "test.op"() : () -> (!nv_tileas.async.pipeline.iterator<f32>)
%j = nv_tileas.async.pipeline.inc_iter %i : !nv_tileas.async.pipeline.iterator<f32> -> !nv_tileas.async.pipeline.iterator<f16>

// -----
// CHECK: operand 'token' at position 0 does not verify:
%c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
%w = nv_tileas.async.pipeline.producer_acquire %c, %i : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32> -> !nv_tileas.async.pipeline.producer_token

// -----
// CHECK: expects at least one value
%p = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token)
%q = nv_tileas.async.pipeline.producer_write %p : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.producer_token

// -----
// CHECK: expects values of types [f32], but got [i32]
%p, %i, %n = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32>, i32)
%q = nv_tileas.async.pipeline.producer_acquire %p, %i : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<f32> -> !nv_tileas.async.pipeline.producer_token
%r = nv_tileas.async.pipeline.producer_write %q, %n : !nv_tileas.async.pipeline.producer_token, i32 -> !nv_tileas.async.pipeline.producer_token

// -----
// CHECK: expects values of types [f32], but got []
%c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
%d = nv_tileas.async.pipeline.consumer_wait %c, %i {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32> -> !nv_tileas.async.pipeline.consumer_token
%e = nv_tileas.async.pipeline.consumer_read %d {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token

// -----
// CHECK: expects at least one region
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32}

// -----
// CHECK: expects 1 agents to form groups of equal size, but got groups of 2
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 2 : i32} {
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: expects 1 max_regs, one for each agent, but got 2
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, max_regs = array<i32: 40, 40>} {
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: agent regions disagree on warp count
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 3 : i32, num_warps = array<i32: 4, -1, 8>} {
  nv_tileas.async.pipeline.yield
}, {
  nv_tileas.async.pipeline.yield
}, {
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: expects agent_strides 8, 4 for these num_warps and warp_id
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, num_warps = array<i32: 8, 1>, warp_id = array<i32: 0, 8>, agent_strides = array<i32: 8, 8>} {
  nv_tileas.async.pipeline.yield
}, {
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: agent warp count exceeds module budget
builtin.module attributes {nv_tileas.num_warps = 8 : i32} {
  nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, num_warps = array<i32: 4, 8>} {
    nv_tileas.async.pipeline.yield
  }, {
    nv_tileas.async.pipeline.yield
  }
}

// -----
// CHECK: expects block arguments of types [i32], but got []
%n = "test.op"() : () -> i32
nv_tileas.async.pipeline.agent_switch %n {num_agents_per_group = 1 : i32} : (i32) {
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: expects an agent to yield nothing
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32} {
  %n = "test.op"() : () -> i32
  nv_tileas.async.pipeline.yield %n : i32
}

// -----
// CHECK: 'test.op' uses a value from outside of an isolated agent
%n = "test.op"() : () -> i32
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = true} {
  "test.op"(%n) : (i32) -> ()
  nv_tileas.async.pipeline.yield
}

// -----
// CHECK: branch arms must yield matching pipeline iterator types
%b, %i, %j = "test.op"() : () -> (i1, !nv_tileas.async.pipeline.iterator<f32>, !nv_tileas.async.pipeline.iterator<f16>)
%k = scf.if %b -> (!nv_tileas.async.pipeline.iterator<f32>) {
  scf.yield %i : !nv_tileas.async.pipeline.iterator<f32>
} else {
  scf.yield %j : !nv_tileas.async.pipeline.iterator<f16>
}

// -----
// CHECK: expects both attributes, nv_tile.aws.stage and nv_tile.aws.order, or neither
%v = "test.op"() : () -> !nv_tileaa.tiled_view<2x16xf16>
%p, %c = nv_tileas.async.pipeline.create_pipeline %v {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, nv_tile.aws.stage = 0 : i32} : !nv_tileaa.tiled_view<2x16xf16> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token

// -----
// CHECK: property 'nv_tile.aws.order' expected in operation 'nv_tileas.async.pipeline.create_mutex'
%m = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32, nv_tile.aws.stage = 0 : i32} : !nv_tileas.async.pipeline.mutex

// -----
// CHECK: expects at least two participants, but got 1
%m = nv_tileas.async.pipeline.create_mutex {participants = 1 : i32, nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} : !nv_tileas.async.pipeline.mutex

// -----
// CHECK: expects a participant of at least 0 and below 2, but got 2
%m = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32, nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} : !nv_tileas.async.pipeline.mutex
nv_tileas.async.pipeline.acquire_mutex %m {participant = 2 : i32} : !nv_tileas.async.pipeline.mutex

// -----
// CHECK: expects an iterator of a producer token, but got one of a consumer token
%p, %c = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token)
%first = nv_tileas.async.pipeline.create_iterator %c : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<16xf16>>
%next = nv_tileas.async.pipeline.inc_iter %first : !nv_tileas.async.pipeline.iterator<tile<16xf16>> -> !nv_tileas.async.pipeline.iterator<tile<16xf16>>
%q = nv_tileas.async.pipeline.producer_acquire %p, %next : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16xf16>> -> !nv_tileas.async.pipeline.producer_token

// -----
// CHECK: expects an iterator of a producer token, but got one of a consumer token
%p, %c, %n = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token, index)
%first = nv_tileas.async.pipeline.create_iterator %c : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<16xf16>>
%last = scf.for %i = %n to %n step %n iter_args(%it = %first) -> (!nv_tileas.async.pipeline.iterator<tile<16xf16>>) {
  %next = nv_tileas.async.pipeline.inc_iter %it : !nv_tileas.async.pipeline.iterator<tile<16xf16>> -> !nv_tileas.async.pipeline.iterator<tile<16xf16>>
  scf.yield %next : !nv_tileas.async.pipeline.iterator<tile<16xf16>>
}
%q = nv_tileas.async.pipeline.producer_acquire %p, %last : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16xf16>> -> !nv_tileas.async.pipeline.producer_token

// -----
// CHECK: operand 'values' at position 0 does not verify:
// CHECK: expects a type of a level below cuda_tile, but got !cuda_tile.tile<16xf16>
%x = "test.op"() : () -> !cuda_tile.tile<16xf16>
nv_tileas.async.pipeline.yield %x : !cuda_tile.tile<16xf16>
