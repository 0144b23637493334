"""Module-level variables of a function: constant arrays, and its shared memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntAttr,
    StringAttr,
    TensorType,
    i8,
)
from xdsl.ir import Attribute

from tileir_xdsl.targets import Limits

GLOBAL_SPACE = 1
SHARED_SPACE = 3
# The alignment that `cp.async.bulk.tensor` needs in shared memory (PTX ISA).
SHARED_ALIGNMENT = 128

TENSOR_MAP_ALIGNMENT = 128
"""The alignment of tensor maps: no two share a cache line; copies alone need 64 bytes."""


@dataclass
class Variables:
    """The variables of one function, created on first use."""

    function: str
    limits: Limits
    arrays: list[llvm.GlobalOp] = field(default_factory=list[llvm.GlobalOp])
    texts: dict[str, llvm.GlobalOp] = field(default_factory=dict[str, llvm.GlobalOp])
    declarations: dict[str, llvm.FuncOp] = field(default_factory=dict[str, llvm.FuncOp])
    pool: list[llvm.GlobalOp] = field(default_factory=list[llvm.GlobalOp])
    """The slots for tensor maps: a flag for each, and their memory."""
    shared_bytes: int = 0
    shared_alignment: int = SHARED_ALIGNMENT

    def text(self, text: str) -> tuple[str, llvm.LLVMPointerType]:
        """The name of the variable with a zero-terminated text, and the type of its address."""
        if text not in self.texts:
            data = StringAttr(f"{text}\0")
            size = len(data.data.encode())
            name = f"{self.function}_text_{len(self.texts)}"
            type = llvm.LLVMArrayType(size, i8)
            self.texts[text] = llvm.GlobalOp(type, name, "internal", 0, constant=True, value=data)
        return self.texts[text].sym_name.data, llvm.LLVMPointerType()

    def declare(self, name: str, arguments: Sequence[Attribute], result: Attribute | None) -> None:
        """Declares a function that is defined elsewhere."""
        if name not in self.declarations:
            type = llvm.LLVMFunctionType(list(arguments), result)
            self.declarations[name] = llvm.FuncOp(name, type)

    def constant_array(
        self, values: DenseIntOrFPElementsAttr, element: Attribute, alignment: int | None = None
    ) -> tuple[str, llvm.LLVMPointerType]:
        """The name of an array of constants in global memory, and the type of its address.

        `element` has as many bytes as the elements of `values`; an i1 has one. Without an
        `alignment` the array is aligned as its elements are.
        """
        count = len(values)
        type = TensorType(element, (count,))
        data = DenseIntOrFPElementsAttr.new([type, values.data])
        pointer = llvm.LLVMPointerType(IntAttr(GLOBAL_SPACE))
        for array in self.arrays:
            # Arrays are compared, since a table such as 2 / pi is asked for by every angle.
            aligned = None if array.alignment is None else array.alignment.value.data
            if array.value == data and alignment in (None, aligned):
                return array.sym_name.data, pointer
        name = f"{self.function}_constants_{len(self.arrays)}"
        array = llvm.GlobalOp(
            llvm.LLVMArrayType(count, element),
            name,
            "internal",
            GLOBAL_SPACE,
            constant=True,
            value=data,
            alignment=alignment,
        )
        self.arrays.append(array)
        return name, pointer

    def slots(
        self, count: int, size: int
    ) -> tuple[tuple[str, llvm.LLVMPointerType], tuple[str, llvm.LLVMPointerType]]:
        """The variables for `count` slots of `size` bytes for tensor maps: their flags, zero at
        first, and their memory.
        """
        pointer = llvm.LLVMPointerType(IntAttr(GLOBAL_SPACE))
        self.pool = [
            llvm.GlobalOp(
                llvm.LLVMArrayType(bytes, i8),
                f"{self.function}_{name}",
                "internal",
                GLOBAL_SPACE,
                alignment=alignment,
            )
            for name, bytes, alignment in (
                ("tensor_map_slots", 4 * count, 4),
                ("tensor_maps", size * count, TENSOR_MAP_ALIGNMENT),
            )
        ]
        flags, places = ((variable.sym_name.data, pointer) for variable in self.pool)
        return flags, places

    @property
    def shared_name(self) -> str:
        """The name of the function's shared memory."""
        return f"{self.function}_shared"

    @property
    def dynamic_shared_bytes(self) -> int:
        """The shared memory that a launch must request, in bytes: 0 if static variables suffice."""
        # Static variables ask nothing of the launcher, but have at most 48 KiB (CUDA C++ guide).
        is_static = self.shared_bytes <= self.limits.static_shared_memory_per_block
        return 0 if is_static else self.shared_bytes

    def shared_array(self) -> tuple[str, llvm.LLVMPointerType]:
        """The name of the variable for all shared memory, and the type of its address."""
        return self.shared_name, llvm.LLVMPointerType(IntAttr(SHARED_SPACE))

    def reserve(self, size: int, alignment: int = SHARED_ALIGNMENT) -> None:
        """Makes the shared memory at least `size` bytes large, and aligned to `alignment`."""
        self.shared_bytes = max(self.shared_bytes, size)
        self.shared_alignment = max(alignment, self.shared_alignment)

    def definitions(self) -> list[llvm.GlobalOp]:
        """The variables, once the function is complete."""
        constants = [*self.texts.values(), *self.arrays, *self.pool]
        if not self.shared_bytes:
            return constants
        size = 0 if self.dynamic_shared_bytes else self.shared_bytes
        shared = llvm.GlobalOp(
            llvm.LLVMArrayType(size, i8),
            self.shared_name,
            "internal" if size else "external",
            SHARED_SPACE,
            alignment=self.shared_alignment,
        )
        return [*constants, shared]
