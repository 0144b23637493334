"""The tensor memory of a function, by the allocations that its ops state."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.dialects.nv_tileas.allocations import TENSOR_MEMORY, allocation_of
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.program_layouts import Ids
from tileir_xdsl.drawings.tensor_memory import TensorAllocation, tensor_memory_drawing
from tileir_xdsl.walking import ops_in


def tensor_memory_in(function: Operation, ids: Ids) -> Iterator[Drawing]:
    """Yields the map of tensor memory, if ops of the function have allocations."""
    allocations: list[TensorAllocation] = []
    for op in ops_in(function)[1:]:
        allocation = allocation_of(op, TENSOR_MEMORY)
        if allocation is None:
            continue
        name = " ".join(f"%{r.name_hint}" for r in op.results if r.name_hint)
        shape = _shape(op)
        label = " ".join(
            filter(None, (op.name.rpartition(".")[2], name, "x".join(map(str, shape))))
        )
        rows = shape[-2] if len(shape) > 1 else None
        names = tuple(ids(op))
        allocations.append(
            TensorAllocation(label, allocation.offset.data, allocation.size.data, rows, names)
        )
    if allocations:
        used = tuple(dict.fromkeys(name for one in allocations for name in one.ids))
        yield tensor_memory_drawing(allocations, "tensor memory", used)


def _shape(op: Operation) -> tuple[int, ...]:
    types = (awaited(result.type) for result in op.results)
    return next((type.get_shape() for type in types if isinstance(type, TensorType)), ())
