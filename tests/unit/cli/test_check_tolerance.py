"""What `tileir check` allows follows the roundings of the ops; wrong values are still found."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.backend import ptx
from tileir_xdsl.cli.main import main


def elementwise(body: str, size: int, element: str, result: str | None = None) -> str:
    """A kernel of one block that makes %y of %x, which has `size` elements."""
    result = result or element
    views = {
        "a": (f"tensor_view<{size}x{element}, strides=[1]>", "%a"),
        "b": (f"tensor_view<{size}x{result}, strides=[1]>", "%b"),
    }
    parts = {name: f"partition_view<tile=({size}), {view}>" for name, (view, _) in views.items()}
    return f"""
cuda_tile.module @m {{ entry @k(%a: tile<ptr<{element}>>, %b: tile<ptr<{result}>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %at = make_tensor_view %a, shape = [{size}], strides = [1] : {views["a"][0]}
  %av = make_partition_view %at : {parts["a"]}
  %x, %xt = load_view_tko weak %av[%zero] : {parts["a"]}, tile<i32> -> tile<{size}x{element}>, token
  {body}
  %bt = make_tensor_view %b, shape = [{size}], strides = [1] : {views["b"][0]}
  %bv = make_partition_view %bt : {parts["b"]}
  %yt = store_view_tko weak %y, %bv[%zero] : tile<{size}x{result}>, {parts["b"]}, tile<i32> -> token
  return }} }}
"""


def scan(element: str, size: int) -> str:
    tile = f"tile<{size}x{element}>"
    return (
        f"%y = scan %x dim=0 reverse=false identities=[0.0 : {element}] : {tile} -> {tile} "
        f"(%e: tile<{element}>, %f: tile<{element}>) "
        f"{{ %s = addf %e, %f : tile<{element}> yield %s : tile<{element}> }}"
    )


STEPS = 128
TILE = 16
OBJECT = f"tensor_view<{TILE}x{TILE * STEPS}xf32, strides=[{TILE * STEPS},1]>"
OPERANDS = f"partition_view<tile=({TILE}x{TILE}), {OBJECT}>"
RESULT = f"tensor_view<{TILE}x{TILE}xf32, strides=[{TILE},1]>"
RESULTS = f"partition_view<tile=({TILE}x{TILE}), {RESULT}>"
LONG_MATMUL = f"""
cuda_tile.module @m {{ entry @k(%a: tile<ptr<f32>>, %c: tile<ptr<f32>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %steps = constant <i32: {STEPS}> : tile<i32>
  %none = constant <f32: 0.0> : tile<{TILE}x{TILE}xf32>
  %at = make_tensor_view %a, shape = [{TILE}, {TILE * STEPS}], strides = [{TILE * STEPS}, 1] : {OBJECT}
  %av = make_partition_view %at : {OPERANDS}
  %y = for %i in (%zero to %steps, step %one) : tile<i32> iter_values(%s = %none) -> (tile<{TILE}x{TILE}xf32>) {{
    %x, %t = load_view_tko weak %av[%zero, %i] : {OPERANDS}, tile<i32> -> tile<{TILE}x{TILE}xf32>, token
    %p = mmaf %x, %x, %s : tile<{TILE}x{TILE}xf32>, tile<{TILE}x{TILE}xf32>, tile<{TILE}x{TILE}xf32>
    continue %p : tile<{TILE}x{TILE}xf32>
  }}
  %ct = make_tensor_view %c, shape = [{TILE}, {TILE}], strides = [{TILE}, 1] : {RESULT}
  %cv = make_partition_view %ct : {RESULTS}
  %st = store_view_tko weak %y, %cv[%zero, %zero] : tile<{TILE}x{TILE}xf32>, {RESULTS}, tile<i32> -> token
  return }} }}
"""

KERNELS = {
    "f16 prefix sums": (elementwise(scan("f16", 1024), 1024, "f16"), "f16", 1024),
    "bf16 prefix sums": (elementwise(scan("bf16", 128), 128, "bf16"), "bf16", 128),
    "f32 prefix sums": (elementwise(scan("f32", 4096), 4096, "f32"), "f32", 4096),
    "exponentials of sums": (
        elementwise(scan("f32", 1024).replace("%y =", "%p =") + "\n%y = exp %p : tile<1024xf32>",
                    1024, "f32"),
        "f32",
        1024,
    ),
}  # fmt: skip


def check(kernel: str, tmp_path: Path) -> int:
    text, element, size = KERNELS[kernel]
    file = tmp_path / "kernel.mlir"
    file.write_text(text)
    arguments = ["--arg", f"random:{element}:{size}", "--arg", f"b:zeros:{element}:{size}"]
    return main(["check", str(file), "--grid", "1", "--no-races", *arguments])


def check_matmul(tmp_path: Path) -> int:
    file = tmp_path / "product.mlir"
    file.write_text(LONG_MATMUL)
    arguments = [
        "--arg",
        f"random:f32:{TILE * TILE * STEPS}",
        "--arg",
        f"c:zeros:f32:{TILE * TILE}",
    ]
    return main(["check", str(file), "--grid", "1", "--no-races", *arguments])


def test_a_long_product(tmp_path: Path):
    assert check_matmul(tmp_path) == 0


def test_a_long_product_of_another_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """One of all 128 steps is counted twice, or not at all."""
    emit = ptx.emit

    def wrong(module: ModuleOp, gpu: str) -> str:
        text = emit(module, gpu)
        changed = re.sub(r"(setp\.\w+\.[us]32 %p\d+, %r\d+), 12[78];", r"\1, 126;", text)
        assert changed != text
        return changed

    monkeypatch.setattr(ptx, "emit", wrong)
    assert check_matmul(tmp_path) == 1


@pytest.mark.parametrize("kernel", KERNELS)
def test_roundings_are_allowed(kernel: str, tmp_path: Path):
    assert check(kernel, tmp_path) == 0


def swapped(text: str) -> str:
    return re.sub(r"\badd(\.rn)?(\.b?f\d+)", r"sub\1\2", text, count=1)


def from_another_lane(text: str) -> str:
    return re.sub(r"(sub\.s32 %r\d+, %r\d+), 1;", r"\1, 2;", text, count=1)


def a_word_too_far(text: str) -> str:
    def moved(found: re.Match[str]) -> str:
        return f"{found[1]}+{int(found[2] or 0) + 4}]"

    load = r"(ld\.(?:global|shared)\S* [^;]*\[%\w+)\+?(\d*)\]"
    return re.sub(load, moved, text, count=1)


FAULTS: Mapping[str, Callable[[str], str]] = {
    "a difference in place of one sum": swapped,
    "another lane": from_another_lane,
    "a word too far": a_word_too_far,
}
"""What is put into PTX."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_wrong_values_are_not(
    kernel: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    emit = ptx.emit

    def wrong(module: ModuleOp, gpu: str) -> str:
        text = emit(module, gpu)
        changed = FAULTS[fault](text)
        assert changed != text
        return changed

    monkeypatch.setattr(ptx, "emit", wrong)
    assert check(kernel, tmp_path) == 1
