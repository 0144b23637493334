// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

nv_tileaa.func @helper(%a: i32) -> i32 {
  nv_tileaa.return %a : i32
}
nv_tileaa.func @kernel(%n: i32, %f: tensor<8xf32>, %c: tensor<8xi1>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>} {
  %m = nv_tileaa.call @helper(%n) : (i32) -> i32
  %own = nv_tileaa.current_program_id : !nv_tileaa.program_id
  %next = nv_tileaa.cancel_next_program_id : !nv_tileaa.program_id
  %valid = nv_tileaa.is_valid_program_id %next : i1
  %y = nv_tileaa.get_program_id 1 of %next : i32
  %q = nv_tileaa.create_queue {stages = 2 : i32} : !nv_tileaa.queue<tensor<8xf32>, i32, isolated>
  nv_tileaa.execute(%q, %n : !nv_tileaa.queue<tensor<8xf32>, i32, isolated>, i32) attributes {num_agents_per_group = 1 : i32, max_regs = array<i32: 40, 232>} {
  ^bb0(%out: !nv_tileaa.queue<tensor<8xf32>, i32, isolated>, %k: i32):
    nv_tileaa.queue.put %out : !nv_tileaa.queue<tensor<8xf32>, i32, isolated> {
      nv_tileaa.queue.yield %f, %k : tensor<8xf32>, i32
    }
    nv_tileaa.yield
  } {
  ^bb0(%in: !nv_tileaa.queue<tensor<8xf32>, i32, isolated>, %k: i32):
    %tile, %number = nv_tileaa.queue.get %in {consumer_idx = 0 : i32} : !nv_tileaa.queue<tensor<8xf32>, i32, isolated> -> tensor<8xf32>, i32
    nv_tileaa.yield
  }
  nv_tileaa.assert %c, "out of range" : tensor<8xi1>
  %t = nv_tileaa.print "%d %f", %n, %f : i32, tensor<8xf32> -> !nv_tileaa.mem_token
  %u = nv_tileaa.print "done" token = %t -> !nv_tileaa.mem_token
  nv_tileaa.message "vectorised"
  nv_tileaa.mark_for_reuse %q : !nv_tileaa.queue<tensor<8xf32>, i32, isolated>
  %g, %l = nv_tileaa.optimization_barrier %f, %n : tensor<8xf32>, i32 -> tensor<8xf32>, i32
  %h = nv_tileaa.pragma attributes {ocgEnterDirectives = ["nounroll"], ocgLeaveDirectives = ["unroll"]} : i32 {
    nv_tileaa.yield %n : i32
  }
  nv_tileaa.pragma {
    nv_tileaa.yield
  }
  %erf = nv_tileaa.extern_elementwise "__nv_erff"(%f) {pure, library = "libdevice"} : (tensor<8xf32>) -> tensor<8xf32>
  %abs = nv_tileaa.call_elementwise_intrinsic "llvm.fabs"(%f) {pure} : (tensor<8xf32>) -> tensor<8xf32>
  %neg = nv_tileaa.elementwise_inline_asm "neg.f32 $0, $1;", "=f,f"(%f) {pure, packed = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  %ir = nv_tileaa.inject_ir "ret i32 %0"(%n) : (i32) -> i32
  %fragment = nv_tileaa.plugin "fft"(%f) {registers = 64 : i32, smem_bytes = 1024 : i32, tmem_bytes = 0 : i32, named_barriers = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  nv_tileaa.return
}
nv_tileaa.func @host(%n: i32, %f: tensor<8xf32>, %c: tensor<8xi1>) {
  nv_tileaa.launch_func @kernel grid(%n, %n, %n) args(%n, %f, %c : i32, tensor<8xf32>, tensor<8xi1>)
  nv_tileaa.return
}

// CHECK:      nv_tileaa.func @helper(%a: i32) -> i32 {
// CHECK-NEXT:   nv_tileaa.return %a : i32
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileaa.func @kernel(%n: i32, %f: tensor<8xf32>, %c: tensor<8xi1>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>} {
// CHECK-NEXT:   %m = nv_tileaa.call @helper(%n) : (i32) -> i32
// CHECK-NEXT:   %own = nv_tileaa.current_program_id : !nv_tileaa.program_id
// CHECK-NEXT:   %next = nv_tileaa.cancel_next_program_id : !nv_tileaa.program_id
// CHECK-NEXT:   %valid = nv_tileaa.is_valid_program_id %next : i1
// CHECK-NEXT:   %y = nv_tileaa.get_program_id 1 of %next : i32
// CHECK-NEXT:   %q = nv_tileaa.create_queue {stages = 2 : i32} : !nv_tileaa.queue<tensor<8xf32>, i32, isolated>
// CHECK-NEXT:   nv_tileaa.execute(%q, %n : !nv_tileaa.queue<tensor<8xf32>, i32, isolated>, i32) attributes {num_agents_per_group = 1 : i32, max_regs = array<i32: 40, 232>} {
// CHECK-NEXT:   ^bb0(%out: !nv_tileaa.queue<tensor<8xf32>, i32, isolated>, %k: i32):
// CHECK-NEXT:     nv_tileaa.queue.put %out : !nv_tileaa.queue<tensor<8xf32>, i32, isolated> {
// CHECK-NEXT:       nv_tileaa.queue.yield %f, %k : tensor<8xf32>, i32
// CHECK-NEXT:     }
// CHECK-NEXT:     nv_tileaa.yield
// CHECK-NEXT:   } {
// CHECK-NEXT:   ^bb0(%in: !nv_tileaa.queue<tensor<8xf32>, i32, isolated>, %{{.*}}: i32):
// CHECK-NEXT:     %tile, %number = nv_tileaa.queue.get %in {consumer_idx = 0 : i32} : !nv_tileaa.queue<tensor<8xf32>, i32, isolated> -> tensor<8xf32>, i32
// CHECK-NEXT:     nv_tileaa.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   nv_tileaa.assert %c, "out of range" : tensor<8xi1>
// CHECK-NEXT:   %t = nv_tileaa.print "%d %f", %n, %f : i32, tensor<8xf32> -> !nv_tileaa.mem_token
// CHECK-NEXT:   %u = nv_tileaa.print "done" token = %t -> !nv_tileaa.mem_token
// CHECK-NEXT:   nv_tileaa.message "vectorised"
// CHECK-NEXT:   nv_tileaa.mark_for_reuse %q : !nv_tileaa.queue<tensor<8xf32>, i32, isolated>
// CHECK-NEXT:   %g, %l = nv_tileaa.optimization_barrier %f, %n : tensor<8xf32>, i32 -> tensor<8xf32>, i32
// CHECK-NEXT:   %h = nv_tileaa.pragma attributes {ocgEnterDirectives = ["nounroll"], ocgLeaveDirectives = ["unroll"]} : i32 {
// CHECK-NEXT:     nv_tileaa.yield %n : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   nv_tileaa.pragma {
// CHECK-NEXT:     nv_tileaa.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   %erf = nv_tileaa.extern_elementwise "__nv_erff"(%f) {pure, library = "libdevice"} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:   %abs = nv_tileaa.call_elementwise_intrinsic "llvm.fabs"(%f) {pure} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:   %neg = nv_tileaa.elementwise_inline_asm "neg.f32 $0, $1;", "=f,f"(%f) {pure, packed = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:   %ir = nv_tileaa.inject_ir "ret i32 %0"(%n) : (i32) -> i32
// CHECK-NEXT:   %fragment = nv_tileaa.plugin "fft"(%f) {registers = 64 : i32, smem_bytes = 1024 : i32, tmem_bytes = 0 : i32, named_barriers = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:   nv_tileaa.return
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileaa.func @host(%n: i32, %f: tensor<8xf32>, %c: tensor<8xi1>) {
// CHECK-NEXT:   nv_tileaa.launch_func @kernel grid(%n, %n, %n) args(%n, %f, %c : i32, tensor<8xf32>, tensor<8xi1>)
// CHECK-NEXT:   nv_tileaa.return
// CHECK-NEXT: }

// GENERIC: "nv_tileaa.execute"(%q, %n) <{num_agents_per_group = 1 : i32, max_regs = array<i32: 40, 232>}> ({
