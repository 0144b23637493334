"""The attributes that `tilecpu-group` writes on ops of `nv_tileaa`, and its readers."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

GROUP = "tilecpu.group"
"""On an op: the number of its group, which is a nest or an op between nests."""

GROUPS = "tilecpu.groups"
"""On a function: the decisions for each group, such as `{vector = 16 : i64}`."""

VECTOR = "vector"

REGISTER_BLOCK = "tilecpu.register_block"
"""On a dot: the rows and columns of the accumulator that registers hold, and the vector width."""

PANELS = "tilecpu.panels"
"""On a dot: operand B is packed, so that the columns of a register block are contiguous."""


def group_of(op: Operation) -> int | None:
    """The group of an op; None if each user's nest recomputes the op."""
    found = op.attributes.get(GROUP)
    return found.value.data if isinstance(found, IntegerAttr) else None


def decisions_of(function: Operation, group: int) -> Mapping[str, Attribute]:
    """The decisions for a group; empty if it has no entry."""
    groups = function.attributes.get(GROUPS)
    if isinstance(groups, ArrayAttr) and group < len(groups.data):
        found = groups.data[group]
        if isinstance(found, DictionaryAttr):
            return found.data
    return {}


def vector_of(function: Operation, group: int) -> int:
    """The vector width of a group, by default 1."""
    found = decisions_of(function, group).get(VECTOR)
    return found.value.data if isinstance(found, IntegerAttr) else 1
