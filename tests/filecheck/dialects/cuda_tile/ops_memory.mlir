// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Pointers, atomics, tokens, printing and assumptions. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  entry @pointers(%b: tile<ptr<f32>>) {
    %i = iota : tile<8xi32>
    %r = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %s = broadcast %r : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %p = offset %s, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %m = constant <i1: [true, false, true, true, false, true, true, true]> : tile<8xi1>
    %z = constant <f32: 0.0> : tile<8xf32>
    %t = make_token : token
    %0, %t0 = load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
    %1, %t1 = load_ptr_tko weak %p, %m : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
    %2, %t2 = load_ptr_tko relaxed device %p, %m, %z token=%t : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
    %3, %t3 = load_ptr_tko acquire sys %p token=%t optimization_hints = <sm_90 = {latency = 2}> : tile<8xptr<f32>> -> tile<8xf32>, token
    %t4 = store_ptr_tko weak %p, %z : tile<8xptr<f32>>, tile<8xf32> -> token
    %t5 = store_ptr_tko release tl_blk %p, %z, %m token=%t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
    %t6 = store_ptr_tko relaxed device %p, %z token=%t optimization_hints = <default = {latency = 3}> : tile<8xptr<f32>>, tile<8xf32> -> token
    %t7 = join_tokens %t4, %t5, %t6 : token
    %4, %t8 = atomic_rmw_tko relaxed device %p, addf, %z : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    %5, %t9 = atomic_rmw_tko acq_rel sys %p, xchg, %z, %m token=%t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
    %6, %t10 = atomic_cas_tko acquire tl_blk %p, %z, %z : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    %7, %t11 = atomic_cas_tko release device %p, %z, %z, %m token=%t7 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
    %t12 = print_tko "hello\n" -> token
    %t13 = print_tko "%f %i %%\n", %0, %i token=%t : tile<8xf32>, tile<8xi32> -> token
    %a0 = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %a1 = alloca num_elem = 64, alignment = 4 global : tile<ptr<i32>>
    %t14 = gdc_wait_tko -> token
    %t15 = gdc_wait_tko token = %t -> token
    %t16 = gdc_launch_dependents_tko -> token
    %t17 = gdc_launch_dependents_tko token = %t -> token
    %t18 = memory_fence_alias_tko %t
  }
  entry @assumptions(%b: tile<ptr<f32>>, %n: tile<i32>) {
    %0 = assume div_by<16>, %b : tile<ptr<f32>>
    %1 = assume bounded<0, ?>, %n : tile<i32>
    %2 = assume bounded<?, 7>, %1 : tile<i32>
    %3 = assume #cuda_tile.bounded<-5, 7>, %n : tile<i32>
    %i = iota : tile<8xi32>
    %4 = assume div_by<4, every 4 along 0>, %i : tile<8xi32>
    %5 = assume same_elements<[4]>, %4 : tile<8xi32>
    %v = make_tensor_view %0, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
    %6 = assume div_by<16>, %v : tensor_view<32xf32, strides=[1]>
    %7 = broadcast %i : tile<8xi32> -> tile<8xi32>
    %8 = assume div_by<1>, %7 : tile<8xi32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %9 = assume div_by<1>, %y : tile<i32>
    %c = constant <i32: 3> : tile<i32>
    %10 = assume div_by<1>, %c : tile<i32>
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.entry @pointers(%b: tile<ptr<f32>>) {
// CHECK: %i = cuda_tile.iota : tile<8xi32>
// CHECK: %r = cuda_tile.reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK: %s = cuda_tile.broadcast %r : tile<1xptr<f32>> -> tile<8xptr<f32>>
// CHECK: %p = cuda_tile.offset %s, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
// CHECK: %m = cuda_tile.constant <i1: [true, false, true, true, false, true, true, true]> : tile<8xi1>
// CHECK: %z = cuda_tile.constant <f32: 0.000000e+00> : tile<8xf32>
// CHECK: %t = cuda_tile.make_token : token
// CHECK: %[[LOAD_PTR_TKO:.*]], %t0 = cuda_tile.load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
// CHECK: %{{.*}}, %t1 = cuda_tile.load_ptr_tko weak %p, %m : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
// CHECK: %{{.*}}, %t2 = cuda_tile.load_ptr_tko relaxed device %p, %m, %z token=%t : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
// CHECK: %{{.*}}, %t3 = cuda_tile.load_ptr_tko acquire sys %p token=%t optimization_hints = <sm_90 = {latency = 2}> : tile<8xptr<f32>> -> tile<8xf32>, token
// CHECK: %t4 = cuda_tile.store_ptr_tko weak %p, %z : tile<8xptr<f32>>, tile<8xf32> -> token
// CHECK: %t5 = cuda_tile.store_ptr_tko release tl_blk %p, %z, %m token=%t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
// CHECK: %t6 = cuda_tile.store_ptr_tko relaxed device %p, %z token=%t optimization_hints = <default = {latency = 3}> : tile<8xptr<f32>>, tile<8xf32> -> token
// CHECK: %t7 = cuda_tile.join_tokens %t4, %t5, %t6 : token
// CHECK: %{{.*}}, %t8 = cuda_tile.atomic_rmw_tko relaxed device %p, addf, %z : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
// CHECK: %{{.*}}, %t9 = cuda_tile.atomic_rmw_tko acq_rel sys %p, xchg, %z, %m token=%t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
// CHECK: %{{.*}}, %t10 = cuda_tile.atomic_cas_tko acquire tl_blk %p, %z, %z : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
// CHECK: %{{.*}}, %t11 = cuda_tile.atomic_cas_tko release device %p, %z, %z, %m token=%t7 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
// CHECK: %t12 = cuda_tile.print_tko "hello\0A" -> token
// CHECK: %t13 = cuda_tile.print_tko "%f %i %%\0A", %[[LOAD_PTR_TKO]], %i token=%t : tile<8xf32>, tile<8xi32> -> token
// CHECK: %a0 = cuda_tile.alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
// CHECK: %a1 = cuda_tile.alloca num_elem = 64, alignment = 4 global : tile<ptr<i32>>
// CHECK: %t14 = cuda_tile.gdc_wait_tko -> token
// CHECK: %t15 = cuda_tile.gdc_wait_tko token = %t -> token
// CHECK: %t16 = cuda_tile.gdc_launch_dependents_tko -> token
// CHECK: %t17 = cuda_tile.gdc_launch_dependents_tko token = %t -> token
// CHECK: %t18 = cuda_tile.memory_fence_alias_tko %t
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @assumptions(%b: tile<ptr<f32>>, %n: tile<i32>) {
// CHECK: %[[ASSUME:.*]] = cuda_tile.assume div_by<16>, %b : tile<ptr<f32>>
// CHECK: %[[ASSUME2:.*]] = cuda_tile.assume bounded<0, ?>, %n : tile<i32>
// CHECK: %{{.*}} = cuda_tile.assume bounded<?, 7>, %[[ASSUME2]] : tile<i32>
// CHECK: %{{.*}} = cuda_tile.assume bounded<-5, 7>, %n : tile<i32>
// CHECK: %i = cuda_tile.iota : tile<8xi32>
// CHECK: %[[ASSUME3:.*]] = cuda_tile.assume div_by<4, every 4 along 0>, %i : tile<8xi32>
// CHECK: %{{.*}} = cuda_tile.assume same_elements<[4]>, %[[ASSUME3]] : tile<8xi32>
// CHECK: %v = cuda_tile.make_tensor_view %[[ASSUME]], shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
// CHECK: %{{.*}} = cuda_tile.assume div_by<16>, %v : tensor_view<32xf32, strides=[1]>
// CHECK: %[[BROADCAST:.*]] = cuda_tile.broadcast %i : tile<8xi32> -> tile<8xi32>
// CHECK: %{{.*}} = cuda_tile.assume div_by<1>, %[[BROADCAST]] : tile<8xi32>
// CHECK: %x, %y, %z = cuda_tile.get_tile_block_id : tile<i32>
// CHECK: %{{.*}} = cuda_tile.assume div_by<1>, %y : tile<i32>
// CHECK: %c = cuda_tile.constant <i32: 3> : tile<i32>
// CHECK: %{{.*}} = cuda_tile.assume div_by<1>, %c : tile<i32>
// CHECK: cuda_tile.return
