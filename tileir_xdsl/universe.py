"""The parts of this package that `xdsl-opt` sees: dialects, passes, targets and, where xDSL takes
them from a package, front ends. All are imported on first use."""

import sys
from collections.abc import Callable, Sequence
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


def _at_level(name: str) -> type[ModulePass]:
    from tileir_xdsl.levels import at_level

    entry = passes.PASSES[name]
    return at_level(entry.load(), entry.level)


# The pipeline runs the passes themselves: it knows the level of what it gives them.
PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    name: partial(_at_level, name)
    for name, entry in passes.PASSES.items()
    if entry.origin == passes.OURS and name != passes.CANONICALIZE
}


def extension_passes(names: Sequence[str]) -> dict[str, Callable[[], type[ModulePass]]]:
    """The passes of extensions by name. Raises OptionError for an unknown extension."""
    if not names:
        return {}
    # Only who names extensions imports them.
    from tileir_xdsl.extensions.registry import load

    placed = [each for extension in load(names) for each in extension.passes]
    return {each.name: partial(_at_level, each.name) for each in placed}


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
