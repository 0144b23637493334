"""One agent loads and computes where tiles need the registers of a loading warp's group."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from bench.matrix_kernels import CASES, TALL_CASES
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

STRATEGY = "tileas-materialize-schedule"


def agents(name: str, gpu: str, options: Options) -> int:
    """The agents that a row of `bench.matrix_units` has after the pass."""
    found = list[int]()

    def observe(step: object, module: ModuleOp) -> None:
        if getattr(step, "name", None) == STRATEGY:
            switches = [op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp)]
            found.append(1 + len(switches))

    module = tools.parse((CASES | TALL_CASES)[name].text_path.read_text())
    lower(tools.context(), module, "ptx", gpu=gpu, file=name, observe=observe, options=options)
    return found[-1]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "strategy", "expected"),
    [
        ("attention_256x64x128", None, 1),
        # Who asks for agents gets them, whatever the assembler spills.
        ("attention_256x64x128", "warp-specialize", 2),
        ("product_f8_256x128x128", None, 2),
    ],
)
def test_tiles_and_the_rest_must_fit(name: str, strategy: str | None, expected: int):
    assert agents(name, "sm_120a", Options(strategy=strategy)) == expected
