"""The names of cuTile that kernels of the zoo use.

If cuTile is not installed, stand-ins replace it: the kernels keep their Tile IR, arguments and
references, but cannot be exported again.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING


def is_installed() -> bool:
    """Whether the package cuda-tile is installed."""
    try:
        return find_spec("cuda.tile") is not None
    except ModuleNotFoundError:
        # Nothing is installed that has a package `cuda`.
        return False


if TYPE_CHECKING or is_installed():
    import cuda.tile as ct
    from cuda.tile.compilation import (
        ArrayConstraint,
        ConstantConstraint,
        ParameterConstraint,
        ScalarConstraint,
        TupleConstraint,
    )
else:
    from tileir_xdsl.testing.kernels.absent import (
        ArrayConstraint,
        ConstantConstraint,
        ParameterConstraint,
        ScalarConstraint,
        TupleConstraint,
        ct,
    )

__all__ = [
    "ArrayConstraint",
    "ConstantConstraint",
    "ParameterConstraint",
    "ScalarConstraint",
    "TupleConstraint",
    "ct",
]
