"""How many accumulators the agent that issues MMAs fills in turn, as an attribute of the switch.

    agent_switch {.., num_warps = array<i32: 8, 1, 1>} {..}, {..}, {..}
        {nv_tileas.accumulators = 2 : i32}

With 0 no agent issues MMAs alone: the one that reads accumulators does.
"""

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

ACCUMULATORS = "nv_tileas.accumulators"


def accumulators_of(op: Operation) -> int | None:
    """The number on a switch; None where it is not decided."""
    attribute = op.attributes.get(ACCUMULATORS)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None
