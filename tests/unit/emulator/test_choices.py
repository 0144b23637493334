"""Exploring what a launch leaves open: every order of warps, and every completion of late work."""

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.emulator.choices import Choices

_HEADER = ".version 8.7\n.target sm_90\n.address_size 64\n"
# Two warps: each stores its own word, then loads that of the other one.
_STORE_BUFFERING = f"""{_HEADER}
.visible .entry kernel(.param .u64 memory, .param .u64 results)
{{
    .reg .pred %p;
    .reg .b32 %t, %w, %o, %v;
    .reg .b64 %m, %r, %a, %b, %d;
    ld.param.u64 %m, [memory];
    ld.param.u64 %r, [results];
    mov.u32 %t, %tid.x;
    and.b32 %v, %t, 31;
    setp.ne.u32 %p, %v, 0;
    @%p bra END;
    shr.u32 %w, %t, 5;
    xor.b32 %o, %w, 1;
    mad.wide.u32 %a, %w, 4, %m;
    mad.wide.u32 %b, %o, 4, %m;
    mad.wide.u32 %d, %w, 4, %r;
    st.relaxed.gpu.global.u32 [%a], 1;
LOAD:
    ld.relaxed.gpu.global.u32 %v, [%b];
STORE:
    st.global.u32 [%d], %v;
END:
    ret;
}}
"""
_LATE_COPY = f"""{_HEADER}
.visible .entry kernel(.param .u64 memory, .param .u64 results)
{{
    .shared .align 16 .b32 buffer[4];
    .reg .pred %p;
    .reg .b32 %t, %s, %v;
    .reg .b64 %m, %r;
    ld.param.u64 %m, [memory];
    ld.param.u64 %r, [results];
    mov.u32 %t, %tid.x;
    setp.ne.u32 %p, %t, 0;
    @%p bra END;
    mov.u32 %s, buffer;
    cp.async.ca.shared.global [%s], [%m], 4;
    cp.async.commit_group;
CHANGE:
    st.global.u32 [%m], 2;
WAIT:
    cp.async.wait_group 0;
    ld.shared.u32 %v, [%s];
    st.global.u32 [%r], %v;
END:
    ret;
}}
"""


def _outcomes(text: str, threads: int, limit: int, **options: bool) -> list[tuple[int, ...]]:
    module = emulator.load(text)
    found: list[tuple[int, ...]] = []
    for choices in emulator.explore(limit):
        memory = np.array([1, 0] if options else [0, 0], np.uint32)
        results = np.zeros(2, np.uint32)
        module.launch(
            "kernel",
            (1, 1, 1),
            [memory, results],
            block=(threads, 1, 1),
            choices=choices,
            late=options.get("late", False),
        )
        found.append(tuple(results.tolist()))
    return found


def test_all_orders_are_gone_through_once() -> None:
    found = _outcomes(_STORE_BUFFERING, 64, 1000)
    # Three steps of each of two warps; the store of a result is the third one.
    assert len(found) == 20
    assert set(found) == {(0, 1), (1, 0), (1, 1)}


def test_the_rest_is_drawn_where_the_limit_is_too_low() -> None:
    found = _outcomes(_STORE_BUFFERING, 64, 16)
    assert len(found) == 16
    assert set(found[8:]) == {(0, 1), (1, 0), (1, 1)}


def test_work_that_was_put_off_is_done_early_and_late() -> None:
    found = _outcomes(_LATE_COPY, 32, 100, late=True)
    assert {first for first, _ in found} == {1, 2}


@pytest.mark.parametrize("counts", [(2, 3), (1, 2, 2), (4,)])
def test_every_sequence_of_choices_is_made(counts: tuple[int, ...]) -> None:
    def choose(choices: Choices) -> tuple[int, ...]:
        return tuple(choices.choose(count) for count in counts)

    found = [choose(choices) for choices in emulator.explore(100)]
    assert found == list(np.ndindex(*counts))
