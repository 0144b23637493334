"""An op of an extension at every level: its text, its meaning, its lowering and its PTX."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl import emulator, joining
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.extension_parts import MadeBy, OpParts
from tileir_xdsl.interpreters import launch
from tileir_xdsl.levels import LEVELS as ALL_LEVELS
from tileir_xdsl.levels import NV_TILEAA, check_legal, is_legal
from tileir_xdsl.runtime.errors import CodeError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.testing.tools import to_text

from .written import EXPECTED, GPU, LEVELS, LHS, PARTS, RHS, AddOp, extension, known, module


def lowered(program: ModuleOp, level: str, gpu: str = GPU) -> ModuleOp:
    return lower(new_context(), program, level, gpu=gpu, file="k.mlir").module


def ptx_of(program: ModuleOp, gpu: str = GPU) -> str:
    ptx = lower(new_context(), program, "ptx", gpu=gpu, file="k.mlir").ptx
    assert ptx is not None
    return ptx


def test_is_read_and_legal_where_the_dialect_is():
    with known(extension(PARTS)):
        program = module()
        assert to_text(read_text(new_context(), to_text(program), "k")) == to_text(program)
        assert is_legal(program, NV_TILEAA)
        assert [level.name for level in ALL_LEVELS if "mine" in level.dialects] == list(LEVELS)
    assert not any("mine" in level.dialects for level in ALL_LEVELS)


@pytest.mark.parametrize("level", ["nv_tileaa", "nv_tileas"])
def test_has_its_meaning_at_tile_levels(level: str):
    result = np.zeros_like(LHS)
    with known(extension(PARTS)):
        launch(lowered(module(), level), "k", (1, 1, 1), [LHS, RHS, result])
    assert (result == EXPECTED).all()


def test_is_one_instruction_of_each_register():
    with known(extension(PARTS)):
        ptx, result = ptx_of(module()), np.zeros_like(LHS)
        emulator.load(ptx).launch("k", (1, 1, 1), [LHS, RHS, result])
    assert ptx.count("add.sat.u32") == 2
    assert (result == EXPECTED).all()


def test_needs_the_target_and_the_version_that_it_says():
    needing = OpParts(AddOp, PARTS.levels, PARTS.meaning, ptx=PARTS.ptx, requirement=REQUIREMENT)
    with known(extension(needing)):
        ptx = ptx_of(module())
        assert ".version 9.2" in ptx
        assemble(ptx, GPU)
        with pytest.raises(CodeError, match=r"'mine.add' is not available on sm_90a"):
            ptx_of(module(), "sm_90a")


REQUIREMENT = Requirement(120, (9, 2))


class MakeAdd(RewritePattern):
    """Any addition becomes one that saturates: the test sees where."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.AddIOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, AddOp(op.lhs, op.rhs))


@pytest.mark.parametrize(("gpu", "count"), [("sm_120a", 1), ("sm_90a", 0)])
def test_is_made_by_its_pattern_on_targets_that_have_it(gpu: str, count: int):
    made = OpParts(
        AddOp,
        meaning=PARTS.meaning,
        pattern=MadeBy([MakeAdd()], after="canonicalize"),
        ptx=PARTS.ptx,
        requirement=REQUIREMENT,
    )
    with known(extension(made)) as given:
        (placed,) = joining.placed_passes(given)
        text = to_text(module()).replace("mine.add", "nv_tileaa.addi")
        program = read_text(new_context(), text, "k.mlir")
        program.attributes["nv_tileaa.target_spec"] = StringAttr(gpu)
        placed.pass_type().apply(new_context(), program)
        found = [op for op in program.walk() if isinstance(op, AddOp)]
    assert (placed.pass_type.name, placed.level) == ("make-mine-add", "nv_tileaa")
    assert len(found) == count
    assert all("k.mlir" in str(op.location) for op in found)


def test_what_stands_at_other_levels_is_refused():
    only = OpParts(AddOp, ("nv_tileas", "llvm"), PARTS.meaning, ptx=PARTS.ptx)
    message = r"'mine\.add' op is not legal at level nv_tileaa"
    with known(extension(only)), pytest.raises(PassFailedException, match=message):
        check_legal(module(), NV_TILEAA)
