// RUN: xdsl-opt %s -p tileas-plan-cta | filecheck %s

// Two thread blocks have half of the rows each: of the left operand, of the sums and of the result.
// The right operand both have as a whole.

!a = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!left = !nv_tileaa.tiled_view<128x64xf16, !a>
!right = !nv_tileaa.tiled_view<64x128xf16, !a>
!whole = !nv_tileaa.tiled_view<128x128xf16, !a>

// CHECK:      nv_tileaa.func @product
// CHECK-SAME:   {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>, nv_tileaa.cluster_shape = array<i32: 2, 1>}
// CHECK-NEXT:   %[[CTA_ROW:.*]] = nv_tileaa.get_cta_id 0 : i32
// CHECK-NEXT:   %i = nv_tileaa.get_program_id 0 : i32
// CHECK-NEXT:   [[TWO:%.*]] = arith.constant 2 : i32
// CHECK-NEXT:   [[FIRST:%.*]] = arith.muli %i, [[TWO]] : i32
// CHECK-NEXT:   [[PART:%.*]] = nv_tileaa.addi [[FIRST]], %[[CTA_ROW]] : i32
// CHECK-NEXT:   %j = nv_tileaa.get_program_id 1 : i32
// CHECK-NEXT:   %o = nv_tileaa.make_memref %p sizes = [%m, %m :
// CHECK-NEXT:   [[LEFT:%.*]] = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>
// CHECK-NEXT:   %r = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 128>
// CHECK-NEXT:   [[RESULT:%.*]] = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 128>
// CHECK:        [[ZEROS:%.*]] = nv_tileaa.splat %zero : f32 -> tensor<64x128xf32>
// CHECK:        %sums = scf.for %k = %c0 to %n step %c1 iter_args(%acc = [[ZEROS]]) -> (tensor<64x128xf32>)
// CHECK-NEXT:     %x, %tx = nv_tileaa.tiled_load weak [[LEFT]][[[PART]], %k] token = %t : {{.*}} -> tensor<64x64xf16>
// CHECK-NEXT:     %y, %ty = nv_tileaa.tiled_load weak %r[%k, %j] token = %t : {{.*}} -> tensor<64x128xf16>
// CHECK-NEXT:     %d = nv_tileaa.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
// CHECK:        %h = nv_tileaa.fp_to_fp %sums : tensor<64x128xf32> to tensor<64x128xf16>
// CHECK-NEXT:   nv_tileaa.tiled_store weak %h, [[RESULT]][[[PART]], %j] token = %t
nv_tileaa.func @product(%p: !nv_tileaa.ptr<f16>, %m: i32, %s: i32, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>} {
  %i = nv_tileaa.get_program_id 0 : i32
  %j = nv_tileaa.get_program_id 1 : i32
  %o = nv_tileaa.make_memref %p sizes = [%m, %m : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> !a
  %l = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !a -> !left
  %r = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 128>, dimGroups = [[0], [1]]} : !a -> !right
  %w = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 128>, dimGroups = [[0], [1]]} : !a -> !whole
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = nv_tileaa.splat %zero : f32 -> tensor<128x128xf32>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
    %x, %tx = nv_tileaa.tiled_load weak %l[%i, %k] token = %t : !left[i32, i32] -> tensor<128x64xf16>, !nv_tileaa.mem_token
    %y, %ty = nv_tileaa.tiled_load weak %r[%k, %j] token = %t : !right[i32, i32] -> tensor<64x128xf16>, !nv_tileaa.mem_token
    %d = nv_tileaa.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = nv_tileaa.fp_to_fp %sums : tensor<128x128xf32> to tensor<128x128xf16>
  %e = nv_tileaa.tiled_store weak %h, %w[%i, %j] token = %t : tensor<128x128xf16>, !whole[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}

// Tiles of the right operand overlap along what is summed over: there they start where they did, and
// the columns of all are divided. The rows of the left one leave gaps, so that no rows are.

!overlapping = !nv_tileaa.tiled_view<64x128xf16, !a>

// CHECK:      nv_tileaa.func @strides
// CHECK-SAME:   {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>, nv_tileaa.cluster_shape = array<i32: 1, 2>}
// CHECK:        %l = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 64>, tileStrides = array<i64: 144, 64>, dimGroups = {{.*}}}
// CHECK-NEXT:   [[RIGHT:%.*]] = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, tileStrides = array<i64: 33, 64>, dimGroups = {{.*}}}
// CHECK-NEXT:   [[RESULT:%.*]] = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 64>, dimGroups = {{.*}}}
// CHECK:        nv_tileaa.tiled_load weak [[RIGHT]][%i, %{{.*}}] token = %t {padding_value = #nv_tileaa.padding_value<zero>}
nv_tileaa.func @strides(%p: !nv_tileaa.ptr<f16>, %m: i32, %s: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>} {
  %i = nv_tileaa.get_program_id 0 : i32
  %o = nv_tileaa.make_memref %p sizes = [%m, %m : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> !a
  %l = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 64>, tileStrides = array<i64: 144, 64>, dimGroups = [[0], [1]]} : !a -> !left
  %r = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 128>, tileStrides = array<i64: 33, 128>, dimGroups = [[0], [1]]} : !a -> !overlapping
  %w = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 128>, dimGroups = [[0], [1]]} : !a -> !whole
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %zero = arith.constant 0.0 : f16
  %zeros = nv_tileaa.splat %zero : f16 -> tensor<128x128xf16>
  %x, %tx = nv_tileaa.tiled_load weak %l[%i, %i] token = %t : !left[i32, i32] -> tensor<128x64xf16>, !nv_tileaa.mem_token
  %y, %ty = nv_tileaa.tiled_load weak %r[%i, %i] token = %t {padding_value = #nv_tileaa.padding_value<zero>} : !overlapping[i32, i32] -> tensor<64x128xf16>, !nv_tileaa.mem_token
  %d = nv_tileaa.dot %x, %y, %zeros : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf16>
  %e = nv_tileaa.tiled_store weak %d, %w[%i, %i] token = %t : tensor<128x128xf16>, !whole[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}

// Operands of two elements to a byte are divided by rows, with the scales of these.

!octets = !nv_tileaa.memref<?x?xi8, strides = [?, 1]>
!packed = !nv_tileaa.tiled_view<256x64xi8, !octets>
!numbers = !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
!sums = !nv_tileaa.tiled_view<256x64xf32, !numbers>

// CHECK:      nv_tileaa.func @packed
// CHECK-SAME:   {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>, nv_tileaa.cluster_shape = array<i32: 2, 1>}
// CHECK:        %x, %tx = nv_tileaa.tiled_load weak {{.*}} -> tensor<128x64xi8>, !nv_tileaa.mem_token
// CHECK-NEXT:   %f = nv_tileaa.view %x : tensor<128x64xi8> -> tensor<8192xi8>
// CHECK-NEXT:   %u = nv_tileaa.unpack %f : tensor<8192xi8> -> tensor<16384xf4E2M1FN>
// CHECK-NEXT:   %a = nv_tileaa.view %u : tensor<16384xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
// CHECK:        nv_tileaa.dot %a, %b, {{.*}} : tensor<128x128xf4E2M1FN>, tensor<128x64xf4E2M1FN>, tensor<128x64xf32>, tensor<128x4xf8E8M0FNU>, tensor<4x64xf8E8M0FNU>
nv_tileaa.func @packed(%p: !nv_tileaa.ptr<i8>, %q: !nv_tileaa.ptr<f32>, %m: i32, %b: tensor<128x64xf4E2M1FN>, %one: f8E8M0FNU) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>} {
  %i = nv_tileaa.get_program_id 0 : i32
  %o = nv_tileaa.make_memref %p sizes = [%m, %m : i32, i32] strides = [%m : i32] : !nv_tileaa.ptr<i8> -> !octets
  %c = nv_tileaa.make_memref %q sizes = [%m, %m : i32, i32] strides = [%m : i32] : !nv_tileaa.ptr<f32> -> !numbers
  %l = nv_tileaa.block_tile %o {tileSizes = array<i64: 256, 64>, dimGroups = [[0], [1]]} : !octets -> !packed
  %w = nv_tileaa.block_tile %c {tileSizes = array<i64: 256, 64>, dimGroups = [[0], [1]]} : !numbers -> !sums
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %zero = arith.constant 0.0 : f32
  %zeros = nv_tileaa.splat %zero : f32 -> tensor<256x64xf32>
  %s = nv_tileaa.splat %one : f8E8M0FNU -> tensor<256x4xf8E8M0FNU>
  %r = nv_tileaa.splat %one : f8E8M0FNU -> tensor<4x64xf8E8M0FNU>
  %x, %tx = nv_tileaa.tiled_load weak %l[%i, %i] token = %t : !packed[i32, i32] -> tensor<256x64xi8>, !nv_tileaa.mem_token
  %f = nv_tileaa.view %x : tensor<256x64xi8> -> tensor<16384xi8>
  %u = nv_tileaa.unpack %f : tensor<16384xi8> -> tensor<32768xf4E2M1FN>
  %a = nv_tileaa.view %u : tensor<32768xf4E2M1FN> -> tensor<256x128xf4E2M1FN>
  %d = nv_tileaa.dot %a, %b, %zeros scaled by %s, %r : tensor<256x128xf4E2M1FN>, tensor<128x64xf4E2M1FN>, tensor<256x64xf32>, tensor<256x4xf8E8M0FNU>, tensor<4x64xf8E8M0FNU>
  %e = nv_tileaa.tiled_store weak %d, %w[%i, %i] token = %t : tensor<256x64xf32>, !sums[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}

// What happens once is not done by several thread blocks.

// CHECK:      nv_tileaa.func @count
// CHECK-SAME:   {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}
nv_tileaa.func @count(%p: !nv_tileaa.ptr<i32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>} {
  %one = arith.constant 1 : i32
  %old, %t = nv_tileaa.atomic_rmw relaxed gpu add %p, %one : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token
  nv_tileaa.return
}
