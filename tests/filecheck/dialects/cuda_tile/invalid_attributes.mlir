// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Attributes and their parameters, groups of operands, and missing words.

// CHECK: expected ::mlir::cuda_tile::RoundingMode to be one of: nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, nearest_away
// CHECK-NEXT: failed to parse CudaTile_RoundingModeAttr parameter 'value' which is to be a `::mlir::cuda_tile::RoundingMode`
"test.op"() {a = #cuda_tile.rounding<up>} : () -> ()
// -----
// CHECK: custom op 'cuda_tile.addi' expected ::mlir::cuda_tile::IntegerOverflow to be one of: none, no_signed_wrap, no_unsigned_wrap, no_wrap
// CHECK-NEXT: custom op 'cuda_tile.addi' failed to parse CudaTile_IntegerOverflowAttr parameter 'value' which is to be a `::mlir::cuda_tile::IntegerOverflow`
cuda_tile.module @m { entry @f(%a: tile<i32>) { %0 = addi %a, %a overflow<wrap> : tile<i32> } }
// -----
// CHECK: custom op 'cuda_tile.addi' expected valid keyword or string
// CHECK-NEXT: custom op 'cuda_tile.addi' failed to parse CudaTile_IntegerOverflowAttr parameter 'value' which is to be a `::mlir::cuda_tile::IntegerOverflow`
cuda_tile.module @m { entry @f(%a: tile<i32>) { %0 = addi %a, %a overflow<> : tile<i32> } }
// -----
// CHECK: struct is missing required parameter: scope
"test.op"() {a = #cuda_tile.di_lexical_block<line = 3>} : () -> ()
// -----
// CHECK: duplicate or unknown struct parameter name: line
"test.op"() {a = #cuda_tile.di_lexical_block<line = 3, line = 4>} : () -> ()
// -----
// CHECK: duplicate or unknown struct parameter name: row
"test.op"() {a = #cuda_tile.di_lexical_block<row = 3>} : () -> ()
// -----
// CHECK: expected valid keyword
// CHECK-NEXT: expected a parameter name in struct
"test.op"() {a = #cuda_tile.di_lexical_block<>} : () -> ()
// -----
// CHECK: expected integer value
// CHECK-NEXT: failed to parse CudaTile_DILexicalBlockAttr parameter 'line' which is to be a `unsigned`
"test.op"() {a = #cuda_tile.di_lexical_block<line = x>} : () -> ()
// -----
// CHECK: integer value too large
// CHECK-NEXT: failed to parse CudaTile_DILexicalBlockAttr parameter 'line' which is to be a `unsigned`
"test.op"() {a = #cuda_tile.di_lexical_block<line = 4294967296>} : () -> ()
// -----
// CHECK: invalid kind of attribute specified
// CHECK-NEXT: failed to parse CudaTile_DILexicalBlockAttr parameter 'scope' which is to be a `DILocalScopeAttr`
"test.op"() {a = #cuda_tile.di_lexical_block<scope = 3>} : () -> ()
// -----
// CHECK: expected attribute value
// CHECK-NEXT: failed to parse CudaTile_DILexicalBlockAttr parameter 'scope' which is to be a `DILocalScopeAttr`
"test.op"() {a = #cuda_tile.di_lexical_block<scope = , line = 3>} : () -> ()
// -----
// CHECK: expected '<'
// CHECK-NEXT: failed to parse CudaTile_DILexicalBlockAttr parameter 'file' which is to be a `DIFileAttr`
"test.op"() {a = #cuda_tile.di_lexical_block<file = 4>} : () -> ()
// -----
// CHECK: expected 'in'
// CHECK-NEXT: failed to parse CudaTile_DICompileUnitAttr parameter 'file' which is to be a `DIFileAttr`
"test.op"() {a = #cuda_tile.di_compile_unit<file = <"a" on "b">>} : () -> ()
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op operand group starting at #1 requires 0 or 1 element, but found 2
%p, %m = "test.op"() : () -> (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi1>)
%0, %1 = "cuda_tile.load_ptr_tko"(%p, %m, %m) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi1>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
// -----
// CHECK: 'cuda_tile.load_ptr_tko' op operand group starting at #0 requires 1 element, but found 0
%m = "test.op"() : () -> !cuda_tile.tile<4xi1>
%0, %1 = "cuda_tile.load_ptr_tko"(%m) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 0, 1, 0, 0>}> : (!cuda_tile.tile<4xi1>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
// -----
// CHECK: expected 1 operand type but had 2
cuda_tile.module @m { entry @f(%a: tile<i32>) { %0 = "cuda_tile.absi"(%a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32> } }
// -----
// CHECK: expected 2 operand types but had 1
cuda_tile.module @m { entry @f(%a: tile<i32>) { %0 = "cuda_tile.addi"(%a, %a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32> } }
// -----
// CHECK: expected '['
cuda_tile.module @m { entry @f(%a: tile<4x4xi32>, %i: tile<i32>) { %0 = permute %a 1, 0 : tile<4x4xi32> -> tile<4x4xi32> } }
// -----
// CHECK: expected ']'
cuda_tile.module @m { entry @f(%a: tile<4x4xi32>, %i: tile<i32>) { %0 = permute %a [1, 0 : tile<4x4xi32> -> tile<4x4xi32> } }
// -----
// CHECK: expected integer value
cuda_tile.module @m { entry @f(%a: tile<4x4xi32>, %i: tile<i32>) { %0 = permute %a [x, 0] : tile<4x4xi32> -> tile<4x4xi32> } }
// -----
// CHECK: expected '['
cuda_tile.module @m { entry @f(%a: tile<4x4xi32>, %i: tile<i32>) { %0 = extract %a (%i) : tile<4x4xi32> -> tile<4x4xi32> } }
// -----
// CHECK: expected '('
cuda_tile.module @m { entry @f(%a: tile<4x4xi32>, %i: tile<i32>) { for %x in (%i to %i, step %i) : tile<i32> iter_values %a { } } }
// -----
// CHECK: expected integer value
cuda_tile.module @m { entry @f(%a: tile<4x4xi32>, %i: tile<i32>) { %0 = assume div_by<4, every x along 0>, %a : tile<4x4xi32> } }
// -----
// CHECK: expected '['
cuda_tile.module @m { entry @f(%a: tile<4x4xi32>, %i: tile<i32>) { %0 = assume same_elements<4>, %a : tile<4x4xi32> } }
