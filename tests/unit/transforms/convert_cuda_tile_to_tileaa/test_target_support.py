"""A target that was asked for refuses what it lacks; NVIDIA's assembler refuses the same."""

import re
import subprocess
from pathlib import Path

import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.backend.ptx.harness import assemble
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.bytecode import write
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass

VIEW = """
cuda_tile.module @m { entry @k(%p: tile<ptr<f32, <KIND>>>) {
  %a = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <KIND>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<KIND>>
} }
"""

REDUCTION = """
cuda_tile.module @m { entry @k(%p: tile<ptr<bf16>>, %i: tile<i32>) {
  %c = constant <bf16: 1.0> : tile<8xbf16>
  %v = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xbf16, strides=[1]>
  %w = make_partition_view %v : partition_view<tile=(8), tensor_view<64xbf16, strides=[1]>>
  %t = atomic_red_view_tko relaxed device %w[%i], addf, %c : tile<8xbf16>, partition_view<tile=(8), tensor_view<64xbf16, strides=[1]>>, tile<i32> -> token
} }
"""


def _kernel(name: str) -> str:
    return KERNELS[name].text_path.read_text()


PROGRAMS = {
    "matmul_f8": _kernel("matmul_f8"),
    "quantize_rows_e5m2": _kernel("quantize_rows_e5m2"),
    "scale_factors": _kernel("scale_factors"),
    "four_bit_matmul": _kernel("four_bit_matmul"),
    "atomic_sums_bf16": _kernel("atomic_sums_bf16"),
    "atomic_sums_f16": _kernel("atomic_sums_f16"),
    "reduction": REDUCTION,
    "multicast": VIEW.replace("KIND", "multicast"),
    "unicast": VIEW.replace("KIND", "unicast"),
    "matmul_tf32": _kernel("matmul_tf32"),
}

UNSUPPORTED = {
    "sm_80": {
        "matmul_f8": "unsupported type 'f8E4M3FN'",
        "quantize_rows_e5m2": "unsupported type 'f8E5M2'",
        "scale_factors": "unsupported type 'f8E8M0FNU'",
        "four_bit_matmul": "unsupported type 'f",
        "atomic_sums_bf16": "atomicRMW ADDF with bf16 is not supported",
        "reduction": "atomicRMW ADDF with bf16 is not supported",
        "multicast": "unsupported multicast pointers",
        "unicast": "unsupported unicast pointers",
    },
    "sm_89": {
        "scale_factors": "unsupported type 'f8E8M0FNU'",
        "four_bit_matmul": "unsupported type 'f4E2M1FN'",
        "multicast": "unsupported multicast pointers",
        "unicast": "unsupported unicast pointers",
    },
    "sm_100": {},
    "sm_107": {},
    "sm_120": {
        "multicast": "unsupported multicast pointers",
        "unicast": "unsupported unicast pointers",
    },
}
"""By target: the programs that it does not support, and why."""


def _convert(program: str, gpu: str) -> None:
    module = tools.parse(PROGRAMS[program])
    ConvertCudaTileToTileAAPass(compute_capability=gpu).apply(tools.context(), module)


@pytest.mark.parametrize("gpu", UNSUPPORTED)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_target_refuses_what_it_lacks(program: str, gpu: str):
    message = UNSUPPORTED[gpu].get(program)
    if message is None:
        _convert(program, gpu)
        return
    with pytest.raises(PassFailedException) as raised:
        _convert(program, gpu)
    text = str(raised.value)
    assert text.startswith(f"Incompatibility with architecture '{gpu}': {message}")
    assert re.fullmatch(r".*; it needs sm_\d+( or later|(, sm_\d+)* or sm_\d+)", text)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", UNSUPPORTED)
def test_the_assembler_refuses_the_same(gpu: str, tmp_path: Path):
    refused: set[str] = set()
    for name in PROGRAMS:
        bytecode = tmp_path / f"{name}.tileirbc"
        bytecode.write_bytes(write(tools.parse(PROGRAMS[name]), "13.5"))
        command = [tools.tileiras_path(), "--gpu-name", gpu, str(bytecode), "-O0"]
        done = subprocess.run(
            [*command, "-o", str(tmp_path / "out.cubin")],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            assert "Incompatibility with architecture" in done.stderr, (name, done.stderr)
            refused.add(name)
    assert refused == set(UNSUPPORTED[gpu])


def test_the_default_target_refuses_nothing():
    for name in PROGRAMS:
        tools.run_passes(tools.parse(PROGRAMS[name]), "convert-cuda-tile-to-tileaa")


def test_the_module_asks_for_a_target():
    kernel = PROGRAMS["matmul_f8"]
    text = f'builtin.module attributes {{nv_tileaa.target_spec = "sm_80"}} {{ {kernel} }}'
    with pytest.raises(PassFailedException, match=r"^Incompatibility with architecture 'sm_80'"):
        tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")


@pytest.mark.parametrize(
    ("gpu", "asked", "expected"),
    [("sm_80", 4, 1), ("sm_90", 4, 4), ("sm_90", 0, 1), ("sm_90", -2, 1)],
)
def test_clusters_are_hints(gpu: str, asked: int, expected: int):
    hints = f"<default = {{num_cta_in_cga = {asked}}}>"
    module = tools.parse(f"cuda_tile.module @m {{ entry @k() optimization_hints={hints} {{ }} }}")
    ConvertCudaTileToTileAAPass(compute_capability=gpu).apply(tools.context(), module)
    assert f"num_ctas = {expected}>" in tools.to_text(module)


DEPENDENT = """
cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %x: tile<i32>) {
  %t = gdc_wait_tko -> token
  %u = store_ptr_tko weak %p, %x token=%t : tile<ptr<i32>>, tile<i32> -> token
  %v = gdc_launch_dependents_tko token = %u -> token
} }
"""


@pytest.mark.parametrize(("gpu", "count"), [("sm_80", 0), ("sm_89", 0), ("sm_90a", 2)])
def test_grids_wait_for_nothing_where_none_starts_early(gpu: str, count: int):
    ptx = emit(tools.run_passes(tools.parse(DEPENDENT), f"tileir-pipeline{{gpu={gpu}}}"), gpu)
    assert ptx.count("griddepcontrol") == count
    assemble(ptx, gpu)
