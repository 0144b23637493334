"""A fault planted in a lowering, or in the PTX printer, is named by the op of the tile program."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import ModuleOp, f32, i1, i32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import PassFailedException

from tests.unit.tools import REPOSITORY
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.backend.ptx.tables import floating_point
from tileir_xdsl.checking import probing
from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.pass_check import Case, PassCheck
from tileir_xdsl.checking.probing import first_wrong_op
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.explain.labels import OperationLabels
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.convert_tileas_to_llvm.control import tcgen05_mma_loops
from tileir_xdsl.transforms.convert_tileas_to_llvm.families import EVERYWHERE, FAMILIES, load
from tileir_xdsl.transforms.convert_tileas_to_llvm.global_memory.tile_bounds import TileBounds
from tileir_xdsl.transforms.convert_tileas_to_llvm.math import EMITTERS
from tileir_xdsl.transforms.convert_tileas_to_llvm.mma import mma_sync, wgmma
from tileir_xdsl.transforms.convert_tileas_to_llvm.shared_memory import (
    layout_conversions,
    tensor_memory,
)
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import LLVMBuilder
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.elementwise import LowerElementwise
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.patterns import Patterns
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.probes import stored_offsets
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.program import ThreadRewriter
from tileir_xdsl.transforms.convert_tileas_to_llvm.tiles import reductions, scans
from tileir_xdsl.transforms.pipeline_road import steps

Plant = Callable[[pytest.MonkeyPatch], None]
Registers = tuple[SSAValue, ...]


@cache
def _source(kernel: str) -> str:
    return (REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / f"{kernel}.mlir").read_text(
        encoding="utf-8"
    )


def _before_the_last_pass(kernel: str, gpu: str) -> PassCheck:
    """A check of a kernel, whose module has been lowered as far as tiles go."""
    check = PassCheck(tools.parse(_source(kernel)))
    for step in steps(gpu)[:-1]:
        step.module_pass.apply(tools.context(), check.module)
    return check


def _family_of(op: type[Operation]) -> Patterns:
    return next(table for family in (*EVERYWHERE, *FAMILIES) if op in (table := load(family)))


def _set(patch: pytest.MonkeyPatch, op: type[Operation], pattern: object) -> None:
    patch.setitem(cast(dict[type[Operation], object], _family_of(op)), op, pattern)


# Faults.


def computed(op: type[Operation], emit: Callable[..., Operation]) -> Plant:
    """An elementwise op is computed as another llvm op."""

    def emitter(_op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        return rewriter.builder.insert(emit(*values))

    return lambda patch: _set(patch, op, partial(LowerElementwise, emitter=emitter))


def instead(op: type[Operation], other: type[Operation]) -> Plant:
    """An op is lowered as another."""
    return lambda patch: _set(patch, op, _family_of(other)[other])


def function(op: type[Operation], other: type[Operation]) -> Plant:
    """A function is computed as another."""
    return lambda patch: _set(patch, op, partial(LowerElementwise, emitter=EMITTERS[other]))


def registers(op: type[Operation], change: Callable[[Registers], Registers]) -> Plant:
    """The registers of the first result are bound in another order."""

    def lower(op: Operation, rewriter: ThreadRewriter, right: Callable[..., None]) -> None:
        right(op, rewriter)
        rewriter.replace(op.results[0], change(rewriter.registers(op.results[0])))

    return around(op, lower)


def around(op: type[Operation], wrong: Callable[..., None]) -> Plant:
    """A pattern is replaced by a function of the op, its rewriter and the right pattern."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        original = cast(Callable[[Any], Any], _family_of(op)[op])

        def pattern(lowering: object) -> RewritePattern:
            made = original(lowering)
            made.lower = partial(wrong, right=made.lower)
            return made

        _set(patch, op, pattern)

    return plant


def replaced(owner: object, name: str, wrong: Callable[..., Any]) -> Plant:
    """A function is replaced by one that also takes the right one."""
    right = getattr(owner, name)

    def call(*given: Any) -> Any:
        return wrong(right, *given)

    return lambda patch: patch.setattr(owner, name, call)


def swapped(values: Registers) -> Registers:
    """Neighbouring registers in the place of each other."""
    pairs = len(values) // 2 * 2
    return (*(values[number ^ 1] for number in range(pairs)), *values[pairs:])


def reversed_difference(lhs: SSAValue, rhs: SSAValue) -> Operation:
    return llvm.FSubOp(rhs, lhs)


def reversed_selection(condition: SSAValue, lhs: SSAValue, rhs: SSAValue) -> Operation:
    return llvm.SelectOp(condition, rhs, lhs)


def less_or_equal(lhs: SSAValue, rhs: SSAValue) -> Operation:
    return llvm.ICmpOp(lhs, rhs, LLVMBuilder.predicate("sle"))


def as_bf16(_op: Operation, rewriter: ThreadRewriter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """A product that loses its low bits."""
    builder = rewriter.builder
    product = builder.insert(llvm.BitcastOp(builder.insert(llvm.FMulOp(lhs, rhs)), i32))
    kept = builder.insert(llvm.AndOp(product, builder.integer(-(1 << 16), i32)))
    return builder.insert(llvm.BitcastOp(kept, f32))


def swapped_halves(values: Registers) -> Registers:
    """The upper half of the registers in the place of the lower."""
    half = len(values) // 2
    return (*values[half:], *values[:half])


def wrong_lane(right: Callable[..., Any], tiles: object, bit: int, *rest: object) -> object:
    """A fold whose shuffles go to the lane beside the right one."""
    return right(tiles, bit ^ 1, *rest)


def prefixes_too_short(right: Callable[..., None], scan: Any, tiles: Any) -> None:
    """A scan that leaves out the last register of each run."""
    last = [tile[scan.run[-1]] for tile in tiles]
    right(scan, tiles)
    scans.put(tiles, scan.run[-1], last)


def _move_bounds(patch: pytest.MonkeyPatch, distance: int) -> None:
    """Masks each element as the one that is so far after it."""
    conditions = TileBounds.conditions

    def moved(bounds: TileBounds, position: int) -> list[SSAValue]:
        return conditions(bounds, position + distance)

    def never_whole(bounds: TileBounds) -> list[SSAValue]:
        return [bounds.builder.integer(0, i1)]

    patch.setattr(TileBounds, "conditions", moved)
    patch.setattr(TileBounds, "whole", never_whole)
    patch.setattr(TileBounds, "together", 1)


def last_excluded(patch: pytest.MonkeyPatch) -> None:
    """A mask that is off by one: the last element inside counts as outside."""
    _move_bounds(patch, 1)


def one_more_stored(op: Operation, rewriter: ThreadRewriter, right: Callable[..., None]) -> None:
    """A store whose mask lets one element beyond the end pass."""
    with pytest.MonkeyPatch.context() as patch:
        _move_bounds(patch, -1)
        right(op, rewriter)


def neighbours_swapped(right: Callable[..., Any], *arguments: object) -> object:
    """A read of a tile that gives neighbours in the place of each other."""
    return swapped(tuple(right(*arguments)))


def later_fragment_first(right: Callable[..., Any], fragments: Any) -> object:
    """The fragments of B in the order of another instruction."""
    positions = right(fragments)
    return [*positions[len(positions) // 2 :], *positions[: len(positions) // 2]]


def first_step_again(right: Callable[..., Any], operand: Any, builder: Any, at: Any) -> object:
    """A descriptor that does not go on along K."""
    return right(operand, builder, (*at[:-1], 0) if at[-1] else at)


def one_iteration_less(right: Callable[..., None], op: Any, rewriter: Any, *rest: object) -> None:
    """A loop that ends one step too early."""
    builder, end = rewriter.builder, rewriter.registers(op.ub)
    step = rewriter.scalar(op.step)
    rewriter.replace(op.ub, (builder.subtract(rewriter.scalar(op.ub), step, op.ub.type),))
    right(op, rewriter, *rest)
    rewriter.replace(op.ub, end)


def printed_as_difference(patch: pytest.MonkeyPatch) -> None:
    table = floating_point.ARITHMETIC
    patch.setitem(table, llvm.FAddOp, table[llvm.FSubOp])


Fault = tuple[str, str, Plant, str]
"""A kernel, a target, the fault, and the op that is named."""

FAULTS: dict[str, Fault] = {
    "a difference for a sum": (
        "elementwise_f32",
        "sm_80",
        computed(nv_tileaa.AddFOp, llvm.FSubOp),
        "nv_tileaa.addf",
    ),
    "operands of a difference": (
        "elementwise_f32",
        "sm_80",
        computed(nv_tileaa.SubFOp, reversed_difference),
        "nv_tileaa.subf",
    ),
    "rounding of a product": (
        "elementwise_f32",
        "sm_80",
        lambda patch: _set(patch, nv_tileaa.MulFOp, partial(LowerElementwise, emitter=as_bf16)),
        "nv_tileaa.mulf",
    ),
    "a logical shift": (
        "elementwise_i32",
        "sm_80",
        computed(arith.ShRSIOp, llvm.LShrOp),
        "arith.shrsi",
    ),
    "operands of a selection": (
        "elementwise_i32",
        "sm_80",
        computed(arith.SelectOp, reversed_selection),
        "arith.select",
    ),
    "a division that rounds to zero": (
        "elementwise_i32",
        "sm_80",
        computed(arith.FloorDivSIOp, llvm.SDivOp),
        "arith.floordivsi",
    ),
    "an unsigned remainder": (
        "elementwise_i32",
        "sm_80",
        computed(arith.RemSIOp, llvm.URemOp),
        "arith.remsi",
    ),
    "an unsigned conversion": (
        "conversions",
        "sm_90a",
        instead(arith.SIToFPOp, arith.UIToFPOp),
        "arith.sitofp",
    ),
    "a comparison that is not strict": (
        "comparisons_i32",
        "sm_80",
        computed(arith.CmpiOp, less_or_equal),
        "arith.cmpi",
    ),
    "a base of two": (
        "elementary_f32",
        "sm_80",
        function(nv_tileaa.ExpOp, nv_tileaa.Exp2Op),
        "nv_tileaa.exp",
    ),
    "the lanes of a reduction": (
        "reductions",
        "sm_80",
        replaced(reductions, "fold_lanes", wrong_lane),
        "nv_tileas.reduce",
    ),
    "the last prefix of a scan": (
        "cumulative",
        "sm_80",
        replaced(scans.Scan, "scan_registers", prefixes_too_short),
        "nv_tileas.scan",
    ),
    "the registers of a permutation": (
        "permute_3d",
        "sm_80",
        registers(nv_tileaa.PermuteOp, swapped),
        "nv_tileaa.permute",
    ),
    "the parts of a concatenation": (
        "cat_extract",
        "sm_80",
        registers(nv_tileaa.CatOp, swapped_halves),
        "nv_tileaa.cat",
    ),
    "the numbers of a range": (
        "vector_add_gather",
        "sm_80",
        registers(nv_tileas.GenerateOp, swapped),
        "nv_tileas.generate",
    ),
    "an exchange through shared memory": (
        "transpose",
        "sm_80",
        replaced(layout_conversions, "through_scratch", neighbours_swapped),
        "nv_tileas.convert_layout",
    ),
    "the mask of a load": (
        "vector_add",
        "sm_80",
        last_excluded,
        "nv_tileas.tiled_load",
    ),
    "a pointer beside the right one": (
        "vector_add_gather",
        "sm_80",
        registers(nv_tileaa.AddPtrOp, swapped),
        "nv_tileaa.addptr",
    ),
    "the fragments of mma.sync": (
        "matmul_f16",
        "sm_80",
        replaced(mma_sync.Fragments, "positions_b", later_fragment_first),
        "nv_tileas.dot",
    ),
    "the descriptors of wgmma": (
        "divisible/matmul_f16_warpgroup",
        "sm_90a",
        replaced(wgmma.SharedOperand, "at", first_step_again),
        "nv_tileas.async.dot",
    ),
    "the registers of tcgen05.ld": (
        "divisible/matmul_f16_warpgroup",
        "sm_100a",
        replaced(tensor_memory, "_load", neighbours_swapped),
        "nv_tileas.async.dot",
    ),
    "one iteration less": (
        "softmax_online",
        "sm_80",
        replaced(tcgen05_mma_loops, "begin_for", one_iteration_less),
        "scf.for",
    ),
    "an addition that PTX prints as a difference": (
        "elementwise_f32",
        "sm_80",
        printed_as_difference,
        "nv_tileaa.addf",
    ),
}


@pytest.mark.one_in(8, "a difference for a sum")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named(fault: str, monkeypatch: pytest.MonkeyPatch):
    is_named(*FAULTS[fault], monkeypatch)


def test_a_fault_that_stops_the_launch_is_named(monkeypatch: pytest.MonkeyPatch):
    """One past the array is stored, which the emulator refuses at a line of the PTX."""
    plant = around(nv_tileas.TiledStoreOp, one_more_stored)
    is_named("vector_add", "sm_80", plant, "nv_tileas.tiled_store", monkeypatch)


def is_named(kernel: str, gpu: str, plant: Plant, name: str, monkeypatch: pytest.MonkeyPatch):
    check = _before_the_last_pass(kernel, gpu)
    plant(monkeypatch)
    with pytest.raises(PassFailedException) as raised:
        check.run_pass(tools.context(), ConvertTileASToLLVMPass())
    message = str(raised.value)
    assert f"; the first op with another value is '{name}' op at " in message, message


@pytest.mark.parametrize(
    ("kernel", "gpu"),
    [
        ("argmax_rows", "sm_80"),
        ("atomic_updates_i32", "sm_90a"),
        ("cat_extract", "sm_120a"),
        ("cube_roots_f32", "sm_90a"),
        ("divisible/heat_step", "sm_100a"),
        ("divisible/matmul_f16_warpgroup", "sm_90a"),
        ("divisible/matmul_f8", "sm_100a"),
        ("print_formats", "sm_80"),
        ("softmax_online", "sm_80"),
    ],
)
def test_without_a_fault_every_op_agrees(kernel: str, gpu: str):
    check = _before_the_last_pass(kernel, gpu)
    module = check.module
    case = check.cases[0]
    assert first_wrong_op(module, _convert, case.kernel, case.launch_input) is None


def _in_several_runs(
    check: PassCheck, monkeypatch: pytest.MonkeyPatch
) -> tuple[Operation | None, list[Mapping[int, int]]]:
    """The first wrong op, and what each run probes where one op takes more than there is space."""
    case, runs = check.cases[0], list[Mapping[int, int]]()

    def convert(module: ModuleOp, executions: Mapping[int, int]) -> None:
        runs.append(executions)
        _convert(module, executions)

    monkeypatch.setattr(probing, "BUFFER_BYTES", 1)
    return first_wrong_op(check.module, convert, case.kernel, case.launch_input), runs


@pytest.mark.parametrize("fault", ["the mask of a load", "one iteration less"])
def test_a_fault_is_found_in_several_runs(fault: str, monkeypatch: pytest.MonkeyPatch):
    kernel, gpu, plant, name = FAULTS[fault]
    check = _before_the_last_pass(kernel, gpu)
    plant(monkeypatch)
    op, runs = _in_several_runs(check, monkeypatch)
    assert op is not None and op.name == name
    assert len(runs) > 1


def test_several_runs_probe_every_op_once(monkeypatch: pytest.MonkeyPatch):
    op, runs = _in_several_runs(_before_the_last_pass("vector_add", "sm_80"), monkeypatch)
    assert op is None
    assert len(runs) > 1 and all(len(run) == 1 for run in runs)
    assert len({number for run in runs for number in run}) == len(runs)


LOOP = """
nv_tileaa.func @loop() attributes {
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = arith.constant 64 : i32
  %many = arith.constant 200 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> TILE
  %y = scf.for %i = %zero to %many step %one iter_args(%sum = %x) -> (TILE) : i32 {
    %s = nv_tileaa.splat %i : i32 -> TILE
    %p = nv_tileaa.addi %s, %x : TILE
    %q = arith.xori %p, %s : TILE
    %t = arith.andi %q, %p : TILE
    %next = arith.ori %sum, %t : TILE
    scf.yield %next : TILE
  }
  nv_tileaa.return
}
""".replace("TILE", "tensor<64xi32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>")


def wrong_from(op: type[Operation], number: int) -> Plant:
    """A sum is too large by one from some addend on."""

    def emitter(_op: Operation, rewriter: ThreadRewriter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        builder = rewriter.builder
        is_wrong = builder.compare("sge", lhs, builder.integer(number, i32))
        total = builder.insert(llvm.AddOp(lhs, rhs))
        return builder.insert(llvm.AddOp(total, builder.insert(llvm.ZExtOp(is_wrong, i32))))

    return lambda patch: _set(patch, op, partial(LowerElementwise, emitter=emitter))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("number", [0, 63, 150, 199])
def test_a_fault_in_a_long_loop_takes_few_runs(number: int, monkeypatch: pytest.MonkeyPatch):
    """Of some thousand executions a run stores 20: there are fewer runs than executions of an op."""
    wrong_from(nv_tileaa.AddIOp, number)(monkeypatch)
    monkeypatch.setattr(probing, "BUFFER_BYTES", 12_000)
    runs: list[Mapping[int, int]] = []

    def convert(module: ModuleOp, executions: Mapping[int, int]) -> None:
        runs.append(executions)
        _convert(module, executions)

    op = first_wrong_op(
        tools.run_passes(tools.parse(LOOP), tools.DECIDED),
        convert,
        "loop",
        LaunchInput((1, 1, 1), ()),
    )
    assert op is not None and op.name == "nv_tileaa.addi"
    assert 1 < len(runs) <= 9


def test_a_probe_keeps_what_a_kernel_computes():
    check = _before_the_last_pass("attention", "sm_90a")
    plain, probed = check.module.clone(), check.module.clone()
    ConvertTileASToLLVMPass().apply(tools.context(), plain)
    labels = OperationLabels(next(op for op in probed.walk() if isinstance(op, nv_tileaa.FuncOp)))
    _convert(probed, {number: 1 for number in range(1000) if labels.find(number)})
    case, buffer = check.cases[0], np.zeros(1 << 26, np.uint8)
    expected, actual = _launch(plain, case, []), _launch(probed, case, [buffer])
    assert buffer.any()
    for first, second in zip(expected, actual, strict=True):
        assert np.array_equal(first, second)


def _launch(module: ModuleOp, case: Case, more: Sequence[Array]) -> list[Array]:
    """The arrays of a case after its kernel has run."""
    arguments = case.launch_input.copy_arguments()
    emulator.load(emit(module)).launch(
        case.kernel,
        case.launch_input.grid,
        [*with_tensor_maps(module, case.kernel, arguments), *more],
        dynamic_shared=dynamic_shared_memory(module, case.kernel),
    )
    return [np.asarray(each) for each in arguments]


def test_registers_lie_as_the_layout_says():
    """One warp, two registers a thread: element 2 * lane + register."""
    module = tools.run_passes(tools.parse(PAIRS), tools.DECIDED)
    _convert(module, {2: 1})
    buffer = np.zeros((32, 24), np.uint8)
    emulator.load(emit(module)).launch("pairs", (1,), [buffer])
    counts, stored = buffer[:, :8].copy().view(np.int64), buffer[:, 8:16].copy().view(np.int32)
    assert (counts == 1).all()
    assert (stored == np.arange(7, 71).reshape(32, 2)).all()


PAIRS = """
nv_tileaa.func @pairs() attributes {
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %seven = arith.constant 7 : i32
  %end = arith.constant 71 : i32
  %x = nv_tileaa.make_range %seven, %end : i32
    -> tensor<64xi32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
  nv_tileaa.return
}
"""


@pytest.mark.parametrize("numbers", ["probe=9", "probe=2,9"])
def test_a_number_without_an_op_is_refused(numbers: str):
    with pytest.raises(
        PassFailedException, match="probe=9 is not the number of an op in any function"
    ):
        tools.run_passes(tools.parse(PAIRS), f"{tools.TO_LLVM}{{{numbers}}}")


def test_the_pipeline_passes_probes_on():
    text = _source("vector_add")
    module = tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_80 probe=15}")
    (function,) = (op for op in module.walk() if isinstance(op, llvm.FuncOp))
    assert len(function.body.blocks[0].args) == 10
    assert stored_offsets(function) == (0,)


def _convert(module: ModuleOp, executions: Mapping[int, int]) -> None:
    numbers, counts = tuple(executions), tuple(executions.values())
    convert = ConvertTileASToLLVMPass(probe=numbers, probe_executions=counts)
    convert.apply(tools.context(), module)
