"""Values of a running kernel in short form, and their SSA names."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile.printing import ValueNames
from tileir_xdsl.interpreters.accesses import Token
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.memory_order import Deferred
from tileir_xdsl.interpreters.numerics import POINTER
from tileir_xdsl.interpreters.views import TensorView, TileView
from tileir_xdsl.runtime.arrays import Array, is_integer
from tileir_xdsl.walking import ops_in

_EDGE = 3
"""The number of elements shown at each end of a long array."""


def short_array(values: Array, *, addresses: bool = False) -> str:
    """`float32[4x2] = [0.5, 1, ..]`: up to 8 elements, otherwise the first and last three.

    For a scalar, only its value is shown. Elements are in row-major order.
    """
    flat = values.reshape(-1)
    edge = flat if flat.size <= 2 * _EDGE + 2 else np.concatenate([flat[:_EDGE], flat[-_EDGE:]])
    texts = [_element(x, addresses) for x in edge]
    if values.ndim == 0:
        return texts[0]
    if len(texts) < flat.size:
        texts.insert(_EDGE, "...")
    dtype = "address" if addresses else values.dtype
    return f"{dtype}[{'x'.join(map(str, values.shape))}] = [{', '.join(texts)}]"


def _element(value: np.generic, is_address: bool) -> str:
    if is_address:
        return f"{int(value):#x}"
    return str(value) if is_integer(value.dtype) else f"{float(value):.6g}"


def short_value(value: object, type_: Attribute) -> str:
    """A value of a kernel in one short line; `type_` distinguishes pointers from numbers."""
    match value:
        case np.ndarray():
            return short_array(value, addresses=element_of(type_) is POINTER)
        case TensorView():
            return (
                f"tensor {_by(value.shape)} of {value.element.name}, "
                f"strides {list(value.strides)}, at {value.base:#x}"
            )
        case TileView():
            return f"tiles {_by(value.tile)} of {short_value(value.tensor, type_)}"
        case Token():
            return "token"
        case Deferred():
            return "not loaded yet"
        case _:
            return type(value).__name__


def _by(extents: Sequence[int]) -> str:
    return "x".join(map(str, extents))


class Names:
    """The SSA names of a module: the names in its text, if they distinguish the values.

    A value without a name in the text has the name that `tileir fmt` gives it.
    """

    def __init__(self, module: ModuleOp):
        self._formatted = ValueNames(module)
        values = list(_values(module))
        hints = Counter(value.name_hint for value in values)
        self._hinted = {v: v.name_hint for v in values if v.name_hint and hints[v.name_hint] == 1}
        taken = {self._formatted.of(v) for v in values if v not in self._hinted}
        self._hinted = {v: name for v, name in self._hinted.items() if name not in taken}

    def of(self, value: SSAValue) -> str:
        """The name of `value`, with the percent sign."""
        return f"%{self._hinted.get(value) or self._formatted.of(value)}"

    def results(self, op: Operation) -> str:
        """`%tile, %token = ` for an op with results, else the empty string."""
        return ", ".join(map(self.of, op.results)) + " = " if op.results else ""


def _values(module: ModuleOp) -> Iterator[SSAValue]:
    for op in ops_in(module):
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def source_line(location: str | None) -> int | None:
    """The line of a location `FILE:LINE:COL`."""
    return None if location is None else int(location.rsplit(":", 2)[1])
