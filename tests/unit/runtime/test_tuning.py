"""Tuning: variants, how they compile and rank, in the emulator and by the times of a device."""

import re
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bench.matrix_kernels import CASES
from tests.unit.road.loops.test_staged_dots import kernel
from tests.unit.runtime.test_gpu import Bindings, gpu
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.modelled_cycles import Modelled
from tileir_xdsl.runtime.ptxas import Assembly, KernelResources
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.runtime.tuning import (
    UNSET,
    Measured,
    compile_variant,
    tune,
    variants,
)
from tileir_xdsl.testing.kernels import KERNELS

ADD = KERNELS["vector_add"]


def variant(warps: int, stages: int, ctas: int = 1) -> Options:
    return Options(warps=warps, stages=stages, strategy="unspecialize", ctas=ctas)


def arrays() -> list[np.ndarray]:
    return [
        np.arange(1000, dtype=np.float32),
        np.ones(1000, np.float32),
        np.zeros(1000, np.float32),
    ]


def test_loads_have_warps_of_their_own_where_the_target_can():
    first, *found = variants("sm_90a", (4, 8), (2, 3), (1,))
    assert first == Options() and len(found) == 8
    assert {one.strategy for one in variants("sm_80")[1:]} == {"unspecialize"}
    with pytest.raises(InputError, match="--gpu"):
        variants("sm_1")


def test_clusters_are_tried_where_the_target_copies_to_them():
    assert {one.ctas for one in variants("sm_90a", ctas=(1, 2, 4, 16))[1:]} == {1, 2, 4}
    assert {one.ctas for one in variants("sm_120a", ctas=(1, 2))[1:]} == {1}


def test_options_of_a_kernel_are_kept_and_are_a_variant():
    asked = Options(opt_level=2, warps=2)
    first, *found = variants("sm_90a", (4,), UNSET, UNSET, (1, 2), asked)
    assert first == asked and {one.opt_level for one in found} == {2}
    assert [(one.warps, one.stages, one.occupancy) for one in found if one.strategy] == [
        *((4, None, 1), (4, None, 2)) * 2
    ]
    assert variants("sm_90a", UNSET, UNSET, UNSET, options=asked) == [asked]
    assert asked in variants("sm_90a", (2,), UNSET, UNSET, options=asked)


def test_a_cluster_of_two():
    case = CASES["product_128x128x64"]
    compiled = compile_variant(
        case.text_path.read_bytes(), case.name, "sm_90a", variant(4, 2, ctas=2)
    )
    assert isinstance(compiled, Compiled) and ".reqnctapercluster 2, 1, 1" in compiled.text


def test_a_kernel_that_cannot_be_divided_is_no_variant():
    text = ADD.text_path.read_bytes()
    problem = compile_variant(text, "vector_add", "sm_90a", variant(4, 2, ctas=2))
    assert problem == "ctas=2: error: kernel 'vector_add' cannot be divided among CTAs"


class Inline(Executor):
    """Runs everything at once, and remembers that it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_a_product_in_several_ways():
    module = read_text(new_context(), kernel("f16", "f32", False), "<test>")
    a, b = np.ones((80, 208), np.float16), np.ones((200, 64), np.float16)
    c = np.zeros((80, 48), np.float32)
    tried = [variant(4, stages) for stages in (2, 3)]
    executor = Inline()
    found = tune(
        module,
        (1,),
        [a, b, c, 80, 48, 200, 208, 64],
        gpu="sm_80",
        tried=tried,
        executor=executor,
    )
    # Each is compiled, then emulated.
    assert executor.asked == 4
    # Cycles are about the same, and of such variants that with more stages is taken.
    assert [one.variant.stages for one in found] == [3, 2]
    assert all(one.compiled and "cp.async" in one.compiled.text for one in found)
    assert all(one.instructions and not one.problem for one in found)
    # The arrays of the caller are as they were.
    assert not c.any()


def test_warps_reach_the_launch():
    text = ADD.text_path.read_bytes()
    compiled = compile_variant(text, "vector_add", "sm_90a", variant(8, 2))
    assert isinstance(compiled, Compiled) and compiled.kernel().block == (256, 1, 1)


def test_equal_code_is_measured_once():
    tried = [variant(4, 2), variant(8, 2), variant(4, 3)]
    executor = Inline()
    found = tune(str(ADD.text_path), 8, arrays(), tried=tried, executor=executor)
    assert executor.asked == 3 + 2
    # A kernel without pipelines has no stages.
    *measured, same = found
    assert {one.variant.warps for one in measured} == {4, 8}
    assert same.variant == variant(4, 3) and same.same_as == variant(4, 2)


def test_times_of_a_device():
    def run(bindings: Bindings, parameters: list[bytes]) -> None:
        """A kernel that does nothing."""

    device = gpu(Bindings((8, 4, 4) * 3, run))
    with ThreadPoolExecutor(1) as executor:
        (found,) = tune(
            str(ADD.text_path),
            (8,),
            arrays(),
            tried=[variant(4, 2)],
            executor=executor,
            device=device,
        )
    assert found.seconds == 0.0025 and found.rank == (0, 0.0025)


def test_what_cannot_be_compiled_comes_last():
    tried = [variant(4, 2, ctas=2), variant(4, 2)]
    found = tune(str(ADD.text_path), (8,), arrays(), tried=tried, executor=Inline())
    assert [one.problem == "" for one in found] == [True, False]
    assert "cannot be divided among CTAs" in found[1].problem


def test_what_cannot_be_run_comes_last():
    short = [array[:10] for array in arrays()]
    tried = [variant(4, 2)]
    arguments = [short[0], 1000, 1, short[1], 1000, 1, short[2], 1000, 1]
    (found,) = tune(str(ADD.text_path), (8,), arguments, tried=tried, executor=Inline())
    assert found.problem and found.rank == (3,)


def measured(
    cycles: float, stages: int | None = 2, spills: int = 0, instructions: int = 1000
) -> Measured:
    """A variant of a kernel `k` that was emulated."""
    kernel = CompiledKernel("k", (), "")
    assembly = Assembly(b"", {"k": KernelResources(32, 0, spills, 0, 1024)}, "")
    compiled = Compiled("f", "sm_90a", "cubin", Options(), "", (kernel,), (), assembly)
    time = Modelled(cycles, 1, 132, "matrix unit")
    return Measured(
        Options(warps=4, stages=stages), "k", compiled, instructions=instructions, modelled=time
    )


def test_rank():
    ranked = [
        replace(measured(1), seconds=1.0),
        # Within a tenth: fewer spills, then more stages, cycles and instructions.
        measured(1001, None),
        measured(1002, 4),
        measured(1000),
        measured(1001),
        measured(1001, instructions=1001),
        measured(990, 4, spills=4),
        measured(2000, 6),
        replace(measured(1), same_as=Options()),
        Measured(variant(4, 2), "k", None, problem="no"),
    ]
    # Both are in the same tenth.
    assert ranked[3].rank[:2] == ranked[6].rank[:2]
    mixed = [ranked[place] for place in (5, 3, 1, 9, 4, 0, 2, 7, 8, 6)]
    assert sorted(mixed, key=lambda one: one.rank) == ranked


def test_static_and_dynamic_shared_memory_count():
    """Against the sizes in the PTX: up to 48 KiB are static, more are dynamic."""
    module = read_text(new_context(), kernel("f16", "f32", False), "<test>")
    operands = [np.ones((80, 208), np.float16), np.ones((200, 64), np.float16)]
    arguments = [*operands, np.zeros((80, 48), np.float32), 80, 48, 200, 208, 64]
    tried = [Options(stages=stages) for stages in (1, 2, 20)]
    found = tune(module, 1, arguments, gpu="sm_90a", tried=tried, executor=Inline())
    sizes = dict[str, int]()
    for one in found:
        assert one.compiled is not None
        kind = "dynamic" if ".extern .shared" in one.compiled.text else "static"
        stated = re.search(r"\.shared \.align \d+ \.b8 \w+\[(\d+)\]", one.compiled.text)
        dynamic = one.compiled.kernel().dynamic_shared
        assert one.shared_bytes == (dynamic or int(stated[1] if stated else 0)) > 0
        assert one.shared_bytes <= one.shared_limit == 227 * 1024
        sizes[kind] = one.shared_bytes
    assert sizes["static"] <= 48 * 1024 < sizes["dynamic"]
