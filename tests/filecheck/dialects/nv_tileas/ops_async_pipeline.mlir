// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC
// Tiles are spelled `tile<..>` in pipelines; `tensor<..>` is read as well.

%view, %buffer, %tile, %n = "test.op"() : () -> (!nv_tileaa.tiled_view<2x16x64xf16>, tensor<4x16xf32, #nv_tileas.memory<smem>>, tensor<16x64xf16>, i32)
%p, %c = nv_tileas.async.pipeline.create_pipeline %view {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} : !nv_tileaa.tiled_view<2x16x64xf16> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
%q, %d = nv_tileas.async.pipeline.create_pipeline %buffer {numStages = 4 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : tensor<4x16xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
%buffer2 = nv_tileas.alloc_tensor : tensor<2x16xf32, #nv_tileas.memory<smem>>
%s2, %s3 = nv_tileas.async.pipeline.create_pipeline %view, %buffer2 {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : !nv_tileaa.tiled_view<2x16x64xf16>, tile<2x16xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
%i = nv_tileas.async.pipeline.create_iterator %p : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tensor<16x64xf16>>
%j = nv_tileas.async.pipeline.inc_iter %i : !nv_tileas.async.pipeline.iterator<tile<16x64xf16>> -> !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>
%none = nv_tileas.async.pipeline.create_null_token : !nv_tileas.async.pipeline.producer_token
%p1 = nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [tensor<16x64xf16>]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tensor<16x64xf16>>) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%stage : tensor<16x64xf16>):
  nv_tileas.async.pipeline.yield %stage : tensor<16x64xf16>
}
%p2, %t2 = nv_tileas.async.pipeline.produce_one_async %p1, %j {producer_types = [tile<16x64xf16>], note} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
^bb0(%stage : tile<16x64xf16>):
  nv_tileas.async.pipeline.yield %tile : tile<16x64xf16>
}
%c1, %sum = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [tile<16x64xf16>]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) -> !nv_tileas.async.pipeline.consumer_token, i32 {
^bb0(%stage : tile<16x64xf16>):
  nv_tileas.async.pipeline.yield %n : i32
}
%c2, %t3 = nv_tileas.async.pipeline.consume_one_async %c1, %j {consumer_idx = 1 : i32, consumer_types = [tile<16x64xf16>]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) -> !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async_token {
^bb0(%stage : tile<16x64xf16>):
  nv_tileas.async.pipeline.yield %stage : tile<16x64xf16>
}
nv_tileas.async.pipeline.agent_switch %p2, %c2, %i {num_agents_per_group = 1 : i32, max_regs = array<i32: 40, -1>, isolated = true, num_warps = array<i32: 4, 8>, warp_id = array<i32: 8, 0>} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) {
^bb0(%out : !nv_tileas.async.pipeline.producer_token, %in : !nv_tileas.async.pipeline.consumer_token, %it : !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>):
  %value = nv_tileas.create_none : tile<16x64xf16>
  %a = nv_tileas.async.pipeline.producer_acquire %out, %it : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>> -> !nv_tileas.async.pipeline.producer_token
  %b = nv_tileas.async.pipeline.producer_write %a, %value : !nv_tileas.async.pipeline.producer_token, tile<16x64xf16> -> !nv_tileas.async.pipeline.producer_token
  %e = nv_tileas.async.pipeline.producer_commit %b : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.producer_token
  nv_tileas.async.pipeline.yield
}, {
^bb0(%out : !nv_tileas.async.pipeline.producer_token, %in : !nv_tileas.async.pipeline.consumer_token, %it : !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>):
  %a = nv_tileas.async.pipeline.consumer_wait %in, %it {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>> -> !nv_tileas.async.pipeline.consumer_token
  %b, %value = nv_tileas.async.pipeline.consumer_read %a {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<16x64xf16>
  %e = nv_tileas.async.pipeline.consumer_release %b : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
  nv_tileas.async.pipeline.yield
}
nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32} {
  nv_tileas.async.pipeline.yield
}
%mutex = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32, nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 3 : i32} : !nv_tileas.async.pipeline.mutex
nv_tileas.async.pipeline.acquire_mutex %mutex {participant = 0 : i32} : !nv_tileas.async.pipeline.mutex
nv_tileas.async.pipeline.release_mutex %mutex : !nv_tileas.async.pipeline.mutex

// GENERIC: "nv_tileas.async.pipeline.produce_one"(%p, %i) <{producer_types = [tensor<16x64xf16>]}>
// GENERIC-NEXT: ^bb0(%stage: tensor<16x64xf16>):

// CHECK:      %view, %buffer, %tile, %n = "test.op"() : () -> (!nv_tileaa.tiled_view<2x16x64xf16>, tensor<4x16xf32, #nv_tileas.memory<smem>>, tensor<16x64xf16>, i32)
// CHECK-NEXT: %p, %c = nv_tileas.async.pipeline.create_pipeline %view {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} : !nv_tileaa.tiled_view<2x16x64xf16> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
// CHECK-NEXT: %q, %d = nv_tileas.async.pipeline.create_pipeline %buffer {numStages = 4 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : tile<4x16xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
// CHECK-NEXT: %buffer2 = nv_tileas.alloc_tensor : tensor<2x16xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %s2, %s3 = nv_tileas.async.pipeline.create_pipeline %view, %buffer2 {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : !nv_tileaa.tiled_view<2x16x64xf16>, tile<2x16xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
// CHECK-NEXT: %i = nv_tileas.async.pipeline.create_iterator %p : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>
// CHECK-NEXT: %j = nv_tileas.async.pipeline.inc_iter %i : !nv_tileas.async.pipeline.iterator<tile<16x64xf16>> -> !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>
// CHECK-NEXT: %none = nv_tileas.async.pipeline.create_null_token : !nv_tileas.async.pipeline.producer_token
// CHECK-NEXT: %p1 = nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [tile<16x64xf16>]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) -> !nv_tileas.async.pipeline.producer_token {
// CHECK-NEXT: ^bb0(%stage : tile<16x64xf16>):
// CHECK-NEXT:   nv_tileas.async.pipeline.yield %stage : tile<16x64xf16>
// CHECK-NEXT: }
// CHECK-NEXT: %p2, %t2 = nv_tileas.async.pipeline.produce_one_async %p1, %j {producer_types = [tile<16x64xf16>], note} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
// CHECK-NEXT: ^bb0(%{{.*}} : tile<16x64xf16>):
// CHECK-NEXT:   nv_tileas.async.pipeline.yield %tile : tile<16x64xf16>
// CHECK-NEXT: }
// CHECK-NEXT: %c1, %sum = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [tile<16x64xf16>]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) -> !nv_tileas.async.pipeline.consumer_token, i32 {
// CHECK-NEXT: ^bb0(%{{.*}} : tile<16x64xf16>):
// CHECK-NEXT:   nv_tileas.async.pipeline.yield %n : i32
// CHECK-NEXT: }
// CHECK-NEXT: %c2, %t3 = nv_tileas.async.pipeline.consume_one_async %c1, %j {consumer_idx = 1 : i32, consumer_types = [tile<16x64xf16>]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) -> !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async_token {
// CHECK-NEXT: ^bb0(%[[STAGE:.*]] : tile<16x64xf16>):
// CHECK-NEXT:   nv_tileas.async.pipeline.yield %[[STAGE]] : tile<16x64xf16>
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileas.async.pipeline.agent_switch %p2, %c2, %i {num_agents_per_group = 1 : i32, max_regs = array<i32: 40, -1>, isolated = true, num_warps = array<i32: 4, 8>, warp_id = array<i32: 8, 0>} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>) {
// CHECK-NEXT: ^bb0(%out : !nv_tileas.async.pipeline.producer_token, %in : !nv_tileas.async.pipeline.consumer_token, %it : !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>):
// CHECK-NEXT:   %value = nv_tileas.create_none : tile<16x64xf16>
// CHECK-NEXT:   %a = nv_tileas.async.pipeline.producer_acquire %out, %it : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>> -> !nv_tileas.async.pipeline.producer_token
// CHECK-NEXT:   %b = nv_tileas.async.pipeline.producer_write %a, %value : !nv_tileas.async.pipeline.producer_token, tile<16x64xf16> -> !nv_tileas.async.pipeline.producer_token
// CHECK-NEXT:   %e = nv_tileas.async.pipeline.producer_commit %b : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.producer_token
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
// CHECK-NEXT: }, {
// CHECK-NEXT: ^bb0(%{{.*}} : !nv_tileas.async.pipeline.producer_token, %[[IN:.*]] : !nv_tileas.async.pipeline.consumer_token, %[[IT:.*]] : !nv_tileas.async.pipeline.iterator<tile<16x64xf16>>):
// CHECK-NEXT:   %[[A:.*]] = nv_tileas.async.pipeline.consumer_wait %[[IN]], %[[IT]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16x64xf16>> -> !nv_tileas.async.pipeline.consumer_token
// CHECK-NEXT:   %[[B:.*]], %{{.*}} = nv_tileas.async.pipeline.consumer_read %[[A]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<16x64xf16>
// CHECK-NEXT:   %{{.*}} = nv_tileas.async.pipeline.consumer_release %[[B]] : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32} {
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
// CHECK-NEXT: }
// CHECK-NEXT: %mutex = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32, nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 3 : i32} : !nv_tileas.async.pipeline.mutex
// CHECK-NEXT: nv_tileas.async.pipeline.acquire_mutex %mutex {participant = 0 : i32} : !nv_tileas.async.pipeline.mutex
// CHECK-NEXT: nv_tileas.async.pipeline.release_mutex %mutex : !nv_tileas.async.pipeline.mutex
