"""Decides which ops of a block share a loop nest, and the order of nests.

Stores, reductions and ops on whole tiles are placed in program order. Each pulls the ops of its
operands into its nest, if the nest reads their elements at its own index. A tile that is read at
another index comes from a buffer, which an earlier nest fills. Ops of one index space may share a
nest, if values and memory accesses keep their order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DictionaryAttr, IntegerType, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from tileir_xdsl.analysis.iteration_space.index_maps import (
    IndexMap,
    NotRepresentableError,
    Shape,
    compose,
    identity,
    squeezed,
)
from tileir_xdsl.analysis.iteration_space.tile_ops import (
    ATOMICS,
    LOADS,
    Kind,
    element_operands,
    is_token,
    kind_of,
    moved_from,
    space_of,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import (
    LoadThroughPointersOp,
    StoreThroughPointersOp,
)
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import TiledAccessOp
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.combining import commutative_op
from tileir_xdsl.walking import ops_in

from .distinct import distinct_elements

BEFORE_ALL = -1
"""The place of values that are available before all nests of a block."""


@dataclass
class Group:
    """A nest, or an op on whole tiles, with its number in the function and its ops."""

    number: int
    space: Shape | None
    """The extents of a nest above 1; None for an op on whole tiles."""
    ops: list[Operation] = field(default_factory=list[Operation])
    axis: int | None = None
    """The dimension that the nest reduces."""


@dataclass
class Numbering:
    """The groups of a function so far."""

    groups: list[Group] = field(default_factory=list[Group])
    beginning: frozenset[Operation] = frozenset()
    """Ops that must begin a new nest."""
    distinct: dict[DictionaryAttr, None] = field(default_factory=dict[DictionaryAttr, None])
    """The facts of tiles whose elements must have distinct addresses."""

    def new(self, space: Shape | None) -> Group:
        self.groups.append(Group(len(self.groups), space))
        return self.groups[-1]


@dataclass
class _Pulled:
    """Ops that are added to one nest, and the first place that this nest may have."""

    ops: list[Operation] = field(default_factory=list[Operation])
    lowest: int = 0
    repeated: list[Operation] = field(default_factory=list[Operation])
    """Loads that are repeated wherever an element is taken."""
    missing: list[Operation] = field(default_factory=list[Operation])
    """The ops that earlier nests must compute first."""


class BlockPlan:
    """Plans the nests of one block, in order."""

    def __init__(self, block: Block, numbering: Numbering):
        self._block, self._numbering = block, numbering
        self._order: list[Group] = []
        self._place: dict[Operation, int] = {}
        """The index of each placed op's group in `_order`."""
        self._repeated: set[Operation] = set()
        """The placed loads that are repeated wherever an element is read."""
        self._memory_floor = 0

    def plan(self) -> None:
        """Assigns groups to the ops of the block, also in nested regions."""
        for op in self._block.ops:
            if self._is_anchor(op):
                self.place(op)
            elif isinstance(op, nv_tileaa.ExtractOp) and op.result.uses:
                self._fill(op.source)

    @staticmethod
    def _is_anchor(op: Operation) -> bool:
        """Whether an op is placed in program order, and pulls other ops into its nest."""
        match kind_of(op):
            case Kind.STORES | Kind.WHOLE:
                return True
            case Kind.REDUCES:
                return any(result.first_use is not None for result in op.results)
            case Kind.COMPUTES:
                return _is_ordered(op)
            case _:
                return op.has_trait(IsTerminator)

    def place(self, op: Operation) -> None:
        """Assigns groups to an op and to the ops that it needs."""
        if op in self._place:
            return
        kind = kind_of(op)
        if kind is Kind.WHOLE or op.has_trait(IsTerminator):
            self._place_whole(op)
            return
        space = squeezed(space_of(op))
        while True:
            pulled = self._pull(op)
            missing = [each for each in pulled.missing if each not in self._place]
            if not missing:
                break
            for each in missing:
                self.place(each)
        axis = _squeezed_axis(op)
        ordered = _is_ordered(op)
        begins = ordered or op in self._numbering.beginning
        place = None if begins else self._shared(space, pulled.lowest, axis)
        if place is None:
            place = self._append(space)
        group = self._order[place]
        group.axis = axis if group.axis is None else group.axis
        for each in pulled.ops:
            self._place[each] = place
            group.ops.append(each)
        self._place |= dict.fromkeys(pulled.repeated, place)
        self._repeated.update(pulled.repeated)
        if ordered or isinstance(op, nv_tileaa.AssertOp):
            # An assertion may say why a later access is inside of its array.
            self._memory_floor = place + 1

    def _append(self, space: Shape | None) -> int:
        self._order.append(self._numbering.new(space))
        return len(self._order) - 1

    def _shared(self, space: Shape, lowest: int, axis: int | None) -> int | None:
        """The last nest of a space, from `lowest` on, that does not reduce another dimension than
        `axis`.
        """
        for place in reversed(range(lowest, len(self._order))):
            group = self._order[place]
            fits = axis is None or group.axis in (None, axis)
            if group.space == space and fits:
                return place
        return None

    def _place_whole(self, op: Operation) -> None:
        for value in _taken_tiles(op):
            if value in op.operands:
                self._fill(operand_source(op, value))
            elif any(_takes_whole(use.operation) for use in value.uses):
                self._fill(value)
            else:
                self._fill_captured(value)
        for value in _taken_tokens(op):
            self._place_before(value)
        for value in op.operands:
            self._scalar_place(value)
        if op.has_trait(IsTerminator):
            return
        place = self._append(None)
        self._place[op] = place
        self._order[place].ops.append(op)
        if op.regions or not is_side_effect_free(op):
            self._memory_floor = place + 1
        for region in op.regions:
            for block in region.blocks:
                BlockPlan(block, self._numbering).plan()

    def _fill(self, value: SSAValue) -> None:
        """Makes a nest of this block store a tile of this block to a buffer."""
        op = value.owner
        if isinstance(op, Operation) and op.parent is self._block:
            self.place(op)

    def _fill_captured(self, value: SSAValue) -> None:
        """Fills a tile that regions read; the regions repeat ops that only move elements."""
        op = value.owner
        if not isinstance(op, Operation) or op.parent is not self._block:
            return
        if op not in self._place and (kind_of(op) is Kind.MOVES or is_recomputed(op)):
            for tile in element_operands(op):
                self._fill_captured(tile)
            for scalar in op.operands:
                self._scalar_place(scalar)
        else:
            self.place(op)

    def _place_before(self, token: SSAValue) -> None:
        """Places all accesses that a token represents before the current op."""
        for access in self._accesses(token):
            if access not in self._place and _is_used(access):
                self.place(access)

    def _accesses(self, token: SSAValue) -> Iterator[Operation]:
        """The accesses of this block that a token directly represents."""
        op = token.owner
        if not isinstance(op, Operation) or op.parent is not self._block:
            return
        if isinstance(op, nv_tileaa.JoinMemTokenOp):
            for each in op.tokens:
                yield from self._accesses(each)
        elif kind_of(op) is not Kind.SCALAR:
            yield op
            if op not in self._place and not _is_used(op):
                # A dead load only passes on the order of the accesses before it.
                for operand in op.operands:
                    if is_token(operand):
                        yield from self._accesses(operand)

    def _scalar_place(self, value: SSAValue) -> int:
        """The place after which a scalar is available; places the source of an `extract` first."""
        op = value.owner
        if not isinstance(op, Operation) or op.parent is not self._block:
            return BEFORE_ALL
        if op in self._place:
            return self._place[op]
        if isinstance(op, nv_tileaa.ExtractOp):
            self._fill(op.source)
            return self._filled_place(op.source)
        if kind_of(op) is not Kind.SCALAR:
            self.place(op)
            return self._place[op]
        return max(
            (self._scalar_place(each) for each in op.operands if not is_token(each)),
            default=BEFORE_ALL,
        )

    def _filled_place(self, value: SSAValue) -> int:
        op = value.owner
        return self._place.get(op, BEFORE_ALL) if isinstance(op, Operation) else BEFORE_ALL

    def _pull(self, anchor: Operation) -> _Pulled:
        pulled = _Pulled()
        self._include(anchor, pulled)
        pulled.ops.sort(key=_position)
        return pulled

    def _include(self, op: Operation, pulled: _Pulled) -> None:
        """Adds an op to the nest, computed at the nest's index."""
        if op in pulled.ops:
            return
        pulled.ops.append(op)
        moved = moved_from(op) if kind_of(op) is Kind.MOVES else None
        if moved is not None:
            self._take(moved[0], moved[1], pulled)
        for value in () if moved is not None else element_operands(op):
            self._take(value, identity(tile_shape(value.type).shape), pulled)
        self._take_scalars(op, pulled)
        self._take_memory_order(op, pulled)

    def _take_scalars(self, op: Operation, pulled: _Pulled) -> None:
        for value in _taken(op) if op.regions else op.operands:
            if not isinstance(value.type, TensorType) and not is_token(value):
                pulled.lowest = max(pulled.lowest, self._scalar_place(value) + 1)

    def _take(self, value: SSAValue, at: IndexMap, pulled: _Pulled) -> None:
        """Makes the nest read elements of a tile, at a map of the nest's index."""
        op = value.owner
        if not isinstance(op, Operation):
            return
        kind = kind_of(op)
        place = self._place.get(op)
        if place is not None:
            # A repeated load is there for one use only, which has been placed with it.
            is_shared = kind in (Kind.COMPUTES, Kind.MOVES) and at.is_identity()
            pulled.lowest = max(pulled.lowest, place if is_shared else place + 1)
        elif kind is Kind.MOVES:
            self._take_moved(op, at, pulled)
        elif op.parent is not self._block:
            # Nests of outer blocks fill what inner ones take.
            return
        elif op in self._numbering.beginning:
            pulled.missing.append(op)
        elif at.is_identity() and kind is Kind.COMPUTES and not _is_ordered(op):
            self._include(op, pulled)
        elif is_repeated_load(op):
            if op not in pulled.repeated:
                pulled.repeated.append(op)
                self._take_scalars(op, pulled)
                self._take_memory_order(op, pulled)
        elif is_recomputed(op):
            for operand in element_operands(op):
                self._take(operand, at, pulled)
            self._take_scalars(op, pulled)
        else:
            pulled.missing.append(op)

    def _take_moved(self, op: Operation, at: IndexMap, pulled: _Pulled) -> None:
        try:
            moved = moved_from(op)
            composed = None if moved is None else compose(moved[1], at)
        except NotRepresentableError:
            pulled.missing.append(op)
            return
        if moved is not None and composed is not None:
            self._take(moved[0], composed, pulled)
        self._take_scalars(op, pulled)

    def _take_memory_order(self, op: Operation, pulled: _Pulled) -> None:
        tokens = [value for value in op.operands if is_token(value)]
        if not tokens:
            return
        pulled.lowest = max(pulled.lowest, self._memory_floor)
        for earlier in (access for token in tokens for access in self._accesses(token)):
            place = self._place.get(earlier)
            # A repeated load is at another index of the nest.
            elsewhere = earlier in self._repeated or op in pulled.repeated
            together = not elsewhere and self._may_alternate(earlier, op)
            if place is not None:
                pulled.lowest = max(pulled.lowest, place if together else place + 1)
            elif _is_used(earlier) and not (together and self._comes_along(earlier, pulled)):
                pulled.missing.append(earlier)

    def _may_alternate(self, first: Operation, second: Operation) -> bool:
        """Whether a nest may access elements by the first op and the second in turns."""
        if not is_same_access(first, second):
            return False
        if isinstance(first, LOADS) and isinstance(second, LOADS):
            return True
        assert isinstance(first, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp)
        facts = distinct_elements(first.view)
        if facts is not None and facts.data:
            self._numbering.distinct[facts] = None
        return facts is not None

    def _comes_along(self, op: Operation, pulled: _Pulled) -> bool:
        """Whether a load is already pulled into this nest."""
        return op in pulled.ops


def _takes_whole(op: Operation) -> bool:
    """Whether an op needs whole tiles."""
    return kind_of(op) is Kind.WHOLE or op.has_trait(IsTerminator)


def operand_source(op: Operation, value: SSAValue) -> SSAValue:
    """The tile that an op reads: for a dot, the source of a transposed operand."""
    permute = value.owner
    if not isinstance(op, nv_tileaa.DotOp) or not isinstance(permute, nv_tileaa.PermuteOp):
        return value
    rank = len(permute.get_permutation())
    exchanged = (*range(rank - 2), rank - 1, rank - 2)
    is_operand = value in (op.a, op.b) and value is not op.c
    is_local = permute.parent is op.parent and rank > 1
    return (
        permute.source
        if is_operand and is_local and permute.get_permutation() == exchanged
        else value
    )


def _squeezed_axis(op: Operation) -> int | None:
    """The dimension of the nest that an op reduces; None for other ops."""
    if not isinstance(op, nv_tileaa.ReduceOp):
        return None
    shape, axis = space_of(op), op.axis.value.data
    return len(squeezed(shape[:axis])) if shape[axis] > 1 else None


def _position(op: Operation) -> int:
    block = op.parent
    assert block is not None
    return block.get_operation_index(op)


def _is_used(op: Operation) -> bool:
    """Whether an access is needed: a load without order only if its tile is used."""
    return not isinstance(op, LOADS) or bool(op.results[0].uses) or _is_ordered(op)


def _is_ordered(op: Operation) -> bool:
    """Whether an access orders other accesses: by its memory semantic, or as an atomic op."""
    if isinstance(op, ATOMICS):
        return True
    if not isinstance(op, TiledAccessOp | LoadThroughPointersOp | StoreThroughPointersOp):
        return False
    return op.mem_semantic.data != MemoryOrdering.WEAK


def is_one_by_one(op: Operation) -> bool:
    """Whether elements must be computed one by one: their order matters, or each is atomic."""
    if isinstance(op, nv_tileaa.ReduceOp):
        innermost = _squeezed_axis(op) == len(squeezed(space_of(op))) - 1
        return innermost and commutative_op(op.body.block) is None
    return _is_ordered(op)


def is_same_access(first: Operation, second: Operation) -> bool:
    """Whether two accesses use the same tile of a view: equal indices have equal elements."""
    if not isinstance(first, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp):
        return False
    if not isinstance(second, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp):
        return False
    return first.view is second.view and tuple(first.coords) == tuple(second.coords)


def is_recomputed(op: Operation) -> bool:
    """Whether an op is recomputed wherever its elements are read: a cheap op without memory."""
    if isinstance(op, LOADS) or kind_of(op) is not Kind.COMPUTES:
        return False
    elements = [tile_shape(value.type).element for value in (*op.operands, *op.results)]
    if not all(isinstance(element, IntegerType | PointerType) for element in elements):
        return False
    return all(_is_cheap_tile(value) for value in element_operands(op))


def is_repeated_load(op: Operation) -> bool:
    """Whether a load is repeated wherever an element is read: its one user reads another index."""
    if not isinstance(op, nv_tileaa.TiledLoadOp) or _is_ordered(op):
        return False
    value: SSAValue = op.tile
    while len(uses := list(value.uses)) == 1:
        user = uses[0].operation
        if user.parent is not op.parent:
            return False
        if kind_of(user) is not Kind.MOVES:
            return kind_of(user) in (Kind.COMPUTES, Kind.REDUCES, Kind.STORES)
        value = user.results[0]
    return False


def _is_cheap_tile(value: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, Operation):
        return False
    if kind_of(op) is not Kind.MOVES:
        return is_recomputed(op)
    return all(_is_cheap_tile(tile) for tile in element_operands(op))


def _taken_tiles(op: Operation) -> list[SSAValue]:
    """The tiles that an op on whole tiles reads, also those captured by its regions."""
    return [value for value in _taken(op) if isinstance(value.type, TensorType)]


def _taken_tokens(op: Operation) -> list[SSAValue]:
    return [value for value in _taken(op) if is_token(value)]


def _taken(op: Operation) -> Sequence[SSAValue]:
    inside = set(ops_in(op))
    taken = dict.fromkeys(op.operands)
    for inner in ops_in(op)[1:]:
        for value in inner.operands:
            owner = value.owner
            around = owner.parent_op() if isinstance(owner, Block) else owner
            if around not in inside:
                taken[value] = None
    return tuple(taken)
