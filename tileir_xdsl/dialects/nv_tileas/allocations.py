"""Allocations of shared and tensor memory, as attributes on the ops that need the memory.

    %0 = nv_tileas.alloc_tensor
         {nv_tileas.smem = #nv_tileas.allocation<offset = 1024, size = 16384>}
         : tensor<2x64x64xf16, #nv_tileas.memory<smem>>

`tileas-allocate-shared-memory` and `tileas-allocate-tensor-memory` write the attributes, and
`convert-tileas-to-llvm` reads them.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntAttr, IntegerAttr, i32
from xdsl.ir import Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.diagnostics import fail

SHARED_MEMORY = "nv_tileas.smem"
"""The shared memory of an object that an op creates, in bytes.

The object is a buffer, mbarriers of a pipeline or an asynchronous op, or the response to a
tile-block request. On a function, the allocation is the word that receives the address of the
function's tensor memory.
"""

SCRATCH = "nv_tileas.scratch"
"""The scratch memory of an op: shared memory, in bytes, that it uses only while it executes."""

STEPS = "nv_tileas.steps"
"""In how many steps each layout exchange or staged tile of an op passes through scratch memory. The
numbers are powers of two, in the order of execution. Without this attribute, all numbers are 1.
"""

TENSOR_MEMORY = "nv_tileas.tmem"
"""The columns of tensor memory of the accumulator or the tile that an op creates."""

SHARED_MEMORY_BYTES = "nv_tileas.smem_bytes"
"""The bytes of shared memory of a function."""

SHARED_MEMORY_ALIGNMENT = "nv_tileas.smem_alignment"
"""The alignment in bytes of the shared memory of a function."""

TENSOR_MEMORY_COLUMNS = "nv_tileas.tmem_columns"
"""The columns of tensor memory of a function, before rounding up to an allocation size of hardware.
"""

CLUSTER_STAGES = "nv_tileas.cluster_stages"
"""On a `create_pipeline`: CTAs of the cluster also fill each other's stages."""


@irdl_attr_definition
class AllocationAttr(ParametrizedAttribute):
    """`#nv_tileas.allocation<offset = 1024, size = 16384>`: a range of memory.

    Bytes from the start of the function's shared memory, or columns of its tensor memory.
    """

    name = "nv_tileas.allocation"

    offset: IntAttr
    size: IntAttr

    def __init__(self, offset: int | IntAttr, size: int | IntAttr):
        super().__init__(
            offset if isinstance(offset, IntAttr) else IntAttr(offset),
            size if isinstance(size, IntAttr) else IntAttr(size),
        )

    @property
    def end(self) -> int:
        """The first byte or column after the allocation."""
        return self.offset.data + self.size.data

    def verify(self) -> None:
        if self.offset.data < 0 or self.size.data < 0:
            raise VerifyException(
                f"expected offset and size of an allocation to be at least 0, got "
                f"{self.offset.data} and {self.size.data}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[IntAttr, IntAttr]:
        with parser.in_angle_brackets():
            parser.parse_keyword("offset")
            parser.parse_punctuation("=")
            offset = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            parser.parse_keyword("size")
            parser.parse_punctuation("=")
            size = parser.parse_integer(allow_boolean=False)
        return IntAttr(offset), IntAttr(size)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"offset = {self.offset.data}, size = {self.size.data}")


def allocation_of(op: Operation, name: str) -> AllocationAttr | None:
    """The allocation in the named attribute of an op; None if the op has no such attribute.

    Raises:
        PassFailedException: the attribute is not an allocation.
    """
    found = op.attributes.get(name)
    if found is None or isinstance(found, AllocationAttr):
        return found
    fail(op, f"'{op.name}' op expects {name} to be an allocation, got {found}")


def steps_of(op: Operation) -> tuple[int, ...] | None:
    """The number of steps of each exchange or staged tile of an op; None if not stated.

    Raises:
        PassFailedException: the attribute is not an array of powers of two.
    """
    found = op.attributes.get(STEPS)
    if found is None:
        return None
    steps: tuple[int, ...] = ()
    if isinstance(found, DenseArrayBase) and found.elt_type == i32:
        steps = tuple(int(each) for each in found.get_values())
    if not steps or any(each <= 0 or each & (each - 1) for each in steps):
        fail(
            op,
            f"'{op.name}' op expects {STEPS} to be a non-empty i32 array of powers "
            f"of two, got {found}",
        )
    return steps


def as_steps(steps: Sequence[int]) -> DenseArrayBase:
    """The attribute value of numbers of steps."""
    return DenseArrayBase.from_list(i32, list(steps))


def total_of(function: Operation, name: str) -> int | None:
    """The value of an integer attribute of a function; None if absent."""
    found = function.attributes.get(name)
    return found.value.data if isinstance(found, IntegerAttr) else None


def check_total(function: Operation, name: str, needed: int) -> None:
    """Raises `PassFailedException` if a function has a total that differs from the need of its
    ops.
    """
    stated = total_of(function, name)
    if stated is not None and stated != needed:
        fail(function, f"'{function.name}' op expects {name} to be {needed}, but got {stated}")


def total(value: int) -> IntegerAttr:
    """The attribute value of a total."""
    return IntegerAttr(value, i32)
