// RUN: xdsl-opt %s -p tileas-plan-tensor-maps | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-plan-tensor-maps{device-tensor-maps=false}' | filecheck %s --check-prefix=NEVER
// RUN: xdsl-opt %s -p 'tileas-plan-tensor-maps{device-tensor-maps=true}' | filecheck %s --check-prefix=ALL

builtin.module attributes {nv_tileaa.abi = "tile", nv_tileaa.target_spec = "sm_90a"} {
  // A loop over tiles of the grid, and loads in a loop inside of it.
  nv_tileaa.func @persistent(%p: !nv_tileaa.ptr<f16>, %m: i32, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f16>
    %r = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %m : i32
    %o = nv_tileaa.make_memref %q sizes = [%r : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x64xf16, strides = [64, 1]>
    %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf16, strides = [64, 1]> -> !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %first = nv_tileaa.get_program_id 0 : i32
    %blocks = nv_tileaa.get_num_programs 0 : i32
    scf.for %tile = %first to %n step %blocks : i32 {
      scf.for %k = %zero to %n step %one : i32 {
        %x, %after = nv_tileas.tiled_load weak %v[%k, %zero] token = %t : !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xf16>, !nv_tileaa.mem_token
      }
    }
    nv_tileaa.return
  }
  // One tile for each tile block.
  nv_tileaa.func @once(%p: !nv_tileaa.ptr<f16>, %m: i32, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f16>
    %r = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %m : i32
    %o = nv_tileaa.make_memref %q sizes = [%r : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x64xf16, strides = [64, 1]>
    %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf16, strides = [64, 1]> -> !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %k = %zero to %n step %one : i32 {
      %x, %after = nv_tileas.tiled_load weak %v[%k, %zero] token = %t : !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>>[i32, i32] -> tensor<64x64xf16>, !nv_tileaa.mem_token
    }
    nv_tileaa.return
  }
}

// CHECK-LABEL: nv_tileaa.func @persistent
// CHECK-SAME:  nv_tileas.device_tensor_maps
// CHECK-LABEL: nv_tileaa.func @once
// CHECK-NOT:   device_tensor_maps

// NEVER-NOT:   device_tensor_maps

// ALL-LABEL:   nv_tileaa.func @persistent
// ALL-SAME:    nv_tileas.device_tensor_maps
// ALL-LABEL:   nv_tileaa.func @once
// ALL-SAME:    nv_tileas.device_tensor_maps
