"""`tileir fmt` prints what NVIDIA's disassembler prints, byte for byte."""

from pathlib import Path

import pytest

from tileir_xdsl.cli.fmt import format_module
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.testing.kernels import KERNELS, generate


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", KERNELS)
def test_the_text_of_a_kernel_is_a_fixed_point(name: str, capsys: pytest.CaptureFixture[str]):
    text = KERNELS[name].text_path.read_text()
    assert main(["fmt", str(KERNELS[name].text_path)]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.one_in(18)
@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3"])
@pytest.mark.parametrize("name", KERNELS)
def test_the_text_of_every_bytecode_version_is_a_fixed_point(name: str, version: str):
    case = KERNELS[name]
    if not generate.expressible(case, version):
        assert version < case.since
        return
    text = generate.text(case, version)
    assert format_module(read_text(new_context(), text, "<kernel>")) == text


def test_any_blanks_and_full_names_are_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "loose.mlir"
    source.write_text(
        "cuda_tile.module  @m{cuda_tile.entry@k( %x:!cuda_tile.tile<i32>){"
        "%y=cuda_tile.addi %x,%x:tile<i32>}}"
    )
    assert main(["fmt", str(source), "-o", str(tmp_path / "tight.mlir")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "tight.mlir").read_text() == (
        "cuda_tile.module @m {\n"
        "  entry @k(%arg0: tile<i32>) {\n"
        "    %0 = addi %arg0, %arg0 : tile<i32>\n"
        "    return\n"
        "  }\n"
        "}\n"
    )


def test_bad_text_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "bad.mlir"
    source.write_text("cuda_tile.module @m {\n  entry @k(%x: tile<3xi32>) {\n  }\n}\n")
    assert main(["fmt", str(source)]) == 1
    assert capsys.readouterr().err == (
        f"{source}:2:20: error: all dimensions must be powers of two, got 3; "
        "take 4, and pad or mask the elements beyond the array\n"
    )
