"""Part B: modules, functions, memory, pointers, tokens, views and partitions."""

from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .atomics import atomic_patterns
from .functions import function_patterns
from .miscellaneous import miscellaneous_patterns
from .pointer_accesses import memory_patterns
from .views import view_patterns


def populate_part_b(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of part B."""
    return {
        **function_patterns(conversion, target),
        **memory_patterns(conversion, target),
        **view_patterns(conversion, target),
        **atomic_patterns(conversion, target),
        **miscellaneous_patterns(conversion, target),
    }
