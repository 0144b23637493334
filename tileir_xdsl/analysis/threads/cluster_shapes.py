"""Cluster shapes: how many CTAs divide the rows of a dot, and how many the columns.

Each CTA loads its rows of the left operand and its columns of the right one. The fewer rows and
columns a CTA loads in total, the smaller are the stages of its pipelines.
"""

LEAST_ROWS = 64
"""The least number of rows of a dot in one CTA: those of a warpgroup instruction."""
LEAST_COLUMNS = 32

Shape = tuple[int, int]
"""The numbers of CTAs along the rows and along the columns."""


def cluster_shapes(rows: int, columns: int, ctas: int) -> list[Shape]:
    """The shapes of clusters of `ctas` CTAs, a power of two, the best one first.

    Of equally good shapes, those with more parts of the rows come first: results along rows, such
    as sums, stay in one CTA.
    """
    shapes = [(1 << i, ctas >> i) for i in range(ctas.bit_length())]
    fitting = [s for s in shapes if rows // s[0] >= LEAST_ROWS and columns // s[1] >= LEAST_COLUMNS]
    return sorted(fitting, key=lambda shape: (rows // shape[0] + columns // shape[1], -shape[0]))
