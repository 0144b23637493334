"""The pass, and its options."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.layouts.groups import awaited, is_tile, tile_arguments
from tileir_xdsl.analysis.layouts.uses import ACCESSES
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.attributes import DEFAULT_WARPS
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.rewriting import Walker
from tileir_xdsl.targets import Target
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.layout_assignment import assign_layouts
from tileir_xdsl.walking import ops_in

from .async_accesses import assign_async_atoms
from .explanation import explain_choices
from .forced import check_forced, forced_candidates
from .rewrite import AssignLayouts, assigned_types, update_signature
from .stages import assign_stages

PREFER_TMA_VARIABLE = "TILEIR_PREFER_TMA_FOR_LOAD_STORE"
"""The environment variable for `prefer-tma`, if the option is not set."""

FLAGS = {"true": True, "false": False, "1": True, "0": False, "": False}


@dataclass(frozen=True)
class TileASAssignLoadStoreLayoutsPass(ModulePass):
    """Assigns layouts to tiles, and copy atoms to loads and stores."""

    name = "tileas-assign-load-store-layouts"

    prefer_tma: bool | None = None
    """Load and store by TMA wherever that is possible."""
    explain: str | None = None
    """The text or `.json` file for a report of candidates, costs and choices."""
    force: str | None = None
    """The forced candidates, e.g. `#4=ldg_32, #7=ldg_64`; the numbers are those of the report."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Read before anything is rewritten: a wrong variable is an error of the user's.
        prefer_tma = prefers_tma(self.prefer_tma)
        target = target_or_default(op)
        functions = [f for f in ops_in(op) if isinstance(f, nv_tileaa.FuncOp)]
        labels = {function: OperationLabels(function) for function in functions}
        forced = forced_candidates(self.force, labels)
        report = Report(self.name) if self.explain is not None else None
        for function in functions:
            assign_function(function, target, prefer_tma, forced, labels[function], report)
        if self.explain is not None and report is not None:
            write_report(report, self.explain)


def assign_function(
    function: nv_tileaa.FuncOp,
    target: Target,
    prefer_tma: bool,
    forced: Mapping[Operation, str],
    labels: OperationLabels,
    report: Report | None,
) -> None:
    """Assigns the layouts of one function, and reports how they were chosen."""
    warps = DEFAULT_WARPS if function.kernel_spec is None else function.kernel_spec.num_warps.data
    name = function.sym_name.data
    inside = {op: name for op, name in forced.items() if function.is_ancestor(op)}
    # Nothing is left to choose, unless somebody overrules the choices.
    if not inside and is_decided(function):
        return
    # First: the memory of a stage is given for all groups that its tiles are in.
    assign_stages(function, name, target, warps, labels, report)
    assignment = assign_layouts(
        function, target, warps, prefer_tma, inside, every_neighbour=report is not None
    )
    check_forced(assignment, inside, target, warps, labels)
    if report is not None:
        explain_choices(report, name, labels, assignment, target.cost_weights)
    pattern = AssignLayouts(assignment, assigned_types(function, assignment))
    # The walk visits the ops inside; the function has arguments of its own.
    pattern.match_and_rewrite(function, PatternRewriter(function))
    Walker(pattern, apply_recursively=False).rewrite_region(function.body)
    assign_async_atoms(function)
    update_signature(function)


def is_decided(function: nv_tileaa.FuncOp) -> bool:
    """Whether every tile of a function has a layout, and every access an atom."""
    ops = ops_in(function)
    tiles = [tile for op in ops for tile in (*filter(is_tile, op.results), *tile_arguments(op))]
    return (
        bool(tiles)
        and all(is_encoded(tile.type) for tile in tiles)
        and all(op.atom is not None for op in ops if isinstance(op, ACCESSES))
    )


def is_encoded(type: Attribute) -> bool:
    """Whether a tile type, possibly inside of an async value, has a layout."""
    tile = awaited(type)
    return isinstance(tile, TensorType) and isinstance(tile.encoding, LayoutAttr)


def prefers_tma(option: bool | None) -> bool:
    """Whether TMA is preferred, by the option or else by the environment variable.

    Raises:
        PassFailedException: the environment variable is neither true nor false.
    """
    if option is not None:
        return option
    # The variable that tileiras reads, so that scripts for it serve here too.
    value = os.environ.get(PREFER_TMA_VARIABLE, "")
    flag = FLAGS.get(value.lower())
    if flag is None:
        raise PassFailedException(f"{PREFER_TMA_VARIABLE} must be true or false, but is '{value}'")
    return flag
