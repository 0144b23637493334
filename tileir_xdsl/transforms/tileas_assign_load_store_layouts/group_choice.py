"""The choice of a layout for one group, by the cost over all ops of the group.

Every layout that an op of the group proposes is tried for the whole group. Each op then uses its
tile in that layout, or in another one after a conversion, whichever costs less. Costs inside of
loops are multiplied by the estimated trip count. The cheapest layout is chosen; ties are broken by
registers, then by shared-memory transactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from xdsl.ir import Operation

from tileir_xdsl.analysis.access.copy_costs import FREE, CopyCost
from tileir_xdsl.analysis.layouts.bulk_uses import BulkUse
from tileir_xdsl.analysis.layouts.candidates import Candidate, Conversions, TileLayout, TileUse
from tileir_xdsl.analysis.layouts.global_uses import GlobalUse
from tileir_xdsl.analysis.layouts.tile_uses import OperandUse
from tileir_xdsl.analysis.layouts.uses import OperationUse
from tileir_xdsl.layout.banks import MAX_VECTOR_BYTES
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets.target import CostWeights


@dataclass(frozen=True)
class Answer:
    """The candidate that one op uses for its tile, given the layout of the group."""

    candidate: Candidate
    conversion: CopyCost = FREE
    converted: bool = False
    """Whether the tile is converted to another layout for the op."""

    @property
    def cost(self) -> CopyCost:
        """The cost of the candidate and of its conversions."""
        return self.candidate.cost + self.conversion


@dataclass
class LayoutGroup:
    """The ops that prefer layouts for the tiles of one group."""

    uses: list[OperationUse] = field(default_factory=list[OperationUse])
    bound_by: Operation | None = None
    """An op that requires the tiles in registers, if there is one."""


@dataclass(frozen=True)
class Option:
    """One possible layout for a group."""

    layout: TileLayout
    answers: tuple[Answer, ...]
    """An answer for each use; empty if the layout is pruned."""
    cost: CopyCost
    problem: str = ""
    """The reason why the layout is pruned, otherwise empty."""


@dataclass(frozen=True)
class GroupChoice:
    """The decision for a group, and its options."""

    group: LayoutGroup
    options: tuple[Option, ...]
    chosen: Option | None
    best: Option | None
    """The choice without forced candidates."""


Forced = Mapping[Operation, str]
"""The name of the forced candidate of each op."""

Signature = tuple[TileUse, Conversions, int]
"""A use, its conversions to another layout, and how often the op runs."""


@dataclass
class OptionTable:
    """A cache of the options of groups whose ops have equal uses."""

    weights: CostWeights
    warps: int
    _known: dict[tuple[object, ...], tuple[Option, ...]] = field(
        default_factory=dict[tuple[object, ...], tuple[Option, ...]]
    )

    def options(self, group: LayoutGroup) -> tuple[Option, ...]:
        """All layouts that ops of a group propose, each with its cost over all ops."""
        problem = _memory_problem(group)
        # Equal uses are one object here, which spares hashing them.
        parts = ((id(use.use), use.conversions, use.frequency) for use in group.uses)
        key = (problem, *parts)
        options = self._known.get(key)
        if options is None:
            layouts = dict.fromkeys(
                candidate.layout for use in group.uses for candidate in use.use.own
            )
            # A dot's operand can then always be loaded in some layout.
            layouts |= dict.fromkeys(_in_registers(tuple(layouts), self.warps))
            counts = _count(group.uses)
            options = self._known[key] = tuple(
                _option(group, counts, layout, problem, self.weights) for layout in layouts
            )
        return options


def _in_registers(layouts: Sequence[TileLayout], warps: int) -> Iterator[LinearLayout]:
    """Blocked register layouts for tiles for which ops only propose layouts in memory."""
    if not layouts or any(isinstance(layout, LinearLayout) for layout in layouts):
        return
    (shared_layout, *_) = (layout for layout in layouts if isinstance(layout, SharedLayout))
    # Widest accesses first, which are the cheapest where they are possible.
    vector = max(1, 8 * MAX_VECTOR_BYTES // shared_layout.element_bits)
    while vector:
        yield blocked(shared_layout.shape, vector, warps)
        vector //= 2


def choose_layout(group: LayoutGroup, table: OptionTable, forced: Forced) -> GroupChoice:
    """The cheapest layout that all ops of a group support; among equal costs, one in shared
    memory.
    """
    weights = table.weights
    options = table.options(group)
    allowed = [option for option in options if not option.problem]
    # The sort is stable and `min` takes the first: of equal costs that in shared memory.
    allowed.sort(key=lambda option: isinstance(option.layout, LinearLayout))
    best = min(allowed, key=lambda option: option.cost.order(weights), default=None)
    wanted = [use for use in group.uses if use.op in forced] if forced else []
    if not wanted:
        return GroupChoice(group, options, best, best)
    options = (*options, *_only_forced_options(group, wanted, options, forced, weights))
    chosen = _forced_option(group, options, wanted[0], forced, weights)
    return GroupChoice(group, options, chosen, best)


def _only_forced_options(
    group: LayoutGroup,
    wanted: Sequence[OperationUse],
    options: Sequence[Option],
    forced: Forced,
    weights: CostWeights,
) -> Iterator[Option]:
    """The options for layouts of forced candidates that no op proposes."""
    known = {option.layout for option in options}
    names = ((use, forced[use.op]) for use in wanted)
    layouts = dict.fromkeys(
        candidate.layout for use, name in names for candidate in forced_candidates(use, name)
    )
    counts, problem = _count(group.uses), _memory_problem(group)
    for layout in layouts:
        if layout not in known:
            yield _option(group, counts, layout, problem, weights)


def _count(uses: Sequence[OperationUse]) -> dict[Signature, int]:
    """The number of ops with equal uses, which are evaluated once."""
    counts: dict[Signature, int] = {}
    for use in uses:
        key = (use.use, use.conversions, use.frequency)
        counts[key] = counts.get(key, 0) + 1
    return counts


def _option(
    group: LayoutGroup,
    signatures: Mapping[Signature, int],
    layout: TileLayout,
    problem: str,
    weights: CostWeights,
) -> Option:
    # The problem concerns memory; layouts in registers remain.
    if problem and isinstance(layout, SharedLayout):
        return Option(layout, (), FREE, problem)
    total = FREE
    answers: dict[Signature, Answer] = {}
    for signature, count in signatures.items():
        use, conversions, frequency = signature
        answer = answer_in(use, layout, conversions, weights)
        if isinstance(answer, str):
            return Option(layout, (), FREE, answer)
        answers[signature] = answer
        # One tile has one set of registers, however many ops use it.
        total = total.sharing_registers(answer.cost.repeated(count * frequency))
    each = tuple(answers[use.use, use.conversions, use.frequency] for use in group.uses)
    return Option(layout, each, total)


def _memory_problem(group: LayoutGroup) -> str:
    """The reason why the tiles of a group cannot be kept in shared memory, otherwise empty."""
    # In memory every such op would load the tile first.
    if group.bound_by is not None:
        return f"keeps the tile in memory, but '{group.bound_by.name}' takes it in registers"
    takers = [use for use in group.uses if not isinstance(use.use, GlobalUse)]
    if any(isinstance(own.layout, SharedLayout) for use in takers for own in use.use.own):
        return ""
    if _is_staged(group):
        return ""
    # From load to store by bulk copies: no thread touches the tile.
    accesses = [use.use for use in group.uses if isinstance(use.use, GlobalUse)]
    if len(accesses) == len(group.uses) and (
        all(use.takes_box for use in accesses)
        # Some bulk copies are weighed against what threads do for the tile on either side.
        or any(isinstance(use, BulkUse) for use in accesses)
    ):
        return ""
    return "keeps the tile in memory, but no op takes it from there"


def _is_staged(group: LayoutGroup) -> bool:
    """Whether a loop loads tiles for dots alone, so that loads to shared memory can be
    prefetched.
    """
    loads = [use for use in group.uses if isinstance(use.use, GlobalUse)]
    rest = [use.use for use in group.uses if not isinstance(use.use, GlobalUse)]
    return (
        bool(loads and rest)
        # Outside of a loop nothing can run ahead.
        and all(use.frequency > 1 for use in loads)
        and all(isinstance(use, OperandUse) and use.from_memory for use in rest)
    )


@lru_cache(maxsize=8192)
def answer_in(
    use: TileUse, layout: TileLayout, conversions: Conversions, weights: CostWeights
) -> Answer | str:
    """The candidate that an op uses if its group has a layout, or the reason if there is none.

    A candidate in another memory is used only if the op has none in the memory of the group.
    """
    here = use.in_layout(layout)
    found = [Answer(here)] if isinstance(here, Candidate) else []
    others = [candidate for candidate in use.own if candidate.layout != layout]
    alike = [other for other in others if isinstance(other.layout, type(layout))]
    # Within one memory a conversion is cheapest.
    for candidate in alike if alike or found else others:
        try:
            conversion = conversions.cost(layout, candidate.layout)
        except LayoutError:
            continue
        if isinstance(layout, SharedLayout):
            candidate = replace(candidate, cost=use.from_memory_cost(candidate))
        found.append(Answer(candidate, conversion, converted=True))
    if not found:
        return here if isinstance(here, str) else "no candidate"
    return min(found, key=lambda answer: answer.cost.order(weights))


def _forced_option(
    group: LayoutGroup,
    options: Sequence[Option],
    first: OperationUse,
    forced: Forced,
    weights: CostWeights,
) -> Option | None:
    """The best option with the forced layout of the first op."""
    names = forced_candidates(first, forced[first.op])
    layouts = {candidate.layout for candidate in names}
    allowed = [option for option in options if option.layout in layouts and not option.problem]
    # The reason is in the options, and reported with the op.
    if not allowed:
        return None
    option = min(allowed, key=lambda option: option.cost.order(weights))
    answers = [
        _forced_answer(use, option, answer, forced)
        for use, answer in zip(group.uses, option.answers, strict=True)
    ]
    total = FREE
    for use, answer in zip(group.uses, answers, strict=True):
        total = total.sharing_registers(answer.cost.repeated(use.frequency))
    return Option(option.layout, tuple(answers), total)


def _forced_answer(use: OperationUse, option: Option, answer: Answer, forced: Forced) -> Answer:
    """The answer of an op with a forced candidate: that candidate, with a conversion if
    necessary.
    """
    if use.op not in forced:
        return answer
    candidates = forced_candidates(use, forced[use.op])
    for candidate in candidates:
        if candidate.layout == option.layout:
            return Answer(candidate)
    # An op with tiles in several groups may have it in another one; else it is refused later.
    if not candidates:
        return answer
    candidate = candidates[0]
    conversion = use.conversions.cost(option.layout, candidate.layout)
    return Answer(candidate, conversion, converted=True)


def forced_candidates(use: OperationUse, name: str) -> list[Candidate]:
    """The candidates of an op that have a name."""
    candidates = (*use.use.own, *use.use.only_forced)
    return [candidate for candidate in candidates if candidate.name == name]
