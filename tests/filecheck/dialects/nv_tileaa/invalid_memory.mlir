// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | %check-parts %s

// CHECK: mem_scope not supported when mem_semantic is weak
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
%v, %t = nv_tileaa.load weak gpu %p : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: mem_scope required when mem_semantic is not weak
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
%v, %t = nv_tileaa.load relaxed %p : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: unsupported mem_semantic: release
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
%v, %t = nv_tileaa.load release gpu %p : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: unsupported mem_semantic: acquire
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<f32>, f32)
%t = nv_tileaa.store acquire gpu %p, %v : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token

// -----
// CHECK: expects pointers, but got f32
%p = "test.op"() : () -> (f32)
%v, %t = nv_tileaa.load weak %p : f32 -> f32, !nv_tileaa.mem_token

// -----
// CHECK: expects one pointer to f64 for each element of f64, but got !nv_tileaa.ptr<f32>
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
%v, %t = nv_tileaa.load weak %p : !nv_tileaa.ptr<f32> -> f64, !nv_tileaa.mem_token

// -----
// CHECK: expects a mask of i1 elements with the shape of f32
%p, %m = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i8)
%v, %t = nv_tileaa.load weak %p mask = %m : i8 : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: requires the same type for other and value
%p, %o = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i32)
%v, %t = nv_tileaa.load weak %p other = %o : i32 : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: unknown copy atom 'ldg_3'
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
%v, %t = nv_tileaa.load weak %p {copy_atom = #cute_nvgpu.copy_atom<ldg_3>} : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token

// -----
// CHECK: expects pointers, but got i64
%p = "test.op"() : () -> (i64)
%q = nv_tileaa.addptr %p, %p : i64, i64

// -----
// CHECK: expects an integer offset, but got f32
%p, %o = "test.op"() : () -> (!nv_tileaa.ptr<f32>, f32)
%q = nv_tileaa.addptr %p, %o : !nv_tileaa.ptr<f32>, f32

// -----
// CHECK: requires the same shape for pointer and offset
%p, %o = "test.op"() : () -> (!nv_tileaa.ptr<f32>, tensor<4xi32>)
%q = nv_tileaa.addptr %p, %o : !nv_tileaa.ptr<f32>, tensor<4xi32>

// -----
// CHECK: expects num_elements to be at least 0, but got -1
%p = nv_tileaa.alloca {num_elements = -1 : i64, alignment = 4 : i64} : !nv_tileaa.ptr<f32>

// -----
// CHECK: expects an alignment that is a power of 2, but got 3
%p = nv_tileaa.alloca {num_elements = 1 : i64, alignment = 3 : i64} : !nv_tileaa.ptr<f32>

// -----
// CHECK: unsupported mem_semantic: weak
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<i32>, i32)
%o, %t = nv_tileaa.atomic_rmw weak add %p, %v : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token

// -----
// CHECK: expects elements of one of the types i32, i64 for add, but got f32
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<f32>, f32)
%o, %t = nv_tileaa.atomic_rmw relaxed gpu add %p, %v : !nv_tileaa.ptr<f32>, f32 -> f32, !nv_tileaa.mem_token

// -----
// CHECK: expects elements of one of the types f16, bf16, f32, f64 for addf, but got i32
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<i32>, i32)
%o, %t = nv_tileaa.atomic_rmw relaxed gpu addf %p, %v : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token

// -----
// CHECK: expects elements of one of the types i32, i64, f32, f64 for xchg, but got f16
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<f16>, f16)
%o, %t = nv_tileaa.atomic_rmw relaxed gpu xchg %p, %v : !nv_tileaa.ptr<f16>, f16 -> f16, !nv_tileaa.mem_token

// -----
// CHECK: requires the same type for value and result
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<i32>, i32)
%o, %t = nv_tileaa.atomic_rmw relaxed gpu add %p, %v : !nv_tileaa.ptr<i32>, i32 -> i64, !nv_tileaa.mem_token

// -----
// CHECK: expects elements of one of the types i32, i64, f32, f64, but got i8
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<i8>, i8)
%o, %t = nv_tileaa.atomic_cas relaxed gpu %p, %v, %v : !nv_tileaa.ptr<i8>, i8, i8 -> i8, !nv_tileaa.mem_token

// -----
// CHECK: requires the same type for compare, replacement and result
%p, %v, %w = "test.op"() : () -> (!nv_tileaa.ptr<i32>, i32, i64)
%o, %t = nv_tileaa.atomic_cas relaxed gpu %p, %v, %w : !nv_tileaa.ptr<i32>, i32, i64 -> i32, !nv_tileaa.mem_token

// -----
// CHECK: memScope not supported when memSemantic is weak
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, tensor<4xf32>)
%t = nv_tileaa.tiled_atomic_rmw weak gpu add %x, %v[%c] : tensor<4xf32>, !nv_tileaa.tiled_view<4xf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: memScope required when memSemantic is not weak
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, tensor<4xf32>)
%t = nv_tileaa.tiled_atomic_rmw relaxed add %x, %v[%c] : tensor<4xf32>, !nv_tileaa.tiled_view<4xf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: unsupported mem_semantic: acq_rel
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, tensor<4xf32>)
%t = nv_tileaa.tiled_atomic_rmw acq_rel gpu add %x, %v[%c] : tensor<4xf32>, !nv_tileaa.tiled_view<4xf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw op cannot use fadd operation, please use add instead for both int and float types
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, tensor<4xf32>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu addf %x, %v[%c] : tensor<4xf32>, !nv_tileaa.tiled_view<4xf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw op cannot use xchg operation
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, tensor<4xf32>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu xchg %x, %v[%c] : tensor<4xf32>, !nv_tileaa.tiled_view<4xf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw not supported for 8-bit types
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf8E5M2>, i32, tensor<4xf8E5M2>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu add %x, %v[%c] : tensor<4xf8E5M2>, !nv_tileaa.tiled_view<4xf8E5M2>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw not supported for 8-bit types
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xi8>, i32, tensor<4xi8>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu add %x, %v[%c] : tensor<4xi8>, !nv_tileaa.tiled_view<4xi8>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw not supported for 16-bit integer
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xi16>, i32, tensor<4xi16>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu add %x, %v[%c] : tensor<4xi16>, !nv_tileaa.tiled_view<4xi16>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw for 16-bit float only supports add, max, min operations
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf16>, i32, tensor<4xf16>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu or %x, %v[%c] : tensor<4xf16>, !nv_tileaa.tiled_view<4xf16>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw not supported for tf32
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xtf32>, i32, tensor<4xtf32>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu add %x, %v[%c] : tensor<4xtf32>, !nv_tileaa.tiled_view<4xtf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw not supported for i1
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xi1>, i32, tensor<4xi1>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu add %x, %v[%c] : tensor<4xi1>, !nv_tileaa.tiled_view<4xi1>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: tiled_atomic_rmw op cannot use and operation on f32
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, tensor<4xf32>)
%t = nv_tileaa.tiled_atomic_rmw relaxed gpu and %x, %v[%c] : tensor<4xf32>, !nv_tileaa.tiled_view<4xf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: expects an alignment that is a power of 2, but got 3
nv_tileaa.global @g alignment = 3 = #nv_tileaa.elements<0 : tensor<4xi32>>

// -----
// CHECK: expects visibility private or no visibility, but got nested
"nv_tileaa.global"() <{sym_name = "g", value = #nv_tileaa.elements<0 : tensor<4xi32>>, sym_visibility = "nested"}> : () -> ()

// -----
// CHECK: expected 'nv_tileaa.elements', but got 3 : i64
nv_tileaa.global @g = 3

// -----
// CHECK: 'g' does not reference a valid global
%p = nv_tileaa.get_global @g : !nv_tileaa.ptr<f32>

// -----
// CHECK: expects a pointer to i32, the element type of the global, but got !nv_tileaa.ptr<f32>
nv_tileaa.global @g = #nv_tileaa.elements<0 : tensor<4xi32>>
%p = nv_tileaa.get_global @g : !nv_tileaa.ptr<f32>

// -----
// CHECK: expected a tensor type, but got i32
nv_tileaa.global @g = #nv_tileaa.elements<0 : i32>

// -----
// CHECK: expected elements that are numbers of up to 64 bits, but got tensor<4xindex>
nv_tileaa.global @g = #nv_tileaa.elements<0 : tensor<4xindex>>

// -----
// CHECK: 4294967296 does not fit elements of type i32
nv_tileaa.global @g = #nv_tileaa.elements<4294967296 : tensor<4xi32>>

// -----
// CHECK: expects 4 elements, or one for all, but got 2
nv_tileaa.global @g = #nv_tileaa.elements<[0, 1] : tensor<4xi32>>

// -----
// CHECK: expected 1 strides, got 2
%m = "test.op"() : () -> (!nv_tileaa.memref<8xf32, strides = [1, 2]>)


// -----
// CHECK: expected 'nv_tileaa.memref' type, but got i32
%m = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf32, i32>)


// -----
// CHECK: expected the view to have the element type of its memref, f16, got f32
%m = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<8xf16, strides = [1]>>)


// -----
// CHECK: expects a pointer with the element type, address space and kind of !nv_tileaa.memref<8xf32, strides = [1]>, but got !nv_tileaa.ptr<f16>
%p = "test.op"() : () -> (!nv_tileaa.ptr<f16>)
%m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<8xf32, strides = [1]>

// -----
// CHECK: expects a pointer with the element type, address space and kind of !nv_tileaa.memref<8xf32, strides = [1], multicast>, but got !nv_tileaa.ptr<f32>
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
%m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<8xf32, strides = [1], multicast>

// -----
// CHECK: expects 1 dynamic sizes, but got 0
%p = "test.op"() : () -> (!nv_tileaa.ptr<f32>)
%m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>

// -----
// CHECK: expects an axis of at least 0 and below 1, but got 1
%m = "test.op"() : () -> (!nv_tileaa.memref<8xf32, strides = [1]>)
%n = nv_tileaa.get_dim_size %m {axis = 1 : i32} : !nv_tileaa.memref<8xf32, strides = [1]> -> i32

// -----
// CHECK: expects non-empty tileSizes
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64>, dimGroups = [[0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects non-empty dimGroups
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 4>, dimGroups = []} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects rank of tileSizes be equal to rank of dimGroups, but got 2 and 1
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 4>, dimGroups = [[0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4x4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects all tile size bigger than zero
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 0>, dimGroups = [[0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects dim is being tiled only one time, but got 0
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 4>, dimGroups = [[0], [0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4x4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects dimensions of the memref in dimGroups, but got 2
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 4>, dimGroups = [[2]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects 1 tileStrides, but got 2
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 4>, tileStrides = array<i64: 1, 1>, dimGroups = [[0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects all tile strides bigger than zero
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 4>, tileStrides = array<i64: 0>, dimGroups = [[0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects a view of tiles of shape [4] of !nv_tileaa.memref<8x8xf32, strides = [8, 1]>, but got !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>
%a = "test.op"() : () -> (!nv_tileaa.memref<8x8xf32, strides = [8, 1]>)
%b = nv_tileaa.block_tile %a {tileSizes = array<i64: 4>, dimGroups = [[0]]} : !nv_tileaa.memref<8x8xf32, strides = [8, 1]> -> !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<8x8xf32, strides = [8, 1]>>

// -----
// CHECK: expects filter size must be in range 1 to 3
%a = "test.op"() : () -> (!nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>)
%b = nv_tileaa.conv_tile %a {tileSizes = array<i64: 8, 16>, dimGroups = [[0, 1], [2]], filterSize = array<i64: 1, 1, 1, 1>, convParams = #nv_tileaa.conv_params<padding = [0], stride = [1], dilation = [1]>, channel = 2 : i64} : !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]> -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>>

// -----
// CHECK: expects conv params size matched with each other
%a = "test.op"() : () -> (!nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>)
%b = nv_tileaa.conv_tile %a {tileSizes = array<i64: 8, 16>, dimGroups = [[0, 1], [2]], filterSize = array<i64: 3>, convParams = #nv_tileaa.conv_params<padding = [0, 0], stride = [1, 1], dilation = [1, 1]>, channel = 2 : i64} : !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]> -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>>

// -----
// CHECK: expects conv params size matched with each other
%a = "test.op"() : () -> (!nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>)
%b = nv_tileaa.conv_tile %a {tileSizes = array<i64: 8, 16>, dimGroups = [[0, 1], [2]], filterSize = array<i64: 3>, convParams = #nv_tileaa.conv_params<padding = [0], stride = [1, 1], dilation = [1]>, channel = 2 : i64} : !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]> -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>>

// -----
// CHECK: expects strides and dilations of at least 1
%a = "test.op"() : () -> (!nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>)
%b = nv_tileaa.conv_tile %a {tileSizes = array<i64: 8, 16>, dimGroups = [[0, 1], [2]], filterSize = array<i64: 3>, convParams = #nv_tileaa.conv_params<padding = [0], stride = [0], dilation = [1]>, channel = 2 : i64} : !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]> -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>>

// -----
// CHECK: expects channel must be a dimGroup
%a = "test.op"() : () -> (!nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>)
%b = nv_tileaa.conv_tile %a {tileSizes = array<i64: 8, 16>, dimGroups = [[0, 1], [2]], filterSize = array<i64: 3>, convParams = #nv_tileaa.conv_params<padding = [0], stride = [1], dilation = [1]>, channel = 3 : i64} : !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]> -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>>

// -----
// CHECK: expects channel dimGroup should contain only channel
%a = "test.op"() : () -> (!nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>)
%b = nv_tileaa.conv_tile %a {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [1, 2]], filterSize = array<i64: 3>, convParams = #nv_tileaa.conv_params<padding = [0], stride = [1], dilation = [1]>, channel = 2 : i64} : !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]> -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>>

// -----
// CHECK: expects dimGroups to be [0, 1] and [2], together all dimensions of the memref
%a = "test.op"() : () -> (!nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>)
%b = nv_tileaa.conv_tile %a {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [2]], filterSize = array<i64: 3>, convParams = #nv_tileaa.conv_params<padding = [0], stride = [1], dilation = [1]>, channel = 2 : i64} : !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]> -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.memref<2x8x16xf16, strides = [128, 16, 1]>>

// -----
// CHECK: expects 1 coordinates, but got 2
%v, %c0, %c1 = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0, %c1] : !nv_tileaa.tiled_view<4xf32>[i32, i32] -> tensor<4xf32>, !nv_tileaa.mem_token

// -----
// CHECK: expects all coordinates to have the same type
%v, %c0, %c1 = "test.op"() : () -> (!nv_tileaa.tiled_view<4x4xf32>, i32, i64)
%x, %t = nv_tileaa.tiled_load weak %v[%c0, %c1] : !nv_tileaa.tiled_view<4x4xf32>[i32, i64] -> tensor<4x4xf32>, !nv_tileaa.mem_token

// -----
// CHECK: requires the same size for tileSize and tensor
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] : !nv_tileaa.tiled_view<4xf32>[i32] -> tensor<8xf32>, !nv_tileaa.mem_token

// -----
// CHECK: requires the same shape for tileSize and tensor value
%v, %c0, %c1 = "test.op"() : () -> (!nv_tileaa.tiled_view<4x2xf32>, i32, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0, %c1] : !nv_tileaa.tiled_view<4x2xf32>[i32, i32] -> tensor<2x4xf32>, !nv_tileaa.mem_token

// -----
// CHECK: view elementType not equal with tensor element type: f32 != f16
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] : !nv_tileaa.tiled_view<4xf32>[i32] -> tensor<4xf16>, !nv_tileaa.mem_token

// -----
// CHECK: all dimensions must be positive constants, got [0]
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<0xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] : !nv_tileaa.tiled_view<0xf32>[i32] -> tensor<0xf32>, !nv_tileaa.mem_token

// -----
// CHECK: all dimensions must be powers of two, got [3]
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<3xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] : !nv_tileaa.tiled_view<3xf32>[i32] -> tensor<3xf32>, !nv_tileaa.mem_token

// -----
// CHECK: tile would exceed the maximum of 16777216 elements
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<16777216xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] : !nv_tileaa.tiled_view<16777216xf32>[i32] -> tensor<16777216xf32>, !nv_tileaa.mem_token

// -----
// CHECK: special padding values (nan, pos_inf, neg_inf, neg_zero) only for float-like element types
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<4xi32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] {padding_value = #nv_tileaa.padding_value<nan>} : !nv_tileaa.tiled_view<4xi32>[i32] -> tensor<4xi32>, !nv_tileaa.mem_token

// -----
// CHECK: incorrect number of in_bounds elements: expected 1, but found 2
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] {in_bounds = array<i1: true, true>} : !nv_tileaa.tiled_view<4xf32>[i32] -> tensor<4xf32>, !nv_tileaa.mem_token

// -----
// CHECK: unsupported mem_semantic: acquire
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32, tensor<4xf32>)
%t = nv_tileaa.tiled_store acquire gpu %x, %v[%c] : tensor<4xf32>, !nv_tileaa.tiled_view<4xf32>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: expects an axis of at least 0 and below 2, but got 2
%v, %c0, %c1 = "test.op"() : () -> (!nv_tileaa.tiled_view<4x8xf32>, tensor<4xi32>, i32)
%x, %t = nv_tileaa.gather_load weak %v[%c0, %c1] {sparse_dim = 2 : i32} : !nv_tileaa.tiled_view<4x8xf32>[tensor<4xi32>, i32] -> tensor<4x8xf32>, !nv_tileaa.mem_token

// -----
// CHECK: expects all coordinates but that of sparse_dim to have the same integer type
%v, %c0, %c1 = "test.op"() : () -> (!nv_tileaa.tiled_view<4x8xf32>, tensor<4xi32>, tensor<8xi32>)
%x, %t = nv_tileaa.gather_load weak %v[%c0, %c1] {sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<4x8xf32>[tensor<4xi32>, tensor<8xi32>] -> tensor<4x8xf32>, !nv_tileaa.mem_token

// -----
// CHECK: expects a rank-1 tile of 4 positions as coordinate of dimension 0, but got tensor<8xi32>
%v, %c0, %c1 = "test.op"() : () -> (!nv_tileaa.tiled_view<4x8xf32>, tensor<8xi32>, i32)
%x, %t = nv_tileaa.gather_load weak %v[%c0, %c1] {sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<4x8xf32>[tensor<8xi32>, i32] -> tensor<4x8xf32>, !nv_tileaa.mem_token

// -----
// CHECK: expected a multicast pointer, but got none
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<64xf32, strides = [1]>>, i32, tensor<8xf32>)
%t = nv_tileaa.multimem_store weak %x, %v[%c] : tensor<8xf32>, !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<64xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: expects 32-bit or 64-bit integers, but got i8
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<8xi8, !nv_tileaa.memref<64xi8, strides = [1], multicast>>, i32, tensor<8xi8>)
%t = nv_tileaa.multimem_store weak %x, %v[%c] : tensor<8xi8>, !nv_tileaa.tiled_view<8xi8, !nv_tileaa.memref<64xi8, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: expects elements of type i32, i64, f16, bf16, f32 or f64, but got f8E5M2
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf8E5M2, !nv_tileaa.memref<64xf8E5M2, strides = [1], multicast>>, i32, tensor<8xf8E5M2>)
%t = nv_tileaa.multimem_store weak %x, %v[%c] : tensor<8xf8E5M2>, !nv_tileaa.tiled_view<8xf8E5M2, !nv_tileaa.memref<64xf8E5M2, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: expects one of and, or, xor, add, max, min, umax, umin, but got xchg
%v, %c = "test.op"() : () -> (!nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<64xi32, strides = [1], multicast>>, i32)
%x, %t = nv_tileaa.multimem_load_reduce weak xchg %v[%c] : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<64xi32, strides = [1], multicast>>[i32] -> tensor<8xi32>, !nv_tileaa.mem_token

// -----
// CHECK: cannot combine elements of f32 by max
%v, %c = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<64xf32, strides = [1], multicast>>, i32)
%x, %t = nv_tileaa.multimem_load_reduce weak max %v[%c] : !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<64xf32, strides = [1], multicast>>[i32] -> tensor<8xf32>, !nv_tileaa.mem_token

// -----
// CHECK: cannot combine elements of f16 by and
%v, %c = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>, i32)
%x, %t = nv_tileaa.multimem_load_reduce weak and %v[%c] : !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> tensor<8xf16>, !nv_tileaa.mem_token

// -----
// CHECK: cannot combine elements of f16 by max
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>, i32, tensor<8xf16>)
%t = nv_tileaa.multimem_reduce relaxed gpu max %x, %v[%c] : tensor<8xf16>, !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: unsupported mem_semantic: weak
%v, %c, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>, i32, tensor<8xf16>)
%t = nv_tileaa.multimem_reduce weak add %x, %v[%c] : tensor<8xf16>, !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token

// -----
// CHECK: expects padding of type f32, but got f16
%v, %c0 = "test.op"() : () -> (!nv_tileaa.tiled_view<4xf32>, i32)
%x, %t = nv_tileaa.tiled_load weak %v[%c0] {padding_value = 1.0 : f16} : !nv_tileaa.tiled_view<4xf32>[i32] -> tensor<4xf32>, !nv_tileaa.mem_token
