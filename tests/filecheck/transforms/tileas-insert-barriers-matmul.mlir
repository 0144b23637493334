// A pipelined matmul: where its memory is, and what orders the ops that share it.
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/divisible/matmul_f16.mlir --gpu sm_80 --emit nv_tileas | filecheck %s --check-prefix SM80
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/divisible/matmul_f16_warpgroup.mlir --gpu sm_90a --emit nv_tileas | filecheck %s --check-prefix SM90
// RUN: tileir compile %S/../../../tileir_xdsl/testing/kernels/divisible/matmul_f16_warpgroup.mlir --gpu sm_100a --emit nv_tileas | filecheck %s --check-prefix SM100

// Copy groups: a wait is for copies of all threads, and says that they are done with what is copied next.
// SM80:      nv_tileas.smem_bytes = {{[0-9]+}} : i32
// SM80-SAME: nv_tileas.synchronized
// SM80:      %[[A:.*]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST:[0-9]+]], size = [[BYTES:[0-9]+]]>}
// SM80-NEXT: %[[B:.*]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[BYTES]], size = [[BYTES]]>}
// SM80-NEXT: create_pipeline %[[A]], %[[B]] {{.*}}nv_tileas.copy_groups}
// SM80:      async.tiled_load {{.*}} into
// SM80:      nv_tileas.async.commit_copies
// SM80:      scf.if
// SM80-NEXT: nv_tileas.async.wait_copies {pending = 0 : i32}
// SM80:      scf.for
// SM80-NEXT: nv_tileas.async.wait_copies {pending = [[PENDING:[0-9]+]] : i32}
// SM80:      async.tiled_load {{.*}} into
// SM80:      nv_tileas.async.commit_copies
// SM80-NEXT: async.pipeline.consumer_wait
// SM80-NEXT: %{{.*}}, %[[TILE:.*]], %{{.*}} = nv_tileas.async.pipeline.consumer_read
// SM80-NEXT: %[[FRAGMENTS:.*]] = nv_tileas.convert_layout %[[TILE]]
// SM80:      nv_tileas.dot %[[FRAGMENTS]]
// SM80-NOT:  nv_tileas.barrier
// The scratch memory of the result is that of the first stage, which other threads may still read.
// SM80:      nv_tileaa.fp_to_fp
// SM80:      nv_tileas.barrier agent
// SM80-NEXT: nv_tileas.convert_layout {{.*}} {nv_tileas.scratch = #nv_tileas.allocation<offset = [[FIRST]], size = {{[0-9]+}}>

// Agents: mbarriers order copies and MMAs; the staged result is where the first stage was.
// SM90:      nv_tileas.synchronized
// SM90:      %[[A:.*]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST:[0-9]+]], size = [[BYTES:[0-9]+]]>}
// SM90-NEXT: %[[B:.*]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[BYTES]], size = [[BYTES]]>}
// SM90-NEXT: create_pipeline %[[A]], %[[B]] {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = {{[0-9]+}}, size = 128>
// SM90:      %[[STAGED:.*]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST]], size = 8192>}
// SM90:      agent_switch
// SM90-NOT:  nv_tileas.barrier
// SM90:      %[[MMA:.*]] = nv_tileas.async.dot
// SM90-NOT:  nv_tileas.barrier
// SM90:      nv_tileas.async.wait
// SM90:      nv_tileas.async.future_wait
// SM90:      nv_tileas.barrier agent
// SM90-NEXT: %[[FULL:.*]] = nv_tileas.copy {{.*}} into %[[STAGED]]
// SM90-NEXT: nv_tileas.fence acq_rel tl_blk
// SM90-NEXT: nv_tileas.fence_proxy async_shared
// SM90-NEXT: nv_tileas.barrier agent
// SM90-NEXT: nv_tileas.async.tiled_tma_store {{.*}}, %[[FULL]]
// SM90-NOT:  nv_tileas.barrier

// The accumulator is in tensor memory, which threads write and MMAs read: fences around the barrier.
// SM100:      nv_tileas.smem = #nv_tileas.allocation<offset = {{[0-9]+}}, size = 8>
// SM100-SAME: nv_tileas.tmem_columns = 64 : i32, nv_tileas.synchronized
// SM100:      nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST:[0-9]+]], size = {{[0-9]+}}>}
// SM100:      %[[STAGED:.*]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = [[FIRST]], size = 8192>}
// SM100:      agent_switch
// SM100:      %[[START:.*]] = nv_tileas.async.to_async {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>}
// SM100-NEXT: nv_tileas.fence_tmem before
// SM100-NEXT: nv_tileas.barrier agent
// SM100-NEXT: nv_tileas.fence_tmem after
// SM100-NEXT: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[START]],
// SM100-NOT:  nv_tileas.barrier
// SM100:      nv_tileas.async.dot {{.*}}, %[[SUM]] {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = {{[0-9]+}}, size = 8>
// SM100-NOT:  nv_tileas.barrier
// SM100:      nv_tileas.async.future_wait
// SM100:      %[[RESULT:.*]] = nv_tileas.convert_layout {{.*}} {nv_tileas.scratch = #nv_tileas.allocation<offset = [[FIRST]], size = 8192>
// SM100-NEXT: nv_tileas.barrier agent
// SM100-NEXT: %[[FULL:.*]] = nv_tileas.copy %[[RESULT]] into %[[STAGED]]
// SM100-NEXT: nv_tileas.fence acq_rel tl_blk
// SM100-NEXT: nv_tileas.fence_proxy async_shared
// SM100-NEXT: nv_tileas.barrier agent
// SM100-NEXT: nv_tileas.async.tiled_tma_store {{.*}}, %[[FULL]]
