"""The race detector: is told what threads do, and raises a fault at an access without order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, EmulatorError, LaneFault
from tileir_xdsl.emulator.groups import Group
from tileir_xdsl.emulator.late import Kind
from tileir_xdsl.emulator.mbarriers import Change
from tileir_xdsl.emulator.memory import GLOBAL_WINDOW, Access, Memory
from tileir_xdsl.emulator.races.clocks import ORDERED, Beside, Clocks, Columns, Knowledge
from tileir_xdsl.emulator.races.issues import Commits, Issue, issue
from tileir_xdsl.emulator.races.objects import BarrierObjects, Flag, Flags, NamedBarriers
from tileir_xdsl.emulator.races.registers import ProductRegisters
from tileir_xdsl.emulator.races.reports import Reports
from tileir_xdsl.emulator.races.shadow import SITE_BITS, Actor, Conflict, Shadow, Verb
from tileir_xdsl.emulator.races.uses import RegisterUse
from tileir_xdsl.emulator.types import Array, Mask

if TYPE_CHECKING:
    from tileir_xdsl.emulator.compile import CompiledKernel
    from tileir_xdsl.emulator.registers import Geometry

_GLOBAL_SLOTS = 4
_NO_LIMIT = 1 << 62
_WORD = 8
"""Bytes of a barrier object."""


class RaceDetector:
    """The races of one launch; `begin` starts a batch of resident blocks."""

    def __init__(self, compiled: CompiledKernel, memory_size: int, geometry: Geometry) -> None:
        self.compiled = compiled
        self.columns = Columns(geometry.columns // WARP_SIZE)
        self.grid = geometry.grid
        blocks = int(np.prod(geometry.grid))
        if blocks * self.columns.total * WARP_SIZE >= 1 << 31:
            raise EmulatorError(f"races are not looked for among as many as {blocks} blocks")
        self.granules = granules(compiled)
        self.outer = Shadow(memory_size, self.granules["global"], _GLOBAL_SLOTS, self.columns)
        self.reports = Reports(self.columns, compiled.sites, self._coordinates)

    def begin(self, memory: Memory, geometry: Geometry, live: Mask) -> None:
        x, y, _ = geometry.grid
        numbers = geometry.blocks @ np.array([1, x, x * y])
        columns = self.columns
        self.memory = memory
        self.clocks = Clocks(numbers, columns, live)
        groups = -(-columns.warps // 4)
        self.product_slot = columns.warps
        self.bulk_slot = columns.warps + groups
        self.inner = Shadow(
            memory.shared.bytes.size, self.granules["shared"], self.bulk_slot + 1, columns
        )
        warp = np.broadcast_to(np.arange(live.shape[1]) // WARP_SIZE, live.shape)
        self.slots = {"shared": warp, "global": numbers[:, None] + warp}
        self.running: Issue | None = None
        kinds: tuple[Kind, ...] = ("copy", "bulk", "wgmma")
        self.commits = {kind: Commits(live.shape) for kind in kinds}
        self.barriers = NamedBarriers()
        self.objects = BarrierObjects()
        self.flags = Flags()
        self.fence_rows: Array | None = None
        self.observed: dict[tuple[int, int], list[Knowledge]] = {}
        self.registers = ProductRegisters(self.compiled.product_registers, live.shape)

    def _coordinates(self, block: int) -> tuple[int, int, int]:
        x, y, _ = self.grid
        return block % x, block // x % y, block // (x * y)

    # Accesses

    def read(self, group: Group, index: Array, mask: Mask | None, access: Access) -> None:
        """Threads read vectors, whose indices in their memory are `[blocks, threads]`."""
        if access.semantics:
            self._strong(group, index, mask, access, reads=True, writes=False)
            return
        lanes, actor = self._actor(group, mask, access.space, writes=False)
        shadow = self._shadow(access.space)
        cells = shadow.cells(_select(group, index, lanes) * access.size, access.size)
        self._check(group, lanes, access, actor, shadow, shadow.read(actor, cells))

    def write(
        self,
        group: Group,
        index: Array,
        mask: Mask | None,
        access: Access,
        values: tuple[Array, ...],
    ) -> None:
        """Threads are about to write vectors."""
        if access.semantics:
            self._strong(group, index, mask, access, reads=False, writes=True)
            return
        lanes, actor = self._actor(group, mask, access.space, writes=True)
        shadow = self._shadow(access.space)
        places = _select(group, index, lanes)
        cells = shadow.cells(places * access.size, access.size)

        def same() -> Mask:
            segment = self.memory.heap if access.space == "global" else self.memory.shared
            old = segment.vectors(access.dtype, access.elements)[places]
            old = old.reshape(len(places), access.elements)
            return (_bits(old) == _bits(_stack(group, lanes, values))).all(axis=-1)

        conflict = shadow.write(actor, cells, same)
        self._check(group, lanes, access, actor, shadow, conflict)
        lost = shadow.writes.who[0].take(cells[:, 0]) != actor.who + 1
        if lost.any():
            self._check_equal(group, lanes, access, places, values)

    def _check_equal(
        self,
        group: Group,
        lanes: Mask,
        access: Access,
        places: Array,
        values: tuple[Array, ...],
    ) -> None:
        """Lanes of one instruction that write to one place must write the same."""
        _, first, inverse = np.unique(places, return_index=True, return_inverse=True)
        stored = _bits(_stack(group, lanes, values))
        differs = (stored != stored[first[inverse]]).any(axis=-1)
        if differs.any():
            lane = int(np.argmax(differs))
            where = self._where(access.space, int(places[lane]) * access.size)
            raise LaneFault(
                f"race: threads write different values to {where} in one instruction",
                _one_lane(lanes, lane),
            )

    def atomic(
        self, group: Group, index: Array, mask: Mask | None, access: Access, wrote: Mask | None
    ) -> None:
        """Threads update places atomically; `wrote` tells those that changed anything."""
        self._strong(group, index, mask, access, reads=True, writes=True, wrote=wrote)

    def elements(
        self,
        group: Group,
        lane: tuple[int, int],
        space: str,
        positions: Array,
        size: int,
        verb: Verb,
    ) -> None:
        """A bulk copy of one thread touches `size` bytes at each byte position of a memory."""
        assert self.running is not None
        lanes = np.zeros(group.shape, np.bool_)
        lanes[lane] = True
        slot = self.bulk_slot if space == "shared" else self.slots["global"][lane]
        actor = self.running.actor(lanes, writes=verb != "read", slot=np.array([slot]))
        shadow = self._shadow(space)
        cells = shadow.cells(positions, size).reshape(1, -1)
        if not cells.size:
            return
        access = {"read": shadow.read, "write": shadow.write, "atomic access": shadow.atomic}
        self._check_at(group, lanes, space, verb, actor, shadow, access[verb](actor, cells))

    def matrix(self, group: Group, block: int, warpgroup: int, positions: Array) -> None:
        """A product reads a matrix whose elements are at byte positions of shared memory."""
        assert self.running is not None
        slot = self.product_slot + group.t0 // (4 * WARP_SIZE) + warpgroup
        actor = self.running.product(block, warpgroup, slot)
        lanes = np.zeros(group.shape, np.bool_)
        lanes[block, warpgroup * 4 * WARP_SIZE] = True
        cells = (positions.reshape(1, -1)) // self.inner.granule
        conflict = self.inner.read(actor, cells)
        self._check_at(group, lanes, "shared", "read", actor, self.inner, conflict)

    def _shadow(self, space: str) -> Shadow:
        return self.outer if space == "global" else self.inner

    def _actor(
        self, group: Group, mask: Mask | None, space: str, *, writes: bool
    ) -> tuple[Mask, Actor]:
        """Who makes an access: threads, or the asynchronous work that they have started."""
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        clocks = self.clocks
        view = (slice(group.b0, group.b1), slice(group.t0, group.t1))
        slot = self.slots["global" if space == "global" else "shared"][view][lanes]
        if self.running is not None:
            return lanes, self.running.actor(lanes, writes=writes, slot=slot)
        who = clocks.who[view][lanes]
        stamp = (clocks.now[view][lanes] << SITE_BITS) | group.site
        row, base = clocks.row[view][lanes], clocks.agents[view][lanes]
        return lanes, Actor(who, stamp, row, clocks.rows, base, slot, who, _NO_LIMIT, clocks.beside)

    def _check(
        self,
        group: Group,
        lanes: Mask,
        access: Access,
        actor: Actor,
        shadow: Shadow,
        conflict: Conflict | None,
    ) -> None:
        self._check_at(group, lanes, access.space, access.verb, actor, shadow, conflict)

    def _check_at(
        self,
        group: Group,
        lanes: Mask,
        space: str,
        verb: str,
        actor: Actor,
        shadow: Shadow,
        conflict: Conflict | None,
    ) -> None:
        if conflict is not None and not self._is_guess(verb, group.site, conflict):
            where = self._where(space, conflict.cell * shadow.granule)
            who = int(actor.who[conflict.lane])
            message = self.reports.race(verb, where, who, conflict)
            raise LaneFault(message, _one_lane(lanes, conflict.lane))

    def _is_guess(self, verb: str, site: int, conflict: Conflict) -> bool:
        """Whether a plain read races with a compare-and-swap, before which it only guesses."""
        sites = self.compiled.sites
        if (verb, conflict.earlier) == ("read", "atomic access"):
            swap = sites[conflict.stamp & ((1 << SITE_BITS) - 1)]
        elif (verb, conflict.earlier) == ("atomic access", "read"):
            swap = sites[site]
        else:
            return False
        return "cas" in swap.mnemonic.split(".")

    def _where(self, space: str, position: int) -> str:
        if space != "global":
            return f"shared address {position % self.memory.shared_stride:#x}"
        address = GLOBAL_WINDOW + position
        return f"global address {address:#x} ({self.memory.heap.describe(address)})"

    def use_registers(self, group: Group, mask: Mask | None, use: RegisterUse) -> None:
        """Threads use registers of asynchronous products."""
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        self.registers.use(group, lanes, use)

    # Flags: atomic accesses, and loads and stores with memory semantics

    def _strong(
        self,
        group: Group,
        index: Array,
        mask: Mask | None,
        access: Access,
        *,
        reads: bool,
        writes: bool,
        wrote: Mask | None = None,
    ) -> None:
        lanes, actor = self._actor(group, mask, access.space, writes=True)
        shadow = self._shadow(access.space)
        positions = _select(group, index, lanes) * access.size
        if self._synchronises(access):
            for number, (block, thread) in enumerate(np.argwhere(lanes)):
                key = (access.space == "global", int(positions[number]))
                at = (group.b0 + int(block), group.t0 + int(thread))
                if reads:
                    self._observe(at, key, access)
                if writes and (wrote is None or wrote[block, thread]):
                    self._publish(at, key, access, updates=reads)
        conflict = shadow.atomic(actor, shadow.cells(positions, access.size))
        self._check(group, lanes, access, actor, shadow, conflict)

    def _synchronises(self, access: Access) -> bool:
        return (
            access.semantics not in ("", "relaxed")
            or bool(self.flags.found)
            or self.fence_rows is not None
        )

    def _observe(self, at: tuple[int, int], key: tuple[bool, int], access: Access) -> None:
        """A thread reads a flag: it knows what was released, at once or from its next fence on."""
        flag = self.flags.found.get(key)
        if flag is None:
            return
        known: Knowledge | None = flag.near
        if known.block != int(self.clocks.blocks[at[0]]) or known.beside.blocks:
            known = flag.wide if access.scope != "cta" else None
        if known is None:
            return
        if access.semantics in ("acquire", "acq_rel"):
            self.clocks.acquire(at[0], np.array([at[1]]), known)
        else:
            self.observed.setdefault(at, []).append(known.copy())

    def _publish(
        self, at: tuple[int, int], key: tuple[bool, int], access: Access, *, updates: bool
    ) -> None:
        released = self._released(at, access)
        flag = None
        if released is not None:
            known, wide = released
            flag = Flag(known, known.copy() if wide and access.scope != "cta" else None)
        if updates:
            self.flags.update(key, flag)
        else:
            self.flags.store(key, flag)

    def _released(self, at: tuple[int, int], access: Access) -> tuple[Knowledge, bool] | None:
        """What the store of a thread releases: all until now, or until its last fence."""
        block, thread = at
        if access.semantics in ("release", "acq_rel"):
            return self.clocks.release(block, np.array([thread])), True
        if self.fence_rows is None or not self.fence_times[at]:
            return None
        number = int(self.fence_numbers[at])
        beside = self.fence_beside.get(number, Beside()).copy()
        beside.threads[int(self.clocks.who[at])] = int(self.fence_times[at])
        row = self.fence_rows[number].copy()
        known = Knowledge(int(self.clocks.blocks[block]), row, beside)
        return known, bool(self.fence_wide[at])

    def fence(self, group: Group, mask: Mask | None, *, wide: bool) -> None:
        """Threads order what they did before a later relaxed store, and flags they have read."""
        clocks = self.clocks
        if self.fence_rows is None:
            self.fence_rows = np.zeros_like(clocks.rows)
            self.fence_times = np.zeros_like(clocks.now)
            self.fence_numbers = np.zeros_like(clocks.row)
            self.fence_wide = np.zeros(clocks.live.shape, np.bool_)
            self.fence_beside: dict[int, Beside] = {}
        for block, threads in self._by_block(group, mask):
            self._acquire_observed(block, threads)
            numbers = clocks.row[block, threads]
            self.fence_rows[numbers] = clocks.rows[numbers]
            self.fence_numbers[block, threads] = numbers
            self.fence_times[block, threads] = clocks.now[block, threads]
            self.fence_wide[block, threads] = wide
            for number in np.unique(numbers) if clocks.beside else ():
                if int(number) in clocks.beside:
                    self.fence_beside[int(number)] = clocks.beside[int(number)].copy()
            clocks.advance(block, np.unique(threads // WARP_SIZE))

    def _acquire_observed(self, block: int, threads: Array) -> None:
        """Threads know now what the flags hand on that they have read."""
        for thread in threads if self.observed else ():
            for known in self.observed.pop((block, int(thread)), ()):
                self.clocks.acquire(block, np.array([thread]), known)

    def proxy_fence(self, group: Group, mask: Mask | None) -> None:
        """Threads make what they know visible to the asynchronous proxy."""
        for block, threads in self._by_block(group, mask):
            self.clocks.fence(block, threads)

    def _by_block(self, group: Group, mask: Mask | None) -> Iterator[tuple[int, Array]]:
        """The resident blocks of a group, and the threads of each that are active."""
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        for block in range(group.b1 - group.b0):
            threads = np.flatnonzero(lanes[block])
            if len(threads):
                yield group.b0 + block, group.t0 + threads

    # Barriers

    def meet_all(self, first: int, last: int) -> None:
        """All threads of some resident blocks meet at a barrier."""
        for block in range(first, last) if self.observed else ():
            self._acquire_observed(block, np.flatnonzero(self.clocks.live[block]))
        if not self.clocks.meet_all(first, last):
            for block in range(first, last):
                threads = np.flatnonzero(self.clocks.live[block])
                self.clocks.meet(block, threads, self.clocks.release(block, threads))

    def meet_warps(self, group: Group, members: Array | None = None) -> None:
        """The active lanes of each warp meet."""
        if group.mask is None and self.clocks.meet_warps(group.rectangle):
            return
        for block, threads in self._by_block(group, None):
            for warp in np.unique(threads // WARP_SIZE):
                lanes = threads[threads // WARP_SIZE == warp]
                self.clocks.meet(block, lanes, self.clocks.release(block, lanes))

    def arrive(self, group: Group, lanes: Mask, number: int) -> None:
        """Threads come to a named barrier, which fences, too, what they have read."""
        for block, threads in self._by_block(group, lanes):
            self._acquire_observed(block, threads)
            self.barriers.arrive(block, number, self.clocks.release(block, threads))

    def complete(self, blocks: Array, number: int, waiting: Mask) -> None:
        """A named barrier lets the threads go on that waited, over all resident blocks."""
        for block in blocks:
            known = self.barriers.complete(int(block), number)
            threads = np.flatnonzero(waiting[block])
            if len(threads):
                self.clocks.meet(int(block), threads, known)

    def arrive_in_cluster(self, group: Group, mask: Mask | None, phases: Array) -> None:
        """Threads come to the barrier of their cluster, in phases `[blocks, threads]`."""
        lanes = group.active() if mask is None else mask
        for block, phase, threads in self._by_phase(group, lanes, phases):
            known = self.clocks.release(block, threads)
            self.barriers.arrive(self._cluster(block), phase, known)

    def leave_cluster_barrier(self, group: Group, lanes: Mask, phases: Array) -> None:
        """Threads go on after the barrier of their cluster."""
        for block, phase, threads in self._by_phase(group, lanes, phases):
            known = self.barriers.arrived(self._cluster(block), phase)
            if known is not None:
                self.clocks.acquire(block, threads, known)

    def _by_phase(
        self, group: Group, lanes: Mask, phases: Array
    ) -> Iterator[tuple[int, int, Array]]:
        for block, threads in self._by_block(group, lanes):
            own = phases[block - group.b0, threads - group.t0]
            for phase in np.unique(own):
                yield block, int(phase), threads[own == phase]

    def _cluster(self, block: int) -> int:
        """A number for the cluster of a block, apart from those of blocks."""
        clusters = self.memory.clusters
        return -1 - (block if clusters is None else int(clusters.first[block, 0]))

    # Barrier objects

    def create_objects(self, group: Group, places: Array, lanes: Mask) -> None:
        self._write_objects(group, places, lanes)
        for place in places:
            self.objects.create(int(place))

    def destroy_objects(self, group: Group, places: Array, lanes: Mask) -> None:
        self._write_objects(group, places, lanes)

    def _write_objects(self, group: Group, places: Array, lanes: Mask) -> None:
        _, actor = self._actor(group, lanes, "shared", writes=True)
        conflict = self.inner.write(actor, self.inner.cells(places * _WORD, _WORD))
        self._check_at(group, lanes, "shared", "write", actor, self.inner, conflict)

    def update_objects(
        self, group: Group, places: Array, lanes: Mask, change: Change
    ) -> ObjectUpdate:
        """Threads are about to change barrier objects, one after the other at each of them."""
        self._use_objects(group, places, lanes)
        return ObjectUpdate(self, group, places, lanes, change)

    def hand_on(
        self, group: Group, places: Array, lanes: Mask, chosen: Array, change: Change
    ) -> None:
        """Some of the threads in `lanes` have arrived, and hand on what `change` says."""
        coming = np.zeros_like(lanes)
        coming[tuple(np.argwhere(lanes)[chosen].T)] = True
        if change.releases == "counted":
            self._count_copies(group, places[chosen], coming)
            return
        arriving = coming & (np.broadcast_to(change.arrivals, group.shape) > 0)
        if change.releases == "nothing" or not arriving.any():
            return
        found = places[arriving[lanes]]
        for block, place, threads in self._by_object(group, found, arriving):
            known = self._copies_of(block, threads)
            if change.releases == "threads":
                known = self.clocks.release(block, threads)
            self.objects.arrive(place, known)

    def complete_objects(self, places: Array) -> None:
        """Phases of barrier objects end."""
        for place in places:
            self.objects.complete(int(place))

    def wait_for_objects(self, group: Group, places: Array, lanes: Mask, seen: Mask) -> None:
        """Threads look at barrier objects; some have `seen` the last phase complete."""
        self._use_objects(group, places, lanes)
        for block, place, threads in self._by_object(group, places[seen[lanes]], seen):
            known = self.objects.completed(place)
            if known is not None:
                self.clocks.acquire(block, threads, known)

    def _use_objects(self, group: Group, places: Array, lanes: Mask) -> None:
        _, actor = self._actor(group, lanes, "shared", writes=True)
        conflict = self.inner.atomic(actor, self.inner.cells(places * _WORD, _WORD))
        self._check_at(group, lanes, "shared", "atomic access", actor, self.inner, conflict)

    def _count_copies(self, group: Group, places: Array, lanes: Mask) -> None:
        """The copies that run now are complete."""
        assert self.running is not None
        for number, (block, thread) in enumerate(np.argwhere(lanes)):
            known = self._nothing(group.b0 + int(block))
            column = int(self.running.writer[block, thread])
            known.row[ORDERED, column] = self.running.write_time[block, thread]
            self.objects.arrive(int(places[number]), known)

    def _copies_of(self, block: int, threads: Array) -> Knowledge:
        """The copies that the warps of threads have started until now."""
        known = self._nothing(block)
        columns = self.columns.copies + np.unique(threads // WARP_SIZE)
        known.row[ORDERED, columns] = self.clocks.issued[block, columns]
        return known

    def _nothing(self, block: int) -> Knowledge:
        row = np.zeros((2, self.columns.total), np.int32)
        return Knowledge(int(self.clocks.blocks[block]), row)

    def _by_object(
        self, group: Group, places: Array, lanes: Mask
    ) -> Iterator[tuple[int, int, Array]]:
        """Resident blocks, the word of an object, and the threads that use it."""
        block, thread = np.nonzero(lanes)
        for place in np.unique(places):
            chosen = places == place
            for b in np.unique(block[chosen]):
                yield group.b0 + int(b), int(place), group.t0 + thread[chosen & (block == b)]

    # Asynchronous work

    def asynchronous(
        self, kind: Kind | None, group: Group, mask: Mask | None, function: Callable[..., None]
    ) -> Callable[..., None]:
        """The function as work that threads start now, whenever it is called."""
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        started = issue(self.clocks, kind, group, lanes, keep=self.memory.late is not None)

        def run(group: Group, mask: Mask | None, *operands: Array | None) -> None:
            outer, self.running = self.running, started
            try:
                function(group, mask, *operands)
            finally:
                self.running = outer

        return run

    def commit(self, kind: Kind, group: Group, mask: Mask | None) -> None:
        lanes = self._spread(group, mask)
        self.commits[kind].commit(lanes, self._issued(self._column(kind)))

    def wait(
        self, kind: Kind, group: Group, mask: Mask | None, pending: int | None, *, reads: bool
    ) -> None:
        """Threads have waited for all groups but the last ones, or for all their work.

        With `reads` only for what bulk copies read.
        """
        lanes = self._spread(group, mask)
        columns = [self._column(kind)]
        if kind == "bulk" and not reads:
            columns.append(self.columns.bulk_writes)
        commits = self.commits[kind]
        for first in columns:
            done = self._issued(first) if pending is None else commits.done(lanes, pending)
            warp = np.arange(lanes.shape[1]) // WARP_SIZE
            column = first + (warp // 4 if kind == "wgmma" else warp)
            for block, threads in self._by_block(group, mask):
                for own in np.unique(column[threads]):
                    same = threads[column[threads] == own]
                    for time in np.unique(done[block, same]):
                        waiting = same[done[block, same] == time]
                        if time:
                            self.clocks.finish(block, waiting, int(own), int(time))

    def _column(self, kind: Kind) -> int:
        columns = self.columns
        return {
            "copy": columns.copies,
            "bulk": columns.bulk_reads,
            "wgmma": columns.products,
        }[kind]

    def _issued(self, first: int) -> Array:
        """The time of the work of each thread's warp or warpgroup, over all threads."""
        warp = np.arange(self.clocks.threads) // WARP_SIZE
        column = first + (warp // 4 if first == self.columns.products else warp)
        return self.clocks.issued[:, column]

    def _spread(self, group: Group, mask: Mask | None) -> Mask:
        lanes = np.zeros(self.clocks.live.shape, np.bool_)
        lanes[group.b0 : group.b1, group.t0 : group.t1] = group.active() if mask is None else mask
        return lanes


class ObjectUpdate:
    """What threads hand on that change barrier objects with one instruction.

    They come in turns; a phase that ends hands on what came until then.
    """

    def __init__(
        self, detector: RaceDetector, group: Group, places: Array, lanes: Mask, change: Change
    ) -> None:
        self.detector = detector
        self.arguments = (group, places, lanes)
        self.change = change
        self.waiting: list[Array] = []

    def turn(self, chosen: Array, completed: Array) -> None:
        """Some threads have come, by their index, and phases of objects are complete."""
        self.waiting.append(chosen)
        if len(completed):
            self.finish()
            self.detector.complete_objects(completed)

    def finish(self) -> None:
        """Hand on what has come since the last phase ended."""
        if self.waiting:
            chosen = np.sort(np.concatenate(self.waiting))
            self.detector.hand_on(*self.arguments, chosen, self.change)
            self.waiting = []


def granules(compiled: CompiledKernel) -> dict[str, int]:
    """The bytes that one cell of shared and of global memory stands for: the narrowest access,
    and four at most."""
    found = {"shared": 4, "global": 4}
    for block in compiled.blocks:
        for step in block.steps:
            instruction = step.match.instruction
            if instruction.opcode in ("ld", "ldu", "st", "atom", "red"):
                width = step.match.type().bytes
                space = step.match["space"].split("::")[0]
                for name in found:
                    if space in ("", name):
                        found[name] = min(found[name], width)
    return found


def _select(group: Group, index: Array, lanes: Mask) -> Array:
    return np.broadcast_to(index, group.shape)[lanes]


def _stack(group: Group, lanes: Mask, values: tuple[Array, ...]) -> Array:
    return np.stack([np.broadcast_to(v, group.shape)[lanes] for v in values], axis=-1)


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _one_lane(lanes: Mask, lane: int) -> Mask:
    result = np.zeros_like(lanes)
    result[tuple(np.argwhere(lanes)[lane])] = True
    return result
