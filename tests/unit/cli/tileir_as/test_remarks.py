"""Remarks of `tileir-as`: per source line, in the categories, names and formats of `tileiras`."""

import re
import subprocess
from pathlib import Path

import pytest

from tileir_xdsl.cli.main import main as tileir
from tileir_xdsl.cli.tileir_as.main import main
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase
from tileir_xdsl.testing.kernels.generate import bytecode

CASES = {"warpgroup": DIVISIBLE["matmul_f16_warpgroup"], "f32": KERNELS["matmul_f32"]}
DOCUMENT = re.compile(
    r"--- !(?P<kind>\w+)\n"
    r"Pass: +(?P<category>\S+)\n"
    r"Name: +(?P<name>\S+)\n"
    r"DebugLoc: +\{ File: '(?P<file>[^']*)', Line: (?P<line>\d+), Column: (?P<column>\d+) \}\n"
    r"Function: +(?P<function>\S+)\n"
    r"Args:\n(?:  - \w+: +.*\n)+\.\.\.\n"
)


def documents(text: str) -> list[dict[str, str]]:
    """The documents of a YAML file, which must hold nothing else."""
    assert DOCUMENT.sub("", text) == ""
    return [match.groupdict() for match in DOCUMENT.finditer(text)]


def compiled(case: KernelCase, folder: Path, *flags: str) -> str:
    """Our YAML remarks, after those of `tileiras` have been written beside them."""
    source = folder / "k.tilebc"
    source.write_bytes(bytecode(case, "13.3"))
    words = [str(source), "--gpu-name", "sm_90", "-o", str(folder / "k.cubin"), *flags]
    words += ["--remark-format=yaml"]
    theirs = [tools.tileiras_path(), *words, f"--remarks-output-file={folder / 'theirs.yaml'}"]
    subprocess.run(theirs, check=True, capture_output=True)
    assert main([*words, f"--remarks-output-file={folder / 'ours.yaml'}"]) == 0
    return (folder / "ours.yaml").read_text()


@pytest.mark.parametrize("name", CASES)
def test_yaml_beside_tileiras(name: str, tmp_path: Path):
    """Both say of the same lines that TMA stores and matrix units are, or are not, used."""
    ours = documents(compiled(CASES[name], tmp_path, "--remarks=all"))
    theirs = documents((tmp_path / "theirs.yaml").read_text())
    for remark in ("RemarkTensorCoreMMA", "RemarkMemoryTmaStoreFailed"):
        keys = ("kind", "category", "file", "line", "column", "function")
        found, expected = (
            {tuple(d[key] for key in keys) for d in documents if d["name"] == remark}
            for documents in (ours, theirs)
        )
        assert found == expected and found
    loads = [d for d in ours if d["name"] == "RemarkMemoryLoadInstructionSelected"]
    assert {d["line"] for d in loads} == {
        d["line"] for d in theirs if d["name"] == "RemarkMemoryLoadInstructionSelected"
    }


def test_categories_and_kinds(tmp_path: Path):
    case = CASES["warpgroup"]
    only = documents(compiled(case, tmp_path, "--remarks-passed=tensorcore"))
    assert {(d["kind"], d["category"]) for d in only} == {("Passed", "Tensor-core")}
    but = documents(compiled(case, tmp_path, "--remarks=memory", "--remarks-failed=none"))
    assert {d["category"] for d in but} == {"Memory"}
    assert "Failure" not in {d["kind"] for d in but}
    assert compiled(case, tmp_path) == ""


def test_command_line_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "k.tilebc"
    source.write_bytes(bytecode(CASES["warpgroup"], "13.3"))
    flags = ["--gpu-name", "sm_90", "-o", str(tmp_path / "k.cubin"), "--remarks=tensorcore"]
    assert main([str(source), *flags]) == 0
    expected = subprocess.run(
        [tools.tileiras_path(), str(source), *flags], check=True, capture_output=True, text=True
    ).stdout
    # We name the atom, too.
    ours = re.sub(r".*= note: Atom = .*\n", "", capsys.readouterr().out)
    assert ours and ours.rstrip() == expected.rstrip()


def test_why_tma_is_not_used(tmp_path: Path):
    text = compiled(CASES["warpgroup"], tmp_path, "--remarks-failed=memory")
    assert "a launch by ABI 'tile' passes no tensor maps" in text.replace("''", "'")


TWO_KERNELS = """
cuda_tile.module @m {
  entry @small(%p: tile<ptr<f32>>) optimization_hints = <sm_90 = {occupancy = 32}> {
    return
  }
  entry @second(%p: tile<ptr<f32>>) optimization_hints = <sm_90 = {occupancy = 32}> {
    return
  }
}
"""


def test_what_passes_remark_names_its_kernel(tmp_path: Path):
    """Each remark on resources is of its own kernel and category, which `--remarks` selects."""
    source = tmp_path / "two.tilebc"
    text = tmp_path / "two.mlir"
    text.write_text(TWO_KERNELS)
    assert tileir(["asm", str(text), "-o", str(source)]) == 0

    def remarks(flag: str) -> list[dict[str, str]]:
        words = [str(source), "--gpu-name=sm_90", "-o", str(tmp_path / "k.cubin"), flag]
        yaml = tmp_path / "remarks.yaml"
        assert main([*words, "--remark-format=yaml", f"--remarks-output-file={yaml}"]) == 0
        return documents(yaml.read_text())

    found = remarks("--remarks=resources")
    assert [(d["kind"], d["category"], d["name"], d["function"]) for d in found] == [
        ("Missed", "Resources", "RemarkResourcesOccupancyReduced", name)
        for name in ("small", "second")
    ]
    assert found == remarks("--remarks-missed=all")
    assert remarks("--remarks=memory") == []
