"""PTX of kernels whose blocks wait for others, as text."""

THREADS = 64


def kernel(body: str, threads: int = THREADS, head: str = "") -> str:
    """A kernel of `flags` and `out`, with the block's number in `%b` and that of all in `%n`."""
    return f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flags, .param .u64 out) .reqntid {threads}, 1, 1 {{
  .reg .b32 %b, %n, %i, %old, %tries, %next, %last;
  .reg .b64 %flags, %out, %wanted, %own;
  .reg .pred %p, %q, %others, %is_last;
  {head}
  ld.param.u64 %flags, [flags];
  ld.param.u64 %out, [out];
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %nctaid.x;
  mov.u32 %i, %tid.x;
  mov.u32 %tries, 0;
  sub.u32 %last, %n, 1;
  add.u32 %next, %b, 1;
  mad.wide.u32 %own, %b, 4, %flags;
  mad.wide.u32 %out, %b, 4, %out;
  setp.ne.u32 %others, %i, 0;
  setp.eq.u32 %is_last, %b, %last;
  {body}
  st.global.u32 [%out], %next;
  ret;
}}
"""


READS = {
    "cas": "atom.acquire.gpu.global.cas.b32 %old, [%own+4], 1, 1;",
    "load": "ld.acquire.gpu.global.u32 %old, [%own+4];",
    "volatile": "ld.volatile.global.u32 %old, [%own+4];",
    "generic": "ld.relaxed.gpu.u32 %old, [%own+4];",
}
"""What reads the flag of the next block."""

GIVE = "@!%others st.release.gpu.global.u32 [%own], 1;"


def later(read: str, between: str = "") -> str:
    """Every block but the last one waits for the next one, each thread by itself."""
    return kernel(f"""
      @%is_last bra GO;
    WAIT:
      {READS[read]}
      {between}
      setp.ne.u32 %p, %old, 1;
      @%p bra WAIT;
    GO:
      bar.sync 0;
      {GIVE}
    """)


ONE_THREAD = kernel(
    f"""
      @%is_last bra GO;
    WAIT:
      @%others bra MEET;
      {READS["cas"]}
      st.shared.u32 [word], %old;
    MEET:
      bar.sync 0;
      ld.shared.u32 %old, [word];
      bar.sync 0;
      setp.ne.u32 %p, %old, 1;
      @%p bra WAIT;
    GO:
      bar.sync 0;
      {GIVE}
    """,
    head=".shared .b32 word;",
)
"""One thread reads for all, and broadcasts the value through shared memory."""

EARLIER = (
    later("cas")
    .replace("%own+4", "%own-4")
    .replace("eq.u32 %is_last, %b, %last", "eq.u32 %is_last, %b, 0")
)
"""Every block but the first one waits for the one before."""

PAIRS = kernel(f"""
      and.b32 %old, %b, 1;
      setp.eq.u32 %p, %old, 1;
      @%p bra GO;
    WAIT:
      {READS["load"]}
      setp.ne.u32 %p, %old, 1;
      @%p bra WAIT;
    GO:
      bar.sync 0;
      {GIVE}
    """)
"""The first of two blocks waits for the second."""
