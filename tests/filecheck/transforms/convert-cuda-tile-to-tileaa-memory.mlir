// RUN: xdsl-opt %s -p convert-cuda-tile-to-tileaa | filecheck %s

// Memory, views, atomics and tokens.

cuda_tile.module @m {
  // CHECK: nv_tileaa.global private constant @table = #nv_tileaa.elements<[1, 2] : tensor<2xi32>>
  global private constant @table <i32: [1, 2]> : tile<2xi32>
  // CHECK: nv_tileaa.func @ops(%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<i32, multicast>, %n: i32, %where: tensor<8xi32>, %ptrs: tensor<8x!nv_tileaa.ptr<f32>>, %x: tensor<8xf32>, %y: tensor<8xf32>, %m: tensor<8xi1>, %tile: tensor<4x8xf32>) {
  testing$func @ops(%p: tile<ptr<f32>>, %q: tile<ptr<i32, <multicast>>>, %n: tile<i32>, %where: tile<8xi32>, %ptrs: tile<8xptr<f32>>, %x: tile<8xf32>, %y: tile<8xf32>, %m: tile<8xi1>, %tile: tile<4x8xf32>) {
    // CHECK-NEXT: %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %t = make_token : token
    // CHECK-NEXT: %global = nv_tileaa.get_global @table : !nv_tileaa.ptr<i32>
    %global = get_global @table : tile<ptr<i32>>
    // CHECK-NEXT: %alloca = nv_tileaa.alloca {num_elements = 64 : i64, alignment = 16 : i64} : !nv_tileaa.ptr<f32>
    %alloca = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    // CHECK-NEXT: %tview = nv_tileaa.make_memref %p sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
    %tview = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    // CHECK-NEXT: %parts = nv_tileaa.block_tile %tview {tileSizes = array<i64: 4, 8>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
    %parts = make_partition_view %tview : partition_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    // CHECK-NEXT: %strided = nv_tileaa.block_tile %tview {tileSizes = array<i64: 4, 8>, tileStrides = array<i64: 4, 3>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
    %strided = make_strided_view %tview : strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>>
    // CHECK-NEXT: %gather = nv_tileaa.block_tile %tview {tileSizes = array<i64: 8, 8>, tileStrides = array<i64: 1, 1>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
    %gather = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
    // CHECK-NEXT: %size = nv_tileaa.get_dim_size %tview {axis = 0 : i32} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> i32
    // CHECK-NEXT: %{{.*}} = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> i32
    %size:2 = get_tensor_shape %tview : tensor_view<?x64xf32, strides=[64,1]> -> tile<i32>
    // CHECK-NEXT: %[[SIZE:.*]] = nv_tileaa.get_dim_size %tview {axis = 0 : i32} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> i64
    // CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : i64
    // CHECK-NEXT: %[[COUNT:.*]] = arith.ceildivui %[[SIZE]], %[[C4]] : i64
    // CHECK-NEXT: %count = nv_tileaa.trunci %[[COUNT]] : i64 to i32
    // CHECK-NEXT: %[[SIZE2:.*]] = nv_tileaa.get_dim_size %tview {axis = 1 : i32} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> i64
    // CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : i64
    // CHECK-NEXT: %[[COUNT2:.*]] = arith.ceildivui %[[SIZE2]], %[[C3]] : i64
    // CHECK-NEXT: %{{.*}} = nv_tileaa.trunci %[[COUNT2]] : i64 to i32
    %count:2 = get_index_space_shape %strided : strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>> -> tile<i32>
    // CHECK-NEXT: %load, %t0 = nv_tileaa.tiled_load weak %parts[%n, %n] token = %t {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>[i32, i32] -> tensor<4x8xf32>, !nv_tileaa.mem_token
    %load, %t0 = load_view_tko weak %parts[%n, %n] token = %t : partition_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    // CHECK-NEXT: %step, %t1 = nv_tileaa.tiled_load relaxed sys %strided[%n, %n] {in_bounds = array<i1: true, false>} : !nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>[i32, i32] -> tensor<4x8xf32>, !nv_tileaa.mem_token
    %step, %t1 = load_view_tko relaxed sys %strided[%n, %n] inbounds = [true, false] : strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    // CHECK-NEXT: %rows, %t2 = nv_tileaa.gather_load weak %gather[%where, %n] {sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<8x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>[tensor<8xi32>, i32] -> tensor<8x8xf32>, !nv_tileaa.mem_token
    %rows, %t2 = load_view_tko weak %gather[%where, %n] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
    // CHECK-NEXT: %t3 = nv_tileaa.tiled_store weak %tile, %parts[%n, %n] token = %t0 : tensor<4x8xf32>, !nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>[i32, i32] -> !nv_tileaa.mem_token
    %t3 = store_view_tko weak %tile, %parts[%n, %n] token = %t0 : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    // CHECK-NEXT: %t4 = nv_tileaa.scatter_store weak %rows, %gather[%where, %n] {sparse_dim = 0 : i32} : tensor<8x8xf32>, !nv_tileaa.tiled_view<8x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>[tensor<8xi32>, i32] -> !nv_tileaa.mem_token
    %t4 = store_view_tko weak %rows, %gather[%where, %n] : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token
    // CHECK-NEXT: %t5 = nv_tileaa.tiled_atomic_rmw relaxed gpu add %tile, %strided[%n, %n] : tensor<4x8xf32>, !nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>[i32, i32] -> !nv_tileaa.mem_token
    %t5 = atomic_red_view_tko relaxed device %strided[%n, %n], addf, %tile : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    // CHECK-NEXT: %value, %t6 = nv_tileaa.load acquire gpu %ptrs mask = %m : tensor<8xi1> other = %x : tensor<8xf32> token = %t : tensor<8x!nv_tileaa.ptr<f32>> -> tensor<8xf32>, !nv_tileaa.mem_token
    %value, %t6 = load_ptr_tko acquire device %ptrs, %m, %x token=%t : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
    // CHECK-NEXT: %t7 = nv_tileaa.store release sys %ptrs, %x mask = %m : tensor<8xi1> token = %t6 : tensor<8x!nv_tileaa.ptr<f32>>, tensor<8xf32> -> !nv_tileaa.mem_token
    %t7 = store_ptr_tko release sys %ptrs, %x, %m token=%t6 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
    // CHECK-NEXT: %old, %t8 = nv_tileaa.atomic_rmw relaxed gpu addf %ptrs, %x mask = %m : tensor<8xi1> : tensor<8x!nv_tileaa.ptr<f32>>, tensor<8xf32> -> tensor<8xf32>, !nv_tileaa.mem_token
    %old, %t8 = atomic_rmw_tko relaxed device %ptrs, addf, %x, %m : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
    // CHECK-NEXT: %seen, %t9 = nv_tileaa.atomic_cas acquire tl_blk %ptrs, %x, %y : tensor<8x!nv_tileaa.ptr<f32>>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>, !nv_tileaa.mem_token
    %seen, %t9 = atomic_cas_tko acquire tl_blk %ptrs, %x, %y : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    // CHECK-NEXT: %joined = nv_tileaa.join_mem_token[%t7, %t8] : !nv_tileaa.mem_token
    %joined = join_tokens %t7, %t8 : token
    // CHECK-NEXT: %many = nv_tileaa.make_memref %q sizes = [%n : i32] : !nv_tileaa.ptr<i32, multicast> -> !nv_tileaa.memref<?x64xi32, strides = [64, 1], multicast>
    %many = make_tensor_view %q, shape = [%n, 64], strides = [64, 1] : tile<ptr<i32, <multicast>>>, tile<i32> -> tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
    // CHECK-NEXT: %devices = nv_tileaa.block_tile %many {tileSizes = array<i64: 4, 8>, dimGroups = [[0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x64xi32, strides = [64, 1], multicast> -> !nv_tileaa.tiled_view<4x8xi32, !nv_tileaa.memref<?x64xi32, strides = [64, 1], multicast>>
    %devices = make_partition_view %many : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
    // CHECK-NEXT: %reduced, %ta = nv_tileaa.multimem_load_reduce relaxed gpu and %devices[%n, %n] token = %t : !nv_tileaa.tiled_view<4x8xi32, !nv_tileaa.memref<?x64xi32, strides = [64, 1], multicast>>[i32, i32] -> tensor<4x8xi32>, !nv_tileaa.mem_token
    %reduced, %ta = multimem_load_reduce_view_tko relaxed device %devices[%n, %n] token = %t attributes {reduction = #cuda_tile.multimem_reduction_kind<and>} : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x8xi32>, token
    // CHECK-NEXT: %tb = nv_tileaa.multimem_reduce relaxed gpu umax %reduced, %devices[%n, %n] : tensor<4x8xi32>, !nv_tileaa.tiled_view<4x8xi32, !nv_tileaa.memref<?x64xi32, strides = [64, 1], multicast>>[i32, i32] -> !nv_tileaa.mem_token
    %tb = multimem_reduce_view_tko relaxed device %devices, %reduced[%n, %n] attributes {reduction = #cuda_tile.multimem_reduction_kind<umax>} : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xi32>, tile<i32> -> token
    // CHECK-NEXT: %tc = nv_tileaa.multimem_store weak %reduced, %devices[%n, %n] token = %t : tensor<4x8xi32>, !nv_tileaa.tiled_view<4x8xi32, !nv_tileaa.memref<?x64xi32, strides = [64, 1], multicast>>[i32, i32] -> !nv_tileaa.mem_token
    %tc = multimem_store_view_tko weak %devices, %reduced[%n, %n] token = %t : partition_view<tile=(4x8), tensor_view<?x64xi32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xi32>, tile<i32>, token -> token
    // CHECK-NEXT: %td = nv_tileaa.memory_fence_alias %joined : !nv_tileaa.mem_token
    %td = memory_fence_alias_tko %joined
    // CHECK-NEXT: %te = nv_tileaa.gdc_wait %t : !nv_tileaa.mem_token
    %te = gdc_wait_tko token = %t -> token
    // CHECK-NEXT: %tf = nv_tileaa.gdc_launch_dependents : !nv_tileaa.mem_token
    %tf = gdc_launch_dependents_tko -> token
    // CHECK-NEXT: %tg = nv_tileaa.print "%f\0A", %x : tensor<8xf32> token = %t -> !nv_tileaa.mem_token
    %tg = print_tko "%f\n", %x token=%t : tile<8xf32> -> token
    // CHECK-NEXT: nv_tileaa.assert %m, "in bounds" : tensor<8xi1>
    assert %m, "in bounds" : tile<8xi1>
    // CHECK-NEXT: nv_tileaa.return
  }
}
