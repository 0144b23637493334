"""What options say of a launch stands in place of the hints of kernels."""

import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.testing import tools

PASS = "convert-cuda-tile-to-tileaa"
HINTS = {
    "none": "",
    "of the target": "sm_90 = {num_cta_in_cga = 2, occupancy = 3, num_worker_warps_per_cta = 8}",
    "default": "default = {num_cta_in_cga = 2, occupancy = 3, num_worker_warps_per_cta = 8}",
    "both": "default = {num_cta_in_cga = 4, occupancy = 4}, "
    "sm_90 = {num_cta_in_cga = 2, occupancy = 3, num_worker_warps_per_cta = 8}",
    "of another": "sm_100 = {num_cta_in_cga = 2, occupancy = 3, num_worker_warps_per_cta = 8}",
}


def spec(hints: str, options: str) -> str:
    """The launch of a kernel with hints for sm_90a."""
    text = f" optimization_hints=<{hints}>" if hints else ""
    module = tools.parse(f"cuda_tile.module @m {{ entry @k(){text} {{ return }} }}")
    lowered = tools.to_text(
        tools.run_passes(module, f"{PASS}{{compute-capability=sm_90a {options}}}")
    )
    return lowered.partition("#nv_tileaa.kernel_spec<")[2].partition(">")[0]


@pytest.mark.parametrize("hints", HINTS)
@pytest.mark.parametrize("warps", [None, 1, 16])
@pytest.mark.parametrize("ctas", [None, 8])
@pytest.mark.parametrize("occupancy", [None, 5])
def test_each_option_replaces_its_hint(
    hints: str, warps: int | None, ctas: int | None, occupancy: int | None
):
    """Warps are taken as they are, where hints are brought into a range."""
    applies = hints in ("of the target", "default", "both")
    options = {"num-warps": warps, "num-ctas": ctas, "occupancy": occupancy}
    given = " ".join(f"{name}={value}" for name, value in options.items() if value is not None)
    expected = [
        f"num_warps = {warps or (8 if applies else 4)}",
        f"num_ctas = {ctas or (2 if applies else 1)}",
    ]
    if (blocks := occupancy or (3 if applies else None)) is not None:
        expected.append(f"occupancy = {blocks}")
    assert spec(HINTS[hints], given) == ", ".join(expected)


@pytest.mark.parametrize(
    ("asked", "ctas"), [(0, 1), (-1, 1), (1, 1), (8, 8), (9, 1), (16, 8), (64, 1)]
)
def test_a_hint_of_thread_blocks_is_brought_into_a_range(asked: int, ctas: int):
    text = spec(f"sm_90 = {{num_cta_in_cga = {asked}}}", "")
    assert text == f"num_warps = 4, num_ctas = {ctas}"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("num-warps=0", "num-warps must be a power of two up to 32, but got 0"),
        ("num-warps=3", "num-warps must be a power of two up to 32, but got 3"),
        ("num-warps=64", "num-warps must be a power of two up to 32, but got 64"),
        ("num-ctas=0", "num-ctas must be positive, but got 0"),
        ("occupancy=0", "occupancy must be positive, but got 0"),
        ("occupancy=-1", "occupancy must be positive, but got -1"),
    ],
)
def test_what_no_launch_has(option: str, message: str):
    with pytest.raises(PassFailedException) as raised:
        spec("", option)
    assert str(raised.value) == message
