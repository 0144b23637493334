// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Floating point, integers, bits and conversions.

// CHECK: custom op 'cuda_tile.addf' expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = addf %a, %a rounding<full> : tile<4xf32> } }
// -----
// CHECK: custom op 'cuda_tile.fma' expected valid keyword
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = fma %a, %a, %a rounding<5> : tile<4xf32> } }
// -----
// CHECK: custom op 'cuda_tile.divf' expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx', 'full'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = divf %a, %a rounding<up> : tile<4xf32> } }
// -----
// CHECK: custom op 'cuda_tile.sqrt' expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = sqrt %a rounding<up> : tile<4xf32> } }
// -----
// CHECK: custom op 'cuda_tile.exp' expected rounding mode to be one of: 'approx', 'full'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = exp %a rounding<up> : tile<4xf32> } }
// -----
// CHECK: custom op 'cuda_tile.ftoi' expected rounding mode to be one of: 'nearest_int_to_zero', got: 'zero'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = ftoi %a signed rounding<zero> : tile<4xf32> -> tile<4xi32> } }
// -----
// CHECK: expected '<'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = addf %a, %a rounding : tile<4xf32> } }
// -----
// CHECK: expected '>'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = addf %a, %a rounding<zero : tile<4xf32> } }
// -----
// CHECK: expected SSA operand
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = addf %a, 5 : tile<4xf32> } }
// -----
// CHECK: expected ':'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = addf %a, %a tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.addf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
// -----
// CHECK: 'cuda_tile.fma' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
// -----
// CHECK: 'cuda_tile.divf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx, full]
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = divf %a, %a rounding<nearest_int_to_zero> : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.sqrt' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = sqrt %a rounding<full> : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.divi' op invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = divi %a, %a signed rounding<full> : tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.exp' op invalid rounding mode specified, expect one of [approx, full]
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = exp %a rounding<zero> : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.tanh' op invalid rounding mode specified, expect one of [approx, full]
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = tanh %a rounding<zero> : tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.divi' op rounding mode 'negative_inf' is not allowed with 'unsigned' flag
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = divi %a, %a unsigned rounding<negative_inf> : tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.addf' op flush_to_zero modifier only supported for f32 data type, but got: 'f64'
cuda_tile.module @m { testing$func @f(%a: tile<4xf64>) { %0 = addf %a, %a flush_to_zero : tile<4xf64> } }
// -----
// CHECK: 'cuda_tile.exp2' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = exp2 %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.maxf' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = maxf %a, %a propagate_nan flush_to_zero : tile<4xf16> } }
// -----
// CHECK: custom op 'cuda_tile.maxf' `propagate_nan` clause can appear at most once
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = maxf %a, %a propagate_nan propagate_nan : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.divf' op approx modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = divf %a, %a rounding<approx> : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.divf' op full modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = divf %a, %a rounding<full> : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.sqrt' op approx modifier only supported for f32 data type, but got: 'f64'
cuda_tile.module @m { testing$func @f(%a: tile<4xf64>) { %0 = sqrt %a rounding<approx> : tile<4xf64> } }
// -----
// CHECK: 'cuda_tile.tanh' op approx modifier only supported for f32 data type, but got: 'f64'
cuda_tile.module @m { testing$func @f(%a: tile<4xf64>) { %0 = tanh %a rounding<approx> : tile<4xf64> } }
// -----
// CHECK: 'cuda_tile.addf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<8xf32>
// -----
// CHECK: 'cuda_tile.addf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<4xi32>'
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = addf %a, %a : tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.addf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.token
// -----
// CHECK: 'cuda_tile.addf' op expected 2 operands, but found 1
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.addf"(%a) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
// -----
// CHECK: 'cuda_tile.addf' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.addf"(%a, %a) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
// -----
// CHECK: 'cuda_tile.fpowi' op operand #1 must be tile of i1 or i8 or i16 or i32 values, but got '!cuda_tile.tile<4xi64>'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %n: tile<4xi64>) { %0 = fpowi %a, %n : tile<4xf32>, tile<4xi64> } }
// -----
// CHECK: 'cuda_tile.pow' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<4xi64>'
cuda_tile.module @m { testing$func @f(%n: tile<4xi64>) { %0 = fpowf %n, %n : tile<4xi64> } }
// -----
// CHECK: 'cuda_tile.absi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
cuda_tile.module @m { testing$func @f(%n: tile<4xi4>) { %0 = absi %n : tile<4xi4> } }
// -----
// CHECK: 'cuda_tile.negi' op 'no_unsigned_wrap' overflow flag is not supported
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = negi %n overflow<no_unsigned_wrap> : tile<4xi16> } }
// -----
// CHECK: custom op 'cuda_tile.shri' expected valid keyword
// CHECK-NEXT: custom op 'cuda_tile.shri' expected signedness to be one of: {'signed', 'unsigned'}
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = shri %n, %n : tile<4xi16> } }
// -----
// CHECK: custom op 'cuda_tile.exti' expected signedness to be one of: {'signed', 'unsigned'}
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = exti %n sign : tile<4xi16> -> tile<4xi32> } }
// -----
// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = exti %n signed : tile<4xi16> -> tile<4xi8> } }
// -----
// CHECK: 'cuda_tile.exti' op failed to verify that all of {from, to} have same shape
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = exti %n signed : tile<4xi16> -> tile<8xi32> } }
// -----
// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = trunci %n : tile<4xi16> -> tile<4xi16> } }
// -----
// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<4xi16>' of width 16 to type '!cuda_tile.tile<4xf32>' of width 32
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = bitcast %n : tile<4xi16> -> tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.bitcast' op failed to verify that all of {source, result} have same shape
cuda_tile.module @m { testing$func @f(%n: tile<4xi16>) { %0 = bitcast %n : tile<4xi16> -> tile<8xf16> } }
// -----
// CHECK: 'cuda_tile.bitcast' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<4xptr<f32>>'
cuda_tile.module @m { testing$func @f(%n: tile<4xi64>) { %0 = bitcast %n : tile<4xi64> -> tile<4xptr<f32>> } }
// -----
// CHECK: 'cuda_tile.int_to_ptr' op operand #0 must be tile of i64 values, but got '!cuda_tile.tile<4xi32>'
cuda_tile.module @m { testing$func @f(%n: tile<4xi32>) { %0 = int_to_ptr %n : tile<4xi32> -> tile<4xptr<f32>> } }
// -----
// CHECK: 'cuda_tile.ftof' op converting tiles must not be a no-op
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = ftof %a : tile<4xf32> -> tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = ftof %a : tile<4xf32> -> tile<4xf8E8M0FNU> } }
// -----
// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = ftof %a rounding<zero> : tile<4xf32> -> tile<4xf8E5M2> } }
// -----
// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = ftof %a rounding<positive_inf> : tile<4xf32> -> tile<4xtf32> } }
// -----
// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = ftof %a rounding<positive_inf> : tile<4xf32> -> tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<4xf16>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
// -----
// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<4xf16>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<approx>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xi32>
// -----
// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = itof %a signed rounding<zero> : tile<4xi32> -> tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.itof' op integer to f8E8M0FNU conversion is not supported, please first convert to another float type
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = itof %a signed : tile<4xi32> -> tile<4xf8E8M0FNU> } }
// -----
// CHECK: 'cuda_tile.subf' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = subf %a, %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.mulf' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = mulf %a, %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.divf' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = divf %a, %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.minf' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = minf %a, %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.fma' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = fma %a, %a, %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.sqrt' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = sqrt %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.rsqrt' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = rsqrt %a flush_to_zero : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.exp' op approx modifier only supported for f32 data type, but got: 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = exp %a rounding<approx> : tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.ftof' op operand #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<4xi32>'
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) { %0 = ftof %a : tile<4xi32> -> tile<4xf32> } }
