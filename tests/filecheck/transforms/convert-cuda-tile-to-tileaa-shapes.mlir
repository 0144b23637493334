// RUN: xdsl-opt %s -p convert-cuda-tile-to-tileaa | filecheck %s

// Conversions, shapes and products: a tile of rank 0 is a scalar.

cuda_tile.module @m {
  // CHECK: nv_tileaa.func @ops(%f: tensor<2x4xf32>, %i: tensor<2x4xi32>, %l: tensor<2x4xi64>, %n: i32, %p: !nv_tileaa.ptr<f32>, %a: tensor<4x32xf8E4M3FN>, %b: tensor<32x2xf8E4M3FN>, %acc: tensor<4x2xf32>, %s: tensor<4x1xf8E8M0FNU>, %t: tensor<1x2xf8E8M0FNU>, %u: tensor<4x8xi8>, %v: tensor<8x2xi8>, %sum: tensor<4x2xi32>) {
  testing$func @ops(%f: tile<2x4xf32>, %i: tile<2x4xi32>, %l: tile<2x4xi64>, %n: tile<i32>, %p: tile<ptr<f32>>, %a: tile<4x32xf8E4M3FN>, %b: tile<32x2xf8E4M3FN>, %acc: tile<4x2xf32>, %s: tile<4x1xf8E8M0FNU>, %t: tile<1x2xf8E8M0FNU>, %u: tile<4x8xi8>, %v: tile<8x2xi8>, %sum: tile<4x2xi32>) {
    // CHECK-NEXT: %bitcast = nv_tileaa.bitcast %i : tensor<2x4xi32> to tensor<2x4xf32>
    %bitcast = bitcast %i : tile<2x4xi32> -> tile<2x4xf32>
    // CHECK-NEXT: %ftof = nv_tileaa.fp_to_fp %f rounding<zero> : tensor<2x4xf32> to tensor<2x4xbf16>
    %ftof = ftof %f rounding<zero> : tile<2x4xf32> -> tile<2x4xbf16>
    // CHECK-NEXT: %ftoi = nv_tileaa.fp_to_int %f unsigned saturating : tensor<2x4xf32> to tensor<2x4xi8>
    %ftoi = ftoi %f unsigned saturating : tile<2x4xf32> -> tile<2x4xi8>
    // CHECK-NEXT: %itof = arith.uitofp %i : tensor<2x4xi32> to tensor<2x4xf32>
    %itof = itof %i unsigned : tile<2x4xi32> -> tile<2x4xf32>
    // CHECK-NEXT: %exti = arith.extui %i : tensor<2x4xi32> to tensor<2x4xi64>
    %exti = exti %i unsigned : tile<2x4xi32> -> tile<2x4xi64>
    // CHECK-NEXT: %trunci = nv_tileaa.trunci %l overflow<nsw> : tensor<2x4xi64> to tensor<2x4xi32>
    %trunci = trunci %l overflow<no_signed_wrap> : tile<2x4xi64> -> tile<2x4xi32>
    // CHECK-NEXT: %int_to_ptr = nv_tileaa.int_to_ptr %l : tensor<2x4xi64> to tensor<2x4x!nv_tileaa.ptr<f32>>
    %int_to_ptr = int_to_ptr %l : tile<2x4xi64> -> tile<2x4xptr<f32>>
    // CHECK-NEXT: %ptr_to_ptr = nv_tileaa.bitcast %int_to_ptr : tensor<2x4x!nv_tileaa.ptr<f32>> to tensor<2x4x!nv_tileaa.ptr<i8>>
    %ptr_to_ptr = ptr_to_ptr %int_to_ptr : tile<2x4xptr<f32>> -> tile<2x4xptr<i8>>
    // CHECK-NEXT: %ptr_to_int = nv_tileaa.ptr_to_int %ptr_to_ptr : tensor<2x4x!nv_tileaa.ptr<i8>> to tensor<2x4xi64>
    %ptr_to_int = ptr_to_int %ptr_to_ptr : tile<2x4xptr<i8>> -> tile<2x4xi64>
    // CHECK-NEXT: %offset = nv_tileaa.addptr %int_to_ptr, %i : tensor<2x4x!nv_tileaa.ptr<f32>>, tensor<2x4xi32>
    %offset = offset %int_to_ptr, %i : tile<2x4xptr<f32>>, tile<2x4xi32> -> tile<2x4xptr<f32>>
    // CHECK-NEXT: %permute = nv_tileaa.permute %f {permutation = array<i32: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
    %permute = permute %f [1, 0] : tile<2x4xf32> -> tile<4x2xf32>
    // CHECK-NEXT: %cat = nv_tileaa.cat %f, %itof {axis = 1 : i32} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
    %cat = cat %f, %itof dim = 1 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>
    // CHECK-NEXT: %extract = nv_tileaa.extract_slice %f[%n, %n : i32, i32] : tensor<2x4xf32> -> tensor<1x2xf32>
    %extract = extract %f[%n, %n] : tile<2x4xf32> -> tile<1x2xf32>
    // CHECK-NEXT: %insert = nv_tileaa.insert_slice %extract into %f[%n, %n : i32, i32] : tensor<1x2xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
    %insert = insert %extract, %f[%n, %n] : tile<1x2xf32>, tile<2x4xf32>
    // CHECK-NEXT: %flat = nv_tileaa.view %f : tensor<2x4xf32> -> tensor<8xf32>
    %flat = reshape %f : tile<2x4xf32> -> tile<8xf32>
    // CHECK-NEXT: %pack = nv_tileaa.pack %flat : tensor<8xf32> -> tensor<32xi8>
    %pack = pack %flat : tile<8xf32> -> tile<32xi8>
    // CHECK-NEXT: %unpack = nv_tileaa.unpack %pack : tensor<32xi8> -> tensor<16xf16>
    %unpack = unpack %pack : tile<32xi8> -> tile<16xf16>
    // CHECK-NEXT: %column = nv_tileaa.view %flat : tensor<8xf32> -> tensor<8x1xf32>
    %column = reshape %flat : tile<8xf32> -> tile<8x1xf32>
    // CHECK-NEXT: %broadcast = nv_tileaa.broadcast %column : tensor<8x1xf32> -> tensor<8x4xf32>
    %broadcast = broadcast %column : tile<8x1xf32> -> tile<8x4xf32>
    // CHECK-NEXT: %mmaf = nv_tileaa.dot %a, %b, %acc {input_precision = "tf32"} : tensor<4x32xf8E4M3FN>, tensor<32x2xf8E4M3FN>, tensor<4x2xf32>
    %mmaf = mmaf %a, %b, %acc : tile<4x32xf8E4M3FN>, tile<32x2xf8E4M3FN>, tile<4x2xf32>
    // CHECK-NEXT: %mmai = nv_tileaa.dot %u, %v, %sum {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<unsigned>} : tensor<4x8xi8>, tensor<8x2xi8>, tensor<4x2xi32>
    %mmai = mmai %u, %v, %sum signed unsigned : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xi32>
    // CHECK-NEXT: %mmaf_scaled = nv_tileaa.dot %a, %b, %acc scaled by %s, %t : tensor<4x32xf8E4M3FN>, tensor<32x2xf8E4M3FN>, tensor<4x2xf32>, tensor<4x1xf8E8M0FNU>, tensor<1x2xf8E8M0FNU>
    %mmaf_scaled = mmaf_scaled %a, %b, %acc, %s, %t : tile<4x32xf8E4M3FN>, tile<32x2xf8E4M3FN>, tile<4x2xf32>, tile<4x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
    // CHECK-NEXT: %known = nv_tileaa.assume #nv_tileaa.bounded<0, 7>, %n : i32
    %known = assume bounded<0, 7>, %n : tile<i32>
    // CHECK-NEXT: nv_tileaa.return
  }
}
