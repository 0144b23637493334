"""Dead code is what xDSL takes for it, and is found in time that grows with the ops."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.dead_code_elimination import is_trivially_dead, region_dce

from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.canonicalize import LocatedCanonicalizePass
from tileir_xdsl.transforms.dead_code import SeenOps, erase_dead_ops
from tileir_xdsl.transforms.tileas_canonicalize import TileASCanonicalizePass

PURE = "%x = arith.addi %n, %n : i32"
INNERMOST = {
    "effect": '"test.op"(%n) : (i32) -> ()',
    "pure": PURE,
    "allocation": "%b = memref.alloc() : memref<4xi32>",
    "read": "%v = memref.load %m[] : memref<i32>",
    "write": "memref.store %n, %m[] : memref<i32>",
}
AROUND = {
    "if": ("scf.if %c {", "}"),
    "for": ("scf.for %i{0} = %n to %n step %n : i32 {", "}"),
    "carried": (
        "%r{0} = scf.for %i{0} = %n to %n step %n iter_args(%k{0} = %n) -> (i32) : i32 {",
        "scf.yield %k{0} : i32 }",
    ),
    "pure beside": (f"scf.if %c {{ scf.if %c {{ {PURE} }}", "}"),
}


def _nest(around: str, innermost: str, depth: int) -> ModuleOp:
    opening, closing = AROUND[around]
    return tools.parse(
        '%c, %n, %m = "test.op"() : () -> (i1, i32, memref<i32>)\n'
        + "".join(opening.replace("{0}", str(level)) for level in range(depth))
        + INNERMOST[innermost]
        + "\n"
        + "".join(closing.replace("{0}", str(level)) for level in reversed(range(depth)))
    )


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("innermost", INNERMOST)
def test_it_is_what_xdsl_finds(around: str, innermost: str) -> None:
    ours, theirs = (_nest(around, innermost, 3) for _ in range(2))
    for keeps_unseen in (False, True):
        seen = SeenOps(keeps_unseen)
        for op in ours.body.walk():
            assert seen.is_dead(op) == (is_trivially_dead(op) and op.parent is not None)
    erase_dead_ops(ours.body)
    region_dce(theirs.body)
    assert str(ours) == str(theirs)


def _calls(action: Callable[[], object]) -> int:
    """How many Python functions are called, and generators resumed."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def _carrying(count: int) -> ModuleOp:
    """A loop that carries as many tiles, of which nothing is read."""
    tile, part = "tensor<64xf32>", "tensor<32xf32>"
    names = [(f"%a{i}", f"%b{i}", f"%c{i}") for i in range(count)]
    initial = ", ".join(f"{b} = {a}" for a, b, _ in names)
    types = ", ".join([tile] * count)
    return tools.parse(
        f'%n, %o, %x = "test.op"() : () -> (i32, index, {part})\n'
        + "\n".join(f"{a} = nv_tileas.alloc_tensor : {tile}" for a, _, _ in names)
        + f"\n%r:{count} = scf.for %i = %n to %n step %n iter_args({initial}) -> ({types}) : i32 {{"
        + "\n".join(
            f"{c} = nv_tileas.insert_slice %x into {b}[%o][32][1] : {part} into {tile}"
            for _, b, c in names
        )
        + f'\n"test.op"() : () -> ()\nscf.yield {", ".join(c for *_, c in names)} : {types} }}'
    )


SCOPES: dict[str, Callable[[ModuleOp], object]] = {
    "canonicalize": lambda module: LocatedCanonicalizePass().apply(Context(), module),
    "tileas-canonicalize": lambda module: TileASCanonicalizePass().apply_to(module, [module]),
}


@pytest.mark.parametrize("name", SCOPES)
@pytest.mark.parametrize("around", AROUND)
def test_the_work_grows_as_the_depth(name: str, around: str) -> None:
    few, many = (_nest(around, "effect", depth) for depth in (20, 40))
    assert _calls(lambda: SCOPES[name](many)) <= 2.2 * _calls(lambda: SCOPES[name](few))


def test_the_work_grows_as_the_values_that_a_loop_carries() -> None:
    run = SCOPES["tileas-canonicalize"]
    few, many = _carrying(20), _carrying(40)
    assert _calls(lambda: run(many)) <= 2.2 * _calls(lambda: run(few))
    assert "iter_args" not in str(many)
