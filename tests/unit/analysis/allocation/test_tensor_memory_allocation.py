"""Columns of tensor memory: which accumulators share them, and which cannot."""

import pytest
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.analysis.allocation.tensor_memory_allocation import (
    TensorMemoryAllocation,
    plan_tensor_memory,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools

A = "tensor<128x16xf16, #nv_tileas.memory<smem>>"
B = "tensor<16x{n}xf16, #nv_tileas.memory<smem>>"
SUM = "tensor<128x{n}xf32>"
FLYING = "!async.value<tile<128x{n}xf32>>"


def dot(name: str, c: str, n: int, *, flying: bool = False) -> str:
    """A product that adds to a tile, or to sums on their way."""
    kind = (FLYING if flying else SUM).format(n=n)
    return (
        f"%{name} = nv_tileas.async.dot %a, %b{n}, {c} {{atom = #nv_tileas<atom umma_f16_f16_f32>}}"
        f" : {A}, {B.format(n=n)}, {kind} -> {FLYING.format(n=n)}\n"
    )


def wait(name: str, value: str, n: int) -> str:
    """A wait for sums."""
    return (
        f"%{name} = nv_tileas.async.future_wait {value} : {FLYING.format(n=n)} -> "
        f"tile<128x{n}xf32>\n"
    )


def columns(body: str) -> dict[str, int]:
    """The first column of every sum, by its name."""
    return {value.name_hint or "": place.column for value, place in plan(body).of.items()}


def plan(body: str) -> TensorMemoryAllocation:
    """The columns of a body that has %a, %b64, %zero64, .."""
    operands = "".join(
        f"%b{n} = nv_tileas.alloc_tensor : {B.format(n=n)}\n"
        f"%zero{n} = arith.constant dense<0.0> : {SUM.format(n=n)}\n"
        for n in (64, 128, 256)
    )
    module = tools.parse(f"""
    nv_tileaa.func @k(%count: i32) {{
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %a = nv_tileas.alloc_tensor : {A}
    {operands}
    {body}
    nv_tileaa.return
    }}
    """)
    function = next(op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    return plan_tensor_memory(function)


def test_sums_of_a_loop_share_columns():
    body = f"""
    %start = nv_tileas.async.to_async %zero64 : tile<128x64xf32> -> {FLYING.format(n=64)}
    %end = scf.for %i = %n0 to %count step %n1 iter_args(%c = %start) -> ({FLYING.format(n=64)}) : i32 {{
      {dot("d", "%c", 64, flying=True)}
      scf.yield %d : {FLYING.format(n=64)}
    }}
    {wait("s", "%end", 64)}
    """
    assert set(columns(body)) == {"start", "end", "c", "d"}
    assert set(columns(body).values()) == {0}


def test_sums_in_use_at_the_same_time_are_apart():
    body = dot("d", "%zero64", 64) + dot("e", "%zero128", 128)
    body += wait("x", "%d", 64) + wait("y", "%e", 128)
    assert columns(body) == {"d": 0, "e": 64}


def test_sums_that_are_done_leave_their_columns():
    body = dot("d", "%zero64", 64) + wait("x", "%d", 64)
    body += dot("e", "%zero128", 128) + wait("y", "%e", 128)
    assert columns(body) == {"d": 0, "e": 0}


def test_too_many_columns():
    body = "".join(dot(name, "%zero256", 256) for name in "def")
    body += "".join(wait(f"s{name}", f"%{name}", 256) for name in "def")
    with pytest.raises(DiagnosticException, match="needs 768 columns of tensor memory"):
        columns(body)


def test_sums_that_a_loop_still_waits_for_are_not_overwritten():
    body = f"""
    {dot("first", "%zero64", 64)}
    %end = scf.for %i = %n0 to %count step %n1 iter_args(%c = %first) -> ({FLYING.format(n=64)}) : i32 {{
      {dot("next", "%zero64", 64)}
      {wait("s", "%c", 64)}
      scf.yield %next : {FLYING.format(n=64)}
    }}
    {wait("t", "%end", 64)}
    """
    with pytest.raises(
        DiagnosticException,
        match="overwrites the accumulator of the previous iteration, which a later op still uses",
    ):
        columns(body)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (
            32,
            "has columns 32 to 95 of tensor memory, which overlap columns 0 to 63 of 'nv_tileas.async.dot' op",
        ),
        (480, "has columns 480 to 543, but tensor memory has only 512 columns"),
    ],
)
def test_columns_that_an_op_cannot_have(first: int, message: str):
    forced = f", nv_tileas.tmem = #nv_tileas.allocation<offset = {first}, size = 64>}}"
    kept = ", nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>}"
    body = dot("d", "%zero64", 64).replace("}", kept, 1)
    body += dot("e", "%zero64", 64).replace("}", forced, 1)
    body += wait("x", "%d", 64) + wait("y", "%e", 64)
    with pytest.raises(DiagnosticException, match=message):
        columns(body)


SCALED = (
    "tensor<128x64xf8E4M3FN, #nv_tileas.memory<smem>>",
    "tensor<64x64xf8E4M3FN, #nv_tileas.memory<smem>>",
    SUM.format(n=64),
    "tensor<128x2xf8E8M0FNU>",
    "tensor<2x64xf8E8M0FNU>",
)


@pytest.mark.parametrize("names", ["d", "de", "def"])
def test_scales_of_sums_in_use_at_the_same_time_are_apart(names: str):
    operands = zip("xyzst", SCALED, strict=True)
    body = "".join(f"%{name} = ub.poison : {type}\n" for name, type in operands)
    for name in names:
        body += f"%{name} = nv_tileas.async.dot %x, %y, %z, %s, %t "
        body += "{atom = #nv_tileas<atom umma_mxf8f6f4_e4m3_e4m3_f32>} : "
        body += f"{', '.join(SCALED)} -> {FLYING.format(n=64)}\n"
    body += "".join(wait(f"s{name}", f"%{name}", 64) for name in names)
    taken: list[int] = []
    for each in plan(body).by_op.values():
        ((a, b),) = each.scales.values()
        # A column has the scales of 32 rows of A, or of 32 columns of B.
        own = [*range(each.column, each.column + 64), *range(a, a + 4), *range(b, b + 2)]
        assert set(own) <= set(range(each.column, each.column + each.columns))
        taken += own
    assert len(taken) == len(set(taken)) == 70 * len(names)
