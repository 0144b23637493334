// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%p, %o, %m, %v = "test.op"() : () -> (tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xi32>, tensor<64xi1>, tensor<64xf16>)
%s, %n = "test.op"() : () -> (!nv_tileaa.ptr<i8, 3>, i64)
%t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
%q = nv_tileaa.addptr %p, %o : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xi32>
%r = nv_tileaa.addptr %s, %n : !nv_tileaa.ptr<i8, 3>, i64
%a, %t1 = nv_tileaa.load weak %q : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
%b, %t2 = nv_tileaa.load acquire gpu %q mask = %m : tensor<64xi1> other = %v : tensor<64xf16> token = %t {latency = 4 : i32, cache_modifier = #nv_tileaa.cache_modifier<cg>, eviction_policy = #nv_tileaa.eviction_policy<last>, copy_atom = #cute_nvgpu.copy_atom<ldg_128>} : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
%c, %t3 = nv_tileaa.load weak %r : !nv_tileaa.ptr<i8, 3> -> i8, !nv_tileaa.mem_token
%u = nv_tileaa.join_mem_token [%t1, %t2, %t3] : !nv_tileaa.mem_token
%t4 = nv_tileaa.store release sys %q, %a mask = %m : tensor<64xi1> token = %u : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xf16> -> !nv_tileaa.mem_token
%t5 = nv_tileaa.store weak %r, %c : !nv_tileaa.ptr<i8, 3>, i8 -> !nv_tileaa.mem_token
%t6 = nv_tileaa.memory_fence_alias %t5 : !nv_tileaa.mem_token
%t7 = nv_tileaa.gdc_wait : !nv_tileaa.mem_token
%t8 = nv_tileaa.gdc_launch_dependents %t7 : !nv_tileaa.mem_token
%w = nv_tileaa.alloca {num_elements = 16 : i64, alignment = 8 : i64, global} : !nv_tileaa.ptr<f32>

%old, %t9 = nv_tileaa.atomic_rmw relaxed gpu addf %p, %v mask = %m : tensor<64xi1> token = %t : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xf16> -> tensor<64xf16>, !nv_tileaa.mem_token
%g, %e = "test.op"() : () -> (!nv_tileaa.ptr<i32>, i32)
%was, %t10 = nv_tileaa.atomic_cas acq_rel sys %g, %e, %e : !nv_tileaa.ptr<i32>, i32, i32 -> i32, !nv_tileaa.mem_token

nv_tileaa.global @table = #nv_tileaa.elements<[1.5, 0x7fc00000, -0.0] : tensor<3xf32>>
nv_tileaa.global private constant @zeros alignment = 16 attributes {note} = #nv_tileaa.elements<0 : tensor<8xi32>>
%first = nv_tileaa.get_global @table : !nv_tileaa.ptr<f32>

// CHECK:      %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT: %q = nv_tileaa.addptr %p, %o : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xi32>
// CHECK-NEXT: %r = nv_tileaa.addptr %s, %n : !nv_tileaa.ptr<i8, 3>, i64
// CHECK-NEXT: %a, %t1 = nv_tileaa.load weak %q : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
// CHECK-NEXT: %b, %t2 = nv_tileaa.load acquire gpu %q mask = %m : tensor<64xi1> other = %v : tensor<64xf16> token = %t {latency = 4 : i32, cache_modifier = #nv_tileaa.cache_modifier<cg>, eviction_policy = #nv_tileaa.eviction_policy<last>, copy_atom = #cute_nvgpu.copy_atom<ldg_128>} : tensor<64x!nv_tileaa.ptr<f16>> -> tensor<64xf16>, !nv_tileaa.mem_token
// CHECK-NEXT: %c, %t3 = nv_tileaa.load weak %r : !nv_tileaa.ptr<i8, 3> -> i8, !nv_tileaa.mem_token
// CHECK-NEXT: %u = nv_tileaa.join_mem_token[%t1, %t2, %t3] : !nv_tileaa.mem_token
// CHECK-NEXT: %t4 = nv_tileaa.store release sys %q, %a mask = %m : tensor<64xi1> token = %u : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xf16> -> !nv_tileaa.mem_token
// CHECK-NEXT: %t5 = nv_tileaa.store weak %r, %c : !nv_tileaa.ptr<i8, 3>, i8 -> !nv_tileaa.mem_token
// CHECK-NEXT: %t6 = nv_tileaa.memory_fence_alias %t5 : !nv_tileaa.mem_token
// CHECK-NEXT: %t7 = nv_tileaa.gdc_wait : !nv_tileaa.mem_token
// CHECK-NEXT: %t8 = nv_tileaa.gdc_launch_dependents %t7 : !nv_tileaa.mem_token
// CHECK-NEXT: %w = nv_tileaa.alloca {num_elements = 16 : i64, alignment = 8 : i64, global} : !nv_tileaa.ptr<f32>
// CHECK-NEXT: %old, %t9 = nv_tileaa.atomic_rmw relaxed gpu addf %p, %v mask = %m : tensor<64xi1> token = %t : tensor<64x!nv_tileaa.ptr<f16>>, tensor<64xf16> -> tensor<64xf16>, !nv_tileaa.mem_token
// CHECK:      %was, %t10 = nv_tileaa.atomic_cas acq_rel sys %g, %e, %e : !nv_tileaa.ptr<i32>, i32, i32 -> i32, !nv_tileaa.mem_token
// CHECK-NEXT: nv_tileaa.global @table = #nv_tileaa.elements<[1.5, 0x7fc00000, -0.0] : tensor<3xf32>>
// CHECK-NEXT: nv_tileaa.global private constant @zeros alignment = 16 attributes {note} = #nv_tileaa.elements<0 : tensor<8xi32>>
// CHECK-NEXT: %first = nv_tileaa.get_global @table : !nv_tileaa.ptr<f32>

// GENERIC: "nv_tileaa.global"() <{sym_name = "zeros", value = #nv_tileaa.elements<0 : tensor<8xi32>>, alignment = 16 : i64, constant, sym_visibility = "private"}> {note} : () -> ()
