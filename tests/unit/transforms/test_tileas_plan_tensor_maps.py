"""Which kernels of ABI `tile` make their tensor maps: the rule, what stands against it, the report."""

from pathlib import Path

import pytest

from tileir_xdsl.testing import tools

PASS = "tileas-plan-tensor-maps"
FILE = Path(__file__).parents[2] / "filecheck" / "transforms" / f"{PASS}.mlir"
MARK = "nv_tileas.device_tensor_maps"
RELAXED = "tiled_load relaxed gpu"


def marked(text: str, options: str = "") -> list[str]:
    """The kernels that are marked."""
    after = str(tools.run_passes(tools.parse(text), PASS + options))
    return [
        line.split("@")[1].split("(")[0]
        for line in after.splitlines()
        if "nv_tileaa.func" in line and MARK in line
    ]


def test_the_rule():
    text = FILE.read_text()
    assert marked(text) == ["persistent"]
    assert marked(text, "{device-tensor-maps=true}") == ["persistent", "once"]
    assert marked(text, "{device-tensor-maps=false}") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('abi = "tile"', 'abi = "native"'),
        ('target_spec = "sm_90a"', 'target_spec = "sm_90"'),
        ("tiled_load weak", RELAXED),
        ("step %blocks", "step %one"),
        ("%tile = %first", "%tile = %zero"),
        # Nothing shows that the size is below 2**31, as no launch checks it.
        ("#nv_tileaa.bounded<0, ?>", "#nv_tileaa.div_by<16>"),
        ("#nv_tileaa.div_by<16>, %p", "#nv_tileaa.div_by<8>, %p"),
    ],
)
def test_what_stands_against_it(before: str, after: str):
    text = FILE.read_text()
    assert before in text
    assert marked(text.replace(before, after)) == []


@pytest.mark.parametrize("call", ["nv_tileaa.call @wait() : () -> ()", ""])
def test_a_function_that_is_called_may_wait_for_other_tile_blocks(call: str):
    callee = "nv_tileaa.func @wait() {\n nv_tileaa.return\n}\n// One tile"
    text = FILE.read_text().replace("// One tile", callee)
    text = text.replace("scf.for %tile", f"{call}\nscf.for %tile")
    assert marked(text) == ([] if call else ["persistent"])


def test_strides_of_64_bits():
    """Those of 32 bits are below what a tensor map holds."""
    text = FILE.read_text()
    wide = text.replace("memref<?x64xf16, strides = [64, 1]>", "memref<?x64xf16, strides = [?, 1]>")
    for type, expected in (("i32", ["persistent"]), ("i64", [])):
        given = wide.replace("%n: i32)", f"%n: i32, %s: {type})").replace(
            "sizes = [%r : i32] :",
            f"sizes = [%r : i32] strides = [%d : {type}] :",
        )
        given = given.replace(
            "%o = ", f"%d = nv_tileaa.assume #nv_tileaa.div_by<16>, %s : {type}\n%o = "
        )
        assert marked(given) == expected


def test_the_report(tmp_path: Path):
    file = tmp_path / "report.txt"
    tools.run_passes(tools.parse(FILE.read_text()), f'{PASS}{{explain="{file}"}}')
    assert file.read_text() == (
        f"{PASS}\n"
        "  @persistent\n"
        "    tensor maps: made by the kernel\n"
        "    why: a loop goes over tiles\n"
        "  @once\n"
        "    tensor maps: none\n"
        "    why: no load is in a loop inside of a loop over tiles\n"
    )
