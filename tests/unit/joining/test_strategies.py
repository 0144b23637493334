"""A strategy of an extension: weighed, reported, forced and followed where it is named."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import program
from tileir_xdsl import emulator, joining
from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.extension_parts import Strategy
from tileir_xdsl.extensions import Extension, register
from tileir_xdsl.options import OptionError, Options
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.targets import Target
from tileir_xdsl.testing.tools import run_passes, to_text
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.elementwise import LowerElementwise
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.program import ThreadRewriter
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass

TO_SELECTION = "convert-tileaa-to-tileas,tileas-assign-load-store-layouts"
NAMED = Options(extensions=("halving",))


def halve(_op: Operation, rewriter: ThreadRewriter, value: SSAValue, _two: SSAValue) -> SSAValue:
    builder = rewriter.builder
    # More than is needed, so that the code tells which strategy it is of.
    even = builder.compute(llvm.AndOp, value, builder.integer(-2, i32))
    return builder.compute(llvm.LShrOp, even, builder.integer(1, i32))


def not_by_two(op: Operation, _target: Target) -> str | None:
    return None if uniform_integer(op.operands[1]) == 2 else "the divisor is not 2"


def halving(cost: float) -> Extension:
    strategy = Strategy(
        "halving",
        (arith.DivUIOp,),
        not_by_two,
        lambda op, target: cost,
        partial(LowerElementwise, emitter=halve),
        "a shift by one",
    )
    return register(Extension("halving", strategies=(strategy,)))


def module(divisor: int = 2) -> ModuleOp:
    tile = Tile("256xi32")
    body = (
        f"%c = arith.constant {divisor} : i32\n"
        "%s = nv_tileaa.splat %c : i32 -> tensor<256xi32>\n"
        "%out0 = arith.divui %in0, %s : tensor<256xi32>"
    )
    return read_text(new_context(), program(body, [tile], [tile]), "k.mlir")


def selected(given: ModuleOp, **options: object) -> ModuleOp:
    before = run_passes(given, TO_SELECTION)
    TileASSelectLoweringPass(**options).apply(new_context(), before)  # pyright: ignore
    return before


@pytest.mark.parametrize(
    ("cost", "names", "expected"),
    [
        (0.5, ("halving",), '#nv_tileas.extension_strategy<"halving">'),
        (100, ("halving",), "#nv_tileas.strategy<shift>"),
        (0.5, (), "#nv_tileas.strategy<shift>"),
    ],
)
def test_is_taken_where_it_is_cheapest_and_named(
    cost: float, names: tuple[str, ...], expected: str
):
    halving(cost)
    text = to_text(selected(module(), extensions=names))
    assert f"arith.divui %in0, %s {{nv_tileas.strategy = {expected}}}" in text
    assert to_text(read_text(new_context(), text, "k.mlir")) == text


def test_is_reported_and_forced(tmp_path: Path):
    halving(100)
    report = tmp_path / "report.txt"
    selected(module(), extensions=("halving",), explain=str(report))
    said = report.read_text()
    assert "halving: 100" in said
    number = said.partition("op: #")[2].split()[0]
    text = to_text(selected(module(), extensions=("halving",), force=f"#{number}=halving"))
    assert 'extension_strategy<"halving">' in text
    with pytest.raises(
        PassFailedException, match="cannot be lowered by 'halving': the divisor is not 2"
    ):
        selected(module(3), extensions=("halving",), force=f"#{number}=halving")


@pytest.mark.parametrize("named", [True, False])
def test_is_followed_on_the_road(named: bool):
    halving(0.5)
    options = NAMED if named else Options()
    lowered = lower(new_context(), module(), "ptx", gpu="sm_90a", file="k.mlir", options=options)
    assert lowered.ptx is not None
    x, found = np.random.default_rng(3).integers(0, 2**31, (2, 256)).astype(np.int32)
    emulator.load(lowered.ptx).launch("k", (1, 1, 1), [x, found])
    assert (found == x // 2).all()
    assert ("and.b32" in lowered.ptx) is named


def test_one_that_nobody_has_is_refused():
    halving(0.5)
    given = selected(module(), extensions=("halving",))
    register(Extension("halving"))
    joining.register(Extension("halving"))
    rest = "tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers"
    message = "lowered by strategy 'halving', which no loaded extension provides"
    with pytest.raises(PassFailedException, match=message):
        run_passes(given, f"{rest},convert-tileas-to-llvm")


@pytest.mark.parametrize(
    ("name", "op", "message"),
    [
        ("shift", arith.DivUIOp, "there is a strategy 'shift' already"),
        ("mine", arith.AndIOp, "'mine' is for 'arith.andi', which has only one strategy"),
    ],
)
def test_a_wrong_one_is_refused(name: str, op: type[Operation], message: str):
    strategy = Strategy(name, (op,), not_by_two, lambda op, target: 1, LowerElementwise, "none")
    with pytest.raises(OptionError, match=message):
        joining.register(Extension("wrong", strategies=(strategy,)))
