"""Calls of `vprintf`, `__assertfail`, `malloc` and `free`."""

import io

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator


def _string(name: str, text: str) -> str:
    data = ", ".join(str(byte) for byte in text.encode("latin-1") + b"\0")
    return f".global .align 1 .b8 {name}[{len(text) + 1}] = {{{data}}};\n"


def print_kernel(text: str, stores: str = "", guard: str = "") -> str:
    """Every thread prints `text` with the values that `stores` puts at `[%buffer]`.

    `%i` is the thread, `%d` a double, `%s` the address of the string `word`.
    """
    return f"""{HEADER}
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 p0, .param .b64 p1);
{_string("text", text)}{_string("word", "yes")}
.visible .entry k(.param .u64 out) .reqntid 32
{{
  .local .align 8 .b8 values[64];
  .reg .b64 %f, %b, %o, %s; .reg .b32 %i, %r; .reg .f64 %d; .reg .pred %p; .reg .b64 %buffer;
  mov.u32 %i, %tid.x; setp.lt.u32 %p, %i, 2; cvt.rn.f64.u32 %d, %i;
  mov.u64 %buffer, values; cvta.local.u64 %buffer, %buffer;
  mov.u64 %s, word; cvta.global.u64 %s, %s;
  mov.u64 %f, text; cvta.global.u64 %f, %f;
  mov.u32 %r, 99;
  {stores}
  {guard} bra $SKIP;
  {{
    .param .b64 param0; st.param.b64 [param0], %f;
    .param .b64 param1; st.param.b64 [param1], %buffer;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r, [retval0];
  }}
$SKIP:
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 4, %o; st.global.u32 [%o], %r;
  ret;
}}
"""


SOME_VALUES = """
  st.u32 [%buffer], %i; st.f64 [%buffer+8], %d; st.u64 [%buffer+16], %s;
  st.u32 [%buffer+24], 0xFFFFFFFF; st.u64 [%buffer+32], 0xFFFFFFFFFFFFFFFE;
"""
PRINTED = print_kernel("%d: %6.2f %s|%u %lld%%\n", SOME_VALUES, "@!%p")


def printed(text: str) -> tuple[str, list[int]]:
    out, stream = np.zeros(32, np.uint32), io.StringIO()
    emulator.load(text).launch("k", (1, 1, 1), [out], output=stream)
    return stream.getvalue(), [int(x) for x in out]


def test_values_of_every_kind():
    text, counts = printed(PRINTED)
    assert text == "0:   0.00 yes|4294967295 -2%\n1:   1.00 yes|4294967295 -2%\n"
    assert counts == [5, 5] + [99] * 30


FORMATS = {
    "%i|%-4u|%04x": "1|1   |0001",
    "%X%o%c": "11\x01",
    "%+d % d": "+1  1",
}


@pytest.mark.parametrize("text", FORMATS)
def test_integers(text: str):
    stores = "st.u32 [%buffer], 1; st.u32 [%buffer+4], 1; st.u32 [%buffer+8], 1;"
    found, _ = printed(print_kernel(text, stores, "@!%p"))
    assert found == 2 * FORMATS[text]


def test_floats_and_pointers():
    stores = (
        "st.f64 [%buffer], 0d3FF8000000000000; st.f64 [%buffer+8], 0d3FF8000000000000;"
        "st.f64 [%buffer+16], 0d7FF0000000000000; st.u64 [%buffer+24], 255;"
    )
    found, _ = printed(print_kernel("%e %a %g %p;", stores, "@!%p"))
    assert found == 2 * "1.500000e+00 0x1.8000000000000p+0 inf 0xff;"


ASSERTION = f"""{HEADER}
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
{_string("message", "i < 7")}{_string("file", "kernel.py")}{_string("name", "k")}
.visible .entry k() .reqntid 32
{{
  .reg .b64 %a; .reg .b32 %i; .reg .pred %p;
  mov.u32 %i, %tid.x; setp.lt.u32 %p, %i, 7;
  @%p bra $FINE;
  {{
    .param .b64 param0; mov.u64 %a, message; cvta.global.u64 %a, %a; st.param.b64 [param0], %a;
    .param .b64 param1; mov.u64 %a, file; cvta.global.u64 %a, %a; st.param.b64 [param1], %a;
    .param .b32 param2; st.param.b32 [param2], 12;
    .param .b64 param3; mov.u64 %a, name; cvta.global.u64 %a, %a; st.param.b64 [param3], %a;
    .param .b64 param4; st.param.b64 [param4], 1;
    call.uni __assertfail, (param0, param1, param2, param3, param4);
  }}
$FINE:
  ret;
}}
"""


def _error(text: str) -> emulator.EmulatorError:
    with pytest.raises(emulator.EmulatorError) as raised:
        module = emulator.load(text)
        module.launch(
            "k", (1, 1, 1), [np.zeros(32, np.uint32)][: len(module.kernels["k"].parameters)]
        )
    return raised.value


def test_an_assertion_ends_the_launch():
    found = _error(ASSERTION)
    assert found.message == "assertion failed: i < 7 (kernel.py:12, k)"
    assert found.location == emulator.ThreadLocation((0, 0, 0), 0, 7)


FAULTS = {
    PRINTED.replace("vprintf", "memset"): (
        "function 'memset' has no body and is not a system function, which are __assertfail, free, malloc, vprintf"
    ),
    PRINTED.replace(
        "(param0, param1);", "(param0);"
    ): "'vprintf' takes 2 arguments and returns one result",
    ASSERTION.replace("call.uni __a", "call.uni (param2), __a"): (
        "'__assertfail' takes 5 arguments and returns no result"
    ),
    PRINTED.replace("(param0, param1);", "(param0, %f);"): (
        "arguments and results of a call must be .param variables"
    ),
    print_kernel("%d" * 33, guard="@!%p").replace("values[64]", "values[256]"): (
        "printf takes at most 32 values, not 33"
    ),
    print_kernel("%s", "st.u64 [%buffer], 0;", "@!%p"): "out-of-bounds 1-byte read",
}


@pytest.mark.parametrize("text", FAULTS, ids=FAULTS.values())
def test_fault(text: str):
    assert FAULTS[text] in _error(text).message


def test_a_string_without_an_end():
    endless = print_kernel("x" * 5000, guard="@!%p")
    assert "a string does not end within 4096 bytes" in _error(endless).message


def heap_kernel(after: str, size: int = 12) -> str:
    """Threads 0 and 1 take memory, and then do something with its address `%a`."""
    return f"""{HEADER}
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out) .reqntid 2
{{
  .reg .b64 %a, %o; .reg .b32 %i, %x;
  mov.u32 %i, %tid.x;
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 8, %o;
  {{
    .param .b64 n; .param .b64 r;
    st.param.b64 [n], {size};
    call.uni (r), malloc, (n);
    ld.param.b64 %a, [r];
  }}
  {after}
  st.global.u64 [%o], %a;
  ret;
}}
"""


FREE = "{ .param .b64 p; st.param.b64 [p], %a; call.uni free, (p); }"


def addresses(text: str) -> list[int]:
    out = np.zeros(2, np.uint64)
    emulator.load(text).launch("k", (1, 1, 1), [out], races=True)
    return [int(address) for address in out]


def test_malloc_gives_memory_that_threads_can_use():
    use = "st.global.u32 [%a+8], %i; ld.global.u32 %x, [%a+8]; add.u32 %x, %x, 1;"
    first, second = addresses(heap_kernel(use))
    assert abs(first - second) >= 12
    assert not first % 16 and not second % 16


def test_malloc_gives_null_when_nothing_is_left():
    half = (emulator.MALLOC_BYTES >> 1) + 1
    assert [bool(address) for address in addresses(heap_kernel("", half))] == [True, False]
    assert addresses(heap_kernel(FREE.replace("%a", "0"), emulator.MALLOC_BYTES)) == [0, 0]


HEAP_FAULTS = {
    "ld.global.u32 %x, [%a+12];": "out-of-bounds 4-byte read at global address",
    f"{FREE} st.global.u32 [%a], %i;": "out-of-bounds 4-byte write at global address",
    f"st.global.u32 [%a], %i; {FREE} ld.global.u32 %x, [%a];": (
        "out-of-bounds 4-byte read at global address"
    ),
    f"ld.global.u32 %x, [%a+8]; {FREE} st.global.u32 [%a+4], %i;": (
        "out-of-bounds 4-byte write at global address"
    ),
    f"{FREE} {FREE}": "at which no allocation of malloc begins",
    FREE.replace("%a", "%o"): "at which no allocation of malloc begins",
}


@pytest.mark.parametrize("after", HEAP_FAULTS)
def test_wrong_use_of_the_heap(after: str):
    assert HEAP_FAULTS[after] in _error(heap_kernel(after)).message
