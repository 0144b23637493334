"""Part A: arithmetic, comparison, conversion, indexing, structured control flow."""

from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .conversions import conversion_patterns
from .floating_point import floating_point_patterns
from .indexing import indexing_patterns
from .integer import integer_patterns
from .shapes import shape_patterns
from .structure import structure_patterns


def populate_part_a(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of part A."""
    return {
        **integer_patterns(conversion, target),
        **floating_point_patterns(conversion, target),
        **conversion_patterns(conversion, target),
        **shape_patterns(conversion, target),
        **indexing_patterns(conversion, target),
        **structure_patterns(conversion, target),
    }
