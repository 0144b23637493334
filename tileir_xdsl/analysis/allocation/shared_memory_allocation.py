"""Shared-memory allocation: the offsets of a function's buffers, mbarriers and scratch memory.

Every op that needs shared memory requests it: for what it creates, or as scratch memory while it is
executed. Allocations share memory where they are not live at the same time; a buffer is live until
the last wait for what reads it asynchronously.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.allocation.allocation_requests import AllocationRequest, request_of
from tileir_xdsl.analysis.allocation.lifetimes import BufferLifetimes, Lifetime
from tileir_xdsl.analysis.allocation.scratch_requests import scratch_bytes, steps_within
from tileir_xdsl.analysis.buffers.cta_sharing import shared_pipelines
from tileir_xdsl.analysis.mma.cta_pairs import has_pairs
from tileir_xdsl.analysis.threads.agent_warps import function_of
from tileir_xdsl.diagnostics import Excess, Resource, exceed, fail
from tileir_xdsl.dialects.nv_tileas import allocations as memory_allocations
from tileir_xdsl.dialects.scratch import SCRATCH_ALIGNMENT
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ops_in

PASS_NAME = "tileas-allocate-shared-memory"

# Placement.


@dataclass(frozen=True)
class Requirement:
    """Shared memory that an op needs, and for how long."""

    op: Operation
    name: str
    """The name of the attribute with its allocation: `SHARED_MEMORY` or `SCRATCH`."""
    request: AllocationRequest
    lifetime: Lifetime
    steps: tuple[int, ...] = ()
    """The number of steps for each exchange through scratch memory; empty if each takes one step.
    """

    @property
    def is_scratch(self) -> bool:
        """Whether the op uses the memory only while it is executed."""
        return self.name == memory_allocations.SCRATCH

    @property
    def forced(self) -> memory_allocations.AllocationAttr | None:
        """The allocation that the op has already."""
        return memory_allocations.allocation_of(self.op, self.name)

    def conflicts(self, other: "Requirement") -> bool:
        """Whether two requirements must not share a byte."""
        if not (self.request.reusable and other.request.reusable):
            return True
        return self.lifetime.meets(other.lifetime)


@dataclass(frozen=True)
class Allocation:
    """The shared memory that an op has."""

    requirement: Requirement
    offset: int

    @property
    def op(self) -> Operation:
        """The op."""
        return self.requirement.op

    @property
    def request(self) -> AllocationRequest:
        """The bytes, and their alignment."""
        return self.requirement.request

    @property
    def end(self) -> int:
        """The first byte after the allocation."""
        return self.offset + self.request.bytes

    def overlaps(self, other: "Allocation") -> bool:
        """Whether the allocation shares a byte with another one."""
        return self is not other and self.offset < other.end and other.offset < self.end


def aligned(bytes: int, alignment: int) -> int:
    """The next multiple of an alignment."""
    return -(-bytes // alignment) * alignment


def lowest_offset(request: AllocationRequest, taken: Iterable[tuple[int, int]]) -> int:
    """The lowest offset at which a request overlaps none of some ranges of bytes."""
    offset = 0
    for start, end in sorted(taken):
        if offset + request.bytes <= start:
            break
        offset = max(offset, aligned(end, request.alignment))
    return offset


def largest_gap(alignment: int, taken: Iterable[tuple[int, int]], limit: int) -> int:
    """The most bytes that fit between some ranges of bytes, or after them and below a limit."""
    start = room = 0
    for first, end in sorted(taken):
        room = max(room, first - start)
        start = max(start, aligned(end, alignment))
    return max(room, limit - start)


def requirements_of(
    function: Operation, target: Target, shared: frozenset[Operation]
) -> list[Requirement]:
    """The requirements of the ops of a function, in the order of the program.

    Scratch memory is sized as ops need at most; stages of `shared` pipelines are live from the
    start.
    """
    lifetimes = BufferLifetimes(function)
    found: list[Requirement] = []
    for op in ops_in(function):
        if (request := request_of(op)) is not None:
            lifetime = lifetime_of(op, lifetimes, shared)
            found.append(Requirement(op, memory_allocations.SHARED_MEMORY, request, lifetime))
        if size := scratch_bytes(op, target):
            found.append(scratch_requirement(op, size, lifetimes))
    return found


def scratch_requirement(op: Operation, size: int, lifetimes: BufferLifetimes) -> Requirement:
    """The requirement of an op for `size` bytes of scratch memory."""
    request = AllocationRequest(size, SCRATCH_ALIGNMENT)
    return Requirement(
        op,
        memory_allocations.SCRATCH,
        request,
        lifetimes.at(op),
        memory_allocations.steps_of(op) or (),
    )


Order = Callable[[Requirement], tuple[int, ...]]
"""The sort key of requirements, which are placed one after the other."""


def _by_alignment(requirement: Requirement) -> tuple[int, ...]:
    """Sorts buffers by alignment, the largest first, before scratch memory."""
    if requirement.is_scratch:
        return (1,)
    return (0, -requirement.request.alignment)


def _by_size(requirement: Requirement) -> tuple[int, ...]:
    """Sorts by size, the largest first, scratch memory too."""
    return (-requirement.request.bytes,)


ORDERS: tuple[Order, ...] = (_by_alignment, _by_size)
"""The orders that are tried until all requirements fit."""


def place(
    requirements: Sequence[Requirement],
    target: Target,
    *,
    limit: int | None = None,
    divides: Callable[[Operation], bool] = lambda op: True,
) -> list[Allocation]:
    """Allocates requirements: those with an allocation first, mbarriers last.

    Each allocation gets the lowest offset at which it overlaps no allocation that is live at the
    same time. Scratch memory that does not fit below a limit (by default that of the target) is
    made smaller, if `divides` is true for its op. Requirements that fit in no order exceed the
    limit.

    Raises `PassFailedException` where scratch memory cannot be made small enough.
    """
    if limit is None:
        limit = target.limits.shared_memory_per_block
    placed: list[list[Allocation]] = []
    refusals: list[PassFailedException] = []
    for order in ORDERS:
        try:
            placed.append(_place_in_order(requirements, target, limit, divides, order))
        except PassFailedException as refusal:
            refusals.append(refusal)
            continue
        if end_of(placed[-1]) <= limit:
            return placed[-1]
    if not placed:
        raise refusals[0]
    return min(placed, key=end_of)


def end_of(allocations: Sequence[Allocation]) -> int:
    """The first byte after all allocations."""
    return max((allocation.end for allocation in allocations), default=0)


def _place_in_order(
    requirements: Sequence[Requirement],
    target: Target,
    limit: int,
    divides: Callable[[Operation], bool],
    order: Order,
) -> list[Allocation]:
    kept = [r for r in requirements if r.forced is not None]
    free = [r for r in requirements if r.forced is None]
    reusable = sorted((r for r in free if r.request.reusable), key=order)
    # At the end mbarriers divide no memory that larger requests could have.
    barriers = sorted((r for r in free if not r.request.reusable), key=_by_alignment)
    reserved = sum(aligned(r.request.bytes, r.request.alignment) for r in barriers)
    placed = [_kept(requirement, target) for requirement in kept]
    for requirement in (*reusable, *barriers):
        taken = [(a.offset, a.end) for a in placed if a.requirement.conflicts(requirement)]
        if requirement.is_scratch and divides(requirement.op):
            room = largest_gap(SCRATCH_ALIGNMENT, taken, limit - reserved)
            if requirement.request.bytes > room:
                requirement = _smaller(requirement, target, room)
        placed.append(Allocation(requirement, lowest_offset(requirement.request, taken)))
    return placed


def _kept(requirement: Requirement, target: Target) -> Allocation:
    """The allocation that an op has; scratch memory keeps its size, too."""
    forced = requirement.forced
    assert forced is not None
    if requirement.is_scratch and forced.size.data < requirement.request.bytes:
        requirement = _smaller(requirement, target, forced.size.data)
    return Allocation(requirement, forced.offset.data)


def _smaller(requirement: Requirement, target: Target, room: int) -> Requirement:
    """A smaller requirement, with which an op exchanges its tile in steps.

    Raises `PassFailedException` where no number of steps makes the requirement small enough.
    """
    steps = steps_within(requirement.op, target, room)
    size = scratch_bytes(requirement.op, target, steps)
    return replace(requirement, request=AllocationRequest(size, SCRATCH_ALIGNMENT), steps=steps)


def lifetime_of(
    op: Operation, lifetimes: BufferLifetimes, shared: frozenset[Operation]
) -> Lifetime:
    """The lifetime of what an op creates; stages that other CTAs fill are live from the start."""
    lifetime = lifetimes.of(op)
    if any(use.operation in shared for result in op.results for use in result.uses):
        return lifetimes.since_start(lifetime)
    return lifetime


@dataclass(frozen=True)
class SharedMemoryPlan:
    """The shared memory of all ops of a function."""

    function: Operation
    allocations: Sequence[Allocation]
    shared_pipelines: frozenset[Operation]
    """The pipelines of which the CTAs of a cluster fill the stages for each other."""

    def attributes(self) -> Mapping[Operation, Mapping[str, Attribute]]:
        """The attributes of the plan: the allocation on each op, the total on the function."""
        written: dict[Operation, dict[str, Attribute]] = {}
        for allocation in self.allocations:
            attribute = memory_allocations.AllocationAttr(
                allocation.offset, allocation.request.bytes
            )
            noted = written.setdefault(allocation.op, {})
            noted[allocation.requirement.name] = attribute
            if steps := allocation.requirement.steps:
                noted[memory_allocations.STEPS] = memory_allocations.as_steps(steps)
        buffers = (a.request for a in self.allocations if not a.requirement.is_scratch)
        alignment = max((request.alignment for request in buffers), default=1)
        # The function itself may have memory, for the address of tensor memory.
        noted = written.setdefault(self.function, {})
        noted[memory_allocations.SHARED_MEMORY_BYTES] = memory_allocations.total(
            end_of(self.allocations)
        )
        noted[memory_allocations.SHARED_MEMORY_ALIGNMENT] = memory_allocations.total(alignment)
        return written


def plan_shared_memory(function: Operation, target: Target) -> SharedMemoryPlan:
    """Allocates the shared memory of all ops of a function.

    An op that has an allocation keeps its offset, and scratch memory its size. Stages that other
    CTAs of the cluster may fill at any time use memory that no other buffer uses before. Where that
    takes too much memory, each CTA fills its own stages.

    Raises `PassFailedException` where the target has too little shared memory, and as
    `check_allocations` does for offsets that ops had before.
    """
    limit = target.limits.shared_memory_per_block
    shared = shared_pipelines(function)
    allocations = place(requirements_of(function, target, shared), target)
    # A pair has each operand once: neither CTA could multiply what it loads alone.
    if end_of(allocations) > limit and shared and not has_pairs(function):
        shared = frozenset[Operation]()
        allocations = place(requirements_of(function, target, shared), target)
    check_allocations(allocations, target)
    return SharedMemoryPlan(function, allocations, shared)


# Verification.


def check_allocations(allocations: Sequence[Allocation], target: Target) -> None:
    """Checks that allocations are aligned and within the limit, and that live ones do not overlap.

    Raises `PassFailedException` that names the ops, and the bytes of each.
    """
    limit = target.limits.shared_memory_per_block
    for allocation in allocations:
        op, request = allocation.op, allocation.request
        if allocation.offset % request.alignment:
            fail(
                op,
                f"'{op.name}' op has shared memory at byte {allocation.offset}, expected a "
                f"multiple of {request.alignment}",
            )
    if (needed := end_of(allocations)) > limit:
        _refuse_total(allocations, needed, target)
    for first, second in _overlapping(allocations):
        if first.requirement.conflicts(second.requirement):
            fail(
                second.op,
                f"'{second.op.name}' op has bytes {second.offset} to {second.end - 1} of shared "
                f"memory, which overlap bytes {first.offset} to {first.end - 1} of "
                f"{_described(first.op)} while both are live",
            )


def _described(op: Operation) -> str:
    names = [f"%{result.name_hint}" for result in op.results if result.name_hint]
    return " ".join((f"'{op.name}' op", *names))


def _refuse_total(allocations: Sequence[Allocation], needed: int, target: Target) -> None:
    limit = target.limits.shared_memory_per_block
    last = max(allocations, key=lambda allocation: allocation.end)
    op = last.op
    if last.requirement.name in op.attributes:
        fail(
            op,
            f"'{op.name}' op has bytes {last.offset} to {last.end - 1} of shared memory, "
            f"but a thread block of {target.name} has only {limit} bytes",
        )
    excess = Excess(Resource.SHARED_MEMORY, needed, limit)
    if last.requirement.is_scratch:
        exceed(
            op,
            f"'{op.name}' op needs {needed} bytes of shared memory, {target.name} has {limit}",
            excess,
        )
    function = function_of(op)
    exceed(
        function,
        f"'{function.name}' op needs {needed} bytes of shared memory for its buffers, "
        f"{target.name} has {limit}",
        excess,
    )


def _overlapping(allocations: Sequence[Allocation]) -> Iterator[tuple[Allocation, Allocation]]:
    """All pairs that share a byte, by a sweep over offsets."""
    ordered = sorted(allocations, key=lambda allocation: allocation.offset)
    for number, first in enumerate(ordered):
        for second in ordered[number + 1 :]:
            if second.offset >= first.end:
                break
            yield first, second


# The memory of a function.


@dataclass
class SharedMemory:
    """The shared memory of a function, as its ops state it."""

    offsets: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The offset of what each op creates."""
    scratch: dict[Operation, memory_allocations.AllocationAttr] = field(
        default_factory=dict[Operation, memory_allocations.AllocationAttr]
    )
    bytes: int = 0
    alignment: int = 1
    shared_pipelines: frozenset[Operation] = frozenset()
    """The pipelines of which the CTAs of a cluster fill the stages for each other."""
    ranges: dict[Operation, tuple[int, int]] = field(
        default_factory=dict[Operation, tuple[int, int]]
    )
    """The first byte of the allocation of each op, and the first byte after it."""

    def is_shared(self, op: Operation) -> bool:
        """Whether the memory of an op's buffer is reused at other times."""
        start, end = self.ranges[op]
        others = [other for each, other in self.ranges.items() if each is not op]
        others += [(each.offset.data, each.end) for each in self.scratch.values()]
        return any(start < last and first < end for first, last in others)


def is_allocated(function: Operation) -> bool:
    """Whether the shared memory of a function has been allocated."""
    return memory_allocations.total_of(function, memory_allocations.SHARED_MEMORY_BYTES) is not None


def read_shared_memory(function: Operation, target: Target) -> SharedMemory:
    """The shared memory of a function by the attributes of its ops.

    Raises `PassFailedException` where an op that needs shared memory has none, and as
    `check_allocations` does.
    """
    shared = frozenset(
        op for op in ops_in(function) if memory_allocations.CLUSTER_STAGES in op.attributes
    )
    allocations: list[Allocation] = []
    memory = SharedMemory(
        alignment=memory_allocations.total_of(function, memory_allocations.SHARED_MEMORY_ALIGNMENT)
        or 1,
        shared_pipelines=shared,
    )
    for requirement in requirements_of(function, target, shared):
        op, size = requirement.op, requirement.request.bytes
        found = _expect(op, requirement.name, size)
        allocation = _kept(requirement, target)
        allocations.append(allocation)
        if requirement.is_scratch:
            memory.scratch[op] = found
        else:
            memory.offsets[op] = allocation.offset
            memory.ranges[op] = allocation.offset, allocation.end
    check_allocations(allocations, target)
    memory.bytes = end_of(allocations)
    memory_allocations.check_total(function, memory_allocations.SHARED_MEMORY_BYTES, memory.bytes)
    return memory


def _expect(op: Operation, name: str, bytes: int) -> memory_allocations.AllocationAttr:
    found = memory_allocations.allocation_of(op, name)
    if found is None:
        fail(
            op,
            f"'{op.name}' op has no allocation of shared memory: expected "
            f"{PASS_NAME} to run before",
        )
    if found.size.data < bytes:
        fail(
            op,
            f"'{op.name}' op has {found.size.data} bytes of shared memory, but needs {bytes}",
        )
    return found
