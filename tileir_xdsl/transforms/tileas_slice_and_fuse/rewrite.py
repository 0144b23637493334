"""Builds the loops over slices for the phases of a group of ops."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.analysis.values.tile_division import Site, Use, stored_site
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.builders.tile_parts import coordinate_type, part_anew, part_of_coordinate
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp, PrefixOp, ReductionOp
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType, PointerType, tile_shape, tile_type
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.walking import ops_in

from .neutral import identities
from .phases import Phases, is_sliced_collective, lifted, owner_in, values_used

TiledLoadOrStore = nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp


@dataclass(frozen=True)
class Part:
    """A slice of a tile, computed in a loop over slices.

    Attributes:
        value: the slice.
        whole: the type of the tile.
        dim: the dimension that is divided.
        number: which slice it is.
    """

    value: SSAValue
    whole: Attribute
    dim: int
    number: SSAValue

    @property
    def is_plain(self) -> bool:
        """Whether the tile supports insertion and extraction of slices; tiles of pointers do
        not.
        """
        return isinstance(self.value.type, TensorType) and not isinstance(
            tile_shape(self.value.type).element, PointerType
        )


def slice_group(
    phases: Phases, count: int, parts: dict[scf.ForOp, Sequence[Part]] | None = None
) -> tuple[scf.ForOp, ...]:
    """Replaces a group of ops by loops over `count` slices, and returns the loops.

    Records in `parts` the slices that each loop computes.
    """
    around = phases.home.parent_op()
    assert around is not None
    slicer = _Slicer(phases, count)
    insert, erase = InsertLoops(slicer), EraseWhole(frozenset(phases.group))
    DispatchWalker({type(phases.group[0]): insert}).rewrite(around)
    # Users before what they use.
    kinds = map(type, phases.group)
    DispatchWalker(dict.fromkeys(kinds, erase), walk_reverse=True).rewrite(around)
    unused = EraseUnused(slicer.whole_cuts)
    DispatchWalker(dict.fromkeys(map(type, slicer.whole_cuts), unused)).rewrite(around)
    if parts is not None:
        parts.update(slicer.parts)
    return insert.loops


@dataclass
class InsertLoops(RewritePattern):
    """Inserts the loops over slices after a group; the pattern matches the first op of the
    group.
    """

    slicer: "_Slicer"
    loops: tuple[scf.ForOp, ...] = ()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op is self.slicer.phases.group[0]:
            self.loops = self.slicer.slice()
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EraseWhole(RewritePattern):
    """Erases an op on whole tiles, which loops over slices replace."""

    group: frozenset[Operation]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op in self.group:
            rewriter.erase(op, safe_erase=False)


@dataclass(frozen=True)
class EraseUnused(RewritePattern):
    """Erases an unused view, splat or range of whole tiles."""

    whole: Container[Operation]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op in self.whole and not any(result.uses for result in op.results):
            rewriter.erase(op)


@dataclass
class _Loop:
    """A loop over slices under construction."""

    number: int
    block: Block
    part: SSAValue
    """The index of the slice."""
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The value in the loop for each value of the block."""
    initial: list[SSAValue] = field(default_factory=list[SSAValue])
    carried: list[SSAValue] = field(default_factory=list[SSAValue])
    following: list[SSAValue] = field(default_factory=list[SSAValue])
    becomes: list[SSAValue | None] = field(default_factory=list[SSAValue | None])
    """For each carried value, the value that the loop's result replaces; None for tokens and
    scans.
    """
    tokens: list[SSAValue] = field(default_factory=list[SSAValue])
    """The tokens of the accesses in the loop."""
    coordinates: dict[tuple[SSAValue, Attribute, bool], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Attribute, bool], SSAValue]
    )

    def insert(self, *ops: Operation) -> SSAValue:
        self.block.add_ops(ops)
        return ops[-1].results[0]

    def carry(self, initial: SSAValue, becomes: SSAValue | None) -> SSAValue:
        argument = self.block.insert_arg(initial.type, len(self.block.args))
        self.initial.append(initial)
        self.carried.append(argument)
        self.becomes.append(becomes)
        return argument


@dataclass
class _Slicer:
    phases: Phases
    count: int
    ranges: UnsignedRanges = field(default_factory=UnsignedRanges)
    tokens: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """The token of all accesses in each built loop."""
    views: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, tuple[int, ...]], SSAValue]
    )
    whole_cuts: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """Ops on whole tiles that may have no users left."""
    parts: dict[scf.ForOp, Sequence[Part]] = field(default_factory=dict[scf.ForOp, Sequence[Part]])
    """The slices that each loop computes."""

    @property
    def divided(self) -> Mapping[Site, int]:
        return self.phases.divided

    def slice(self) -> tuple[scf.ForOp, ...]:
        home, levels = self.phases.home, self.phases.levels
        grouped = self.phases.group
        end = grouped[-1].next_op
        assert end is not None
        loops: list[scf.ForOp] = []
        for number in range(max(len(self.phases.loops), *levels.values(), 0) + 1):
            for op in [op for op in home.ops if levels.get(op) == number]:
                op.detach()
                home.insert_op_before(op, end)
            if number < len(self.phases.loops):
                loops.append(self._make_loop(number, end))
        self._replace_tokens(grouped, end)
        return tuple(loops)

    # Loops

    def _make_loop(self, number: int, end: Operation) -> scf.ForOp:
        first, count, step = (arith.ConstantOp(IntegerAttr(n, i32)) for n in (0, self.count, 1))
        loop = self._begin(number, end)
        ops = self.phases.loops[number]
        for op in ops:
            self._set_tokens(op, loop, end)
            if isinstance(op, CollectiveOp) and is_sliced_collective(op, self.divided):
                self._combine(op, loop, end)
            else:
                self._clone(op, loop)
        self._carry_token(loop, end)
        loop.block.add_op(scf.YieldOp(*loop.following))
        made = scf.ForOp(first.result, count.result, step.result, loop.initial, Region(loop.block))
        made.location = ops[0].location
        made.body.block.args[0].name_hint = "slice"
        self.phases.home.insert_ops_before([first, count, step, made], end)
        for old, new in zip(loop.becomes, made.results, strict=True):
            if old is not None:
                new.name_hint = old.name_hint
                old.replace_all_uses_with(new)
        if loop.tokens:
            self.tokens[number] = made.results[-1]
        self.parts[made] = [
            Part(loop.values[value], value.type, self.divided[value], loop.part)
            for op in ops
            for value in op.results
            if value in self.divided and value in loop.values
        ]
        return made

    def _begin(self, number: int, end: Operation) -> _Loop:
        block = Block(arg_types=[i32])
        loop = _Loop(number, block, block.args[0])
        # A reverse scan starts from the last element, so the last slice comes first.
        if self.phases.is_reverse:
            last = arith.ConstantOp(IntegerAttr(self.count - 1, i32))
            loop.part = loop.insert(last, arith.SubiOp(last.result, block.args[0]))
        return loop

    def _clone(self, op: Operation, loop: _Loop) -> Operation:
        """Adds a copy of an op, on a slice, at the end of a loop."""
        new = op.clone(loop.values)
        loop.block.add_op(new)
        self._divide(op, new, loop)
        for result in new.results:
            if isinstance(result.type, MemTokenType):
                loop.tokens.append(result)
        return new

    def _divide(self, op: Operation, new: Operation, loop: _Loop) -> None:
        """Changes the tiles of a copied op, and of nested ops, to slices."""
        pairs = list(zip(ops_in(op), ops_in(new), strict=True))
        for old, copy in pairs:
            for index in range(len(old.operands)):
                # Before the types change: a splat or range is made anew from the whole one.
                if (use := Use(old, index)) in self.divided:
                    self._make_anew(use, copy, loop)
        for old, copy in pairs:
            for value, whole in list(_values(old, copy)):
                if value in self.divided:
                    type = self._type(value, value.type)
                    loop.values[value] = Rewriter.replace_value_with_new_type(whole, type)
        for old, copy in pairs:
            if isinstance(old, TiledLoadOrStore):
                tile = old.tile if isinstance(old, nv_tileaa.TiledLoadOp) else stored_site(old)
                if tile in self.divided:
                    assert isinstance(copy, TiledLoadOrStore)
                    self._divide_access(old, copy, tile, loop)

    def _type(self, site: Site, type: Attribute) -> Attribute:
        tile = tile_shape(type)
        return tile_type(self._shape(site, tile.shape), tile.element)

    def _shape(self, site: Site, shape: Sequence[int]) -> tuple[int, ...]:
        dim = self.divided[site]
        return (*shape[:dim], shape[dim] // self.count, *shape[dim + 1 :])

    def _make_anew(self, use: Use, copy: Operation, loop: _Loop) -> None:
        """Creates the slice of a splat or a range for one use."""
        value = use.op.operands[use.index]
        owner = copy.operands[use.index].owner
        assert isinstance(owner, Operation)
        self.whole_cuts[owner] = None
        ops = part_anew(owner, self._type(use, value.type), loop.part)
        for op in ops:
            op.location = owner.location
        Rewriter.insert_op(ops, InsertPoint.before(copy))
        copy.operands[use.index] = ops[-1].results[0]

    # Accesses

    def _divide_access(
        self, old: TiledLoadOrStore, copy: TiledLoadOrStore, tile: Site, loop: _Loop
    ) -> None:
        """Makes an access of a view access its slice: one of several smaller tiles."""
        cut = copy.view.owner
        assert isinstance(cut, nv_tileaa.BlockTileOp)
        shape, dim = self._shape(tile, cut.get_tile_sizes()), self.divided[tile]
        largest = self.ranges.of(old.coords[dim])
        type = coordinate_type(copy.coords[dim].type, [largest], [self.count])
        copy.operands[list(copy.operands).index(copy.view)] = self._view(cut, shape)
        first = list(copy.operands).index(copy.coords[0])
        for number, coordinate in enumerate(list(copy.coords)):
            if number == dim or coordinate.type != type:
                copy.operands[first + number] = self._coordinate(
                    coordinate, type, number == dim, loop
                )

    def _view(self, cut: nv_tileaa.BlockTileOp, shape: tuple[int, ...]) -> SSAValue:
        """A view of the same object with smaller tiles."""
        self.whole_cuts[cut] = None
        if (cut.result, shape) not in self.views:
            new = cut.with_smaller_tiles(shape)
            new.location, new.result.name_hint = cut.location, cut.result.name_hint
            Rewriter.insert_op(new, InsertPoint.after(cut))
            self.views[cut.result, shape] = new.result
        return self.views[cut.result, shape]

    def _coordinate(
        self, coordinate: SSAValue, type: IntegerType, is_sliced: bool, loop: _Loop
    ) -> SSAValue:
        """The coordinate of a slice, `coordinate * slices + slice`."""
        key = (coordinate, type, is_sliced)
        if key not in loop.coordinates:
            count, part = (self.count, loop.part) if is_sliced else (1, None)
            ops = part_of_coordinate(coordinate, type, count, part)
            inside = is_inside(coordinate, loop.block)
            owner = coordinate.owner
            if inside and isinstance(owner, Operation):
                point = InsertPoint.after(owner)
            elif inside and isinstance(owner, Block) and owner is not loop.block:
                point = InsertPoint.at_start(owner)
            elif isinstance(loop.part.owner, Operation):
                point = InsertPoint.after(loop.part.owner)
            else:
                point = InsertPoint.at_start(loop.block)
            Rewriter.insert_op(ops, point)
            loop.coordinates[key] = ops[-1].results[0]
        return loop.coordinates[key]

    # Reductions and scans

    def _combine(self, op: CollectiveOp, loop: _Loop, end: Operation) -> None:
        """Adds a reduction or scan of a slice, combined with the partial results of previous
        slices.
        """
        shape = ReductionOp.inferred_shape(tile_shape(op.inputs[0].type).shape, op.axis.value.data)
        starts = self._identities(op, shape, end)
        if isinstance(op, ReductionOp):
            carried = [
                loop.carry(start, old) for start, old in zip(starts, op.outputs, strict=True)
            ]
            partial = self._clone(op, loop).results
            # The order of the elements stays, as the body need not be commutative.
            earlier, later = (partial, carried) if self.phases.is_reverse else (carried, partial)
            loop.following += self._apply(op, earlier, later, loop)
            return
        assert isinstance(op, PrefixOp)
        carried = [loop.carry(start, None) for start in starts]
        scanned = self._clone(op, loop)
        whole = self._reduced(op, scanned, loop)
        slice_shape = tile_shape(scanned.results[0].type).shape
        axis = op.axis.value.data
        before = [self._spread(value, axis, slice_shape, loop) for value in carried]
        for old, new in zip(
            op.outputs, self._apply(op, before, scanned.results, loop), strict=True
        ):
            loop.values[old] = new
        loop.following += self._apply(op, carried, whole, loop)

    def _identities(
        self, op: CollectiveOp, shape: tuple[int, ...], end: Operation
    ) -> list[SSAValue]:
        """The initial tiles of partial results."""
        starts: list[SSAValue] = []
        stated = identities(op)
        assert stated is not None
        for identity in stated:
            assert isinstance(identity, IntegerAttr | FloatAttr)
            ops: list[Operation] = [arith.ConstantOp(identity)]
            if shape:
                scalar = ops[0].results[0]
                ops.append(nv_tileaa.SplatOp(scalar, tile_type(shape, scalar.type)))
            self.phases.home.insert_ops_before(ops, end)
            starts.append(ops[-1].results[0])
        return starts

    @staticmethod
    def _reduced(op: PrefixOp, scanned: Operation, loop: _Loop) -> Sequence[SSAValue]:
        """The reduction of a slice's elements, in the direction of the scan."""
        body = op.body.clone()
        if op.is_reverse:
            arguments = body.block.args
            for first, second in zip(arguments[::2], arguments[1::2], strict=True):
                uses = [(use.operation, use.index) for use in first.uses]
                second.replace_all_uses_with(first)
                for user, index in uses:
                    user.operands[index] = second
        given = None if op.identities is None else list(op.identities)
        inputs = list(scanned.operands)
        reduction = nv_tileaa.ReduceOp(inputs, op.axis.value.data, given, body)
        reduction.location = op.location
        loop.block.add_op(reduction)
        return reduction.outputs

    @staticmethod
    def _spread(value: SSAValue, axis: int, shape: tuple[int, ...], loop: _Loop) -> SSAValue:
        """A partial result, broadcast along the scanned dimension."""
        tile = tile_shape(value.type)
        if not tile.shape:
            return loop.insert(nv_tileaa.SplatOp(value, tile_type(shape, tile.element)))
        expanded = (*tile.shape[:axis], 1, *tile.shape[axis:])
        expand = nv_tileaa.ExpandDimsOp(value, tile_type(expanded, tile.element), axis)
        type = tile_type(shape, tile.element)
        return loop.insert(expand, nv_tileaa.BroadcastOp(expand.result, type))

    @staticmethod
    def _apply(
        op: CollectiveOp, earlier: Sequence[SSAValue], later: Sequence[SSAValue], loop: _Loop
    ) -> list[SSAValue]:
        """Applies the body of a reduction to tiles, element by element."""
        body = op.body.block
        pairs = [value for pair in zip(earlier, later, strict=True) for value in pair]
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, pairs, strict=True))
        shape = tile_shape(earlier[0].type).shape
        for inner in body.ops:
            if inner is body.last_op:
                return [loop_value(values, operand, shape, loop) for operand in inner.operands]
            operands = [values.get(operand, operand) for operand in inner.operands]
            # Of scalars alone an op stays one on scalars.
            if shape and any(isinstance(value.type, TensorType) for value in operands):
                operands = [loop_value(values, operand, shape, loop) for operand in inner.operands]
            mapped = dict(zip(inner.operands, operands, strict=True))
            new = inner.clone(dict(mapped))
            loop.block.add_op(new)
            is_tile = any(isinstance(value.type, TensorType) for value in operands)
            for old, result in zip(inner.results, new.results, strict=True):
                if is_tile:
                    type = tile_type(shape, old.type)
                    values[old] = Rewriter.replace_value_with_new_type(result, type)
                else:
                    values[old] = result
        raise AssertionError("the body of a reduction has a terminator")

    # Tokens

    def _leaves(self, value: SSAValue) -> Iterable[SSAValue]:
        owner = value.owner
        if isinstance(owner, nv_tileaa.JoinMemTokenOp) and owner in self.phases.levels:
            for token in owner.tokens:
                yield from self._leaves(token)
        else:
            yield value

    def _loops_with(self, op: Operation) -> list[int]:
        return [n for n, loop in enumerate(self.phases.loops) if op in loop]

    def _set_tokens(self, op: Operation, loop: _Loop, end: Operation) -> None:
        """Sets the operand tokens of an op in a loop."""
        for value in list(values_used(op, self.phases.home)):
            if not isinstance(value.type, MemTokenType):
                continue
            tokens: list[SSAValue] = []
            changed = False
            # Joined tokens are taken apart: some may be of ops that are in loops now.
            for leaf in self._leaves(value):
                owner = owner_in(leaf, self.phases.home)
                if owner is None or owner not in self.phases.group:
                    tokens.append(leaf)
                    continue
                changed = True
                loops = self._loops_with(owner)
                before = [n for n in loops if n < loop.number]
                # The token of a loop covers all loops before it, so the last one is enough.
                if before and before[-1] in self.tokens:
                    tokens.append(self.tokens[before[-1]])
                if loop.number in loops and leaf in loop.values:
                    tokens.append(loop.values[leaf])
            if changed:
                loop.values[value] = self._joined(tokens, loop)

    @staticmethod
    def _joined(tokens: Sequence[SSAValue], loop: _Loop) -> SSAValue:
        tokens = list(dict.fromkeys(tokens))
        if not tokens:
            return loop.insert(nv_tileaa.CreateMemTokenOp())
        if len(tokens) == 1:
            return tokens[0]
        return loop.insert(nv_tileaa.JoinMemTokenOp(tokens))

    def _carry_token(self, loop: _Loop, end: Operation) -> None:
        """Joins the tokens of a loop with those of earlier loops, if later accesses use them."""
        # A token that nobody waits for would be one more carried value.
        if not loop.tokens or not self._is_followed(loop.number):
            loop.tokens.clear()
            return
        if self.tokens:
            start = self.tokens[max(self.tokens)]
        else:
            create = nv_tileaa.CreateMemTokenOp()
            self.phases.home.insert_op_before(create, end)
            start = create.result
        argument = loop.carry(start, None)
        loop.following.append(loop.insert(nv_tileaa.JoinMemTokenOp([argument, *loop.tokens])))

    def _is_followed(self, number: int) -> bool:
        """Whether accesses outside of a loop use its tokens."""
        loop = self.phases.loops[number]
        for op in loop:
            for result in op.results:
                if not isinstance(result.type, MemTokenType):
                    continue
                for use in result.uses:
                    user = lifted(use.operation, self.phases.home)
                    if user is None or user not in loop or self._loops_with(user) != [number]:
                        return True
        return False

    def _replace_tokens(self, grouped: Sequence[Operation], end: Operation) -> None:
        """Replaces result tokens of the group by tokens of its loops, for later ops."""
        for op in grouped:
            for result in op.results:
                if not isinstance(result.type, MemTokenType) or not result.uses:
                    continue
                loops = [n for n in self._loops_with(op) if n in self.tokens]
                if loops:
                    token = self.tokens[loops[-1]]
                else:
                    create = nv_tileaa.CreateMemTokenOp()
                    Rewriter.insert_op(create, InsertPoint.at_start(self.phases.home))
                    token = create.result
                result.replace_all_uses_with(token)


def loop_value(
    values: Mapping[SSAValue, SSAValue],
    operand: SSAValue,
    shape: tuple[int, ...],
    loop: _Loop,
) -> SSAValue:
    """An operand of an op in a reduction's body; a scalar becomes a splat."""
    value = values.get(operand, operand)
    if not shape or isinstance(value.type, TensorType):
        return value
    return loop.insert(nv_tileaa.SplatOp(value, tile_type(shape, value.type)))


def is_inside(value: SSAValue, block: Block) -> bool:
    """Whether a value is defined in a block, or in a region of its ops."""
    owner = value.owner
    around: Block | None = owner if isinstance(owner, Block) else owner.parent_block()
    while around is not None and around is not block:
        parent = around.parent_op()
        around = None if parent is None else parent.parent_block()
    return around is block


def _values(old: Operation, new: Operation) -> Iterable[tuple[SSAValue, SSAValue]]:
    """The results and block arguments of an op and of its copy."""
    yield from zip(old.results, new.results, strict=True)
    for region, copied in zip(old.regions, new.regions, strict=True):
        for block, copy in zip(region.blocks, copied.blocks, strict=True):
            yield from zip(block.args, copy.args, strict=True)
