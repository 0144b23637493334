"""Kernels of one module in several processes: the same result as in one."""

from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.growing_modules import kernels as vector_additions
from tests.unit.cli.test_bad_input import error_line
from tileir_xdsl.cli.main import main
from tileir_xdsl.options import DEFAULT_OPTIONS, Options
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.parallel_kernels import compile_kernels, divided, groups_of
from tileir_xdsl.runtime.program import load
from tileir_xdsl.runtime.reader import new_context, read_contents
from tileir_xdsl.testing.kernels import KERNELS

NAMES = ("vector_add", "softmax_f32", "matmul_f16", "collatz", "rope")


def module_of(names: tuple[str, ...] = NAMES) -> bytes:
    """A module with the kernels of several."""
    bodies: list[str] = []
    for name in names:
        text = KERNELS[name].text_path.read_text()
        bodies.append(text[text.index("{") + 1 : text.rindex("}")])
    return f"cuda_tile.module @several {{{''.join(bodies)}}}".encode()


def in_parallel(contents: bytes, executor: Executor, count: int, gpu: str, emit: str) -> Any:
    module = read_contents(new_context(), contents, "several")
    groups = groups_of(module, contents, "several", gpu, DEFAULT_OPTIONS, count)
    assert 1 < len(groups) <= count
    return compile_kernels(groups, emit, executor)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_same_as_in_one_process(gpu: str, count: int):
    contents = module_of()
    expected = load(contents.decode(), gpu).compile()
    with ThreadPoolExecutor(1) as executor:
        found = in_parallel(contents, executor, count, gpu, "ptx")
    assert found.text == expected.text
    assert [k.name for k in found.kernels] == [k.name for k in expected.kernels] == list(NAMES)
    assert [k.dynamic_shared for k in found.kernels] == [k.dynamic_shared for k in expected.kernels]
    assert list(map(str, found.remarks)) == list(map(str, expected.remarks))


def test_machine_code():
    names = ("vector_add", "collatz")
    with ThreadPoolExecutor(1) as executor:
        found = in_parallel(module_of(names), executor, 2, "sm_90a", "cubin")
    assert set(found.resources) == set(names)


def test_the_command(tmp_path: Path):
    source = tmp_path / "many.tileirbc"
    source.write_bytes(vector_additions(6))
    outputs = [tmp_path / "one.ptx", tmp_path / "several.ptx"]
    for output, jobs in zip(outputs, ("1", "2"), strict=True):
        assert main(["compile", str(source), "-o", str(output), "--jobs", jobs]) == 0
    one, several = (output.read_text() for output in outputs)
    assert one == several and one.count(".entry") == 6


def test_the_first_that_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "wrong.mlir"
    source.write_bytes(module_of(("vector_add", "matmul_f16", "rope")))
    words = [str(source), "--ctas", "16"]
    message = error_line(capsys, "compile", *words)
    assert error_line(capsys, "compile", *words, "--jobs", "2") == message


class LosesItsProcess(Executor):
    """An executor whose process is killed."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor())
        return future


def test_a_process_that_is_killed():
    with pytest.raises(CompileError, match="has ended early"):
        in_parallel(module_of(), LosesItsProcess(), 2, "sm_80", "ptx")


def test_what_one_process_does():
    contents = module_of(("vector_add",))
    module = read_contents(new_context(), contents, "one")
    assert len(groups_of(module, contents, "one", None, DEFAULT_OPTIONS, 4)) == 1
    lines = Options(lineinfo=True)
    assert groups_of(module, contents, "one", None, lines, 4) == []
    lowered = load(contents.decode(), "sm_80").lower("nv_tileas").module
    assert groups_of(lowered, b"", "one", None, DEFAULT_OPTIONS, 4) == []


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 8))
def test_groups_are_neighbours_in_order(sizes: list[int], count: int):
    found = divided(sizes, count)
    assert 1 <= len(found) <= count
    assert [number for group in found for number in group] == list(range(len(sizes)))
    share = sum(sizes) / count
    assert all(sum(sizes[number] for number in group) <= share + 2 * max(sizes) for group in found)
