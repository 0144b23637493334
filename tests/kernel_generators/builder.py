"""Builds one kernel of `llvm` and `nvvm` ops, block after block.

Operands may be Python integers; they become constants of the other operand's type.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    UnitAttr,
    VectorType,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tests.kernel_generators.bugs import Bug, Sites
from tileir_xdsl.dialects.llvm import SMinOp, StoreOp
from tileir_xdsl.dialects.nvvm.attributes import MemoryScope, ShuffleKind
from tileir_xdsl.dialects.nvvm.fences import ClusterArriveOp, ClusterWaitOp, FenceMbarrierInitOp
from tileir_xdsl.dialects.nvvm.mbarriers import (
    MBarrierArriveOp,
    MBarrierInitOp,
    MBarrierTryWaitOp,
    MBarrierTryWaitParityOp,
)
from tileir_xdsl.dialects.nvvm.miscellaneous import MapaOp
from tileir_xdsl.dialects.nvvm.special_registers import ThreadIdXOp
from tileir_xdsl.dialects.nvvm.synchronization import BarrierOp, ShflOp

Value = SSAValue | int

GENERIC = llvm.LLVMPointerType()
GLOBAL = llvm.LLVMPointerType(IntAttr(1))
SHARED = llvm.LLVMPointerType(IntAttr(3))
SHARED_CLUSTER = llvm.LLVMPointerType(IntAttr(7))

ALL_LANES = -1
WHOLE_WARP = 31
"""The segment mask and clamp of a shuffle across all 32 lanes."""
WAIT_TICKS = 10_000_000
"""How long one try of a wait may block, in nanoseconds."""


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter: its type, and whether it is a tensor map, passed by value."""

    type: Attribute
    is_tensor_map: bool = False

    def attributes(self) -> DictionaryAttr:
        """The argument attributes that say so."""
        if not self.is_tensor_map:
            return DictionaryAttr({})
        return DictionaryAttr(
            {
                "llvm.byval": llvm.LLVMArrayType(IntAttr(128), i8),
                "llvm.align": IntegerAttr(64, 64),
                "nvvm.grid_constant": UnitAttr(),
            }
        )


TENSOR_MAP = Parameter(GENERIC, is_tensor_map=True)
"""A map of a tensor in global memory, 128 bytes."""


@dataclass
class KernelBuilder:
    """Appends ops to the current block of a kernel with dynamic shared memory."""

    name: str
    parameters: Sequence[Parameter]
    threads: int
    max_registers: int | None = None
    cluster: int = 1
    bug: Bug | None = None
    sites: Sites = field(init=False)
    block: Block = field(init=False)

    def __post_init__(self) -> None:
        self.sites = Sites(self.bug)
        self.block = Block(arg_types=[parameter.type for parameter in self.parameters])
        self._region = Region(self.block)
        self.arguments: Sequence[SSAValue] = self.block.args
        self.shared = self.add(llvm.AddressOfOp("smem", SHARED))

    def module(self) -> ModuleOp:
        """The finished kernel, verified; adds the return.

        Raises `ValueError` where the bug asked for is about nothing that the kernel has.
        """
        self.sites.check()
        self.run(llvm.ReturnOp())
        types = [parameter.type for parameter in self.parameters]
        function = llvm.FuncOp(
            self.name,
            llvm.LLVMFunctionType(types),
            body=self._region,
            linkage=llvm.LinkageAttr("external"),
            other_props={"arg_attrs": ArrayAttr([p.attributes() for p in self.parameters])},
        )
        function.attributes["nvvm.kernel"] = UnitAttr()
        function.attributes["nvvm.reqntid"] = DenseArrayBase.from_list(i32, [self.threads])
        if self.max_registers is not None:
            function.attributes["nvvm.maxnreg"] = IntegerAttr(self.max_registers, 32)
        if self.cluster > 1:
            extents = DenseArrayBase.from_list(i32, [self.cluster, 1, 1])
            function.attributes["nvvm.cluster_dim"] = extents
        smem = llvm.GlobalOp(
            llvm.LLVMArrayType(IntAttr(0), i8),
            "smem",
            "external",
            addr_space=3,
            alignment=1024,
        )
        module = ModuleOp([smem, function])
        module.verify()
        return module

    # Ops and blocks.

    def add(self, op: Operation) -> SSAValue:
        """Appends an op; gives its first result."""
        self.block.add_op(op)
        return op.results[0]

    def run(self, op: Operation) -> None:
        """Appends an op that has no result."""
        self.block.add_op(op)

    def new_block(self, types: Sequence[Attribute] = ()) -> Block:
        """A block at the end of the kernel; the current one stays."""
        block = Block(arg_types=types)
        self._region.add_block(block)
        return block

    def jump(self, target: Block, values: Sequence[SSAValue] = ()) -> None:
        """Ends the current block."""
        self.run(llvm.BrOp(target, *values))

    @contextmanager
    def only_if(self, condition: SSAValue) -> Generator[None]:
        """What is built inside runs only where the condition is true."""
        then = self.new_block()
        start, self.block = self.block, then
        yield
        # The join comes after all blocks that were built inside.
        join = self.new_block()
        start.add_op(llvm.CondBrOp(condition, then, [], join, []))
        self.jump(join)
        self.block = join

    def either(
        self, condition: SSAValue, then: Callable[[], None], otherwise: Callable[[], None]
    ) -> None:
        """Builds `then` for where the condition is true, `otherwise` for where it is not."""
        first = self.new_block()
        start, self.block = self.block, first
        then()
        first_end, second = self.block, self.new_block()
        start.add_op(llvm.CondBrOp(condition, first, [], second, []))
        self.block = second
        otherwise()
        join = self.new_block()
        self.jump(join)
        first_end.add_op(llvm.BrOp(join))
        self.block = join

    def loop(
        self,
        initial: Sequence[SSAValue],
        condition: SSAValue,
        body: Callable[[Sequence[SSAValue]], tuple[Sequence[SSAValue], SSAValue]],
    ) -> Sequence[SSAValue]:
        """A loop that runs where the condition is true; `body` is as for `repeat`.

        The result is the values of the last iteration, or the initial ones.
        """
        types = [value.type for value in initial]
        head, start = self.new_block(types), self.block
        self.block = head
        following, again = body(head.args)
        leave = self.new_block(types)
        start.add_op(llvm.CondBrOp(condition, head, initial, leave, initial))
        self.run(llvm.CondBrOp(again, head, following, leave, following))
        self.block = leave
        return leave.args

    def repeat(
        self,
        initial: Sequence[SSAValue],
        body: Callable[[Sequence[SSAValue]], tuple[Sequence[SSAValue], SSAValue]],
    ) -> Sequence[SSAValue]:
        """A loop that runs at least once; `body` gives the next values and whether to go on.

        The values of the last iteration are the result.
        """
        head = self.new_block([value.type for value in initial])
        self.jump(head, initial)
        self.block = head
        following, again = body(head.args)
        leave = self.new_block()
        self.run(llvm.CondBrOp(again, head, following, leave, []))
        self.block = leave
        return following

    # Integers.

    def integer(self, value: Value, type: IntegerType = i32) -> SSAValue:
        """A constant, or the value as it is."""
        if isinstance(value, SSAValue):
            return value
        return self.add(llvm.ConstantOp(IntegerAttr(value, type, truncate_bits=True), type))

    def _binary(self, op: Callable[[SSAValue, SSAValue], Operation], a: Value, b: Value):
        known = a if isinstance(a, SSAValue) else b
        type = known.type if isinstance(known, SSAValue) else i32
        assert isinstance(type, IntegerType)
        return self.add(op(self.integer(a, type), self.integer(b, type)))

    def plus(self, a: Value, b: Value) -> SSAValue:
        return self._binary(llvm.AddOp, a, b)

    def minus(self, a: Value, b: Value) -> SSAValue:
        return self._binary(llvm.SubOp, a, b)

    def times(self, a: Value, b: Value) -> SSAValue:
        return self._binary(llvm.MulOp, a, b)

    def quotient(self, a: Value, b: Value) -> SSAValue:
        """The quotient of numbers that are not negative, rounded down."""
        return self._binary(llvm.UDivOp, a, b)

    def bits_and(self, a: Value, b: Value) -> SSAValue:
        return self._binary(llvm.AndOp, a, b)

    def bits_or(self, a: Value, b: Value) -> SSAValue:
        return self._binary(llvm.OrOp, a, b)

    def bits_xor(self, a: Value, b: Value) -> SSAValue:
        return self._binary(llvm.XOrOp, a, b)

    def shift_left(self, a: Value, b: Value) -> SSAValue:
        return self._binary(llvm.ShlOp, a, b)

    def shift_right(self, a: Value, b: Value) -> SSAValue:
        """Zeros come in from above."""
        return self._binary(llvm.LShrOp, a, b)

    def compare(self, predicate: str, a: Value, b: Value) -> SSAValue:
        """An `llvm.icmp` such as "slt"."""
        number = IntegerAttr(llvm.ICmpPredicateFlag(predicate).to_int(), i64)
        return self._binary(lambda x, y: llvm.ICmpOp(x, y, number), a, b)

    def select(self, condition: SSAValue, a: Value, b: Value) -> SSAValue:
        return self._binary(lambda x, y: llvm.SelectOp(condition, x, y), a, b)

    def minimum(self, a: Value, b: Value) -> SSAValue:
        """The smaller one of two signed numbers."""
        return self._binary(SMinOp, a, b)

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.AndOp(a, b))

    def widened(self, value: SSAValue) -> SSAValue:
        """A 32-bit number that is not negative as 64 bits."""
        return self.add(llvm.ZExtOp(value, i64))

    # Floats.

    def number(self, value: float) -> SSAValue:
        """A constant of type f32."""
        return self.add(llvm.ConstantOp(FloatAttr(value, f32), f32))

    def packed(self, low: SSAValue, high: SSAValue, element: Attribute) -> SSAValue:
        """Two f32 rounded to a 16-bit float type, as one i32."""
        pair = self.add(llvm.UndefOp(VectorType(f32, (2,))))
        for place, value in enumerate((low, high)):
            pair = self.add(llvm.InsertElementOp(pair, value, self.integer(place)))
        narrow = self.add(llvm.FPTruncOp(pair, VectorType(element, (2,))))
        return self.add(llvm.BitcastOp(narrow, i32))

    def sum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.FAddOp(a, b))

    def difference(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.FSubOp(a, b))

    def product(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.FMulOp(a, b))

    def multiply_add(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, rounded once."""
        return self.add(llvm.FMAOp(a, b, c))

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.VectorFMaxOp(a, b))

    def negative(self, a: SSAValue) -> SSAValue:
        return self.add(llvm.FNegOp(a))

    def compare_floats(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """An `llvm.fcmp` such as "olt"."""
        return self.add(llvm.FCmpOp(a, b, predicate))

    def choose(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.SelectOp(condition, a, b))

    def power_of_two(self, exponent: SSAValue) -> SSAValue:
        """Approximate; results below the normal numbers become 0."""
        return self.add(llvm.CallIntrinsicOp("llvm.nvvm.ex2.approx.ftz.f32", [exponent], [f32]))

    # Structs, which are groups of registers.

    def undefined(self, count: int, type: Attribute = f32) -> SSAValue:
        return self.add(llvm.UndefOp(registers_type(count, type)))

    def zeros(self, count: int, type: Attribute = f32) -> SSAValue:
        return self.add(llvm.ZeroOp.create(result_types=[registers_type(count, type)]))

    def fields(self, struct: SSAValue) -> list[SSAValue]:
        """The values in a struct."""
        assert isinstance(struct.type, llvm.LLVMStructType)
        return [
            self.add(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [place]), struct, type))
            for place, type in enumerate(struct.type.types)
        ]

    def struct(self, values: Sequence[SSAValue]) -> SSAValue:
        """A struct of values of one type."""
        result = self.undefined(len(values), values[0].type)
        for place, value in enumerate(values):
            position = DenseArrayBase.from_list(i64, [place])
            result = self.add(llvm.InsertValueOp(position, result, value))
        return result

    # Memory.

    def offset(self, pointer: SSAValue, elements: Value, element: Attribute = i8) -> SSAValue:
        """The pointer `elements` elements further."""
        type = pointer.type
        assert isinstance(type, llvm.LLVMPointerType)
        if isinstance(elements, SSAValue):
            dynamic = [llvm.GEP_USE_SSA_VAL]
            op = llvm.GEPOp(pointer, dynamic, element, [elements], result_type=type)
            return self.add(op)
        if not elements:
            return pointer
        return self.add(llvm.GEPOp(pointer, [elements], element, result_type=type))

    def store_pair(
        self, pointer: SSAValue, low: SSAValue, high: SSAValue, element: Attribute
    ) -> None:
        """Stores two neighbouring elements; f32 are rounded to an element of 16 bits."""
        if low.type != element:
            self.run(StoreOp(self.packed(low, high, element), pointer, 4))
            return
        pair = self.add(llvm.UndefOp(VectorType(element, (2,))))
        for place, value in enumerate((low, high)):
            pair = self.add(llvm.InsertElementOp(pair, value, self.integer(place)))
        self.run(StoreOp(pair, pointer, 8))

    def address(self, pointer: SSAValue) -> SSAValue:
        """A pointer to shared memory as an i32."""
        return self.add(llvm.PtrToIntOp(pointer, i32))

    # Threads.

    def thread(self) -> SSAValue:
        """The number of the thread in its block."""
        return self.add(ThreadIdXOp())

    def uniform(self, value: SSAValue) -> SSAValue:
        """A value that all lanes of a warp share, known as such to the assembler."""
        return self.shuffle(ShuffleKind.INDEX, value, 0)

    def shuffle(self, kind: ShuffleKind, value: SSAValue, offset: int) -> SSAValue:
        mask, clamp = self.integer(ALL_LANES), self.integer(WHOLE_WARP)
        return self.add(ShflOp(kind, mask, value, self.integer(offset), clamp))

    # Barriers. `site` is the name of the synchronisation for bugs.

    def barrier(self, site: str, number: int = 0, threads: int | None = None) -> None:
        """All threads, or as many as said, wait for one another."""
        if not self.sites.keeps(site):
            return
        if threads is None:
            self.run(BarrierOp())
        else:
            self.run(BarrierOp(self.integer(number), self.integer(threads)))

    def cluster_barrier(self, site: str) -> None:
        """All threads of all blocks of the cluster wait for one another."""
        if self.sites.keeps(site):
            self.run(ClusterArriveOp())
            self.run(ClusterWaitOp())

    def synchronise(self, site: str, op: Callable[[], Operation]) -> None:
        """A synchronisation without operands."""
        if self.sites.keeps(site):
            self.run(op())

    def initialise(self, barriers: Sequence[tuple[str, int, int]], thread: SSAValue) -> None:
        """One thread sets up mbarriers: name of the count, byte offset, arrivals expected."""
        with self.only_if(self.compare("eq", thread, 0)):
            for site, place, count in barriers:
                arrivals = self.integer(self.sites.number(site, count))
                self.run(MBarrierInitOp(self.offset(self.shared, place), arrivals))
            self.synchronise("publish barriers", FenceMbarrierInitOp)

    def wait(self, site: str, pointer: SSAValue, parity: Value) -> None:
        """Until the phase of an mbarrier with this parity is over."""
        if self.sites.keeps(site):
            ticks = self.integer(WAIT_TICKS)
            self.run(MBarrierTryWaitParityOp(pointer, self.integer(parity), ticks))

    def wait_for_blocks(self, site: str, pointer: SSAValue, parity: Value) -> None:
        """The same, for what threads of all blocks of the cluster have done before."""
        if not self.sites.keeps(site):
            return
        phase, ticks = self.integer(parity), self.integer(WAIT_TICKS)
        scope = MemoryScope.CLUSTER

        def try_again(values: Sequence[SSAValue]) -> tuple[Sequence[SSAValue], SSAValue]:
            is_over = self.add(MBarrierTryWaitOp(pointer, phase, ticks, scope=scope))
            return values, self.compare("eq", self.add(llvm.ZExtOp(is_over, i32)), 0)

        self.repeat([], try_again)

    def arrive(
        self, site: str, pointer: SSAValue, condition: SSAValue, block: SSAValue | None = None
    ) -> None:
        """An arrival at an mbarrier by the threads whose condition is true.

        With a `block`, the barrier is the one at the same place in that block of the cluster.
        """
        if not self.sites.keeps(site):
            return
        scope = MemoryScope.CTA if block is None else MemoryScope.CLUSTER
        with self.only_if(condition):
            target = pointer if block is None else self.add(MapaOp(pointer, block))
            self.run(MBarrierArriveOp(target, scope=scope))


def registers_type(count: int, type: Attribute) -> llvm.LLVMStructType:
    """The type of a group of registers."""
    return llvm.LLVMStructType.from_type_list([type] * count)


@dataclass(frozen=True)
class Slot:
    """Where a role is in a ring of stages: the stage, and the parity of the phase it waits for."""

    stage: SSAValue
    parity: SSAValue

    def __iter__(self) -> Iterator[SSAValue]:
        yield from (self.stage, self.parity)

    def next(self, builder: KernelBuilder, stages: int) -> "Slot":
        """The stage after this one; the parity flips where the ring starts again."""
        after = builder.plus(self.stage, 1)
        wraps = builder.compare("eq", after, stages)
        stage = builder.select(wraps, 0, after)
        parity = builder.select(wraps, builder.bits_xor(self.parity, 1), self.parity)
        return Slot(stage, parity)
