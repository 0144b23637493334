"""Plans the loops over slices for a group of ops, its phases, or finds the reason against slicing.

A phase is one loop over the slices. Ops that need the whole of a reduction along the sliced
dimension are in a later phase than the reduction. Tiles that a later phase needs are computed or
loaded again there, since they are not kept. Tokens restrict phases: the accesses that a token
orders before an access must be in an earlier phase, or in the same slice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.regions.region_flow import forwarded_as
from tileir_xdsl.analysis.values.tile_division import Site, Use, site, stored_site
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp, PrefixOp, ReductionOp
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.walking import ops_in

from .neutral import identities

LOADS = (nv_tileaa.LoadOp, nv_tileaa.TiledLoadOp)
STORES = (nv_tileaa.StoreOp, nv_tileaa.TiledStoreOp)
ACCESSES = (*LOADS, *STORES)
STRUCTURE = (
    nv_tileaa.CreateMemTokenOp,
    nv_tileaa.JoinMemTokenOp,
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
)
# Bounds the time; no reference program changes with 3 or 12.
MOST_PHASES = 6
"""The most phases; each loads tiles of earlier phases again."""


class NotSliceable(Exception):
    """The reason why a group of ops cannot be computed slice by slice."""


@dataclass(frozen=True)
class Phases:
    """The phases of a group of ops.

    Attributes:
        home: the block that has the group.
        divided: the dimension of each tile that is divided.
        group: the ops of `home` on such tiles, in order.
        loops: the ops of `home` that each loop repeats for every slice, in order.
        levels: for each op of `home` between them that is not repeated, the loops before it.
    """

    home: Block
    divided: Mapping[Site, int]
    group: tuple[Operation, ...]
    loops: tuple[tuple[Operation, ...], ...]
    levels: Mapping[Operation, int]
    is_reverse: bool = False
    """Whether slices are computed from the last to the first."""


def plan_phases(divided: Mapping[Site, int]) -> Phases:
    """The loops over slices for ops on tiles that are divided together.

    Raises:
        NotSliceable: there are none, with the reason.
    """
    return _Planner.of(divided).plan()


def is_sliced_collective(op: Operation, divided: Mapping[Site, int]) -> bool:
    """Whether an op combines elements of different slices."""
    return isinstance(op, CollectiveOp) and divided.get(site(op, 0)) == op.axis.value.data


def _members(divided: Mapping[Site, int]) -> Iterator[Operation]:
    """The ops that define or use divided tiles."""
    for tile in divided:
        if isinstance(tile, Use):
            yield tile.op
            continue
        owner = tile.owner
        parent = owner if isinstance(owner, Operation) else owner.parent_op()
        assert parent is not None
        yield parent
        yield from (use.operation for use in tile.uses)


def _blocks_around(op: Operation) -> list[Block]:
    """The blocks around an op, the outermost first."""
    blocks: list[Block] = []
    around: Operation | None = op
    while around is not None and not isinstance(around, nv_tileaa.FuncOp):
        block = around.parent_block()
        if block is None:
            break
        blocks.append(block)
        around = block.parent_op()
    return blocks[::-1]


def _home(members: Iterable[Operation]) -> Block:
    """The innermost block that contains all ops."""
    chains = [_blocks_around(op) for op in members]
    common = [blocks[0] for blocks in zip(*chains, strict=False) if len(set(blocks)) == 1]
    # As far in as possible, so that loops around are not repeated.
    return common[-1]


def lifted(op: Operation, home: Block) -> Operation | None:
    """The op in the block `home` that is or contains `op`; None if there is none."""
    around: Operation | None = op
    while around is not None and around.parent_block() is not home:
        around = around.parent_op()
    return around


def owner_in(value: SSAValue, home: Block) -> Operation | None:
    """The op in the block `home` that defines a value, itself or in a region; None if there is
    none.
    """
    owner = value.owner
    if owner is home:
        return None
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return None if op is None else lifted(op, home)


def values_used(op: Operation, home: Block) -> Iterator[SSAValue]:
    """The values of the block `home` that an op uses, also in its regions."""
    for inner in ops_in(op):
        for operand in inner.operands:
            owner = owner_in(operand, home)
            if owner is not None and owner is not op:
                yield operand


def accesses_in(op: Operation) -> Iterator[Operation]:
    """The memory accesses in an op, including itself."""
    return (inner for inner in ops_in(op) if isinstance(inner, ACCESSES))


def may_write(op: Operation) -> bool:
    return any(isinstance(access, STORES) for access in accesses_in(op))


@dataclass
class _Planner:
    """Plans the phases of a group of ops in one block."""

    home: Block
    divided: Mapping[Site, int]
    group: set[Operation]
    ops: Sequence[Operation]
    """The ops of the block from the first one of the group to the last."""
    levels: dict[Operation, int] = field(default_factory=dict[Operation, int])
    phases: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The earliest possible phase of each op of the group."""
    loops: list[set[Operation]] = field(default_factory=list[set[Operation]])

    @staticmethod
    def of(divided: Mapping[Site, int]) -> "_Planner":
        members = list(dict.fromkeys(_members(divided)))
        home = _home(members)
        group: set[Operation] = set()
        for op in members:
            at = lifted(op, home)
            assert at is not None
            group.add(at)
        ops = list(home.ops)
        positions = [index for index, op in enumerate(ops) if op in group]
        return _Planner(home, divided, group, ops[positions[0] : positions[-1] + 1])

    def plan(self) -> Phases:
        self._check_ops()
        known = None
        # A token may make an op wait for a later loop, and that move others: to a fixed point.
        while known != (now := (dict(self.levels), dict(self.phases), self.loops)):
            known = now
            self._assign()
            self.loops = self._contents()
            # Loops without results or effects would compute for nothing.
            if not self.loops:
                raise NotSliceable("nothing is stored or reduced")
            if len(self.loops) > MOST_PHASES:
                raise NotSliceable(f"slicing would need more than {MOST_PHASES} loops")
        self._check_exports()
        self._check_order()
        loops = tuple(tuple(op for op in self.ops if op in loop) for loop in self.loops)
        group, reverse = tuple(op for op in self.ops if op in self.group), self._direction(loops)
        return Phases(self.home, self.divided, group, loops, dict(self.levels), reverse)

    # Legality of ops

    def _check_ops(self) -> None:
        if any(op is self.home.last_op for op in self.group):
            raise NotSliceable("the terminator of the block depends on sliced tiles")
        for outer in self.ops:
            for op in ops_in(outer):
                if isinstance(op, ACCESSES):
                    # Other threads may see the order of such accesses, which slices change.
                    if op.mem_semantic.data is not MemSemantic.WEAK:
                        raise NotSliceable(f"'{op.name}' op has memory semantics other than weak")
                    # Every slice would store it again, and race with bulk stores of those before.
                    if outer in self.group and self._stores_whole(op):
                        raise NotSliceable(
                            f"'{op.name}' op would store a whole tile in every slice"
                        )
                elif not isinstance(op, STRUCTURE) and not is_side_effect_free(op):
                    raise NotSliceable(f"'{op.name}' op has effects that no token orders")
                if not is_sliced_collective(op, self.divided):
                    continue
                assert isinstance(op, CollectiveOp)
                # Its partial results would have to be carried through that loop or branch too.
                if op is not outer:
                    raise NotSliceable(f"'{op.name}' op combines slices in a loop or a branch")
                # The first slice combines with the identity.
                if identities(op) is None:
                    raise NotSliceable(
                        f"'{op.name}' op combines elements by an operation without a known identity"
                    )
                # The body is applied to whole tiles of partial results, which no region can take.
                if any(inner.regions for inner in op.body.block.ops):
                    raise NotSliceable(f"'{op.name}' op combines elements by ops with regions")

    def _stores_whole(self, access: Operation) -> bool:
        """Whether an access stores an undivided tile, or a scalar."""
        return isinstance(access, STORES) and stored_site(access) not in self.divided

    # Phases

    def _is_reduced(self, value: SSAValue) -> bool:
        """Whether a value is the result of a reduction over all slices."""
        owner = value.owner
        return isinstance(owner, ReductionOp) and is_sliced_collective(owner, self.divided)

    def _assign(self) -> None:
        """Computes the earliest phase of each op of the group, and for other ops the number of
        loops before.
        """
        inside = set(self.ops)
        for op in self.ops:
            earliest = 0
            for value in values_used(op, self.home):
                owner = owner_in(value, self.home)
                if owner is None or owner not in inside:
                    continue
                earliest = max(earliest, self._available(op, value, owner))
            (self.phases if op in self.group else self.levels)[op] = earliest

    def _available(self, user: Operation, value: SSAValue, owner: Operation) -> int:
        """The first phase in which an op can use a value, or the number of loops before the op."""
        if isinstance(value.type, MemTokenType):
            leaves = [owner_in(leaf, self.home) for leaf in self.token_leaves(value)]
            found = 0
            for leaf in leaves:
                if leaf is None or (leaf not in self.phases and leaf not in self.levels):
                    continue
                if leaf not in self.group:
                    found = max(found, self.levels.get(leaf, 0))
                # An op outside of the loops waits for the whole loop that has the access.
                elif user not in self.group:
                    found = max(found, self.last_loop(leaf) + 1)
            return found
        if owner not in self.group:
            return self.levels.get(owner, 0)
        phase = self.phases.get(owner, 0)
        # A reduction is complete, and a whole value available, only after the last slice.
        return phase + (self._is_reduced(value) or user not in self.group)

    def token_leaves(self, value: SSAValue) -> Iterator[SSAValue]:
        """The tokens that a token joins, directly or through other joins."""
        pending = [value]
        while pending:
            token = pending.pop()
            owner = token.owner
            if isinstance(owner, nv_tileaa.JoinMemTokenOp) and owner in self.ops:
                pending += reversed(owner.tokens)
            else:
                yield token

    def loops_with(self, op: Operation) -> list[int]:
        return [number for number, loop in enumerate(self.loops) if op in loop]

    def last_loop(self, op: Operation) -> int:
        return max(self.loops_with(op), default=self.phases.get(op, 0))

    def _contents(self) -> list[set[Operation]]:
        """The ops of each loop: stores and reductions of its phase, and all ops that these need."""
        count = 1 + max(self.phases.values())
        loops: list[set[Operation]] = [set() for _ in range(count)]
        for op in self.ops:
            if op not in self.group:
                continue
            # Loads alone keep no loop: what nobody stores or combines is not computed.
            if may_write(op) or (
                isinstance(op, ReductionOp) and is_sliced_collective(op, self.divided)
            ):
                self._add(op, loops[self.phases[op]])
        while loops and not loops[-1]:
            loops.pop()
        return loops

    def _add(self, op: Operation, loop: set[Operation]) -> None:
        """Adds an op and all ops that it needs to a loop."""
        pending = [op]
        while pending:
            op = pending.pop()
            if op in loop:
                continue
            loop.add(op)
            for value in values_used(op, self.home):
                owner = owner_in(value, self.home)
                if (
                    owner in self.group
                    # A token orders, but needs nothing repeated.
                    and not isinstance(value.type, MemTokenType)
                    # The result comes from an earlier loop.
                    and not self._is_reduced(value)
                ):
                    assert owner is not None
                    pending.append(owner)

    # Legality of phases

    def _check_exports(self) -> None:
        """Checks that values leave the loops only as results of reductions, or as tokens."""
        for op in self.group:
            if len(self.loops_with(op)) > 1:
                if may_write(op):
                    raise NotSliceable(f"'{op.name}' op would store more than once")
                if any(isinstance(inner, nv_tileaa.DotOp) for inner in ops_in(op)):
                    # Dots are the costly part: repeated, they cost more than what slicing saves.
                    raise NotSliceable(f"'{op.name}' op would compute dots more than once")
            for result in op.results:
                if isinstance(result.type, MemTokenType) or self._is_reduced(result):
                    continue
                users = [lifted(use.operation, self.home) for use in result.uses]
                if any(user not in self.group for user in users):
                    raise NotSliceable(f"'{op.name}' op has a result that is needed as a whole")

    def _check_order(self) -> None:
        """Checks that accesses still follow the accesses that their tokens order before them."""
        for op in self.ops:
            for access in accesses_in(op):
                token = getattr(access, "token")  # noqa: B009
                for earlier, is_carried in self._accesses_before(token):
                    # Two loads may be done in any order.
                    if isinstance(access, STORES) or isinstance(earlier, STORES):
                        self._check_pair(op, access, earlier, is_carried)

    def _check_pair(
        self, op: Operation, access: Operation, earlier: Operation, is_carried: bool
    ) -> None:
        source = lifted(earlier, self.home)
        if source is None or (source not in self.phases and source not in self.levels):
            return
        if source is op:
            # Ordered in a loop or a branch that is repeated as a whole.
            if op in self.group:
                self._check_same_slice(access, earlier)
                # Pointers of one iteration may be those of other slices of another one.
                if is_carried and self._has_pointers_of(access, op):
                    raise NotSliceable(f"'{access.name}' op follows an access of other slices")
            return
        if source not in self.group:
            # Straight-line code between the loops stays in order by its tokens.
            return
        before = self.loops_with(source)
        if op not in self.group:
            if any(loop >= self.levels[op] for loop in before):
                raise NotSliceable(f"'{access.name}' op follows an access that is repeated later")
            return
        for loop in self.loops_with(op):
            # A later loop would do the earlier access after this one.
            if any(other > loop for other in before):
                raise NotSliceable(f"'{access.name}' op follows an access that is repeated later")
            if loop in before:
                self._check_same_slice(access, earlier)

    def _check_same_slice(self, access: Operation, earlier: Operation) -> None:
        if not _share_slices(access, earlier, self.divided):
            raise NotSliceable(f"'{access.name}' op follows an access of other slices")

    def _has_pointers_of(self, access: Operation, op: Operation) -> bool:
        """Whether the pointers of an access are computed in `op`."""
        return (
            isinstance(access, nv_tileaa.LoadOp | nv_tileaa.StoreOp)
            and owner_in(access.pointers, self.home) is op
        )

    def _accesses_before(self, token: SSAValue | None) -> Iterator[tuple[Operation, bool]]:
        """The accesses in these ops that a token orders, each with whether it may be of an earlier
        iteration of a loop.
        """
        inside = set(self.ops)
        pending = [] if token is None else [(token, False)]
        seen = set[tuple[SSAValue, bool]]()
        while pending:
            value, is_carried = step = pending.pop()
            owner = owner_in(value, self.home)
            if step in seen or owner is None or owner not in inside:
                continue
            seen.add(step)
            made = value.owner
            if isinstance(made, ACCESSES):
                yield made, is_carried
            is_carried |= isinstance(made, Block)
            if isinstance(made, (*ACCESSES, nv_tileaa.JoinMemTokenOp)):
                operands = (v for v in made.operands if isinstance(v.type, MemTokenType))
                pending += ((v, is_carried) for v in operands)
            pending += ((v, is_carried) for v in forwarded_as(value))

    def _direction(self, loops: Sequence[Sequence[Operation]]) -> bool:
        """Whether slices must be computed in reverse, for reverse scans; both directions at once
        are impossible.
        """
        directions = {
            op.is_reverse
            for loop in loops
            for op in loop
            if isinstance(op, PrefixOp) and is_sliced_collective(op, self.divided)
        }
        # Slices come in one order, and each scan carries the elements before in its own.
        if len(directions) > 1:
            raise NotSliceable("scans go in both directions")
        return directions == {True}


def _share_slices(access: Operation, earlier: Operation, divided: Mapping[Site, int]) -> bool:
    """Whether different slices of two accesses are disjoint: equal tiles of one object, or the same
    distinct pointers.
    """
    if isinstance(access, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp):
        cuts = [_cut(op, divided) for op in (access, earlier)]
        # Cut alike, two parts are the same or do not meet.
        return cuts[0] is not None and cuts[0] == cuts[1]
    if isinstance(earlier, nv_tileaa.LoadOp | nv_tileaa.StoreOp):
        assert isinstance(access, nv_tileaa.LoadOp | nv_tileaa.StoreOp)
        # Equal pointers in one tile could be in two slices.
        return access.pointers is earlier.pointers and are_distinct(access.pointers)
    return False


def _cut(op: Operation, divided: Mapping[Site, int]) -> tuple[object, ...] | None:
    """The division of an object into slices by an access, for comparison; None if it is unknown."""
    if not isinstance(op, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp):
        return None
    tile = op.tile if isinstance(op, nv_tileaa.TiledLoadOp) else stored_site(op)
    cut = op.view.owner
    if tile not in divided or not isinstance(cut, nv_tileaa.BlockTileOp):
        return None
    return cut.source, cut.get_tile_sizes(), cut.get_dim_groups(), divided[tile]


def are_distinct(pointers: SSAValue) -> bool:
    """Whether all pointers of a tile are certainly distinct: one base, and consecutive offsets."""
    owner = pointers.owner
    if isinstance(owner, nv_tileaa.ViewOp | nv_tileaa.ExpandDimsOp):
        return are_distinct(owner.operands[0])
    return (
        isinstance(owner, nv_tileaa.AddPtrOp)
        and isinstance(owner.pointer.owner, nv_tileaa.SplatOp)
        and isinstance(owner.offset.owner, nv_tileaa.MakeRangeOp)
    )
