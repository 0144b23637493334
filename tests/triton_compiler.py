"""PTX of Triton kernels, compiled without a GPU."""

import importlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon._runtime import GluonASTSource, GluonJITFunction

# Triton does not say that this module is there.
_KNOBS: Any = importlib.import_module("triton.knobs")

Swizzle = Literal[0, 32, 64, 128]
SWIZZLES: tuple[Swizzle, ...] = (0, 32, 64, 128)


@dataclass(frozen=True)
class TritonKernel:
    """What a launch needs: the PTX, threads of a block, bytes of dynamic shared memory.

    `boxes` are the extents and the swizzle in bytes of the tensor maps among the parameters.
    """

    ptx: str
    name: str
    threads: int
    shared: int
    boxes: tuple[tuple[tuple[int, ...], Swizzle], ...]


@cache
def _compile(
    function: Any,
    signature: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, Any], ...],
    capability: int,
    warps: int,
    stages: int,
    ctas: int,
    multiples: tuple[str, ...],
) -> TritonKernel:
    # Without an explicit choice Triton warns that its default will change.
    options = {
        "num_warps": warps,
        "num_stages": stages,
        "num_ctas": ctas,
        "enable_fp_fusion": True,
    }
    types = {**dict(signature), **{name: "constexpr" for name, _ in constants}}
    aligned = {
        (index,): [["tt.divisibility", 16]]
        for index, (name, type_) in enumerate(signature)
        if type_.startswith("*") or name in multiples
    }
    of_gluon = isinstance(function, GluonJITFunction)
    source = (GluonASTSource if of_gluon else ASTSource)(function, types, dict(constants), aligned)
    with (
        tempfile.TemporaryDirectory() as folder,
        _KNOBS.cache.scope(),
        _KNOBS.compilation.scope(),
    ):
        _KNOBS.cache.dir = folder
        # Line tables are half of the machine code.
        _KNOBS.compilation.disable_line_info = True
        compiled: Any = triton.compile(
            source, target=GPUTarget("cuda", capability, 32), options=options
        )
        metadata = compiled.metadata
        boxes = tuple(
            (tuple(each["block_size"]), SWIZZLES[each["swizzle"]])
            for each in metadata.tensordesc_meta or ()
        )
        return TritonKernel(compiled.asm["ptx"], metadata.name, 32 * warps, metadata.shared, boxes)


def compile_triton(
    function: Any,
    signature: Mapping[str, str],
    constants: Mapping[str, Any],
    *,
    capability: int = 90,
    warps: int = 4,
    stages: int = 3,
    ctas: int = 1,
    multiples: tuple[str, ...] = (),
) -> TritonKernel:
    """Compiles a `triton.jit` or a `gluon.jit` function.

    `signature` has Triton's type of each argument, as `*fp32`; `capability` is 90 for sm_90, and
    `ctas` how many blocks share the work of one. Pointers, and the numbers that `multiples` names,
    are multiples of 16.
    """
    return _compile(
        function,
        tuple(signature.items()),
        tuple(constants.items()),
        capability,
        warps,
        stages,
        ctas,
        multiples,
    )
