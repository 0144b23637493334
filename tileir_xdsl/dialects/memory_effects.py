"""Effects that ops declare on the memory that the threads of a tile block share.

    %s = nv_tileas.convert_layout %t : registers -> buffer      // writes(%s, tile=%t)
    nv_tileas.async.tiled_tma_store %d, %s[%i, %j]              // reads(%s, Proxy.ASYNC)

The effects of an op depend only on its operands, attributes and types. Analyses of a function find
the bytes that a value refers to, and whether a handshake waits for asynchronous work. Modelled on
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
    """Accesses of MMAs to tensor memory; accesses of threads to it count as generic here."""


@dataclass(frozen=True)
class BufferEffect:
    """An access to the whole shared-memory buffer that a value refers to."""

    buffer: SSAValue
    writes: bool
    proxy: Proxy = Proxy.GENERIC
    tile: SSAValue | None = None
    """The tile in registers if each thread writes its own elements of the tile; otherwise None."""
    is_asynchronous: bool = False
    """Whether the access is complete only after a wait."""


@dataclass(frozen=True)
class StageEffect:
    """An access of threads to values that a pipeline stage holds in addition to its buffers."""

    token: SSAValue
    values: Sequence[SSAValue]
    """One value per buffer of the stage; values that refer to memory are not accessed."""
    writes: bool
    follows_handshake: bool = True
    """Whether an acquire or wait of the pipeline comes directly before the access."""


@dataclass(frozen=True)
class ColumnEffect:
    """An access of all threads to an accumulator, if it is in tensor memory."""

    accumulator: SSAValue
    held: SSAValue
    """The tile in registers from which threads write, or into which they read."""
    writes: bool


@dataclass(frozen=True)
class Buffer:
    """A buffer in shared memory that the op creates."""

    result: SSAValue


@dataclass(frozen=True)
class Barriers:
    """Mbarriers that keep their address for the whole kernel."""

    count: int


@dataclass(frozen=True)
class Answer:
    """The response to a request for a tile block (`try_cancel`), and the mbarrier that counts its
    bytes.
    """


@dataclass(frozen=True)
class Effects:
    """The effects of an op on shared and tensor memory, except those of its regions and of
    scratch.
    """

    buffers: tuple[BufferEffect, ...] = ()
    stage: StageEffect | None = None
    columns: ColumnEffect | None = None
    creates: Buffer | Barriers | Answer | None = None
    """The object that the op creates in shared memory."""
    awaits: Sequence[SSAValue] = ()
    """The values whose asynchronous accesses the op waits for before its own accesses."""
    has_barrier: bool = False
    """Whether an mbarrier of the op counts the bytes, unless the stage has one."""
    meets: bool = False
    """Whether the op synchronises all threads of the region."""
    completes_mmas: bool = False
    """Whether the op waits for all warpgroup MMAs of these threads."""
    fences: bool = False
    """Whether the op orders earlier writes of these threads before asynchronous accesses."""
    fences_global: bool = False
    """Whether `fences` applies to writes of global memory, too."""
    fences_columns: bool = False
    """Whether threads execute a tensor-memory fence before a following barrier."""
    follows_columns: bool = False
    """Whether threads execute a tensor-memory fence after a preceding barrier."""


NO_EFFECTS = Effects()


@dataclass(frozen=True)
class TileOfView:
    """The tile of a view that an access reads or writes."""

    view: SSAValue
    coords: Sequence[SSAValue]
    tile: SSAValue
    """The tile in registers; its layout says which thread accesses which element."""
    offsets: Sequence[SSAValue] = ()


@dataclass(frozen=True)
class GlobalEffect:
    """An access of global memory, which only tokens order (Tile IR, "Memory model")."""

    token: SSAValue | None
    """The token of earlier accesses that must be complete first."""
    writes: bool
    tile: TileOfView | None = None
    """The accessed tile of a weak access; None if the access may be of any address."""
    proxy: Proxy = Proxy.GENERIC
    follows_scratch: bool = False
    """Whether the access follows the exchange through scratch memory."""
    is_followed: bool = True
    """Whether the result tokens of the op also represent this access."""
    is_deferred: bool = False
    """Whether the access is complete only after one thread waits for it."""


class GlobalMemoryOpInterface(Operation, ABC):
    """An op that declares its access of global memory, which tokens order.

    Other ops with tokens only combine tokens.
    """

    @property
    @abstractmethod
    def global_effect(self) -> GlobalEffect | None:
        """The access; None if the op accesses a buffer instead."""


class SharedMemoryOpInterface(Operation, ABC):
    """An op that declares its effects on the memory that threads share."""

    @property
    @abstractmethod
    def effects(self) -> Effects:
        """The effects on shared and tensor memory."""

    @property
    @abstractmethod
    def scratch(self) -> Sequence[ScratchNeed]:
        """The uses of scratch memory, in the order of execution."""


class NoScratchOpInterface(SharedMemoryOpInterface, ABC):
    """An op that needs no scratch memory."""

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return ()


class RegistersOpInterface(NoScratchOpInterface, ABC):
    """An op that accesses only registers and global memory: no buffer and no accumulator.

    If elements move between threads, `scratch` says how.
    """

    @property
    def effects(self) -> Effects:
        return NO_EFFECTS
