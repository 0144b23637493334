"""Moves tiles through scratch shared memory by the accesses of a plan, with the needed barriers.

Before scratch memory is overwritten, all threads must have finished reading it. The tile program's
barriers ensure this between ops (`tileas-insert-barriers`), and barriers emitted here between
several uses by one op.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i8, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.allocation.shared_memory_allocation import PASS_NAME
from tileir_xdsl.analysis.threads.replication import further_threads
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas.allocations import AllocationAttr
from tileir_xdsl.dialects.nvvm.attributes import MMALayout
from tileir_xdsl.dialects.nvvm.matrix import LdMatrixOp, StMatrixOp
from tileir_xdsl.dialects.nvvm.synchronization import SyncWarpOp
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import MatrixAccess, VectorAccess
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import SharedMemoryPlan

from ..thread.builder import Index
from ..thread.packed_registers import REGISTER_BITS, element_bits, pack, unpack
from ..thread.program import ThreadRewriter
from ..thread.thread_maps import exclusive_or, offset_from, thread_map

ALL_LANES = -1


def scratch_room(op: Operation, rewriter: ThreadRewriter) -> int:
    """The bytes of an op's scratch memory."""
    return _scratch_of(op, rewriter).size.data


def _scratch_of(op: Operation, rewriter: ThreadRewriter) -> AllocationAttr:
    allocation = rewriter.function.shared_allocation.scratch.get(op)
    if allocation is None:
        fail(
            op,
            f"'{op.name}' op has no allocation of scratch memory: expected "
            f"{PASS_NAME} to run before",
        )
    return allocation


def begin_scratch(op: Operation, size: int, rewriter: ThreadRewriter) -> SSAValue:
    """Returns the op's scratch memory, after a wait for all earlier reads of the memory.

    Raises `PassFailedException` if the op has fewer than `size` bytes.
    """
    allocation = _scratch_of(op, rewriter)
    if allocation.size.data < size:
        fail(
            op,
            f"'{op.name}' op uses {size} bytes of scratch memory, but has {allocation.size.data}",
        )
    # Between ops `tileas-insert-barriers` has put what is needed.
    if rewriter.scratch_user is op:
        rewriter.barrier()
    rewriter.scratch_user = op
    return rewriter.shared_memory(allocation.offset.data)


def through_scratch(
    op: Operation,
    plan: SharedMemoryPlan,
    values: Sequence[SSAValue],
    source: LinearLayout,
    target: LinearLayout,
    rewriter: ThreadRewriter,
    moved: Index = 0,
) -> list[SSAValue]:
    """Stores the registers of layout `source`, and loads those of layout `target`.

    `moved` is a byte offset, combined by exclusive or, from an element's stored position to its
    loaded position.
    """
    scratch = begin_scratch(op, plan.addresses.bytes, rewriter)
    store_tile(scratch, plan, values, source, rewriter)
    # Warps that hold copies write the same values, and then may read what another has written.
    has_copies = source.replicated_warps or further_threads(source, rewriter.region.threads)
    # Within a warp the lanes wait for each other alone, which is cheaper than the block.
    if plan.crosses_warps or has_copies:
        rewriter.barrier()
    else:
        mask = rewriter.builder.integer(ALL_LANES, i32)
        rewriter.builder.insert_without_result(SyncWarpOp(mask))
    return LoadedTile(scratch, plan, values[0].type, target, rewriter, moved).registers()


def store_tile(
    scratch: SSAValue,
    plan: SharedMemoryPlan,
    values: Sequence[SSAValue],
    layout: LinearLayout,
    rewriter: ThreadRewriter,
) -> None:
    """Stores each element once; threads that hold only copies just participate in `stmatrix`."""
    builder, access = rewriter.builder, plan.store
    # `stmatrix` is executed by all lanes, so that nothing is masked (PTX ISA).
    if isinstance(access, MatrixAccess):
        threads, bases = _row_threads(access, rewriter, 0)
        for registers, constant in _outer(access.registers, access.register_offsets):
            packed = [
                pack(builder, [values[registers | matrix | part] for part in _all(access.word)])[0]
                for matrix in _all(access.matrices)
            ]
            pointer = _pointer(scratch, threads, bases, constant, rewriter)
            order = MMALayout.COLUMN if access.transposed else MMALayout.ROW
            store = StMatrixOp(pointer, packed, order)
            builder.note_wavefronts(store, access.wavefronts_each)
            builder.insert_without_result(store)
        return
    threads, bases = _threads(access, rewriter, 0)
    active = stores_copies(plan, layout, rewriter)
    for registers, constant in _outer(access.registers, access.register_offsets):
        vector = [values[registers | part] for part in _all(access.vector)]
        pointer = _pointer(scratch, threads, bases, constant, rewriter)
        masks = [active] * len(vector)
        builder.store(pointer, vector, access.vector_bytes, masks, access.wavefronts_each)


class LoadedTile:
    """The registers of a tile in shared memory, each loaded when first needed.

    Registers that hold copies share one load.
    """

    def __init__(
        self,
        scratch: SSAValue,
        plan: SharedMemoryPlan,
        type: Attribute,
        layout: LinearLayout,
        rewriter: ThreadRewriter,
        moved: Index = 0,
        moved_bits: int = -1,
    ):
        """`moved` is a byte offset, combined by exclusive or, with bits of `moved_bits` only."""
        access = plan.load
        self._scratch, self._type, self._rewriter = scratch, type, rewriter
        self._access, self._layout = access, layout
        if isinstance(access, MatrixAccess):
            self._threads, self._bases = _row_threads(access, rewriter, moved, moved_bits)
            self._packed = access.word
        else:
            self._threads, self._bases = _threads(access, rewriter, moved, moved_bits)
            self._packed = ()
        self._elements: dict[int, SSAValue] = {}
        self._loaded: dict[int, SSAValue] = {}

    def offset(self, number: int) -> int | None:
        """The exclusive or of the byte offsets of a register's access and the first register's.

        None if one access loads both registers.
        """
        outer = [index for index, bit in enumerate(self._access.registers) if number >> bit & 1]
        if number != sum(1 << self._access.registers[index] for index in outer):
            return None
        return f2.apply(self._access.register_offsets, sum(1 << index for index in outer))

    def registers(self) -> list[SSAValue]:
        """All registers, in the order of the layout."""
        return [self.register(number) for number in range(self._layout.registers)]

    def register(self, number: int) -> SSAValue:
        """One register, by its index in the layout."""
        number &= ~self._layout.replicated_registers
        if number not in self._elements:
            parts = _all(self._packed)
            first = number & ~parts[-1]
            if first not in self._loaded:
                self._load(number)
            if isinstance(self._access, MatrixAccess):
                word = [self._loaded[first]]
                values = unpack(self._rewriter.builder, word, self._type, len(parts))
                self._elements |= {first | part: v for part, v in zip(parts, values, strict=True)}
        return self._elements[number]

    def word(self, numbers: Sequence[int]) -> SSAValue | None:
        """The 32-bit word from which these registers were extracted; None if there is none."""
        # Only `ldmatrix` loads packed registers, in its own order of elements.
        if not self._packed or list(numbers) != [numbers[0] | part for part in _all(self._packed)]:
            return None
        if numbers[0] not in self._loaded:
            self._load(numbers[0])
        return self._loaded[numbers[0]]

    def vector_word(self, numbers: Sequence[int]) -> SSAValue | None:
        """The 32-bit word of consecutive registers of a vector; None without such a vector.

        Registers of the vector must not be requested individually, since they would be loaded
        again.
        """
        access, size = self._access, len(numbers).bit_length() - 1
        if isinstance(access, MatrixAccess) or element_bits(self._type) << size != REGISTER_BITS:
            return None
        inside = _all(access.vector[:size])
        if len(access.vector) < size or list(numbers) != [numbers[0] | part for part in inside]:
            return None
        if numbers[0] not in self._loaded:
            self._load_words(numbers[0], size)
        return self._loaded[numbers[0]]

    def _load_words(self, number: int, size: int) -> None:
        """Emits the access that loads a register, as words of `2**size` elements each."""
        access = self._access
        assert isinstance(access, VectorAccess)
        first, pointer = self._access_of(number)
        parts = _all(access.vector[size:])
        masks, wavefronts = [None] * len(parts), access.wavefronts_each
        builder = self._rewriter.builder
        words = builder.load(pointer, i32, access.vector_bytes, masks, None, wavefronts)
        self._loaded |= {first | part: word for part, word in zip(parts, words, strict=True)}

    def _access_of(self, number: int) -> tuple[int, SSAValue]:
        """The first register of the access that loads a register, and the access's address."""
        access = self._access
        outer = [index for index, bit in enumerate(access.registers) if number >> bit & 1]
        first = sum(1 << access.registers[index] for index in outer)
        constant = f2.apply(access.register_offsets, sum(1 << index for index in outer))
        return first, _pointer(self._scratch, self._threads, self._bases, constant, self._rewriter)

    def _load(self, number: int) -> None:
        """Emits the access that loads a register."""
        builder, access = self._rewriter.builder, self._access
        first, pointer = self._access_of(number)
        if isinstance(access, MatrixAccess):
            count = 1 << len(access.matrices)
            order = MMALayout.COLUMN if access.transposed else MMALayout.ROW
            load = LdMatrixOp(pointer, count, order)
            builder.note_wavefronts(load, access.wavefronts_each)
            loaded = builder.insert(load)
            for index, matrix in enumerate(_all(access.matrices)):
                self._loaded[first | matrix] = (
                    loaded if count == 1 else builder.field(loaded, index)
                )
            return
        masks, wavefronts = [None] * (1 << len(access.vector)), access.wavefronts_each
        vector = builder.load(pointer, self._type, access.vector_bytes, masks, None, wavefronts)
        for part, value in zip(_all(access.vector), vector, strict=True):
            self._elements[first | part] = value


def vector_addresses(
    scratch: SSAValue, access: VectorAccess, rewriter: ThreadRewriter
) -> Iterator[tuple[int, SSAValue]]:
    """The first register and address of each vector of an access."""
    threads, bases = _threads(access, rewriter, 0)
    for registers, constant in _outer(access.registers, access.register_offsets):
        yield registers, _pointer(scratch, threads, bases, constant, rewriter)


def _all(bits: Sequence[int]) -> list[int]:
    """All combinations by exclusive or of some bits, in counting order."""
    return f2.table([1 << bit for bit in bits])


def _outer(bits: Sequence[int], offsets: Sequence[int]) -> Iterator[tuple[int, int]]:
    """All register indices formed by subsets of some bits, each with its byte offset."""
    yield from zip(_all(bits), f2.table(offsets), strict=True)


def _threads(
    access: VectorAccess, rewriter: ThreadRewriter, moved: Index, moved_bits: int = -1
) -> tuple[Index, tuple[int, ...]]:
    bases = (*access.lane_offsets, *access.warp_offsets)
    return _moved(bases, rewriter, moved, moved_bits)


def _row_threads(
    access: MatrixAccess, rewriter: ThreadRewriter, moved: Index, moved_bits: int = -1
) -> tuple[Index, tuple[int, ...]]:
    """Lane `l` supplies the address of row `l`; each eight lanes supply the rows of one matrix."""
    bases = (*access.row_offsets, *access.warp_offsets)
    return _moved(bases, rewriter, moved, moved_bits)


def _moved(
    bases: tuple[int, ...], rewriter: ThreadRewriter, moved: Index, moved_bits: int
) -> tuple[Index, tuple[int, ...]]:
    threads = exclusive_or(rewriter.builder, thread_map(rewriter.builder, bases), moved)
    # Of an offset that is only known at run time, any of these bits may be set.
    return threads, (*bases, moved if isinstance(moved, int) else moved_bits)


def _pointer(
    scratch: SSAValue,
    threads: Index,
    bases: Sequence[int],
    constant: int,
    rewriter: ThreadRewriter,
) -> SSAValue:
    builder = rewriter.builder
    dynamic, known = offset_from(builder, threads, bases, constant)
    if isinstance(dynamic, int):
        # Constants become the immediate of the access.
        dynamic, known = 0, dynamic + known
    pointer = builder.element_pointer(scratch, dynamic, i8)
    return builder.element_pointer(pointer, known, i8)


def stores_copies(
    plan: SharedMemoryPlan, layout: LinearLayout, rewriter: ThreadRewriter
) -> SSAValue | None:
    """The condition that this thread stores; None if all threads store."""
    further = further_threads(layout, rewriter.region.threads)
    idle = plan.idle_lanes | plan.idle_warps << len(layout.lane) | further
    if not idle:
        return None
    builder = rewriter.builder
    copy = builder.compute(llvm.AndOp, builder.thread_index(), builder.integer(idle, i32))
    return builder.compare("eq", copy, builder.integer(0, i32))
