"""One lowering shows the program at every level as lowering to that level alone would."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.ladder_kernels import matmul
from tests.unit.runtime.test_lowering import DropTerminators
from tileir_xdsl.levels import NV_TILEAA, NV_TILEAS
from tileir_xdsl.options import Options
from tileir_xdsl.runtime import lowering
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.level_by_level import AtLevel, LevelByLevel
from tileir_xdsl.runtime.lowering import RUNNABLE, Lowered, levels_from, lower
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_road import Step, steps

GPU = "sm_120a"
VECTOR_ADD = KERNELS["vector_add"].text_path.read_text()
WIDE = matmul(256, 256, 32, "f16", "f16").text


def reach(module: ModuleOp, options: Options, reached: list[AtLevel]) -> None:
    """Lowers a module, and adds to `reached` what it is at each level, as long as there is one."""
    levels = levels_from(module, "k.mlir")
    road = LevelByLevel(tools.context(), levels, GPU, "k.mlir", options)
    for at in road.lower(module):
        reached.append(at)


def levels_of(text: str, options: Options | None = None) -> dict[str, Lowered]:
    reached: list[AtLevel] = []
    reach(tools.parse(text), options or Options(), reached)
    return {at.level: at.program for at in reached}


@pytest.mark.parametrize("opt_level", [0, 3])
def test_levels_are_those_of_lowerings_of_their_own(opt_level: int):
    options = Options(opt_level=opt_level)
    found = levels_of(VECTOR_ADD, options)
    assert list(found) == list(RUNNABLE)
    for level, program in found.items():
        module = tools.parse(VECTOR_ADD)
        alone = lower(tools.context(), module, level, gpu=GPU, file="k.mlir", options=options)
        assert str(program.module) == str(alone.module)
        assert program.ptx == alone.ptx


def test_a_program_may_begin_at_any_level():
    module = levels_of(VECTOR_ADD)["nv_tileaa"].module
    again = levels_of(tools.to_text(module))
    assert list(again) == list(RUNNABLE)[1:]


def test_a_kernel_that_exceeds_a_resource_is_shown_as_it_was_compiled():
    found = levels_of(WIDE)
    remarks = {level: "compiled with" in str(found[level].module) for level in found}
    assert remarks == {"cuda_tile": False, "nv_tileaa": True, "nv_tileas": True, "ptx": True}


@pytest.mark.parametrize("level", [NV_TILEAA, NV_TILEAS])
def test_each_level_is_verified_and_those_before_it_are_shown(
    level: lowering.Level, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(lowering.VERIFY_EACH_VARIABLE, raising=False)
    road = list(steps(GPU))
    last = max(number for number, step in enumerate(road) if step.level is level)
    road.insert(last + 1, Step("drop-terminators", level, DropTerminators))

    def steps_to(*_arguments: object) -> list[Step]:
        return road

    monkeypatch.setattr(lowering, "steps_to", steps_to)
    reached: list[AtLevel] = []
    with pytest.raises(InputError):
        reach(tools.parse(VECTOR_ADD), Options(), reached)
    names = list(RUNNABLE)
    assert [at.level for at in reached] == names[: names.index(level.name)]


def test_errors_name_the_target():
    levels = levels_from(tools.parse(VECTOR_ADD), "k.mlir")
    road = LevelByLevel(tools.context(), levels, "sm_1", "k.mlir", Options())
    with pytest.raises(InputError, match="sm_1"):
        next(road.lower(tools.parse(VECTOR_ADD)))
