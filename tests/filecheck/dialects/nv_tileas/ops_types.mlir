// RUN: %roundtrip | filecheck %s

"test.op"() {
  agent = !nv_tileas.agent<4>,
  token = !nv_tileas.async_token,
  producer = !nv_tileas.async.pipeline.producer_token,
  consumer = !nv_tileas.async.pipeline.consumer_token,
  iterator = !nv_tileas.async.pipeline.iterator<tensor<128x128xf16>>,
  pair = !nv_tileas.async.pipeline.iterator<tile<16xf32, #nv_tileas.memory<smem>>, i32>,
  descriptor = !nv_tileas.tma_desc,
  tiled_descriptor = !cute_nvgpu.tma_descriptor_tiled,
  value = !async.value<tensor<128x128xf16>>,
  scalar = !async.value<f32>,
  registers = !nv_tileas.tiled_view<16xf32, rmem>,
  shared = !nv_tileas.tiled_view<128x64xf16, smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>,
  tensor_memory = !nv_tileas.tiled_view<128x64xf32, tmem>,
  global = !nv_tileas.tiled_view<128x64xf16, gmem, <(128,64),(4096,1)>>,
  buffer = tensor<128x64xf16, #nv_tileas.memory<smem, <(128,64),(64,1),swizzle<3,4,3>>>>,
  open = #nv_tileas.memory<tmem>,
  residency = #nv_tileas.residency<gmem>,
  swizzles = [#nv_tileas.swizzle_mode<none>, #nv_tileas.swizzle_mode<32B>, #nv_tileas.swizzle_mode<64B>, #nv_tileas.swizzle_mode<128B>],
  oob_mode = #nv_tileas.oob_mode<constant>,
  atom = #nv_tileas<atom tma_load_2d>
} : () -> ()

// CHECK:      "test.op"() {agent = !nv_tileas.agent<4>, token = !nv_tileas.async_token, producer = !nv_tileas.async.pipeline.producer_token, consumer = !nv_tileas.async.pipeline.consumer_token, iterator = !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>, pair = !nv_tileas.async.pipeline.iterator<tile<16xf32, #nv_tileas.memory<smem>>, i32>, descriptor = !nv_tileas.tma_desc, tiled_descriptor = !cute_nvgpu.tma_descriptor_tiled, value = !async.value<tile<128x128xf16>>, scalar = !async.value<f32>, registers = !nv_tileas.tiled_view<16xf32, rmem>, shared = !nv_tileas.tiled_view<128x64xf16, smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>, tensor_memory = !nv_tileas.tiled_view<128x64xf32, tmem>, global = !nv_tileas.tiled_view<128x64xf16, gmem, <(128, 64), (4096, 1)>>, buffer = tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, open = #nv_tileas.memory<tmem>, residency = #nv_tileas.residency<gmem>, swizzles = [#nv_tileas.swizzle_mode<none>, #nv_tileas.swizzle_mode<32B>, #nv_tileas.swizzle_mode<64B>, #nv_tileas.swizzle_mode<128B>], oob_mode = #nv_tileas.oob_mode<constant>, atom = #nv_tileas<atom tma_load_2d>} : () -> ()
