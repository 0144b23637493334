"""A choice of layouts that needs few conversions.

One step decides for one layout which variables change to it and which keep their own, such that the
fewest conversions are left. Variables that change and that do not are the two sides of a cut,
conversions are its edges, and a minimum cut is optimal. Such a step is an *expansion move*: Boykov,
Veksler, Zabih, "Fast Approximate Energy Minimization via Graph Cuts", 2001. Steps repeat for each
layout in a connected part of the function, until none removes a conversion. Among choices with
equal numbers of conversions, one with fewer in loops is better.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import cycle

from tileir_xdsl.transforms.tileas_remove_layout_conversions.layout_variables import (
    CONVERSION,
    Demand,
    LayoutProblem,
)
from tileir_xdsl.transforms.tileas_remove_layout_conversions.minimum_cut import (
    SINK,
    SOURCE,
    FlowNetwork,
)

Layouts = Mapping[int, int]
"""A possible joint choice: the layout of each variable, both by numbers."""

Choice = tuple[int, ...]
"""The layouts of some variables, in the order of the variables."""

# Bounds the time for one part; no reference program changes with 64 or 512.
WINDOW = 256
"""The most variables of a part that are optimised together; larger parts are split into windows."""

# Chosen, not tuned: no reference program changes with 1 or 6.
STRETCH_ITERATIONS = 3
"""How many times stretches of variables with one layout are moved as a whole."""

# Bounds the time; no reference program changes with 1 or 18.
MOST_CONVERSIONS_STARTED_ANEW = 9
"""A part with fewer conversions is optimised from several initial choices."""

UNCUT = 1 << 60
"""The capacity of an edge that no minimum cut contains."""


def choose_layouts(problem: LayoutProblem, *, thorough: bool = True) -> None:
    """Chooses layouts of the free variables of a problem that need few conversions.

    Without `thorough`, only the existing choice is improved.
    """
    for part in connected_parts(problem):
        # A part without conversions cannot become better.
        if any(problem.cost(tile) for tile in part):
            _choose_in(problem, part, thorough)


def connected_parts(problem: LayoutProblem) -> Iterator[list[int]]:
    """The tiles of the function, split into parts with independent layouts."""
    seen = [False] * len(problem.tiles)
    for first in range(len(problem.tiles)):
        if seen[first]:
            continue
        seen[first] = True
        part = [first]
        for tile in part:
            for other in _neighbours(problem, tile):
                if not seen[other]:
                    seen[other] = True
                    part.append(other)
        yield part


def _neighbours(problem: LayoutProblem, tile: int) -> Iterator[int]:
    item = problem.tiles[tile]
    variable = problem.variables[item.variable]
    if not variable.fixed:
        yield from variable.tiles
        yield from (problem.demands[number].tile for number in variable.demands)
    for number in item.demands:
        consumer = problem.demands[number].consumer
        if consumer >= 0 and not problem.variables[consumer].fixed:
            yield from problem.variables[consumer].tiles
            yield from (problem.demands[n].tile for n in problem.variables[consumer].demands)


def _choose_in(problem: LayoutProblem, part: list[int], thorough: bool) -> None:
    """Repeats steps until none reduces the cost of a part."""
    targets = _targets(problem, part)
    for window in _windows(targets):
        _descend(problem, window)
    # Large parts get windows and stretches, as every step would otherwise build a network of all.
    if len(part) > WINDOW:
        _move_stretches(problem, targets)
        return
    best = sum(map(problem.cost, part))
    # Each start costs a descent; for few conversions that is cheap, and few are worth it.
    if thorough and 0 < best < MOST_CONVERSIONS_STARTED_ANEW * CONVERSION:
        _start_anew(problem, part, targets, best)


def _start_anew(problem: LayoutProblem, part: list[int], targets: list[Layouts], best: int) -> None:
    """Optimises a part from each target as the initial choice, and keeps a choice that costs less
    than `best`.
    """
    variables = tuple(dict.fromkeys(variable for target in targets for variable in target))
    chosen = _layouts_of(problem, variables)
    settled = {chosen}
    for start in targets:
        _assign_all(problem, start)
        _descend(problem, targets, variables, settled)
        found = _layouts_of(problem, variables)
        settled.add(found)
        cost = sum(map(problem.cost, part))
        if cost < best:
            best, chosen = cost, found
        else:
            _assign_all(problem, dict(zip(variables, chosen, strict=True)))


def _layouts_of(problem: LayoutProblem, variables: Sequence[int]) -> Choice:
    return tuple([problem.variables[variable].layout for variable in variables])


def _assign_all(problem: LayoutProblem, layouts: Layouts) -> None:
    for variable, layout in layouts.items():
        if problem.variables[variable].layout != layout:
            problem.assign(variable, layout)


def _descend(
    problem: LayoutProblem,
    targets: list[Layouts],
    variables: Sequence[int] = (),
    settled: Set[Choice] = frozenset(),
) -> None:
    """Repeats steps until none reduces the cost, or the variables reach a settled choice.

    A choice is settled if no step from it is known to reduce the cost.
    """
    idle = 0
    for target in cycle(targets):
        if _expand(problem, target):
            idle = 0
            # From here the steps are known already, and lead nowhere.
            if settled and _layouts_of(problem, variables) in settled:
                return
        else:
            idle += 1
            if idle == len(targets):
                return


def _windows(targets: list[Layouts]) -> Iterator[list[Layouts]]:
    """The targets; for a large part, split into windows of neighbouring variables.

    Windows overlap by a half, so that each border lies in the middle of another window. Variables
    outside of a window do not change, so the time for all windows is linear.
    """
    variables = sorted({variable for target in targets for variable in target})
    if len(variables) <= WINDOW:
        yield targets
        return
    ranks = {variable: rank for rank, variable in enumerate(variables)}
    for shift in (0, WINDOW // 2):
        windows: dict[int, dict[int, dict[int, int]]] = {}
        for number, target in enumerate(targets):
            for variable, layout in target.items():
                window = windows.setdefault((ranks[variable] + shift) // WINDOW, {})
                window.setdefault(number, {})[variable] = layout
        for _, window in sorted(windows.items()):
            yield list(window.values())


def _move_stretches(problem: LayoutProblem, targets: list[Layouts]) -> None:
    """Repeats steps that move whole stretches of variables with one layout."""
    for _ in range(STRETCH_ITERATIONS):
        improving = False
        for target in targets:
            improving |= _expand(problem, target, _stretches(problem, target))
        if not improving:
            return


def _stretches(problem: LayoutProblem, target: Layouts) -> dict[int, int]:
    """For each variable of a target, the first variable of its stretch, within which no conversion
    is needed.
    """
    first: dict[int, int] = {}
    for start in target:
        if start in first:
            continue
        first[start] = start
        pending = [start]
        while pending:
            for other in _alike(problem, pending.pop()):
                if other in target and other not in first:
                    first[other] = start
                    pending.append(other)
    return first


def _alike(problem: LayoutProblem, variable: int) -> Iterator[int]:
    """The variables that read a variable's tiles, or make its operands, without a conversion."""
    item = problem.variables[variable]
    for number in item.demands:
        demand = problem.demands[number]
        maker = problem.tiles[demand.tile].variable
        if problem.variables[maker].layout == demand.wanted:
            yield maker
    for tile in item.tiles:
        for number in problem.tiles[tile].demands:
            demand = problem.demands[number]
            if demand.wanted == item.layout:
                yield demand.consumer


def _targets(problem: LayoutProblem, part: list[int]) -> list[Layouts]:
    """Joint choices for free variables: each layout in the part, propagated to all variables it
    reaches.
    """
    known: set[tuple[int, int]] = set()
    is_large = len(part) > WINDOW
    targets: list[Layouts] = []
    for tile in part:
        item = problem.tiles[tile]
        layouts = {problem.variables[item.variable].layout}
        layouts.update(problem.demands[number].wanted for number in item.demands)
        for layout in layouts:
            for variable, start in _seeds(problem, tile, layout):
                if (variable, start) not in known:
                    target = _carry(problem, variable, start, known if is_large else set())
                    known.update(target.items())
                    targets.append(_possible(problem, target))
    return targets


def _seeds(problem: LayoutProblem, tile: int, layout: int) -> Iterator[tuple[int, int]]:
    """The free variables that make or read a tile, each with its layout if the tile has
    `layout`.
    """
    item = problem.tiles[tile]
    if not problem.variables[item.variable].fixed:
        yield item.variable, layout
    for number in item.demands:
        demand = problem.demands[number]
        if demand.consumer >= 0 and not problem.variables[demand.consumer].fixed:
            following = problem.following(demand, layout)
            if following is not None:
                yield demand.consumer, following


def _carry(
    problem: LayoutProblem, variable: int, layout: int, known: Set[tuple[int, int]]
) -> Layouts:
    """Propagates the layout of one variable to all variables connected by tiles.

    Stops at pairs in `known`, so that all targets together have each layout of a variable once.
    """
    target = {variable: layout}
    pending = [variable]
    reached: set[tuple[int, int]] = set()
    while pending:
        current = pending.pop()
        for tile in _tiles_in(problem, current, target[current]):
            if tile in reached:
                continue
            reached.add(tile)
            for other in _seeds(problem, *tile):
                if other[0] not in target and other not in known:
                    target[other[0]] = other[1]
                    pending.append(other[0])
    return target


def _tiles_in(problem: LayoutProblem, variable: int, layout: int) -> Iterator[tuple[int, int]]:
    """The tiles that a variable makes or reads, each in its layout if the variable has `layout`."""
    item = problem.variables[variable]
    for tile in item.tiles:
        yield tile, layout
    for number in item.demands:
        demand = problem.demands[number]
        wanted = problem.wanted(demand, layout)
        if wanted is not None:
            yield demand.tile, wanted


def _possible(problem: LayoutProblem, target: Layouts) -> Layouts:
    """A target without the variables whose ops have no operand layouts for it."""

    def is_possible(variable: int, layout: int) -> bool:
        demands = (problem.demands[number] for number in problem.variables[variable].demands)
        return all(problem.wanted(demand, layout) is not None for demand in demands)

    return {v: layout for v, layout in target.items() if is_possible(v, layout)}


def _expand(
    problem: LayoutProblem, target: Layouts, stretches: Mapping[int, int] | None = None
) -> bool:
    """Moves the variables to their target layouts that a minimum cut selects; returns whether any
    moved.

    Variables of one stretch move together or not at all.
    """
    moving = {v: layout for v, layout in target.items() if problem.variables[v].layout != layout}
    tiles = _tiles_of(problem, moving)
    before = sum(map(problem.cost, tiles))
    # Most moves end here, before a network is built.
    if before == 0 or not any(_is_concerned(problem, target, tile) for tile in tiles):
        return False
    moved = _MoveNetwork(problem, target, moving, stretches or {}).cut(tiles)
    if not moved:
        return False
    old = {variable: problem.variables[variable].layout for variable in moved}
    for variable in moved:
        problem.assign(variable, moving[variable])
    # The cut does not see that a tile may be computed again, so that the true cost decides.
    if sum(map(problem.cost, tiles)) < before:
        return True
    for variable, layout in old.items():
        problem.assign(variable, layout)
    return False


def _tiles_of(problem: LayoutProblem, variables: Layouts) -> list[int]:
    """The tiles whose conversions depend on some variables."""
    tiles: dict[int, None] = {}
    for variable in variables:
        item = problem.variables[variable]
        for tile in item.tiles:
            tiles[tile] = None
        for number in item.demands:
            tiles[problem.demands[number].tile] = None
    return list(tiles)


def _is_concerned(problem: LayoutProblem, target: Layouts, tile: int) -> bool:
    """Whether a tile has a conversion to or from its target layout, so that a move may remove
    it.
    """
    if not problem.cost(tile):
        return False
    item = problem.tiles[tile]
    made = problem.variables[item.variable].layout
    for number in item.demands:
        demand = problem.demands[number]
        if demand.wanted == made:
            continue
        if target.get(item.variable) in (made, demand.wanted):
            return True
        consumer = target.get(demand.consumer)
        if consumer is not None and problem.wanted(demand, consumer) in (made, demand.wanted):
            return True
    return False


class _MoveNetwork:
    """The flow network of one move: variables on the source's side change to their target
    layouts.
    """

    def __init__(
        self,
        problem: LayoutProblem,
        target: Layouts,
        moving: Layouts,
        stretches: Mapping[int, int],
    ) -> None:
        self.problem = problem
        self.target = target
        self.network = FlowNetwork()
        self.nodes: dict[int, int] = {}
        shared: dict[int, int] = {}
        for variable in moving:
            first = stretches.get(variable, variable)
            if first not in shared:
                shared[first] = self.network.add_node()
            self.nodes[variable] = shared[first]

    def cut(self, tiles: list[int]) -> list[int]:
        """The variables that move."""
        for tile in tiles:
            if not self.problem.tiles[tile].recomputed_ops:
                self._add_tile(tile)
        moved = self.network.source_side()
        return [variable for variable, node in self.nodes.items() if moved[node]]

    def _add_tile(self, tile: int) -> None:
        """Adds the edges of a tile: for each layout, the cost of a conversion if any user demands
        that layout.
        """
        problem = self.problem
        item = problem.tiles[tile]
        made = problem.variables[item.variable].layout
        new = self.target.get(item.variable)
        if new is None:
            new = self._layout_taken(tile)
        node = self.nodes.get(item.variable, SOURCE if made == new else SINK)
        # The depth of loops decides only between choices with as many conversions.
        cost = CONVERSION + item.depth
        # Most tiles have one user: no gates, and a third of the edges.
        if len(item.demands) == 1:
            self._add_single_demand(problem.demands[item.demands[0]], node, made, new, cost)
            return
        legality_of: dict[tuple[int, int], list[int]] = {}
        moving: dict[tuple[int, int], list[int]] = {}
        for number in item.demands:
            demand = problem.demands[number]
            mover = self.nodes.get(demand.consumer)
            position = (demand.epoch, demand.wanted)
            if mover is None:
                legality_of.setdefault(position, []).append(SINK)
                moving.setdefault(position, []).append(SOURCE)
            else:
                legality_of.setdefault(position, []).append(mover)
                position = (demand.epoch, self._wanted(demand))
                moving.setdefault(position, []).append(mover)
        for (_, layout), users in legality_of.items():
            if layout == made != new:
                # Converted back, where the tile moves and a user stays.
                self._if_any_stays(node, users, cost)
            elif layout not in (made, new) and SINK not in users:
                self._if_any_stays(SOURCE, users, cost)
        for (_, layout), users in moving.items():
            if layout == new != made:
                # Converted, where a user moves and the tile stays.
                self._if_any_moves(users, node, cost)
            elif layout not in (made, new) and SOURCE not in users:
                self._if_any_moves(users, SINK, cost)

    def _add_single_demand(
        self, demand: Demand, node: int, made: int, new: int | None, cost: int
    ) -> None:
        """Adds the edges of a tile with one demand, the most frequent case, without gates."""
        add_edge = self.network.add_edge
        stays = demand.wanted
        mover = self.nodes.get(demand.consumer)
        moves = stays if mover is None else self._wanted(demand)
        if made != new and node != mover:
            if stays == made:
                add_edge(node, SINK if mover is None else mover, cost)
            if moves == new:
                add_edge(SOURCE if mover is None else mover, node, cost)
        if mover is not None:
            if stays not in (made, new):
                add_edge(SOURCE, mover, cost)
            if moves not in (made, new):
                add_edge(mover, SINK, cost)

    def _wanted(self, demand: Demand) -> int:
        """The layout in which a moving user demands its operand."""
        wanted = self.problem.wanted(demand, self.target[demand.consumer])
        assert wanted is not None
        return wanted

    def _layout_taken(self, tile: int) -> int | None:
        """The layout in which moving users demand a fixed tile."""
        for number in self.problem.tiles[tile].demands:
            demand = self.problem.demands[number]
            if demand.consumer in self.target:
                return self.problem.wanted(demand, self.target[demand.consumer])
        return None

    def _if_any_stays(self, node: int, users: list[int], cost: int) -> None:
        """Adds a cost if `node` is on the source's side and any of the users is not."""
        users = _others(users, node)
        if node == SINK or not users:
            return
        gate = self._gate(users)
        if gate != users[0]:
            for user in users:
                self.network.add_edge(gate, user, UNCUT)
        self.network.add_edge(node, gate, cost)

    def _if_any_moves(self, users: list[int], node: int, cost: int) -> None:
        """Adds a cost if any of the users is on the source's side and `node` is not."""
        users = _others(users, node)
        if node == SOURCE or not users:
            return
        gate = self._gate(users)
        if gate != users[0]:
            for user in users:
                self.network.add_edge(user, gate, UNCUT)
        self.network.add_edge(gate, node, cost)

    def _gate(self, users: list[int]) -> int:
        """A node for several users together; a single user is its own node."""
        return users[0] if len(users) == 1 else self.network.add_node()


def _others(users: list[int], node: int) -> list[int]:
    """The distinct users, without the node itself."""
    if len(users) == 1:
        return [] if users[0] == node else users
    return [user for user in dict.fromkeys(users) if user != node]
