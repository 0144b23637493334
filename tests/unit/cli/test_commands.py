"""`tileir compile`, `run` and `check` on kernels that are as they should be."""

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.tools import REPOSITORY
from tileir_xdsl.backend import ptx
from tileir_xdsl.checking import tolerances
from tileir_xdsl.checking.levels import CPU_LEVEL
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.lowering import RUNNABLE
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing.tools import parse, run_passes, to_text

KERNELS = ("vector_add", "vector_add_gather")
CHECKED = [*RUNNABLE, CPU_LEVEL]


def path(kernel: str) -> str:
    return str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / f"{kernel}.mlir")


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
def test_compile(gpu: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output = tmp_path / "out.ptx"
    assert main(["compile", path("vector_add"), "--gpu", gpu, "-o", str(output)]) == 0
    assert capsys.readouterr() == ("", "")
    assert f".target {gpu}" in output.read_text()
    assert list(assemble(output.read_text(), gpu).kernels) == ["vector_add"]

    assert main(["compile", path("vector_add"), "--gpu", gpu]) == 0
    assert capsys.readouterr().out == output.read_text()


def test_compile_prints_remarks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, output = tmp_path / "kernel.mlir", tmp_path / "out.ptx"
    file.write_text(Path(path("hinted_add")).read_text().replace("occupancy = 4", "occupancy = 32"))
    assert main(["compile", str(file), "--gpu", "sm_90a", "-o", str(output)]) == 0
    captured = capsys.readouterr()
    remark = (
        f"{file}:2:3: remark: occupancy of 32 is reduced to 16: a block has 128 threads, "
        "a multiprocessor of sm_90a 2048"
    )
    others = [line for line in captured.err.splitlines() if "remark: latency of" not in line]
    assert (captured.out, others) == ("", [remark])


def test_the_passes_that_compile_prints_give_the_same(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", path("vector_add"), "--gpu", "sm_80", "-v"]) == 0
    captured = capsys.readouterr()
    *rows, replay = captured.err.splitlines()
    assert rows[0].startswith("read ")
    assert rows[-1].startswith("ptx ")
    assert all(re.fullmatch(r"\S.*\s(\d+ (ops|lines)|unchanged)", row) for row in rows)
    found = re.fullmatch(r"xdsl-opt (\S+) -p '([^']+)' -t 'ptx\{gpu=(\w+)\}'", replay)
    assert found is not None
    file, pipeline, gpu = found.groups()
    module = run_passes(parse(Path(file).read_text()), pipeline)
    assert ptx.emit(module, gpu) == captured.out


def test_compile_says_which_passes_change_nothing(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", path("vector_add"), "--gpu", "sm_80", "-v"]) == 0
    rows = [row.split() for row in capsys.readouterr().err.splitlines()]
    said = {name.partition("{")[0]: rest for name, *rest in rows}
    assert said["tileas-plan-cta"] == said["tileas-slicing"] == ["unchanged"]
    # Types and atoms change, the number of ops does not.
    (before, unit), after = (
        said["convert-tileaa-to-tileas"],
        said["tileas-assign-load-store-layouts"],
    )
    assert (before, unit) == tuple(after)


@pytest.mark.parametrize("level", RUNNABLE)
@pytest.mark.parametrize("kernel", KERNELS)
def test_run(kernel: str, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    a, b = (np.random.default_rng(i).standard_normal(1500, np.float32) for i in range(2))
    for name, array in (("a", a), ("b", b)):
        np.save(tmp_path / f"{name}.npy", array)
    size = ["--arg", "1500", "--arg", "1"]
    options = ["--level", level, "--grid", "2", "--kernel", kernel]
    inputs = ["--arg", f"{tmp_path}/a.npy", *size, "--arg", f"{tmp_path}/b.npy", *size]
    output = ["--arg", "sum:zeros:f32:1500", *size]
    saved = ["--save", f"{tmp_path}/sum.npy", "--save", f"sum={tmp_path}/named.npy"]
    assert main(["run", path(kernel), *options, *inputs, *output, *saved]) == 0
    for file in ("sum.npy", "named.npy"):
        assert np.array_equal(np.load(tmp_path / file), a + b)
    printed = capsys.readouterr().out
    assert printed.startswith(f"{kernel}: 2x1x1 blocks in ")
    assert "\nsum: float32[1500] = [" in printed


@pytest.mark.parametrize("kernel", KERNELS)
def test_check(kernel: str, capsys: pytest.CaptureFixture[str]):
    assert main(["check", path(kernel)]) == 0
    title, _, *rows = capsys.readouterr().out.splitlines()
    assert title.startswith(f"{kernel}(ptr<f32>, i32, i32,")
    assert [row.split()[0] for row in rows] == CHECKED
    assert [row.split()[-1] for row in rows] == ["0"] * len(CHECKED)


def test_check_takes_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Each as if it were the only one; one that cannot be run keeps none from being checked."""
    broken, racing, missing = (tmp_path / name for name in ("broken", "racing", "missing"))
    broken.write_text("entry")
    racing.write_text(RACING)
    files = [str(broken), path("vector_add"), str(missing), str(racing), path("vector_add_gather")]
    assert main(["check", *files, "--grid", "2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{broken}:"
    assert lines[1].startswith(f"{broken}:1:") and ": error: " in lines[1]
    assert lines[2] == f"{path('vector_add')}:"
    assert [line.split()[0] for line in lines[5:10]] == CHECKED
    assert lines[10:13] == [
        f"{missing}:",
        f"{missing}: error: No such file or directory",
        f"{racing}:",
    ]
    assert any(line.endswith("  races") for line in lines)
    assert lines[-1] == "2 of 5 files agree at all levels"
    assert main(["check", path("vector_add"), path("vector_add_gather")]) == 0


@pytest.mark.parametrize("option", [["--arg", "1"], ["--kernel", "k"]])
def test_check_takes_arguments_of_one_kernel_only(
    option: list[str], capsys: pytest.CaptureFixture[str]
):
    assert main(["check", path("vector_add"), path("vector_add_gather"), *option]) == 1
    assert capsys.readouterr() == ("", "check: error: --arg and --kernel are for one file\n")


def test_check_finds_a_level_that_disagrees(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def subtracting(module: ModuleOp, gpu: str) -> str:
        return emit(module, gpu).replace("add.rn.f32", "sub.rn.f32")

    emit = ptx.emit
    monkeypatch.setattr(ptx, "emit", subtracting)
    assert main(["check", path("vector_add")]) == 1
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.endswith("disagrees") for row in rows] == [False, False, False, True]


RACING = """
cuda_tile.module @m { entry @racing(%a: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %wide = exti %x signed : tile<i32> -> tile<i64>
  %value = itof %wide signed : tile<i64> -> tile<f32>
  %t = store_ptr_tko weak %a, %value : tile<ptr<f32>>, tile<f32> -> token
  return } }
"""


def test_check_finds_races(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """Those that the compiler makes, whatever the values; unless told not to look."""

    def without_barriers(module: ModuleOp, gpu: str) -> str:
        return emit(module, gpu).replace("bar.sync 0;", "bar.warp.sync -1;")

    emit = ptx.emit
    monkeypatch.setattr(ptx, "emit", without_barriers)
    assert main(["check", path("transpose"), "--grid", "1"]) == 1
    *_, row, race = capsys.readouterr().out.splitlines()
    assert row.startswith("ptx") and row.endswith(" races")
    assert "race: this read of shared address" in race
    main(["check", path("transpose"), "--grid", "1", "--no-races"])
    assert "race" not in capsys.readouterr().out


def test_check_says_that_the_program_itself_races(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "racing.mlir"
    file.write_text(RACING)
    assert main(["check", str(file), "--grid", "2"]) == 1
    *_, race, note = capsys.readouterr().out.splitlines()
    assert "race: " in race and note.startswith("note: so does the program that was read: ")


@pytest.mark.parametrize("level", ["nv_tileaa", "nv_tileas"])
def test_ir_of_a_later_stage_runs_too(level: str, tmp_path: Path):
    stages = ["convert-cuda-tile-to-tileaa", "convert-tileaa-to-tileas"]
    stages = stages[: 1 + ["nv_tileaa", "nv_tileas"].index(level)]
    module = run_passes(parse(Path(path("vector_add")).read_text()), ",".join(stages))
    file = tmp_path / "stage.mlir"
    file.write_text(to_text(module))
    assert main(["check", str(file)]) == 0


@pytest.mark.parametrize(
    ("actual", "expected", "error", "agrees"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0, True),
        ([1.0, np.nan], [1.0, np.nan], 0.0, True),
        ([1.0, np.inf], [1.0, np.inf], 0.0, True),
        ([1.0, np.nan], [1.0, 2.0], np.inf, False),
        ([1.0, np.inf], [1.0, -np.inf], np.inf, False),
        ([0.0], [-0.0], 0.0, True),
        ([1.5], [1.0], 0.5, False),
        ([1.0 + 2**-20], [1.0], 2**-20, True),
        ([], [], 0.0, True),
    ],
)
def test_comparison(actual: list[float], expected: list[float], error: float, agrees: bool):
    a, b = (np.array(values, np.float32) for values in (actual, expected))
    assert tolerances.maximum_error(a, b) == error
    assert tolerances.agrees(a, b) == agrees


def test_integers_must_be_equal():
    a, b = np.array([2**60 + 1]), np.array([2**60])
    assert not tolerances.agrees(a, b)
    assert tolerances.maximum_error(a, b) > 0
