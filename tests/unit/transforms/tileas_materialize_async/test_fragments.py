"""Conversions to fragments move to the MMA that reads them, and so do views of theirs alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_materialize_async.fragments import sink_fragment_loads

SHARED = "tensor<16x16xf16, #nv_tileas.memory<smem>>"
BLOCK = "tensor<1x16x16xf16, #nv_tileas.memory<smem>>"
TILE = "tensor<16x16xf16, #nv_tileas.layout<(8, 32, 1, 1), (1, 8, 0, 0)>>"
SUM = "tensor<16x16xf32, #nv_tileas.layout<(8, 32, 1, 1), (1, 8, 0, 0)>>"
ATOM = "{atom = #nv_tileas<atom mma_f16_f16_f32>}"
CONVERT = "nv_tileas.convert_layout"

X = f"%x = {CONVERT} %a : {SHARED} -> {TILE}"
Y = f"%y = {CONVERT} %b : {SHARED} -> {TILE}"
VIEWED = f"%a = nv_tileas.view %block : {BLOCK} to {SHARED}"
PERMUTED = (
    f"%c = nv_tileaa.permute %b {{permutation = array<i32: 1, 0>}} : {SHARED} -> {SHARED}\n"
    f"%y = {CONVERT} %c : {SHARED} -> {TILE}"
)
OTHER = '"test.op"() : () -> ()'
ROUNDED = f"%r = math.absf %w : {TILE}"
CHANGED = f"%w = {CONVERT} %a : {SHARED} -> {TILE}\n{ROUNDED}\n%x = {CONVERT} %r : {TILE} -> {TILE}"
DOT = f"%d = nv_tileas.dot %x, %y, %acc {ATOM} : {TILE}, {TILE}, {SUM} -> {SUM}"


def order(*body: str) -> list[str]:
    """The ops of a function after the pattern, by the names of what they give."""
    text = "\n".join(body)
    arguments = f"%a: {SHARED}, %b: {SHARED}, %block: {BLOCK}, %acc: {SUM}"
    arguments = arguments.replace(f"%a: {SHARED}, ", "") if VIEWED in body else arguments
    module = tools.parse(f"nv_tileaa.func @f({arguments}) {{ {text}\nnv_tileaa.return }}")
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    sink_fragment_loads(function)
    module.verify()
    names = (op.results[0].name_hint if op.results else "-" for op in function.walk())
    return [name or "?" for name in names][1:-1]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ((X, OTHER, Y, OTHER, DOT), "--xyd"),
        ((X, Y, DOT), "xyd"),
        ((Y, OTHER, X, DOT), "-yxd"),
        ((VIEWED, X, OTHER, Y, OTHER, DOT), "--axyd"),
        ((X, PERMUTED, OTHER, DOT), "-xcyd"),
        # What changes a tile for the dot comes along, before the fragments of the other operand.
        ((CHANGED, OTHER, Y, OTHER, DOT), "--wrxyd"),
        ((Y, CHANGED, OTHER, DOT), "-wrxyd"),
        ((CHANGED, f'"test.op"(%r) : ({TILE}) -> ()', Y, DOT), "wrx-yd"),
        # A view that others use stays where they find it, and so does a tile that they read.
        ((VIEWED, X, f'"test.op"(%a) : ({SHARED}) -> ()', Y, OTHER, DOT), "a--xyd"),
        ((X, f'"test.op"(%x) : ({TILE}) -> ()', Y, OTHER, DOT), "x--yd"),
        # One that no MMA reads.
        ((X, OTHER, Y.replace("%y", "%z"), DOT.replace("%y", "%x")), "x-zd"),
    ],
)
def test_what_one_mma_reads_moves_to_it(body: Sequence[str], expected: str):
    assert "".join(order(*body)) == expected


def test_what_a_loop_reads_in_each_iteration_stays_before_it():
    zero, one = "%lo = arith.constant 0 : index", "%st = arith.constant 1 : index"
    loop = f"scf.for %i = %lo to %st step %st {{ {OTHER} {DOT} }}"
    assert order(zero, one, X, Y, OTHER, loop) == ["lo", "st", "x", "y", "-", "-", "-", "d", "-"]
    # A view before the loop is made once.
    inside = f"scf.for %i = %lo to %st step %st {{ {X} {OTHER} {Y} {DOT} }}"
    found = order(zero, one, VIEWED, OTHER, inside)
    assert found == ["lo", "st", "a", "-", "-", "-", "x", "y", "d", "-"]
