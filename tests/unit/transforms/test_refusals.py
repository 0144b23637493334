"""What the passes refuse, and the words they use."""

import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.testing import tools

KERNEL = "attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>}"
LAYOUT = "#nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>"


def run(text: str, pipeline: str) -> str:
    return tools.to_text(tools.run_passes(tools.parse(text), pipeline))


@pytest.mark.parametrize(
    "option",
    [
        "",
        '{compute-capability=""}',
        "{compute-capability=sm_}",
        "{compute-capability=90b}",
        "{compute-capability=-1}",
        "{compute-capability=sm_999}",
        "{compute-capability}",
    ],
)
def test_compute_capability(option: str):
    name = "convert-cuda-tile-to-tileaa"
    if not option:
        assert 'nv_tileaa.target_spec = "sm_90a"' in run("cuda_tile.module @m { }", name)
        return
    with pytest.raises(
        PassFailedException, match=r"^invalid or missing --compute-capability option$"
    ):
        run("cuda_tile.module @m { }", name + option)


@pytest.mark.parametrize("option", ["80", "sm_80", "sm_90a", "120"])
def test_known_compute_capabilities(option: str):
    text = run(
        "cuda_tile.module @m { }", f"convert-cuda-tile-to-tileaa{{compute-capability={option}}}"
    )
    assert f"compute_capability = {option.strip('sm_a')} : i32" in text


def test_the_module_names_the_target():
    text = (
        'builtin.module attributes {nv_tileaa.target_spec = "sm_120a"} { cuda_tile.module @m { } }'
    )
    assert "compute_capability = 120 : i32" in run(text, "convert-cuda-tile-to-tileaa")
    text = "builtin.module attributes {nv_tileaa.compute_capability = 80 : i32} { }"
    assert 'target_spec = "sm_80"' in run(text, "convert-cuda-tile-to-tileaa")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            f'%a = "test.op"() : () -> tensor<64xf32, {LAYOUT}>',
            "'test.op' op cannot be converted to llvm",
        ),
        (
            "%c = nv_tileaa.splat %x : f32 -> tensor<64xf32>",
            "'nv_tileaa.splat' op expects tiles with a layout, but got tensor<64xf32>",
        ),
        (
            "%c = nv_tileaa.splat %x : f32 -> tensor<64xf32, #nv_tileas.layout<64, 1>>",
            r"'nv_tileaa.splat' op expected four modes",
        ),
        (
            "%v = nv_tileas.load weak %p : !nv_tileaa.ptr<f32> -> f32",
            "'nv_tileas.load' op expects a copy atom of global memory",
        ),
    ],
)
def test_what_a_thread_cannot_do(body: str, message: str):
    text = f"""
nv_tileaa.func @k(%x: f32, %p: !nv_tileaa.ptr<f32>) {KERNEL} {{
  {body}
  nv_tileaa.return
}}
"""
    with pytest.raises(PassFailedException, match=message):
        run(text, tools.TO_LLVM)


def test_two_kernels_of_one_name():
    kernel = f"nv_tileaa.func @k() {KERNEL} {{ nv_tileaa.return }}"
    text = f"builtin.module @a {{ {kernel} }} builtin.module @b {{ {kernel} }}"
    with pytest.raises(PassFailedException, match="redefinition of symbol @k"):
        run(text, tools.TO_LLVM)


def test_pipeline_options():
    with pytest.raises(PassFailedException, match="unknown target 'sm_1'"):
        run("cuda_tile.module @m { }", "tileir-pipeline{gpu=sm_1}")
    with pytest.raises(PassFailedException, match="opt_level=4: expected a number from 0 to 3"):
        run("cuda_tile.module @m { }", "tileir-pipeline{opt-level=4}")
