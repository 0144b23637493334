"""Values of every kind in the file of `--options`: each that no option takes is refused in place."""

import json
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.options import Options

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")

DIGITS = "9" * 5000

VALUES = [
    "{}",
    '{"a": {"b": [1]}}',
    "[]",
    "[[{}]]",
    "null",
    "1e400",
    "NaN",
    '"x"',
    '""',
    str(2**31),
    str(2**63),
    str(2**64),
    str(-(2**63) - 1),
    DIGITS,
    f"-{DIGITS}",
    json.dumps(DIGITS),
]
OPTIONS = list(Options.__dataclass_fields__)
DEFAULTS_OF_NULL = [name for name in OPTIONS if getattr(Options(), name) is None]


def compiled(text: bytes, tmp_path: Path) -> tuple[int, Path]:
    file = tmp_path / "o.json"
    file.write_bytes(text)
    return main(["compile", KERNEL, "--options", str(file)]), file


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("option", [*OPTIONS, "other"])
def test_a_value_that_no_option_takes(
    option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    if (value == "null" and option in DEFAULTS_OF_NULL) or (option, value) == ("extensions", "[]"):
        return
    text = f'{{"lineinfo": true, "{option}": {value}}}'
    status, file = compiled(text.encode(), tmp_path)
    output, error = capsys.readouterr()
    assert (status, output) == (1, "")
    column = text.index(f": {value}") + 3 if option != "lineinfo" else text.rindex(value) + 1
    assert error.startswith(f"{file}:1:{column}: error: {option}=")
    assert error.count("\n") == 1 and len(error) < 500


def test_a_byte_order_mark(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert compiled(b'\xef\xbb\xbf{"opt_level": 2}', tmp_path)[0] == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' * 100_000])
def test_values_of_any_depth(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    status, file = compiled(text.encode(), tmp_path)
    assert status == 1
    assert capsys.readouterr().err == f"{file}: error: the values are nested too deeply\n"
    with pytest.raises(ValueError, match="the values are nested too deeply"):
        Options.from_json(text)
