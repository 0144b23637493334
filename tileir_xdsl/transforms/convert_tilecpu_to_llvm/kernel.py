"""The state that all parts of one kernel's code share: values, views, and faults."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    StringAttr,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.builders.llvm_code import POINTER, LLVMCode, lanes_of
from tileir_xdsl.diagnostics import fail, location_text
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.tilecpu.types import ALIGNMENT
from tileir_xdsl.rewriting import look_up

Number = int | SSAValue
"""A number of 64 bits, known now or only when the kernel runs."""

OUTSIDE = 1
"""The code of the fault of an access outside of all arrays."""

PRINT = "tileir_print"
"""The function of the run time that prints; it takes a site and the pointers of its operands."""

ASSERTION = 2
"""The code of the fault of an assertion that does not hold."""


@dataclass(frozen=True)
class MemoryObject:
    """A strided array: the pointer to its first element, sizes and strides in elements."""

    base: SSAValue
    sizes: tuple[Number, ...]
    strides: tuple[Number, ...]
    element: Attribute


@dataclass(frozen=True)
class View:
    """Tiles of a memory object: dimension i of a tile is dimension `dims[i]` of the object."""

    memory: MemoryObject
    tile: tuple[int, ...]
    steps: tuple[int, ...]
    dims: tuple[int, ...]


@dataclass
class Kernel:
    """The code of a kernel while it is written."""

    code: LLVMCode
    arena: SSAValue
    context: SSAValue
    grid: Sequence[SSAValue]
    """The extents of the grid, x first."""
    block: SSAValue
    """The linear number of the tile block."""
    coordinates: Sequence[SSAValue]
    end: Block
    """Where the function returns."""
    is_checked: bool
    emitters: Mapping[type[Operation], Callable[["Kernel", Operation], None]]
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    memory_objects: dict[SSAValue, MemoryObject] = field(
        default_factory=dict[SSAValue, MemoryObject]
    )
    views: dict[SSAValue, View] = field(default_factory=dict[SSAValue, View])
    name: str = ""
    """Of the function."""
    is_serial: bool = False
    """Whether tile blocks run one after the other, in order."""
    globals: dict[Operation, llvm.GlobalOp] = field(default_factory=dict[Operation, llvm.GlobalOp])
    """The memory of constants."""
    sites: list[Attribute] = field(default_factory=list[Attribute])
    """The ops that faults name by their numbers."""

    def emit_block(self, block: Block) -> None:
        """Writes the ops of a block, but for its terminator where it has one of regions."""
        for op in block.ops:
            self.emit(op)

    def emit(self, op: Operation) -> None:
        """Writes one op."""
        emitter = look_up(self.emitters, op)
        if emitter is None:
            fail(op, f"'{op.name}' op is not covered on a CPU")
        self.code.location = op.location
        emitter(self, op)

    def number(self, value: Number) -> SSAValue:
        """A number of 64 bits as a value."""
        return self.code.integer(value) if isinstance(value, int) else value

    def buffer(self, value: SSAValue) -> SSAValue:
        """The pointer to the first element of a buffer."""
        op = value.owner
        if isinstance(op, tilecpu.ConstantOp):
            return self.code.add(llvm.AddressOfOp(self._global(op), POINTER))
        assert isinstance(op, tilecpu.AllocOp)
        if op.offset is None:
            fail(op, "expects an offset: run tilecpu-assign-buffers before")
        return self.code.offset(self.arena, op.offset.value.data)

    def _global(self, op: tilecpu.ConstantOp) -> str:
        """The name of the memory that has a constant."""
        if op not in self.globals:
            name = f"{self.name}_constant_{len(self.globals)}"
            value, count = op.value, len(op.value)
            stored: Attribute = value.get_element_type()
            data = value
            if stored == i1:
                stored = i8
                numbers = [1 if number else 0 for number in value.get_values()]
                data = DenseIntOrFPElementsAttr.from_list(VectorType(i8, (count,)), numbers)
            kind = llvm.LLVMArrayType(count, stored)
            self.globals[op] = llvm.GlobalOp(
                kind,
                name,
                llvm.LinkageAttr("internal"),
                constant=True,
                value=data,
                alignment=ALIGNMENT,
            )
        return self.globals[op].sym_name.data

    def stack(self, size: int) -> SSAValue:
        """So many bytes on the stack, for the whole function."""
        count = self.code.integer(size)
        op = llvm.AllocaOp(count, i8, ALIGNMENT)
        # Constants are at the start of the function, so this is outside of all loops.
        assert isinstance(count.owner, Operation)
        self.code.entry.insert_op_after(op, count.owner)
        return op.res

    def site(self, op: Operation, **facts: Attribute) -> SSAValue:
        """The number by which a fault names an op."""
        name = op.name.replace("tilecpu.", "").replace("nv_tileaa.", "")
        entry: dict[str, Attribute] = {
            "op": StringAttr(name),
            "location": StringAttr(location_text(op.location) or ""),
            **facts,
        }
        self.sites.append(DictionaryAttr(entry))
        return self.code.integer(len(self.sites) - 1)

    def fault_unless(
        self, good: SSAValue, kind: int, site: SSAValue, where: Callable[[], SSAValue]
    ) -> None:
        """Records a fault, and ends the kernel, where a condition does not hold."""
        code = self.code
        on, off = Block(), Block()
        code.branch_if(good, on, off)
        code.start(off)
        arguments = (self.context, code.integer(kind), site, where(), self.block)
        code.do(llvm.CallOp("tileir_fault", *arguments))
        code.branch(self.end)
        code.start(on)

    def check_assertion(self, op: nv_tileaa.AssertOp, condition: SSAValue) -> None:
        """Ends the kernel unless a condition holds, in all of its lanes."""
        code, lanes = self.code, lanes_of(condition.type)
        if lanes is not None:
            name = f"llvm.vector.reduce.and.v{lanes}i1"
            folded = code.call_intrinsic(name, [condition], i1)
            assert folded is not None
            condition = folded
        site = self.site(op, message=op.message)
        self.fault_unless(condition, ASSERTION, site, lambda: code.integer(0))

    def check_range(self, op: Operation, start: SSAValue, end: SSAValue) -> None:
        """Ends the kernel unless the bytes from `start` to `end` lie in one array."""
        if not self.is_checked:
            return
        call = llvm.CallOp("tileir_inside", self.context, start, end, return_type=i1)
        self.code.do(call)
        self.fault_unless(call.results[0], OUTSIDE, self.site(op), lambda: start)

    def address(self, pointer: SSAValue) -> SSAValue:
        """A pointer as a number."""
        return self.code.add(llvm.PtrToIntOp(pointer, i64))
