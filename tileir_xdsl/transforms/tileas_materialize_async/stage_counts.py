"""How many stages each pipeline of a function gets.

Stages hide memory latency, so they get all shared memory that the function does not need otherwise.
The pipeline with the fewest stages gets the next stage.
"""

from collections.abc import Sequence

MOST_STAGES = 8
"""The most stages of a pipeline: more loads in flight hide no further latency, unless a hint states
a longer latency.
"""


def stages_for(latency: int) -> int:
    """The stages that the hint `latency` requests: one to read, and `latency` being loaded."""
    return latency + 1


def stage_counts(
    stage_bytes: Sequence[int], capacity: int, most: int | Sequence[int] = MOST_STAGES
) -> tuple[int, ...] | None:
    """The number of stages of each pipeline; None if one stage of each exceeds the capacity.

    Args:
        stage_bytes: the bytes of one stage of each pipeline.
        capacity: the bytes of shared memory that stages may take.
        most: the most stages that a pipeline may have, all of them or each.
    """
    limits = [most] * len(stage_bytes) if isinstance(most, int) else most
    counts = [1] * len(stage_bytes)
    free = capacity - sum(stage_bytes)
    if free < 0:
        return None
    while True:
        growing = [
            number
            for number, size in enumerate(stage_bytes)
            if counts[number] < limits[number] and size <= free
        ]
        if not growing:
            return tuple(counts)
        # Loads of one iteration are needed together: the shortest pipeline limits them all.
        fewest = min(growing, key=counts.__getitem__)
        counts[fewest] += 1
        free -= stage_bytes[fewest]
