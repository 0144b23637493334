"""PTX kernels for the emulator's tests."""

HEADER = """
.version 8.3
.target sm_90
.address_size 64
"""

HOPPER_HEADER = HEADER.replace("sm_90", "sm_90a")

VECTOR_ADD = (
    HEADER
    + """
// c[i] = a[i] + b[i] for i < n
.visible .entry add(.param .u64 .ptr .global .align 16 a, .param .u64 b,
                    .param .u64 c, .param .u32 n)
.reqntid 128
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $DONE;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd4, %rd5;
  add.s64 %rd7, %rd2, %rd5;
  ld.global.f32 %f1, [%rd6];
  ld.global.f32 %f2, [%rd7];
  add.rn.f32 %f3, %f1, %f2;
  add.s64 %rd8, %rd3, %rd5;
  st.global.f32 [%rd8], %f3;
$DONE:
  ret;
}
"""
)

BLOCK_SUM = (
    HEADER
    + """
// out[block] = sum of 256 singles of the block, through shared memory and barriers
.visible .entry block_sum(.param .u64 in, .param .u64 out, .param .u32 n)
.reqntid 256, 1, 1
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .f32 %f<6>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 partial[1024];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r9, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r3, %r2, 8;
  add.s32 %r3, %r3, %r1;
  mov.f32 %f1, 0f00000000;
  setp.lt.u32 %p3, %r3, %r9;
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3;
  @%p3 ld.global.f32 %f1, [%rd4];
  mov.u32 %r4, partial;
  shl.b32 %r5, %r1, 2;
  add.s32 %r6, %r4, %r5;
  st.shared.f32 [%r6], %f1;
  bar.sync 0;
  mov.u32 %r7, 128;
$LOOP:
  setp.ge.u32 %p1, %r1, %r7;
  @%p1 bra $SKIP;
  shl.b32 %r8, %r7, 2;
  add.s32 %r8, %r8, %r6;
  ld.shared.f32 %f2, [%r6];
  ld.shared.f32 %f3, [%r8];
  add.rn.f32 %f4, %f2, %f3;
  st.shared.f32 [%r6], %f4;
$SKIP:
  bar.sync 0;
  shr.u32 %r7, %r7, 1;
  setp.ne.u32 %p2, %r7, 0;
  @%p2 bra $LOOP;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $END;
  ld.shared.f32 %f5, [partial];
  mul.wide.u32 %rd5, %r2, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.f32 [%rd6], %f5;
$END:
  ret;
}
"""
)

COLLATZ = (
    HEADER
    + """
// steps[i] = length of the Collatz sequence of i + 1: every lane leaves its loop at another time
.visible .entry collatz(.param .u64 steps)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r1, %r2, %r3, %r1;
  add.u32 %r4, %r1, 1;
  mov.u32 %r5, 0;
  bra.uni $TEST;
$BODY:
  and.b32 %r6, %r4, 1;
  setp.eq.u32 %p1, %r6, 0;
  @%p1 bra $EVEN;
  mad.lo.u32 %r4, %r4, 3, 1;
  bra $NEXT;
$EVEN:
  shr.u32 %r4, %r4, 1;
$NEXT:
  add.u32 %r5, %r5, 1;
$TEST:
  setp.ne.u32 %p2, %r4, 1;
  @%p2 bra $BODY;
  ld.param.u64 %rd1, [steps];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r5;
  ret;
}
"""
)

SWITCH = (
    HEADER
    + """
// out[i] = 10, 20 or 30 after i % 3, through an indexed branch
.visible .entry switch_(.param .u64 out) .maxntid 64
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  rem.u32 %r2, %r1, 3;
  $TARGETS: .branchtargets $A, $B, $C;
  brx.idx %r2, $TARGETS;
$A:
  mov.u32 %r3, 10;
  bra.uni $DONE;
$B:
  mov.u32 %r3, 20;
  bra.uni $DONE;
$C:
  mov.u32 %r3, 30;
$DONE:
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r3;
  exit;
}
"""
)

BARRIER_REDUCTIONS = (
    HEADER
    + """
// out[0:3] = how many threads are odd, whether all are, whether any is; out[3:6] likewise over the
// first 64 threads
.visible .entry reductions(.param .u64 out) .reqntid 128
{
  .reg .pred %p<8>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p1, %r2, 1;
  ld.param.u64 %rd1, [out];
  bar.red.popc.u32 %r3, 0, %p1;
  bar.red.and.pred %p2, 0, !%p1;
  barrier.red.or.pred %p3, 1, 128, %p1;
  setp.eq.u32 %p4, %r1, 0;
  selp.u32 %r4, 1, 0, %p2;
  selp.u32 %r5, 1, 0, %p3;
  @%p4 st.global.u32 [%rd1], %r3;
  @%p4 st.global.u32 [%rd1+4], %r4;
  @%p4 st.global.u32 [%rd1+8], %r5;
  setp.ge.u32 %p5, %r1, 64;
  @%p5 exit;
  bar.red.popc.u32 %r3, 2, 64, %p1;
  bar.red.or.pred %p2, 3, 64, %p5;
  barrier.red.and.aligned.pred %p3, 4, 64, !%p5;
  barrier.red.popc.u32 %r6, 5, %p1;
  barrier.red.popc.aligned.u32 %r6, 5, 64, %p1;
  barrier.red.or.pred %p6, 6, %p1;
  selp.u32 %r4, 1, 0, %p2;
  selp.u32 %r5, 1, 0, %p3;
  @%p4 st.global.u32 [%rd1+12], %r3;
  @%p4 st.global.u32 [%rd1+16], %r4;
  @%p4 st.global.u32 [%rd1+20], %r5;
  ret;
}
"""
)

PRODUCER_CONSUMER = (
    HEADER
    + """
// Warp 0 fills shared memory, warps 1 to 3 read it; two named barriers pass the buffer on, ten times
.visible .entry exchange(.param .u64 out) .reqntid 128
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  .shared .align 4 .u32 buffer[32];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %laneid;
  mov.u32 %r3, buffer;
  mad.lo.u32 %r4, %r2, 4, %r3;
  mov.u32 %r5, 0;
  mov.u32 %r6, 0;
  setp.lt.u32 %p1, %r1, 32;
  @!%p1 bra $CONSUME;
$PRODUCE:
  setp.gt.u32 %p2, %r5, 0;
  @%p2 barrier.sync 2, 128;
  mad.lo.u32 %r7, %r5, 1000, %r2;
  st.shared.u32 [%r4], %r7;
  fence.acq_rel.cta;
  bar.arrive 1, 128;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, 10;
  @%p3 bra $PRODUCE;
  exit;
$CONSUME:
  bar.sync 1, 128;
  ld.shared.u32 %r8, [%r4];
  add.u32 %r6, %r6, %r8;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, 10;
  @%p3 barrier.arrive 2, 128;
  @%p3 bra $CONSUME;
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r6;
  membar.cta;
  nanosleep.u32 20;
  ret;
}
"""
)

SPIN = (
    HEADER
    + """
// The lanes take a lock one after the other: lanes that spin must not keep its holder from running
.visible .entry locked(.param .u64 lock, .param .u64 counter) .reqntid 64
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [lock];
  ld.param.u64 %rd2, [counter];
$TRY:
  atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $TRY;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd2], %r2;
  fence.acq_rel.gpu;
  atom.release.gpu.global.exch.b32 %r3, [%rd1], 0;
  ret;
}
"""
)

GRID_INDEX = (
    HEADER
    + """
// out[z][y][x] of all threads of a 3-D grid of 3-D blocks
.visible .entry index(.param .u64 out) .reqntid 4, 3, 2
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<4>;
  mov.u32 %r8, %tid.x;
  mov.u32 %r9, %ntid.x;
  mov.u32 %r10, %ctaid.x;
  mad.lo.u32 %r1, %r10, %r9, %r8;
  mov.u32 %r11, %tid.y;
  mov.u32 %r12, %ntid.y;
  mov.u32 %r13, %ctaid.y;
  mad.lo.u32 %r2, %r13, %r12, %r11;
  mov.u32 %r14, %tid.z;
  mov.u32 %r15, %ntid.z;
  mov.u32 %r16, %ctaid.z;
  mad.lo.u32 %r3, %r16, %r15, %r14;
  mov.u32 %r4, %nctaid.x;
  mul.lo.u32 %r4, %r4, %r9;
  mov.u32 %r5, %nctaid.y;
  mul.lo.u32 %r5, %r5, %r12;
  mad.lo.u32 %r6, %r3, %r5, %r2;
  mad.lo.u32 %r6, %r6, %r4, %r1;
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r6, 4, %rd1;
  atom.global.add.u32 %r7, [%rd2], %r6;
  ret;
}
"""
)

NOTHING = (
    HEADER
    + """
// Instructions for the hardware, and block-wide barriers in every spelling
.visible .entry nothing(.param .u32 unused) .reqntid 128
{
  .reg .b32 %r<2>;
  membar.gl;
  membar.sys;
  fence.sc.gpu;
  fence.cluster;
  fence.proxy.async;
  fence.proxy.async.shared::cta;
  fence.proxy.async.shared::cluster;
  fence.proxy.alias;
  membar.proxy.alias;
  membar.proxy.async;
  bar.cta.sync 1;
  barrier.sync.aligned 2;
  barrier.cta.sync 15;
  bar.sync 3, 128;
  mov.u32 %r1, 4;
  barrier.sync %r1, 128;
  pmevent 3;
  griddepcontrol.wait;
  griddepcontrol.launch_dependents;
  ret.uni;
}
"""
)

REGISTERS = (
    HOPPER_HEADER
    + """
// A warpgroup gives registers back and takes them again
.visible .entry registers() .reqntid 128 .maxnreg 128
{
  setmaxnreg.dec.sync.aligned.u32 40;
  setmaxnreg.inc.sync.aligned.u32 128;
  ret;
}
"""
)

RESTRICTED_FENCES = (
    HOPPER_HEADER.replace("8.3", "8.6")
    + """
// Fences between shared memory and the cluster; out[i] = i
.visible .entry fences(.param .u64 out) .reqntid 32
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 words[128];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, words;
  mad.lo.u32 %r2, %r1, 4, %r2;
  st.shared.u32 [%r2], %r1;
  fence.release.sync_restrict::shared::cta.cluster;
  fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
  fence.acquire.sync_restrict::shared::cluster.cluster;
  fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
  ld.shared.u32 %r3, [%r2];
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r3;
  ret;
}
"""
)
