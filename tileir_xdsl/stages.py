"""The legal IR of every stage of the road, by dialect, and the check between stages."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.rewriting import dialect_name


@dataclass(frozen=True)
class Stage:
    """One stage: the dialects whose ops it may hold."""

    name: str
    dialects: frozenset[str]


CUDA_TILE = Stage("cuda_tile", frozenset({"builtin", "cuda_tile"}))
NV_TILEAA = Stage(
    "nv_tileaa", frozenset({"builtin", "nv_tileaa", "arith", "math", "scf", "func", "gpu", "ub"})
)
NV_TILEAS = Stage("nv_tileas", NV_TILEAA.dialects | {"nv_tileas", "tile"})
LLVM = Stage("llvm", frozenset({"builtin", "llvm", "nvvm"}))

STAGES = (CUDA_TILE, NV_TILEAA, NV_TILEAS, LLVM)
"""The stages in the order of the road."""


def is_legal(module: ModuleOp, stage: Stage) -> bool:
    """Whether all ops have a place in the stage."""
    return all(dialect_name(op) in stage.dialects for op in module.walk())


def check_stage(module: ModuleOp, stage: Stage) -> None:
    """Raises `PassFailedException` naming the first op that has no place in the stage."""
    for op in module.walk():
        if dialect_name(op) not in stage.dialects:
            fail(op, f"'{op.name}' op is not legal at stage {stage.name}")
