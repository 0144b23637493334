"""Selects the target's tensor-core instructions for dots, if there are any.

    %d = nv_tileaa.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
    ->
    %0 = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom wgmma_f16_f16_f32>}
         : tile<64x16xf16>, tile<16x64xf16>, tile<64x64xf32> -> !async.value<tile<64x64xf32>>
    %d = nv_tileas.async.future_wait %0 : !async.value<tile<64x64xf32>> -> tile<64x64xf32>

The selected atom is the newest of the target whose instruction has the element types and divides
the tile. An instruction of one warp may also be larger than the tile, and then computes copies.
Dots become `async.dot` for asynchronous tensor cores, and `dot` for `mma.sync`. A dot without an
instruction becomes a `dot` without an atom, which is lowered to fused multiply-adds. Some dots
whose instruction ptxas pads also become fused multiply-adds (`multiply_adds`). A scaled dot needs
an instruction; a tile smaller than the instruction is padded. With `warp-scaled-mma` or
`packed-scaled-mma`, a scaled dot whose shape no allowed instruction divides becomes fused
multiply-adds, with a remark. With `packed-scaled-mma`, four-bit elements stay packed in bytes, and
the dot has byte operands (`packed_operands`). Without `fast_acc`, threads add the results of
`wgmma` on 8-bit floats to the accumulator (`is_promoted`).
"""

from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.builders.dots import (
    DotAttributes,
    DotInputs,
    build_async_dot,
    build_dot,
    build_zero_accumulator_dot,
    is_positive_zero,
)
from tileir_xdsl.diagnostics import SCALED_BY_THREADS, fail, remark
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.nv_tileaa.attributes import DEFAULT_WARPS, KernelSpecAttr, SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.block_scaling import BlockScaling, verify_block_scaling
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.tensor_memory import COLUMNS, LANES, ScaleColumns, tile_columns
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import THREADS_PER_WARP
from tileir_xdsl.targets.mma import PAIR, PAIR_ELEMENT, MMAAtom, MMAKind, mma_atoms
from tileir_xdsl.walking import ancestors

from .multiply_adds import takes_multiply_adds
from .patterns import Rebuild

# `tcgen05.mma` scales blocks from sm_100 on, `mma` from sm_120 on (PTX ISA, ".block_scale").
FIRST_SCALING_CAPABILITY = 100
WARPS_PER_GROUP = 4
"""The number of warps that issue or receive one instruction, except for `mma.sync`.
"""

MOST_PROMOTED = 64
"""The most accumulator elements of a thread for promotion, which doubles their registers."""

FLOAT_NAMES: dict[type[Attribute], str] = {
    BFloat16Type: "bf16",
    Float4E2M1FNType: "e2m1",
    Float8E4M3FNType: "e4m3",
    Float8E5M2Type: "e5m2",
    Float16Type: "f16",
    Float32Type: "f32",
    Float64Type: "f64",
    FloatTF32Type: "tf32",
}
"""The PTX names of element types."""

BYTE = 8
OPERAND_BITS_IN_MEMORY = {"e4m3": 8, "e5m2": 8, "e2m1": 4, PAIR: 8}
"""The bits in memory of an operand element of a scaled dot."""

SCALE_NAMES: dict[type[Attribute], str] = {Float8E4M3FNType: "ue4m3", Float8E8M0FNUType: "ue8m0"}
"""The PTX names of block-scale types, whose sign is ignored."""


def input_name(type: Attribute, signedness: SignednessAttr | None, precision: str | None) -> str:
    """The PTX name of the elements of A or B; f32 becomes tf32 where the op's precision allows
    it.
    """
    if isinstance(type, IntegerType):
        unsigned = signedness is not None and signedness.data == Signedness.UNSIGNED
        return f"{'u' if unsigned else 's'}{type.width.data}"
    # Tensor cores read 19 bits of an f32; only an op that asks for TF32 may lose the others.
    if isinstance(type, Float32Type) and precision == "tf32":
        return "tf32"
    return FLOAT_NAMES[type.__class__]


def accumulator_name(type: Attribute) -> str:
    """The PTX name of the elements of C."""
    return f"s{type.width.data}" if isinstance(type, IntegerType) else FLOAT_NAMES[type.__class__]


def warps_of(op: Operation) -> int:
    """The number of warps of the function that contains an op."""
    functions = (around for around in ancestors(op) if isinstance(around, nv_tileaa.FuncOp))
    function = next(functions, None)
    spec = None if function is None else function.kernel_spec
    return spec.num_warps.data if isinstance(spec, KernelSpecAttr) else DEFAULT_WARPS


class ScaledMMA(Enum):
    """The instructions that block-scaled dots may use."""

    ANY = "any"
    PACKED = "packed"
    """Instructions with operands in registers, or with operands that are bytes in memory, of one or
    two elements.
    """
    OF_WARPS = "of warps"

    def has(self, atom: MMAAtom) -> bool:
        """Whether an instruction is allowed."""
        match self:
            case ScaledMMA.ANY:
                return True
            case ScaledMMA.PACKED:
                return atom.kind is MMAKind.WARP or OPERAND_BITS_IN_MEMORY[atom.a] == BYTE
            case ScaledMMA.OF_WARPS:
                return atom.kind is MMAKind.WARP


def choose_atom(op: nv_tileaa.DotOp, target: Target, scaled: ScaledMMA) -> MMAAtom | None:
    """The matrix atom of a dot; None if it becomes fused multiply-adds.

    `scaled` restricts the atoms of a scaled dot.

    Raises `PassFailedException` if a scaled dot has no instruction on the target.
    """
    precision = None if op.input_precision is None else op.input_precision.data
    names = (
        input_name(element_type(op.a), op.signedness_a, precision),
        input_name(element_type(op.b), op.signedness_b, precision),
        accumulator_name(element_type(op.c)),
    )
    scaling = block_scaling(op)
    if scaling is None:
        warps, atoms = warps_of(op), mma_atoms(target, *names)
        # The table lists the newest unit first, and none that fits leaves fused multiply-adds.
        fitting = next((atom for atom in atoms if fits(op, atom, target, warps)), None)
        padded = fitting is not None and takes_multiply_adds(op, fitting, target, warps)
        return None if padded else fitting
    if target.compute_capability < FIRST_SCALING_CAPABILITY:
        fail(op, "mma block scale is not supported by compute capability < sm100")
    assert op.sfa is not None
    scale = SCALE_NAMES[element_type(op.sfa).__class__]
    atoms = mma_atoms(target, *names, scale, scaling.block)
    if not atoms:
        fail(op, "failed to find available mma partition")
    if scaled is ScaledMMA.ANY:
        # A scaled dot is padded to its instruction, so that its shape need not fit.
        return atoms[0]
    if scaled is ScaledMMA.PACKED and names[0] == names[1] == PAIR_ELEMENT:
        pairs = mma_atoms(target, PAIR, PAIR, names[2], scale, scaling.block // 2)
        atoms = (*pairs, *atoms)
    allowed = (atom for atom in atoms if scaled.has(atom))
    fitting = next((atom for atom in allowed if fits(op, atom, target, warps_of(op))), None)
    if fitting is None:
        message = "no block-scaled mma fits the dot, which is made of fused multiply-adds"
        remark(op, SCALED_BY_THREADS, message)
    return fitting


def block_scaling(op: nv_tileaa.DotOp) -> BlockScaling | None:
    """How the inputs of a dot are scaled, or None; raises `PassFailedException` for unsupported
    scales.
    """
    scales = [scale.type for scale in (op.sfa, op.sfb) if scale is not None]
    try:
        return verify_block_scaling(op.a.type, op.b.type, op.c.type, scales)
    except VerifyException as error:
        fail(op, str(error))


def fits(op: nv_tileaa.DotOp, atom: MMAAtom, target: Target, warps: int) -> bool:
    """Whether an atom's instructions, executed by this many warps, tile a dot."""
    # `wgmma` is executed by whole warpgroups, `tcgen05.ld` by the four warps of one (PTX ISA).
    if atom.kind is not MMAKind.WARP and warps % WARPS_PER_GROUP:
        return False
    *batch, m, k = tile_shape(op.a.type).shape
    n = tile_shape(op.b.type).shape[-1]
    shapes = () if k % atom.packing else atom.dividing_shapes(target, m, n, k // atom.packing)
    if atom.kind is MMAKind.TENSOR_MEMORY:
        # The lanes of tensor memory hold the rows of one instruction, further rows have columns of
        # their own.
        has_room = not batch and tile_columns((m, n)) + columns_of_scales(op, m, n) <= COLUMNS
        shapes = tuple(shape for shape in shapes if has_room and shape.m == min(m, LANES))
    return bool(shapes)


def columns_of_scales(op: nv_tileaa.DotOp, rows: int, columns: int) -> int:
    """The columns of tensor memory for the block scales of one instruction step, 0 without
    scales.
    """
    if op.sfa is None:
        return 0
    blocks = tile_shape(op.sfa.type).shape[-1]
    return sum(ScaleColumns.of_registers(extent, blocks).total for extent in (rows, columns))


@dataclass(frozen=True)
class ConvertDot(Rebuild):
    """Converts a dot, with an atom of the target."""

    target: Target | None
    scaled: ScaledMMA = ScaledMMA.ANY

    introduced: ClassVar[tuple[type[IRDLOperation], ...]] = (
        nv_tileas.AsyncDotOp,
        nv_tileas.FutureWaitOp,
        nv_tileas.AllocTensorOp,
        nv_tileas.InsertSliceOp,
        nv_tileas.ReinterpretOp,
        nv_tileas.ViewOp,
        nv_tileaa.PermuteOp,
    )

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.DotOp)
        # The atom is a fact of the target; a default would be a guess that the user does not see.
        if self.target is None:
            fail(op, "failed to get the target spec")
        atom = choose_atom(op, self.target, self.scaled)
        attributes = DotAttributes.of(op, None if atom is None else nv_tileas.AtomAttr(atom.name))
        inputs = DotInputs(op.a, op.b, [scale for scale in (op.sfa, op.sfb) if scale is not None])
        build = build_dot if atom is None or atom.kind is MMAKind.WARP else build_async_dot
        packs = atom is not None and atom.packing > 1
        if packs:
            # Imported where a dot is of four bits: most kernels have none.
            from .packed_operands import packed_operands  # noqa: PLC0415

            inputs = DotInputs(*packed_operands(op.a, op.b, rewriter), inputs.scales)
        before = op.prev_op
        if is_promoted(op, atom, warps_of(op)):
            assert isinstance(op.c.type, TensorType)
            part = build_zero_accumulator_dot(rewriter, inputs, op.c.type, attributes, build)
            result = rewriter.insert(nv_tileaa.AddFOp(op.c, part)).result
        elif is_positive_zero(op.c):
            assert isinstance(op.c.type, TensorType) and isinstance(op.c.owner, Operation)
            # Where the zeros are: a loop that starts from them each time need not make them.
            storage = Builder(InsertPoint.after(op.c.owner))
            result = build_zero_accumulator_dot(
                rewriter, inputs, op.c.type, attributes, build, storage
            )
        else:
            result = build(rewriter, inputs, op.c, attributes)
        _describe(op, before)
        operands = (op.a, op.b)
        rewriter.replace(op, (), [result])
        if packs:
            from .packed_operands import erase_unpacked  # noqa: PLC0415

            for tile in operands:
                erase_unpacked(tile, rewriter)


def is_promoted(op: nv_tileaa.DotOp, atom: MMAAtom | None, warps: int) -> bool:
    """Whether a dot starts from zeros, and threads add its result to the accumulator in f32.

    `wgmma` on 8-bit floats keeps about 14 bits of its sums (DeepSeek-V3 technical report, section
    3.3.2), which is allowed only with `fast_acc`.
    """
    if atom is None or atom.kind is not MMAKind.WARPGROUP or op.fast_acc is not None:
        return False
    if atom.accumulator != "f32" or atom.a not in ("e4m3", "e5m2") or is_positive_zero(op.c):
        return False
    return prod(tile_shape(op.c.type).shape) <= MOST_PROMOTED * warps * THREADS_PER_WARP


def _describe(op: nv_tileaa.DotOp, before: Operation | None) -> None:
    """Copies a dot's attributes to the ops inserted between `before` and the dot."""
    block = op.parent
    assert block is not None
    new_op = block.first_op if before is None else before.next_op
    known = nv_tileas.DotOp.get_irdl_definition().properties
    while new_op is not None and new_op is not op:
        new_op.location = op.location
        if isinstance(new_op, MMAOp | nv_tileas.FutureWaitOp):
            new_op.results[0].name_hint = op.result.name_hint
        if isinstance(new_op, MMAOp):
            # Printed in the order that the program has them in.
            kept = {key: value for key, value in op.attributes.items() if key in known}
            new_op.properties = {**kept, **new_op.properties}
            new_op.attributes |= {key: v for key, v in op.attributes.items() if key not in known}
        new_op = new_op.next_op
