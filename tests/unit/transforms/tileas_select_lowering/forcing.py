"""Kernels whose ops are lowered by strategies that somebody has written on them."""

from collections.abc import Callable, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileas.strategies import STRATEGY, Strategy, StrategyAttr
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass
from tileir_xdsl.transforms.tileas_select_lowering.selection import FAMILIES
from tileir_xdsl.transforms.tileas_select_lowering.strategies import StrategySelection

Prepare = Callable[[ModuleOp], None]
"""What is done to a module before strategies are selected."""


def lowered(text: str, gpu: str, prepare: Prepare) -> str:
    """The PTX of a program that `prepare` has written strategies on."""
    module, context = tools.parse(text), tools.context()
    for module_pass in passes(gpu):
        if isinstance(module_pass, TileASSelectLoweringPass):
            prepare(module)
        module_pass.apply(context, module)
    return emit(module, gpu)


def selections(module: ModuleOp) -> Iterator[StrategySelection]:
    """The strategies of all ops that have several."""
    target = target_or_default(module)
    for op in module.walk():
        if (family := FAMILIES.get(type(op))) is not None:
            selection = StrategySelection.of(op, family, target, None)
            if selection is not None:
                yield selection


def forcing(strategy: Strategy, forced: list[Operation]) -> Prepare:
    """Writes one strategy on all ops that can have it; these are added to a list."""

    def prepare(module: ModuleOp) -> None:
        for selection in selections(module):
            if strategy in selection.costs:
                selection.op.attributes[STRATEGY] = StrategyAttr(strategy)
                forced.append(selection.op)

    return prepare
