"""Which columns of tensor memory the accumulators of a function have.

Products that add to each other's sums share columns, and so do sums that are never in use at the
same time.
"""

from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.buffer_lifetimes import BufferLifetimes, Lifetime
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.compute import ProductOp
from tileir_xdsl.layout.tensor_memory import COLUMNS
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

from .shared_tiles import is_shared


def is_tensor_memory_product(op: Operation) -> bool:
    """Whether an op is a product of operands in shared memory with its sums in tensor memory."""
    if not isinstance(op, ProductOp) or op.atom is None or op.scales:
        return False
    atom = MMA_ATOMS.get(op.atom.data)
    in_place = is_shared(op.a.type) and is_shared(op.b.type)
    return atom is not None and atom.kind is MMAKind.TENSOR_MEMORY and in_place


def _is_added_to(value: SSAValue, visited: set[SSAValue]) -> bool:
    """Whether a product in tensor memory adds to an asynchronous value."""
    if value in visited:
        return False
    visited.add(value)
    for use in value.uses:
        op = use.operation
        if isinstance(op, ProductOp) and op.c is value and is_tensor_memory_product(op):
            return True
        parent = op.parent_op()
        following: list[SSAValue] = []
        if isinstance(op, scf.ForOp) and use.index >= 3:
            following = [op.body.block.args[use.index - 2], op.results[use.index - 3]]
        elif isinstance(op, scf.YieldOp) and isinstance(parent, scf.ForOp):
            following = [parent.body.block.args[use.index + 1], parent.results[use.index]]
        elif isinstance(op, scf.YieldOp) and isinstance(parent, scf.IfOp):
            following = [parent.results[use.index]]
        if any(_is_added_to(v, visited) for v in following):
            return True
    return False


def accumulator_of(op: Operation) -> SSAValue | None:
    """The value for which an op needs columns of its own."""
    if isinstance(op, nv_tileas.ToAsyncOp):
        return op.result if _is_added_to(op.result, set()) else None
    if not is_tensor_memory_product(op):
        return None
    assert isinstance(op, ProductOp)
    return None if isinstance(op.c.type, ValueType) else op.results[0]


def tile_of(type: Attribute) -> TensorType[Attribute]:
    """The type of a tile that is there or on its way."""
    tile = type.payload if isinstance(type, ValueType) else type
    assert isinstance(tile, TensorType)
    return tile


@dataclass
class ColumnPlaces:
    """The first column of what each op takes of tensor memory, and how many all take together."""

    first: dict[Operation, int] = field(default_factory=dict[Operation, int])
    columns: int = 0


def assign_columns(function: Operation) -> ColumnPlaces:
    """Columns for all accumulators of a function.

    Raises `PassFailedException` where there are not enough.
    """
    places, lifetimes = ColumnPlaces(), BufferLifetimes(function)
    placed: list[tuple[Lifetime, int, int]] = []
    for op in function.walk():
        value = accumulator_of(op)
        if value is None:
            continue
        width, lifetime = tile_of(value.type).get_shape()[-1], lifetimes.of(op)
        first = 0
        for other, start, end in sorted(placed, key=lambda item: item[1]):
            if other.meets(lifetime) and first + width > start:
                first = max(first, end)
        placed.append((lifetime, first, first + width))
        places.first[op] = first
        places.columns = max(places.columns, first + width)
    if places.columns > COLUMNS:
        fail(
            function,
            f"'{function.name}' op needs {places.columns} columns of tensor memory, "
            f"there are {COLUMNS}",
        )
    return places
