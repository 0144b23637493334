// The examples of the Tile IR specification, section 8, each made a whole module: values that an
// example uses but does not define are arguments. `// INVALID:` gives the diagnostic of the few
// that break a rule of the specification itself.

// 8.3.2 cat_0
cuda_tile.module @m {
  testing$func @example(%arg0: tile<2x4xf32>, %arg1: tile<2x4xf32>) {
    // A valid invocation of cat.
    %0 = cat %arg0, %arg1 dim = 1
      : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>
    // >>> %arg0 = tile([[ A, B, C ],
    // [ D, E, F ]])
    // >>> %arg1 = tile([[ 1, 2, 3 ],
    // [ 4, 5, 6 ]])
    // >>> %0 = tile([[ A, B, C, 1, 2, 3 ],
    // [ D, E, F, 4, 5, 6 ]])
    // A valid invocation of cat.
    %1 = cat %arg0, %arg1 dim = 0
      : tile<2x4xf32>, tile<2x4xf32> -> tile<4x4xf32>
    // >>> %arg0 = tile([[ A, B, C ],
    // [ D, E, F ]])
    //
    // >>> %arg1 = tile([[ 1, 2, 3 ],
    // [ 4, 5, 6 ]])
    //
    // >>> %1 = tile([[ A, B, C ],
    // [ D, E, F ],
    // [ 1, 2, 3 ],
    // [ 4, 5, 6 ]])
  }
}
// -----
// 8.3.3 cmpf_0
cuda_tile.module @m {
  testing$func @example() {
    %lhs0 = constant <f16: 0.0> : tile<f16>
    %rhs0 = constant <f16: 0.0> : tile<f16>
    // Custom form of scalar "ordered equal" comparison.
    %x0 = cmpf equal ordered %lhs0, %rhs0 : tile<f16> -> tile<i1>
    %lhs1 = constant <f16: 0.0> : tile<2x2xf16>
    %rhs1 = constant <f16: 0.0> : tile<2x2xf16>
    // Custom form of scalar "unordered less than" comparison.
    %x2 = cmpf less_than unordered %lhs1, %rhs1 : tile<2x2xf16> -> tile<2x2xi1>
    %lhs2 = constant <f64: 0.0> : tile<2x2xf64>
    %rhs2 = constant <f64: 0.0> : tile<2x2xf64>
  }
}
// -----
// 8.3.4 cmpi_0
cuda_tile.module @m {
  testing$func @example() {
    %lhs0 = constant <i16: 0> : tile<i16>
    %rhs0 = constant <i16: 0> : tile<i16>
    // Scalar "signed less than" comparison.
    %x0 = cmpi less_than %lhs0, %rhs0, signed : tile<i16> -> tile<i1>
    %lhs1 = constant <i64: 0> : tile<2x2xi64>
    %rhs1 = constant <i64: 0> : tile<2x2xi64>
    // Tile equality comparison.
    // There is no difference between "signed" and "unsigned" when performing equality and inequality comparison.
    %x1 = cmpi equal %lhs1, %rhs1, signed : tile<2x2xi64> -> tile<2x2xi1>
  }
}
// -----
// 8.3.5 constant_0
cuda_tile.module @m {
  testing$func @example() {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i64: 1> : tile<i64>
    %c2 = constant <i32: [0, 1, 2, 3]> : tile<4xi32>
    %c3 = constant <f32: 0.0> : tile<2x4xf32>
    %c4 = constant <f64: [0.0, 1.0, 2.0, 3.0]> : tile<4xf64>
  }
}
// -----
// 8.3.6 entry_hints
cuda_tile.module @m {
  entry @example() optimization_hints=<
    sm_100 = {num_cta_in_cga = 8},
    sm_120 = {num_cta_in_cga = 16}
  > { }
}
// -----
// 8.3.7 extract_0
cuda_tile.module @m {
  testing$func @example() {
    // Extract a subtile from %t at dim_0 = [4;8) and dim_1 = [4;6).
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %t = constant <f32: 0.0> : tile<32x8xf32>
    // Valid indices are: [ {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3} ]
    %0 = extract %t[%c1, %c2]
      : tile<32x8xf32> -> tile<4x2xf32>
  }
}
// -----
// 8.3.8 get_global_0
cuda_tile.module @m {
  global @val <f32: [0.1, 0.2, 0.3, 0.4]> : tile<4xf32>
  entry @example() {
    %ptr = get_global @val : tile<ptr<f32>>
    return
  }
}
// -----
// 8.3.9 get_num_tile_blocks_0
cuda_tile.module @m {
  entry @example() {
    %x, %y, %z = get_num_tile_blocks : tile<i32>
    // print "x: %, y: %, z: %\n", %x, %y, %z : tile<i32>, tile<i32>, tile<i32>
  }
}
// -----
// 8.3.11 global_0
cuda_tile.module @m {
  global @val alignment = 128 <f32: [0.1, 0.2, 0.3, 0.4]> : tile<4xf32>
  entry @example() {}
}
// -----
// 8.3.13 mmaf_0
cuda_tile.module @m {
  testing$func @example() {
    %lhs0 = constant <f16: 0.0> : tile<4x8xf16>
    %rhs0 = constant <f16: 0.0> : tile<8x2xf16>
    %acc0 = constant <f32: 0.0> : tile<4x2xf32>
    %0 = mmaf %lhs0, %rhs0, %acc0
      : tile<4x8xf16>, tile<8x2xf16>,
    tile<4x2xf32>
    %lhs1 = constant <f16: 0.0> : tile<2x4x8xf16>
    %rhs1 = constant <f16: 0.0> : tile<2x8x2xf16>
    %acc1 = constant <f32: 0.0> : tile<2x4x2xf32>
    %1 = mmaf %lhs1, %rhs1, %acc1
      : tile<2x4x8xf16>, tile<2x8x2xf16>,
    tile<2x4x2xf32>
  }
}
// -----
// 8.3.14 mmai_0
cuda_tile.module @m {
  testing$func @example() {
    %lhs0 = cuda_tile.constant <i8: 0> : tile<4x8xi8>
    %rhs0 = cuda_tile.constant <i8: 0> : tile<8x2xi8>
    %acc0 = cuda_tile.constant <i32: 0> : tile<4x2xi32>
    %0 = mmai %lhs0, %rhs0, %acc0 signed signed
      : tile<4x8xi8>, tile<8x2xi8>,
    tile<4x2xi32>
    %lhs1 = cuda_tile.constant <i8: 0> : tile<2x4x8xi8>
    %rhs1 = cuda_tile.constant <i8: 0> : tile<2x8x2xi8>
    %acc1 = cuda_tile.constant <i32: 0> : tile<2x4x2xi32>
    %1 = mmai %lhs1, %rhs1, %acc1 unsigned unsigned
      : tile<2x4x8xi8>, tile<2x8x2xi8>,
    tile<2x4x2xi32>
  }
}
// -----
// 8.3.17 pack_0
cuda_tile.module @m {
  testing$func @example() {
    %arg0 = constant <f16: 0.0> : tile<64xf16>
    %0 = pack %arg0 : tile<64xf16> -> tile<128xi8>
  }
}
// -----
// 8.3.17 pack_1
cuda_tile.module @m {
  testing$func @example() {
    %arg0 = constant <f4E2M1FN: 0.0> : tile<64xf4E2M1FN>
    %0 = pack %arg0 : tile<64xf4E2M1FN> -> tile<32xi8>
  }
}
// -----
// 8.3.18 permute_0
cuda_tile.module @m {
  testing$func @example() {
    %arg0 = constant <f16: 0.0> : tile<2x4x8xf16>
    %0 = permute %arg0 [2, 0, 1] : tile<2x4x8xf16> -> tile<8x2x4xf16>
  }
}
// -----
// 8.3.19 reduce_0
// INVALID: use of value '%input_arg' expects different type than prior uses: '!cuda_tile.tile<f32>' vs '!cuda_tile.tile<2xf32>'
cuda_tile.module @m {
  testing$func @example() {
    %input = constant <f32: 0.0> : tile<8xf32>
    %0 = reduce %input dim=0 identities=[0.000000e+0 : f32] : tile<8xf32> -> tile<f32>
      (%input_arg: tile<2xf32>, %input_accum: tile<f32>) {
      %add_result = addf %input_arg, %input_accum : tile<f32>
      yield %add_result : tile<f32>
    }
  }
}
// -----
// 8.3.19 reduce_1
// INVALID: 'cuda_tile.reduce' op inferred type(s) '!cuda_tile.tile<64xf32>' are incompatible with return type(s) of operation '!cuda_tile.tile<8xf32>'
// INVALID: 'cuda_tile.reduce' op failed to infer returned types
cuda_tile.module @m {
  testing$func @example() {
    %input = constant <f32: 0.0> : tile<8x64xf32>
    %0 = reduce %input dim=0 identities=[0.000000e+0 : f32] : tile<8x64xf32> -> tile<8xf32>
      (%input_arg: tile<f32>, %input_accum: tile<f32>) {
      %add_result = addf %input_arg, %input_accum : tile<f32>
      yield %add_result : tile<f32>
    }
  }
}
// -----
// 8.3.20 reshape_0
cuda_tile.module @m {
  testing$func @example() {
    %cst = constant <i8: 0> : tile<i8>
    %0 = reshape %cst
      : tile<i8> -> tile<1x1x1xi8>
    %t = constant <f32: 0.0> : tile<8x2xf32>
    %1 = reshape %t
      : tile<8x2xf32> -> tile<2x2x4x1xf32>
  }
}
// -----
// 8.3.20 reshape_1
cuda_tile.module @m {
  testing$func @example() {
    %cst = constant <i32: [[0, 1, 2, 3], [4, 5, 6, 7]]>
      : tile<2x4xi32>
    %r0 = reshape %cst
      : tile<2x4xi32> -> tile<2x2x2xi32>
    // Step 1: Turn source into 1D tile. Use row-major by convention.
    // %tmp: [0, 1, 2, 3, 4, 5, 6, 7]
    %tmp = reshape %cst
      : tile<2x4xi32> -> tile<8xi32>
    // Step 2: Turn 1D tile into result tile. Use row-major by convention.
    // %r: [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    %r1 = reshape %tmp
      : tile<8xi32> -> tile<2x2x2xi32>
  }
}
// -----
// 8.3.21 scan_0
cuda_tile.module @m {
  testing$func @example() {
    %input = constant <f32: 0.0> : tile<8x16xf32>
    %result = scan %input dim=1 reverse=false identities=[1.0 : f32] : tile<8x16xf32> -> tile<8x16xf32>
      (%acc: tile<f32>, %elem: tile<f32>) {
      %prod = mulf %acc, %elem rounding<nearest_even>: tile<f32>
      yield %prod : tile<f32>
    }
  }
}
// -----
// 8.3.23 unpack_0
cuda_tile.module @m {
  testing$func @example() {
    %arg0 = constant <i8: 0> : tile<64xi8>
    %0 = unpack %arg0 : tile<64xi8> -> tile<32xf16>
  }
}
// -----
// 8.3.23 unpack_1
// INVALID: unknown type: F4E2M1FN
cuda_tile.module @m {
  testing$func @example() {
    %arg0 = constant <i8: 0> : tile<64xi8>
    %0 = unpack %arg0 : tile<64xi8> -> tile<128xF4E2M1FN>
  }
}
// -----
// 8.5.1 assert_0
cuda_tile.module @m {
  testing$func @example(%arg0: tile<i1>) {
    assert %arg0, "assertion failed" : tile<i1>
  }
}
// -----
// 8.5.2 break_0
cuda_tile.module @m {
  testing$func @example() {
    // Break from the body of a loop.
    loop {
      break
    }
    // Break from an if nested within the loop.
    loop {
      %condition = constant <i1: 1> : tile<i1>
      if %condition {
        break
      }
      // ...
    }
    %initValue0 = constant <f32: 0.0> : tile<f32>
    // Break from an if nested within the loop, while yielding values.
    %results = loop iter_values(%var0 = %initValue0): tile<f32> -> tile<f32> {
      %condition = constant <i1: 1> : tile<i1>
      if %condition {
        // ...
        yield
      } else {
        // %if.loopValue0 = ...
        %loopValue0 = constant <f32: 1.0> : tile<f32>
        break %loopValue0 : tile<f32>
      }
      %loopValue1 = constant <f32: 1.0> : tile<f32>
      continue %loopValue1 : tile<f32>
    }
  }
}
// -----
// 8.5.3 continue_0
cuda_tile.module @m {
  testing$func @example() {
    %lowerBound = constant <i32: 0> : tile<i32>
    %upperBound = constant <i32: 10> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %condition = constant <i1: 1> : tile<i1>
    // Continue from the body of a loop.
    for %iv in (%lowerBound to %upperBound, step %step) : tile<i32> {
      continue
    }
    // Continue from an if nested within the loop.
    for %iv in (%lowerBound to %upperBound, step %step) : tile<i32> {
      if %condition {
        continue
      }
      // ...
    }
    // Continue from an if nested within the loop, while yielding values.
    %initVar0 = constant <f32: 0.0> : tile<f32>
    %results = for %iv in (%lowerBound to %upperBound, step %step) : tile<i32>
      iter_values(%var0 = %initVar0) -> (tile<f32>)
    {
      if %condition {
        // ...
        yield
      } else {
        %loopValue0 = constant <f32: 1.0> : tile<f32>
        continue %loopValue0 : tile<f32>
      }
      %loopValue1 = constant <f32: 1.0> : tile<f32>
      continue %loopValue1 : tile<f32>
    }
  }
}
// -----
// 8.5.4 for_0
cuda_tile.module @m {
  testing$func @example() {
    %lowerBound = constant <i32: 0> : tile<i32>
    %upperBound = constant <i32: 10> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    // A simple loop iterating over an i32 range.
    for %iv in (%lowerBound to %upperBound, step %step) : tile<i32> {
      continue
    }
    %initVal0 = constant <f32: 0.0> : tile<f32>
    // A similar loop to the above, but with a loop carried value, val0.
    %results = for %iv in (%lowerBound to %upperBound, step %step) : tile<i32>
      iter_values(%val00 = %initVal0) -> (tile<f32>) {
      %loopVal0 = constant <f32: 1.0> : tile<f32>
      continue %loopVal0 : tile<f32>
    }
  }
}
// -----
// 8.5.5 if_0
cuda_tile.module @m {
  testing$func @example() {
    %condition = constant <i1: 1> : tile<i1>
    // A simple if operation that conditionally executes a region.
    if %condition {
      // ...
    }
    // An if operation with an "else" branch.
    if %condition {
      // ...
    } else {
      // ...
    }
    // An if operation that returns mixed types (f32,i32)
    %x, %y = if %condition -> (tile<f32>, tile<i32>) {
      %x_then = constant <f32: 1.0> : tile<f32>
      %y_then = constant <i32: 2> : tile<i32>
      yield %x_then, %y_then : tile<f32>, tile<i32>
    } else {
      %x_then = constant <f32: 1.0> : tile<f32>
      %y_then = constant <i32: 42> : tile<i32>
      yield %x_then, %y_then : tile<f32>, tile<i32>
    }
  }
}
// -----
// 8.5.6 loop_0
cuda_tile.module @m {
  testing$func @example() {
    // A simple "while-do" loop.
    loop {
      %cond = constant <i1: 1> : tile<i1>
      if %cond {
        continue
      }
      break
    }
  }
}
// -----
// 8.5.6 loop_1
cuda_tile.module @m {
  testing$func @example() {
    // A simple "do-while" loop.
    loop {
      //... body of the loop.
      %cond = constant <i1: 1> : tile<i1>
      if %cond {
        continue
      }
      break
    }
  }
}
// -----
// 8.5.6 loop_2
cuda_tile.module @m {
  testing$func @example() {
    %initValue0 = constant <f32: 0.0> : tile<f32>
    // A loop that yields carried-iteration values, returning the final values.
    %results = loop iter_values(%value0 = %initValue0) : tile<f32> -> tile<f32> {
      %cond = constant <i1: 1> : tile<i1>
      if %cond {
        %loopValue0 = constant <f32: 0.0> : tile<f32>
        continue %loopValue0 : tile<f32>
      }
      break %value0 : tile<f32>
    }
  }
}
// -----
// 8.5.6 loop_3
cuda_tile.module @m {
  testing$func @example() {
    %initValue0 = constant <i32: 0> : tile<i32>
    // A loop that uses loop-carried values and returns a different type.
    %results = loop iter_values(%value0 = %initValue0) : tile<i32> -> tile<f32> {
      %cond = constant <i1: 1> : tile<i1>
      if %cond {
        %newLoopValue = constant <i32: 0> : tile<i32>
        continue %newLoopValue : tile<i32>
      }
      %finalReturnValue = constant <f32: 0.0> : tile<f32>
      break %finalReturnValue : tile<f32>
    }
  }
}
// -----
// 8.5.7 return_0
cuda_tile.module @m {
  experimental$func @foo() -> (tile<i32>, tile<f16>) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <f16: 0.0> : tile<f16>
    // ...
    return %0, %1 : tile<i32>, tile<f16>
  }
}
// -----
// 8.5.7 return_1
cuda_tile.module @m {
  entry @foo() {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <f16: 0.0> : tile<f16>
    // ...
    return
  }
}
// -----
// 8.5.8 yield_0
cuda_tile.module @m {
  testing$func @example() {
    %condition = constant <i1: true> : tile<i1>
    // Yield from the body of an if conditional.
    if %condition {
      yield
    }
    // Yield values from within an if conditional.
    %x, %y = if %condition -> (tile<f32>, tile<f32>) {
      %x_then = constant <f32: 0.0> : tile<f32>
      %y_then = constant <f32: 1.0> : tile<f32>
      yield %x_then, %y_then : tile<f32>, tile<f32>
    } else {
      %x_else = constant <f32: 2.0> : tile<f32>
      %y_else = constant <f32: 3.0> : tile<f32>
      yield %x_else, %y_else : tile<f32>, tile<f32>
    }
  }
}
// -----
// 8.6.2 load_ptr_tko_0
cuda_tile.module @m {
  testing$func @example(%ptr: tile<ptr<f32>>) {
    %mask = constant <i1: 1> : tile<i1>
    %padding = constant <f32: 0.0> : tile<f32>
    // Load without token.
    %result0, %res_token0 = load_ptr_tko weak %ptr, %mask, %padding
      : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    // Load with token.
    %token0 = make_token : token
    %result1, %res_token1 = load_ptr_tko weak %ptr, %mask, %padding token=%token0
      : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    return
  }
}
// -----
// 8.7.5 atan2_0
cuda_tile.module @m {
  testing$func @example() {
    %x = constant <f32: [1.0, -1.0, 0.0, 2.0]> : tile<4xf32>
    %y = constant <f32: [1.0, 1.0, 1.0, 0.0]> : tile<4xf32>
    %res = atan2 %x, %y : tile<4xf32>
  }
}
// -----
// 8.7.6 ceil_0
cuda_tile.module @m {
  testing$func @example(%source: tile<f32>) {
    %result = ceil %source : tile<f32>
  }
}
// -----
// 8.7.8 cos_0
cuda_tile.module @m {
  testing$func @example() {
    %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
    %res = cos %in : tile<4xf32>
  }
}
// -----
// 8.7.10 exp2_0
cuda_tile.module @m {
  testing$func @example() {
    %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
    %res = exp2 %in : tile<4xf32>
  }
}
// -----
// 8.7.11 exp_0
cuda_tile.module @m {
  testing$func @example() {
    %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
    %res = exp %in : tile<4xf32>
  }
}
// -----
// 8.7.12 floor_0
cuda_tile.module @m {
  testing$func @example() {
    %source = constant <f32: 1.5> : tile<f32>
    %result = floor %source : tile<f32>
  }
}
// -----
// 8.7.14 log2_0
cuda_tile.module @m {
  testing$func @example() {
    %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
    %res = log2 %in : tile<4xf32>
  }
}
// -----
// 8.7.16 maxf_0
cuda_tile.module @m {
  testing$func @example(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>) {
    // Create tensor view from a pointer to global memory
    %0 = make_tensor_view %arg0, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
    %1 = make_tensor_view %arg1, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
    // Convert tensor views to partition views and load tiles from partition views.
    %p0 = make_partition_view %0 : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>
    %p1 = make_partition_view %1 : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %2, %token0 = load_view_tko weak %p0[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>, tile<i32> -> tile<2x4xf32>, token
    %3, %token1 = load_view_tko weak %p1[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>, tile<i32> -> tile<2x4xf32>, token
    // IEEE 754-2019's maximum
    %4 = maxf %2, %3 propagate_nan : tile<2x4xf32>
    // IEEE 754-2019's maximumNumber
    %5 = maxf %2, %3 : tile<2x4xf32>
    // flush denormal to positive zero
    %6 = maxf %2, %3 flush_to_zero : tile<2x4xf32>
  }
}
// -----
// 8.7.17 minf_0
cuda_tile.module @m {
  testing$func @example(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>) {
    // Create tensor view from a pointer to global memory
    %0 = make_tensor_view %arg0, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
    %1 = make_tensor_view %arg1, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
    // Convert tensor views to partition views and load tiles from partition views.
    %p0 = make_partition_view %0 : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>
    %p1 = make_partition_view %1 : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %2, %token0 = load_view_tko weak %p0[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>, tile<i32> -> tile<2x4xf32>, token
    %3, %token1 = load_view_tko weak %p1[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xf32, strides=[4,1]>>, tile<i32> -> tile<2x4xf32>, token
    // IEEE 754-2019's minimum
    %4 = minf %2, %3 propagate_nan : tile<2x4xf32>
    // IEEE 754-2019's minimumNumber
    %5 = minf %2, %3 : tile<2x4xf32>
    // flush denormal to positive zero
    %6 = minf %2, %3 flush_to_zero : tile<2x4xf32>
  }
}
// -----
// 8.7.19 negf_0
cuda_tile.module @m {
  testing$func @example() {
    %source = constant <f32: 0.0> : tile<4xf32>
    %result = negf %source : tile<4xf32>
  }
}
// -----
// 8.7.20 pow_0
cuda_tile.module @m {
  testing$func @example() {
    %source = constant <f32: 0.0> : tile<4xf32>
    %exponent = constant <f32: 2.0> : tile<4xf32>
    %result = pow %source, %exponent : tile<4xf32>
  }
}
// -----
// 8.7.22 rsqrt_0
cuda_tile.module @m {
  testing$func @example() {
    %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
    %res = rsqrt %in : tile<4xf32>
    // Rsqrt op with flush to zero modifier
    %ftz_res = rsqrt %in flush_to_zero : tile<4xf32>
  }
}
// -----
// 8.7.24 sin_0
cuda_tile.module @m {
  testing$func @example() {
    %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
    %res = sin %in : tile<4xf32>
  }
}
// -----
// 8.7.27 tanh_0
cuda_tile.module @m {
  testing$func @example() {
    %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
    %res0 = tanh %in : tile<4xf32>
    // tanh with approx modifier
    %res1 = tanh %in rounding<approx> : tile<4xf32>
  }
}
// -----
// 8.8.5 maxi_0
cuda_tile.module @m {
  testing$func @example(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>) {
    // Create tensor view from a pointer to global memory
    %0 = make_tensor_view %arg0, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    %1 = make_tensor_view %arg1, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    // Convert tensor views to partition views and load tiles from them.
    %p0 = make_partition_view %0 : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>
    %p1 = make_partition_view %1 : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %2, %token0 = load_view_tko weak %p0[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<2x4xi32>, token
    %3, %token1 = load_view_tko weak %p1[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<2x4xi32>, token
    // Signless i32 treated as unsigned
    %4 = maxi %2, %3 unsigned : tile<2x4xi32>
    // Signless i32 treated as signed
    %5 = maxi %2, %3 signed : tile<2x4xi32>
  }
}
// -----
// 8.8.6 mini_0
cuda_tile.module @m {
  testing$func @example(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>) {
    // Create tensor view from a pointer to global memory
    %0 = make_tensor_view %arg0, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    %1 = make_tensor_view %arg1, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    // Convert tensor views to partition views and load tiles from partition views.
    %p0 = make_partition_view %0 : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>
    %p1 = make_partition_view %1 : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %2, %token0 = load_view_tko weak %p0[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<2x4xi32>, token
    %3, %token1 = load_view_tko weak %p1[%c0, %c0] : partition_view<tile=(2x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<2x4xi32>, token
    // Signless i32 treated as unsigned
    %4 = mini %2, %3 unsigned : tile<2x4xi32>
    // Signless i32 treated as signed
    %5 = mini %2, %3 signed : tile<2x4xi32>
  }
}
// -----
// 8.8.8 mulhii_0
cuda_tile.module @m {
  testing$func @example() {
    // 2^31 * 2 = 2^32, or 0x100000000.
    // The most significant 32 bits of the product are 0x00000001.
    // The lower 32 bits of the product are 0x00000000.
    %a = constant <i32: 2147483648> : tile<i32> // %a = 2^31
    %b = constant <i32: 2> : tile<i32> // %b = 2
    %res_hi = mulhii %a, %b : tile<i32> // %res_hi = 1
    %res_lo = muli %a, %b : tile<i32> // %res_lo = 0
  }
}
// -----
// 8.8.9 negi_0
cuda_tile.module @m {
  testing$func @example() {
    %source = constant <i16: [0, 1, 2, 3]> : tile<4xi16>
    %result = negi %source : tile<4xi16>
    // %result = [0, -1, -2, -3]
  }
}
// -----
// 8.8.15 xori_0
cuda_tile.module @m {
  testing$func @example() {
    %lhs = constant <i32: [0, 1, 2, 3]> : tile<4xi32>
    %rhs = constant <i32: [4, 5, 6, 7]> : tile<4xi32>
    // This computes the bitwise XOR of each element in `%lhs` and `%rhs`, which
    // are tiles of shape `4xi32`, and returns the result as `%result`.
    %result = xori %lhs, %rhs : tile<4xi32>
  }
}
// -----
// 8.10.1 atomic_cas_tko_0
cuda_tile.module @m {
  testing$func @example(%ptr: tile<ptr<i32>>) {
    %ptr_1x = reshape %ptr : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ptr_vec = broadcast %ptr_1x : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %offsets = iota : tile<8xi32>
    %ptrs = offset %ptr_vec, %offsets : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %cmp = constant <i32: [0, 1, 2, 3, 4, 5, 6, 7]> : tile<8xi32>
    %val = constant <i32: [7, 6, 5, 4, 3, 2, 1, 0]> : tile<8xi32>
    %mask = constant <i1: [0, 1, 0, 1, 0, 1, 0, 1]> : tile<8xi1>
    // Atomic CAS without input token.
    %0, %token = atomic_cas_tko relaxed device %ptrs, %cmp, %val :
    tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
    // Atomic CAS without input token.
    %1, %token1 = atomic_cas_tko relaxed device %ptrs, %cmp, %val, %mask :
    tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token
    // Atomic CAS with input token.
    %token2 = make_token : token
    %2, %token3 = atomic_cas_tko relaxed device %ptrs, %cmp, %val token=%token2 :
    tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
    return
  }
}
// -----
// 8.10.2 atomic_rmw_tko_0
cuda_tile.module @m {
  testing$func @example(%ptr: tile<ptr<f32>>) {
    // Reshape the input pointer tile to have a 1d shape
    %ptr_1x = reshape %ptr : tile<ptr<f32>> -> tile<1xptr<f32>>
    // Broadcast the reshaped tile to a tile with 8 rows, effectively replicating the pointer 8 times
    %ptr_vec = broadcast %ptr_1x : tile<1xptr<f32>> -> tile<8xptr<f32>>
    // Create a tile of offsets [0, 1, 2, ..., 7] to index into memory
    %offsets = iota : tile<8xi32>
    // Add the offsets to each pointer in the vector to create 8 unique pointers
    %ptrs = offset %ptr_vec, %offsets : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %vals = constant <f32: [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]> : tile<8xf32>
    // Perform atomic addf operations on the memory locations pointed by %ptrs
    // without requiring an input token. Returns the original values and a result token
    %0, %res_token0 = atomic_rmw_tko relaxed device %ptrs, addf, %vals :
    tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    // Perform atomic add operations again, this time using the explicit input token
    %token = make_token : token
    %1, %res_token1 = atomic_rmw_tko relaxed device %ptrs, addf, %vals, token = %token :
    tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
  }
}
// -----
// 8.11.1 get_index_space_shape_0
cuda_tile.module @m {
  testing$func @example(%base: tile<ptr<f32>>) {
    %tensor_view = make_tensor_view %base,
      shape = [2, 2, 4], strides = [2, 2, 1]
      : tensor_view<2x2x4xf32, strides=[2,2,1]>
    %partition_view = make_partition_view %tensor_view :
      partition_view<tile=(2x2x4), tensor_view<2x2x4xf32, strides=[2,2,1]>>
    %dim0, %dim1, %dim2 = get_index_space_shape %partition_view :
      partition_view<tile=(2x2x4), tensor_view<2x2x4xf32, strides=[2,2,1]>> -> tile<i64>
  }
}
// -----
// 8.11.2 get_tensor_shape_0
cuda_tile.module @m {
  testing$func @example(%tensor_view: tensor_view<32x32xf32, strides=[32,1]>) {
    %dim0, %dim1 = get_tensor_shape %tensor_view : tensor_view<32x32xf32, strides=[32,1]> -> tile<i64>
  }
}
// -----
// 8.11.3 load_view_tko_0
cuda_tile.module @m {
  testing$func @example(%index: tile<i32>, %ptr: tile<ptr<f32>>) {
    %tensor_view = make_tensor_view %ptr, shape=[8192, 128], strides=[128, 1]
      : tensor_view<8192x128xf32, strides=[128,1]>
    // This example uses the PartitionView on a 8192x128xf32 tensor_view,
    // dividing the tensor_view in tiles of 64x64.
    %view = make_partition_view %tensor_view : partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    // Load a tile at index (0, 0) in the view's index space.
    // For this PartitionView, this is the rectangular tile such that
    // X=[0,64) and Y=[0,64), in the coordinates of tiles.
    %tile0, %res_token0 = load_view_tko weak %view[%c0, %c0]
      : partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>, tile<i32> -> tile<64x64xf32>, token
    // Load a tile at index (0, 1) in the view's index space.
    // For this PartitionView, this is the rectangular tile such that
    // X=[0,64) and Y=[64,128), in the coordinates of tiles.
    %tile1, %res_token1 = load_view_tko weak %view[%c0, %c1]
      : partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>, tile<i32> -> tile<64x64xf32>, token
    // Same example as above but with memory token as input.
    %token = make_token : token
    %tile2, %res_token2 = load_view_tko weak %view[%c0, %c1] token = %token
      : partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>, tile<i32> -> tile<64x64xf32>, token
    // Loads a tile at the dynamic index (%index, %index) in the view's index space.
    %tile3, %res_token3 = load_view_tko weak %view[%index, %index]
      : partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>, tile<i32> -> tile<64x64xf32>, token
  }
}
// -----
// 8.11.4 make_partition_view_0
cuda_tile.module @m {
  testing$func @example(%ptr: tile<ptr<f32>>) {
    %tensor_view0 = make_tensor_view %ptr, shape=[8192, 8192, 64], strides=[524288,64,1]
      : tensor_view<8192x8192x64xf32, strides=[524288,64,1]>
    // Creates a partition with 32-bit-indexed tiles of size (1024x1x32) over
    // the provided tensor_view.
    make_partition_view %tensor_view0 :
      partition_view<
      tile=(1024x1x32),
      tensor_view<8192x8192x64xf32, strides=[524288,64,1]>
      >
    %s0 = constant <i32: 8192> : tile<i32>
    %str0 = constant <i32: 524288> : tile<i32>
    // These seems very wrong.
    %tensor_view1 = make_tensor_view %ptr, shape=[%s0, 8192, 64], strides=[%str0, 64, 1]
      : tile<i32> -> tensor_view<?x8192x64xf32, strides=[?,64,1]>
    // Creates a partition with 32-bit-indexed tiles of size (1024x1x32) over
    // the provided tensor_view, with masking. The provided tensor_view has a
    // dynamically-sized dimension.
    make_partition_view %tensor_view1 :
      partition_view<tile=(1024x1x32), tensor_view<?x8192x64xf32, strides=[?,64,1]>>
  }
}
// -----
// 8.11.5 make_tensor_view_0
cuda_tile.module @m {
  testing$func @example(%base: tile<ptr<f32>>) {
    // tensor_view to a scalar tile of f32
    %a0 = make_tensor_view %base,
      shape = [], strides = [] : tensor_view<f32>
    // tensor_view to a tile of static shape and strides
    %a1 = make_tensor_view %base,
      shape = [32, 32], strides = [32, 1]
      : tensor_view<32x32xf32, strides=[32,1]>
    %sh0 = constant <i32: 32> : tile<i32>
    %sh1 = constant <i32: 32> : tile<i32>
    %st0 = constant <i32: 32> : tile<i32>
    %st1 = constant <i32: 1> : tile<i32>
    // tensor_view to a tile with partially dynamic shape and strides
    // all dynamic values must be of the same type, here tile<i32>
    %a2 = make_tensor_view %base,
      shape = [%sh0, %sh1], strides = [%st0, %st1]
      : tile<i32> -> tensor_view<?x?xf32, strides=[?,?]>
  }
}
// -----
// 8.11.6 store_view_tko_0
cuda_tile.module @m {
  testing$func @example(%ptr: tile<ptr<f32>>) {
    %tensor_view = make_tensor_view %ptr, shape=[8192, 128], strides=[128,1] :
      tensor_view<8192x128xf32, strides=[128,1]>
    // This example uses the PartitionView on a 8192x128xf32 tensor_view,
    // dividing the tensor_view in tiles of 64x64.
    %view = make_partition_view %tensor_view :
      partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %tile = constant <f32: 0.0> : tile<64x64xf32>
    // Store a tile at index (0, 0) in the view's index space.
    // For this TilePartitionView, this is the rectangular tile such that
    // X=[0,64) and Y=[0,64), in the coordinates of tiles.
    %res_token0 = store_view_tko weak %tile, %view[%c0, %c0]
      : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>, tile<i32> -> token
    // Store a tile at index (0, 1) in the view's index space.
    // For this PartitionView, this is the rectangular tile such that
    // X=[0,64) and Y=[64,128), in the coordinates of tiles.
    %res_token1 = store_view_tko weak %tile, %view[%c0, %c1]
      : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>, tile<i32> -> token
    // Same example as above but with input token.
    %token = make_token : token
    %res_token2 = store_view_tko weak %tile, %view[%c0, %c1] token = %token
      : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<8192x128xf32, strides=[128,1]>>, tile<i32> -> token
  }
}
// -----
// 8.12.1 assume_example_Bounded_0
cuda_tile.module @m {
  testing$func @example(%0: tile<4x8xi16>) {
    %1 = cuda_tile.assume #cuda_tile.bounded<0, ?>, %0
      : !cuda_tile.tile<4x8xi16>
  }
}
// -----
// 8.12.1 assume_example_DivBy_0
cuda_tile.module @m {
  testing$func @example(%ptrs: tile<128xptr<f32>>) {
    // Example 1: Each pointer is divisible by 16.
    // [ 0x10, 0x20, 0x80, 0x10, 0x0, 0x120, ... ]
    %0 = cuda_tile.assume #cuda_tile.div_by<16>, %ptrs
      : !cuda_tile.tile<128x!cuda_tile.ptr<f32>>
    // Note: Equivalent to #cuda_tile.div_by<16, every 1 along 0>.
  }
}
// -----
// 8.12.1 assume_example_DivBy_1
cuda_tile.module @m {
  testing$func @example(%t: tile<128xi32>) {
    // Example 2: Each integer is divisible by 4.
    // [ 16, 24, 8, 4, 12, 12, 0, 16, ... ]
    %0 = cuda_tile.assume #cuda_tile.div_by<4>, %t
      : !cuda_tile.tile<128xi32>
  }
}
// -----
// 8.12.1 assume_example_DivBy_2
cuda_tile.module @m {
  testing$func @example(%t: tile<128xi32>) {
    // Example 3: Group size [4].
    // [7, 8, 9, 10, 23, 24, 25, 26, 0, 1, 2, 3, ...]
    %0 = cuda_tile.assume #cuda_tile.div_by<1, every 4 along 0>, %t
      : !cuda_tile.tile<128xi32>
  }
}
// -----
// 8.12.1 assume_example_DivBy_3
cuda_tile.module @m {
  testing$func @example(%t: tile<4x8xi32>) {
    // Example 4: 2-d Group size [1, 4] with divisibility 4.
    // [ [ 4, 5, 6, 7, 12, 13, 14, 15 ],
    // [ 8, 9, 10, 11, 24, 25, 26, 27 ],
    // [ 24, 25, 26, 27, 64, 65, 66, 67 ],
    // [ 0, 1, 2, 3, 4, 5, 6, 7 ] ]
    %0 = cuda_tile.assume #cuda_tile.div_by<4, every 4 along 1>, %t
      : !cuda_tile.tile<4x8xi32>
  }
}
// -----
// 8.12.1 assume_example_DivBy_4
cuda_tile.module @m {
  testing$func @example(%ptrs: tile<4x8xptr<f32>>) {
    // Example 5: 2-d Group size [4, 1] with divisibility 32.
    // Note that the elements within each column are monotonically increasing
    // by the byte width of the pointee type f32, e.g., 0x20, 0x24, 0x28, 0x2c.
    // [ [ 0x20, 0x100, 0x40, 0x60, 0x40, 0x200, 0x340, 0x40 ],
    // [ 0x24, 0x104, 0x44, 0x64, 0x44, 0x204, 0x344, 0x44 ],
    // [ 0x28, 0x108, 0x48, 0x68, 0x48, 0x208, 0x348, 0x48 ],
    // [ 0x2c, 0x10c, 0x4c, 0x6c, 0x4c, 0x20c, 0x34c, 0x4c ] ]
    %0 = cuda_tile.assume #cuda_tile.div_by<32, every 4 along 0>, %ptrs
      : !cuda_tile.tile<4x8x!cuda_tile.ptr<f32>>
  }
}
// -----
// 8.12.1 assume_example_SameElements_0
// INVALID: 'cuda_tile.bitcast' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<ptr<f32>>'
cuda_tile.module @m {
  testing$func @example() {
    // Integer tensor with same elements.
    %0 = cuda_tile.constant <i16: [[0, 0, 0, 0, 10, 10, 10, 10],
      [0, 0, 0, 0, 10, 10, 10, 10],
      [5, 5, 5, 5, 93, 93, 93, 93],
      [5, 5, 5, 5, 93, 93, 93, 93]]>
      : tile<4x8xi16>
    %1 = cuda_tile.assume #cuda_tile.same_elements<[2, 4]>, %0
      : !cuda_tile.tile<4x8xi16>
    // Pointer tensor with same elements.
    %2 = cuda_tile.constant <i64: [[ 0, 0, 0, 0, 8, 8, 8, 8],
      [ 0, 0, 0, 0, 8, 8, 8, 8],
      [64, 64, 64, 64, 32, 32, 32, 32],
      [64, 64, 64, 64, 32, 32, 32, 32]]>
      : tile<4x8xi64>
    %3 = cuda_tile.bitcast %2
      : !cuda_tile.tile<4x8xi64>
      -> !cuda_tile.tile<!cuda_tile.ptr<f32>>
    %4 = cuda_tile.assume #cuda_tile.same_elements<[2, 4]>, %3
      : !cuda_tile.tile<!cuda_tile.ptr<f32>>
  }
}
// -----
// 8.12.1 assume_0
cuda_tile.module @m {
  testing$func @example(%ptr_3d: tile<1x8x8xptr<f32>>) {
    // Assume that all integers are divisible by 32.
    %int_tile = constant <i16: [32, 64, 0, 0, 32, -32, 1024, 0]> : tile<8xi16>
    %div_by_1 = assume div_by<32>, %int_tile : tile<8xi16>
    // Assume that every 4th element (starting with element 0) along
    // dimension 0 is divisible by 32 that and all integers are
    // montonically increasing by 1 within each group of 4.
    %int_tile_2 = constant <i16: [96, 97, 98, 99, 64, 65, 66, 67]> : tile<8xi16>
    %div_by_2 = assume div_by<32, every 4 along 0>, %int_tile_2 : tile<8xi16>
    // Assume that every rectangular chunk of size [1, 4, 2] has the same
    // values.
    %same_elem = assume same_elements<[1, 4, 2]>, %ptr_3d : tile<1x8x8xptr<f32>>
    // Assume that every value is greater or equal to 5.
    %int_tile_3 = constant <i16: [5, 9, 10, 11, 6, 5, 5, 7]> : tile<8xi16>
    %bounded = assume bounded<5, ?>, %int_tile_3 : tile<8xi16>
  }
}
// -----
// 8.12.2 print_tko_0
cuda_tile.module @m {
  testing$func @example(%arg: tile<4xf32>) {
    print_tko "Hello world: %f\n", %arg : tile<4xf32> -> token
    print_tko "%+08.3f", %arg : tile<4xf32> -> token
  }
}
