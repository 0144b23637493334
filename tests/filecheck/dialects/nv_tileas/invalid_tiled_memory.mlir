// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: mem_scope required when mem_semantic is not weak
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load relaxed %v[%i, %i] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: unsupported mem_semantic: release
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load release gpu %v[%i, %i] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: unsupported mem_semantic: acq_rel
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load acq_rel gpu %v[%i, %i] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: unsupported mem_semantic: acquire
%v, %i, %a = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16x8xf32>)
nv_tileas.tiled_store acquire gpu %a, %v[%i, %i] : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[i32, i32]

// -----
// CHECK: expects 2 coordinates, but got 1
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i] : !nv_tileaa.tiled_view<16x8xf32>[i32] -> tensor<16x8xf32>

// -----
// CHECK: expects 0 coordinates, but got 1
%v, %i = "test.op"() : () -> (memref<16xf32>, i32)
%a = nv_tileas.tiled_load %v[%i] : memref<16xf32>[i32] -> tensor<16xf32>

// -----
// CHECK: expects 2 offsets or none, but got 1
%v, %i, %o = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, index)
%a = nv_tileas.tiled_load weak %v[%i, %i] offset [%o] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: requires the same size for tileSize and tensor
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x16xf32>

// -----
// CHECK: requires the same shape for tileSize and tensor value
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<8x16xf32>

// -----
// CHECK: view elementType not equal with tensor element type: f32 != f16
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf16>

// -----
// CHECK: all dimensions must be powers of two, got [12]
%v, %x = "test.op"() : () -> (!nv_tileas.tiled_view<12xf32, smem>, index)
%a = nv_tileas.tiled_load weak %v[%x] : !nv_tileas.tiled_view<12xf32, smem>[index] -> tensor<12xf32>

// -----
// CHECK: tmaBoxDim and atomBoxDim length mismatch
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom tma_load_3d>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: incorrect number of in_bounds elements: expected 2, but found 1
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {in_bounds = array<i1: true>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: inbounds must be false when paddingValue is set
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {in_bounds = array<i1: true, true>, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: special padding values (nan, pos_inf, neg_inf, neg_zero) only for float-like element types
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xi32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {padding_value = #nv_tileaa.padding_value<nan>} : !nv_tileaa.tiled_view<16x8xi32>[i32, i32] -> tensor<16x8xi32>

// -----
// CHECK: requires the same type for token and result token
%v, %i, %t = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, !nv_tileaa.mem_token)
%a, %u = nv_tileas.tiled_load weak %v[%i, %i] token = %t : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>, !nv_tileas.async_token

// -----
// CHECK: expects a destination buffer with the shape and elements of tensor<16x8xf32>, but got tensor<8x8xf32>
%v, %i, %b = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<8x8xf32>)
%a = nv_tileas.async.tiled_load weak %v[%i, %i] into %b : tensor<8x8xf32> : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> !async.value<tile<16x8xf32>>

// -----
// CHECK: memScope required when memSemantic is not weak
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xf32, gmem>, i32, tensor<16xf32>)
%o = nv_tileas.tiled_atomic_rmw acq_rel %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<add>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[i32] -> tensor<16xf32>

// -----
// CHECK: requires the same shape and element type for value and result
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xf32, gmem>, i32, tensor<16xf32>)
%o = nv_tileas.tiled_atomic_rmw relaxed gpu %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<add>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[i32] -> tensor<8xf32>

// -----
// CHECK: tiled_atomic_rmw not supported for 8-bit types
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xi8, gmem>, i32, tensor<16xi8>)
%o = nv_tileas.tiled_atomic_rmw relaxed gpu %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<add>} : tensor<16xi8>, !nv_tileas.tiled_view<16xi8, gmem>[i32] -> tensor<16xi8>

// -----
// CHECK: tiled_atomic_rmw not supported for 8-bit types
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xf8E4M3FN, gmem>, i32, tensor<16xf8E4M3FN>)
%o = nv_tileas.tiled_atomic_rmw relaxed gpu %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<add>} : tensor<16xf8E4M3FN>, !nv_tileas.tiled_view<16xf8E4M3FN, gmem>[i32] -> tensor<16xf8E4M3FN>

// -----
// CHECK: tiled_atomic_rmw not supported for 16-bit integer
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xi16, gmem>, i32, tensor<16xi16>)
%o = nv_tileas.tiled_atomic_rmw relaxed gpu %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<umax>} : tensor<16xi16>, !nv_tileas.tiled_view<16xi16, gmem>[i32] -> tensor<16xi16>

// -----
// CHECK: tiled_atomic_rmw for 16-bit float only supports add, max, min operations
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xf16, gmem>, i32, tensor<16xf16>)
%o = nv_tileas.tiled_atomic_rmw relaxed gpu %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<xchg>} : tensor<16xf16>, !nv_tileas.tiled_view<16xf16, gmem>[i32] -> tensor<16xf16>

// -----
// CHECK: memScope not supported when memSemantic is weak
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xf32, gmem>, i32, tensor<16xf32>)
%o = nv_tileas.tiled_atomic_rmw weak gpu %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<add>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[i32] -> tensor<16xf32>

// -----
// CHECK: mem_scope not supported when mem_semantic is weak
%v, %i = "test.op"() : () -> (!nv_tileas.tiled_view<16xf32, gmem>, i32)
%o = nv_tileas.tiled_load weak gpu %v[%i] : !nv_tileas.tiled_view<16xf32, gmem>[i32] -> tensor<16xf32>

// -----
// CHECK: expect a ldgsts, tma_load, ldg or unknown_copy atom type
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom stg_32>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expect a ldgsts, tma_load, ldg or unknown_copy atom type
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom tma_store_2d>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expect a ldgsts, tma_load, ldg or unknown_copy atom type
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom mma_f16_f16_f32>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expect a ldgsts, tma_load, ldg or unknown_copy atom type
%v, %i = "test.op"() : () -> (!nv_tileas.tiled_view<16x8xf32, gmem>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom lds_32>} : !nv_tileas.tiled_view<16x8xf32, gmem>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expect a lds, ldsm or unknown_copy atom type
%v, %i = "test.op"() : () -> (!nv_tileas.tiled_view<16x8xf32, smem>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom ldg_32>} : !nv_tileas.tiled_view<16x8xf32, smem>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expect a tmem_load or unknown_copy atom type
%v, %i = "test.op"() : () -> (!nv_tileas.tiled_view<16x8xf32, tmem>, i32)
%a = nv_tileas.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom lds_32>} : !nv_tileas.tiled_view<16x8xf32, tmem>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expect a ldgsts, tma_load, ldg or unknown_copy atom type
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a = nv_tileas.async.tiled_load weak %v[%i, %i] {atom = #nv_tileas<atom stg_32>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> !async.value<tile<16x8xf32>>

// -----
// CHECK: expect a stg, tma_store or unknown_copy atom type
%v, %i, %a = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16x8xf32>)
nv_tileas.tiled_store weak %a, %v[%i, %i] {atom = #nv_tileas<atom ldg_32>} : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[i32, i32]

// -----
// CHECK: expect a stg, tma_store or unknown_copy atom type
%v, %i, %a = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16x8xf32>)
nv_tileas.tiled_store weak %a, %v[%i, %i] {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[i32, i32]

// -----
// CHECK: expect a sts, stsm or unknown_copy atom type
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16x8xf32, smem>, i32, tensor<16x8xf32>)
nv_tileas.tiled_store weak %a, %v[%i, %i] {atom = #nv_tileas<atom stg_32>} : tensor<16x8xf32>, !nv_tileas.tiled_view<16x8xf32, smem>[i32, i32]

// -----
// CHECK: expect a tma_redg or unknown_copy atom type
%v, %i, %a = "test.op"() : () -> (!nv_tileas.tiled_view<16xf32, gmem>, i32, tensor<16xf32>)
%o = nv_tileas.tiled_atomic_rmw relaxed gpu %a, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<add>, atom = #nv_tileas<atom stg_32>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[i32] -> tensor<16xf32>

// -----
// CHECK: requires a result token if and only if a token is given, but got 0 tokens and 1 result tokens
%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32)
%a, %u = nv_tileas.tiled_load weak %v[%i, %i] : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>, !nv_tileaa.mem_token

// -----
// CHECK: requires a result token if and only if a token is given, but got 1 tokens and 0 result tokens
%v, %i, %t = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, !nv_tileaa.mem_token)
%a = nv_tileas.tiled_load weak %v[%i, %i] token = %t : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: requires a result token if and only if a token is given, but got 0 tokens and 1 result tokens
%v, %i, %a = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16x8xf32>)
%u = nv_tileas.tiled_store weak %a, %v[%i, %i] : tensor<16x8xf32>, !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> !nv_tileaa.mem_token

// -----
// CHECK: expects a mask of i1 elements with the shape of tensor<16x8xf32>
%v, %i, %m = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16x8xi8>)
%a = nv_tileas.tiled_load weak %v[%i, %i] mask = %m : tensor<16x8xi8> : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expects a masked access to be of global memory
%v, %x, %m = "test.op"() : () -> (!nv_tileas.tiled_view<16xf32, smem>, index, tensor<16xi1>)
%a = nv_tileas.tiled_load weak %v[%x] mask = %m : tensor<16xi1> : !nv_tileas.tiled_view<16xf32, smem>[index] -> tensor<16xf32>

// -----
// CHECK: expects a masked access to be of a view, but got memref<16xf32>
%v, %a, %m = "test.op"() : () -> (memref<16xf32>, tensor<16xf32>, tensor<16xi1>)
nv_tileas.tiled_store weak %a, %v mask = %m : tensor<16xi1> : tensor<16xf32>, memref<16xf32>

// -----
// CHECK: expects an atom that can omit single elements (a plain load or store of global memory), but got tma_load
%v, %i, %m = "test.op"() : () -> (!nv_tileaa.tiled_view<16x8xf32>, i32, tensor<16x8xi1>)
%a = nv_tileas.tiled_load weak %v[%i, %i] mask = %m : tensor<16x8xi1> {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.tiled_view<16x8xf32>[i32, i32] -> tensor<16x8xf32>

// -----
// CHECK: expects a view or a buffer in memory, but got tensor<16xf32, #nv_tileas.memory<rmem>>, which is in registers
%b = "test.op"() : () -> tensor<16xf32, #nv_tileas.memory<rmem>>
%a = nv_tileas.tiled_load weak %b : tensor<16xf32, #nv_tileas.memory<rmem>> -> tensor<16xf32>

// -----
// CHECK: expects a view of global memory, but got !nv_tileas.tiled_view<16xi32, smem>
%v, %x, %i = "test.op"() : () -> (!nv_tileas.tiled_view<16xi32, smem>, tensor<16xi32>, index)
%a = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<add>} : tensor<16xi32>, !nv_tileas.tiled_view<16xi32, smem>[index] -> tensor<16xi32>

// -----
// CHECK: tiled_atomic_rmw op cannot use and operation on f32
%v, %x, %i = "test.op"() : () -> (!nv_tileas.tiled_view<16xf32, gmem>, tensor<16xf32>, index)
%a = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<and>} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[index] -> tensor<16xf32>

// -----
// CHECK: tiled_atomic_rmw op cannot use addf operation on i32
%v, %x, %i = "test.op"() : () -> (!nv_tileas.tiled_view<16xi32, gmem>, tensor<16xi32>, index)
%a = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %v[%i] {rmw_mode = #nv_tileas.rmw_mode<addf>} : tensor<16xi32>, !nv_tileas.tiled_view<16xi32, gmem>[index] -> tensor<16xi32>
