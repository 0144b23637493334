"""The fewest conversions with which a function can do, by trying all layouts of its tiles.

Written from the definition, without the pass or its analyses. Ops that work element by element, or
only re-index a tile, and values that control flow forwards, may be in any layout that occurs in the
function or follows from one that does; every other op keeps its layouts. A tile needs one
conversion for each layout in which it is used and not made. Constants need none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa, nv_tileas

Layout = tuple[tuple[int, ...], ...]
"""The images of register, lane, warp and block bits: row-major indices of elements."""

ELEMENTWISE_DIALECTS = ("arith", "math")
ELEMENTWISE = frozenset(
    f"nv_tileaa.{name}"
    for name in [
        "addf",
        "addi",
        "addptr",
        "assume",
        "bitcast",
        "clampf",
        "cos",
        "divf",
        "exp",
        "exp2",
        "fma",
        "fp_to_fp",
        "fp_to_int",
        "fpowi",
        "int_to_ptr",
        "log2",
        "maxf",
        "minf",
        "mulf",
        "mulhiui",
        "ptr_to_int",
        "remf",
        "rsqrt",
        "sin",
        "sqrt",
        "subf",
        "tanh",
        "trunci",
    ]
)
MOST_CONVERSIONS = 8
"""Functions with more are not searched."""

FREE_TILES = (arith.ConstantOp, nv_tileaa.SplatOp, nv_tileaa.MakeRangeOp)
"""Ops whose tiles are made in any layout at no cost."""


class SearchTooLong(Exception):
    """There are too many choices to try."""


def layout_of(value: SSAValue) -> Layout | None:
    """The layout of a tile in registers; None for any other value."""
    if not isinstance(value.type, TensorType):
        return None
    encoding = value.type.encoding
    if not isinstance(encoding, nv_tileas.LayoutAttr):
        return None
    layout = encoding.data.layout
    assert isinstance(layout.shape, tuple) and isinstance(layout.stride, tuple)
    return tuple(
        tuple(_bases(shape, stride))
        for shape, stride in zip(layout.shape, layout.stride, strict=True)
    )


def _bases(shape: object, stride: object) -> Iterator[int]:
    if isinstance(shape, tuple) and isinstance(stride, tuple):
        for inner_shape, inner_stride in zip(shape, stride, strict=True):
            yield from _bases(inner_shape, inner_stride)
        return
    assert isinstance(shape, int) and isinstance(stride, int)
    while shape > 1:
        yield stride
        stride, shape = 2 * stride, shape // 2


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return tuple(value.type.get_shape())


def _coordinates(index: int, shape: tuple[int, ...]) -> list[int]:
    coordinates: list[int] = []
    for extent in reversed(shape):
        coordinates.insert(0, index % extent)
        index //= extent
    return coordinates


def _index(coordinates: list[int], shape: tuple[int, ...]) -> int:
    index = 0
    for coordinate, extent in zip(coordinates, shape, strict=True):
        index = index * extent + coordinate
    return index


def _mapped(layout: Layout, image: Callable[[int], int]) -> Layout:
    return tuple(tuple(image(base) for base in group) for group in layout)


def operand_layout(op: Operation, result: Layout) -> Layout | None:
    """The layout of the operand of an op that re-indexes it, given that of the result."""
    source, shape = _shape(op.operands[0]), _shape(op.results[0])
    match op:
        case nv_tileas.ViewOp() | nv_tileaa.ViewOp():
            return result
        case nv_tileas.ExpandDimsOp() | nv_tileaa.ExpandDimsOp():
            return result
        case nv_tileaa.PermuteOp():
            order = [int(n) for n in op.permutation.get_values()]

            def before(index: int) -> int:
                moved = _coordinates(index, shape)
                return _index([moved[order.index(dim)] for dim in range(len(source))], source)

            return _mapped(result, before)
        case nv_tileaa.BroadcastOp():

            def first(index: int) -> int:
                repeated = zip(_coordinates(index, shape), source, strict=True)
                return _index([0 if extent == 1 else at for at, extent in repeated], source)

            return _mapped(result, first)
        case _:
            return None


@dataclass
class Node:
    """Tiles that have one layout."""

    layouts: list[Layout]
    """What it may be; one alone if it is fixed."""
    carry: Callable[[Layout], Layout | None] = lambda layout: layout
    """The layout in which it takes its operands, by its own."""
    fixed: bool = False
    is_elementwise: bool = False
    """Whether it is an op of one layout, rather than one that re-indexes or forwards tiles."""
    tiles: list[SSAValue] = field(default_factory=list[SSAValue])
    takes: list[SSAValue] = field(default_factory=list[SSAValue])


@dataclass
class Graph:
    """The tiles of a function, what makes them, and who uses them."""

    nodes: list[Node] = field(default_factory=list[Node])
    made_by: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    source: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What a value is but for its layout."""
    users: dict[SSAValue, list[int | Layout]] = field(
        default_factory=dict[SSAValue, list[int | Layout]]
    )
    """Nodes that take a tile, and layouts in which fixed ops take it."""
    free: set[SSAValue] = field(default_factory=set[SSAValue])

    def make(self, value: SSAValue, node: int) -> None:
        self.made_by[value] = node
        self.source[value] = value
        self.users[value] = []
        self.nodes[node].tiles.append(value)

    def fixed(self, value: SSAValue) -> None:
        layout = layout_of(value)
        if layout is not None and value not in self.made_by:
            self.nodes.append(Node([layout], fixed=True))
            self.make(value, len(self.nodes) - 1)

    def take(self, value: SSAValue, user: int | Layout) -> None:
        source = self.source[value]
        self.users[source].append(user)
        if isinstance(user, int):
            self.nodes[user].takes.append(source)


def build(function: Operation) -> Graph:
    """The graph of a function."""
    graph = Graph()
    joined: dict[tuple[Operation, int], int] = {}
    for op in function.walk():
        if _is_conversion(op) and op.operands[0] in graph.source:
            graph.source[op.results[0]] = graph.source[op.operands[0]]
            continue
        for targets in _joins(op):
            tile = targets[0][2]
            layout = layout_of(tile)
            if layout is None:
                continue
            graph.nodes.append(Node([layout]))
            node = len(graph.nodes) - 1
            for user, index, target in targets:
                joined[user, index] = node
                if target not in graph.made_by:
                    graph.make(target, node)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    graph.fixed(argument)
        _add_op(graph, op, joined)
    _close_domains(graph)
    _merge_chains(graph)
    return graph


def _add_op(graph: Graph, op: Operation, joined: dict[tuple[Operation, int], int]) -> None:
    tiles = [value for value in (*op.operands, *op.results) if isinstance(value.type, TensorType)]
    laid_out = bool(tiles) and all(layout_of(tile) is not None for tile in tiles)
    node: int | None = None
    if laid_out and op.results and _works_anywhere(op, tiles):
        layout = layout_of(op.results[0])
        assert layout is not None
        carry = partial(_taken, op, layout, layout_of(op.operands[0]) if op.operands else None)
        elementwise = Node([layout], is_elementwise=True)
        graph.nodes.append(elementwise if _is_elementwise(op) else Node([layout], carry))
        node = len(graph.nodes) - 1
    for index, operand in enumerate(op.operands):
        layout = layout_of(operand)
        if layout is not None:
            user = joined.get((op, index), node)
            graph.take(operand, layout if user is None else user)
    for result in op.results:
        if node is not None and layout_of(result) is not None:
            graph.make(result, node)
        else:
            graph.fixed(result)
        if isinstance(op, FREE_TILES):
            graph.free.add(result)


def _taken(op: Operation, made: Layout, taken: Layout | None, result: Layout) -> Layout | None:
    """The layout in which an op takes its operand: as it is now, if the result is."""
    return taken if result == made else operand_layout(op, result)


def _is_elementwise(op: Operation) -> bool:
    if isinstance(op, FREE_TILES):
        return False
    return op.name.split(".")[0] in ELEMENTWISE_DIALECTS or op.name in ELEMENTWISE


def _works_anywhere(op: Operation, tiles: list[SSAValue]) -> bool:
    if _is_elementwise(op):
        return len({(_shape(tile), layout_of(tile)) for tile in tiles}) == 1
    if len(tiles) != 2 or len(op.operands) != 1 or len(op.results) != 1:
        return False
    layout = layout_of(op.results[0])
    return layout is not None and operand_layout(op, layout) is not None


def _joins(op: Operation) -> list[list[tuple[Operation, int, SSAValue]]]:
    """Groups of operands and what they become, each group in one layout."""
    groups: list[list[tuple[Operation, int, SSAValue]]] = []

    def end(block: Block) -> Operation:
        assert block.last_op is not None
        return block.last_op

    match op:
        case scf.IfOp() | nv_tileas.PragmaOp():
            ends = [end(region.block) for region in op.regions if region.blocks]
            groups = [[(e, i, result) for e in ends] for i, result in enumerate(op.results)]
        case scf.ForOp():
            last = end(op.body.block)
            for i, (argument, result) in enumerate(
                zip(op.body.block.args[1:], op.results, strict=True)
            ):
                groups.append([(op, 3 + i, argument), (last, i, argument), (last, i, result)])
        case scf.WhileOp():
            condition, last = end(op.before_region.block), end(op.after_region.block)
            for i, argument in enumerate(op.before_region.block.args):
                groups.append([(op, i, argument), (last, i, argument)])
            for i, (argument, result) in enumerate(
                zip(op.after_region.block.args, op.results, strict=True)
            ):
                groups.append([(condition, i + 1, argument), (condition, i + 1, result)])
        case _:
            pass
    return groups


def _close_domains(graph: Graph) -> None:
    """Lets every node be in each layout that occurs for its shape, or is carried to it."""
    occurring: dict[tuple[int, ...], set[Layout]] = {}

    def domain(value: SSAValue) -> set[Layout]:
        return occurring.setdefault(_shape(value), set())

    for value, node in graph.made_by.items():
        domain(value).update(graph.nodes[node].layouts)
        domain(value).update(user for user in graph.users[value] if not isinstance(user, int))
    growing = True
    while growing:
        growing = False
        for node in graph.nodes:
            for taken in node.takes if not node.fixed and node.tiles else ():
                carried = {node.carry(layout) for layout in domain(node.tiles[0])} - {None}
                new = {layout for layout in carried if layout is not None} - domain(taken)
                domain(taken).update(new)
                growing |= bool(new)
    for node in graph.nodes:
        if not node.fixed and node.tiles:
            first = node.layouts[0]
            possible = [each for each in domain(node.tiles[0]) if node.carry(each) is not None]
            node.layouts = [first, *sorted(set(possible) - {first})]


def _merge_chains(graph: Graph) -> None:
    """Gives an op that alone uses a tile, and no other, the layout of that tile.

    A conversion between the two is never better than none: behind the op there are as many users
    that want its layout as there are conversions to save.
    """
    for index, node in enumerate(graph.nodes):
        taken = [value for value in node.takes if value not in graph.free]
        if node.fixed or not node.is_elementwise or len(set(taken)) != 1:
            continue
        maker = graph.made_by[taken[0]]
        users = graph.users[taken[0]]
        if graph.nodes[maker].fixed or set(users) != {index} or maker == index:
            continue
        for value in node.tiles:
            graph.made_by[value] = maker
            graph.nodes[maker].tiles.append(value)
        graph.users[taken[0]] = []
        node.tiles, node.takes, node.fixed = [], [], True


def register_conversions(function: Operation) -> int:
    """How many conversions between layouts of registers a function has."""
    return sum(map(_is_conversion, function.walk()))


def _is_conversion(op: Operation) -> bool:
    return (
        isinstance(op, nv_tileas.ConvertLayoutOp)
        and layout_of(op.source) is not None
        and layout_of(op.result) is not None
    )


MOST_STEPS = 2_000_000


def fewest_conversions(function: Operation, most_steps: int = MOST_STEPS) -> int:
    """The fewest conversions between layouts of registers with which a function can do.

    Raises:
        SearchTooLong: there are too many choices to try all of them.
    """
    graph = build(function)
    search = _Search(graph, most_steps)
    return sum(search.run(part) for part in _parts(graph))


def _parts(graph: Graph) -> Iterator[list[SSAValue]]:
    """The tiles by parts that share no node that is open, each tile next to an earlier one."""
    seen: set[SSAValue] = set()
    for first in graph.users:
        if first in seen:
            continue
        seen.add(first)
        part = [first]
        for value in part:
            for index in (graph.made_by[value], *graph.users[value]):
                if not isinstance(index, int) or graph.nodes[index].fixed:
                    continue
                for other in (*graph.nodes[index].tiles, *graph.nodes[index].takes):
                    if other not in seen:
                        seen.add(other)
                        part.append(other)
        yield part


class _Search:
    """Depth first, one node after the other; a choice with as many conversions as the best goes.

    Parts of the problem are solved first: the last node alone, the last two, and so on. What the
    nodes behind the present one need among themselves is known then, and counts at once (a Russian
    doll search: Verfaillie, Lemaitre, Schiex, 1996).
    """

    def __init__(self, graph: Graph, steps: int) -> None:
        self.graph = graph
        self.steps = steps
        self.best = 0
        self.chosen = {i: node.layouts[0] for i, node in enumerate(graph.nodes)}
        self.costs: dict[SSAValue, int] = {}
        self.order: list[int] = []
        self.needed: list[int] = []
        """For each position the conversions of the tiles of later nodes alone."""

    def run(self, part: list[SSAValue]) -> int:
        """The fewest conversions of a part."""
        graph = self.graph
        users = {
            value: [
                index
                for index in (graph.made_by[value], *graph.users[value])
                if isinstance(index, int) and not graph.nodes[index].fixed
            ]
            for value in part
        }
        self.order = list(dict.fromkeys(index for indices in users.values() for index in indices))
        positions = {index: position for position, index in enumerate(self.order)}
        first = {
            value: min((positions[index] for index in indices), default=len(self.order))
            for value, indices in users.items()
        }
        self.needed = [0] * (len(self.order) + 1)
        present = dict(self.chosen)
        for start in range(len(self.order), -1, -1):
            self.chosen = dict(present)
            self.costs = {value: 0 for value in part if first[value] >= start}
            # The choice that the function has made is one of those to beat.
            self.best = sum(map(self._cost, self.costs))
            for index in self.order[start:]:
                del self.chosen[index]
            if start < len(self.order):
                self.needed[start] = self.needed[start + 1]
                self._visit(start, 0)
            self.needed[start] = self.best
        self.chosen = present
        return self.best

    def _cost(self, value: SSAValue) -> int:
        """The conversions that a tile needs for sure, by what is chosen already."""
        if value in self.graph.free:
            return 0
        made = self.chosen.get(self.graph.made_by[value])
        wanted: set[Layout | None] = set()
        for user in self.graph.users[value]:
            if not isinstance(user, int):
                wanted.add(user)
            elif user in self.chosen:
                wanted.add(self.graph.nodes[user].carry(self.chosen[user]))
        if made is None:
            return max(0, len(wanted) - 1)
        return len(wanted - {made})

    def _visit(self, position: int, total: int) -> None:
        """Tries the layouts of one node; `total` counts the tiles of the nodes before it."""
        total_needed = total + self.needed[position]
        if total_needed >= self.best:
            return
        if position == len(self.order):
            self.best = total_needed
            return
        self.steps -= 1
        if self.steps < 0:
            raise SearchTooLong
        index = self.order[position]
        node = self.graph.nodes[index]
        before = {v: self.costs[v] for v in (*node.tiles, *node.takes) if v in self.costs}
        options: list[tuple[int, Layout]] = []
        for layout in node.layouts:
            self.chosen[index] = layout
            options.append((sum(self._cost(value) - before[value] for value in before), layout))
        for added, layout in sorted(options, key=lambda option: option[0]):
            self.chosen[index] = layout
            for value in before:
                self.costs[value] = self._cost(value)
            self._visit(position + 1, total + added)
        del self.chosen[index]
        self.costs.update(before)
