"""Passes, dialects, ops and targets of other packages, and how a compilation names them.

    EXTENSION = Extension(
        "my_peephole",
        passes=(PlacedPass(MyPass, level="nv_tileas", after="tileas-canonicalize"),),
    )

A package provides an extension by an entry point in the group `tileir_xdsl.extensions`. A Python
file provides one as `EXTENSION`, and a notebook by a call of `register`. A compilation uses the
extensions that its options name: `Options(extensions=("my_peephole",))`, or `--with my_peephole`.
"""

from tileir_xdsl.extension_parts import (
    ElementaryFunction,
    EmulatedInstruction,
    ExtensionDialect,
    MadeBy,
    OpParts,
    ServedPackage,
    Strategy,
    TargetVariant,
)
from tileir_xdsl.extensions.extension import Extension, PlacedPass
from tileir_xdsl.extensions.registry import register
from tileir_xdsl.passes import Promise

__all__ = [
    "ElementaryFunction",
    "EmulatedInstruction",
    "Extension",
    "ExtensionDialect",
    "MadeBy",
    "OpParts",
    "PlacedPass",
    "Promise",
    "ServedPackage",
    "Strategy",
    "TargetVariant",
    "register",
]
