"""cuTile compiles with `tileir-as`, and its launcher's rules suffice for the result."""

from importlib import import_module
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest
from cuda.tile._exception import TileCompilerExecutionError

from tests.kernels.export import check, exported
from tileir_xdsl import cutile
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase
from tileir_xdsl.testing.kernels.case import kernel

COMPILER: Any = import_module("cuda.tile._compile")


@pytest.mark.parametrize(
    ("case", "gpu"),
    [
        (DIVISIBLE["matmul_f16_warpgroup"], "sm_90"),
        (KERNELS["layer_norm"], "sm_100"),
        (KERNELS["matmul_f8"], "sm_120"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_export(case: KernelCase, gpu: str):
    with cutile.use(in_process=gpu != "sm_100"):
        check(case, gpu)


def test_errors_arrive():
    with cutile.use(in_process=True), pytest.raises(TileCompilerExecutionError) as caught:
        exported(KERNELS["vector_add"], "sm_80")
    assert "needs thread block clusters" in str(caught.value)


def test_the_compiler_is_found_again_afterwards():
    before = COMPILER._find_compiler_bin
    with cutile.use() as chosen:
        assert COMPILER._find_compiler_bin().path == str(chosen.program)
        version = COMPILER._get_compiler_version_string() or ""
        assert version.startswith("tileir-as")
    assert COMPILER._find_compiler_bin is before
    assert "NVIDIA" in (COMPILER._get_compiler_version_string() or "")


def test_another_cutile_is_refused_by_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(COMPILER, "_find_tileirdisasm_bin")
    with pytest.raises(NotImplementedError, match="has no _find_tileirdisasm_bin: put the folder"):
        cutile.use()


def test_interpreted():
    """`ct.launch` on arrays of the host, until the end of the block."""

    @kernel
    def double(x: Any, out: Any) -> None:
        ct.store(out, index=(0,), tile=ct.load(x, (0,), (8,)) * 2)

    x, out, before = np.ones(8, np.float32), np.zeros(8, np.float32), ct.launch
    with cutile.use(interpret=True) as used:
        assert used.program is None
        ct.launch(0, (1,), double, (x, out))
    assert (out == 2).all() and ct.launch is before
