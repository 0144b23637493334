"""State that the emitters of one kernel share: values, views, and faults."""

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
"""A number of 64 bits: a constant, or a value at run time."""

OUTSIDE = 1
"""The fault code for an access outside of all arrays."""

PRINT = "tileir_print"
"""The run-time function that prints; its arguments are a site and pointers to the operands."""

ASSERTION = 2
"""The fault code for an assertion that does not hold."""


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
    """A kernel whose code is being emitted."""

    code: LLVMCode
    arena: SSAValue
    context: SSAValue
    grid: Sequence[SSAValue]
    """The extents of the grid, x first."""
    block: SSAValue
    """The linear number of the tile block."""
    coordinates: Sequence[SSAValue]
    end: Block
    """The block that returns from the function."""
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
    """The global variable of each constant."""
    sites: list[Attribute] = field(default_factory=list[Attribute])
    """The ops of faults; a fault records the index of one."""

    def emit_block(self, block: Block) -> None:
        """Emits the ops of a block, except for a terminator that yields values."""
        for op in block.ops:
            self.emit(op)

    def emit(self, op: Operation) -> None:
        """Writes one op."""
        emitter = look_up(self.emitters, op)
        if emitter is None:
            fail(op, f"'{op.name}' op is not supported on a CPU")
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
        """The name of the global variable with the value of a constant."""
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
        """Allocates `size` bytes on the stack at the start of the function."""
        count = self.code.integer(size)
        op = llvm.AllocaOp(count, i8, ALIGNMENT)
        # Constants are at the start of the function, so this is outside of all loops.
        assert isinstance(count.owner, Operation)
        self.code.entry.insert_op_after(op, count.owner)
        return op.res

    def site(self, op: Operation, **facts: Attribute) -> SSAValue:
        """Adds an op to `sites`; returns its index."""
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
        """Emits code that records a fault, and ends the kernel, unless a condition holds."""
        code = self.code
        on, off = Block(), Block()
        code.branch_if(good, on, off)
        code.start(off)
        arguments = (self.context, code.integer(kind), site, where(), self.block)
        code.do(llvm.CallOp("tileir_fault", *arguments))
        code.branch(self.end)
        code.start(on)

    def check_assertion(self, op: nv_tileaa.AssertOp, condition: SSAValue) -> None:
        """Emits code that ends the kernel unless a condition holds in all lanes."""
        code, lanes = self.code, lanes_of(condition.type)
        if lanes is not None:
            name = f"llvm.vector.reduce.and.v{lanes}i1"
            folded = code.call_intrinsic(name, [condition], i1)
            assert folded is not None
            condition = folded
        site = self.site(op, message=op.message)
        self.fault_unless(condition, ASSERTION, site, lambda: code.integer(0))

    def check_range(self, op: Operation, start: SSAValue, end: SSAValue) -> None:
        """Emits code that ends the kernel unless the bytes from `start` to `end` lie in one
        array.
        """
        if not self.is_checked:
            return
        call = llvm.CallOp("tileir_inside", self.context, start, end, return_type=i1)
        self.code.do(call)
        self.fault_unless(call.results[0], OUTSIDE, self.site(op), lambda: start)

    def address(self, pointer: SSAValue) -> SSAValue:
        """A pointer as an i64."""
        return self.code.add(llvm.PtrToIntOp(pointer, i64))
