"""Every pass with the option `explain` prints its report for `explain=-`."""

import dataclasses

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.options import Options
from tileir_xdsl.passes import PASSES
from tileir_xdsl.targets.cpu import HOST_CPU
from tileir_xdsl.testing.tools import parse, run_passes
from tileir_xdsl.transforms.pipeline_road import steps

KERNEL = (
    REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "divisible" / "matmul_f16_warpgroup.mlir"
)
EXPLAINING = [
    name
    for name, entry in PASSES.items()
    if "explain" in {field.name for field in dataclasses.fields(entry.load())}
    # The pipeline's is a folder.
    and name != "tileir-pipeline"
]


def road_to(name: str) -> list[str]:
    """The passes before one, as far as it is in the pipeline, or on the road for processors."""
    roads = [
        [step.name for step in steps(gpu, Options(dynamic_persistent=True))]
        for gpu in ("sm_90a", HOST_CPU)
    ]
    found = next((names[: names.index(name)] for names in roads if name in names), None)
    return roads[0][:-3] if found is None else found


@pytest.mark.parametrize("name", EXPLAINING)
def test_a_dash_prints(name: str, capsys: pytest.CaptureFixture[str]):
    module = parse(KERNEL.read_text())
    for before in road_to(name):
        run_passes(module, before, verify=False)
    run_passes(module, f"{name}{{explain=-}}", verify=False)
    assert capsys.readouterr().out.startswith(f"{name}\n")
