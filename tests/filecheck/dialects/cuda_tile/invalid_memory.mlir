// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Pointers, atomics, tokens, printing and assumptions.

// CHECK: custom op 'cuda_tile.load_ptr_tko' expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>) { %0, %1 = load_ptr_tko strong %p : tile<4xptr<f32>> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op expect one of: weak, relaxed, or acquire, but got: release
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>) { %0, %1 = load_ptr_tko release device %p : tile<4xptr<f32>> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op weak load must not have memory scope
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>) { %0, %1 = load_ptr_tko weak device %p : tile<4xptr<f32>> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op memory scope is required for relaxed load
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>) { %0, %1 = load_ptr_tko relaxed %p : tile<4xptr<f32>> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op failed to verify that `source` type is expected a pointer type of `result` type
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>) { %0, %1 = load_ptr_tko weak %p : tile<4xptr<f32>> -> tile<4xf16>, token } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op failed to verify that shape of 'mask' must match the shape of 'source'
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %m: tile<2xi1>) { %0, %1 = load_ptr_tko weak %p, %m : tile<4xptr<f32>>, tile<2xi1> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op failed to verify that type of 'paddingValue' must match the type of 'result'
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %m: tile<4xi1>, %v: tile<4xf16>) { %0, %1 = load_ptr_tko weak %p, %m, %v : tile<4xptr<f32>>, tile<4xi1>, tile<4xf16> -> tile<4xf32>, token } }
// -----
// CHECK: expected 'token'
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>) { %0, %1 = load_ptr_tko weak %p : tile<4xptr<f32>> -> tile<4xf32>, tile<f32> } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op 'operandSegmentSizes' attribute for specifying operand segments must have 4 elements, but got 0
%p = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%0, %1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 0 : i32}> : (!cuda_tile.tile<4xptr<f32>>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op operand count (1) does not match with the total size (2) specified in attribute 'operandSegmentSizes'
%p = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%0, %1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op attribute 'memory_ordering_semantics' failed to satisfy constraint: memory ordering semantics
%p = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%0, %1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 9 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
// -----
// CHECK: 'cuda_tile.store_ptr_tko' op expect one of: weak, relaxed, or release, but got: acquire
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0 = store_ptr_tko acquire device %p, %v : tile<4xptr<f32>>, tile<4xf32> -> token } }
// -----
// CHECK: 'cuda_tile.store_ptr_tko' op weak store must not have memory scope
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0 = store_ptr_tko weak device %p, %v : tile<4xptr<f32>>, tile<4xf32> -> token } }
// -----
// CHECK: 'cuda_tile.store_ptr_tko' op memory scope is required for release store
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0 = store_ptr_tko release %p, %v : tile<4xptr<f32>>, tile<4xf32> -> token } }
// -----
// CHECK: 'cuda_tile.store_ptr_tko' op failed to verify that `destination` type is expected a pointer type of `value` type
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf16>) { %0 = store_ptr_tko weak %p, %v : tile<4xptr<f32>>, tile<4xf16> -> token } }
// -----
// CHECK: 'cuda_tile.store_ptr_tko' op failed to verify that shape of 'destination' must match the shape of 'mask'
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>, %m: tile<2xi1>) { %0 = store_ptr_tko weak %p, %v, %m : tile<4xptr<f32>>, tile<4xf32>, tile<2xi1> -> token } }
// -----
// CHECK: 'cuda_tile.store_ptr_tko' op operand #0 must be tile of Pointer type values, but got '!cuda_tile.tile<4xf32>'
cuda_tile.module @m { testing$func @f(%v: tile<4xf32>) { %0 = store_ptr_tko weak %v, %v : tile<4xf32>, tile<4xf32> -> token } }
// -----
// CHECK: expected attribute value
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0 = store_ptr_tko weak %p, %v optimization_hints = <sm_90 = x> : tile<4xptr<f32>>, tile<4xf32> -> token } }
// -----
// CHECK: expected valid keyword or string
cuda_tile.module @m { entry @f() optimization_hints=<5 = {}> { } }
// -----
// CHECK: duplicate optimization_hints key `sm_90`
cuda_tile.module @m { entry @f() optimization_hints=<sm_90 = {}, sm_90 = {}> { } }
// -----
// CHECK: expected dictionary attribute for optimization_hints entry `sm_90` got value=5 : i64
cuda_tile.module @m { entry @f() optimization_hints=<sm_90 = 5> { } }
// -----
// CHECK: use of value '%a' expects different type than prior uses: '!cuda_tile.token' vs '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%a: tile<f32>) { %0 = join_tokens %a, %a : token } }
// -----
// CHECK: 'cuda_tile.make_token' op result #0 must be cuda tile token type, but got '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f() { %0 = make_token : tile<f32> } }
// -----
// CHECK: 'cuda_tile.alloca' op 'alignment' must be power of two
cuda_tile.module @m { entry @f() { %0 = alloca num_elem = 4, alignment = 3 : tile<ptr<f32>> } }
// -----
// CHECK: 'cuda_tile.alloca' op 'alignment' (2) must be at least the natural size (4 bytes) for element type 'f32'
cuda_tile.module @m { entry @f() { %0 = alloca num_elem = 4, alignment = 2 : tile<ptr<f32>> } }
// -----
// CHECK: 'cuda_tile.alloca' op attribute 'num_elem' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0
cuda_tile.module @m { entry @f() { %0 = alloca num_elem = -4, alignment = 4 : tile<ptr<f32>> } }
// -----
// CHECK: custom op 'cuda_tile.atomic_rmw_tko' expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0, %1 = atomic_rmw_tko relaxed %p, addf, %v : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token } }
// -----
// CHECK: custom op 'cuda_tile.atomic_rmw_tko' expected string or keyword containing one of the following enum values for attribute 'mode' [and, or, xor, add, addf, max, min, umax, umin, xchg]
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0, %1 = atomic_rmw_tko relaxed device %p, sub, %v : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op expected pointee type ('f32') to match element type of 'arg' ('i32')
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xi32>) { %0, %1 = atomic_rmw_tko relaxed device %p, add, %v : tile<4xptr<f32>>, tile<4xi32> -> tile<4xi32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op failed to verify that all of {pointers, arg, mask} have same shape
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>, %m: tile<2xi1>) { %0, %1 = atomic_rmw_tko relaxed device %p, addf, %v, %m : tile<4xptr<f32>>, tile<4xf32>, tile<2xi1> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op failed to verify that all of {pointers, arg, result} have same shape
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<2xf32>) { %0, %1 = atomic_rmw_tko relaxed device %p, addf, %v : tile<4xptr<f32>>, tile<2xf32> -> tile<2xf32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op memory ordering semantics must be one of: relaxed, acquire, release, acq_rel
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0, %1 = atomic_rmw_tko weak device %p, addf, %v : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op 'add' works only with integers i32 and i64
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>) { %0, %1 = atomic_rmw_tko relaxed device %p, add, %v : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op 'addf' works only with floats f16, bf16, f32, and f64
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<i32>>, %v: tile<4xi32>) { %0, %1 = atomic_rmw_tko relaxed device %p, addf, %v : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op 'xchg' works only with integers or float of 32 or 64 bitwidth
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<i16>>, %v: tile<4xi16>) { %0, %1 = atomic_rmw_tko relaxed device %p, xchg, %v : tile<4xptr<i16>>, tile<4xi16> -> tile<4xi16>, token } }
// -----
// CHECK: 'cuda_tile.atomic_cas_tko' op expected pointee type ('f32') to match element type of 'val' ('i32')
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xi32>) { %0, %1 = atomic_cas_tko relaxed device %p, %v, %v : tile<4xptr<f32>>, tile<4xi32> -> tile<4xi32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_cas_tko' op failed to verify that all of {pointers, val, cmp and mask} have same shape
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %v: tile<4xf32>, %m: tile<2xi1>) { %0, %1 = atomic_cas_tko relaxed device %p, %v, %v, %m : tile<4xptr<f32>>, tile<4xf32>, tile<2xi1> -> tile<4xf32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_cas_tko' op expect only float or integer types with 32 or 64 bit
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<i16>>, %v: tile<4xi16>) { %0, %1 = atomic_cas_tko relaxed device %p, %v, %v : tile<4xptr<i16>>, tile<4xi16> -> tile<4xi16>, token } }
// -----
// CHECK: 'cuda_tile.atomic_cas_tko' op failed to verify that all of {cmp, val, result} have same type
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<i32>>, %v: tile<4xi32>) { %0, %1 = atomic_cas_tko relaxed device %p, %v, %v : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi64>, token } }
// -----
// CHECK: 'cuda_tile.print_tko' op found unterminated format expression
cuda_tile.module @m { entry @f() { %t = print_tko "50 %" -> token } }
// -----
// CHECK: 'cuda_tile.print_tko' op incorrect number of operands: expected 2, found 1
cuda_tile.module @m { entry @f(%n: tile<i32>) { %t = print_tko "%i of %5.2f (%%)", %n : tile<i32> -> token } }
// -----
// CHECK: custom op 'cuda_tile.assume' expected attribute name
cuda_tile.module @m { entry @f(%n: tile<i32>) { %0 = assume %n : tile<i32> } }
// -----
// CHECK: custom op 'cuda_tile.assume' expected assume predicate attribute
cuda_tile.module @m { entry @f(%n: tile<i32>) { %0 = assume #cuda_tile.rounding<zero>, %n : tile<i32> } }
// -----
// CHECK: custom op 'cuda_tile.assume' unknown assume predicate attribute: even (expected 'div_by', 'same_elements', or 'bounded')
cuda_tile.module @m { entry @f(%n: tile<i32>) { %0 = assume even<2>, %n : tile<i32> } }
// -----
// CHECK: failed to parse parameter 'divisor' which is expected to be an integer
cuda_tile.module @m { entry @f(%n: tile<i32>) { %0 = assume div_by<x>, %n : tile<i32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor must be a power of 2
cuda_tile.module @m { entry @f(%n: tile<i32>) { %0 = assume div_by<6>, %n : tile<i32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor is too large
cuda_tile.module @m { entry @f(%n: tile<i32>) { %0 = assume div_by<9223372036854775808>, %n : tile<i32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a tensor_view
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) { %0 = assume div_by<4, every 2 along 0>, %v : tensor_view<4xf32, strides=[1]> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a 0D tile
cuda_tile.module @m { entry @f(%n: tile<i32>) { %0 = assume div_by<4, every 2 along 0>, %n : tile<i32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = assume div_by<4>, %a : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' every_dim (1) must be >= 0 and < tile rank (1)
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = assume div_by<4, every 2 along 1>, %a : tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.div_by' every_dim to be within 0 and the size of the respective dimension (4)
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = assume div_by<4, every 8 along 0>, %a : tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.same_elements' is valid only for tile of integer/pointer values
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = assume same_elements<[2]>, %a : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.assume' op expected number of values in 'cuda_tile.same_elements' (2) to match rank of constrained tile (1)
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = assume same_elements<[2, 2]>, %a : tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.same_elements' value 0 to be within 0 and the size of the respective dimension (4)
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = assume same_elements<[8]>, %a : tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' is valid only for tile of integer values
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = assume bounded<0, 5>, %a : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects lower bound to be within [-128, 127]
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) { %0 = assume bounded<-129, 5>, %a : tile<4xi8> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects upper bound to be within [-128, 127]
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) { %0 = assume bounded<?, 128>, %a : tile<4xi8> } }
// -----
// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects lower bound to be less than or equal to upper bound
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) { %0 = assume bounded<6, 5>, %a : tile<4xi8> } }
// -----
// CHECK: 'cuda_tile.gdc_wait_tko' op operand #0 must be cuda tile token type, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.gdc_wait_tko"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.token
// -----
// CHECK: 'cuda_tile.atomic_cas_tko' op failed to verify that all of {pointers, cmp, val, result} have same shape
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<i32>>, %a: tile<8xi32>) { %0, %t = atomic_cas_tko relaxed device %p, %a, %a : tile<4xptr<i32>>, tile<8xi32> -> tile<8xi32>, token } }
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op multicast pointer is not allowed
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32, <multicast>>>) { %0, %1 = load_ptr_tko weak %p : tile<ptr<f32, <multicast>>> -> tile<f32>, token } }
// -----
// CHECK: 'cuda_tile.store_ptr_tko' op multicast pointer is not allowed
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32, <multicast>>>, %x: tile<f32>) { %0 = store_ptr_tko weak %p, %x : tile<ptr<f32, <multicast>>>, tile<f32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_rmw_tko' op multicast pointer is not supported for atomic_rmw
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32, <multicast>>>, %x: tile<f32>) { %0, %1 = atomic_rmw_tko relaxed device %p, addf, %x : tile<ptr<f32, <multicast>>>, tile<f32> -> tile<f32>, token } }
// -----
// CHECK: 'cuda_tile.atomic_cas_tko' op multicast pointer is not supported for atomic_cas
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32, <multicast>>>, %x: tile<f32>) { %0, %1 = atomic_cas_tko relaxed device %p, %x, %x : tile<ptr<f32, <multicast>>>, tile<f32> -> tile<f32>, token } }
// -----
// CHECK: 'cuda_tile.load_view_tko' op multicast ptr_attr is not allowed
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>) { %0, %1 = load_view_tko weak %v[%i] : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token } }
// -----
// CHECK: 'cuda_tile.store_view_tko' op multicast ptr_attr is not allowed
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>, %x: tile<8xf32>) { %0 = store_view_tko weak %x, %v[%i] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token } }
// -----
// CHECK: 'cuda_tile.atomic_red_view_tko' op multicast ptr_attr is not allowed
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, %i: tile<i32>, %x: tile<8xf32>) { %0 = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token } }
