"""Kernels of the zoo at the last level: `make test` compares the values of every second one.

It assembles these, and a sixth of all for another target; `make soak` all for every target, and runs
them plainly too.

The levels above are compared in `tests/unit/transforms/test_zoo_agreement.py`.
"""

import pytest

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import GPUS, drawn_gpu, expected_wavefronts, gpus_of, lower, run
from tileir_xdsl.emulator import SharedTraffic
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS


@pytest.mark.one_in(3, "memory_scopes", "float_division_f64", "boolean_logic", "first_long_segment")
@pytest.mark.parametrize("name", KERNELS)
def test_ptx_equals_numpy(name: str):
    """With late asynchronous work and races looked for: so what a plain run finds is found.

    Values are compared for sm_90a, or the first target that can run the kernel. There accesses of
    shared memory take as many wavefronts as layouts say.
    """
    case = KERNELS[name]
    gpus = gpus_of(case)
    gpu = "sm_90a" if "sm_90a" in gpus else gpus[0]
    kernel = lower(tools.parse(case.text_path.read_text()), gpu)
    assert "warning" not in assemble(kernel.ptx, gpu)
    grid = case.grid(case.typical)
    statistics = run(case, kernel, case.typical, grid, late=True, races=True)
    lines = kernel.ptx.splitlines()
    for line, wavefronts in expected_wavefronts(kernel).items():
        assert wavefronts is not None, lines[line - 1]
        counted = statistics.shared_traffic.get(line, SharedTraffic(0, 0))
        assert counted.wavefronts == wavefronts * counted.warps, lines[line - 1]


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", KERNELS)
def test_ptx_is_assembled_for_a_drawn_target(name: str):
    case = KERNELS[name]
    gpu = drawn_gpu(case)
    kernel = lower(tools.parse(case.text_path.read_text()), gpu)
    assert "warning" not in assemble(kernel.ptx, gpu)


@pytest.mark.soak
@pytest.mark.parametrize("name", KERNELS)
def test_a_plain_run_equals_numpy(name: str):
    case = KERNELS[name]
    gpus = gpus_of(case)
    gpu = "sm_90a" if "sm_90a" in gpus else gpus[0]
    kernel = lower(tools.parse(case.text_path.read_text()), gpu)
    run(case, kernel, case.typical, case.grid(case.typical))


@pytest.mark.soak
@pytest.mark.parametrize("name", KERNELS)
def test_ptx_is_assembled_for_every_target(name: str):
    case = KERNELS[name]
    for gpu in gpus_of(case):
        kernel = lower(tools.parse(case.text_path.read_text()), gpu)
        assert "warning" not in assemble(kernel.ptx, gpu)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("tile", (64, 128))
def test_tiles_of_warpgroups(tile: int, gpu: str):
    """Products that the matrix instructions of newer targets could take as a whole."""
    case = KERNELS["matmul_f16"]
    text = case.text_path.read_text().replace("32x32", f"{tile}x{tile}")
    kernel = lower(tools.parse(text), gpu)
    assemble(kernel.ptx, gpu)
    run(case, kernel, (tile, tile, 2 * tile), (1, 1, 1))
