// RUN: %roundtrip | filecheck %s

%src, %i, %j, %n, %v = "test.op"() : () -> (tensor<128x128xf32>, index, index, index, !async.value<tile<64x64xf32>>)
%c0 = arith.constant 0 : index
%a = nv_tileas.alloc_tensor : tensor<64x64xf32>
%b = nv_tileas.alloc_tensor : tensor<2x128x64xf16, #nv_tileas.memory<smem>>
%s = nv_tileas.extract_slice %src[%c0, %c0][%n, %n][1, 1] : tensor<128x128xf32> to tensor<?x?xf32>
%t = nv_tileas.extract_slice %src[0, %j][64, 64][1, 2] {note = 1 : i32} : tensor<128x128xf32> to tensor<64x64xf32>
%u = nv_tileas.insert_slice %s into %a[%i, %j][%n, %n][1, 1] : tensor<?x?xf32> into tensor<64x64xf32>
%x = nv_tileas.async.extract_slice %v[0, 32][32, 32][1, 1] : !async.value<tile<64x64xf32>> to !async.value<tile<32x32xf32>>
%y = nv_tileas.async.insert_slice %x into %v[%i, 0][32, 32][1, 1] : !async.value<tile<32x32xf32>> into !async.value<tile<64x64xf32>>
%z = nv_tileas.async.insert_slice %t into %v[0, 0][64, 64][1, 1] : tensor<64x64xf32> into !async.value<tile<64x64xf32>>

// CHECK:      %src, %i, %j, %n, %v = "test.op"() : () -> (tensor<128x128xf32>, index, index, index, !async.value<tile<64x64xf32>>)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %a = nv_tileas.alloc_tensor : tensor<64x64xf32>
// CHECK-NEXT: %b = nv_tileas.alloc_tensor : tensor<2x128x64xf16, #nv_tileas.memory<smem>>
// CHECK-NEXT: %s = nv_tileas.extract_slice %src[%c0, %c0][%n, %n][1, 1] : tensor<128x128xf32> to tensor<?x?xf32>
// CHECK-NEXT: %t = nv_tileas.extract_slice %src[0, %j][64, 64][1, 2] {note = 1 : i32} : tensor<128x128xf32> to tensor<64x64xf32>
// CHECK-NEXT: %u = nv_tileas.insert_slice %s into %a[%i, %j][%n, %n][1, 1] : tensor<?x?xf32> into tensor<64x64xf32>
// CHECK-NEXT: %x = nv_tileas.async.extract_slice %v[0, 32][32, 32][1, 1] : !async.value<tile<64x64xf32>> to !async.value<tile<32x32xf32>>
// CHECK-NEXT: %y = nv_tileas.async.insert_slice %x into %v[%i, 0][32, 32][1, 1] : !async.value<tile<32x32xf32>> into !async.value<tile<64x64xf32>>
// CHECK-NEXT: %z = nv_tileas.async.insert_slice %t into %v[0, 0][64, 64][1, 1] : tensor<64x64xf32> into !async.value<tile<64x64xf32>>
