"""Kernels of the zoo as `tileas-insert-barriers` leaves them, launched with races looked for."""

import io
from functools import cache
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl import interpreters, load
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.options import DEFAULT_OPTIONS, Options
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase, Problem, launch_arguments

FOLDER = Path(__file__).parent / "kernels"
"""Kernels as `tileir compile --emit nv_tileas` has written them once."""

ORDERING = (
    nv_tileas.BarrierOp,
    nv_tileas.CommitCopiesOp,
    nv_tileas.FenceProxyOp,
    nv_tileas.FenceTmemOp,
    nv_tileas.WaitCopiesOp,
    nv_tileas.WaitMMAsOp,
    nv_tileas.WaitOp,
)
"""The ops that order others."""


def case_of(name: str) -> KernelCase:
    """A kernel by its name, or that of its twin with divisible strides after `divisible/`."""
    folder, _, twin = name.rpartition("/")
    return DIVISIBLE[twin] if folder else KERNELS[name]


@cache
def _text(name: str, gpu: str, options: Options) -> str:
    program = load(case_of(name).text_path, gpu, options)
    return program.lower("tileas-insert-barriers").text


def compiled(name: str, gpu: str, options: Options = DEFAULT_OPTIONS) -> ModuleOp:
    """A kernel with all barriers and fences that the pass inserts."""
    return tools.parse(_text(name, gpu, options))


@cache
def _parsed(file: str) -> ModuleOp:
    return tools.parse((FOLDER / file).read_text())


def written(name: str, gpu: str) -> ModuleOp:
    """A kernel as it was compiled once: what orders its ops does not depend on passes any more."""
    return _parsed(f"{name.rpartition('/')[2]}_{gpu}.mlir").clone()


def ordering(module: ModuleOp) -> list[Operation]:
    """The ops that order others; of waits those for MMAs: stores wait by themselves without."""
    return [op for op in module.walk() if isinstance(op, ORDERING) and not _is_for_store(op)]


def _is_for_store(op: Operation) -> bool:
    return isinstance(op, nv_tileas.WaitOp) and not any(
        isinstance(source.type, ValueType) for source in op.sources
    )


def races_of(module: ModuleOp, name: str, problem: Problem | None = None) -> list[OnChipRace]:
    """The races in on-chip memory of one launch, by default of the typical problem."""
    case = case_of(name)
    return races_of_case(module, case, problem or case.typical)


def races_of_case(module: ModuleOp, case: KernelCase, problem: Problem) -> list[OnChipRace]:
    """The same, of a kernel that a test has made."""
    races = list[OnChipRace]()
    interpreters.launch(
        module,
        case.name,
        case.grid(problem),
        launch_arguments(case.make_arguments(problem)),
        output=io.StringIO(),
        listeners=(OnChipRaces(races.append),),
    )
    return races
