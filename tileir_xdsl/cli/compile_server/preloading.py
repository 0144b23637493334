"""Imports modules and computes results in the server before commands need them."""

import gc
import importlib

from xdsl.universe import Universe

from tileir_xdsl import samples
from tileir_xdsl.backend.ptx.tables import all_rules
from tileir_xdsl.passes import PASSES
from tileir_xdsl.runtime.collecting import ALLOCATIONS
from tileir_xdsl.runtime.program import load
from tileir_xdsl.transforms.convert_tileas_to_llvm.families import all_patterns

_MODULES = (
    "tileir_xdsl.bytecode.reader",
    "tileir_xdsl.cli.compile",
    "tileir_xdsl.cli.compile_log",
    "tileir_xdsl.cli.tileir_as.assembly",
)
"""The modules that most commands need; a forked process imports the rest."""

_DIALECTS = ("cuda_tile", "nv_tileaa", "nv_tileas", "nvvm", "llvm", "arith", "math", "scf")

_TARGETS = ("sm_80", "sm_90a", "sm_100a")
"""One target for each kind of matrix unit."""


def preload() -> None:
    """Imports the compiler and compiles the samples."""
    for name in _MODULES:
        importlib.import_module(name)
    for entry in PASSES.values():
        entry.load()
    for dialect in _DIALECTS:
        Universe.get_multiverse().all_dialects[dialect]()
    all_patterns()
    all_rules()
    # Results computed on first use, definitions of ops among them, must not be made in each
    # process.
    for gpu in _TARGETS:
        compile_samples(gpu)
    # Forked processes share existing objects, as long as nobody counts references to collect them.
    gc.collect()
    gc.freeze()
    # They end before there is much garbage.
    gc.set_threshold(ALLOCATIONS, *gc.get_threshold()[1:])


def compile_samples(gpu: str) -> None:
    """Compiles all samples for a target, without the cache."""
    for name in samples.names():
        load(samples.path(name), gpu).compile()
