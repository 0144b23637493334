"""What was probably meant by a wrong word of the command line."""

from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.suggestions import did_you_mean

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["compil", KERNEL], "compile"),
        (["compile", KERNEL, "--gpuu=sm_80"], "--gpu"),
        (["compile", KERNEL, "--emit", "cubim"], "cubin"),
        (["compile", KERNEL, "--gpu", "sm90a"], "sm_90a"),
        (["check", KERNEL, "--gpu", "sm_900"], "sm_90"),
        (["sample", "matmull"], "matmul"),
    ],
)
def test_words(arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]):
    assert f", did you mean '{meant}'?" in error_line(capsys, *arguments)


def test_a_name_that_is_known_twice_is_named_once():
    assert did_you_mean("shift", ["shifts", "shifts"], most=3) == ", did you mean 'shifts'?"


@pytest.mark.parametrize(("given", "meant"), [("warp", "warps"), ("stage", "stages")])
def test_options_of_a_file(
    given: str, meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "options.json"
    file.write_text(f'{{"{given}": 4}}')
    line = error_line(capsys, "compile", KERNEL, "--options", str(file))
    assert line.endswith(f", did you mean '{meant}'?")


def test_nothing_is_alike(capsys: pytest.CaptureFixture[str]):
    assert "did you mean" not in error_line(capsys, "compile", KERNEL, "--gpu", "gfx")
