"""PTX kernels for the emulator's tests."""

HEADER = """
.version 8.3
.target sm_90
.address_size 64
"""

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
