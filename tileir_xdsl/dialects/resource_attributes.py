"""Requests of a function to passes that spend resources: attributes of it and its accesses.

They are written by hand, or by the ladder of `tileir-pipeline` (`transforms/resource_ladder.py`)
where a kernel exceeded a resource without them.
"""

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation

SLICES_ATTRIBUTE = "nv_tileas.slices"
"""The number of slices, a power of two: read by `tileas-slice-and-fuse`, which also writes on each
loop how many it has."""

STAGES_ATTRIBUTE = "nv_tileas.num_stages"
"""The most stages of a pipeline, an integer: read by `tileas-materialize-async`."""

STRATEGY_ATTRIBUTE = "nv_tileas.pipeline_strategy"
"""The strategy of `tileas-materialize-schedule`, a string."""

MMA_SCHEDULE_ATTRIBUTE = "nv_tileas.mma_schedule"
"""The form of the loops of a function that have asynchronous MMAs, a string: read by
`tileas-generate-schedule`."""

WARPS_ATTRIBUTE = "nv_tileaa.asked_warps"
"""Says that the warps of a kernel were asked for, by a hint or an option: a unit attribute."""

DEVICE_MAPS_ATTRIBUTE = "nv_tileas.device_tensor_maps"
"""Says that a kernel of ABI `tile` makes its tensor maps: a unit attribute, written by
`tileas-plan-tensor-maps`."""


LATENCY_ATTRIBUTE = "latency"
"""The hint of an access, 1 (low) to 10 (high): a property, of bulk copies a discardable attribute.
`tileas-materialize-async` removes it from loads in pipelines.
"""


def asked_latency(op: Operation) -> int | None:
    """The hint `latency` of an access that no pass has followed yet."""
    given = op.properties.get(LATENCY_ATTRIBUTE, op.attributes.get(LATENCY_ATTRIBUTE))
    return given.value.data if isinstance(given, IntegerAttr) else None


def asked_integer(function: Operation, name: str) -> int | None:
    """The integer of an attribute of a function, if it has one."""
    attribute = function.attributes.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def asked_string(function: Operation, name: str) -> str | None:
    """The string of an attribute of a function, if it has one."""
    attribute = function.attributes.get(name)
    return attribute.data if isinstance(attribute, StringAttr) else None
