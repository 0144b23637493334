"""`--with`: every command that compiles takes extensions by it."""

from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.extensions.written import marking
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
LAUNCH = ["--grid", "1", *(f"--arg=random:f32:{size}" for size in (64, 64, 64))]

pytestmark = pytest.mark.usefixtures("forgotten_extensions")


@pytest.mark.parametrize(
    "words",
    [
        ["compile", KERNEL],
        ["explain", KERNEL, "-o", "k.html"],
        ["run", KERNEL, *LAUNCH],
        ["check", KERNEL, *LAUNCH],
        ["tune", KERNEL, *LAUNCH],
        ["opt", KERNEL, "-p", "tileir-pipeline"],
        ["passes"],
        ["asm", KERNEL],
        ["gui", KERNEL],
    ],
    ids=lambda words: words[0],
)
def test_an_unknown_extension_is_one_diagnostic(
    words: list[str], capsys: pytest.CaptureFixture[str]
):
    line = error_line(capsys, *words, "--with", "absent")
    assert line.endswith("extensions=absent: error: there is no extension of this name")


def test_check_runs_the_levels_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", KERNEL, *LAUNCH, "--no-races", "--with", marking(tmp_path)]) == 0
    assert "nv_tileas" in capsys.readouterr().out


def test_the_file_of_options_names_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    options = tmp_path / "options.json"
    options.write_text('{"extensions": ["absent"]}')
    line = error_line(capsys, "compile", KERNEL, "--options", str(options))
    assert line.endswith(
        "options.json:1:16: error: extensions=absent: there is no extension of this name"
    )
    options.write_text('{"extensions": "absent"}')
    line = error_line(capsys, "compile", KERNEL, "--options", str(options))
    assert line.endswith("extensions=absent: expected a list of names of extensions")
