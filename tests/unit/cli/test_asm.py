"""`tileir asm` and `tileir disasm`, and bytecode given to the other commands."""

import io
import sys
from pathlib import Path

import pytest

from tests.unit.bytecode import reference
from tests.unit.tools import REPOSITORY
from tileir_xdsl import bytecode
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.cli.main import main
from tileir_xdsl.testing.kernels import KERNELS, generate
from tileir_xdsl.testing.tools import parse, run_passes

TEXT = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"
VECTOR_ADD = generate.bytecode(KERNELS["vector_add"], "13.3")


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    file = tmp_path / "vector_add.tileirbc"
    file.write_bytes(VECTOR_ADD)
    return file


@pytest.mark.parametrize("version", ["13.1", "13.3", "13.5"])
def test_asm(version: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]):
    output = tmp_path / "out.tileirbc"
    assert main(["asm", str(TEXT), "--version", version, "-o", str(output)]) == 0
    data = output.read_bytes()
    assert data[8:10] == bytes(map(int, version.split(".")))
    assert reference.disassemble(data) == reference.disassemble(VECTOR_ADD)

    assert main(["asm", str(TEXT), "--version", version]) == 0
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == data


def test_asm_takes_bytecode(binary: Path, tmp_path: Path):
    output = tmp_path / "out.tileirbc"
    assert main(["asm", str(binary), "--version", "13.1", "-o", str(output)]) == 0
    assert reference.disassemble(output.read_bytes(), debug_info=True) == reference.disassemble(
        VECTOR_ADD, debug_info=True
    )


@pytest.mark.parametrize("options", [["--items"], ["-g"]])
def test_disasm_as_the_disassembler_of_nvidia(
    options: list[str], binary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    expected = reference.disassemble(VECTOR_ADD, debug_info=options == ["-g"])
    assert main(["disasm", str(binary), *options]) == 0
    assert capsys.readouterr().out == expected
    output = tmp_path / "out.mlir"
    assert main(["disasm", str(binary), *options, "-o", str(output)]) == 0
    assert output.read_text() == expected


def test_xdsl_opt_takes_what_disasm_prints(binary: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["disasm", str(binary)]) == 0
    text = capsys.readouterr().out
    module = run_passes(parse(text), "tileir-pipeline")
    assert main(["compile", str(binary)]) == 0
    assert emit(module) == capsys.readouterr().out


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(VECTOR_ADD)))
    assert main(["disasm", "--items", "-"]) == 0
    assert capsys.readouterr().out == reference.disassemble(VECTOR_ADD)


def test_compile_takes_bytecode(binary: Path, capsys: pytest.CaptureFixture[str]):
    programs: list[str] = []
    for file in (str(binary), str(TEXT)):
        assert main(["compile", file]) == 0
        programs.append(capsys.readouterr().out)
    assert programs[0] == programs[1]


def test_run_takes_bytecode(binary: Path, capsys: pytest.CaptureFixture[str]):
    results: list[str] = []
    size = ["--arg", "100", "--arg", "1"]
    arrays = ["--arg", "a:random:f32:100", *size, "--arg", "b:random:f32:100", *size]
    for file in (str(binary), str(TEXT)):
        assert main(["run", file, *arrays, "--arg", "c:zeros:f32:100", *size]) == 0
        results.append(capsys.readouterr().out.partition("\n")[2])  # without the time
    assert results[0] == results[1]


def error_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    return line


def test_a_version_that_cannot_express_the_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "kernel.mlir"
    file.write_text("entry @f(%x: tile<f32>) {\n  %0 = atan2 %x, %x : tile<f32>\n}\n")
    assert error_line(capsys, "asm", str(file), "--version", "13.1") == (
        f"{file}:2:3: error: 'cuda_tile.atan2' op requires bytecode version 13.2+, targeting 13.1"
    )


def test_text_is_no_bytecode(capsys: pytest.CaptureFixture[str]):
    message = "input does not correspond to Tile IR bytecode"
    assert error_line(capsys, "disasm", str(TEXT)) == f"{TEXT}: error: {message}"


def test_broken_bytecode(binary: Path, capsys: pytest.CaptureFixture[str]):
    binary.write_bytes(VECTOR_ADD[:-1])
    for command in ("disasm", "asm", "compile"):
        line = error_line(capsys, command, str(binary))
        assert line == (
            f"{binary}: error: unexpected end of data "
            f"(section header, offset {len(VECTOR_ADD) - 1})"
        )


def test_diagnostics_name_the_line_of_the_kernel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    module = bytecode.read(VECTOR_ADD)
    (add,) = (op for op in module.walk() if op.name == "cuda_tile.addf")
    add.operands[1] = next(op.results[0] for op in module.walk() if op.results)
    file = tmp_path / "wrong.tileirbc"
    file.write_bytes(bytecode.write(module, "13.3"))
    line = error_line(capsys, "compile", str(file))
    source = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.py"
    number = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "x + y" in text)
    assert line.startswith(f"{source}:{number}:")
    assert "'cuda_tile.addf' op operand #1 must be tile of" in line


@pytest.mark.parametrize("command", ["asm", "disasm"])
def test_missing_file(command: str, capsys: pytest.CaptureFixture[str]):
    assert error_line(capsys, command, "nowhere") == "nowhere: error: No such file or directory"
