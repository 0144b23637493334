// RUN: xdsl-opt %s -p tileas-attach-tma-desc-args | filecheck %s
// RUN: xdsl-opt %s -p tileas-attach-tma-desc-args,tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s --check-prefix=LLVM

builtin.module attributes {nv_tileaa.abi = "tile", nv_tileaa.target_spec = "sm_90a"} {
  nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %m: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.device_tensor_maps} {
    %o = nv_tileaa.make_memref %p sizes = [%m : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x64xf16, strides = [64, 1]>
    %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf16, strides = [64, 1]> -> !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>>
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %b = nv_tileas.alloc_tensor : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
    %d = nv_tileas.make_tiled_tma_desc %v[%c128, %c64] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, tmaIdx = 0 : i32} : !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>>, index, index -> !nv_tileas.tma_desc
    %a = nv_tileas.async.tiled_tma_load %d, %b[%c0, %c0], %t {atom = #nv_tileas<atom tma_load_2d>, tx_count = 16384 : i32, tmaIdx = 0 : i32} : !nv_tileas.tma_desc, tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32, !nv_tileaa.mem_token -> !nv_tileas.async_token
    nv_tileas.async.wait %a : !nv_tileas.async_token
    nv_tileaa.return
  }
}

// The parameters stay those of the kernel: sixteen blocks of 128 threads on each of 256 multiprocessors.
// CHECK-LABEL: nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %m: i32) attributes
// CHECK-SAME:  "nv_tileas.num-host-tmas" = 0 : i32, "nv_tileas.num-device-tmas" = 1 : i32
// CHECK-NEXT:  %d = nv_tileas.make_device_tma_descs %p, %m {tensor_maps = [#nv_tileas.tensor_map<128x64xf16, arg0, sizes = [arg1, 64], strides = [64, 1], swizzle = 128B, oob = zero>], slots = 4096 : i32} : !nv_tileaa.ptr<f16>, i32 -> !nv_tileas.tma_desc
// CHECK:       nv_tileas.async.tiled_tma_load %d,

// LLVM-DAG:    llvm.mlir.global internal @k_tensor_map_slots() {addr_space = 1 : i32, alignment = 4 : i64{{.*}} : !llvm.array<16384 x i8>
// LLVM-DAG:    llvm.mlir.global internal @k_tensor_maps() {addr_space = 1 : i32, alignment = 128 : i64{{.*}} : !llvm.array<524288 x i8>
// LLVM:        llvm.atomicrmw xchg {{.*}} syncscope("device") acquire
// LLVM:        nvvm.inline_ptx "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [{$r0}], {$r1};"
// LLVM:        nvvm.inline_ptx "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [{$r0}], 0;"
// LLVM:        nvvm.barrier
// LLVM:        nvvm.inline_ptx "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [{$r0}], [{$r1}], 128;"
// LLVM:        nvvm.barrier
// LLVM:        nvvm.fence.proxy.acquire <gpu>
// LLVM:        nvvm.cp.async.bulk.tensor.shared.cluster.global
// LLVM:        nvvm.barrier
// LLVM:        llvm.atomicrmw xchg {{.*}} syncscope("device") release
// LLVM:        llvm.return
