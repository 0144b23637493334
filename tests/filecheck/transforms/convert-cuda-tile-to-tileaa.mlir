// RUN: xdsl-opt %s -p convert-cuda-tile-to-tileaa | filecheck %s
// RUN: xdsl-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=80}' | filecheck %s --check-prefix=SM80

// The module names no target: the default is sm_90a.
// CHECK:      builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
// SM80:       builtin.module attributes {nv_tileaa.compute_capability = 80 : i32, nv_tileaa.target_spec = "sm_80"} {

// CHECK-NEXT: builtin.module @kernels {
cuda_tile.module @kernels {
  // Hints of the target become the kernel_spec; a default entry serves the other targets.
  // CHECK-NEXT: nv_tileaa.func @hints() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 2, occupancy = 2>, nv_tileaa.asked_warps} {
  // CHECK-NEXT:   nv_tileaa.return
  // SM80:         nv_tileaa.func @hints() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  entry @hints() optimization_hints=<default = {}, sm_90 = {num_cta_in_cga = 2, num_worker_warps_per_cta = 8, occupancy = 2}> {
  }

  // CHECK: nv_tileaa.func @arithmetic(%a: i32, %b: f32) attributes
  entry @arithmetic(%a: tile<i32>, %b: tile<f32>) {
    // CHECK-NEXT: %sum = nv_tileaa.addf %b, %b rounding<zero> flush_to_zero : f32
    %sum = addf %b, %b rounding<zero> flush_to_zero : tile<f32>
    // CHECK-NEXT: %one = nv_tileaa.splat %a : i32 -> tensor<1xi32>
    %one = reshape %a : tile<i32> -> tile<1xi32>
    // CHECK-NEXT: %many = nv_tileaa.splat %a : i32 -> tensor<64xi32>
    %many = broadcast %one : tile<1xi32> -> tile<64xi32>
    // CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : i32
    // CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : i32
    // CHECK-NEXT: %range = nv_tileaa.make_range %[[C0]], %[[C64]] : i32 -> tensor<64xi32>
    %range = iota : tile<64xi32>
    // CHECK-NEXT: %added = nv_tileaa.addi %many, %range overflow<nsw> : tensor<64xi32>
    %added = addi %many, %range overflow<no_signed_wrap> : tile<64xi32>
    // CHECK-NEXT: %product = arith.muli %added, %range : tensor<64xi32>
    %product = muli %added, %range : tile<64xi32>
    // CHECK-NEXT: %wide = arith.extsi %product : tensor<64xi32> to tensor<64xi64>
    %wide = exti %product signed : tile<64xi32> -> tile<64xi64>
    // CHECK-NEXT: %uwide = arith.extui %product : tensor<64xi32> to tensor<64xi64>
    %uwide = exti %product unsigned : tile<64xi32> -> tile<64xi64>
    // CHECK-NEXT: %less = arith.cmpi slt, %wide, %uwide : tensor<64xi64>
    %less = cmpi less_than %wide, %uwide, signed : tile<64xi64> -> tile<64xi1>
    // CHECK-NEXT: %above = arith.cmpi ugt, %wide, %uwide : tensor<64xi64>
    %above = cmpi greater_than %wide, %uwide, unsigned : tile<64xi64> -> tile<64xi1>
    // CHECK-NEXT: %equal = arith.cmpi eq, %product, %range : tensor<64xi32>
    %equal = cmpi equal %product, %range, unsigned : tile<64xi32> -> tile<64xi1>
    // CHECK-NEXT: %view = nv_tileaa.view %range : tensor<64xi32> -> tensor<8x8xi32>
    %view = reshape %range : tile<64xi32> -> tile<8x8xi32>
    // CHECK-NEXT: %row = nv_tileaa.view %range : tensor<64xi32> -> tensor<1x64xi32>
    %row = reshape %range : tile<64xi32> -> tile<1x64xi32>
    // CHECK-NEXT: %rows = nv_tileaa.broadcast %row : tensor<1x64xi32> -> tensor<4x64xi32>
    %rows = broadcast %row : tile<1x64xi32> -> tile<4x64xi32>
    // CHECK-NEXT: %back = nv_tileaa.extract %one : tensor<1xi32> -> i32
    %back = reshape %one : tile<1xi32> -> tile<i32>
  }

  // CHECK: nv_tileaa.func @division(%a: i32, %b: i32) -> i32 {
  experimental$func @division(%a: tile<i32>, %b: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: %q = arith.divui %a, %b : i32
    %q = divi %a, %b unsigned : tile<i32>
    // CHECK-NEXT: nv_tileaa.return %q : i32
    return %q : tile<i32>
  }

  // Operands whose bits a tensor core would round keep them all.
  // CHECK: nv_tileaa.func @product(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) ->
  testing$func @product(%a: tile<16x8xf32>, %b: tile<8x16xf32>, %c: tile<16x16xf32>) -> tile<16x16xf32> {
    // CHECK-NEXT: %d = nv_tileaa.dot %a, %b, %c {input_precision = "ieee"} : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>
    %d = mmaf %a, %b, %c : tile<16x8xf32>, tile<8x16xf32>, tile<16x16xf32>
    return %d : tile<16x16xf32>
  }

  // CHECK: nv_tileaa.func @constants(%a: i32) attributes
  entry @constants(%a: tile<i32>) {
    // CHECK-NEXT: %scalar = arith.constant 7 : i32
    %scalar = constant <i32: 7> : tile<i32>
    // CHECK-NEXT: %[[C1:.*]] = arith.constant 1.500000e+00 : f32
    // CHECK-NEXT: %splat = nv_tileaa.splat %[[C1]] : f32 -> tensor<16xf32>
    %splat = constant <f32: 1.5> : tile<16xf32>
    // CHECK-NEXT: %dense = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi16>
    %dense = constant <i16: [1, 2, 3, 4]> : tile<4xi16>
    // CHECK-NEXT: %fact = nv_tileaa.assume #nv_tileaa.div_by<8>, %a : i32
    %fact = assume div_by<8>, %a : tile<i32>
    // CHECK-NEXT: %bound = nv_tileaa.assume #nv_tileaa.bounded<0, 100>, %fact : i32
    %bound = assume bounded<0, 100>, %fact : tile<i32>
    // CHECK-NEXT: nv_tileaa.return
  }

  // CHECK: nv_tileaa.func @grid() attributes
  entry @grid() {
    // Only axes with a use are read.
    // CHECK-NEXT: %y = nv_tileaa.get_program_id 1 : i32
    // CHECK-NEXT: %n = nv_tileaa.get_num_programs 0 : i32
    // CHECK-NEXT: nv_tileaa.addi %y, %n : i32
    %x, %y, %z = get_tile_block_id : tile<i32>
    %n, %m, %o = get_num_tile_blocks : tile<i32>
    %s = addi %y, %n : tile<i32>
  }

  // CHECK: nv_tileaa.func @memory(%p: !nv_tileaa.ptr<f32>, %i: i32) attributes
  entry @memory(%p: tile<ptr<f32>>, %i: tile<i32>) {
    // CHECK-NEXT: %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %t = make_token : token
    // CHECK-NEXT: %q = nv_tileaa.addptr %p, %i : !nv_tileaa.ptr<f32>, i32
    %q = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    // CHECK-NEXT: %v, %t1 = nv_tileaa.load acquire gpu %q token = %t : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token
    %v, %t1 = load_ptr_tko acquire device %q token=%t : tile<ptr<f32>> -> tile<f32>, token
    // CHECK-NEXT: %t2 = nv_tileaa.join_mem_token[%t, %t1] : !nv_tileaa.mem_token
    %t2 = join_tokens %t, %t1 : token
    // CHECK-NEXT: %t3 = nv_tileaa.store release sys %q, %v token = %t2 {latency = 3 : i32} : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token
    %t3 = store_ptr_tko release sys %q, %v token=%t2 optimization_hints = <sm_90 = {latency = 3}, sm_80 = {latency = 3}> : tile<ptr<f32>>, tile<f32> -> token
    // CHECK-NEXT: nv_tileaa.return
  }

  // CHECK: nv_tileaa.func @views(%p: !nv_tileaa.ptr<f32>, %n: i32, %s: i32) attributes
  entry @views(%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    // CHECK-NEXT: %tv = nv_tileaa.make_memref %p sizes = [%n : i32] strides = [%s : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
    %tv = make_tensor_view %p, shape = [%n, 64], strides = [%s, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
    // CHECK-NEXT: %pv = nv_tileaa.block_tile %tv {tileSizes = array<i64: 8, 4>, dimGroups = {{\[\[}}1 : i64], [0 : i64]]}
    %pv = make_partition_view %tv : partition_view<tile=(8x4), padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
    // CHECK-NEXT: %v, %t = nv_tileaa.tiled_load weak %pv[%n, %s] {{{.*}}padding_value = #nv_tileaa.padding_value<nan>{{.*}}}
    %v, %t = load_view_tko weak %pv[%n, %s] optimization_hints = <default = {allow_tma = false}> : partition_view<tile=(8x4), padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<8x4xf32>, token
    // CHECK-NEXT: %u = nv_tileaa.tiled_store relaxed tl_blk %v, %pv[%n, %s] token = %t : tensor<8x4xf32>
    %u = store_view_tko relaxed tl_blk %v, %pv[%n, %s] token = %t : tile<8x4xf32>, partition_view<tile=(8x4), padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    // CHECK-NEXT: nv_tileaa.return
  }
}
// CHECK-NOT: cuda_tile
