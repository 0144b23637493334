"""A table from ops to the modules of their patterns, which it does not import.

A module is imported only if the program has one of its ops; most kernels need few modules. A test
compares the table with the modules.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.levels import EXTENSION_STRATEGIES, extension_ops
from tileir_xdsl.on_use import value_at

from .thread.elementwise import LowerElementwise, on_registers
from .thread.patterns import LowerByStrategy, Patterns

EVERYWHERE = (
    "arithmetic.element_conversions",
    "arithmetic.floating_point",
    "arithmetic.integer",
    "control.functions",
    "tiles.shapes",
)
"""The modules for scalars and whole tiles, which every kernel needs."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "arithmetic.float_remainder": ("nv_tileaa.remf",),
    "arithmetic.integer_powers": ("nv_tileaa.fpowi",),
    "control.agents": ("nv_tileas.async.pipeline.agent_switch",),
    "control.async_values": (
        "nv_tileas.async.future_wait",
        "nv_tileas.async.to_async",
        "nv_tileas.async.wait",
    ),
    "control.barriers": (
        "nv_tileas.async.wait_mmas",
        "nv_tileas.barrier",
        "nv_tileas.fence_proxy",
        "nv_tileas.fence_tmem",
    ),
    "control.mutexes": (
        "nv_tileas.async.pipeline.acquire_mutex",
        "nv_tileas.async.pipeline.create_mutex",
        "nv_tileas.async.pipeline.release_mutex",
    ),
    "control.program_ids": (
        "nv_tileaa.current_program_id",
        "nv_tileaa.is_valid_program_id",
        "nv_tileas.async.cancel_next_program_id",
        "nv_tileas.cancel_next_program_id",
        "nv_tileas.read_program_id",
    ),
    "control.structured_control_flow": (
        "nv_tileas.yield",
        "scf.condition",
        "scf.if",
        "scf.while",
        "scf.yield",
    ),
    "control.tcgen05_mma_loops": ("scf.for",),
    "global_memory.async_copies": (
        "nv_tileas.async.commit_copies",
        "nv_tileas.async.load",
        "nv_tileas.async.tiled_load",
        "nv_tileas.async.wait_copies",
    ),
    "global_memory.atomics": (
        "nv_tileaa.atomic_cas",
        "nv_tileaa.atomic_rmw",
        "nv_tileas.tiled_atomic_rmw",
    ),
    "global_memory.convolution_addresses": ("nv_tileaa.conv_tile",),
    "global_memory.device_tensor_maps": ("nv_tileas.make_device_tma_descs",),
    "global_memory.gather_scatter": (
        "nv_tileas.gather_load",
        "nv_tileas.scatter_store",
    ),
    "global_memory.global_variables": ("nv_tileaa.get_global",),
    "global_memory.heap_allocations": ("nv_tileaa.alloca",),
    "global_memory.memory_order": (
        "nv_tileaa.create_mem_token",
        "nv_tileaa.join_mem_token",
        "nv_tileaa.memory_fence_alias",
        "nv_tileas.async.token_to_async",
    ),
    "global_memory.multimem": (
        "nv_tileaa.multimem_load_reduce",
        "nv_tileaa.multimem_reduce",
        "nv_tileaa.multimem_store",
    ),
    "global_memory.padding": ("nv_tileas.pad",),
    "global_memory.pointer_accesses": (
        "nv_tileas.load",
        "nv_tileas.store",
    ),
    "global_memory.tma_copies": (
        "nv_tileas.async.tiled_tma_load",
        "nv_tileas.async.tiled_tma_reduce",
        "nv_tileas.async.tiled_tma_store",
        "nv_tileas.fence",
    ),
    "global_memory.tma_rows": (
        "nv_tileas.async.gather_tma_load",
        "nv_tileas.async.scatter_tma_store",
    ),
    "global_memory.view_accesses": (
        "nv_tileaa.block_tile",
        "nv_tileaa.get_dim_size",
        "nv_tileaa.make_memref",
        "nv_tileas.tiled_load",
        "nv_tileas.tiled_store",
    ),
    "math": (
        "math.atan",
        "math.atan2",
        "math.cos",
        "math.cosh",
        "math.exp",
        "math.exp2",
        "math.log",
        "math.log2",
        "math.powf",
        "math.rsqrt",
        "math.sin",
        "math.sinh",
        "math.tan",
        "math.tanh",
        "nv_tileaa.cos",
        "nv_tileaa.exp",
        "nv_tileaa.exp2",
        "nv_tileaa.log2",
        "nv_tileaa.rsqrt",
        "nv_tileaa.sin",
        "nv_tileaa.tanh",
    ),
    "math.external": (
        "nv_tileaa.call_elementwise_intrinsic",
        "nv_tileaa.elementwise_inline_asm",
        "nv_tileaa.extern_elementwise",
    ),
    "mma.convolutions": ("nv_tileaa.conv_dot",),
    "mma.dot": (
        "nv_tileas.async.dot",
        "nv_tileas.dot",
    ),
    "shared_memory.buffer_allocation": ("nv_tileas.alloc_tensor",),
    "shared_memory.buffer_copies": (
        "nv_tileas.convert_layout",
        "nv_tileas.copy",
    ),
    "shared_memory.pipelines": (
        "nv_tileas.async.pipeline.consume_one",
        "nv_tileas.async.pipeline.consume_one_async",
        "nv_tileas.async.pipeline.consumer_read",
        "nv_tileas.async.pipeline.consumer_release",
        "nv_tileas.async.pipeline.consumer_wait",
        "nv_tileas.async.pipeline.create_iterator",
        "nv_tileas.async.pipeline.create_null_token",
        "nv_tileas.async.pipeline.create_pipeline",
        "nv_tileas.async.pipeline.inc_iter",
        "nv_tileas.async.pipeline.produce_one",
        "nv_tileas.async.pipeline.produce_one_async",
        "nv_tileas.async.pipeline.producer_acquire",
        "nv_tileas.async.pipeline.producer_commit",
        "nv_tileas.async.pipeline.producer_write",
        "nv_tileas.async.pipeline.yield",
    ),
    "thread.clusters": ("nv_tileaa.get_cta_id",),
    "tiles.buffer_views": (
        "nv_tileas.reinterpret",
        "nv_tileas.view",
        "tile.select",
    ),
    "tiles.generated_tiles": (
        "nv_tileaa.histogram",
        "nv_tileas.generate",
        "nv_tileas.shuffle",
    ),
    "tiles.hints": (
        "nv_tileaa.mark_for_reuse",
        "nv_tileaa.message",
        "nv_tileaa.optimization_barrier",
        "nv_tileas.pragma",
    ),
    "tiles.packing": (
        "nv_tileaa.pack",
        "nv_tileaa.unpack",
    ),
    "tiles.print_and_assert": (
        "nv_tileaa.assert",
        "nv_tileaa.gdc_launch_dependents",
        "nv_tileaa.gdc_wait",
        "nv_tileaa.print",
    ),
    "tiles.reductions": (
        "nv_tileaa.reduce",
        "nv_tileas.reduce",
    ),
    "tiles.scans": (
        "nv_tileaa.scan",
        "nv_tileas.scan",
    ),
}
"""The op names of each other pattern module."""

_FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}


def load(family: str) -> Patterns:
    """The patterns of a module, which is imported if necessary."""
    return value_at(f"{__package__}.{family}:PATTERNS")


def patterns_for(names: Iterable[str]) -> Patterns:
    """The patterns for ops with these names, and for other ops of the same modules."""
    families = dict.fromkeys(_FAMILY_OF[name] for name in names if name in _FAMILY_OF)
    ours = {op: p for family in (*EVERYWHERE, *families) for op, p in load(family).items()}
    return with_strategies({**ours, **extension_patterns()})


def with_strategies(patterns: Patterns) -> Patterns:
    """Makes ops with an extension's strategy use the extension's lowering."""
    names = {op: name for name, known in EXTENSION_STRATEGIES.items() for op in known.strategy.ops}
    given = {name: known.strategy.lowering for name, known in EXTENSION_STRATEGIES.items()}
    return {
        op: partial(LowerByStrategy, pattern=pattern, strategies=given) if op in names else pattern
        for op, pattern in patterns.items()
    }


def extension_patterns() -> Patterns:
    """The patterns of extension ops; those without a lowering are converted by default."""
    of_threads = extension_ops("llvm")
    defaults: Patterns = {
        op: _ON_REGISTERS for op in of_threads if issubclass(op, ElementwiseOpInterface)
    }
    return {
        op: lower
        for op, known in extension_ops("nv_tileas").items()
        if (lower := known.parts.lowering.get("nv_tileas", defaults.get(op))) is not None
    }


_ON_REGISTERS = partial(LowerElementwise, emitter=on_registers)


def all_patterns() -> Patterns:
    """The patterns of all ops inside functions."""
    return patterns_for(_FAMILY_OF)
