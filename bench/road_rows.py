"""The rows of the seeds that a kernel can make or fire: what `bench.road_coverage` looks for.

Ops, types and attributes are those of the rosters; patterns and passes are those that carry out
what a seed describes, found where they are defined, so that a new one has a row at once.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.pattern_rewriter import RewritePattern

import tileir_xdsl.builders
import tileir_xdsl.transforms
from tileir_xdsl.dialects.cuda_tile import CudaTile, TokenJoinOp

PIPELINE = "async.pipeline."
OPS: Mapping[str, Sequence[str]] = {
    "async pipeline": [
        PIPELINE + name
        for name in [
            "create_pipeline",
            "create_iterator",
            "inc_iter",
            "produce_one",
            "produce_one_async",
            "consume_one",
            "consume_one_async",
            "producer_acquire",
            "producer_write",
            "producer_commit",
            "consumer_wait",
            "consumer_read",
            "consumer_release",
            "agent_switch",
            "yield",
        ]
    ],
    "async tokens": [
        "async.wait",
        "async.future_wait",
        "async.to_async",
        "async.token_to_async",
        "create_none",
    ],
    "tiled memops": [
        "tiled_load",
        "tiled_store",
        "tiled_atomic_rmw",
        "async.tiled_load",
        "async.copy",
        "async.load",
        "async.store",
        "copy",
        "load",
        "store",
        "gather_load",
        "scatter_store",
    ],
    "tensor slices": [
        "alloc_tensor",
        "extract_slice",
        "insert_slice",
        "async.extract_slice",
        "async.insert_slice",
    ],
    "layout": ["convert_layout", "view", "expand_dims", "reinterpret", "shuffle", "generate"],
    "TMA": [
        "make_tiled_tma_desc",
        "async.tiled_tma_load",
        "async.tiled_tma_store",
        "async.gather_tma_load",
        "async.scatter_tma_store",
    ],
    "compute": ["dot", "async.dot", "reduce", "scan"],
    "control and metadata": [
        "yield",
        "pragma",
        "cancel_next_program_id",
        "async.cancel_next_program_id",
    ],
}
"""The operation families of seed 003."""

TYPES = (
    "nv_tileas.async.pipeline.producer_token",
    "nv_tileas.async.pipeline.consumer_token",
    "nv_tileas.async.pipeline.iterator",
    "nv_tileas.async_token",
    "nv_tileas.agent",
    "nv_tileas.tma_desc",
    "nv_tileas.tiled_view",
    "nv_tileaa.tiled_view",
    "nv_tileaa.memref",
    "nv_tileaa.mem_token",
    "async.value",
    "nv_tileas.layout",
    "nv_tileas.memory",
)
"""The types of seed 003, and the two encodings that tell where a tile is."""

ATTRIBUTES: Mapping[str, Sequence[str]] = {
    "003 attribute roster": [
        "atom",
        "padding_value",
        "consumer_idx",
        "ocgEnterDirectives",
        "ocgLeaveDirectives",
        "operandSegmentSizes",
        "mem_semantic",
        "mem_scope",
        "in_bounds",
    ],
    "001 witnesses": ["copy_atom", "reduce_atom"],
    "003 operand and result tables": [
        "numStages",
        "producerGroupId",
        "consumerGroupId",
        "sharedMem",
        "dynamic",
        "producer_types",
        "consumer_types",
        "num_agents_per_group",
        "max_regs",
        "isolated",
        "swizzle_mode",
        "oob_mode",
        "rmw_mode",
    ],
    "000 layout": ["nv_tileas.layout"],
    "000 slicing": ["sliceCount"],
}

PASSES: Mapping[str, Sequence[str]] = {
    "000 pass roster": (
        "tileas-assign-load-store-layouts",
        "tileas-remove-layout-conversions",
        "tileas-remove-buffer-alias",
        "tileas-remove-dead-args",
        "tileas-resolve-agent-boundary",
        "tileas-slicing",
    ),
    "001 passes": ("convert-cuda-tile-to-tileaa", "convert-tileaa-to-tileas"),
    "003 and 004 passes": (
        "canonicalize",
        "tileas-materialize-async",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
        "tileas-canonicalize",
    ),
}

PATTERN_FOLDERS: Mapping[str, Sequence[str]] = {
    "000 patterns": (
        "tileir_xdsl.transforms.tileas_assign_load_store_layouts",
        "tileir_xdsl.transforms.tileas_remove_layout_conversions",
        "tileir_xdsl.transforms.tileas_remove_buffer_alias",
        "tileir_xdsl.transforms.tileas_remove_dead_args",
        "tileir_xdsl.transforms.tileas_resolve_agent_boundary",
        "tileir_xdsl.transforms.tileas_slicing",
    ),
    "001 patterns": ("tileir_xdsl.transforms.convert_cuda_tile_to_tileaa",),
    "003 dot simplification": ("tileir_xdsl.builders.dot_simplification",),
    "004 folds": ("tileir_xdsl.transforms.canonicalization_patterns.nv_tileas",),
}
"""The modules, by the beginning of their names, with the patterns of each seed."""

BUILDER_NAMES: Mapping[str, Sequence[str]] = {
    "pipelines": (
        "build_produce_one",
        "build_produce_one_async",
        "build_consume_one",
        "build_consume_one_async",
        "build_agent_switch",
    ),
    "tiled_memory": ("build_view_then_tiled_load", "build_view_then_tiled_store"),
    "dots": (
        "build_dot",
        "build_zero_accumulator_dot",
        "build_predicated_dot",
        "build_dot_loop",
        "build_masked_dot",
    ),
    "arithmetic": (
        "constant",
        "add",
        "multiply",
        "subtract",
        "divide_signed",
        "maximum_signed",
        "select",
        "index_expression",
    ),
    "schedule": ("materialize_schedule", "build_stages", "expand_single_tiled_op"),
}
"""The builders of seed 003, by their module in `tileir_xdsl/builders`."""


@dataclass(frozen=True)
class Row:
    """A row of a seed, and by what a compilation shows it."""

    section: str
    kind: str
    """`op`, `type`, `attribute`, `pass`, `pattern` or `builder`."""
    name: str

    @property
    def key(self) -> str:
        return f"{self.kind} {self.name}"

    def matches(self, seen: Set[str]) -> bool:
        """Whether a compilation that has seen these keys has the row."""
        if self.kind != "attribute":
            return self.key in seen
        return any(
            kind == "attribute" and op.startswith(("nv_tileas.", "scf.")) and name == self.name
            for kind, op, name in (key.split() for key in seen if key.count(" ") == 2)
        )


@cache
def pattern_classes() -> tuple[type[RewritePattern], ...]:
    """Every pattern of the passes and builders, by name."""
    for package in (tileir_xdsl.transforms, tileir_xdsl.builders):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)

    def below(cls: type[RewritePattern]) -> Iterator[type[RewritePattern]]:
        for derived in cls.__subclasses__():
            yield derived
            yield from below(derived)

    found = {cls for cls in below(RewritePattern) if cls.__module__.startswith("tileir_xdsl.")}
    return tuple(sorted(found, key=lambda cls: (cls.__module__, cls.__name__)))


@cache
def builders() -> Mapping[str, Callable[..., Any]]:
    """The builders by name."""
    return {
        name: getattr(importlib.import_module(f"tileir_xdsl.builders.{module}"), name)
        for module, names in BUILDER_NAMES.items()
        for name in names
    }


@cache
def road_rows() -> tuple[Row, ...]:
    """Every row, seed by seed."""
    # `token.join` is a word of the lowering's examples, not of the specification.
    operations = [op for op in CudaTile.operations if op is not TokenJoinOp]
    rows = [Row("002 operations", "op", op.name) for op in operations]
    for family, names in OPS.items():
        rows += [Row(f"003 {family}", "op", f"nv_tileas.{name}") for name in names]
    rows += [Row("003 types", "type", name) for name in TYPES]
    for section, names in ATTRIBUTES.items():
        rows += [Row(section, "attribute", name) for name in names]
    for section, names in PASSES.items():
        rows += [Row(section, "pass", name) for name in names]
    for section, modules in PATTERN_FOLDERS.items():
        rows += [
            Row(section, "pattern", cls.__name__)
            for cls in pattern_classes()
            if cls.__module__.startswith(tuple(modules)) and not inspect.isabstract(cls)
        ]
    for names in BUILDER_NAMES.values():
        rows += [Row("003 builders", "builder", name) for name in names]
    return tuple(sorted(rows, key=lambda row: row.section))
