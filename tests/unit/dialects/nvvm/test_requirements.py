"""What ops need, as data."""

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp
from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import target_around as module_target
from tileir_xdsl.targets import TARGETS, Feature, get_target
from tileir_xdsl.testing.tools import parse


def test_compute_capability() -> None:
    requirement = Requirement(80, (7, 0))
    assert requirement.is_met_by(get_target("sm_80"))
    assert requirement.is_met_by(get_target("sm_90a"))
    assert not Requirement(90, (7, 8)).is_met_by(get_target("sm_89"))
    assert Requirement().targets() == tuple(TARGETS)


def test_feature() -> None:
    requirement = Requirement(feature=Feature.WGMMA)
    assert requirement.targets() == ("sm_90a",)
    assert requirement.ptx_version == (8, 0)
    assert Requirement(lowest_version=(8, 6), feature=Feature.WGMMA).ptx_version == (8, 6)


def test_every_requirement_has_a_target() -> None:
    for op in NVVM.operations:
        assert issubclass(op, NVVMOperation)
        requirements = [t.requirement for t in op.traits if hasattr(t, "requirement")]  # pyright: ignore
        assert all(isinstance(r, Requirement) and r.targets() for r in requirements)


def test_the_module_names_the_target() -> None:
    op = ElectSyncOp()
    module = ModuleOp([ModuleOp([op])], {TARGET_ATTRIBUTE: StringAttr("sm_90")})
    module.verify()
    assert module_target(op) == get_target("sm_90")
    module.attributes[TARGET_ATTRIBUTE] = StringAttr("sm_89")
    message = "'nvvm.elect.sync' is not available on sm_89: it needs sm_90"
    with pytest.raises(VerifyException, match=message):
        module.verify()
    assert module_target(ModuleOp([test.TestOp()])) is None


def test_requirements_that_depend_on_attributes() -> None:
    module = parse(
        """%i, %f = "test.op"() : () -> (i32, f32)
        %0 = nvvm.redux.sync add %i, %i : i32 -> i32
        %1 = nvvm.redux.sync fmax %f, %i : f32 -> f32"""
    )
    _, integer, floating = module.body.block.ops
    assert isinstance(integer, NVVMOperation) and isinstance(floating, NVVMOperation)
    assert integer.requirement.is_met_by(get_target("sm_80"))
    assert not floating.requirement.is_met_by(get_target("sm_90a"))
    assert floating.requirement.is_met_by(get_target("sm_100a"))
