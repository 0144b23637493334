// RUN: %roundtrip | filecheck %s
// A pipeline of two stages: the producer loads a tile by TMA, the consumer multiplies it. The text is
// that of the dialect's notes; a barrier and a view of the stage complete the load.

%buf_view, %tma_desc, %stage_view, %k_outer, %barrier = "test.op"() : () -> (!nv_tileaa.tiled_view<2x128x128xf16>, !cute_nvgpu.tma_descriptor_tiled, !nv_tileaa.tiled_view<128x128xf16>, index, !nv_tileaa.mem_token)
%b_tile, %acc = "test.op"() : () -> (tensor<128x128xf16>, tensor<128x128xf32>)

// CHECK: %prod_tok, %cons_tok = nv_tileas.async.pipeline.create_pipeline %buf_view
// CHECK-SAME: {{{ *}}numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false{{ *}}}
// CHECK-SAME: : !nv_tileaa.tiled_view<2x128x128xf16>
// CHECK-SAME: -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
%prod_tok, %cons_tok = nv_tileas.async.pipeline.create_pipeline %buf_view
    { numStages       = 2 : i32,
      producerGroupId = 0 : i8,
      consumerGroupId = 1 : i8,
      sharedMem       = true,
      dynamic         = false }
    : !nv_tileaa.tiled_view<2x128x128xf16>
    -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token

// CHECK: %iter = nv_tileas.async.pipeline.create_iterator %prod_tok
// CHECK-SAME: : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
%iter = nv_tileas.async.pipeline.create_iterator %prod_tok
    : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>

// CHECK: %prod_tok2 = nv_tileas.async.pipeline.produce_one %prod_tok, %iter
// CHECK-SAME: {{{ *}}producer_types = [tile<128x128xf16>]{{ *}}} : (
// CHECK-SAME: !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
// CHECK-SAME: ) -> !nv_tileas.async.pipeline.producer_token {
// CHECK-NEXT: ^bb0(%stage_buf : tile<128x128xf16>):
// CHECK-NEXT: %async_tok = nv_tileas.async.tiled_tma_load %tma_desc, %stage_view[%k_outer], %barrier
// CHECK-SAME: {{{ *}}atom = #nv_tileas<atom tma_load_2d>{{.*}}}
// CHECK-SAME: : !cute_nvgpu.tma_descriptor_tiled, !nv_tileaa.tiled_view<128x128xf16>, index, !nv_tileaa.mem_token -> !async.value<tile<128x128xf16>>
// CHECK-NEXT: nv_tileas.async.pipeline.yield %stage_buf : tile<128x128xf16>
%prod_tok2 = nv_tileas.async.pipeline.produce_one %prod_tok, %iter
    { producer_types = [tile<128x128xf16>] } : (
    !nv_tileas.async.pipeline.producer_token,
    !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%stage_buf : tile<128x128xf16>):
    %async_tok = nv_tileas.async.tiled_tma_load
        %tma_desc, %stage_view[%k_outer], %barrier
        { atom = #nv_tileas<atom tma_load_2d>,
          operandSegmentSizes = array<i32: 1, 1, 1, 1> }
        : !cute_nvgpu.tma_descriptor_tiled, !nv_tileaa.tiled_view<128x128xf16>,
          index, !nv_tileaa.mem_token
        -> !async.value<tile<128x128xf16>>
    nv_tileas.async.pipeline.yield %stage_buf : tile<128x128xf16>
}

// CHECK: %cons_tok2 = nv_tileas.async.pipeline.consume_one %cons_tok, %iter
// CHECK-SAME: {{{ *}}consumer_idx = 0 : i32, consumer_types = [tile<128x128xf16>]{{ *}}} : (
// CHECK-SAME: !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
// CHECK-SAME: ) -> !nv_tileas.async.pipeline.consumer_token {
// CHECK-NEXT: ^bb0(%a_tile : tile<128x128xf16>):
// CHECK-NEXT: %waited = nv_tileas.async.pipeline.consumer_wait %cons_tok, %iter
// CHECK-SAME: {{{ *}}consumer_idx = 0 : i32{{ *}}}
// CHECK-SAME: : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<128x128xf16>> -> !nv_tileas.async.pipeline.consumer_token
// CHECK-NEXT: %d = nv_tileas.dot %a_tile, %b_tile, %acc
// CHECK-SAME: {{{ *}}atom = #nv_tileas<atom mma_f16_f16_f32>{{ *}}}
// CHECK-SAME: : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32> -> tile<128x128xf32>
// CHECK-NEXT: %released = nv_tileas.async.pipeline.consumer_release %waited
// CHECK-SAME: : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
// CHECK-NEXT: nv_tileas.async.pipeline.yield %a_tile : tile<128x128xf16>
%cons_tok2 = nv_tileas.async.pipeline.consume_one %cons_tok, %iter
    { consumer_idx   = 0 : i32,
      consumer_types = [tile<128x128xf16>] } : (
    !nv_tileas.async.pipeline.consumer_token,
    !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
) -> !nv_tileas.async.pipeline.consumer_token {
^bb0(%a_tile : tile<128x128xf16>):
    %waited = nv_tileas.async.pipeline.consumer_wait %cons_tok, %iter
        { consumer_idx = 0 : i32 }
        : !nv_tileas.async.pipeline.consumer_token,
          !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
        -> !nv_tileas.async.pipeline.consumer_token
    %d = nv_tileas.dot %a_tile, %b_tile, %acc
        { atom = #nv_tileas<atom mma_f16_f16_f32> }
        : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
        -> tile<128x128xf32>
    %released = nv_tileas.async.pipeline.consumer_release %waited
        : !nv_tileas.async.pipeline.consumer_token
        -> !nv_tileas.async.pipeline.consumer_token
    nv_tileas.async.pipeline.yield %a_tile : tile<128x128xf16>
}
