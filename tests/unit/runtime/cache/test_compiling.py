"""Compiling through the cache: the same results, by the library and by the commands."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl as tileir
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime import program
from tileir_xdsl.runtime.cache.keys import PLACE, SWITCH, opened
from tileir_xdsl.runtime.cache.store import Counts

KERNEL = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PLACE, str(tmp_path / "cache"))
    monkeypatch.delenv(SWITCH)
    return tmp_path / "cache"


@pytest.mark.parametrize("emit", ["nv_tileas", "ptx", "cubin"])
def test_the_library_gets_the_same_object_again(emit: str):
    first = tileir.compile(KERNEL, "sm_90a", emit=emit)
    again = tileir.compile(KERNEL, "sm_90a", emit=emit)
    assert again == first and again is not first
    assert again.output == first.output and again.kernel().summary == first.kernel().summary
    assert opened().counts() == Counts(hits=1, misses=1)


def test_tensor_maps_and_remarks_survive():
    kernel = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "layer_norm.mlir"
    options = tileir.Options(warps=32)
    first = tileir.compile(kernel, "sm_90a", options=options)
    assert tileir.compile(kernel, "sm_90a", options=options) == first


def test_what_is_found_is_not_compiled(monkeypatch: pytest.MonkeyPatch):
    first = tileir.compile(KERNEL.read_bytes(), "sm_80")

    def fail(*_arguments: object) -> None:
        raise AssertionError("compiles again")

    monkeypatch.setattr(program, "program_of", fail)
    assert tileir.compile(KERNEL.read_bytes(), "sm_80") == first
    with pytest.raises(AssertionError, match="compiles again"):
        tileir.compile(KERNEL.read_bytes(), "sm_90a")


def test_modules_and_errors_are_not_kept():
    module = tileir.load(KERNEL).module
    assert isinstance(module, ModuleOp)
    tileir.compile(module)
    for _ in range(2):
        with pytest.raises(tileir.CompileError, match="is not registered"):
            tileir.compile("module { nonsense }")
    assert opened().entries() == []


def test_the_command_prints_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    output = tmp_path / "out.ptx"
    for _ in range(2):
        assert main(["compile", str(KERNEL), "--gpu", "sm_90a"]) == 0
        assert main(["compile", str(KERNEL), "--gpu", "sm_90a", "-o", str(output)]) == 0
    printed = capsys.readouterr().out
    assert printed == output.read_text() * 2
    assert opened().counts() == Counts(hits=3, misses=1)
    # Whoever looks at the passes wants to see them run.
    assert main(["compile", str(KERNEL), "--gpu", "sm_90a", "-v"]) == 0
    assert opened().counts() == Counts(hits=3, misses=1)


def test_a_hit_imports_nothing_of_the_compiler(cache: Path):
    script = (
        "import sys; from tileir_xdsl.cli.main import main; status = main(sys.argv[1:]);"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    for expected in (True, False):
        done = subprocess.run(
            [sys.executable, "-c", script, "compile", str(KERNEL), "-o", "/dev/null"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert ("'xdsl'" in done.stderr) == expected
        assert "'numpy'" not in done.stderr


def test_list_stats_and_clear(capsys: pytest.CaptureFixture[str], cache: Path):
    def printed(*words: str) -> str:
        capsys.readouterr()
        assert main(["cache", *words]) == 0
        return capsys.readouterr().out

    assert printed("list") == ""
    tileir.compile(KERNEL, "sm_90a")
    tileir.compile(KERNEL, "sm_80", emit="llvm")
    lines = printed("list").splitlines()
    assert [line.split()[3:] for line in lines] == [
        ["sm_80", "llvm", str(KERNEL)],
        ["sm_90a", "ptx", str(KERNEL)],
    ]
    listed = json.loads(printed("list", "--json"))
    assert [row["gpu"] for row in listed] == ["sm_80", "sm_90a"]
    stats = json.loads(printed("stats", "--json"))
    assert stats["entries"] == 2 and stats["misses"] == 2 and stats["folder"] == str(cache)
    assert stats["bytes"] == sum(row["bytes"] for row in listed)
    assert "entries  2" in printed("stats")
    assert printed("clear") == "2 entries removed\n"
    assert json.loads(printed("clear", "--json")) == {"removed": 0}


def test_a_damaged_entry_is_compiled_again(cache: Path):
    first = tileir.compile(KERNEL, "sm_90a")
    for file in cache.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[:-1])
    assert tileir.compile(KERNEL, "sm_90a") == first
