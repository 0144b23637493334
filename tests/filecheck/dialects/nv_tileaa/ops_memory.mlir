// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%p, %o, %m, %v = "test.op"() : () -> (tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xi32>, tensor<64xi1>, tensor<64xf16>)
%s, %n = "test.op"() : () -> (!nv_tileaa.ptr<i8, 3>, i64)
%t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
%q = nv_tileaa.addptr %p, %o : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xi32>
%r = nv_tileaa.addptr %s, %n : !nv_tileaa.ptr<i8, 3>, i64
%a, %t1 = nv_tileaa.load weak %q : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
%b, %t2 = nv_tileaa.load acquire gpu %q mask = %m : tensor<64xi1> other = %v : tensor<64xf16> token = %t {latency = 4 : i32} : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
%c, %t3 = nv_tileaa.load weak %r : !nv_tileaa.ptr<i8, 3> -> i8, !nv_tileaa.mem_token
%u = nv_tileaa.join_mem_token [%t1, %t2, %t3] : !nv_tileaa.mem_token
%t4 = nv_tileaa.store release sys %q, %a mask = %m : tensor<64xi1> token = %u : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xf16> -> !nv_tileaa.mem_token
%t5 = nv_tileaa.store weak %r, %c : !nv_tileaa.ptr<i8, 3>, i8 -> !nv_tileaa.mem_token

// CHECK:      %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT: %q = nv_tileaa.addptr %p, %o : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xi32>
// CHECK-NEXT: %r = nv_tileaa.addptr %s, %n : !nv_tileaa.ptr<i8, 3>, i64
// CHECK-NEXT: %a, %t1 = nv_tileaa.load weak %q : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
// CHECK-NEXT: %b, %t2 = nv_tileaa.load acquire gpu %q mask = %m : tensor<64xi1> other = %v : tensor<64xf16> token = %t {latency = 4 : i32} : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
// CHECK-NEXT: %c, %t3 = nv_tileaa.load weak %r : !nv_tileaa.ptr<i8, 3> -> i8, !nv_tileaa.mem_token
// CHECK-NEXT: %u = nv_tileaa.join_mem_token[%t1, %t2, %t3] : !nv_tileaa.mem_token
// CHECK-NEXT: %t4 = nv_tileaa.store release sys %q, %a mask = %m : tensor<64xi1> token = %u : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xf16> -> !nv_tileaa.mem_token
// CHECK-NEXT: %t5 = nv_tileaa.store weak %r, %c : !nv_tileaa.ptr<i8, 3>, i8 -> !nv_tileaa.mem_token

// GENERIC: "nv_tileaa.load"(%q, %m, %v, %t) <{mem_semantic = #nv_tileaa.mem_semantic<acquire>, mem_scope = #nv_tileaa.mem_scope<gpu>, latency = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
