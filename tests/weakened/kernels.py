"""The kernels that weaker ops are put into, by name, and how each is compiled and run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.passes import ModulePass

from bench.clusters import with_ctas
from bench.matrix_kernels import CASES, PAIR_CASES, PERSISTENT_CASES, SCALED_CASES, TALL_CASES
from tests.unit.road.zoo import Lowered, lower, nothing, run
from tests.weakened import block_kernels, global_kernels
from tests.weakened.planting import traced
from tests.weakened.written import FLAG
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import cuda_tile, nv_tileas
from tileir_xdsl.dialects.nv_tileas.accumulators import ACCUMULATORS
from tileir_xdsl.dialects.resource_attributes import STRATEGY_ATTRIBUTE
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.options import UNSPECIALIZE
from tileir_xdsl.runtime.lowering import Observer
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase
from tileir_xdsl.testing.kernels.case import Problem
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.tileas_overlap_epilogue import TileASOverlapEpiloguePass

MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
)


@dataclass(frozen=True)
class Kernel:
    """A kernel of `ctas` blocks a tile block, for a target, and a problem on which faults show."""

    case: KernelCase
    gpu: str
    ctas: int = 1
    problem: Problem | None = None
    options: tuple[tuple[str, Any], ...] = ()
    before: Observer = nothing
    """Is given each pass and the module before it, to choose something else than the compiler."""

    def lowered(self) -> ModuleOp:
        """The last module, in which each op that orders memory says by which site it was made."""
        with traced():
            text = with_ctas(self.case, self.ctas)
            return lower(tools.parse(text), self.gpu, self.before, **dict(self.options)).module

    def is_right(self, module: ModuleOp, mode: Mapping[str, Any]) -> bool:
        """Whether a module computes what numpy computes, without a race."""
        problem = self.case.typical if self.problem is None else self.problem
        kernel = Lowered(module, emit(module))
        try:
            with tempfile.TemporaryDirectory() as folder:
                case = replace(self.case, folder=Path(folder))
                case.text_path.write_text(with_ctas(case, self.ctas))
                run(case, kernel, problem, case.grid(problem), step_limit=2_000_000, **mode)
        except (EmulatorError, AssertionError):
            return False
        return True


def _with_one_slot(step: ModulePass, module: ModuleOp) -> None:
    """One place for the tensor maps of thread blocks."""
    if isinstance(step, ConvertTileASToLLVMPass):
        for op in module.walk():
            if isinstance(op, nv_tileas.MakeDeviceTmaDescsOp):
                op.slots = IntegerAttr(1, i32)


def _without_stages_of_sums(step: ModulePass, module: ModuleOp) -> None:
    """The agent that issues MMAs reads their sums itself."""
    if isinstance(step, TileASOverlapEpiloguePass):
        for op in module.walk():
            if isinstance(op, nv_tileas.AgentSwitchOp):
                op.attributes[ACCUMULATORS] = IntegerAttr(0, i32)


def _in_one_agent(_step: ModulePass, module: ModuleOp) -> None:
    """All warps load and multiply."""
    for op in module.walk():
        if isinstance(op, cuda_tile.EntryOp):
            op.attributes[STRATEGY_ATTRIBUTE] = StringAttr(UNSPECIALIZE)


def _pool() -> Iterator[tuple[str, Kernel]]:
    for name in _ZOO:
        for gpu in ("sm_80", "sm_90a", "sm_100a"):
            yield f"{name} {gpu}", Kernel(KERNELS[name], gpu)
    for name in _TWINS:
        for gpu in ("sm_80", "sm_90a", "sm_100a"):
            yield f"{name} {gpu} divisible", Kernel(DIVISIBLE[name], gpu, problem=_DEEP.get(name))
    for gpu in ("sm_90a", "sm_100a"):
        device = (("abi", ABI.TILE), ("device_tensor_maps", True))
        yield f"product {gpu} device", Kernel(_PRODUCT, gpu, problem=_SMALL, options=device)
        one = Kernel(_PRODUCT, gpu, problem=(256, 256, 128), options=device, before=_with_one_slot)
        yield f"product {gpu} one slot", one
        yield f"flag {gpu}", Kernel(FLAG, gpu)
        for case, ctas, problem in _MATRICES:
            yield f"{case.name} {gpu} {ctas}", Kernel(case, gpu, ctas, problem)
    overlapped = PAIR_CASES["persistent_256x128x64"]
    reading = Kernel(overlapped, "sm_100a", 2, (256, 256, 64), before=_without_stages_of_sums)
    yield "pair that reads its sums", reading
    tall = TALL_CASES["attention_256x128x64"]
    yield "tall attention", Kernel(tall, "sm_100a", problem=(1, 128))
    dynamic = (("dynamic_persistent", True),)
    for ctas in (1, 2):
        yield f"dynamic {ctas}", Kernel(_PRODUCT, "sm_100a", ctas, _SMALL, dynamic)
    for name in ("mxfp8", "nvfp4"):
        case = next(case for case in SCALED_CASES.values() if name in case.name)
        problem = 112, 112, 2 * 256
        yield f"{name}", Kernel(case, "sm_100a", problem=problem)
        yield f"{name} in one agent", Kernel(case, "sm_100a", 1, problem, before=_in_one_agent)


_ZOO = [
    "transpose",
    "softmax_f32",
    "layer_norm",
    "reductions",
    "cumulative",
    "histogram",
    "embedding",
    "moving_sum",
    "padding_modes_f16",
    "gather_rows",
    "sum_into_view",
    "atomic_sums_f32",
    "atomic_swaps_i32",
    "spin_lock",
    "last_block_sum",
    "memory_scopes",
    "dependent_launch",
    "print_formats",
    "convolution",
]
_TWINS = ["matmul_f16", "batched_matmul", "ragged_matmul", "persistent_matmul", "attention"]
_DEEP: Mapping[str, Problem] = {"matmul_f16": (32, 32, 640)}
"""Problems with more steps than stages."""
_SMALL = (104, 160, 656)
_PRODUCT = CASES["product_128x128x64"]
_MATRICES: tuple[tuple[KernelCase, int, Problem | None], ...] = (
    (_PRODUCT, 1, _SMALL),
    (CASES["attention_128x128x128"], 1, (1, 400)),
    *((case, 1, None) for case in PERSISTENT_CASES.values()),
    (_PRODUCT, 2, _SMALL),
    (CASES["attention_128x128x128"], 2, (1, 400)),
    (CASES["product_128x256x64"], 4, (104, 176, 656)),
    *((case, 2, None) for case in PAIR_CASES.values()),
)


@cache
def kernels() -> Mapping[str, Kernel | global_kernels.Text]:
    """All kernels, the cheapest ones first."""
    return {**block_kernels.KERNELS, **global_kernels.KERNELS, **dict(_pool())}
