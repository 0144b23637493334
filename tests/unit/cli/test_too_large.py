"""What a target does not have, or not enough of: `tileir compile` says where, and the numbers."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line, place
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.lowering import VERIFY_EACH_VARIABLE
from tileir_xdsl.targets import TARGETS, Target, get_target


def kernel(rows: int, columns: int, operation: str) -> str:
    """A kernel that applies an operation to a tile of rows and columns."""
    tensor = f"tensor_view<{rows}x{columns}xf32, strides=[{columns},1]>"
    view, tile = f"partition_view<tile=({rows}x{columns}), {tensor}>", f"tile<{rows}x{columns}xf32>"
    lines = [
        "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {",
        "%zero = constant <i32: 0> : tile<i32>",
        f"%t = make_tensor_view %p, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}",
        f"%v = make_partition_view %t : {view}",
        f"%x, %token = load_view_tko weak %v[%zero, %zero] : {view}, tile<i32> -> {tile}, token",
        operation.replace("TILE", tile),
        f"%u = make_tensor_view %q, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}",
        f"%w = make_partition_view %u : {view}",
        f"%s = store_view_tko weak %y, %w[%zero, %zero] : {tile}, {view}, tile<i32> -> token",
        "return } }",
    ]
    return "\n".join(lines)


def with_two_bytes() -> Target:
    """sm_90a with so little shared memory that no element of a printed tile fits."""
    target = get_target("sm_90a")
    return replace(target, limits=replace(target.limits, max_shared_memory_per_block=2))


def leave_two_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves sm_90a so little shared memory for a test."""
    monkeypatch.setitem(TARGETS, "sm_90a", with_two_bytes())


SUM = "%y = addf %x, %x : TILE"
PRINT = 'print_tko "%f", %x : TILE -> token\n%y = addf %x, %x : TILE'
FOUR_BITS = (
    "%narrow = ftof %x : TILE -> tile<64x64xf4E2M1FN>\n"
    "%y = ftof %narrow : tile<64x64xf4E2M1FN> -> TILE"
)


@pytest.mark.parametrize(
    ("text", "marker", "message"),
    [
        (
            kernel(256, 256, PRINT),
            "print_tko",
            "'nv_tileaa.print' op needs 4 bytes of shared memory for an element, sm_90a has 2",
        ),
        (
            kernel(64, 64, FOUR_BITS),
            "%narrow = ftof",
            "Incompatibility with architecture 'sm_90a': unsupported type 'f4E2M1FN'",
        ),
    ],
    ids=["shared memory", "element type"],
)
def test_too_large(
    text: str,
    marker: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.delenv(VERIFY_EACH_VARIABLE)
    leave_two_bytes(monkeypatch)
    file = tmp_path / "kernel.mlir"
    file.write_text(text)
    line = error_line(capsys, "compile", str(file), "--gpu", "sm_90a")
    assert line.startswith(f"{file}:{place(text, marker)}: error: {message}")


def test_a_verifier_between_passes_has_its_own_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    text, file = kernel(4096, 4096, SUM), tmp_path / "kernel.mlir"
    file.write_text(text)
    line = error_line(capsys, "compile", str(file), "--gpu", "sm_90a", "--verify-each")
    message = "tile would exceed the maximum of 16777216 elements"
    marker = "%x, %token"
    assert line.startswith(f"{file}:{place(text, marker)}: error: {message}")


PACKED_TENSOR = "tensor_view<64xf4E2M1FN, strides=[1]>"
PACKED_VIEW = f"partition_view<tile=(64), {PACKED_TENSOR}>"
PACKED = f"""cuda_tile.module @m {{
entry @k(%p: tile<ptr<f4E2M1FN>>, %q: tile<ptr<f4E2M1FN>>) {{
%zero = constant <i32: 0> : tile<i32>
%t = make_tensor_view %p, shape = [64], strides = [1] : {PACKED_TENSOR}
%v = make_partition_view %t : {PACKED_VIEW}
%x, %token = load_view_tko weak %v[%zero] : {PACKED_VIEW}, tile<i32> -> tile<64xf4E2M1FN>, token
%u = make_tensor_view %q, shape = [64], strides = [1] : {PACKED_TENSOR}
%w = make_partition_view %u : {PACKED_VIEW}
%s = store_view_tko weak %x, %w[%zero] : tile<64xf4E2M1FN>, {PACKED_VIEW}, tile<i32> -> token
return }} }}"""


def test_packed_elements_in_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "kernel.mlir"
    file.write_text(PACKED)
    line = error_line(capsys, "compile", str(file), "--gpu", "sm_100a")
    assert line == (
        f"{file}:{place(PACKED, '%t =')}: error: "
        "'nv_tileaa.make_memref' op cannot have elements of f4E2M1FN in memory"
    )


@pytest.mark.parametrize(("rows", "columns"), [(256, 256), (2048, 1024)])
def test_slices(rows: int, columns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A tile of all registers of a multiprocessor, and larger ones, are computed in slices."""
    file, output = tmp_path / "kernel.mlir", tmp_path / "kernel.ptx"
    file.write_text(kernel(rows, columns, SUM))
    assert main(["compile", str(file), "-o", str(output)]) == 0
    assert output.read_text().count("add.rn.f32") < rows * columns // 256
    remark = capsys.readouterr().err
    assert remark.startswith(f"{file}:") and "slices" in remark
