// Attention: two pipelines, reductions in each step, and an operand of the second MMA that threads write.
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/divisible/attention.mlir --gpu sm_80 --emit nv_tileas | filecheck %s --check-prefix SM80
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/divisible/attention_warpgroup.mlir --gpu sm_90a --emit nv_tileas | filecheck %s --check-prefix SM90
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/divisible/attention_warpgroup.mlir --gpu sm_100a --emit nv_tileas | filecheck %s --check-prefix SM100

// SM80:      nv_tileas.synchronized
// SM80:      nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST:[0-9]+]], size = {{[0-9]+}}>}
// SM80:      nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = {{[0-9]+}}, size = {{[0-9]+}}>}
// SM80:      nv_tileas.async.wait_copies {pending = 0 : i32}
// SM80:      scf.for
// SM80-NEXT: nv_tileas.async.wait_copies {pending = {{[0-9]+}} : i32}
// SM80:      nv_tileas.async.commit_copies
// SM80:      %[[SCORES:.*]] = nv_tileas.dot
// SM80-NOT:  nv_tileas.barrier
// SM80:      nv_tileas.reduce {{.*}}nv_tileas.scratch = #nv_tileas.allocation<offset = [[SCRATCH:[0-9]+]], size = [[PARTS:[0-9]+]]>
// SM80:      nv_tileas.barrier agent
// SM80-NEXT: nv_tileas.reduce {{.*}}nv_tileas.scratch = #nv_tileas.allocation<offset = [[SCRATCH]], size = [[PARTS]]>
// SM80:      nv_tileas.barrier agent
// SM80-NEXT: %[[P:.*]] = nv_tileas.convert_layout {{.*}}nv_tileas.scratch = #nv_tileas.allocation<offset = [[SCRATCH]], size = {{[0-9]+}}>
// SM80:      nv_tileas.dot %[[P]]
// SM80-NOT:  nv_tileas.barrier
// SM80:      scf.yield
// SM80:      nv_tileas.barrier agent
// SM80-NEXT: nv_tileas.convert_layout {{.*}}nv_tileas.scratch = #nv_tileas.allocation<offset = [[FIRST]], size = {{[0-9]+}}>

// A row is in one warp, so that reductions need no memory, and P stays in registers: no barrier in the loop.
// SM90:      nv_tileas.synchronized
// SM90:      nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST:[0-9]+]], size = {{[0-9]+}}>}
// SM90:      %[[STAGED:.*]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST]], size = {{[0-9]+}}>}
// SM90:      agent_switch
// SM90:      %[[LOAD:.*]] = nv_tileas.async.tiled_tma_load {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = {{[0-9]+}}, size = 8>
// SM90-NEXT: nv_tileas.async.future_wait %[[LOAD]]
// SM90-NOT:  nv_tileas.barrier
// SM90-NOT:  nv_tileas.fence_proxy
// SM90:      scf.while
// SM90-NOT:  nv_tileas.barrier
// SM90-NOT:  nv_tileas.fence_proxy
// SM90:      nv_tileaa.divf
// SM90:      nv_tileas.barrier agent
// SM90-NEXT: %[[FULL:.*]] = nv_tileas.copy {{.*}} into %[[STAGED]]
// SM90-NEXT: nv_tileas.fence acq_rel tl_blk
// SM90-NEXT: nv_tileas.fence_proxy async_shared
// SM90-NEXT: nv_tileas.barrier agent
// SM90-NEXT: nv_tileas.async.tiled_tma_store {{.*}}, %[[FULL]]

// P is written to shared memory by threads, and read there by an MMA, which comes after a barrier of its own.
// SM100:      nv_tileas.tmem_columns = 128 : i32, nv_tileas.synchronized
// SM100:      nv_tileas.async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = [[SCORES:[0-9]+]], size = 64>
// SM100:      scf.while
// SM100:      %[[P:.*]] = nv_tileas.convert_layout {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = {{[0-9]+}}, size = 8192>
// SM100:      scf.condition({{.*}}%[[P]],
// SM100-NOT:  nv_tileas.barrier
// SM100:      nv_tileas.async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = [[SCORES]], size = 64>
// SM100:      nv_tileas.fence_proxy async_shared
// SM100-NEXT: %[[SUM:.*]] = nv_tileas.async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>
// SM100-NEXT: nv_tileas.async.wait %[[SUM]]
// SM100:      nv_tileas.fence_proxy async_shared
// SM100-NEXT: nv_tileas.async.dot
// SM100:      nv_tileas.barrier agent
// SM100-NEXT: %[[FULL:.*]] = nv_tileas.copy
// SM100-NEXT: nv_tileas.fence acq_rel tl_blk
// SM100-NEXT: nv_tileas.fence_proxy async_shared
// SM100-NEXT: nv_tileas.barrier agent
// SM100-NEXT: nv_tileas.async.tiled_tma_store {{.*}}, %[[FULL]]
