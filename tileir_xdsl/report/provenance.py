"""Tracks, from pass to pass, the original ops that each op was made from, and ids of values.

For line information, passes copy the location of an op to clones and replacements. If each op that
is read has a unique location object, the location of a later op thus identifies its origin. So
locations are replaced by equal but distinct objects, which passes cannot tell apart.

An op without a known location gets the origins of its users, then of its operands, then of the op
before it or around it. A value keeps its id while it is the same object. New values get the ids of
equally many old values with the same origins and name.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, SSAValue

from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.walking import ancestors, ops_in

Origins: TypeAlias = tuple[str, ...]

ValueKey: TypeAlias = tuple[Origins, str | None, str]
"""Origins and name of a value, and whether it is a result or a block argument."""


@dataclass
class Provenance:
    """The origins of ops and the ids of values of one module, as of the last `follow`."""

    _origins: dict[int, Origins] = field(default_factory=dict[int, Origins])
    """The origins of a location object, by its identity."""
    _equal: dict[Attribute, Origins] = field(default_factory=dict[Attribute, Origins])
    """The origins by equality of locations, for locations that passes have constructed."""
    _locations: list[Attribute] = field(default_factory=list[Attribute])
    """Keeps locations alive, so that their ids stay unique."""
    _values: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    _keys: dict[SSAValue, ValueKey] = field(default_factory=dict[SSAValue, ValueKey])
    _next_value: int = 0

    def read(self, module: ModuleOp) -> None:
        """Numbers the ops of a module as it was read, and its values."""
        for number, op in enumerate(ops_in(module)[1:]):
            location = copy.copy(op.location)
            origins = (f"o{number}",)
            if not isinstance(location, UnknownLoc):
                self._equal[location] = self._equal.get(location, ()) + origins
            self._mark(op, location, origins)
        self._follow_values(ops_in(module))

    def follow(self, module: ModuleOp) -> None:
        """Updates origins and ids; to be called when a pass has changed the module."""
        ops = ops_in(module)
        unknown = [op for op in ops[1:] if id(op.location) not in self._origins]
        # Users come after definitions, so that those of an op without origins have theirs already.
        for op in reversed(unknown):
            if (origins := self._of_location(op.location) or self._of_users(op)) is not None:
                self._derive(op, origins)
        for op in unknown:
            if id(op.location) not in self._origins:
                self._derive(op, self._of_operands(op) or self._of_neighbours(op))
        self._follow_values(ops)

    def snapshot(self, module: ModuleOp) -> Snapshot:
        """The data that `restore` needs for a clone of the module."""
        return Snapshot([self._values.get(value) for value in values_in(ops_in(module))])

    def restore(self, module: ModuleOp, snapshot: Snapshot) -> None:
        """Restores the ids of values; to be called when a clone replaces the module."""
        ops = ops_in(module)
        values = list(values_in(ops))
        if len(values) == len(snapshot.values):
            named = zip(values, snapshot.values, strict=True)
            self._values = {value: name for value, name in named if name is not None}
        self._follow_values(ops)

    def origins(self, op: Operation) -> Origins:
        """The origins of an op."""
        return self.origins_at(op.location)

    def origins_at(self, location: Attribute | None) -> Origins:
        """The origins of an op with a location; empty for a location of no op."""
        return self._origins.get(id(location), ())

    def value(self, value: SSAValue) -> str | None:
        """The id of a value; None for one that is not in the module."""
        return self._values.get(value)

    def at_place(self, place: str) -> Origins:
        """The origins of the op at `FILE:LINE:COL` in a source, otherwise of ops in that line."""
        texts = [(location_text(location), origins) for location, origins in self._equal.items()]
        for length in (3, 2):
            wanted = place.rsplit(":", 2)[:length]
            found = [o for text, o in texts if text and text.rsplit(":", 2)[:length] == wanted]
            if found:
                return tuple(dict.fromkeys(origin for origins in found for origin in origins))
        return ()

    def lines_read(self) -> Iterator[tuple[str, Origins]]:
        """`FILE:LINE:COL` and origins of every op that was read from a known location."""
        for location, origins in self._equal.items():
            if (text := location_text(location)) is not None:
                yield text, origins

    def _mark(self, op: Operation, location: LocationAttr, origins: Origins) -> None:
        op.location = location
        self._locations.append(location)
        self._origins[id(location)] = origins

    def _derive(self, op: Operation, origins: Origins) -> None:
        self._mark(op, copy.copy(op.location), origins)

    def _of_location(self, location: Attribute) -> Origins | None:
        """The origins of a location, or of a location nested in it."""
        if isinstance(location, UnknownLoc):
            return None
        known = self._origins.get(id(location)) or self._equal.get(location)
        if known is not None:
            return known
        parts: Iterable[Attribute] = ()
        if isinstance(location, ParametrizedAttribute):
            parts = location.parameters
        elif isinstance(location, ArrayAttr):
            parts = location.data
        found = (self._of_location(part) for part in parts)
        return next((origins for origins in found if origins is not None), None)

    def _known(self, op: Operation | None) -> Origins | None:
        return None if op is None else self._origins.get(id(op.location))

    def _of_users(self, op: Operation) -> Origins | None:
        for result in op.results:
            for use in result.uses:
                if (origins := self._known(use.operation)) is not None:
                    return origins
        return None

    def _of_operands(self, op: Operation) -> Origins | None:
        for operand in op.operands:
            owner = operand.owner
            defining = owner.parent_op() if isinstance(owner, Block) else owner
            if (origins := self._known(defining)) is not None:
                return origins
        return None

    def _of_neighbours(self, op: Operation) -> Origins:
        before: Operation | None = op.prev_op
        while before is not None:
            if (origins := self._known(before)) is not None:
                return origins
            before = before.prev_op
        after: Operation | None = op.next_op
        while after is not None:
            if (origins := self._known(after)) is not None:
                return origins
            after = after.next_op
        known = (origins for a in ancestors(op) if (origins := self._known(a)) is not None)
        return next(known, ())

    def _follow_values(self, ops: list[Operation]) -> None:
        present = list(values_in(ops))
        keys = {value: self._key(value) for value in present}
        gone: dict[ValueKey, list[str]] = {}
        for value, name in self._values.items():
            if value not in keys and (key := self._keys.get(value)) is not None:
                gone.setdefault(key, []).append(name)
        new: dict[ValueKey, list[SSAValue]] = {}
        for value in present:
            if value not in self._values:
                new.setdefault(keys[value], []).append(value)
        matched: dict[SSAValue, str] = {}
        for key, values in new.items():
            names = gone.get(key, ())
            if len(names) == len(values):
                matched.update(zip(values, names, strict=True))
        self._values = {value: self._name(value, matched) for value in present}
        self._keys = keys

    def _name(self, value: SSAValue, matched: dict[SSAValue, str]) -> str:
        name = self._values.get(value) or matched.get(value)
        if name is None:
            name = f"v{self._next_value}"
            self._next_value += 1
        return name

    def _key(self, value: SSAValue) -> ValueKey:
        owner = value.owner
        if isinstance(owner, Block):
            around = owner.parent_op()
            return (self._known(around) or (), value.name_hint, "argument")
        return (self._known(owner) or (), value.name_hint, "result")


@dataclass(frozen=True)
class Snapshot:
    """The ids of a module's values in the order of the program."""

    values: list[str | None]


def values_in(ops: Iterable[Operation]) -> Iterator[SSAValue]:
    """The results of ops and the arguments of their blocks, in the order that numbers them."""
    for op in ops:
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args
