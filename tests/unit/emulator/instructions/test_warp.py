"""Exchange between lanes against loops over the lanes of each warp."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array, Case, check
from tests.unit.emulator.instructions.test_tensor_memory import HEADER as BLACKWELL_HEADER
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

_LANES = np.arange(32)
_ALL = 0xFFFFFFFF


def warps(x: Array) -> Array:
    return x.reshape(-1, 32)


def shuffle(a: Array, b: Array, mode: str, control: int) -> tuple[Array, Array]:
    """`shfl.sync` lane by lane, as the manual writes it."""
    values, shifts = warps(a), warps(b)
    result, found = np.zeros_like(values), np.zeros(values.shape, bool)
    segment, clamp = control >> 8 & 31, control & 31
    for w, lane in np.ndindex(values.shape):
        shift = int(shifts[w, lane]) & 31
        highest = lane & segment | clamp & ~segment
        lowest = lane & segment
        source = {
            "up": lane - shift,
            "down": lane + shift,
            "bfly": lane ^ shift,
            "idx": lowest | shift & ~segment,
        }[mode]
        found[w, lane] = source >= highest if mode == "up" else source <= highest
        result[w, lane] = values[w, source if found[w, lane] else lane]
    return result.ravel(), found.ravel()


def shuffle_case(mode: str, control: int) -> Case:
    return Case(
        f"shfl.sync.{mode}.b32 %d|%p, %a, %b, {control}, -1;",
        "a:b32 b:u32",
        "d:b32 p:pred",
        partial(shuffle, mode=mode, control=control),
    )


def by_warp(function: Callable[[Array], object]) -> Callable[[Array], Array]:
    """A value per warp, given to all of its lanes."""
    return lambda a: np.repeat(np.array([function(w) for w in warps(a)]), 32)


def bits(lanes: Array) -> int:
    return sum(1 << int(lane) for lane in np.flatnonzero(lanes))


def reduction(name: str, a: Array) -> int:
    values = [int(x) for x in a]
    result = values[0]
    for value in values[1:]:
        result = {
            "add": result + value,
            "min": min(result, value),
            "max": max(result, value),
            "and": result & value,
            "or": result | value,
            "xor": result ^ value,
        }[name]
    return result % (1 << 32)


def reduction_of_floats(a: Array, name: str, *, absolute: bool, nan: bool) -> float:
    values = [abs(float(x)) if absolute else float(x) for x in a]
    numbers = [x for x in values if x == x]
    if len(numbers) == 0 or (nan and len(numbers) < len(values)):
        return float("nan")
    return min(numbers) if name == "min" else max(numbers)


def match_any(a: Array) -> Array:
    return np.array([bits(w == x) for w in warps(a) for x in w])


def match_all(a: Array) -> tuple[Array, Array]:
    same = np.repeat((warps(a) == warps(a)[:, :1]).all(1), 32)
    return np.where(same, _ALL, 0), same


_FEW = np.array([7, 7, 3, 0, 7, 3], np.uint64)
_ONE_VALUE_PER_WARP = np.repeat(np.arange(24, dtype=np.uint64), 32)
_ONE_VALUE_PER_WARP[40] = 99
_SMALL_FLOATS = np.array([1.5, -2.5, np.nan, 0.25, -7.0, 3.0], np.float32)
_ALL_NAN = np.full(32, np.nan, np.float32)

CASES: tuple[Case, ...] = (
    *(shuffle_case(mode, 31) for mode in ("idx", "bfly", "down")),
    *(shuffle_case(mode, 0x1807) for mode in ("idx", "bfly", "down")),
    shuffle_case("up", 0),
    shuffle_case("up", 0x1800),
    Case(
        "shfl.sync.bfly.b32 %d, %a, 16, 31, -1;",
        "a:b32",
        "d:b32",
        lambda a: warps(a)[:, _LANES ^ 16].ravel(),
    ),
    Case(
        "vote.sync.all.pred %d, %a, -1;",
        "a:pred",
        "d:pred",
        by_warp(np.all),
        values={"a": (np.arange(768) < 700).astype(np.uint8)},
    ),
    Case(
        "vote.sync.any.pred %d, !%a, -1;",
        "a:pred",
        "d:pred",
        by_warp(lambda w: not w.all()),
        values={"a": (np.arange(768) != 77).astype(np.uint8)},
    ),
    Case(
        "vote.sync.uni.pred %d, %a, -1;",
        "a:pred",
        "d:pred",
        by_warp(lambda w: w.all() or not w.any()),
        values={"a": (np.arange(768) < 300).astype(np.uint8)},
    ),
    Case("vote.sync.ballot.b32 %d, %a, -1;", "a:pred", "d:b32", by_warp(bits)),
    *(
        Case(
            f"match.any.sync.{t} %d, %a, -1;",
            f"a:{t}",
            "d:b32",
            match_any,
            values={"a": _FEW.astype(f"u{int(t[1:]) // 8}")},
        )
        for t in ("b32", "b64")
    ),
    *(
        Case(
            f"match.all.sync.{t} %d|%p, %a, -1;",
            f"a:{t}",
            "d:b32 p:pred",
            match_all,
            values={"a": _ONE_VALUE_PER_WARP.astype(f"u{int(t[1:]) // 8}")},
        )
        for t in ("b32", "b64")
    ),
    *(
        Case(
            f"redux.sync.{name}.{t} %d, %a, -1;",
            f"a:{t}",
            "d:u32",
            by_warp(partial(reduction, name)),
        )
        for name in ("add", "min", "max")
        for t in ("u32", "s32")
    ),
    *(
        Case(
            f"redux.sync.{name}.b32 %d, %a, -1;",
            "a:b32",
            "d:b32",
            by_warp(partial(reduction, name)),
        )
        for name in ("and", "or", "xor")
    ),
    *(
        Case(
            f"redux.sync.{name}{suffix}.f32 %d, %a, -1;",
            "a:f32",
            "d:f32",
            by_warp(
                partial(
                    reduction_of_floats, name=name, absolute=".abs" in suffix, nan=".NaN" in suffix
                )
            ),
            "sm_100a",
            values={"a": np.r_[np.resize(_SMALL_FLOATS, 64), _ALL_NAN, np.ones(32, np.float32)]},
        )
        for name in ("min", "max")
        for suffix in ("", ".abs", ".NaN", ".abs.NaN")
    ),
    Case(
        "elect.sync %d|%p, -1;",
        "a:b32",
        "d:b32 p:pred",
        lambda a: (np.zeros(a.size), np.arange(a.size) % 32 == 0),
    ),
    Case("activemask.b32 %d;", "a:b32", "d:b32", lambda a: np.full(a.size, _ALL)),
    Case("bar.warp.sync -1;\nmov.b32 %d, %a;", "a:b32", "d:b32", lambda a: a),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)


def partial_warp_kernel(body: str) -> str:
    """Lanes below 11 of each warp run `body`, which leaves its result in %r3."""
    return f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 64
{{
  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %laneid;
  mov.u32 %r3, 12345;
  setp.ge.u32 %p1, %r2, 11;
  @%p1 bra JOIN;
  {body}
JOIN:
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r3;
  ret;
}}
"""


_SOME = np.tile(_LANES < 11, 2)


PARTIAL_WARPS: tuple[tuple[str, Any], ...] = (
        ("shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0x7ff;", None),
        ("activemask.b32 %r3;", 0x7FF),
        ("vote.sync.ballot.b32 %r3, %p1, 0x7ff;", 0),
        ("vote.sync.ballot.b32 %r3, !%p1, 0x7ff;", 0x7FF),
        ("redux.sync.add.u32 %r3, %r2, 0x7ff;", 55),
        ("match.any.sync.b32 %r3, 5, 0x7ff;", 0x7FF),
        ("elect.sync %r3|%p2, 0x7ff;", 0),
        ("and.b32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, 1; selp.b32 %r5, 0x2aa, 0x555, %p2;"
         " redux.sync.max.u32 %r3, %r2, %r5;", np.where(_LANES % 2, 9, 10)),
        ("add.u32 %r4, %r2, 3; redux.sync.min.u32 %r3, %r4, 0x7ff;", 3),
        ("neg.s32 %r4, %r2; redux.sync.min.s32 %r3, %r4, 0x7ff;", 0xFFFFFFF6),
        ("not.b32 %r4, %r2; redux.sync.max.s32 %r3, %r4, 0x7ff;", 0xFFFFFFFF),
        ("or.b32 %r4, %r2, 16; redux.sync.and.b32 %r3, %r4, 0x7ff;", 16),
        ("redux.sync.or.b32 %r3, %r2, 0x7ff;", 15),
        ("redux.sync.xor.b32 %r3, %r2, 0x7ff;", 11),
        ("match.all.sync.b32 %r3|%p2, 5, 0x7ff;", 0x7FF),
        ("match.all.sync.b32 %r3|%p2, %r2, 0x7ff;", 0),
        *(
            (f"setp.{compare}.u32 %p2, %r2, {bound}; vote.sync.{mode}.pred %p2, %p2, 0x7ff;"
             " selp.u32 %r3, 7, 9, %p2;", 7 if holds else 9)
            for mode, compare, bound, holds in (
                ("all", "lt", 11, True), ("all", "lt", 10, False), ("any", "ge", 11, False),
                ("any", "ge", 10, True), ("uni", "lt", 11, True), ("uni", "ge", 11, True),
                ("uni", "ge", 10, False),
            )
        ),
)  # fmt: skip


# Without `.sync`, as before sm_70: ptxas takes these no longer.
LEGACY: tuple[tuple[str, Any], ...] = (
    ("vote.ballot.b32 %r3, !%p1;", 0x7FF),
    ("setp.lt.u32 %p2, %r2, 32; vote.all.pred %p2, %p2; selp.u32 %r3, 7, 9, %p2;", 7),
    ("setp.eq.u32 %p2, %r2, 3; vote.any.pred %p2, %p2; selp.u32 %r3, 7, 9, %p2;", 7),
    ("setp.eq.u32 %p2, %r2, 3; vote.uni.pred %p2, %p2; selp.u32 %r3, 7, 9, %p2;", 9),
    ("shfl.idx.b32 %r3, %r2, 5, 31;", 5),
    ("shfl.down.b32 %r3|%p2, %r2, 1, 31;", np.minimum(np.arange(32) + 1, 31)),
    ("shfl.up.b32 %r3|%p2, %r2, 1, 0;", np.maximum(np.arange(32) - 1, 0)),
    ("shfl.bfly.b32 %r3, %r2, 1, 31;", np.arange(32) ^ 1),
)


def legacy_kernel(body: str) -> str:
    """All lanes run `body`; `%p1` holds in lanes from 11 on."""
    return partial_warp_kernel(body).replace("@%p1 bra JOIN;", "")


@pytest.mark.parametrize(("body", "expected"), LEGACY, ids=str)
def test_whole_warps_without_sync(body: str, expected: int | Array):
    out = np.zeros(64, np.uint32)
    emulator.load(legacy_kernel(body)).launch("k", (1, 1, 1), [out])
    np.testing.assert_array_equal(out, np.tile(np.broadcast_to(expected, 32), 2))


@pytest.mark.parametrize(("body", "expected"), PARTIAL_WARPS, ids=str)
def test_part_of_a_warp(body: str, expected: int | Array | None):
    out = np.zeros(64, np.uint32)
    emulator.load(partial_warp_kernel(body)).launch("k", (1, 1, 1), [out])
    if expected is None:
        # Lane 10 reads lane 11, which is elsewhere: that result is unpredictable.
        lanes = np.arange(64)
        checked = _SOME & (lanes % 32 != 10)
        np.testing.assert_array_equal(out[checked], (lanes ^ 1)[checked])
    else:
        wanted = np.tile(np.broadcast_to(expected, 32), 2)
        np.testing.assert_array_equal(out[_SOME], wanted[_SOME])
    assert (out[~_SOME] == 12345).all()


@pytest.mark.parametrize("members", (0x7FF, 0x401), ids=hex)
@pytest.mark.parametrize("nans", (0, 0x400, 0x3FF, 0x7FF), ids=hex)
@pytest.mark.parametrize("suffix", ("", ".abs", ".NaN", ".abs.NaN"))
@pytest.mark.parametrize("name", ("min", "max"))
def test_floats_of_some_lanes(name: str, suffix: str, nans: int, members: int):
    """Lanes of a partial warp that are no members count neither as numbers nor as NaN."""
    body = (
        f"add.u32 %r4, %r2, 1; cvt.rn.f32.u32 %r4, %r4; neg.f32 %r4, %r4;"
        f" shr.u32 %r5, {nans:#x}, %r2; and.b32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0;"
        " selp.b32 %r4, 0x7fffffff, %r4, %p2;"
        f" shr.u32 %r5, {members:#x}, %r2; and.b32 %r5, %r5, 1; setp.eq.u32 %p3, %r5, 0;"
        f" @%p3 bra JOIN; redux.sync.{name}{suffix}.f32 %r3, %r4, {members:#x};"
    )
    text = partial_warp_kernel(body).replace(HEADER, BLACKWELL_HEADER)
    out = np.zeros(64, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out])
    lanes = np.array([lane for lane in range(11) if members >> lane & 1])
    values = np.where(nans >> lanes & 1, np.nan, -(lanes + 1.0))
    expected = reduction_of_floats(values, name, absolute=".abs" in suffix, nan=".NaN" in suffix)
    found = out.view(np.float32).reshape(2, 32)[:, lanes]
    np.testing.assert_array_equal(found, np.full(found.shape, expected, np.float32))


def test_diverged_lanes_meet_at_the_collective():
    """Lanes take different paths to one `shfl`; those that come first wait for the others.

    Warp 1 comes as a whole together with the first half of warp 0, and need not wait.
    """
    text = f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 64
{{
  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %r1;
  setp.lt.u32 %p1, %r1, 16;
  setp.ge.or.u32 %p1, %r1, 32, %p1;
  @%p1 bra MEET;
  bra FAR;
MEET:
  shfl.sync.idx.b32 %r3, %r2, 31, 31, -1;
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r3;
  ret;
FAR:
  add.u32 %r2, %r2, 100;
  bra MEET;
}}
"""
    out = np.zeros(64, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out])
    np.testing.assert_array_equal(out, np.repeat([131, 63], 32))


def test_lanes_that_have_ended_are_not_waited_for():
    text = partial_warp_kernel("shfl.sync.idx.b32 %r3, %r1, 3, 31, -1;").replace(
        "@%p1 bra JOIN;", "@%p1 exit;"
    )
    out = np.zeros(64, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out])
    np.testing.assert_array_equal(out[_SOME], np.repeat([3, 35], 11))


def test_missing_lanes_are_a_deadlock():
    text = partial_warp_kernel("shfl.sync.idx.b32 %r3, %r1, 3, 31, -1;").replace(
        "JOIN:\n", "JOIN:\n  bar.sync 0;\n"
    )
    line = text.split("\n").index("  shfl.sync.idx.b32 %r3, %r1, 3, 31, -1;") + 1
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(text).launch("k", (1, 1, 1), [np.zeros(64, np.uint32)])
    assert caught.value.line == line
    assert "lanes 11, 12, 13" in caught.value.message
    assert "deadlock" in caught.value.message
    assert caught.value.location == emulator.ThreadLocation((0, 0, 0), 0, 0)


def test_member_mask_without_the_lane_itself():
    text = partial_warp_kernel("shfl.sync.idx.b32 %r3, %r1, 3, 31, 0x3ff;")
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(text).launch("k", (1, 1, 1), [np.zeros(64, np.uint32)])
    assert caught.value.location == emulator.ThreadLocation((0, 0, 0), 0, 10)
    assert "member mask" in caught.value.message
