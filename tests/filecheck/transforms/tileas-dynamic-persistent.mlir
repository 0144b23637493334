// RUN: xdsl-opt %s -p tileas-dynamic-persistent | filecheck %s

builtin.module {
  nv_tileaa.func @k(%out: !nv_tileaa.ptr<i32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
    %x = nv_tileaa.get_program_id 0 : i32
    %one = arith.constant 1 : i32
    %p = nv_tileaa.addptr %out, %x : !nv_tileaa.ptr<i32>, i32
    %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %t = nv_tileas.store weak %p, %one token = %m : !nv_tileaa.ptr<i32>, i32 -> !nv_tileaa.mem_token
    nv_tileaa.return
  }
}

// CHECK:      nv_tileaa.func @k(%out: !nv_tileaa.ptr<i32>)
// CHECK-NEXT:   %one = arith.constant 1 : i32
// CHECK-NEXT:   %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:   %[[CURRENT:.*]] = nv_tileaa.current_program_id : !nv_tileaa.program_id
// CHECK-NEXT:   %{{.*}} = scf.while (%[[I:.*]] = %[[CURRENT]]) : (!nv_tileaa.program_id) -> !nv_tileaa.program_id {
// CHECK-NEXT:     %[[VALID:.*]] = nv_tileaa.is_valid_program_id %[[I]] : i1
// CHECK-NEXT:     scf.condition(%[[VALID]]) %[[I]] : !nv_tileaa.program_id
// CHECK-NEXT:   } do {
// CHECK-NEXT:   ^bb0(%[[PROGRAM:.*]]: !nv_tileaa.program_id):
// CHECK-NEXT:     %x = nv_tileaa.get_program_id 0 of %[[PROGRAM]] : i32
// CHECK-NEXT:     %p = nv_tileaa.addptr %out, %x : !nv_tileaa.ptr<i32>, i32
// CHECK-NEXT:     %t = nv_tileas.store weak %p, %one token = %m : !nv_tileaa.ptr<i32>, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:     %[[CANCELED:.*]] = nv_tileas.cancel_next_program_id : !nv_tileaa.program_id
// CHECK-NEXT:     scf.yield %[[CANCELED]] : !nv_tileaa.program_id
// CHECK-NEXT:   }
// CHECK-NEXT:   nv_tileaa.return
