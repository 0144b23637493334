"""`tileir compile` of several files."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")


@pytest.mark.usefixtures("one_process")
def test_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("module { nonsense }")
    out = tmp_path / "out"
    words = ["compile", KERNEL, str(wrong), "-o", str(out), "--gpu", "sm_80", "--jobs", "2"]
    assert main(words) == 1
    printed = capsys.readouterr()
    first, last = printed.out.splitlines()
    assert first.startswith(f"{KERNEL}: {out / 'vector_add.ptx'}, ")
    message = "Operation nonsense is not registered; no known op has a similar name; "
    assert printed.err.startswith(f"{wrong}:1:10: error: {message}")
    assert printed.err.count("\n") == 1
    assert last == "1 of 2 files compiled"
    assert main(["compile", KERNEL, "--gpu", "sm_80"]) == 0
    assert capsys.readouterr().out == (out / "vector_add.ptx").read_text()
    assert main([*words, "--json"]) == 1
    again = capsys.readouterr()
    assert again.err == printed.err
    rows = json.loads(again.out)
    assert [row["error"] is None for row in rows] == [True, False]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([KERNEL, KERNEL], "compile: error: several files need -o FOLDER"),
        (
            [KERNEL, KERNEL, "-o", "out", "-v"],
            "compile: error: --verbose and --verify-each are for one file",
        ),
        ([KERNEL, "--jobs", "0"], None),
    ],
)
def test_what_cannot_be_had(
    words: list[str], message: str | None, capsys: pytest.CaptureFixture[str]
):
    if message is None:
        with pytest.raises(SystemExit):
            main(["compile", *words])
        assert "expected a whole number from 1 to 9999" in capsys.readouterr().err
    else:
        assert error_line(capsys, "compile", *words) == message
