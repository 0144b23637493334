// RUN: xdsl-opt %s -p tileas-assign-load-store-layouts | filecheck %s

// A view whose base is aligned to 16 bytes: vectors of four, dealt to consecutive lanes.
// CHECK-LABEL: nv_tileaa.func @aligned
nv_tileaa.func @aligned(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %m = nv_tileaa.make_memref %q sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1024>, dimGroups = [[0]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<1024xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
  // CHECK: %x = nv_tileas.tiled_load weak %v[%n] {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>} : {{.*}} -> tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>
  %x = nv_tileas.tiled_load weak %v[%n] : !nv_tileaa.tiled_view<1024xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<1024xf32>
  // CHECK-NEXT: %y = nv_tileaa.addf %x, %x : tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>
  %y = nv_tileaa.addf %x, %x : tensor<1024xf32>
  // CHECK-NEXT: nv_tileas.tiled_store weak %y, %v[%n] {atom = #nv_tileas<atom stg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>}
  nv_tileas.tiled_store weak %y, %v[%n] : tensor<1024xf32>, !nv_tileaa.tiled_view<1024xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32]
  nv_tileaa.return
}

// Nothing is known of the base: one element at a time.
// CHECK-LABEL: nv_tileaa.func @unaligned
nv_tileaa.func @unaligned(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %m = nv_tileaa.make_memref %p sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1024>, dimGroups = [[0]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<1024xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
  // CHECK: %x = nv_tileas.tiled_load weak %v[%n] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(8, 32, 4, 1), (128, 1, 32, 0)>}
  %x = nv_tileas.tiled_load weak %v[%n] : !nv_tileaa.tiled_view<1024xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<1024xf32>
  nv_tileaa.return
}

// A tile of one warp's width: lanes first, then copies; vectors would leave threads idle.
// CHECK-LABEL: nv_tileaa.func @small
nv_tileaa.func @small(%p: !nv_tileaa.ptr<f16>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f16>
  %m = nv_tileaa.make_memref %q sizes = [%n : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?xf16, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64>, dimGroups = [[0]]} : !nv_tileaa.memref<?xf16, strides = [1]> -> !nv_tileaa.tiled_view<64xf16, !nv_tileaa.memref<?xf16, strides = [1]>>
  // CHECK: %x = nv_tileas.tiled_load weak %v[%n] {atom = #nv_tileas<atom ldg_16>, nv_tileas.layout = <(1, 32, (2, 2), 1), (0, 1, (32, 0), 0)>}
  %x = nv_tileas.tiled_load weak %v[%n] : !nv_tileaa.tiled_view<64xf16, !nv_tileaa.memref<?xf16, strides = [1]>>[i32] -> tensor<64xf16>
  nv_tileaa.return
}

// The unit stride lies along the first dimension of the tile: so do the vectors.
// CHECK-LABEL: nv_tileaa.func @transposed
nv_tileaa.func @transposed(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %m = nv_tileaa.make_memref %q sizes = [%n, %n : i32, i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [64, 1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 32, 16>, dimGroups = [[1], [0]]} : !nv_tileaa.memref<?x?xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<32x16xf32, !nv_tileaa.memref<?x?xf32, strides = [64, 1]>>
  // CHECK: %x = nv_tileas.tiled_load weak %v[%n, %n] {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <(4, (8, 4), 4, 1), (16, (64, 1), 4, 0)>}
  %x = nv_tileas.tiled_load weak %v[%n, %n] : !nv_tileaa.tiled_view<32x16xf32, !nv_tileaa.memref<?x?xf32, strides = [64, 1]>>[i32, i32] -> tensor<32x16xf32>
  nv_tileaa.return
}

// The row is loaded where the wide store needs it; any layout is as good for the scattered one.
// CHECK-LABEL: nv_tileaa.func @broadcast
nv_tileaa.func @broadcast(%p: !nv_tileaa.ptr<f32>, %i: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  // CHECK: %s = nv_tileaa.splat {{.*}} -> tensor<1x64x!nv_tileaa.ptr<f32>, #nv_tileas.layout<(4, (16, 2), 1, 1), (1, (4, 0), 0, 0)>>
  %s = nv_tileaa.splat %p : !nv_tileaa.ptr<f32> -> tensor<1x64x!nv_tileaa.ptr<f32>>
  %row = nv_tileas.load weak %s : tensor<1x64x!nv_tileaa.ptr<f32>> -> tensor<1x64xf32>
  // CHECK: %t = nv_tileaa.splat {{.*}} -> tensor<8x64x!nv_tileaa.ptr<f32>, #nv_tileas.layout<((4, 4), 32, 1, 1), ((1, 128), 4, 0, 0)>>
  %t = nv_tileaa.splat %p : !nv_tileaa.ptr<f32> -> tensor<8x64x!nv_tileaa.ptr<f32>>
  // CHECK-NEXT: nv_tileaa.broadcast %row
  %rows = nv_tileaa.broadcast %row : tensor<1x64xf32> -> tensor<8x64xf32>
  nv_tileas.store weak %t, %rows : tensor<8x64x!nv_tileaa.ptr<f32>>, tensor<8x64xf32>
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %m = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<64x64xf32, strides = [64, 1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<64x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x64xf32, !nv_tileaa.memref<64x64xf32, strides = [64, 1]>>
  // CHECK: nv_tileaa.broadcast %row
  %wide = nv_tileaa.broadcast %row : tensor<1x64xf32> -> tensor<8x64xf32>
  nv_tileas.tiled_store weak %wide, %v[%i, %i] : tensor<8x64xf32>, !nv_tileaa.tiled_view<8x64xf32, !nv_tileaa.memref<64x64xf32, strides = [64, 1]>>[i32, i32]
  nv_tileaa.return
}

// Rows are loaded and columns stored: both sides keep their vectors, and a conversion stands between.
// CHECK-LABEL: nv_tileaa.func @rows_to_columns
nv_tileaa.func @rows_to_columns(%p: !nv_tileaa.ptr<f32>, %i: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %m = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<64x64xf32, strides = [64, 1]>
  %rows = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<64x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<64x64xf32, strides = [64, 1]>>
  %columns = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[1], [0]]} : !nv_tileaa.memref<64x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<64x64xf32, strides = [64, 1]>>
  // CHECK: %x = nv_tileas.tiled_load weak %rows[%i, %i] {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)>}
  %x = nv_tileas.tiled_load weak %rows[%i, %i] : !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<64x64xf32, strides = [64, 1]>>[i32, i32] -> tensor<64x64xf32>
  // CHECK: %[[C:.*]] = nv_tileas.convert_layout %{{.*}} -> tensor<64x64xf32, #nv_tileas.layout<((4, 8), (16, 2), 4, 1), ((64, 8), (256, 1), 2, 0)>>
  // CHECK-NEXT: nv_tileas.tiled_store weak %[[C]], %columns[%i, %i] {atom = #nv_tileas<atom stg_128>
  nv_tileas.tiled_store weak %x, %columns[%i, %i] : tensor<64x64xf32>, !nv_tileaa.tiled_view<64x64xf32, !nv_tileaa.memref<64x64xf32, strides = [64, 1]>>[i32, i32]
  nv_tileaa.return
}

// A product takes its operands in fragments: they are loaded by rows and converted, the result stays.
// CHECK-LABEL: nv_tileaa.func @product
nv_tileaa.func @product(%p: !nv_tileaa.ptr<f16>, %i: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f16>
  %m = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<64x64xf16, strides = [64, 1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 32, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<64x64xf16, strides = [64, 1]> -> !nv_tileaa.tiled_view<32x32xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>
  // CHECK: %a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom ldg_128>
  %a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<32x32xf16, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>[i32, i32] -> tensor<32x32xf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // CHECK: %[[A:.*]] = nv_tileas.convert_layout %a : {{.*}} -> tensor<32x32xf16, #nv_tileas.layout<((2, 2, 4), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 0), 0)>>
  // CHECK: %[[B:.*]] = nv_tileas.convert_layout %a : {{.*}} -> tensor<32x32xf16, #nv_tileas.layout<((2, 4, 2), (4, 8), (2, 2), 1), ((32, 256, 8), (64, 1), (0, 16), 0)>>
  // CHECK: %d = nv_tileas.dot %[[A]], %[[B]], %zero {{.*}} -> tile<32x32xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 256, 8), (2, 32), (512, 16), 0)>>
  %d = nv_tileas.dot %a, %a, %zero {atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<32x32xf16>, tile<32x32xf16>, tile<32x32xf32> -> tile<32x32xf32>
  "test.op"(%d) : (tensor<32x32xf32>) -> ()
  nv_tileaa.return
}

// An atom that is given stays.
// CHECK-LABEL: nv_tileaa.func @given
nv_tileaa.func @given(%p: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %q = nv_tileaa.splat %p : !nv_tileaa.ptr<f32> -> tensor<64x!nv_tileaa.ptr<f32>>
  // CHECK: nv_tileas.load weak %q {atom = #nv_tileas<atom ldg_64>, nv_tileas.layout
  %x = nv_tileas.load weak %q {atom = #nv_tileas<atom ldg_64>} : tensor<64x!nv_tileaa.ptr<f32>> -> tensor<64xf32>
  nv_tileaa.return
}

// A buffer in shared memory is no tile in registers: it has no layout of them, and atoms of its own.
// CHECK-LABEL: nv_tileaa.func @buffer
nv_tileaa.func @buffer(%p: !nv_tileaa.ptr<f32>, %i: index) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<16x8xf32, strides = [8, 1]>
  // CHECK: %v = nv_tileas.view %m[%i, %i : index, index] : {{.*}} to !nv_tileas.tiled_view<4x8xf32, gmem>
  %v = nv_tileas.view %m[%i, %i : index, index] : !nv_tileaa.memref<16x8xf32, strides = [8, 1]> to !nv_tileas.tiled_view<4x8xf32, gmem>
  %b = nv_tileas.alloc_tensor : tensor<2x4x8xf32, #nv_tileas.memory<smem>>
  // CHECK: %s = nv_tileas.view %b {offset = 32 : i64} : tensor<2x4x8xf32, #nv_tileas.memory<smem>> to tensor<4x8xf32, #nv_tileas.memory<smem>>
  %s = nv_tileas.view %b {offset = 32 : i64} : tensor<2x4x8xf32, #nv_tileas.memory<smem>> to tensor<4x8xf32, #nv_tileas.memory<smem>>
  // CHECK-NEXT: %x = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 0, 0)>}
  %x = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileas.tiled_view<4x8xf32, gmem>[index, index] -> tensor<4x8xf32>
  // CHECK-NEXT: nv_tileas.tiled_store %x, %s {atom = #nv_tileas<atom sts_32>, nv_tileas.layout = <(4, 8), (8, 1), swizzle<1, 4, 3>>}
  nv_tileas.tiled_store %x, %s : tensor<4x8xf32>, tensor<4x8xf32, #nv_tileas.memory<smem>>
  // CHECK-NEXT: %y = nv_tileas.tiled_load %s {atom = #nv_tileas<atom lds_32>, {{.*}} : tensor<4x8xf32, #nv_tileas.memory<smem>> -> tensor<4x8xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 0, 0)>>
  %y = nv_tileas.tiled_load %s : tensor<4x8xf32, #nv_tileas.memory<smem>> -> tensor<4x8xf32>
  nv_tileas.tiled_store weak %y, %v[%i, %i] : tensor<4x8xf32>, !nv_tileas.tiled_view<4x8xf32, gmem>[index, index]
  nv_tileaa.return
}

// A pragma gives what its body yields, in the layout in which that is made, whoever uses it.
// CHECK-LABEL: nv_tileaa.func @pragma
nv_tileaa.func @pragma(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %m = nv_tileaa.make_memref %q sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1024>, dimGroups = [[0]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<1024xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
  %x = nv_tileas.tiled_load weak %v[%n] : !nv_tileaa.tiled_view<1024xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<1024xf32>
  %i = arith.constant dense<1> : tensor<1024xi32>
  // CHECK: %y, %j = nv_tileas.pragma : tensor<1024xf32, [[layout:#nv_tileas.layout<\(\(4, 2\), 32, 4, 1\), \(\(1, 512\), 4, 128, 0\)>]]>, tensor<1024xi32, [[other:#nv_tileas.layout<.*>]]> {
  // CHECK-NEXT: nv_tileas.yield %x, %i : tensor<1024xf32, [[layout]]>, tensor<1024xi32, [[other]]>
  %y, %j = nv_tileas.pragma : tensor<1024xf32>, tensor<1024xi32> {
    nv_tileas.yield %x, %i : tensor<1024xf32>, tensor<1024xi32>
  }
  %s = nv_tileas.alloc_tensor : tensor<1024xf32, #nv_tileas.memory<smem>>
  %c = nv_tileas.copy %y into %s : tensor<1024xf32> into tensor<1024xf32, #nv_tileas.memory<smem>> -> tensor<1024xf32, #nv_tileas.memory<smem>>
  nv_tileaa.return
}
