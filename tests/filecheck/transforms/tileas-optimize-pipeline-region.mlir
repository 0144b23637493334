// RUN: xdsl-opt %s -p tileas-optimize-pipeline-region | filecheck %s

%w = arith.constant 16 : index
%buffer = nv_tileas.alloc_tensor : tensor<2x64xf32, #nv_tileas.memory<smem>>
%p, %c = nv_tileas.async.pipeline.create_pipeline %buffer {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : tensor<2x64xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
%i = nv_tileas.async.pipeline.create_iterator %c : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<64xf32>>

// CHECK: %at = arith.muli %w, %w : index
// CHECK-NEXT: %after, %part = nv_tileas.async.pipeline.consume_one %c, %i {
// CHECK-NEXT: ^bb0(%tile :
// CHECK-NEXT: %slice = nv_tileas.extract_slice %tile[%at][16][1] :
// CHECK-NEXT: nv_tileas.async.pipeline.yield %slice
%after, %part = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [tile<64xf32>]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64xf32>>) -> !nv_tileas.async.pipeline.consumer_token, tile<16xf32> {
^bb0(%tile: tile<64xf32>):
  %unused = arith.negf %tile : tensor<64xf32>
  %at = arith.muli %w, %w : index
  %slice = nv_tileas.extract_slice %tile[%at] [16] [1] : tensor<64xf32> to tensor<16xf32>
  nv_tileas.async.pipeline.yield %slice : tile<16xf32>
}

// The steps of a consumer, and a producer whose completion nobody awaits.
// CHECK: %stored = nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [tile<64xf32>]}
// CHECK-NOT: consumer_wait
// CHECK: %{{.*}}, %y = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [tile<64xf32>]}
// CHECK-NEXT: ^bb0(%x :
// CHECK-NEXT: %y_1 = arith.negf %x : tensor<64xf32>
// CHECK-NEXT: nv_tileas.async.pipeline.yield %y_1 : tile<64xf32>
// CHECK-NOT: consumer_release
// CHECK: arith.negf %y : tensor<64xf32>
%stored, %done = nv_tileas.async.pipeline.produce_one_async %p, %i {producer_types = [tile<64xf32>]} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<64xf32>>) -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {
^bb0(%stage: tile<64xf32>):
  nv_tileas.async.pipeline.yield %stage : tile<64xf32>
}
%waited = nv_tileas.async.pipeline.consumer_wait %c, %i {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64xf32>> -> !nv_tileas.async.pipeline.consumer_token
%read, %x = nv_tileas.async.pipeline.consumer_read %waited {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<64xf32>
%y = arith.negf %x : tensor<64xf32>
%released = nv_tileas.async.pipeline.consumer_release %read : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
%z = arith.negf %y : tensor<64xf32>
