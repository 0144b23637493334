// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Core operations: sources, comparisons, shapes, matrices, reductions. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  global @val alignment = 128 <f32: [0.1, 0.2, 0.3, 0.4]> : tile<4xf32>
  global private constant @table <i32: [1, 2]> : tile<2xi32>
  global constant @c <i8: 1> : tile<4xi8>
  global private @p <i8: 1> : tile<4xi8>
  entry @sources() optimization_hints=<sm_100 = {num_cta_in_cga = 8, occupancy = 2}, default = {num_worker_warps_per_cta = 4}> {
    %p = get_global @val : tile<ptr<f32>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %i = iota : tile<8xi32>
    %i8 = iota : tile<256xi8>
  }
  entry @constants() {
    %0 = constant <i1: true> : tile<i1>
    %1 = constant <i1: false> : tile<4xi1>
    %2 = constant <i1: [true, false]> : tile<2xi1>
    %3 = constant <i8: [-128, 127]> : tile<2xi8>
    %4 = constant <i8: 255> : tile<2xi8>
    %5 = constant <i16: 0x7fff> : tile<i16>
    %6 = constant <i64: [[1, 2], [3, 4]]> : tile<2x2xi64>
    %7 = constant <f16: [1.0, 0.1, 65504.0, -0.0]> : tile<4xf16>
    %8 = constant <bf16: [1.0, 0.1, 3.0e38, 0x7F80]> : tile<4xbf16>
    %9 = constant <f32: [3.40282347E+38, 0.123456784, 123456789.125, 16777216.0]> : tile<4xf32>
    %10 = constant <f64: [3.141592653589793, 123456789.125, 1.0e300, 5.0e-324]> : tile<4xf64>
    %11 = constant <f32: [0x7F800000, 0xFF800000, 0x7FC00000, -1.5]> : tile<4xf32>
    %12 = constant <f8E4M3FN: [1.0, 448.0, 0.1, 0x7F]> : tile<4xf8E4M3FN>
    %13 = constant <f8E5M2: [1.0, 57344.0, 0.1, 0x7C]> : tile<4xf8E5M2>
    %14 = constant <f8E8M0FNU: [1.0, 2.0, 0.5, 4.0]> : tile<4xf8E8M0FNU>
    %15 = constant <f4E2M1FN: [1.0, 6.0, 0.5, -1.5]> : tile<4xf4E2M1FN>
    %16 = constant <tf32: [1.0, 0.1, 1.0e30, -2.5]> : tile<4xtf32>
    %17 = constant <f32: 0x7FC00000> : tile<4xf32>
    %18 = constant <f32: 0x7F800000> : tile<4xf32>
    %19 = constant <f32: 0.5> : tile<f32>
    %20 = constant <f32: -3.0> : tile<f32>
    %21 = constant <i32: -1> : tile<i32>
    %22 = constant <f32: 1.0e+10> : tile<f32>
    %23 = constant <f64: 1.0e+22> : tile<f64>
    %24 = constant <f32: -0.0> : tile<f32>
    %25 = constant <i1: true> : tile<4xi1>
    %26 = constant <f16: 3.0> : tile<2xf16>
    %27 = constant <f8E8M0FNU: 1.0> : tile<2xf8E8M0FNU>
    %28 = constant <f8E8M0FNU: 0xFF> : tile<2xf8E8M0FNU>
    %29 = constant <tf32: 2.0> : tile<2xtf32>
    %30 = constant <f4E2M1FN: 3.0> : tile<2xf4E2M1FN>
  }
  entry @elementwise() {
    %f = constant <f32: 2.5> : tile<4xf32>
    %h = constant <f32: 3.5> : tile<4xf32>
    %i = constant <i32: 5> : tile<4xi32>
    %j = constant <i32: 6> : tile<4xi32>
    %l = constant <i64: 5> : tile<4xi64>
    %0 = cmpf equal ordered %f, %h : tile<4xf32> -> tile<4xi1>
    %1 = cmpf less_than unordered %f, %h : tile<4xf32> -> tile<4xi1>
    %2 = cmpi not_equal %i, %j, signed : tile<4xi32> -> tile<4xi1>
    %3 = cmpi greater_than_or_equal %i, %j, unsigned : tile<4xi32> -> tile<4xi1>
    %4 = select %0, %f, %f : tile<4xi1>, tile<4xf32>
    %p = int_to_ptr %l : tile<4xi64> -> tile<4xptr<f32>>
    %5 = offset %p, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  }
  entry @shapes() {
    %f = constant <f32: 2.5> : tile<2x4xf32>
    %h = constant <f32: 3.5> : tile<2x4xf32>
    %g = constant <f32: 2.5> : tile<1x4xf32>
    %c = constant <i32: 0> : tile<i32>
    %0 = broadcast %g : tile<1x4xf32> -> tile<2x4xf32>
    %1 = reshape %f : tile<2x4xf32> -> tile<8xf32>
    %2 = permute %f [1, 0] : tile<2x4xf32> -> tile<4x2xf32>
    %3 = cat %f, %h dim = 1 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>
    %4 = extract %f[%c, %c] : tile<2x4xf32> -> tile<1x2xf32>
    %5 = insert %4, %f[%c, %c] : tile<1x2xf32>, tile<2x4xf32>
    %6 = pack %1 : tile<8xf32> -> tile<32xi8>
    %7 = unpack %6 : tile<32xi8> -> tile<16xf16>
  }
  entry @matrix() {
    %a = constant <f16: 2.5> : tile<4x8xf16>
    %b = constant <f16: 2.5> : tile<8x2xf16>
    %c = constant <f32: 2.5> : tile<4x2xf32>
    %ai = constant <i8: 2> : tile<2x4x8xi8>
    %bi = constant <i8: 2> : tile<2x8x2xi8>
    %ci = constant <i32: 2> : tile<2x4x2xi32>
    %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
    %1 = mmaf %a, %b, %c fast_acc : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
    %2 = mmai %ai, %bi, %ci signed unsigned : tile<2x4x8xi8>, tile<2x8x2xi8>, tile<2x4x2xi32>
    %p = constant <f8E4M3FN: 1.0> : tile<4x32xf8E4M3FN>
    %q = constant <f8E4M3FN: 1.0> : tile<32x2xf8E4M3FN>
    %s = constant <f8E8M0FNU: 1.0> : tile<4x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x2xf8E8M0FNU>
    %3 = mmaf_scaled %p, %q, %c, %s, %t : tile<4x32xf8E4M3FN>, tile<32x2xf8E4M3FN>, tile<4x2xf32>, tile<4x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
  }
  entry @aggregations() {
    %f = constant <f32: 2.5> : tile<2x4xf32>
    %i = constant <i32: 2> : tile<2x4xi32>
    %l = constant <i64: 2> : tile<2x4xi64>
    %d = constant <f64: 2.0> : tile<2x4xf64>
    %b = constant <i1: true> : tile<2x4xi1>
    %0 = reduce %f dim=1 identities=[0.0 : f32] : tile<2x4xf32> -> tile<2xf32> (%e: tile<f32>, %acc: tile<f32>) {
      %s = addf %e, %acc : tile<f32>
      yield %s : tile<f32>
    }
    %1:2 = reduce %f, %i dim=0 identities=[0xFF800000 : f32, 0 : i32] : tile<2x4xf32>, tile<2x4xi32> -> tile<4xf32>, tile<4xi32> (%e: tile<f32>, %acc: tile<f32>, %j: tile<i32>, %jacc: tile<i32>) {
      yield %acc, %jacc : tile<f32>, tile<i32>
    }
    %2 = scan %l dim=0 reverse=true identities=[5] : tile<2x4xi64> -> tile<2x4xi64> (%e: tile<i64>, %acc: tile<i64>) {
      %s = addi %e, %acc : tile<i64>
      %q = divi %s, %e signed : tile<i64>
      yield %q : tile<i64>
    }
    %3 = scan %d dim=1 reverse=false identities=[1.5] : tile<2x4xf64> -> tile<2x4xf64> (%e: tile<f64>, %acc: tile<f64>) {
      %s = mulf %e, %acc : tile<f64>
      yield %s : tile<f64>
    }
    %4 = reduce %b dim=1 identities=[true] : tile<2x4xi1> -> tile<2xi1> (%e: tile<i1>, %acc: tile<i1>) {
      %s = andi %e, %acc : tile<i1>
      yield %s : tile<i1>
    }
    %5 = reduce %d dim=1 identities=[0x7FF0000000000000 : f64] : tile<2x4xf64> -> tile<2xf64> (%e: tile<f64>, %acc: tile<f64>) {
      %c = constant <f64: 1.0> : tile<f64>
      %s = minf %e, %acc : tile<f64>
      yield %s : tile<f64>
    }
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.global  @val alignment = 128 <f32: [1.000000e-01, 2.000000e-01, 3.000000e-01, 4.000000e-01]> : tile<4xf32>
// CHECK: cuda_tile.global private  constant @table <i32: [1, 2]> : tile<2xi32>
// CHECK: cuda_tile.global  constant @c <i8: 1> : tile<4xi8>
// CHECK: cuda_tile.global private  @p <i8: 1> : tile<4xi8>
// CHECK: cuda_tile.entry @sources() optimization_hints=<default = {num_worker_warps_per_cta = 4}, sm_100 = {num_cta_in_cga = 8, occupancy = 2}> {
// CHECK: %p = cuda_tile.get_global @val : tile<ptr<f32>>
// CHECK: %x, %y, %z = cuda_tile.get_tile_block_id : tile<i32>
// CHECK: %nx, %ny, %nz = cuda_tile.get_num_tile_blocks : tile<i32>
// CHECK: %i = cuda_tile.iota : tile<8xi32>
// CHECK: %i8 = cuda_tile.iota : tile<256xi8>
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @constants() {
// CHECK: %{{.*}} = cuda_tile.constant <i1: true> : tile<i1>
// CHECK: %{{.*}} = cuda_tile.constant <i1: false> : tile<4xi1>
// CHECK: %{{.*}} = cuda_tile.constant <i1: [true, false]> : tile<2xi1>
// CHECK: %{{.*}} = cuda_tile.constant <i8: [-128, 127]> : tile<2xi8>
// CHECK: %{{.*}} = cuda_tile.constant <i8: -1> : tile<2xi8>
// CHECK: %{{.*}} = cuda_tile.constant <i16: 32767> : tile<i16>
// CHECK: %{{.*}} = cuda_tile.constant <i64: {{\[\[}}1, 2], [3, 4{{\]\]}}> : tile<2x2xi64>
// CHECK: %{{.*}} = cuda_tile.constant <f16: [1.000000e+00, 9.997550e-02, 6.550400e+04, -0.000000e+00]> : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.constant <bf16: [1.000000e+00, 1.000980e-01, 3.004060e+38, 0x7F80]> : tile<4xbf16>
// CHECK: %{{.*}} = cuda_tile.constant <f32: [3.40282347E+38, 0.123456784, 0x4CEB79A3, 0x4B800000]> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.constant <f64: [3.1415926535897931, 123456789.125, 1.000000e+300, 4.940660e-324]> : tile<4xf64>
// CHECK: %{{.*}} = cuda_tile.constant <f32: [0x7F800000, 0xFF800000, 0x7FC00000, -1.500000e+00]> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.constant <f8E4M3FN: [1.000000e+00, 4.480000e+02, 1.015630e-01, 0x7F]> : tile<4xf8E4M3FN>
// CHECK: %{{.*}} = cuda_tile.constant <f8E5M2: [1.000000e+00, 5.734400e+04, 9.375000e-02, 0x7C]> : tile<4xf8E5M2>
// CHECK: %{{.*}} = cuda_tile.constant <f8E8M0FNU: [1.000000e+00, 2.000000e+00, 5.000000e-01, 4.000000e+00]> : tile<4xf8E8M0FNU>
// CHECK: %{{.*}} = cuda_tile.constant <f4E2M1FN: [1.000000e+00, 6.000000e+00, 5.000000e-01, -1.500000e+00]> : tile<4xf4E2M1FN>
// CHECK: %{{.*}} = cuda_tile.constant <tf32: [1.000000e+00, 9.997550e-02, 1.000260e+30, -2.500000e+00]> : tile<4xtf32>
// CHECK: %{{.*}} = cuda_tile.constant <f32: 0x7FC00000> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.constant <f32: 0x7F800000> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.constant <f32: 5.000000e-01> : tile<f32>
// CHECK: %{{.*}} = cuda_tile.constant <f32: -3.000000e+00> : tile<f32>
// CHECK: %{{.*}} = cuda_tile.constant <i32: -1> : tile<i32>
// CHECK: %{{.*}} = cuda_tile.constant <f32: 1.000000e+10> : tile<f32>
// CHECK: %{{.*}} = cuda_tile.constant <f64: 1.000000e+22> : tile<f64>
// CHECK: %{{.*}} = cuda_tile.constant <f32: -0.000000e+00> : tile<f32>
// CHECK: %{{.*}} = cuda_tile.constant <i1: true> : tile<4xi1>
// CHECK: %{{.*}} = cuda_tile.constant <f16: 3.000000e+00> : tile<2xf16>
// CHECK: %{{.*}} = cuda_tile.constant <f8E8M0FNU: 1.000000e+00> : tile<2xf8E8M0FNU>
// CHECK: %{{.*}} = cuda_tile.constant <f8E8M0FNU: 0xFF> : tile<2xf8E8M0FNU>
// CHECK: %{{.*}} = cuda_tile.constant <tf32: 2.000000e+00> : tile<2xtf32>
// CHECK: %{{.*}} = cuda_tile.constant <f4E2M1FN: 3.000000e+00> : tile<2xf4E2M1FN>
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @elementwise() {
// CHECK: %f = cuda_tile.constant <f32: 2.500000e+00> : tile<4xf32>
// CHECK: %i = cuda_tile.constant <i32: 5> : tile<4xi32>
// CHECK: %l = cuda_tile.constant <i64: 5> : tile<4xi64>
// CHECK: %[[CMPF:.*]] = cuda_tile.cmpf equal ordered %f, %h : tile<4xf32> -> tile<4xi1>
// CHECK: %{{.*}} = cuda_tile.cmpf less_than unordered %f, %h : tile<4xf32> -> tile<4xi1>
// CHECK: %{{.*}} = cuda_tile.cmpi not_equal %i, %j, signed : tile<4xi32> -> tile<4xi1>
// CHECK: %{{.*}} = cuda_tile.cmpi greater_than_or_equal %i, %j, unsigned : tile<4xi32> -> tile<4xi1>
// CHECK: %{{.*}} = cuda_tile.select %[[CMPF]], %f, %f : tile<4xi1>, tile<4xf32>
// CHECK: %p = cuda_tile.int_to_ptr %l : tile<4xi64> -> tile<4xptr<f32>>
// CHECK: %{{.*}} = cuda_tile.offset %p, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @shapes() {
// CHECK: %f = cuda_tile.constant <f32: 2.500000e+00> : tile<2x4xf32>
// CHECK: %g = cuda_tile.constant <f32: 2.500000e+00> : tile<1x4xf32>
// CHECK: %c = cuda_tile.constant <i32: 0> : tile<i32>
// CHECK: %{{.*}} = cuda_tile.broadcast %g : tile<1x4xf32> -> tile<2x4xf32>
// CHECK: %[[RESHAPE:.*]] = cuda_tile.reshape %f : tile<2x4xf32> -> tile<8xf32>
// CHECK: %{{.*}} = cuda_tile.permute %f [1, 0] : tile<2x4xf32> -> tile<4x2xf32>
// CHECK: %{{.*}} = cuda_tile.cat %f, %h dim = 1 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>
// CHECK: %[[EXTRACT:.*]] = cuda_tile.extract %f[%c, %c] : tile<2x4xf32> -> tile<1x2xf32>
// CHECK: %{{.*}} = cuda_tile.insert %[[EXTRACT]], %f[%c, %c] : tile<1x2xf32>, tile<2x4xf32>
// CHECK: %[[PACK:.*]] = cuda_tile.pack %[[RESHAPE]] : tile<8xf32> -> tile<32xi8>
// CHECK: %{{.*}} = cuda_tile.unpack %[[PACK]] : tile<32xi8> -> tile<16xf16>
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @matrix() {
// CHECK: %a = cuda_tile.constant <f16: 2.500000e+00> : tile<4x8xf16>
// CHECK: %b = cuda_tile.constant <f16: 2.500000e+00> : tile<8x2xf16>
// CHECK: %c = cuda_tile.constant <f32: 2.500000e+00> : tile<4x2xf32>
// CHECK: %ai = cuda_tile.constant <i8: 2> : tile<2x4x8xi8>
// CHECK: %bi = cuda_tile.constant <i8: 2> : tile<2x8x2xi8>
// CHECK: %ci = cuda_tile.constant <i32: 2> : tile<2x4x2xi32>
// CHECK: %{{.*}} = cuda_tile.mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
// CHECK: %{{.*}} = cuda_tile.mmaf %a, %b, %c fast_acc : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
// CHECK: %{{.*}} = cuda_tile.mmai %ai, %bi, %ci signed unsigned : tile<2x4x8xi8>, tile<2x8x2xi8>, tile<2x4x2xi32>
// CHECK: %p = cuda_tile.constant <f8E4M3FN: 1.000000e+00> : tile<4x32xf8E4M3FN>
// CHECK: %q = cuda_tile.constant <f8E4M3FN: 1.000000e+00> : tile<32x2xf8E4M3FN>
// CHECK: %s = cuda_tile.constant <f8E8M0FNU: 1.000000e+00> : tile<4x1xf8E8M0FNU>
// CHECK: %t = cuda_tile.constant <f8E8M0FNU: 1.000000e+00> : tile<1x2xf8E8M0FNU>
// CHECK: %{{.*}} = cuda_tile.mmaf_scaled %p, %q, %c, %s, %t : tile<4x32xf8E4M3FN>, tile<32x2xf8E4M3FN>, tile<4x2xf32>, tile<4x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @aggregations() {
// CHECK: %f = cuda_tile.constant <f32: 2.500000e+00> : tile<2x4xf32>
// CHECK: %i = cuda_tile.constant <i32: 2> : tile<2x4xi32>
// CHECK: %l = cuda_tile.constant <i64: 2> : tile<2x4xi64>
// CHECK: %d = cuda_tile.constant <f64: 2.000000e+00> : tile<2x4xf64>
// CHECK: %b = cuda_tile.constant <i1: true> : tile<2x4xi1>
// CHECK: %{{.*}} = cuda_tile.reduce %f dim=1 identities=[0.000000e+00 : f32] : tile<2x4xf32> -> tile<2xf32>
// CHECK: (%e: tile<f32>, %acc: tile<f32>) {
// CHECK: %s = cuda_tile.addf %e, %acc  : tile<f32>
// CHECK: cuda_tile.yield %s : tile<f32>
// CHECK: %{{.*}}, %{{.*}} = cuda_tile.reduce %f, %i dim=0 identities=[0xFF800000 : f32, 0 : i32] : tile<2x4xf32>, tile<2x4xi32> -> tile<4xf32>, tile<4xi32>
// CHECK: (%{{.*}}: tile<f32>, %[[ACC:.*]]: tile<f32>, %j: tile<i32>, %jacc: tile<i32>) {
// CHECK: cuda_tile.yield %[[ACC]], %jacc : tile<f32>, tile<i32>
// CHECK: %{{.*}} = cuda_tile.scan %l dim=0 reverse=true identities=[5] : tile<2x4xi64> -> tile<2x4xi64>
// CHECK: (%[[E:.*]]: tile<i64>, %[[ACC2:.*]]: tile<i64>) {
// CHECK: %[[S:.*]] = cuda_tile.addi %[[E]], %[[ACC2]] : tile<i64>
// CHECK: %q = cuda_tile.divi %[[S]], %[[E]] signed : tile<i64>
// CHECK: cuda_tile.yield %q : tile<i64>
// CHECK: %{{.*}} = cuda_tile.scan %d dim=1 reverse=false identities=[1.500000e+00] : tile<2x4xf64> -> tile<2x4xf64>
// CHECK: (%[[E2:.*]]: tile<f64>, %[[ACC3:.*]]: tile<f64>) {
// CHECK: %[[S2:.*]] = cuda_tile.mulf %[[E2]], %[[ACC3]]  : tile<f64>
// CHECK: cuda_tile.yield %[[S2]] : tile<f64>
// CHECK: %{{.*}} = cuda_tile.reduce %b dim=1 identities=[true] : tile<2x4xi1> -> tile<2xi1>
// CHECK: (%[[E3:.*]]: tile<i1>, %[[ACC4:.*]]: tile<i1>) {
// CHECK: %[[S3:.*]] = cuda_tile.andi %[[E3]], %[[ACC4]] : tile<i1>
// CHECK: cuda_tile.yield %[[S3]] : tile<i1>
// CHECK: %{{.*}} = cuda_tile.reduce %d dim=1 identities=[0x7FF0000000000000 : f64] : tile<2x4xf64> -> tile<2xf64>
// CHECK: (%[[E4:.*]]: tile<f64>, %[[ACC5:.*]]: tile<f64>) {
// CHECK: %c = cuda_tile.constant <f64: 1.000000e+00> : tile<f64>
// CHECK: %[[S4:.*]] = cuda_tile.minf %[[E4]], %[[ACC5]] : tile<f64>
// CHECK: cuda_tile.yield %[[S4]] : tile<f64>
// CHECK: cuda_tile.return
