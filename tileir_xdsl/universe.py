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
from tileir_xdsl.on_use import value_at

_CANONICALIZED = ("cuda_tile", "nv_tileaa", "nv_tileas")
"""The dialects whose patterns `canonicalize` takes from their ops, which get them here."""


def _dialect(name: str, place: str) -> Dialect:
    dialect: Dialect = value_at(f"tileir_xdsl.dialects.{place}")
    if name in _CANONICALIZED:
        value_at(f"tileir_xdsl.transforms.canonicalization_patterns.{name}:attach_patterns")()
    return dialect


DIALECTS: dict[str, Callable[[], Dialect]] = {
    name: partial(_dialect, name, place)
    for name, place in (
        ("async", "async_:Async"),
        ("cuda_tile", "cuda_tile:CudaTile"),
        ("cute_nvgpu", "cute_nvgpu:CuteNVGPU"),
        ("nv_tileaa", "nv_tileaa:NVTileAA"),
        ("nv_tileas", "nv_tileas:NVTileAS"),
        ("nvvm", "nvvm:NVVM"),
        ("tile", "tile:Tile"),
        ("tilecpu", "tilecpu:TileCPU"),
    )
}


def _at_level(name: str) -> type[ModulePass]:
    entry = passes.PASSES[name]
    return value_at("tileir_xdsl.levels:at_level")(entry.load(), entry.level)


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
    extensions = value_at("tileir_xdsl.extensions.registry:load")(names)
    placed = [each for extension in extensions for each in extension.passes]
    return {each.name: partial(_at_level, each.name) for each in placed}


TARGETS: dict[str, Callable[[], type[Target]]] = {
    "llvm-ir": partial(value_at, "tileir_xdsl.backend.llvm_ir.target:LLVMIRTarget"),
    "ptx": partial(value_at, "tileir_xdsl.backend.ptx.target:PTXTarget"),
}

UNIVERSE = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)


def _bytecode(extension: str) -> type:
    return value_at("tileir_xdsl.bytecode.frontend:bytecode_frontend")(extension)


FRONTENDS: dict[str, Callable[[], type]] = {
    extension: partial(_bytecode, extension) for extension in ("tileirbc", "tilebc")
}
"""Front ends by the extension of a file's name."""

# xDSL 0.74 has no front ends of other packages.
getattr(UNIVERSE, "all_frontends", dict[str, Callable[[], type]]()).update(FRONTENDS)

UNTESTED = xdsl_versions.untested()
if UNTESTED is not None:
    sys.stderr.write(f"warning: {UNTESTED}\n")


def _extended(name: str, factory: Callable[[], Dialect]) -> Dialect:
    """A dialect of xDSL, extended by ops and types that xDSL lacks."""
    dialect = factory()
    try:
        return value_at(f"tileir_xdsl.dialects.{name}:extend")(dialect)
    except Exception:
        # Programs of others need nothing of ours: they keep their dialect where ours breaks.
        if UNTESTED is None:
            raise
        return dialect


# A second dialect of one name would be a clash, so xDSL's own lazy factories are wrapped.
for _name in ("arith", "llvm"):
    XDSL_UNIVERSE.all_dialects[_name] = partial(_extended, _name, XDSL_UNIVERSE.all_dialects[_name])
