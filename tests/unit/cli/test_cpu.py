"""`tileir compile`, `run` and `check` for the processor of this machine."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.transforms.pipeline_road import steps

SAXPY = str(REPOSITORY / "tileir_xdsl" / "samples" / "saxpy.mlir")
SPIN_LOCK = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "spin_lock.mlir")
ARRAYS = ["--arg", "random:f32:1000", "--arg", "y:random:f32:1000", "--arg", "2.5"]

UNCOVERED = """
cuda_tile.module @m {
  global @numbers <i32: [7]> : tile<1xi32>
  entry @k() {
    %p = get_global @numbers : tile<ptr<i32>>
    %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %done = print_tko "%d", %x : tile<i32> -> token
  }
}
"""


@pytest.mark.parametrize(
    ("emit", "text"),
    [
        ("llvm-ir", "define void @saxpy(ptr"),
        ("asm", "vmulps"),
        ("tilecpu-group", "tilecpu.group"),
        ("convert-tilecpu-to-llvm", "llvm.func @saxpy"),
    ],
)
def test_outputs_of_compiling(emit: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", SAXPY, "--gpu", "cpu-x86-64-v3", "--emit", emit]) == 0
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("suffix", "start"), [(".ll", b"define void @saxpy"), (".o", b"\x7fELF"), (".s", b"\t")]
)
def test_the_name_of_the_output_says_what_it_is(tmp_path: Path, suffix: str, start: bytes) -> None:
    output = tmp_path / f"saxpy{suffix}"
    assert main(["compile", SAXPY, "--gpu", "cpu-x86-64-v4", "-o", str(output)]) == 0
    written = output.read_bytes()
    assert start in written[:1000]


def test_a_compilation_goes_on_after_the_pass_that_text_was_written_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", SAXPY, "--gpu", "cpu", "--emit", "llvm-ir"]) == 0
    whole = capsys.readouterr().out
    file = ""
    for number, step in enumerate(steps("cpu")):
        file = str(tmp_path / f"{number}.mlir")
        assert main(["compile", SAXPY, "--gpu", "cpu", "--emit", step.label, "-o", file]) == 0
        assert main(["compile", file, "--gpu", "cpu", "--emit", "llvm-ir"]) == 0
        assert capsys.readouterr().out == whole
    line = error_line(capsys, "compile", file, "--gpu", "cpu", "--emit", "tilecpu-group")
    assert line == f"{file}: error: pass tilecpu-group has already run on the program"


def test_a_launch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved: list[np.ndarray] = []
    for gpu in ("cpu", "sm_80"):
        file = tmp_path / f"{gpu}.npy"
        options = ["--grid", "8", "--gpu", gpu, *ARRAYS, "--save", f"y={file}", "--json"]
        assert main(["run", SAXPY, *options]) == 0
        saved.append(np.load(file))
    levels = [json.loads(line)["level"] for line in capsys.readouterr().out.splitlines()]
    assert levels == ["cpu", "ptx"]
    assert (saved[0] == saved[1]).all()


def test_a_check_compares_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", SAXPY, "--no-races"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("cpu ")


def test_an_op_without_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.mlir"
    file.write_text(UNCOVERED)
    line = error_line(capsys, "compile", str(file), "--gpu", "cpu")
    assert line == f"{file}:5:5: error: 'nv_tileaa.get_global' has no code for a CPU"
    assert main(["run", str(file), "--gpu", "cpu"]) == 0
    told = capsys.readouterr()
    assert told.err == f"{line.replace('error', 'remark')}; the interpreter runs it\n"
    assert told.out.startswith("7")
    assert main(["check", str(file), "--no-races"]) == 0
    assert "cpu " not in capsys.readouterr().out


IN_PLACE = """
cuda_tile.module @m {
  entry @twice(%p: tile<ptr<i64>>, %n: tile<i32>, %s: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %t = make_token : token
    %v = make_tensor_view %p, shape = [%n], strides = [%s] : tile<i32> -> !v
    %w = make_partition_view %v : !w
    %x, %t1 = load_view_tko weak %w[%zero] token = %t : !w, tile<i32> -> tile<128xi64>, token
    %y = addi %x, %x : tile<128xi64>
    %t2 = store_view_tko weak %y, %w[%zero] token = %t1 : tile<128xi64>, !w, tile<i32> -> token
  }
}
"""


@pytest.mark.parametrize(("stride", "level"), [(0, "cuda_tile"), (1, "cpu")])
def test_a_tile_that_overlaps_itself(
    tmp_path: Path, stride: int, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, array, saved = tmp_path / "k.mlir", tmp_path / "a.npy", tmp_path / "b.npy"
    view = "!cuda_tile.tensor_view<?xi64, strides=[?]>"
    tiles = "!cuda_tile.partition_view<tile=(128), !v>"
    file.write_text(f"!v = {view}\n!w = {tiles}{IN_PLACE}")
    np.save(array, np.arange(1, 129))
    arguments = ["--arg", f"a:{array}", "--arg", "128", "--arg", str(stride)]
    options = ["--gpu", "cpu", "--json", "--save", f"a={saved}"]
    assert main(["run", str(file), *arguments, *options]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["level"] == level
    reason = "elements of the tile overlap in memory; the interpreter runs it\n"
    assert told.err == ("" if stride else f"{file}:8:5: remark: {reason}")
    expected = np.arange(1, 129)
    expected[: 128 if stride else 1] *= 2
    assert (np.load(saved) == expected).all()


def test_a_report(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert main(["explain", SAXPY, "--gpu", "cpu", "-o", str(page), "--json"]) == 0
    report = json.loads(page.with_suffix(".json").read_text())
    assert report["status"] == "done" and report["command"].endswith("--gpu cpu -o report.html")
    assert any("vmulps" in line["text"] for line in report["assembly"]["lines"])
    assert '"code_titles":{"ptx":"PTX","sass":"SASS","llvm_ir":"LLVM IR"' in page.read_text()


def test_a_report_of_a_compilation(tmp_path: Path) -> None:
    output = tmp_path / "saxpy.ll"
    options = ["--gpu", "cpu", "--explain", str(tmp_path), "-o", str(output)]
    assert main(["compile", SAXPY, *options]) == 0
    report = json.loads((tmp_path / "saxpy.report.json").read_text())
    lines = [line["text"] for line in report["llvm_ir"]["lines"]]
    assert lines == output.read_text().rstrip("\n").split("\n")


@pytest.mark.parametrize(
    ("text", "place", "message", "last"),
    [
        (
            UNCOVERED,
            "5:5",
            "'nv_tileaa.get_global' has no code for a CPU; the interpreter runs it",
            "tilecpu-group",
        ),
        (
            Path(SPIN_LOCK).read_text(),
            "33:5",
            "'cuda_tile.loop' waits for other blocks, which a processor may not run beside it; "
            "the interpreter runs it",
            "read",
        ),
    ],
)
def test_a_report_of_a_kernel_that_the_interpreter_runs(
    tmp_path: Path,
    text: str,
    place: str,
    message: str,
    last: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, output = tmp_path / "k.mlir", tmp_path / "r.json"
    file.write_text(text)
    line = error_line(capsys, "explain", str(file), "--gpu", "cpu", "-o", str(output))
    assert line == f"{file}:{place}: error: {message}"
    report = json.loads(output.read_text())
    failure = report["failure"]
    assert report["status"] == "failed"
    assert (failure["message"], failure["where"]) == (message, f"{file}:{place}")
    assert report["phases"][failure["phase"]]["pass"] == last
    number = int(place.partition(":")[0]) - 1
    assert failure["ids"] == report["sources"][0]["lines"][number]["ids"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gpu", "cpu-486"], "--gpu: error: unknown target 'cpu-486', expected one of cpu, "),
        (["--gpu", "cpu", "--emit", "ptx"], "--emit ptx: error: expected llvm-ir, asm, object"),
        (["--gpu", "cpu", "--lineinfo"], "--lineinfo: error: is not available with --gpu cpu"),
        (["--gpu", "cpu", "--verify-each"], "--verify-each: error: is not available with --gpu"),
        (
            ["--gpu", "cpu", "--explain", "r", "--emit", "tilecpu-group"],
            "compile: error: --explain follows a kernel to llvm-ir or asm, not tilecpu-group",
        ),
        (
            ["--gpu", "cpu", "--explain", "r", "-o", "k.o"],
            "compile: error: --explain follows a kernel to llvm-ir or asm, not object",
        ),
        (
            ["--gpu", "cpu", "--explain", "r", "--verbose"],
            "compile: error: --explain shows what --verbose does",
        ),
    ],
)
def test_bad_options_of_compiling(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert error_line(capsys, "compile", SAXPY, *options).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--races"], "--races: error: this option needs the interpreter: leave out --gpu cpu"),
        (
            ["--level", "ptx"],
            "--level: error: this option needs the interpreter: leave out --gpu cpu",
        ),
        (["--order", "random"], "--gpu cpu: error: the kernel runs on this processor"),
    ],
)
def test_bad_options_of_running(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = error_line(capsys, "run", SAXPY, "--gpu", "cpu", *ARRAYS, *options)
    assert line.startswith(message)


def test_a_report_launches_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    line = error_line(capsys, "explain", SAXPY, "--gpu", "cpu", "--run", "--json", *ARRAYS)
    assert line == "--run: error: is not available with --gpu cpu"


def test_a_kernel_whose_blocks_wait_for_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", SPIN_LOCK, "--gpu", "cpu", "--emit", "llvm-ir"]) == 1
    assert "33:5: error: 'cuda_tile.loop' waits for other blocks" in capsys.readouterr().err


def test_an_op_of_an_extension_is_the_interpreters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = REPOSITORY / "docs" / "examples" / "saturating_add"
    source = (example / "src" / "saturating_add" / "__init__.py").read_text()
    extension, kernel = tmp_path / "saturating.py", str(example / "tests" / "brighten.mlir")
    # Of all targets, so that the road of a CPU meets the op.
    extension.write_text(re.sub(r"requirement=.*\n", "", source))
    image, light = np.random.default_rng(1).integers(0, 2**32, (2, 1000), dtype=np.uint32)
    arguments: list[str] = []
    for name, array in (("image", image), ("light", light)):
        np.save(tmp_path / name, array.view(np.int32))
        arguments += ["--arg", f"{tmp_path / name}.npy"]
    arguments += ["--arg", "out:zeros:i32:1000", "--save", f"out={tmp_path / 'out.npy'}"]
    options = ["--gpu", "cpu", "--with", str(extension), "--grid", "4"]
    assert main(["run", kernel, *options, *arguments]) == 0
    remark = "remark: 'saturating.add' has no code for a CPU; the interpreter runs it"
    assert remark in capsys.readouterr().err
    expected = np.minimum(image.astype(np.uint64) + light, 2**32 - 1)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy").view(np.uint32), expected)


ZEROS = """
cuda_tile.module @m { entry @k(%p: tile<ptr<f64>>) {
  %i = constant <i32: 0> : tile<i32>
  %zeros = constant <f64: [-0.0, 0.0]> : tile<2xf64>
  %v = make_tensor_view %p, shape = [2], strides = [1] : VIEW
  %w = make_partition_view %v : partition_view<tile=(2), VIEW>
  %t = store_view_tko weak %zeros, %w[%i] : tile<2xf64>, partition_view<tile=(2), VIEW>, tile<i32> -> token
  return } }
""".replace("VIEW", "tensor_view<2xf64, strides=[1]>")


def test_zeros_of_both_signs_are_two_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (file := tmp_path / "zeros.mlir").write_text(ZEROS, "utf-8")
    assert main(["run", str(file), "--gpu", "cpu", "--arg", "zeros:f64:2"]) == 0
    assert capsys.readouterr().out.endswith("= [-0, 0]\n")
