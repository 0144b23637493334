// RUN: xdsl-opt %s -p tileas-resolve-agent-boundary | filecheck %s

#loaded = #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>
#wanted = #nv_tileas.layout<(4, 32, (2, 2), 1), (1, 4, (0, 0), 0)>

// A tile goes through shared memory, in the layout that its user wants; a scalar stays as it is.
// CHECK-LABEL: @transfer
// CHECK:      %t = "test.op"() : () -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
// CHECK-NEXT: %[[B:.*]] = nv_tileas.alloc_tensor : tensor<128xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %{{.*}} = nv_tileas.copy %t into %[[B]] {atom = #nv_tileas<atom sts_32>} : tensor<128xf32, {{.*}}> into tensor<128xf32, #nv_tileas.memory<smem>> -> tensor<128xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: nv_tileas.async.pipeline.agent_switch %[[B]] {num_agents_per_group = 1 : i32} : (tile<128xf32, #nv_tileas.memory<smem>>) {
// CHECK-NEXT: ^bb{{.*}}(%[[A:[0-9a-z_]+]]{{ ?}}: tile<128xf32, #nv_tileas.memory<smem>>):
// CHECK-NEXT:   %[[U:.*]] = nv_tileas.copy %[[A]] {atom = #nv_tileas<atom lds_128>} : tensor<128xf32, #nv_tileas.memory<smem>> -> tensor<128xf32, #nv_tileas.layout<(4, 32, (2, 2), 1), (1, 4, (0, 0), 0)>>
// CHECK-NEXT:   "test.op"(%[[U]], %n)
// CHECK:      }, {
// CHECK-NEXT: ^bb{{.*}}(%{{.*}}: tile<128xf32, #nv_tileas.memory<smem>>):
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
nv_tileaa.func @transfer(%n: i32) {
  %t = "test.op"() : () -> tensor<128xf32, #loaded>
  nv_tileas.async.pipeline.agent_switch %t {num_agents_per_group = 1 : i32} : (tensor<128xf32, #loaded>) {
  ^bb0(%x: tensor<128xf32, #loaded>):
    %u = nv_tileas.convert_layout %x : tensor<128xf32, #loaded> -> tensor<128xf32, #wanted>
    "test.op"(%u, %n) : (tensor<128xf32, #wanted>, i32) -> ()
    nv_tileas.async.pipeline.yield
  }, {
  ^bb0(%x: tensor<128xf32, #loaded>):
    nv_tileas.async.pipeline.yield
  }
  nv_tileaa.return
}

// What scalars are spread to is spread again.
// CHECK-LABEL: @recomputed
// CHECK:      agent_switch {num_agents_per_group = 1 : i32} {
// CHECK-NEXT:   %[[T:.*]] = nv_tileaa.splat %n
// CHECK-NEXT:   "test.op"(%[[T]]) :
nv_tileaa.func @recomputed(%n: i32) {
  %t = nv_tileaa.splat %n : i32 -> tensor<128xi32, #loaded>
  nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32} {
    "test.op"(%t) : (tensor<128xi32, #loaded>) -> ()
    nv_tileas.async.pipeline.yield
  }
  nv_tileaa.return
}

// What one agent alone uses is computed there, however long it takes.
// CHECK-LABEL: @moved
// CHECK-NOT:  nv_tileaa
// CHECK:      agent_switch {num_agents_per_group = 1 : i32} {
// CHECK-NEXT:   "test.op"(%x)
// CHECK-NEXT:   %[[T:.*]] = nv_tileaa.splat %x
// CHECK-NEXT:   %[[U:.*]] = nv_tileaa.exp2 %[[T]]
// CHECK-NEXT:   "test.op"(%[[U]]) :
nv_tileaa.func @moved(%x: f32) {
  %t = nv_tileaa.splat %x : f32 -> tensor<128xf32, #loaded>
  %u = nv_tileaa.exp2 %t : tensor<128xf32, #loaded>
  nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32} {
    "test.op"(%x) : (f32) -> ()
    "test.op"(%u) : (tensor<128xf32, #loaded>) -> ()
    nv_tileas.async.pipeline.yield
  }, {
    nv_tileas.async.pipeline.yield
  }
  nv_tileaa.return
}
