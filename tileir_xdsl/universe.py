"""The parts of this package that `xdsl-opt` sees: dialects, passes, targets and, where xDSL takes
them from a package, front ends. All are imported on first use."""

import sys
from collections.abc import Callable
from functools import partial

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target

from tileir_xdsl import passes, xdsl_versions


def _cuda_tile() -> Dialect:
    from tileir_xdsl.dialects.cuda_tile import CudaTile
    from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile import attach_patterns

    attach_patterns()
    return CudaTile


def _cute_nvgpu() -> Dialect:
    from tileir_xdsl.dialects.cute_nvgpu import CuteNVGPU

    return CuteNVGPU


def _nv_tileaa() -> Dialect:
    from tileir_xdsl.dialects.nv_tileaa import NVTileAA
    from tileir_xdsl.transforms.canonicalization_patterns.nv_tileaa import attach_patterns

    attach_patterns()
    return NVTileAA


def _nv_tileas() -> Dialect:
    from tileir_xdsl.dialects.nv_tileas import NVTileAS
    from tileir_xdsl.transforms.canonicalization_patterns.nv_tileas import attach_patterns

    attach_patterns()
    return NVTileAS


def _async() -> Dialect:
    from tileir_xdsl.dialects.async_ import Async

    return Async


def _tile() -> Dialect:
    from tileir_xdsl.dialects.tile import Tile

    return Tile


def _nvvm() -> Dialect:
    from tileir_xdsl.dialects.nvvm import NVVM

    return NVVM


def _bytecode(extension: str) -> type:
    from tileir_xdsl.bytecode.frontend import bytecode_frontend

    return bytecode_frontend(extension)


def _ptx() -> type[Target]:
    from tileir_xdsl.backend.ptx.target import PTXTarget

    return PTXTarget


DIALECTS: dict[str, Callable[[], Dialect]] = {
    "async": _async,
    "cuda_tile": _cuda_tile,
    "cute_nvgpu": _cute_nvgpu,
    "nv_tileaa": _nv_tileaa,
    "nv_tileas": _nv_tileas,
    "nvvm": _nvvm,
    "tile": _tile,
}

_LEVELS = {
    "synthesize-debug-info-scopes": "cuda_tile",
    "fuse-fma": "cuda_tile",
    "loop-split": "cuda_tile",
    "convert-cuda-tile-to-tileaa": "cuda_tile",
    "convert-tileaa-to-tileas": "nv_tileaa",
    "tileas-assign-load-store-layouts": "nv_tileas",
    "tileas-remove-layout-conversions": "nv_tileas",
    "tileas-remove-buffer-alias": "nv_tileas",
    "tileas-canonicalize": "nv_tileas",
    "tileas-remove-dead-args": "nv_tileas",
    "tileas-resolve-agent-boundary": "nv_tileas",
    "tileas-allocate-shared-memory": "nv_tileas",
    "tileas-allocate-tensor-memory": "nv_tileas",
    "tileas-assign-dot-layouts": "nv_tileas",
    "tileas-dynamic-persistent": "nv_tileas",
    "tileas-plan-cta": "nv_tileaa",
    "tileas-plan-tensor-maps": "nv_tileas",
    "tileas-slice-and-fuse": "nv_tileaa",
    "tileas-generate-schedule": "nv_tileas",
    "tileas-legalize-tmem-copy": "nv_tileas",
    "tileas-materialize-async": "nv_tileas",
    "tileas-materialize-convert-layout": "nv_tileas",
    "tileas-materialize-schedule": "nv_tileas",
    "tileas-optimize-pipeline-region": "nv_tileas",
    "tileas-insert-barriers": "nv_tileas",
    "tileas-select-cta-group": "nv_tileas",
    "tileas-overlap-epilogue": "nv_tileas",
    "tileas-select-lowering": "nv_tileas",
    "tileas-slicing": "nv_tileas",
    "tileas-unspecialized-pipeline": "nv_tileas",
    "lower-tma-load-store-to-async": "nv_tileas",
    "lower-ldgsts-load-to-async": "nv_tileas",
    "optimize-execution-unit-mapping": "nv_tileas",
    "tileas-attach-tma-desc-args": "nv_tileas",
    "convert-tileas-to-llvm": "nv_tileas",
    "tileir-pipeline": "cuda_tile",
}
"""The level of the IR that a pass takes."""


def _at_level(name: str) -> type[ModulePass]:
    from tileir_xdsl.levels import at_level

    return at_level(passes.PASSES[name].load(), _LEVELS[name])


# The pipeline runs the passes themselves: it knows the level of what it gives them.
PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    name: partial(_at_level, name) for name in passes.PASSES
}

TARGETS: dict[str, Callable[[], type[Target]]] = {"ptx": _ptx}

UNIVERSE = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)


FRONTENDS: dict[str, Callable[[], type]] = {
    extension: partial(_bytecode, extension) for extension in ("tileirbc", "tilebc")
}
"""By the extension of a file's name."""

# xDSL 0.74 has no front ends of other packages.
getattr(UNIVERSE, "all_frontends", dict[str, Callable[[], type]]()).update(FRONTENDS)

UNTESTED = xdsl_versions.untested()
if UNTESTED is not None:
    sys.stderr.write(f"warning: {UNTESTED}\n")


def _extended(name: str, factory: Callable[[], Dialect]) -> Dialect:
    """A dialect of xDSL with the ops and types that it lacks."""
    dialect = factory()
    try:
        if name == "llvm":
            from tileir_xdsl.dialects.llvm import extend
        else:
            from tileir_xdsl.dialects.arith import extend
        return extend(dialect)
    except Exception:
        # Programs of others need nothing of ours: they keep their dialect where ours breaks.
        if UNTESTED is None:
            raise
        return dialect


# A second dialect of one name would be a clash, so xDSL's own lazy factories are wrapped.
for _name in ("arith", "llvm"):
    XDSL_UNIVERSE.all_dialects[_name] = partial(_extended, _name, XDSL_UNIVERSE.all_dialects[_name])
