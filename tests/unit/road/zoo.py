"""The kernels of the zoo as PTX: which targets take them, and how the emulator runs them."""

import io
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nvvm.matrix import LdMatrixOp, StMatrixOp
from tileir_xdsl.dialects.target_attributes import ABI_ATTRIBUTE, abi_of
from tileir_xdsl.emulator import LaunchStatistics
from tileir_xdsl.emulator.machine import DEFAULT_STEP_LIMIT
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import Kernel, find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.lowering import Observer
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase, Problem
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import WAVEFRONTS_ATTRIBUTE
from tileir_xdsl.transforms.pipeline_road import steps

GPUS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")

FOR_MMAS = "sm_89"
"""The target that differs from the one before in matrix instructions alone."""

NEEDED = {
    "f4E2M1FN": "sm_100a",
    "f8E8M0FNU": "sm_100a",
    "f8E": "sm_89",
    "gdc_": "sm_90a",
    r"atomic_rmw_tko.*addf.*bf16": "sm_90a",
}
"""What in the text of a kernel tells that it needs a later target than the first, and which."""

SHARED_SPACE = 3
SHARED_ACCESS = re.compile(r"\b(?:(?:ld|st)\.shared|(?:ld|st)matrix)\b")
ACCESSES = (llvm.LoadOp, llvm.StoreOp, llvm.MaskedStoreOp, LdMatrixOp, StMatrixOp)


def gpus_of(case: KernelCase) -> Sequence[str]:
    """The targets that can run a kernel."""
    return gpus_of_text(case.text_path.read_text())


def gpus_of_text(text: str) -> Sequence[str]:
    """The targets that can run the kernels of a module."""
    needed = [gpu for pattern, gpu in NEEDED.items() if re.search(pattern, text)]
    able = GPUS[max(map(GPUS.index, needed), default=0) :]
    return able if re.search(r"\bmma[fi]\b", text) else [g for g in able if g != FOR_MMAS]


def drawn_gpu(case: KernelCase) -> str:
    """One of the targets that can run a kernel: always the same for the same name."""
    able = gpus_of(case)
    return able[zlib.crc32(case.name.encode()) % len(able)]


@dataclass(frozen=True)
class Lowered:
    """The last module of a kernel, whose accesses of shared memory say what they should cost."""

    module: ModuleOp
    ptx: str


def nothing(_step: ModulePass, _module: ModuleOp) -> None:
    """Looks away."""


def lower(
    module: ModuleOp,
    gpu: str,
    before: Observer = nothing,
    *,
    dynamic_persistent: bool = False,
    abi: ABI = ABI.NATIVE,
    device_tensor_maps: bool | None = None,
) -> Lowered:
    """Takes a kernel itself down the road; `before` sees it ahead of every pass."""
    module.attributes[ABI_ATTRIBUTE] = StringAttr(abi.value)
    context = tools.context()
    options = Options(dynamic_persistent=dynamic_persistent, device_tensor_maps=device_tensor_maps)
    for step in steps(gpu, options):
        module_pass = step.module_pass
        before(module_pass, module)
        if isinstance(module_pass, ConvertTileASToLLVMPass):
            module_pass = ConvertTileASToLLVMPass(wavefronts=True)
        module_pass.apply(context, module)
    module.verify()
    return Lowered(module, emit(module))


@lru_cache(maxsize=32)
def _kernel(text: str, name: str) -> Kernel:
    """The kernel that arguments are bound to, which several runs of it share."""
    return find_kernel(tools.parse(text), name, name)


def run(
    case: KernelCase,
    lowered: Lowered,
    problem: Problem,
    grid: tuple[int, int, int],
    *,
    late: bool = False,
    races: bool = False,
    warp_seed: int | None = None,
    step_limit: int = DEFAULT_STEP_LIMIT,
) -> LaunchStatistics:
    """Runs the PTX of a kernel, and checks that it computes what numpy computes."""
    arguments = case.make_arguments(problem)
    expected = case.expected(arguments)
    kernel = _kernel(case.text_path.read_text(), case.name)
    values = bind_arguments(kernel, [Argument(None, as_argument(a, case.name)) for a in arguments])
    statistics = emulator.load(lowered.ptx).launch(
        case.name,
        grid,
        with_tensor_maps(lowered.module, case.name, values),
        dynamic_shared=dynamic_shared_memory(lowered.module, case.name),
        late=late,
        races=races,
        warp_seed=warp_seed,
        step_limit=step_limit,
        self_contained=abi_of(lowered.module) is ABI.TILE,
        output=io.StringIO(),
    )
    case.check(arguments, expected)
    return statistics


def shared_accesses(ptx: str) -> list[int]:
    """The lines of PTX that access shared memory."""
    return [n for n, line in enumerate(ptx.splitlines(), 1) if SHARED_ACCESS.search(line)]


def expected_wavefronts(lowered: Lowered) -> dict[int, int | None]:
    """What each line of PTX that accesses shared memory should take of every warp."""
    module = tools.run_passes(lowered.module.clone(), "dce", verify=False)
    # PTX has no loads of which nothing is used.
    accesses = (op for op in module.walk() if _is_shared(op) and all(r.uses for r in op.results))
    notes = [op.attributes.get(WAVEFRONTS_ATTRIBUTE) for op in accesses]
    counts = [note.value.data if isinstance(note, IntegerAttr) else None for note in notes]
    return dict(zip(shared_accesses(lowered.ptx), counts, strict=True))


def _is_shared(op: Operation) -> bool:
    types = [v.type for v in op.operands if isinstance(v.type, llvm.LLVMPointerType)]
    return isinstance(op, ACCESSES) and any(
        type.addr_space == IntAttr(SHARED_SPACE) for type in types
    )
