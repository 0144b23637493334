"""Functions of `linalg` on tensors become kernels of `cuda_tile`.

`conversion` is the pass, `legality` the ops that it takes, `patterns` has one pattern for each
producer of a tensor, `elementwise` the scalar ops, and `tiles` the ops that patterns share.
"""

from collections.abc import Sequence

__all__ = ["grid"]

DEFAULT = {0: (32,), 1: (1024, 32), 2: (32, 32, 32), 3: (1, 32, 32, 32)}
"""By the rank of a result: the sizes of its tile, then that of a tile along a reduction."""


def grid(shape: Sequence[int], tile: Sequence[int] | None = None) -> tuple[int, ...]:
    """The tile blocks of a kernel for a result of that shape; `tile` is that of its function."""
    sizes = zip(shape, tile or DEFAULT[len(shape)], strict=False)
    return (*(-(-extent // size) for extent, size in sizes), 1, 1, 1)[:3]
