"""The three populators of the conversion, in order; later patterns override earlier ones."""

from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .atomics import atomic_patterns
from .conversions import conversion_patterns
from .floating_point import floating_point_patterns
from .functions import function_patterns
from .indexing import indexing_patterns
from .integer import integer_patterns
from .miscellaneous import miscellaneous_patterns
from .mma_reduce_scan import mma_reduce_scan_patterns
from .pointer_accesses import memory_patterns
from .shapes import shape_patterns
from .structure import structure_patterns
from .views import view_patterns


def populate_part_a(conversion: Conversion, target: Target) -> PatternTable:
    """Part A: arithmetic, comparison, conversion, indexing, structured control flow."""
    return {
        **integer_patterns(conversion, target),
        **floating_point_patterns(conversion, target),
        **conversion_patterns(conversion, target),
        **shape_patterns(conversion, target),
        **indexing_patterns(conversion, target),
        **structure_patterns(conversion, target),
    }


def populate_part_b(conversion: Conversion, target: Target) -> PatternTable:
    """Part B: modules, functions, memory, pointers, tokens, views and partitions."""
    return {
        **function_patterns(conversion, target),
        **memory_patterns(conversion, target),
        **view_patterns(conversion, target),
        **atomic_patterns(conversion, target),
        **miscellaneous_patterns(conversion, target),
    }


def populate_part_c(conversion: Conversion, target: Target) -> PatternTable:
    """Part C: ops whose lowering depends on element types and regions."""
    return mma_reduce_scan_patterns(conversion, target)


POPULATORS = (populate_part_a, populate_part_b, populate_part_c)
