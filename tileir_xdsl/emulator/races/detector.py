"""The race detector: observes what threads do, and raises a fault at an unordered access."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tileir_xdsl.emulator.banks import SharedTraffic, count_traffic
from tileir_xdsl.emulator.choices import Choices
from tileir_xdsl.emulator.clusters import Clusters
from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault, RaceFault
from tileir_xdsl.emulator.mbarrier_state import WORD
from tileir_xdsl.emulator.races.barriers import Barriers
from tileir_xdsl.emulator.races.clocks import PROXY_SHARED, Clocks, by_block
from tileir_xdsl.emulator.races.device import Device, LaunchedGrid
from tileir_xdsl.emulator.races.flags import Flags
from tileir_xdsl.emulator.races.histories import Histories
from tileir_xdsl.emulator.races.objects import BarrierObjects
from tileir_xdsl.emulator.races.put_off import PutOffAccesses
from tileir_xdsl.emulator.races.registers import MMARegisters, RegisterUse
from tileir_xdsl.emulator.races.reports import Reports
from tileir_xdsl.emulator.races.shadow import SITE_BITS, Actor, Conflict, Shadow, Verb
from tileir_xdsl.emulator.races.sites import reach_of
from tileir_xdsl.emulator.races.tensor_memory import TensorMemoryRaces
from tileir_xdsl.emulator.races.work import AsynchronousWork
from tileir_xdsl.emulator.registers import Geometry
from tileir_xdsl.emulator.state_spaces import GLOBAL_WINDOW, Heap, InstructionAccess, Segment
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import REACHES, Array, Mask

_NO_LIMIT = 1 << 62
_NO_TRAFFIC = SharedTraffic(0, 0)


@dataclass(frozen=True)
class Batch:
    """Resident blocks whose races are detected.

    `live`, `[blocks, threads]`, marks the threads that have not ended, and changes during the run;
    the memory of one block begins every `shared_stride` bytes of `shared`. With `has_late_work`,
    asynchronous work may be executed after its start.
    """

    geometry: Geometry
    live: Mask
    heap: Heap
    shared: Segment
    shared_stride: int
    clusters: Clusters | None
    has_late_work: bool


class RaceDetector:
    """Detects the races of one launch; `begin` starts a batch of resident blocks.

    `weak` chooses the old values that strong loads return.
    """

    def __init__(self, device: Device, launch: LaunchedGrid, weak: Choices | None = None) -> None:
        self.device = device
        self.launch = launch
        self.sites, self.columns = launch.sites, launch.columns
        self.outer = device.outer
        self.reports = Reports(device, launch.columns, launch.sites.instructions)
        self._weak = weak
        self.traffic: dict[int, SharedTraffic] = {}
        """The shared-memory traffic of each instruction, by its site."""

    def begin(self, batch: Batch) -> None:
        geometry, live = batch.geometry, batch.live
        x, y, _ = geometry.grid
        numbers = self.launch.first + geometry.blocks @ np.array([1, x, x * y])
        columns = self.columns
        self.batch = batch
        self.clocks = Clocks(numbers, columns, live)
        groups = -(-columns.warps // 4)
        self.mma_slot = columns.warps
        self.bulk_slot = columns.warps + groups
        self.inner = Shadow(
            batch.shared.bytes.size,
            self.sites.granules["shared"],
            self.bulk_slot + 1,
            columns,
            PROXY_SHARED,
        )
        warp = np.broadcast_to(np.arange(live.shape[1]) // WARP_SIZE, live.shape)
        self.slots = {"shared": warp, "global": numbers[:, None] + warp}
        self.work = AsynchronousWork(self.clocks, can_be_late=batch.has_late_work)
        self.flags = Flags(self.clocks, self.device.lasting_flags, self.device.cluster_of)
        self._histories = None
        if self._weak is not None:
            self._histories = Histories(self.clocks, self.flags, self._weak)
            self.flags.sc_fences = self.device.sc_fences
        self.barriers = Barriers(self.clocks, self.flags, batch.clusters)
        self.objects = BarrierObjects(
            self.clocks,
            self.flags,
            self.work,
            batch.shared_stride,
            self.touch_words,
            self.check_fenced,
        )
        self.registers = MMARegisters(self.sites.mma_registers, live.shape)
        self.tensor_memory = TensorMemoryRaces(self.clocks, self.flags, self.reports)

    def traffic_by_line(self) -> dict[int, SharedTraffic]:
        """The shared-memory traffic of each instruction, by its line of PTX."""
        traffic: dict[int, SharedTraffic] = {}
        for site, counted in self.traffic.items():
            line = self.sites.instructions[site].line
            traffic[line] = traffic.get(line, _NO_TRAFFIC) + counted
        return traffic

    def acquire_prerequisites(self, group: Threads, mask: Mask | None) -> None:
        """Threads have waited for all grids that were launched before theirs."""
        for block, threads in by_block(group, mask):
            self.clocks.acquire_grids(block, threads, self.launch.first)

    @property
    def put_off(self) -> PutOffAccesses | None:
        """The delayed accesses; None if no access may be delayed."""
        return None if self._histories is None else self._histories.put_off

    # Accesses

    def histories(self, access: InstructionAccess) -> Histories | None:
        """The stores among which a strong access chooses; None if it uses the newest one."""
        return self._histories if access.semantics and self.work.running is None else None

    def read(
        self, group: Threads, index: Array, mask: Mask | None, access: InstructionAccess
    ) -> None:
        """Threads read vectors; `index`, `[blocks, threads]`, counts vectors in the memory."""
        self._count(group, index, mask, access)
        if access.semantics:
            self._strong(group, index, mask, access, reads=True, writes=False)
            return
        lanes, actor = self._actor(group, mask, access.space, writes=False)
        if self._histories is not None:
            self._histories.read_weakly(group, index, lanes, access)
        if access.of_map:
            # Another proxy, with fences of its own, which `MapProxy` checks.
            actor = replace(actor, proxy=False)
        shadow = self._shadow(access.space)
        cells = shadow.cells(_select(group, index, lanes) * access.size, access.size)
        self._check(group, lanes, access, actor, shadow, shadow.read(actor, cells))

    def write(
        self,
        group: Threads,
        index: Array,
        mask: Mask | None,
        access: InstructionAccess,
        values: tuple[Array, ...],
    ) -> None:
        """Threads are about to write vectors."""
        self._count(group, index, mask, access)
        if access.semantics:
            self._strong(group, index, mask, access, reads=False, writes=True)
            return
        lanes, actor = self._actor(group, mask, access.space, writes=True)
        shadow = self._shadow(access.space)
        positions = _select(group, index, lanes)
        self._forget(access.space, positions * access.size, access.size)
        cells = shadow.cells(positions * access.size, access.size)

        def same() -> Mask:
            segment = self.batch.heap if access.space == "global" else self.batch.shared
            old = segment.vectors(access.dtype, access.elements)[positions]
            old = old.reshape(len(positions), access.elements)
            return (_bits(old) == _bits(_stack(group, lanes, values))).all(axis=-1)

        conflict = shadow.write(actor, cells, same)
        self._check(group, lanes, access, actor, shadow, conflict)
        lost = shadow.writes.who[0].take(cells[:, 0]) != actor.who + 1
        if lost.any():
            self._check_equal(group, lanes, access, positions, values)

    def _forget(self, space: str, positions: Array, size: int) -> None:
        if self._histories is not None:
            self._histories.forget(in_global=space == "global", positions=positions, size=size)

    def _count(
        self, group: Threads, index: Array, mask: Mask | None, access: InstructionAccess
    ) -> None:
        """Adds the shared-memory wavefronts of an access to the traffic."""
        if access.space == "shared":
            index = np.broadcast_to(index, group.shape)
            active = group.active() if mask is None else np.broadcast_to(mask, group.shape)
            counted = count_traffic(index, active, access.size)
            self.traffic[group.site] = self.traffic.get(group.site, _NO_TRAFFIC) + counted

    def _check_equal(
        self,
        group: Threads,
        lanes: Mask,
        access: InstructionAccess,
        positions: Array,
        values: tuple[Array, ...],
    ) -> None:
        """Raises `LaneFault` if lanes of one instruction write different values to one address."""
        _, first, inverse = np.unique(positions, return_index=True, return_inverse=True)
        stored = _bits(_stack(group, lanes, values))
        differs = (stored != stored[first[inverse]]).any(axis=-1)
        if differs.any():
            lane = int(np.argmax(differs))
            where = self._where(access.space, int(positions[lane]) * access.size)
            raise LaneFault(
                f"race: threads write different values to {where} in one instruction",
                _one_lane(lanes, lane),
                becomes=RaceFault,
            )

    def atomic(
        self,
        group: Threads,
        index: Array,
        mask: Mask | None,
        access: InstructionAccess,
        wrote: Mask | None,
    ) -> None:
        """Threads update addresses atomically; `wrote` marks successful compare-and-swaps."""
        self._strong(group, index, mask, access, reads=True, writes=True, wrote=wrote)

    def elements(
        self,
        group: Threads,
        lane: tuple[int, int],
        space: str,
        positions: Array,
        size: int,
        verb: Verb,
    ) -> None:
        """A bulk copy of one thread accesses `size` bytes at each byte position."""
        assert self.work.running is not None
        lanes = np.zeros(group.shape, np.bool_)
        lanes[lane] = True
        slot = self.bulk_slot if space == "shared" else self.slots["global"][lane]
        actor = self.work.running.actor(lanes, writes=verb != "read", slot=np.array([slot]))
        shadow = self._shadow(space)
        cells = shadow.cells(positions, size).reshape(1, -1)
        if not cells.size:
            return
        if verb != "read":
            self._forget(space, positions, size)
        access = {"read": shadow.read, "write": shadow.write, "atomic access": shadow.atomic}
        self._check_at(group, lanes, space, verb, actor, shadow, access[verb](actor, cells))

    def matrix(self, group: Threads, block: int, warpgroup: int, positions: Array) -> None:
        """An mma reads a matrix whose elements are at byte positions of shared memory."""
        assert self.work.running is not None
        slot = self.mma_slot + group.t0 // (4 * WARP_SIZE) + warpgroup
        actor = self.work.running.mma(block, warpgroup, slot)
        lanes = np.zeros(group.shape, np.bool_)
        lanes[block, warpgroup * 4 * WARP_SIZE] = True
        cells = (positions.reshape(1, -1)) // self.inner.granule
        conflict = self.inner.read(actor, cells)
        self._check_at(group, lanes, "shared", "read", actor, self.inner, conflict)

    def operand(self, group: Threads, only: Mask, positions: Array, size: int) -> None:
        """Work of the one thread in `only` reads elements of `size` bytes for tensor memory.

        The elements are at byte positions of shared memory.
        """
        block, thread = (int(i) for i in np.argwhere(only)[0])
        thread += group.t0
        slot = self.mma_slot + thread // (4 * WARP_SIZE)
        actor = self.tensor_memory.reader(group.site, group.b0 + block, thread, slot)
        if actor is None:
            return
        cells = np.unique(self.inner.cells(positions.reshape(-1), size)).reshape(1, -1)
        conflict = self.inner.read(actor, cells)
        self._check_at(group, only, "shared", "read", actor, self.inner, conflict)

    def _shadow(self, space: str) -> Shadow:
        return self.outer if space == "global" else self.inner

    def _actor(
        self, group: Threads, mask: Mask | None, space: str, *, writes: bool
    ) -> tuple[Mask, Actor]:
        """The actor of an access: threads, or the asynchronous work that they started."""
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        clocks = self.clocks
        view = (slice(group.b0, group.b1), slice(group.t0, group.t1))
        slot = _chosen(self.slots["global" if space == "global" else "shared"][view], lanes)
        if self.work.running is not None:
            return lanes, self.work.running.actor(lanes, writes=writes, slot=slot)
        who = _chosen(clocks.who[view], lanes)
        stamp = (_chosen(clocks.now[view], lanes) << SITE_BITS) | group.site
        row, base = _chosen(clocks.row[view], lanes), _chosen(clocks.agents[view], lanes)
        return lanes, Actor(
            who, stamp, row, clocks.rows, base, slot, who, _NO_LIMIT, clocks.elsewhere
        )

    def _check(
        self,
        group: Threads,
        lanes: Mask,
        access: InstructionAccess,
        actor: Actor,
        shadow: Shadow,
        conflict: Conflict | None,
    ) -> None:
        self._check_at(group, lanes, access.space, access.verb, actor, shadow, conflict)

    def _check_at(
        self,
        group: Threads,
        lanes: Mask,
        space: str,
        verb: str,
        actor: Actor,
        shadow: Shadow,
        conflict: Conflict | None,
    ) -> None:
        if conflict is not None:
            where = self._where(space, conflict.cell * shadow.granule)
            who = int(actor.who[conflict.lane])
            message = self.reports.race(verb, where, who, conflict)
            raise LaneFault(message, _one_lane(lanes, conflict.lane), becomes=RaceFault)

    def _where(self, space: str, position: int) -> str:
        if space != "global":
            return f"shared address {position % self.batch.shared_stride:#x}"
        address = GLOBAL_WINDOW + position
        return f"global address {address:#x} ({self.batch.heap.describe(address)})"

    def touch_words(
        self, group: Threads, positions: Array, lanes: Mask, size: int, *, writes: bool
    ) -> None:
        """Threads write words of shared memory at byte positions, or access them atomically."""
        _, actor = self._actor(group, lanes, "shared", writes=True)
        cells = self.inner.cells(positions, size)
        conflict = self.inner.write(actor, cells) if writes else self.inner.atomic(actor, cells)
        verb = "write" if writes else "atomic access"
        self._check_at(group, lanes, "shared", verb, actor, self.inner, conflict)

    def check_fenced(self, group: Threads, positions: Array, lanes: Mask) -> None:
        """Checks the fence before bulk copies update barrier objects, given by byte positions.

        A block that is alone in its cluster needs none, since Triton omits the fence there.
        """
        if self.batch.clusters is None:
            return
        _, actor = self._actor(group, lanes, "shared", writes=False)
        conflict = self.inner.unfenced(actor, self.inner.cells(positions, WORD.itemsize))
        self._check_at(group, lanes, "shared", "atomic access", actor, self.inner, conflict)

    def use_registers(self, group: Threads, mask: Mask | None, use: RegisterUse) -> None:
        """Threads use registers of asynchronous mma."""
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        self.registers.use(group, lanes, use)

    def _strong(
        self,
        group: Threads,
        index: Array,
        mask: Mask | None,
        access: InstructionAccess,
        *,
        reads: bool,
        writes: bool,
        wrote: Mask | None = None,
    ) -> None:
        lanes, actor = self._actor(group, mask, access.space, writes=True)
        shadow = self._shadow(access.space)
        positions = _select(group, index, lanes) * access.size
        if self._histories is not None:
            # These say what is read and what is released, except for asynchronous work.
            if self.work.running is not None:
                self._forget(access.space, positions, access.size)
        elif self.flags.matters(access):
            for number, (block, thread) in enumerate(np.argwhere(lanes)):
                position = (access.space == "global", int(positions[number]))
                at = (group.b0 + int(block), group.t0 + int(thread))
                if reads:
                    self.flags.read(at, position, access, updates=writes)
                if writes and (wrote is None or wrote[block, thread]):
                    self.flags.write(at, position, access, updates=reads)
        self.device.has_narrow |= access.scope in ("cta", "cluster")
        # A compare-and-swap that fails only reads.
        writing = np.full(len(positions), writes) if wrote is None else _chosen(wrote, lanes)
        for chosen, touch in ((writing, shadow.atomic), (~writing, shadow.strong_read)):
            if chosen.any():
                own = actor.of(chosen)
                together = None
                if self.device.has_narrow:
                    together = partial(self._are_together, own, REACHES[access.scope])
                conflict = touch(own, shadow.cells(positions[chosen], access.size), together)
                part = np.zeros_like(lanes)
                part[lanes] = chosen
                self._check(group, part, access, own, shadow, conflict)

    def _are_together(self, actor: Actor, reach: int, who: Array, stamp: Array) -> Mask:
        """Marks earlier strong accesses such that their scope and an actor's include each other."""
        per_block = WARP_SIZE * self.columns.total
        found = np.zeros(who.shape, np.bool_)
        for place in np.argwhere(who >= 0):
            at = tuple(place)
            own, other = int(actor.who[place[1]]) // per_block, int(who[at]) // per_block
            instruction = self.device.instruction(int(who[at]), int(stamp[at]))
            far = min(reach, reach_of(instruction))
            clusters = {self.device.cluster_of(block) for block in (own, other)}
            same_cluster = far == REACHES["cluster"] and len(clusters) == 1
            found[at] = own == other or far == REACHES["gpu"] or same_cluster
        return found


def _chosen(values: Array, lanes: Mask) -> Array:
    """The values of some lanes; faster than indexing by a mask if these are all lanes."""
    return values.reshape(-1) if lanes.all() else values[lanes]


def _select(group: Threads, index: Array, lanes: Mask) -> Array:
    return _chosen(np.broadcast_to(index, group.shape), lanes)


def _stack(group: Threads, lanes: Mask, values: tuple[Array, ...]) -> Array:
    return np.stack([np.broadcast_to(v, group.shape)[lanes] for v in values], axis=-1)


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _one_lane(lanes: Mask, lane: int) -> Mask:
    result = np.zeros_like(lanes)
    result[tuple(np.argwhere(lanes)[lane])] = True
    return result
