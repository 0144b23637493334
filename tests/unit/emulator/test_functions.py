"""Calls of a module's own functions."""

from pathlib import Path

import numpy as np
import pytest

from tests.unit.emulator.assembler import assemble
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

# Adds in registers, in parameters, and by way of another function; `clamp` returns early.
FUNCTIONS = """
.func (.reg .u32 r) add_one (.reg .u32 x) { add.u32 r, x, 1; ret; }
.func (.param .b32 out) clamp (.param .b32 x, .param .b32 limit)
{
  .reg .pred %p; .reg .b32 %x, %limit;
  ld.param.b32 %x, [x]; ld.param.b32 %limit, [limit];
  setp.lt.u32 %p, %x, %limit;
  @!%p bra ABOVE;
  st.param.b32 [out], %x;
  ret;
ABOVE:
  st.param.b32 [out], %limit;
  ret;
}
.func (.param .b32 out) add_and_clamp (.param .b32 x)
{
  .reg .b32 %x;
  ld.param.b32 %x, [x];
  call (%x), add_one, (%x);
  {
    .param .b32 a, b, c;
    st.param.b32 [a], %x; st.param.b32 [b], 20;
    call.uni (c), clamp, (a, b);
    ld.param.b32 %x, [c];
  }
  st.param.b32 [out], %x;
  ret;
}
.func count (.param .align 8 .b8 where[8])
{
  .reg .b64 %a;
  ld.param.b64 %a, [where]; red.global.add.u32 [%a], 1;
}
.func leave () { exit; }
"""


def kernel(body: str, functions: str = FUNCTIONS) -> str:
    """Thread i stores `%x`, which begins as its number."""
    return f"""{HEADER}{functions}
.visible .entry k(.param .u64 out, .param .u64 total) .reqntid 32
{{
  .reg .b64 %o, %t; .reg .b32 %i, %x; .reg .pred %odd, %high;
  mov.u32 %i, %tid.x; mov.u32 %x, %i;
  and.b32 %x, %i, 1; setp.ne.u32 %odd, %x, 0; mov.u32 %x, %i;
  setp.gt.u32 %high, %i, 7;
  ld.param.u64 %o, [out]; ld.param.u64 %t, [total]; mad.wide.u32 %o, %i, 4, %o;
  {{ {body} }}
  st.global.u32 [%o], %x;
  ret;
}}
"""


_CLAMP = (
    ".param .b32 p, q, r; st.param.b32 [p], %x; st.param.b32 [q], 9; "
    "call (r), clamp, (p, q); ld.param.b32 %x, [r];"
)
_COUNT = ".param .align 8 .b8 w[8]; st.param.b64 [w], %t; call count, (w);"
_I = np.arange(32)

BODIES = {
    "call (%x), add_one, (%x);": (_I + 1, 0),
    "call (%x), add_one, (7);": (_I * 0 + 8, 0),
    "call (_), add_one, (%x);": (_I, 0),
    _CLAMP: (np.minimum(_I, 9), 0),
    "call (%x), clamp, (%x, 5);": (np.minimum(_I, 5), 0),
    "@%odd call (%x), add_and_clamp, (%x);": (np.where(_I % 2, np.minimum(_I + 1, 20), _I), 0),
    _COUNT: (_I, 32),
    f"@%odd bra ODD; {{ {_COUNT} }} bra END; ODD: {{ {_COUNT} {_CLAMP} }} END:": (
        np.where(_I % 2, np.minimum(_I, 9), _I),
        32,
    ),
    "@%high call leave;": (np.where(_I > 7, 0, _I), 0),
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("seed", [None, 1])
def test_call(body: str, seed: int | None):
    out, total = np.zeros(32, np.uint32), np.zeros(1, np.uint32)
    emulator.load(kernel(body)).launch("k", (1, 1, 1), [out, total], warp_seed=seed)
    np.testing.assert_array_equal(out, BODIES[body][0])
    assert total == BODIES[body][1]


def test_ptxas_accepts_the_calls(tmp_path: Path):
    rest = "".join(
        kernel(body, "").replace(HEADER, "").replace(" k(", f" k{index}(")
        for index, body in enumerate(BODIES)
    )
    assert assemble(HEADER + FUNCTIONS + rest, "sm_90a", tmp_path) == ""


def test_a_function_may_follow_its_call():
    text = kernel("call (%x), later, (%x);", ".func (.reg .u32 r) later (.reg .u32 x);")
    out = np.zeros(32, np.uint32)
    body = ".func (.reg .u32 r) later (.reg .u32 x) { mul.lo.u32 r, x, x; ret; }"
    emulator.load(text + body).launch("k", (1, 1, 1), [out, out])
    np.testing.assert_array_equal(out, _I**2)


_RECURSIVE = """
.func again (.reg .u32 x) { call again, (x); }
.func first (.reg .u32 x);
.func second (.reg .u32 x) { call first, (x); }
.func first (.reg .u32 x) { call second, (x); }
"""
_DOUBLING = ".func f0 () { ret; }" + "".join(
    f".func f{n} () {{ call f{n - 1}; call f{n - 1}; }}\n" for n in range(1, 20)
)
FAULTS = {
    "call again, (%x);": (_RECURSIVE, "function 'again' is recursive, which is not supported"),
    "call second, (%x);": (_RECURSIVE, "function 'second' is recursive, which is not supported"),
    "call (%x), clamp, (%x);": (FUNCTIONS, "function 'clamp' has 2 arguments, but the call has 1"),
    "call clamp, (%x, %x);": (FUNCTIONS, "function 'clamp' has 1 results, but the call has 0"),
    ".param .b64 p; call (%x), clamp, (p, %x);": (
        FUNCTIONS,
        "parameter 'x' needs a variable of the caller of exactly 4 bytes",
    ),
    "call f19;": (_DOUBLING, "the calls of a kernel expand to more than 200000 instructions"),
    "call (%x), %t, (%x), proto;": (FUNCTIONS, "indirect calls are not supported"),
    "proto: .callprototype _ (.reg .u32 _);": (FUNCTIONS, "indirect calls are not supported"),
    "mov.u64 %t, clamp;": (
        FUNCTIONS,
        "the address of function 'clamp': indirect calls are not supported",
    ),
}


@pytest.mark.parametrize("body", FAULTS)
def test_fault(body: str):
    functions, message = FAULTS[body]
    with pytest.raises(emulator.EmulatorError) as raised:
        emulator.load(kernel(body, functions))
    assert raised.value.message == message
    assert raised.value.line is not None
