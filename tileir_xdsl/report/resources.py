"""Resources of a thread block on a multiprocessor, and the ratio of its arithmetic to its traffic.

Work is counted before layouts are assigned, while loads and dots are as in the program. Registers
are counted before the last conversion, and other resources in the compiled kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.threads.register_pressure import predicted_registers
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import SameRegistersOpInterface
from tileir_xdsl.dialects.launch_attributes import DYNAMIC_SHARED_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05AllocOp
from tileir_xdsl.report.schema import Registers, Resources, Roofline
from tileir_xdsl.runtime.compiled import CompiledKernel
from tileir_xdsl.runtime.ptxas import KernelResources
from tileir_xdsl.targets import Limits, get_target, residency
from tileir_xdsl.targets.agents import GRANULE
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.transforms.convert_tileas_to_llvm.launch_bounds import MIN_BLOCKS_ATTRIBUTE
from tileir_xdsl.walking import ops_in

PEAKS = "tileir_xdsl/targets/throughput.py: per cycle of one multiprocessor"

_ACCESSES = (
    nv_tileaa.LoadOp,
    nv_tileaa.TiledLoadOp,
    nv_tileaa.GatherLoadOp,
)
_STORES = (nv_tileaa.StoreOp, nv_tileaa.TiledStoreOp, nv_tileaa.ScatterStoreOp)
_MOVING = (*_ACCESSES, *_STORES, arith.ConstantOp, arith.SelectOp, SameRegistersOpInterface)
"""Ops that move elements without computing any."""


@dataclass(frozen=True)
class Work:
    """Floating-point operations, and accessed bytes, of one iteration of each loop."""

    flops: int
    bytes: int
    mma_bits: int | None
    """The width of the operands of the dots, in bits; None without dots."""


@dataclass(frozen=True)
class KernelFacts:
    """Facts about a kernel before its last conversion."""

    name: str
    work: Work | None = None
    predicted_registers: int | None = None


def work_of(function: Operation) -> Work:
    """The work of the innermost loops with dots; without such loops, of all ops."""
    scopes = _loops_with_dots(function) or [function]
    ops = [op for scope in scopes for op in ops_in(scope)[1:]]
    dots = [op for op in ops if isinstance(op, nv_tileaa.DotOp)]
    flops = sum(map(_dot_flops, dots)) if dots else sum(map(_elements_computed, ops))
    moved = sum(_bytes_moved(op) for op in ops)
    bits = 8 * element_bytes(tile_shape(dots[0].a.type).element) if dots else None
    return Work(flops, moved, bits)


def _loops_with_dots(function: Operation) -> list[Operation]:
    loops = [op for op in ops_in(function) if isinstance(op, scf.ForOp | scf.WhileOp)]
    return [
        loop
        for loop in loops
        if any(isinstance(op, nv_tileaa.DotOp) for op in ops_in(loop))
        and not any(other is not loop and other in loops for other in ops_in(loop))
    ]


def _dot_flops(op: nv_tileaa.DotOp) -> int:
    left, result = tile_shape(op.a.type), tile_shape(op.results[0].type)
    return 2 * prod(result.shape) * left.shape[-1]


def _elements_computed(op: Operation) -> int:
    """The elements that an op on floats computes: one operation each."""
    if isinstance(op, _MOVING) or op.regions:
        return 0
    return max((_float_elements(result.type) for result in op.results), default=0)


def _float_elements(type: Attribute) -> int:
    if not isinstance(type, TensorType):
        return 0
    shape = tile_shape(type)
    name = getattr(shape.element, "name", "")
    return prod(shape.shape) if name.startswith(("f", "bf", "tf")) else 0


def _bytes_moved(op: Operation) -> int:
    if isinstance(op, _ACCESSES):
        return _tile_bytes(op.results[0])
    if isinstance(op, _STORES):
        tiles = (operand for operand in op.operands if isinstance(operand.type, TensorType))
        return max(map(_tile_bytes, tiles), default=0)
    return 0


def _tile_bytes(tile: SSAValue) -> int:
    if not isinstance(tile.type, TensorType):
        return 0
    shape = tile_shape(tile.type)
    if isinstance(shape.element, PointerType):
        return 0
    return prod(shape.shape) * element_bytes(shape.element)


def facts_before_layouts(module: ModuleOp) -> dict[str, KernelFacts]:
    """The facts of the kernels of a module at `nv_tileaa`."""
    return {f.sym_name.data: KernelFacts(f.sym_name.data, work_of(f)) for f in _kernels(module)}


def with_registers(facts: Mapping[str, KernelFacts], module: ModuleOp) -> dict[str, KernelFacts]:
    """The facts, with the registers of a thread added from a module with layouts."""
    return {
        name: replace(
            facts.get(name, KernelFacts(name)), predicted_registers=predicted_registers(function)
        )
        for function in _kernels(module)
        for name in (function.sym_name.data,)
    }


def _kernels(module: ModuleOp) -> Iterator[nv_tileaa.FuncOp]:
    for op in ops_in(module):
        if isinstance(op, nv_tileaa.FuncOp) and op.kernel_spec is not None:
            yield op


def resources_of(
    kernel: CompiledKernel,
    facts: KernelFacts,
    module: ModuleOp,
    gpu: str,
    assembled: KernelResources | None,
) -> Resources:
    """The resources of a kernel, whose module is at `llvm`."""
    target = get_target(gpu)
    threads = None if kernel.block is None else prod(kernel.block)
    shared = _shared_bytes(module, kernel.name)
    actual = None if assembled is None else assembled.registers
    hint = None if threads is None else _register_hint(module, kernel.name, threads, target.limits)
    limited_by = hint[0] if hint is not None and actual == hint[1] else None
    registers = Registers(facts.predicted_registers, actual, limited_by)
    bounds = blocks_by_resource(target.limits, threads, registers, shared)
    limit = min(bounds, key=lambda name: bounds[name], default=None)
    blocks = None if limit is None else bounds[limit]
    warps = None if threads is None or blocks is None else -(-threads // 32) * blocks
    return Resources(
        kernel.name,
        registers,
        None if assembled is None else assembled.spills,
        shared,
        _tensor_columns(module, kernel.name),
        threads,
        blocks,
        None if warps is None else warps * 32 / target.limits.max_threads_per_multiprocessor,
        limit,
        None if facts.work is None else roofline_of(facts.work, gpu),
    )


def roofline_of(work: Work, gpu: str) -> Roofline | None:
    """The roofline of a work on a target; None without traffic."""
    if not work.bytes:
        return None
    rates = throughput_of(get_target(gpu))
    # A multiply-add is two operations.
    if work.mma_bits is None:
        peak = float(rates.arithmetic)
    else:
        peak = 2 * rates.mma_macs_of_16_bits * 16 / work.mma_bits
    intensity = work.flops / work.bytes
    return Roofline(work.flops, work.bytes, intensity, peak, float(rates.memory_bytes), PEAKS)


def blocks_by_resource(
    limits: Limits, threads: int | None, registers: Registers, shared: int
) -> dict[str, int]:
    """How many thread blocks each resource of a multiprocessor allows, if it is known."""
    if threads is None:
        return {}
    held = registers.actual or min(registers.predicted or 0, limits.max_registers_per_thread)
    return residency.blocks_by_resource(limits, threads, held, shared)


def _function(module: ModuleOp, name: str) -> llvm.FuncOp | None:
    functions = (op for op in module.body.block.ops if isinstance(op, llvm.FuncOp))
    return next((f for f in functions if f.sym_name.data == name), None)


def _shared_bytes(module: ModuleOp, kernel: str) -> int:
    """The shared memory of a thread block: dynamic, or the variables of the module."""
    function = _function(module, kernel)
    size = None if function is None else function.attributes.get(DYNAMIC_SHARED_ATTRIBUTE)
    if isinstance(size, IntegerAttr):
        return size.value.data
    variables = (op for op in module.body.block.ops if isinstance(op, llvm.GlobalOp))
    return sum(_variable_bytes(op) for op in variables if op.addr_space.value.data == 3)


def _variable_bytes(variable: llvm.GlobalOp) -> int:
    type = variable.global_type
    if not isinstance(type, llvm.LLVMArrayType):
        return 0
    return type.size.data * element_bytes(type.type)


def _register_hint(
    module: ModuleOp, kernel: str, threads: int, limits: Limits
) -> tuple[str, int] | None:
    """The hint that limits the registers of a thread, and the limit."""
    function = _function(module, kernel)
    blocks = None if function is None else function.attributes.get(MIN_BLOCKS_ATTRIBUTE)
    if not isinstance(blocks, IntegerAttr):
        return None
    count = blocks.value.data
    fit = limits.registers_per_multiprocessor // (threads * count)
    most = min(fit, limits.max_registers_per_thread) // GRANULE * GRANULE
    return (f"occupancy={count}" if count > 1 else f".minnctapersm 1 of {threads} threads"), most


def _tensor_columns(module: ModuleOp, kernel: str) -> int:
    function = _function(module, kernel)
    columns = 0
    for op in () if function is None else ops_in(function):
        if isinstance(op, Tcgen05AllocOp) and isinstance(owner := op.nCols.owner, llvm.ConstantOp):
            columns += owner.value.value.data if isinstance(owner.value, IntegerAttr) else 0
    return columns
