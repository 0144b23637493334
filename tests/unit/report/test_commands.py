"""The command line that makes a report again, with all that the report was made with."""

import pytest

from tileir_xdsl.options import Options
from tileir_xdsl.report.commands import explain_command
from tileir_xdsl.report.forcing import Forced


@pytest.mark.parametrize(
    ("options", "forced", "words"),
    [
        (Options(warps=8, device_tensor_maps=False), {}, "--warps 8 --no-device-tensor-maps"),
        (Options(extensions=("mine", "a b.py")), {}, "--with mine --with 'a b.py'"),
        (Options(), {"mine": "#3=late"}, "--force 'mine{force=#3=late}'"),
    ],
)
def test_options_and_choices_are_words(options: Options, forced: dict[str, str], words: str):
    command = explain_command("k.mlir", "sm_80", options, Forced(forced))
    assert command == f"tileir explain k.mlir --gpu sm_80 {words} -o report.html"
