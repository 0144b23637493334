// RUN: xdsl-opt %s -p tilecpu-group,convert-tileaa-to-tilecpu,tilecpu-assign-buffers,convert-tilecpu-to-llvm | filecheck %s
// RUN: xdsl-opt %s -p 'tilecpu-group,convert-tileaa-to-tilecpu,tilecpu-assign-buffers,convert-tilecpu-to-llvm{unchecked=true}' | filecheck %s --check-prefix UNCHECKED

// One function executes a range of tile blocks. Before each nest its tile is compared with the
// arrays of the launch, and with its own array: one version of the nest has no masks.

// CHECK-DAG:  llvm.func @tileir_inside(!llvm.ptr, i64, i64) -> i1
// CHECK:      llvm.func @center(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr, %[[CONTEXT:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64) attributes {tilecpu.arena_bytes = 320 : i64, tilecpu.blocks_per_task = 64 : i64, tilecpu.sites = [
// CHECK:        llvm.load %[[CONTEXT]] atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK:        llvm.call @tileir_inside(%[[CONTEXT]],
// CHECK:        llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:        llvm.store %{{.*}}, %{{.*}} {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
// CHECK:        llvm.fadd %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:        llvm.intr.masked.load
// UNCHECKED-NOT: llvm.call @
// UNCHECKED:  llvm.func @show(

!a = !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
!v = !nv_tileaa.tiled_view<1x64xf32, !a>
nv_tileaa.func @center(%p: !nv_tileaa.ptr<f32>, %n: i32, %s: i32, %q: !nv_tileaa.ptr<f32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %i = nv_tileaa.get_program_id 0 : i32
  %a = nv_tileaa.make_memref %p sizes = [%n, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f32> -> !a
  %v = nv_tileaa.block_tile %a {tileSizes = array<i64: 1, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !a -> !v
  %b = nv_tileaa.make_memref %q sizes = [%n, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f32> -> !a
  %w = nv_tileaa.block_tile %b {tileSizes = array<i64: 1, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !a -> !v
  %x, %tx = nv_tileaa.tiled_load weak %v[%i, %zero] token = %t {padding_value = #nv_tileaa.padding_value<zero>} : !v[i32, i32] -> tensor<1x64xf32>, !nv_tileaa.mem_token
  %sum = nv_tileaa.reduce %x {axis = 1 : i32} : tensor<1x64xf32> -> tensor<1xf32> {
  ^bb0(%l: f32, %r: f32):
    %add = nv_tileaa.addf %l, %r : f32
    nv_tileaa.yield %add : f32
  }
  %column = nv_tileaa.view %sum : tensor<1xf32> -> tensor<1x1xf32>
  %row = nv_tileaa.broadcast %column : tensor<1x1xf32> -> tensor<1x64xf32>
  %c = arith.constant 0.015625 : f32
  %scale = nv_tileaa.splat %c : f32 -> tensor<1x64xf32>
  %mean = nv_tileaa.mulf %row, %scale : tensor<1x64xf32>
  %y = nv_tileaa.subf %x, %mean : tensor<1x64xf32>
  %ty = nv_tileaa.tiled_store weak %y, %w[%i, %zero] token = %t : tensor<1x64xf32>, !v[i32, i32] -> !nv_tileaa.mem_token
  nv_tileaa.return
}

// Blocks print one after the other. All lanes of a condition are tested at once.

// CHECK-LABEL: llvm.func @show(
// CHECK-SAME:    tilecpu.serial, tilecpu.sites = [{op = "assert", location = "", message = "within n"}, {op = "print", location = "", message = "%d of %d", operands = [!tilecpu.buffer<16xi1>, !tilecpu.buffer<i32>]}]
// CHECK:         llvm.call_intrinsic "llvm.vector.reduce.and.v16i1"
// CHECK:         llvm.call @tileir_fault(
// CHECK:         llvm.call @tileir_print(

nv_tileaa.func @show(%p: !nv_tileaa.ptr<i32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %end = arith.constant 16 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<16xi32>
  %m = nv_tileaa.splat %n : i32 -> tensor<16xi32>
  %less = arith.cmpi slt, %x, %m : tensor<16xi32>
  nv_tileaa.assert %less, "within n" : tensor<16xi1>
  %t = nv_tileaa.print "%d of %d", %less, %n : tensor<16xi1>, i32 -> !nv_tileaa.mem_token
  nv_tileaa.return
}

// The rows of a slice are copied one by one.

// CHECK-LABEL: llvm.func @slice(
// CHECK:         llvm.call_intrinsic "llvm.umin.i64"
// CHECK:         llvm.call_intrinsic "llvm.memcpy.p0.p0.i64"

nv_tileaa.func @slice(%p: !nv_tileaa.ptr<i32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %a = nv_tileaa.splat %n : i32 -> tensor<8x8xi32>
  %b = nv_tileaa.extract_slice %a[%zero, %n : i32, i32] : tensor<8x8xi32> -> tensor<8x4xi32>
  %t = nv_tileaa.print "%d", %b : tensor<8x4xi32> -> !nv_tileaa.mem_token
  nv_tileaa.return
}
