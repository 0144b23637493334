// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Branches, loops and their terminators.

// CHECK: 'cuda_tile.return' op has 1 operands, but enclosing function (@f) returns 0
cuda_tile.module @m { testing$func @f(%a: tile<i32>) { return %a : tile<i32> } }
// -----
// CHECK: 'cuda_tile.return' op has 1 operands, but entry function must return 0 operands
cuda_tile.module @m { entry @f(%a: tile<i32>) { return %a : tile<i32> } }
// -----
// CHECK: 'cuda_tile.return' op must be used within a cuda_tile.entry, or cuda_tile.if operation
cuda_tile.module @m { testing$func @f(%a: tile<8xf32>) { %r = reduce %a dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { return } } }
// -----
// CHECK: 'cuda_tile.break' op expects parent op to be one of 'cuda_tile.if, cuda_tile.loop'
cuda_tile.module @m { entry @f() { break } }
// -----
// CHECK: 'cuda_tile.continue' op expects parent op to be one of 'cuda_tile.for, cuda_tile.if, cuda_tile.loop'
cuda_tile.module @m { entry @f() { continue } }
// -----
// CHECK: 'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
cuda_tile.module @m { entry @f() { loop { yield } } }
// -----
// CHECK: 'cuda_tile.break' op can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations
// CHECK-NEXT: see unexpected ancestor operation
cuda_tile.module @m { entry @f(%a: tile<i32>, %c: tile<i1>) { for %i in (%a to %a, step %a) : tile<i32> { if %c { break } } } }
// -----
// CHECK: 'cuda_tile.continue' op can only be nested within a ancestor chain of 'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if' operations
// CHECK-NEXT: see unexpected ancestor operation
cuda_tile.module @m { entry @f(%c: tile<i1>) { if %c { continue } } }
// -----
// CHECK: 'cuda_tile.break' op operand types must correspond to the parent loop result types: ('!cuda_tile.tile<i32>') vs ()
cuda_tile.module @m { entry @f(%a: tile<i32>) { loop { break %a : tile<i32> } } }
// -----
// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: (), but found: ('!cuda_tile.tile<i32>')
cuda_tile.module @m { entry @f(%a: tile<i32>) { for %i in (%a to %a, step %a) : tile<i32> { continue %a : tile<i32> } } }
// -----
// CHECK: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: ('!cuda_tile.tile<i32>'), but found: ()
cuda_tile.module @m { entry @f(%a: tile<i32>) { loop iter_values(%v = %a) : tile<i32> { } } }
// -----
// CHECK: number of operands and types do not match: got 2 operands and 1 types
cuda_tile.module @m { entry @f(%a: tile<i32>) { loop { break %a, %a : tile<i32> } } }
// -----
// CHECK: 'cuda_tile.break' op must be the last operation in the parent block
cuda_tile.module @m { entry @f(%a: tile<i32>) { loop { break continue } } }
// -----
// CHECK: expected SSA operand
cuda_tile.module @m { entry @f(%a: tile<i32>) { for 5 in (%a to %a, step %a) : tile<i32> { } } }
// -----
// CHECK: expected SSA operand
cuda_tile.module @m { entry @f(%a: tile<i32>) { for %i in (%a to %a, step %a) : tile<i32> iter_values(x = %a) -> (tile<i32>) { } } }
// -----
// CHECK: custom op 'cuda_tile.for' expected 'step'
cuda_tile.module @m { entry @f(%a: tile<i32>) { for %i in (%a to %a, %a) : tile<i32> { } } }
// -----
// CHECK: use of value '%b' expects different type than prior uses: '!cuda_tile.tile<i32>' vs '!cuda_tile.tile<i64>'
cuda_tile.module @m { entry @f(%a: tile<i32>, %b: tile<i64>) { for %i in (%a to %b, step %a) : tile<i32> { } } }
// -----
// CHECK: custom op 'cuda_tile.for' mismatch in number of loop-carried values and defined values
cuda_tile.module @m { entry @f(%a: tile<i32>) { for %i in (%a to %a, step %a) : tile<i32> iter_values(%v = %a) -> (tile<i32>, tile<i32>) { continue %v : tile<i32> } } }
// -----
// CHECK: custom op 'cuda_tile.loop' found different number of iter_values and types
cuda_tile.module @m { entry @f(%a: tile<i32>) { loop iter_values(%v = %a) : tile<i32>, tile<i32> { continue %v : tile<i32> } } }
// -----
// CHECK: 'cuda_tile.for' op operand #0 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<2xi32>'
cuda_tile.module @m { testing$func @f(%a: tile<2xi32>) { for %i in (%a to %a, step %a) : tile<2xi32> { } } }
// -----
// CHECK: 'cuda_tile.for' op failed to verify that all of {lowerBound, upperBound, step} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%a, %a, %b) ({ ^bb0(%i: !cuda_tile.tile<i32>): "cuda_tile.continue"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()
// -----
// CHECK: 'cuda_tile.for' op expected at least one block argument for induction variable
%a = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.for"(%a, %a, %a) ({ "cuda_tile.continue"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
// -----
// CHECK: 'cuda_tile.for' op expected induction variable to be same type as bounds and step: '!cuda_tile.tile<f32>' vs '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.for"(%a, %a, %a) ({ ^bb0(%i: !cuda_tile.tile<f32>): "cuda_tile.continue"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
// -----
// CHECK: 'cuda_tile.for' op mismatch in number of region iterator values and loop iterator inits: 1 vs 0
%a = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.for"(%a, %a, %a) ({ ^bb0(%i: !cuda_tile.tile<i32>, %v: !cuda_tile.tile<i32>): "cuda_tile.continue"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
// -----
// CHECK: 'cuda_tile.for' op init value 0 and region iter_value 0 have different type: '!cuda_tile.tile<i32>' != '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.for"(%a, %a, %a, %a) ({ ^bb0(%i: !cuda_tile.tile<i32>, %v: !cuda_tile.tile<f32>): "cuda_tile.continue"(%a) : (!cuda_tile.tile<i32>) -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
// -----
// CHECK: 'cuda_tile.for' op failed to verify that all of {initValues, resultValues} have same type
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.for"(%a, %a, %a, %a) ({ ^bb0(%i: !cuda_tile.tile<i32>, %v: !cuda_tile.tile<i32>): "cuda_tile.continue"(%a) : (!cuda_tile.tile<i32>) -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
// -----
// CHECK: 'cuda_tile.for' op loop-carried value 0 is a tensor_view, which is not supported
cuda_tile.module @m { testing$func @f(%a: tile<i32>, %v: tensor_view<4xf32, strides=[1]>) { %0 = for %i in (%a to %a, step %a) : tile<i32> iter_values(%w = %v) -> (tensor_view<4xf32, strides=[1]>) { continue %w : tensor_view<4xf32, strides=[1]> } } }
// -----
// CHECK: 'cuda_tile.loop' op loop-carried value 0 is a tile view, which is not supported
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) { loop iter_values(%w = %v) : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>> { break } } }
// -----
// CHECK: 'cuda_tile.loop' op result type 0 is a tensor_view, which is not supported
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) { %0 = loop : tensor_view<4xf32, strides=[1]> { break %v : tensor_view<4xf32, strides=[1]> } } }
// -----
// CHECK: 'cuda_tile.if' op result type 0 is a tile view, which is not supported
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) { %0 = if %c -> (partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) { yield %v : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>> } else { yield %v : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>> } } }
// -----
// CHECK: 'cuda_tile.if' op must define then branch
%c = "test.op"() : () -> !cuda_tile.tile<i1>
"cuda_tile.if"(%c) ({ }, { }) : (!cuda_tile.tile<i1>) -> ()
// -----
// CHECK: 'cuda_tile.if' op region #1 ('elseRegion') failed to verify constraint: region with at most 1 blocks
%c = "test.op"() : () -> !cuda_tile.tile<i1>
"cuda_tile.if"(%c) ({ "cuda_tile.yield"() : () -> () }, { ^bb0: "cuda_tile.yield"() : () -> () ^bb1: "cuda_tile.yield"() : () -> () }) : (!cuda_tile.tile<i1>) -> ()
// -----
// CHECK: 'cuda_tile.if' op expected 2 regions
%c = "test.op"() : () -> !cuda_tile.tile<i1>
"cuda_tile.if"(%c) ({ "cuda_tile.yield"() : () -> () }) : (!cuda_tile.tile<i1>) -> ()
// -----
// CHECK: 'cuda_tile.if' op operand #0 must be 0D tile of i1 values, but got '!cuda_tile.tile<i32>'
%c = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.if"(%c) ({ "cuda_tile.yield"() : () -> () }, { }) : (!cuda_tile.tile<i32>) -> ()
// -----
// CHECK: 'cuda_tile.if' op has non-empty return type, must define else branch
cuda_tile.module @m { entry @f(%c: tile<i1>) { %0 = if %c -> (tile<i1>) { yield %c : tile<i1> } } }
// -----
// CHECK: 'cuda_tile.if' op has return type of '!cuda_tile.tile<i1>' but else branch does not yield anything
cuda_tile.module @m { entry @f(%c: tile<i1>) { %0 = if %c -> (tile<i1>) { yield %c : tile<i1> } else { } } }
// -----
// CHECK: 'cuda_tile.if' op does not return a value, but then branch yields '!cuda_tile.tile<i1>'
cuda_tile.module @m { entry @f(%c: tile<i1>) { if %c { yield %c : tile<i1> } } }
// -----
// CHECK: 'cuda_tile.if' op type does not match yield type, else branch yields '!cuda_tile.tile<i32>' but op result type is '!cuda_tile.tile<i1>'
cuda_tile.module @m { entry @f(%c: tile<i1>, %n: tile<i32>) { %0 = if %c -> (tile<i1>) { yield %c : tile<i1> } else { yield %n : tile<i32> } } }
// -----
// CHECK: 'cuda_tile.assert' op operand #0 must be tile of i1 values, but got '!cuda_tile.tile<i32>'
cuda_tile.module @m { entry @f(%n: tile<i32>) { assert %n, "n" : tile<i32> } }
// -----
// CHECK: custom op 'cuda_tile.assert' expected string
cuda_tile.module @m { entry @f(%c: tile<i1>) { assert %c, n : tile<i1> } }
// -----
// CHECK: 'cuda_tile.loop' op mismatch in number of region iterator values and loop iterator inits: 0 vs 1
%0 = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.loop"(%0) ({ "cuda_tile.continue"(%0) : (!cuda_tile.tile<i32>) -> () }) : (!cuda_tile.tile<i32>) -> ()
// -----
// CHECK: 'cuda_tile.if' op has return type of '!cuda_tile.tile<i32>' but then branch does not yield anything
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %a: tile<i32>) { %0 = if %c -> (tile<i32>) { } else { yield %a : tile<i32> } } }
// -----
// CHECK: 'cuda_tile.if' op does not return a value, but else branch yields '!cuda_tile.tile<i32>'
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %a: tile<i32>) { if %c { } else { yield %a : tile<i32> } } }
// -----
// CHECK: 'cuda_tile.if' op type does not match yield type, then branch yields '!cuda_tile.tile<i1>' but op result type is '!cuda_tile.tile<i32>'
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %a: tile<i32>) { %0 = if %c -> (tile<i32>) { yield %c : tile<i1> } else { yield %a : tile<i32> } } }
