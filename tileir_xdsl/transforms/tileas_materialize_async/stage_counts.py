"""How many stages each pipeline of a function gets.

Stages are what hides the latency of memory, so they get all shared memory that the rest of the
function leaves: one stage in turn for the pipeline that has the fewest.
"""

from collections.abc import Sequence

MOST_STAGES = 8
"""More loads than these in flight hide no more latency."""


def stage_counts(
    stage_bytes: Sequence[int], capacity: int, most: int | Sequence[int] = MOST_STAGES
) -> tuple[int, ...] | None:
    """The stages of pipelines whose stages take so many bytes; None if one of each is too many.

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
        fewest = min(growing, key=counts.__getitem__)
        counts[fewest] += 1
        free -= stage_bytes[fewest]
