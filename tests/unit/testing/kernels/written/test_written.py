"""The kernels written as Tile IR: every pass keeps what numpy computes, and so does their PTX."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import lower, run
from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase, launch_arguments
from tileir_xdsl.testing.kernels.written import WRITTEN

WITHOUT_PTX = ("with_functions",)
"""Only kernels have PTX text."""
GPUS = ("sm_80", "sm_90a", "sm_100a")
MULTICAST = "sm_100a"


def gpus_of(name: str) -> tuple[str, ...]:
    return (MULTICAST,) if name.startswith("multicast") else GPUS


LARGE = ("long_sums",)
"""Tiles of more than a thread block has registers take long after every pass."""
PAIRS = [(name, gpu) for name in WRITTEN if name not in LARGE for gpu in gpus_of(name)]
WITH_PTX = [pair for pair in PAIRS if pair[0] not in WITHOUT_PTX]


def parsed(case: KernelCase) -> ModuleOp:
    return tools.parse(case.text_path.read_text())


def check(case: KernelCase, module: ModuleOp) -> None:
    """Runs a module of any level on the typical problem."""
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(arguments))
    case.check(arguments, expected)


@pytest.mark.one_in(12, "with_functions-sm_90a")
@pytest.mark.parametrize(("name", "gpu"), PAIRS)
def test_every_pass_keeps_what_numpy_computes(name: str, gpu: str):
    case = WRITTEN[name]

    def check_before(module_pass: ModulePass, module: ModuleOp) -> None:
        print("before", module_pass.name)  # shown where it fails
        check(case, module)

    if name in WITHOUT_PTX:
        with pytest.raises(DiagnosticException, match="must be a kernel"):
            lower(parsed(case), gpu, check_before)
    else:
        lower(parsed(case), gpu, check_before)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("name", "gpu"), WITH_PTX)
def test_ptx_equals_numpy(name: str, gpu: str):
    case = WRITTEN[name]
    kernel = lower(parsed(case), gpu)
    assert "warning" not in assemble(kernel.ptx, gpu)
    for problem in case.problems:
        run(case, kernel, problem, case.grid(problem), late=True, races=True)


@pytest.mark.parametrize("name", LARGE)
def test_large_tiles_are_sliced(name: str):
    case = WRITTEN[name]
    check(case, parsed(case))
    run(case, lower(parsed(case), "sm_90a"), case.typical, case.grid(case.typical), races=True)


def test_multicast_memory_is_refused_where_a_target_has_none():
    with pytest.raises(PassFailedException, match="unsupported multicast pointers"):
        lower(parsed(WRITTEN["multicast_update"]), "sm_90a")
