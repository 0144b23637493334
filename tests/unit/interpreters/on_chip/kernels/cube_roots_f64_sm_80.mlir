builtin.module attributes {nv_tileaa.compute_capability = 80 : i32, nv_tileaa.target_spec = "sm_80"} {
  builtin.module @kernels {
    nv_tileaa.func @cube_roots_f64(%arg0: !nv_tileaa.ptr<f64>, %arg1: i32, %arg2: i32, %arg3: !nv_tileaa.ptr<f64>, %arg4: i32, %arg5: i32, %arg6: f64) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 32 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.tmem_columns = 0 : i32, nv_tileas.synchronized} {
      %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %assume = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg0 : !nv_tileaa.ptr<f64>
      %assume_1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %arg3 : !nv_tileaa.ptr<f64>
      %false = arith.constant false
      %true = arith.constant true
      %assume_2 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg1 : i32
      %tview = nv_tileaa.make_memref %assume sizes = [%assume_2 : i32] : !nv_tileaa.ptr<f64> -> !nv_tileaa.memref<?xf64, strides = [1]>
      %assume_3 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %arg4 : i32
      %tview_1 = nv_tileaa.make_memref %assume_1 sizes = [%assume_3 : i32] : !nv_tileaa.ptr<f64> -> !nv_tileaa.memref<?xf64, strides = [1]>
      %blockId_x = nv_tileaa.get_program_id 0 : i32
      %pview = nv_tileaa.block_tile %tview {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<?xf64, strides = [1]> -> !nv_tileaa.tiled_view<128xf64, !nv_tileaa.memref<?xf64, strides = [1]>>
      %tile, %result_token = nv_tileas.tiled_load weak %pview[%blockId_x] token = %0 {atom = #nv_tileas<atom ldg_64>, nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<128xf64, !nv_tileaa.memref<?xf64, strides = [1]>>[i32] -> tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.mem_token
      %cst_0_f64 = arith.constant 0.000000e+00 : f64
      %bcast = nv_tileaa.splat %cst_0_f64 : f64 -> tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %1 = arith.cmpf oeq, %tile, %bcast : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %cst_1_f64 = arith.constant 1.000000e+00 : f64
      %bcast_1 = nv_tileaa.splat %cst_1_f64 : f64 -> tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %2 = arith.select %1, %bcast_1, %tile : tensor<128xi1, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %cst_1_f64_1 = arith.constant 1.000000e+00 : f64
      %bcast_2 = nv_tileaa.splat %cst_1_f64_1 : f64 -> tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %3 = arith.maxnumf %2, %bcast_2 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %cst_50_i32 = arith.constant 50 : i32
      %cst_0_i32 = arith.constant 0 : i32
      %cst_1_i32 = arith.constant 1 : i32
      %cst_3_f64 = arith.constant 3.000000e+00 : f64
      %bcast_3 = nv_tileaa.splat %cst_3_f64 : f64 -> tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
      %4 = arith.constant 0 : i32
      %for, %for_1 = scf.for %loopIdx = %cst_0_i32 to %cst_50_i32 step %cst_1_i32 iter_args(%iterArg0 = %3, %iterArg1 = %false) -> (tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1) : i32 {
        %5, %6, %7 = scf.if %iterArg1 -> (i32, tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1) {
          %8 = arith.constant 1 : i32
          scf.yield %8, %iterArg0, %iterArg1 : i32, tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
        } else {
          %9 = ub.poison : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %10 = ub.poison : i1
          %11 = arith.constant 0 : i32
          scf.yield %11, %9, %10 : i32, tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
        }
        %12 = arith.cmpi eq, %5, %4 : i32
        %13, %14 = scf.if %12 -> (tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1) {
          %15 = nv_tileaa.mulf %iterArg0, %iterArg0 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %16 = nv_tileaa.divf %2, %15 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %17 = nv_tileaa.subf %iterArg0, %16 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %18 = nv_tileaa.divf %17, %bcast_3 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %19 = nv_tileaa.subf %iterArg0, %18 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %20 = nv_tileaa.subf %19, %iterArg0 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %21 = math.absf %20 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          %22 = nv_tileaa.divf %21, %iterArg0 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
          nv_tileas.barrier agent
          %reduce = nv_tileas.reduce %22 {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 32>, axis = 0 : i32, identities = [0x7ff0000000000000 : f64]} : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> -> f64 {
          ^bb0(%reduce_lhs: f64, %reduce_rhs: f64):
            %23 = arith.maxnumf %reduce_lhs, %reduce_rhs : f64
            nv_tileas.yield %23 : f64
          }
          %24 = arith.cmpf olt, %reduce, %arg6 : f64
          %25, %26, %27 = scf.if %24 -> (i32, tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1) {
            %28 = arith.constant 1 : i32
            scf.yield %28, %19, %true : i32, tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
          } else {
            %29 = ub.poison : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
            %30 = ub.poison : i1
            %31 = arith.constant 0 : i32
            scf.yield %31, %29, %30 : i32, tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
          }
          %32 = arith.constant 0 : i32
          %33 = arith.cmpi eq, %25, %32 : i32
          %34, %35 = scf.if %33 -> (tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1) {
            %36 = arith.constant 1 : i32
            scf.yield %19, %iterArg1 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
          } else {
            scf.yield %26, %27 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
          }
          scf.yield %34, %35 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
        } else {
          scf.yield %6, %7 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
        }
        scf.yield %13, %14 : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, i1
      }
      %pview_1 = nv_tileaa.block_tile %tview_1 {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<?xf64, strides = [1]> -> !nv_tileaa.tiled_view<128xf64, !nv_tileaa.memref<?xf64, strides = [1]>>
      %37 = nv_tileas.tiled_store weak %for, %pview_1[%blockId_x] token = %0 {atom = #nv_tileas<atom stg_64>, nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>} : tensor<128xf64, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>, !nv_tileaa.tiled_view<128xf64, !nv_tileaa.memref<?xf64, strides = [1]>>[i32] -> !nv_tileaa.mem_token
      nv_tileaa.return
    }
  }
}
