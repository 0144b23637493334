"""Effects that ops declare on the memory that the threads of a tile block share.

    %s = nv_tileas.convert_layout %t : registers -> buffer      // writes(%s, tile=%t)
    nv_tileas.async.tiled_tma_store %d, %s[%i, %j]              // reads(%s, Proxy.ASYNC)

An op answers from its operands, attributes and types. The bytes that a value names, and whether a
handshake waits for asynchronous work, are facts about a function: analyses find them. Modelled on
the memory effects of MLIR (`MemoryEffectOpInterface`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.ir import Operation, SSAValue

from .scratch import ScratchNeed


class Proxy(Enum):
    """The path by which memory is reached (PTX ISA, "Proxies")."""

    GENERIC = "generic"
    ASYNC = "async"
    TENSOR_CORE = "tcgen05"
    """Tensor memory, by MMAs; threads reach it through the generic one, as named here."""


@dataclass(frozen=True)
class BufferEffect:
    """An access to all that a value names in shared memory."""

    buffer: SSAValue
    writes: bool
    proxy: Proxy = Proxy.GENERIC
    tile: SSAValue | None = None
    """The tile in registers that each thread writes its elements of; None where others write."""
    is_asynchronous: bool = False
    """Whether it is complete only where it is waited for."""


@dataclass(frozen=True)
class StageEffect:
    """An access of threads to values that the stage of a pipeline holds besides its buffers."""

    token: SSAValue
    values: Sequence[SSAValue]
    """One for each buffer of the stage; those that name memory are not accessed."""
    writes: bool
    follows_handshake: bool = True
    """Whether a step of the pipeline's handshake comes directly before it."""


@dataclass(frozen=True)
class ColumnEffect:
    """An access of all threads to an accumulator, if it is in tensor memory."""

    accumulator: SSAValue
    held: SSAValue
    """The same tile in the registers that threads write from or read to."""
    writes: bool


@dataclass(frozen=True)
class Buffer:
    """A buffer of the op's own, in shared memory."""

    result: SSAValue


@dataclass(frozen=True)
class Barriers:
    """Some mbarriers, which are in the same place for the whole kernel."""

    count: int


@dataclass(frozen=True)
class Answer:
    """The answer to a request for a tile block, and the mbarrier that counts its bytes."""


@dataclass(frozen=True)
class Effects:
    """The effects of an op on shared and tensor memory, without its regions and its scratch."""

    buffers: tuple[BufferEffect, ...] = ()
    stage: StageEffect | None = None
    columns: ColumnEffect | None = None
    creates: Buffer | Barriers | Answer | None = None
    """The object that is in shared memory from the op on."""
    awaits: Sequence[SSAValue] = ()
    """The values whose asynchronous accesses are complete before its own."""
    has_barrier: bool = False
    """Whether an mbarrier of the op's own counts the bytes, except where a stage has one."""
    meets: bool = False
    """Whether all threads of the region meet."""
    completes_mmas: bool = False
    """Whether no warpgroup MMA of these threads is in flight any more."""
    fences: bool = False
    """Whether earlier writes of these threads are ordered with asynchronous accesses."""
    fences_global: bool = False
    """Whether those of global memory are, too."""
    fences_columns: bool = False
    """Whether threads have a fence of tensor memory for a barrier to come."""
    follows_columns: bool = False
    """Whether they have one after a barrier."""


NO_EFFECTS = Effects()


@dataclass(frozen=True)
class TileOfView:
    """A tile of a view, as an access names it."""

    view: SSAValue
    coords: Sequence[SSAValue]
    tile: SSAValue
    """In registers: its layout says which thread accesses which element."""
    offsets: Sequence[SSAValue] = ()


@dataclass(frozen=True)
class GlobalEffect:
    """An access of global memory, which only tokens order (Tile IR, "Memory model")."""

    token: SSAValue | None
    """Represents earlier accesses that must be complete first."""
    writes: bool
    tile: TileOfView | None = None
    """All that is accessed, where it is weak; else the access may be of any address."""
    proxy: Proxy = Proxy.GENERIC
    follows_scratch: bool = False
    """Whether it comes after the exchanges of the op through scratch memory."""
    is_followed: bool = True
    """Whether the tokens that the op makes stand for it, too."""
    is_deferred: bool = False
    """Whether it is over only where it is waited for, by one thread."""


class GlobalMemoryOpInterface(Operation, ABC):
    """An op that says how it accesses global memory in the order of tokens.

    Other ops with tokens only say what these stand for together.
    """

    @property
    @abstractmethod
    def global_effect(self) -> GlobalEffect | None:
        """The access; None where the op is one of a buffer."""


class SharedMemoryOpInterface(Operation, ABC):
    """An op that says what it does with the memory that threads share."""

    @property
    @abstractmethod
    def effects(self) -> Effects:
        """The effects on shared and tensor memory."""

    @property
    @abstractmethod
    def scratch(self) -> Sequence[ScratchNeed]:
        """The uses of scratch memory, one after the other."""


class NoScratchOpInterface(SharedMemoryOpInterface, ABC):
    """An op that needs no memory of its own while it is executed."""

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return ()


class RegistersOpInterface(NoScratchOpInterface, ABC):
    """An op that accesses registers and global memory at most: no buffer and no accumulator.

    Elements may change threads on the way: then it says by `scratch` how.
    """

    @property
    def effects(self) -> Effects:
        return NO_EFFECTS
