// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Modules, functions, constants and the operations of the core family.

// CHECK: expected valid '@'-identifier for symbol name
cuda_tile.module { }
// -----
// CHECK: expected valid '@'-identifier for symbol name
cuda_tile.module @m { entry f() { } }
// -----
// CHECK: 'cuda_tile.entry' op entry op must not return values
cuda_tile.module @m { entry @f() -> tile<f32> { return } }
// -----
// CHECK: 'cuda_tile.entry' op entry op must have scalar types (rank 0 !cuda_tile.tile)
cuda_tile.module @m { entry @f(%a: tile<2xf32>) { } }
// -----
// CHECK: expected SSA identifier
cuda_tile.module @m { testing$func @f(%a: tile<2xf32>, tile<f32>) { } }
// -----
// CHECK: expected SSA identifier
cuda_tile.module @m { testing$func @f(tile<2xf32>, tile<f32>) { } }
// -----
// CHECK: expected type instead of SSA identifier
cuda_tile.module @m { testing$func @f(tile<2xf32>, %a: tile<f32>) { } }
// -----
// CHECK: use of undeclared SSA value name
cuda_tile.module @m { testing$func @f() { %0 = negf %a : tile<f32> } }
// -----
// CHECK: use of value '%a' expects different type than prior uses: '!cuda_tile.tile<f16>' vs '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%a: tile<f32>) { %0 = negf %a : tile<f16> } }
// -----
// CHECK: 'cuda_tile.negf' op operand #0 does not dominate this use
cuda_tile.module @m { testing$func @f() {
  %0 = negf %a : tile<f32>
  %a = constant <f32: 1.0> : tile<f32>
} }
// -----
// CHECK: 'cuda_tile.entry' op expects parent op 'cuda_tile.module'
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.testing$func"() <{sym_name = "f", function_type = (!cuda_tile.tile<i1>) -> ()}> ({
  ^bb0(%c: !cuda_tile.tile<i1>):
    %a = "cuda_tile.constant"() <{value = #cuda_tile.dense_constant<f32: 1.0 : tile<f32>>}> : () -> !cuda_tile.tile<f32>
    "cuda_tile.entry"() <{sym_name = "g", function_type = () -> ()}> ({
      %0 = "cuda_tile.negf"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// CHECK: 'cuda_tile.entry' op region #0 ('body') failed to verify constraint: region with 1 blocks
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.entry"() <{sym_name = "g", function_type = () -> ()}> ({
  ^bb0:
    "cuda_tile.return"() : () -> ()
  ^bb1:
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// CHECK: empty block: expect at least a terminator
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.entry"() <{sym_name = "g", function_type = () -> ()}> ({
  ^bb0:
  }) : () -> ()
}) : () -> ()
// -----
// CHECK: block with no terminator, has cuda_tile.make_token
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.entry"() <{sym_name = "g", function_type = () -> ()}> ({
    %0 = "cuda_tile.make_token"() : () -> !cuda_tile.token
  }) : () -> ()
}) : () -> ()
// -----
// CHECK: 'cuda_tile.entry' op requires attribute 'function_type'
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.entry"() <{sym_name = "g"}> ({
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// CHECK: 'cuda_tile.module' op requires one region
"cuda_tile.module"() <{sym_name = "m"}> : () -> ()
// -----
// CHECK: 'cuda_tile.entry' op redefinition of symbol named 'f'
cuda_tile.module @m { entry @f() { } entry @f() { } }
// -----
// CHECK: expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got 'i4'
cuda_tile.module @m { testing$func @f() { %0 = constant <i4: 1> : tile<4xi4> } }
// -----
// CHECK: expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '<<NULL TYPE>>'
cuda_tile.module @m { testing$func @f() { %0 = constant <5> : tile<4xi32> } }
// -----
// CHECK: result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got 'i32'
cuda_tile.module @m { testing$func @f() { %0 = constant <i32: 1> : i32 } }
// -----
// CHECK: mismatch between the element type: 'f32' and the tile element type 'f16'
cuda_tile.module @m { testing$func @f() { %0 = constant <f32: 1.0> : tile<4xf16> } }
// -----
// CHECK: tensor literal is invalid; ranks are not consistent between elements
cuda_tile.module @m { testing$func @f() { %0 = constant <i32: [[1, 2], 3]> : tile<2x2xi32> } }
// -----
// CHECK: inferred shape of elements literal ([2, 2]) does not match type ([4, 2])
cuda_tile.module @m { testing$func @f() { %0 = constant <i32: [[1, 2], [3, 4]]> : tile<4x2xi32> } }
// -----
// CHECK: dense attribute cannot be empty
cuda_tile.module @m { testing$func @f() { %0 = constant <i32: > : tile<4x2xi32> } }
// -----
// CHECK: expected element literal of primitive type
cuda_tile.module @m { testing$func @f() { %0 = constant <i32: %a> : tile<4xi32> } }
// -----
// CHECK: integer constant out of range for type
cuda_tile.module @m { testing$func @f() { %0 = constant <i8: 256> : tile<4xi8> } }
// -----
// CHECK: integer constant out of range for type
cuda_tile.module @m { testing$func @f() { %0 = constant <i64: 9223372036854775808> : tile<4xi64> } }
// -----
// CHECK: expected integer value
cuda_tile.module @m { testing$func @f() { %0 = constant <i8: 1.0> : tile<4xi8> } }
// -----
// CHECK: expected integer value
cuda_tile.module @m { testing$func @f() { %0 = constant <i8: true> : tile<4xi8> } }
// -----
// CHECK: expected floating point value
cuda_tile.module @m { testing$func @f() { %0 = constant <f32: true> : tile<4xf32> } }
// -----
// CHECK: unexpected decimal integer literal for a floating point value
// CHECK-NEXT: add a trailing dot to make the literal a float
cuda_tile.module @m { testing$func @f() { %0 = constant <f32: 1> : tile<4xf32> } }
// -----
// CHECK: float constant out of range for type
cuda_tile.module @m { testing$func @f() { %0 = constant <f16: 0x10000> : tile<4xf16> } }
// -----
// CHECK: hexadecimal float literal should not have a leading minus
cuda_tile.module @m { testing$func @f() { %0 = constant <f16: -0x1000> : tile<4xf16> } }
// -----
// CHECK: elements hex string should start with '0x'
cuda_tile.module @m { testing$func @f() { %0 = constant <f16: "1000"> : tile<4xf16> } }
// -----
// CHECK: failed to validate buffer size and format
cuda_tile.module @m { testing$func @f() { %0 = constant <f16: "0x00010203"> : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.constant' op failed to verify that all of {value, result} have same type
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense_constant<f32: 1.0 : tile<f32>>}> : () -> !cuda_tile.tile<2xf32>
// -----
// CHECK: 'cuda_tile.constant' op attribute 'value' failed to satisfy constraint: dense constant
%0 = "cuda_tile.constant"() <{value = 5 : i32}> : () -> !cuda_tile.tile<2xf32>
// -----
// CHECK: 'cuda_tile.constant' op requires one result
"cuda_tile.constant"() <{value = #cuda_tile.dense_constant<f32: 1.0 : tile<f32>>}> : () -> ()
// -----
// CHECK: 'cuda_tile.iota' op expects result type to be 1-d tile
cuda_tile.module @m { testing$func @f() { %0 = iota : tile<4x4xi32> } }
// -----
// CHECK: 'cuda_tile.iota' op the number of elements 512 exceeds the maximum value of element type 'i8'
cuda_tile.module @m { testing$func @f() { %0 = iota : tile<512xi8> } }
// -----
// CHECK: 'cuda_tile.iota' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xf32>'
cuda_tile.module @m { testing$func @f() { %0 = iota : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.get_tile_block_id' op result #0 must be 0D tile of i32 values, but got '!cuda_tile.tile<i64>'
cuda_tile.module @m { testing$func @f() { %0, %1, %2 = get_tile_block_id : tile<i64> } }
// -----
// CHECK: 'cuda_tile.get_global' op 'g' does not reference a valid global
cuda_tile.module @m { testing$func @f() { %0 = get_global @g : tile<ptr<f32>> } }
// -----
// CHECK: 'cuda_tile.get_global' op pointee type of result type '!cuda_tile.ptr<i32>' does not match type 'f32' of the global @g
cuda_tile.module @m { global @g <f32: 1.0> : tile<4xf32> testing$func @f() { %0 = get_global @g : tile<ptr<i32>> } }
// -----
// CHECK: 'cuda_tile.get_global' op result #0 must be 0D tile of Pointer type values, but got '!cuda_tile.tile<2xptr<i32>>'
cuda_tile.module @m { testing$func @f() { %0 = get_global @g : tile<2xptr<i32>> } }
// -----
// CHECK: 'cuda_tile.global' op expects parent op 'cuda_tile.module'
cuda_tile.module @m { entry @f() { global @g <f32: 1.0> : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.module' op expects parent op 'builtin.module'
cuda_tile.module @m { cuda_tile.module @n { } }
// -----
// CHECK: 'cuda_tile.make_token' op only function and global ops are allowed in the body of 'cuda_tile.module'
cuda_tile.module @m { %0 = make_token : token }
// -----
// CHECK: 'cuda_tile.global' op 'alignment' must be at most 1073741824 bytes, but got 2147483648
cuda_tile.module @m { global @g alignment = 2147483648 <f32: 1.0> : tile<4xf32> }
// -----
// CHECK: 'cuda_tile.global' op type must have rank 1
cuda_tile.module @m { global @g <f32: 1.0> : tile<f32> }
// -----
// CHECK: expected attribute value
cuda_tile.module @m { global @g alignment = x <f32: 1.0> : tile<4xf32> }
// -----
// CHECK: 'cuda_tile.global' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0
cuda_tile.module @m { global @g alignment = -1 <f32: 1.0> : tile<4xf32> }
// -----
// CHECK: custom op 'cuda_tile.cmpf' expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = cmpf eq ordered %a, %a : tile<4xf32> -> tile<4xi1> } }
// -----
// CHECK: custom op 'cuda_tile.cmpf' expected valid keyword
// CHECK-NEXT: custom op 'cuda_tile.cmpf' expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = cmpf %a, %a : tile<4xf32> -> tile<4xi1> } }
// -----
// CHECK: custom op 'cuda_tile.cmpf' expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = cmpf equal order %a, %a : tile<4xf32> -> tile<4xi1> } }
// -----
// CHECK: custom op 'cuda_tile.cmpi' expected signedness to be one of: {'signed', 'unsigned'}
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = cmpi equal %a, %a, sign : tile<4xi32> -> tile<4xi1> } }
// -----
// CHECK: expected ','
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = cmpi equal %a, %a signed : tile<4xi32> -> tile<4xi1> } }
// -----
// CHECK: 'cuda_tile.cmpi' op failed to verify that Result type has i1 element type and same shape as operands
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = cmpi equal %a, %a, signed : tile<4xi32> -> tile<2xi1> } }
// -----
// CHECK: 'cuda_tile.cmpf' op result #0 must be tile of i1 values, but got '!cuda_tile.tile<4xi8>'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = cmpf equal ordered %a, %a : tile<4xf32> -> tile<4xi8> } }
// -----
// CHECK: 'cuda_tile.select' op failed to verify that all of {cond, val_if_true, val_if_false, result} have same shape
cuda_tile.module @m { testing$func @f(%c: tile<2xi1>, %a: tile<4xf32>) { %0 = select %c, %a, %a : tile<2xi1>, tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.select' op failed to verify that all of {val_if_true, val_if_false, result} have same type
%c, %a, %b = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi32>)
%0 = "cuda_tile.select"(%c, %a, %b) : (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
// -----
// CHECK: 'cuda_tile.select' op cannot operate on sub-byte type F4E2M1FN
cuda_tile.module @m { testing$func @f(%c: tile<4xi1>, %a: tile<4xf4E2M1FN>) { %0 = select %c, %a, %a : tile<4xi1>, tile<4xf4E2M1FN> } }
// -----
// CHECK: 'cuda_tile.offset' op requires the same shape for all operands and results
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %i: tile<2xi32>) { %0 = offset %p, %i : tile<4xptr<f32>>, tile<2xi32> -> tile<4xptr<f32>> } }
// -----
// CHECK: 'cuda_tile.offset' op failed to verify that all of {result, ptr} have same type
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %i: tile<4xi32>) { %0 = offset %p, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f16>> } }
// -----
// CHECK: 'cuda_tile.offset' op operand #0 must be tile of Pointer type values, but got '!cuda_tile.tile<4xi32>'
cuda_tile.module @m { testing$func @f(%i: tile<4xi32>) { %0 = offset %i, %i : tile<4xi32>, tile<4xi32> -> tile<4xptr<f16>> } }
// -----
// CHECK: 'cuda_tile.broadcast' op expects the shape of source tile to be compatible with that of the result tile, but got: 2, 4 and 4, 4
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = broadcast %a : tile<2x4xf32> -> tile<4x4xf32> } }
// -----
// CHECK: 'cuda_tile.broadcast' op failed to verify that all of {source, result} have same rank
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = broadcast %a : tile<4xf32> -> tile<4x4xf32> } }
// -----
// CHECK: 'cuda_tile.broadcast' op requires the same element type for all operands and results
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = broadcast %a : tile<4xf32> -> tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.broadcast' op operand #0 must be Tile type, but got '!cuda_tile.token'
cuda_tile.module @m { testing$func @f(%a: token) { %0 = broadcast %a : token -> tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.reshape' op expected source tile and result tile to have the same number of elements
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reshape %a : tile<4xf32> -> tile<4x4xf32> } }
// -----
// CHECK: expected '->'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reshape %a : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.permute' op expects at least rank 2, but got: 1
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = permute %a [0] : tile<4xf32> -> tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.permute' op expect permutation size (1) to equal the rank of the source (2)
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = permute %a [0] : tile<2x4xf32> -> tile<4x2xf32> } }
// -----
// CHECK: 'cuda_tile.permute' op expect permutation elements to be unique
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = permute %a [0, 0] : tile<2x4xf32> -> tile<4x2xf32> } }
// -----
// CHECK: 'cuda_tile.permute' op permutation element at index 1 (2) is out of bound [0, 2)
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = permute %a [0, 2] : tile<2x4xf32> -> tile<4x2xf32> } }
// -----
// CHECK: 'cuda_tile.permute' op result shape invalid at index 0, expected: 4, but got: 2
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = permute %a [1, 0] : tile<2x4xf32> -> tile<2x4xf32> } }
// -----
// CHECK: 'cuda_tile.permute' op failed to verify that all of {source, result} have the same element type
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = permute %a [1, 0] : tile<2x4xf32> -> tile<4x2xf16> } }
// -----
// CHECK: integer value too large
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = permute %a [1, 2147483648] : tile<2x4xf32> -> tile<4x2xf16> } }
// -----
// CHECK: 'cuda_tile.cat' op expect dim to be [0, 2), but got: 2
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = cat %a, %a dim = 2 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32> } }
// -----
// CHECK: 'cuda_tile.cat' op invalid concat at position 1, expected: 8 but got: 16
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = cat %a, %a dim = 1 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x16xf32> } }
// -----
// CHECK: 'cuda_tile.cat' op expect lhs and rhs shapes to match at non-concat position 0, expected: 2 but got: 4
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>, %b: tile<4x4xf32>) { %0 = cat %a, %b dim = 1 : tile<2x4xf32>, tile<4x4xf32> -> tile<2x8xf32> } }
// -----
// CHECK: 'cuda_tile.cat' op expect lhs and result shapes to match at non-concat position 0, expected: 2 but got: 4
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = cat %a, %a dim = 1 : tile<2x4xf32>, tile<2x4xf32> -> tile<4x8xf32> } }
// -----
// CHECK: expected attribute value
cuda_tile.module @m { testing$func @f(%a: tile<2x4xf32>) { %0 = cat %a, %a dim = x : tile<2x4xf32>, tile<2x4xf32> -> tile<4x8xf32> } }
// -----
// CHECK: 'cuda_tile.extract' op source and result element type do not match
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %i: tile<i32>) { %0 = extract %a[%i] : tile<4xf32> -> tile<2xf16> } }
// -----
// CHECK: 'cuda_tile.extract' op source dimension 0 size (4) must be evenly divisible by result dimension 0 size (8)
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %i: tile<i32>) { %0 = extract %a[%i] : tile<4xf32> -> tile<8xf32> } }
// -----
// CHECK: 'cuda_tile.extract' op expected 1 indices, but got 2
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %i: tile<i32>) { %0 = extract %a[%i, %i] : tile<4xf32> -> tile<2xf32> } }
// -----
// CHECK: 'cuda_tile.extract' op failed to verify that all of {source, result} have same rank
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %i: tile<i32>) { %0 = extract %a[%i] : tile<4xf32> -> tile<2x1xf32> } }
// -----
// CHECK: 'cuda_tile.extract' op operand #1 must be variadic of 0D tile of i32 values, but got '!cuda_tile.tile<i64>'
%a, %i = "test.op"() : () -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.extract"(%a, %i) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<2xf32>
// -----
// CHECK: 'cuda_tile.extract' op expected 1 or more operands, but found 0
%0 = "cuda_tile.extract"() : () -> !cuda_tile.tile<2xf32>
// -----
// CHECK: 'cuda_tile.insert' op source and result element type do not match
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %s: tile<2xf16>, %i: tile<i32>) { %0 = insert %s, %a[%i] : tile<2xf16>, tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.insert' op destination dimension 0 size (4) must be evenly divisible by source dimension 0 size (8)
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %s: tile<8xf32>, %i: tile<i32>) { %0 = insert %s, %a[%i] : tile<8xf32>, tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.insert' op expected 1 indices, but got 0
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %s: tile<2xf32>) { %0 = insert %s, %a[] : tile<2xf32>, tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.pack' op expects source and result to be rank-1 tiles
cuda_tile.module @m { testing$func @f(%a: tile<4x4xf32>) { %0 = pack %a : tile<4x4xf32> -> tile<4x16xi8> } }
// -----
// CHECK: 'cuda_tile.unpack' op expects source and result to have different element type widths
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) { %0 = unpack %a : tile<4xi8> -> tile<4xf8E5M2> } }
// -----
// CHECK: 'cuda_tile.pack' op expects source tile to be byte-aligned
cuda_tile.module @m { testing$func @f(%a: tile<4xi1>) { %0 = pack %a : tile<4xi1> -> tile<1xi8> } }
// -----
// CHECK: 'cuda_tile.unpack' op expects source and result to have the same size in bytes, but got source tile size 16 bytes and result tile size 8 bytes
cuda_tile.module @m { testing$func @f(%a: tile<16xi8>) { %0 = unpack %a : tile<16xi8> -> tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.constant' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<i4>'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense_constant<i8: 0 : tile<i8>>}> : () -> !cuda_tile.tile<i4>
// -----
// CHECK: 'cuda_tile.unpack' op expects result tile to be byte-aligned
cuda_tile.module @m { testing$func @f(%a: tile<2xi8>) { %0 = unpack %a : tile<2xi8> -> tile<1xi4> } }
// -----
// CHECK: 'cuda_tile.cat' op failed to verify that all of {lhs, rhs, result} have the same element type
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>, %b: tile<4xi16>) { %0 = cat %a, %b dim = 0 : tile<4xi8>, tile<4xi16> -> tile<8xi8> } }
// -----
// CHECK: 'cuda_tile.reshape' op requires the same element type for all operands and results
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) { %0 = reshape %a : tile<4xi8> -> tile<2x2xi16> } }
// -----
// CHECK: 'cuda_tile.entry' op entry op must have public symbol visibility
cuda_tile.module @m { entry @f() { } {sym_visibility = "private"} }
// -----
// CHECK: operation defines 1 results but was provided 2 to bind
cuda_tile.module @m { testing$func @f() { %0, %1 = iota : tile<4xi32> } }
// -----
// CHECK: cannot name an operation with no results
cuda_tile.module @m { testing$func @f() { %0 = return } }
// -----
// CHECK: use of value '%a' expects different type than prior uses: '!cuda_tile.tile<f16>' vs '!cuda_tile.tile<f32>'
cuda_tile.module @m { testing$func @f(%a: tile<f32>) { %0 = "cuda_tile.negf"(%a) : (!cuda_tile.tile<f16>) -> !cuda_tile.tile<f16> } }
// -----
// CHECK: use of undeclared SSA value name
cuda_tile.module @m { testing$func @f() { %0 = "cuda_tile.negf"(%b) : (!cuda_tile.tile<f16>) -> !cuda_tile.tile<f16> } }
// -----
// CHECK: 'cuda_tile.negf' op operand #0 does not dominate this use
cuda_tile.module @m { testing$func @f(%a: tile<f32>, %c: tile<i1>) { if %c { %0 = negf %b : tile<f32> } %b = negf %a : tile<f32> } }
// -----
// CHECK: redefinition of SSA value '%a'
cuda_tile.module @m { testing$func @f(%a: tile<f32>) { %a = negf %a : tile<f32> } }
// -----
// CHECK: expected attribute value
cuda_tile.module @m { testing$func @f(%a: tile<f32>) { %0 = negf %a {x = } : tile<f32> } }
// -----
// CHECK: expected '{' to begin a region
cuda_tile.module @m { entry @f() return }
// -----
// CHECK: 'cuda_tile.entry' op expects argument attribute array to have the same number of elements as the number of function arguments, got 1, but expected 0
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.entry"() <{sym_name = "f", function_type = () -> (), arg_attrs = [{}]}> ({ "cuda_tile.return"() : () -> () }) : () -> ()
}) : () -> ()
// -----
// CHECK: 'cuda_tile.entry' op arguments may only have dialect attributes
cuda_tile.module @m { entry @f(%a: tile<f32> {name = "a"}) { } }
// -----
// CHECK: property 'approximately' is not defined by the operation 'cuda_tile.negf'. Use the dictionary attribute to add arbitrary information to the operation.
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.negf"(%a) <{approximately}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
// -----
// CHECK: expected SSA identifier
cuda_tile.module @m { entry @f(%a: tile<i32>, 5) { } }

// -----
// CHECK: tiles of ptr<f4E2M1FN> must have rank 0; use an f4 tile view for memory accesses
"test.op"() : () -> !cuda_tile.tile<4xptr<f4E2M1FN>>

// -----
// CHECK: identities of fnv8E5M3FNU are not supported
cuda_tile.module @m { testing$func @f(%a: tile<4xfnv8E5M3FNU>) { %0 = reduce %a dim=0 identities=[0.0 : fnv8E5M3FNU] : tile<4xfnv8E5M3FNU> -> tile<fnv8E5M3FNU> (%x: tile<fnv8E5M3FNU>, %y: tile<fnv8E5M3FNU>) { yield %x : tile<fnv8E5M3FNU> } } }
// -----
// CHECK: expected an inclusive scan
%x = "test.op"() : () -> !cuda_tile.tile<8x64xf32>
%0 = cuda_tile.scan %x { axis = 1 : i32, inclusive = false } : tensor<8x64xf32> -> tensor<8x64xf32> { ^bb0(%a: f32, %b: f32): cuda_tile.yield %a : f32 }
// -----
// CHECK: expected a body of one operation that has an identity
%x = "test.op"() : () -> !cuda_tile.tile<8x64xf32>
%0 = cuda_tile.reduce %x { axis = 1 : i32 } : tensor<8x64xf32> -> tensor<8xf32> { ^bb0(%a: f32, %b: f32): cuda_tile.yield %a : f32 }
