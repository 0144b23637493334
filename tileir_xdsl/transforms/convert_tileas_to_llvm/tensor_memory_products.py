"""Matrix products with sums in tensor memory: `tcgen05.mma`, issued by one thread.

    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>} : ..
    ->
    nvvm.tcgen05.mma %columns, %a_descriptor, %b_descriptor, %instruction, %enable {..}
    nvvm.tcgen05.commit %barrier

All threads arrive at a barrier object, and so do the products when they are done: then its phase is
over, and the operands may be overwritten. Source: PTX ISA, "TensorCore 5th Generation Family
Instructions", "Instruction descriptor".
"""

from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas import ToAsyncOp
from tileir_xdsl.dialects.nv_tileas.compute import ProductOp
from tileir_xdsl.dialects.nvvm.attributes import (
    ProxyKind,
    SharedSpace,
    Tcgen05Fence,
    Tcgen05Kind,
)
from tileir_xdsl.dialects.nvvm.fences import FenceProxyOp
from tileir_xdsl.dialects.nvvm.mbarriers import MBarrierArriveOp, MBarrierTryWaitOp
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05CommitOp, Tcgen05FenceOp
from tileir_xdsl.dialects.nvvm.tcgen05_products import Tcgen05MMAOp
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.matrix_descriptors import MatrixOperand
from tileir_xdsl.targets.mma import MMAAtom, MMAShape

from .loops import repeat_while
from .mbarriers import WAIT_TICKS, barrier_at
from .one_thread import one_thread
from .tensor_memory import address_of, load_accumulator, pointer, store_accumulator
from .values import ThreadProgram, register_type
from .warpgroup_products import accumulator_layout, is_zero, shared_operand

KINDS: dict[str, Tcgen05Kind] = {
    "f16": Tcgen05Kind.F16,
    "bf16": Tcgen05Kind.F16,
    "tf32": Tcgen05Kind.TF32,
    "s8": Tcgen05Kind.I8,
    "u8": Tcgen05Kind.I8,
}
"""The kind of products of elements; of others it is `f8f6f4`."""

ELEMENT_NUMBERS: dict[str, int] = {
    "f16": 0,
    "bf16": 1,
    "tf32": 2,
    "u8": 0,
    "s8": 1,
    "e4m3": 0,
    "e5m2": 1,
    "e2m3": 3,
    "e3m2": 4,
    "e2m1": 5,
}
"""The elements of A and B in an instruction descriptor."""

SUM_NUMBERS: dict[str, int] = {"f16": 0, "f32": 1, "s32": 2}
"""The elements of D."""


def instruction_descriptor(
    atom: MMAAtom, shape: MMAShape, a: MatrixOperand, b: MatrixOperand
) -> int:
    """The types and the shape of an instruction, and which operands are not along K."""
    return (
        SUM_NUMBERS[atom.accumulator] << 4
        | ELEMENT_NUMBERS[atom.a] << 7
        | ELEMENT_NUMBERS[atom.b] << 10
        | (not a.is_k_major) << 15
        | (not b.is_k_major) << 16
        | shape.n >> 3 << 17
        | shape.m >> 4 << 24
    )


def multiply_in_tensor_memory(op: ProductOp, atom: MMAAtom, program: ThreadProgram) -> int:
    """Carries out a product; gives the first column of the sums."""
    builder = program.builder
    tile_a, tile_b = program.shared_tiles[op.a], program.shared_tiles[op.b]
    layout = accumulator_layout(op, op.c.type)
    rows, columns = layout.shape
    shape = next(
        (
            shape
            for shape in atom.available_shapes(program.target)
            if shape.m == rows and columns % shape.n == 0
        ),
        None,
    )
    if shape is None:
        fail(op, f"'{op.name}' op has no instruction for {rows} rows and {columns} columns")
    try:
        a_image = MatrixOperand.of(tile_a.layout, 0, shape.m, 1, shape.k)
        b_image = MatrixOperand.of(tile_b.layout, 1, shape.n, 0, shape.k)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    overwrites = False
    if isinstance(op.c.type, ValueType):
        column = program.tensor_tiles[op.c]
    else:
        column = program.columns.first[op]
        sums = program.registers[op.c]
        overwrites = all(map(is_zero, sums))
        if not overwrites:
            store_accumulator(op, layout, column, sums, program)
    _meet(program)
    barrier = barrier_at(program, program.places.offsets[op])
    with one_thread(program):
        builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.AFTER))
        a = shared_operand(tile_a, a_image.tensor_memory_bits, a_image, [], program)
        b = shared_operand(tile_b, b_image.tensor_memory_bits, b_image, [], program)
        word = builder.integer(instruction_descriptor(atom, shape, a_image, b_image), i32)
        for start in range(0, columns, shape.n):
            d = pointer(program, address_of(program, column + start))
            for k in range(0, tile_shape(op.a.type).shape[-1], shape.k):
                adds = builder.integer(int(k > 0 or not overwrites), i1)
                product = Tcgen05MMAOp(
                    d,
                    a.at(builder, (0, k)),
                    b.at(builder, (k, start)),
                    word,
                    adds,
                    KINDS.get(atom.a, Tcgen05Kind.F8F6F4),
                )
                builder.insert_without_result(product)
        builder.insert_without_result(Tcgen05CommitOp(barrier))
    _wait(program, barrier)
    return column


def _meet(program: ThreadProgram) -> None:
    """All threads are done with the operands and the sums, and the hardware sees both."""
    builder, accesses = program.builder, program.shared_accesses
    if accesses.unfenced:
        fence = FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA)
        builder.insert_without_result(fence)
        accesses.pass_fence()
    builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.BEFORE))
    program.barrier()


def _wait(program: ThreadProgram, barrier: SSAValue) -> None:
    """Until all threads and the products have arrived."""
    builder = program.builder
    state = builder.insert(MBarrierArriveOp(barrier, has_state=True))
    ticks = builder.integer(WAIT_TICKS, i32)

    def is_pending(_state: object) -> SSAValue:
        is_over = builder.insert(MBarrierTryWaitOp(barrier, state, ticks))
        return builder.compare("eq", is_over, builder.integer(0, i1))

    assert state.type == i64
    repeat_while(builder, [], is_pending, lambda state: state)
    builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.AFTER))
    program.shared_accesses.read()


def start_sum(op: ToAsyncOp, program: ThreadProgram) -> None:
    """Puts a sum to the columns that products will add to."""
    column = program.columns.first[op]
    layout = accumulator_layout(op, op.source.type)
    store_accumulator(op, layout, column, program.registers[op.source], program)
    program.registers[op.result] = ()
    program.tensor_tiles[op.result] = column


def loaded_sum(op: Operation, column: int, program: ThreadProgram) -> tuple[SSAValue, ...]:
    """The result of an op, which is in tensor memory from a column on, in registers."""
    type = op.results[0].type
    element = register_type(op, tile_shape(type).element)
    return load_accumulator(op, accumulator_layout(op, type), column, element, program)
