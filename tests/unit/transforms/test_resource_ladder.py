"""Kernels that exceed a resource are compiled again with other choices, which are attributes."""

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from tests.unit.road.ladder_kernels import elementwise, matmul
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.diagnostics import Excess, Resource, ResourceExceededError, exceed
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import first_choice, passes, steps
from tileir_xdsl.transforms.resource_ladder import (
    RUNGS,
    SMALL_BYTES,
    ResourceLadder,
    Rung,
    climbing,
    is_different,
    may_exceed,
    nearest_fit,
)

WIDE = matmul(256, 256, 32, "f16", "f16")


def at_tileaa(text: str, gpu: str = "sm_120a") -> ModuleOp:
    module = tools.parse(text)
    for step in steps(gpu)[: first_choice(steps(gpu))]:
        step.module_pass.apply(tools.context(), module)
    return module


def kernel_of(module: ModuleOp) -> nv_tileaa.FuncOp:
    (found,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    return found


def test_a_kernel_that_was_refused_compiles_with_a_remark():
    module = tools.run_passes(tools.parse(WIDE.text), "tileir-pipeline{gpu=sm_120a}")
    said = str(module.attributes["nv_tileaa.remarks"])
    assert "bytes of shared memory, 101376 are available: compiled with " in said


def test_passes_by_hand_do_the_same():
    """The rung that the remark names, written on the function."""
    module = tools.run_passes(tools.parse(WIDE.text), "tileir-pipeline{gpu=sm_120a}")
    wanted = emit(module, "sm_120a")
    by_hand = at_tileaa(WIDE.text)
    remark = str(module.attributes["nv_tileaa.remarks"]).rpartition("compiled with ")[2]
    rungs = [r for r in RUNGS[Resource.SHARED_MEMORY] if remark.startswith(f'{r}"')]
    rungs[0].apply(kernel_of(by_hand))
    by_hand = tools.parse(tools.to_text(by_hand))
    for module_pass in passes("sm_120a")[first_choice(steps("sm_120a")) :]:
        module_pass.apply(tools.context(), by_hand)
    assert emit(by_hand, "sm_120a") == wanted


def test_kernels_of_small_tiles_are_never_compiled_again():
    small = at_tileaa(elementwise((1024,)).text)
    assert not may_exceed(kernel_of(small))
    assert ResourceLadder.of(small) is None


class Attempts:
    """Steps of which one fails until a rung is right."""

    def __init__(self, module: ModuleOp, resource: Resource, until: Rung | None):
        self.module, self.resource, self.until = module, resource, until
        self.seen: list[int] = []

    def run(self, number: int) -> None:
        self.seen.append(number)
        if number != 2:
            return
        function = kernel_of(self.module)
        if self.until is not None:
            expected = kernel_of(at_tileaa(WIDE.text))
            self.until.apply(expected)
            if all(
                function.attributes.get(n) == expected.attributes.get(n)
                for n in ("nv_tileas.slices", "nv_tileas.num_stages", "nv_tileas.pipeline_strategy")
            ):
                return
        exceed(function, "too much", Excess(self.resource, 2, 1))


@pytest.mark.parametrize(
    ("resource", "until"),
    [
        (Resource.SHARED_MEMORY, Rung(stages=2)),
        (Resource.SHARED_MEMORY, Rung(stages=1, bulk_stores=False, specialized=False)),
        (Resource.TENSOR_MEMORY, Rung(slices=4)),
        (Resource.REGISTERS, Rung(slices=2)),
    ],
)
def test_rungs_are_taken_in_order(resource: Resource, until: Rung):
    module = at_tileaa(WIDE.text)
    attempts = Attempts(module, resource, until)
    climbing(module, 4, 1, attempts.run)
    count = attempts.seen.count(1)
    assert attempts.seen == [0, *([1, 2] * count), 3]
    assert str(until) in str(module.attributes["nv_tileaa.remarks"])


def test_what_comes_before_the_start_stays():
    """The module is kept as it is there, not as it was at the beginning."""
    module = at_tileaa(WIDE.text)
    attempts = Attempts(module, Resource.SHARED_MEMORY, Rung(stages=2))

    def run(number: int) -> None:
        if number == 0:
            module.attributes["first"] = UnitAttr()
            kernel_of(module).attributes["first"] = UnitAttr()
        attempts.run(number)

    climbing(module, 4, 1, run)
    assert "first" in module.attributes and "first" in kernel_of(module).attributes


def test_no_rung_left_is_the_first_failure():
    module = at_tileaa(WIDE.text)
    attempts = Attempts(module, Resource.SHARED_MEMORY, None)
    with pytest.raises(ResourceExceededError, match="too much") as failure:
        climbing(module, 4, 1, attempts.run)
    assert failure.value.excess == Excess(Resource.SHARED_MEMORY, 2, 1)
    assert "tiles of 1/2 of the elements would fit" in failure.value.__notes__[-1]
    assert attempts.seen.count(1) == 1 + len(RUNGS[Resource.SHARED_MEMORY])


def test_other_failures_are_not_tried_again():
    module = at_tileaa(WIDE.text)
    seen: list[int] = []

    def run(number: int) -> None:
        seen.append(number)
        if number == 2:
            raise PassFailedException("no")

    with pytest.raises(PassFailedException, match="no"):
        climbing(module, 4, 1, run)
    assert seen == [0, 1, 2]


def test_rungs_are_attributes_that_passes_read():
    module = at_tileaa(matmul(128, 128, 64, "f16").text, "sm_90a")
    Rung(stages=2, bulk_stores=False, specialized=False).apply(kernel_of(module))
    text = str(module)
    assert "nv_tileas.num_stages = 2" in text and "allow_tma = false" in text
    for module_pass in passes("sm_90a")[first_choice(steps("sm_90a")) : -1]:
        module_pass.apply(tools.context(), module)
    stages = [
        op.num_stages.value.data
        for op in module.walk()
        if isinstance(op, nv_tileas.CreatePipelineOp)
    ]
    assert stages == [2]
    assert not any(isinstance(op, nv_tileas.AgentSwitchOp) for op in module.walk())
    assert not any(isinstance(op, nv_tileas.AsyncTiledTmaStoreOp) for op in module.walk())


def test_warps_are_raised():
    module = at_tileaa(elementwise((1024,)).text)
    Rung(warps=8).apply(kernel_of(module))
    assert "num_warps = 8" in str(module)


SMALL = elementwise((1024,)).text
LOOP = matmul(64, 64, 32, "f16", "f16").text


@pytest.mark.parametrize(
    ("text", "rung", "expected"),
    [
        (LOOP, Rung(stages=2), True),
        (LOOP, Rung(specialized=False), True),
        # Stages and agents are for loads in loops.
        (SMALL, Rung(stages=2), False),
        (SMALL, Rung(specialized=False), False),
        (SMALL, Rung(stages=1, bulk_stores=False), False),
        (SMALL, Rung(stages=1, bulk_stores=False, specialized=False), False),
        (SMALL, Rung(slices=2), True),
        (SMALL, Rung(slices=2, stages=1), True),
        (SMALL, Rung(bulk_stores=False), True),
        (SMALL, Rung(warps=8), True),
        (SMALL, Rung(warps=4), False),
        (SMALL, Rung(warps=2), False),
    ],
)
def test_what_comes_out_the_same_is_not_tried(text: str, rung: Rung, expected: bool):
    assert is_different(rung, kernel_of(at_tileaa(text))) == expected


def test_stores_that_are_from_registers_are_not_tried_again():
    function = kernel_of(at_tileaa(SMALL))
    Rung(bulk_stores=False).apply(function)
    assert not is_different(Rung(bulk_stores=False), function)
    assert is_different(Rung(slices=2), function)


def test_a_function_that_is_called_has_no_warps_of_its_own():
    function = kernel_of(tools.parse("nv_tileaa.func @f() { nv_tileaa.return }"))
    assert not is_different(Rung(warps=8), function)
    assert is_different(Rung(slices=2), function)


@pytest.mark.parametrize(
    ("element", "size"), [("i8", 1), ("f16", 2), ("f64", 8), ("!nv_tileaa.ptr<i8>", 8)]
)
def test_tiles_are_counted_by_their_bytes(element: str, size: int):
    def tiles(*counts: int) -> nv_tileaa.FuncOp:
        ops = "".join(f'"test.op"() : () -> tensor<{n}x{element}>\n' for n in counts)
        return kernel_of(tools.parse(f"nv_tileaa.func @f() {{ {ops} nv_tileaa.return }}"))

    most = SMALL_BYTES // size
    assert not may_exceed(tiles(most)) and not may_exceed(tiles(most // 2, most // 2))
    assert may_exceed(tiles(2 * most)) and may_exceed(tiles(most, 1))


@pytest.mark.parametrize(
    ("needed", "limit", "parts"),
    [(2, 1, 2), (300, 100, 4), (400, 100, 4), (401, 100, 8), (1, 0, 1)],
)
def test_which_tiles_would_fit(needed: int, limit: int, parts: int):
    said = nearest_fit(Excess(Resource.SHARED_MEMORY, needed, limit))
    assert said.endswith(f"tiles of 1/{parts} of the elements would fit")


def failure(op: Operation) -> ResourceExceededError:
    with pytest.raises(ResourceExceededError) as raised:
        exceed(op, "too much", Excess(Resource.SHARED_MEMORY, 2, 1))
    return raised.value


def test_a_rung_is_for_the_kernel_that_failed():
    module = at_tileaa(WIDE.text)
    other = kernel_of(module).clone()
    other.properties["sym_name"] = StringAttr("other")
    Rewriter.insert_op(other, InsertPoint.after(kernel_of(module)))
    ladder = ResourceLadder.of(module)
    assert ladder is not None and ladder.climb(failure(next(iter(other.body.block.ops))))
    first, second = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    assert "nv_tileas.num_stages" not in first.attributes
    assert second.attributes["nv_tileas.num_stages"] == IntegerAttr(2, 32)
    # Of which of the two an op was that is in none, nobody knows: the last one goes on.
    assert ladder.climb(failure(nv_tileaa.CreateMemTokenOp()))
    assert list(ladder.taken) == ["other"] and ladder.taken["other"] == Rung(stages=1)


def test_an_op_that_is_gone_was_in_the_only_kernel():
    module = at_tileaa(WIDE.text)
    ladder = ResourceLadder.of(module)
    assert ladder is not None and ladder.climb(failure(nv_tileaa.CreateMemTokenOp()))
    assert list(ladder.taken.values()) == [Rung(stages=2)]
