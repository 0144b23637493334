"""`cute_nvgpu`: atoms, which name the hardware form of a copy or of a reduction.

The name of an atom is a key of the target tables.
"""

from xdsl.ir import Dialect

from .atoms import CopyAtomAttr, ReduceAtomAttr
from .types import TmaDescriptorTiledType

CuteNVGPU = Dialect("cute_nvgpu", [], [CopyAtomAttr, ReduceAtomAttr, TmaDescriptorTiledType])

__all__ = ["CopyAtomAttr", "CuteNVGPU", "ReduceAtomAttr", "TmaDescriptorTiledType"]
