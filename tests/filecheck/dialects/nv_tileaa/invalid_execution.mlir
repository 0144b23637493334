// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: found unterminated format expression
%t = nv_tileaa.print "%" -> !nv_tileaa.mem_token

// -----
// CHECK: incorrect number of operands: expected 1, found 0
%t = nv_tileaa.print "%d %%" -> !nv_tileaa.mem_token

// -----
// CHECK: expects at least one operand
"nv_tileaa.mark_for_reuse"() : () -> ()

// -----
// CHECK: expect operands with queue types, but got !nv_tileaa.ptr<f32>
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
nv_tileaa.mark_for_reuse %p : !nv_tileaa.ptr<f32>

// -----
// CHECK: requires the same types for operands and results
%a = "test.op"() : () -> (i32)
%b = nv_tileaa.optimization_barrier %a : i32 -> i64

// -----
// CHECK: expects the body to yield values of types [i32], but got []
%a = nv_tileaa.pragma : i32 {
  nv_tileaa.yield
}

// -----
// CHECK: expects at least one result
%a = "test.op"() : () -> (f32)
nv_tileaa.extern_elementwise "f"(%a) : (f32) -> ()

// -----
// CHECK: requires the same shape for all operands and results
%a = "test.op"() : () -> (tensor<4xf32>)
%b = nv_tileaa.extern_elementwise "f"(%a) : (tensor<4xf32>) -> f32

// -----
// CHECK: expects packed, the number of elements at a time, to be at least 1, but got 0
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.elementwise_inline_asm "", ""(%a) {packed = 0 : i32} : (f32) -> f32

// -----
// CHECK: expects registers of at least 0, but got -1
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.plugin "p"(%a) {registers = -1 : i32} : (f32) -> f32

// -----
// CHECK: expects a layout for each of 1 values, but got 0
%a = "test.op"() : () -> (f32)
%b = nv_tileaa.plugin "p"(%a) {input_layouts = []} : (f32) -> f32

// -----
// CHECK: 'f' does not reference a valid function
nv_tileaa.call @f() : () -> ()

// -----
// CHECK: expects a kernel_spec whose num_ctas is the number of CTAs in nv_tileaa.cluster_shape, but got 2 x 2
nv_tileaa.func @f() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>, nv_tileaa.cluster_shape = array<i32: 2, 2>} {
  nv_tileaa.return
}

// -----
// CHECK: expects a kernel_spec whose num_ctas is the number of CTAs in nv_tileaa.cluster_shape, but got 2 x 1
nv_tileaa.func @f() attributes {nv_tileaa.cluster_shape = array<i32: 2, 1>} {
  nv_tileaa.return
}

// -----
// CHECK: expects to call a function that is not a kernel
nv_tileaa.func @f() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  nv_tileaa.return
}
nv_tileaa.call @f() : () -> ()

// -----
// CHECK: expects operands of types [i32], but got []
nv_tileaa.func @f(i32)
nv_tileaa.call @f() : () -> ()

// -----
// CHECK: expects results of types [], but got [i32]
nv_tileaa.func @f()
%a = nv_tileaa.call @f() : () -> i32

// -----
// CHECK: expects 3 extents of the grid, but got 1
%a = "test.op"() : () -> (i32)
nv_tileaa.func @f() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  nv_tileaa.return
}
nv_tileaa.launch_func @f grid(%a) args()

// -----
// CHECK: expects to launch a function with nv_tileaa.kernel_spec
%a = "test.op"() : () -> (i32)
nv_tileaa.func @f()
nv_tileaa.launch_func @f grid(%a, %a, %a) args()

// -----
// CHECK: expects operands of types [], but got [i32]
%a = "test.op"() : () -> (i32)
nv_tileaa.func @f() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  nv_tileaa.return
}
nv_tileaa.launch_func @f grid(%a, %a, %a) args(%a : i32)

// -----
// CHECK: expects at least one region
"nv_tileaa.execute"() <{num_agents_per_group = 1 : i32}> : () -> ()

// -----
// CHECK: expects 1 agents to form groups of equal size, but got groups of 2
nv_tileaa.execute attributes {num_agents_per_group = 2 : i32} {
  nv_tileaa.yield
}

// -----
// CHECK: expects 1 max_regs, one for each agent, but got 2
nv_tileaa.execute attributes {num_agents_per_group = 1 : i32, max_regs = array<i32: 8, 8>} {
  nv_tileaa.yield
}

// -----
// CHECK: expects block arguments of types [i32], but got []
%a = "test.op"() : () -> (i32)
nv_tileaa.execute(%a : i32) attributes {num_agents_per_group = 1 : i32} {
  nv_tileaa.yield
}

// -----
// CHECK: 'nv_tileaa.addi' uses a value from outside of an isolated agent
%a = "test.op"() : () -> (i32)
nv_tileaa.execute attributes {num_agents_per_group = 1 : i32, isolated} {
  %b = nv_tileaa.addi %a, %a : i32
  nv_tileaa.yield
}

// -----
// CHECK: expects at least one stage, but got 0
%q = nv_tileaa.create_queue {stages = 0 : i32} : !nv_tileaa.queue<i32>

// -----
// CHECK: expects regions to end with 'nv_tileaa.queue.yield'
%q = "test.op"() : () -> (!nv_tileaa.queue<i32>)
nv_tileaa.queue.put %q : !nv_tileaa.queue<i32> {
  nv_tileaa.yield
}

// -----
// CHECK: expects the body to yield values of types [i32], but got [i64]
%q, %a = "test.op"() : () -> (!nv_tileaa.queue<i32>, i64)
nv_tileaa.queue.put %q : !nv_tileaa.queue<i32> {
  nv_tileaa.queue.yield %a : i64
}

// -----
// CHECK: expects results of types [i32], but got [i64]
%q = "test.op"() : () -> (!nv_tileaa.queue<i32>)
%a = nv_tileaa.queue.get %q : !nv_tileaa.queue<i32> -> i64

// -----
// CHECK: expects num_warps to be a power of two up to 32, but got 3
"test.op"() {spec = #nv_tileaa.kernel_spec<num_warps = 3, num_ctas = 1>} : () -> ()

// -----
// CHECK: expects num_warps to be a power of two up to 32, but got 64
"test.op"() {spec = #nv_tileaa.kernel_spec<num_warps = 64, num_ctas = 1>} : () -> ()

// -----
// CHECK: expects num_ctas to be positive, but got 0
"test.op"() {spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 0>} : () -> ()
