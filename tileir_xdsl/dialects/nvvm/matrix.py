"""Matrix instructions of a warp: ldmatrix, stmatrix, mma.sync.

Fragment layouts are in the PTX ISA, "Warp Level Matrix Instructions". A pair of 16-bit floats is
`vector<2xf16>` or an i32 that packs it.
"""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    I32,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm import attributes as nvvm_attributes
from tileir_xdsl.dialects.nvvm.pointers import SHARED
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAAtom, MMAKind, MMAShape

Value = Operation | SSAValue

M8N8 = nvvm_attributes.MatrixShapeAttr.of(8, 8)
B16 = nvvm_attributes.MatrixElementTypeAttr(nvvm_attributes.MatrixElementType.B16)


# ldmatrix and stmatrix.


@irdl_op_definition
class LdMatrixOp(NVVMOperation):
    """Loads `num` matrices from shared memory; lane 8j+r provides the address of row r of matrix j.

        %r = nvvm.ldmatrix %p {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape =
            #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} :
            (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>

    Layout `col` transposes.
    """

    name = "nvvm.ldmatrix"
    PTX: ClassVar = (
        "ldmatrix.sync.aligned.<shape>.x<num>{.trans?transposes}.shared.<eltType>  {d}, [ptr]"
    )

    ptr = operand_def(SHARED)
    num = prop_def(IntegerAttr[I32])
    layout = prop_def(nvvm_attributes.MMALayoutAttr)
    shape = prop_def(nvvm_attributes.MatrixShapeAttr)
    eltType = prop_def(nvvm_attributes.MatrixElementTypeAttr)
    res = result_def(I32 | LLVMStructType)
    traits = traits_def(Requires.feature(Feature.LDMATRIX))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        ptr: Value,
        num: int,
        layout: nvvm_attributes.MMALayout = nvvm_attributes.MMALayout.ROW,
        shape: nvvm_attributes.MatrixShapeAttr = M8N8,
        element_type: nvvm_attributes.MatrixElementType = nvvm_attributes.MatrixElementType.B16,
    ):
        count = _registers(num, shape)
        super().__init__(
            operands=[ptr],
            result_types=[i32 if count == 1 else LLVMStructType.from_type_list([i32] * count)],
            properties={
                "num": IntegerAttr(num, 32),
                "layout": nvvm_attributes.MMALayoutAttr(layout),
                "shape": shape,
                "eltType": nvvm_attributes.MatrixElementTypeAttr(element_type),
            },
        )

    @property
    def transposes(self) -> bool:
        """Whether each lane holds parts of columns instead of rows."""
        return self.layout.data is nvvm_attributes.MMALayout.COLUMN

    @property
    def requirement(self) -> Requirement:
        if self.eltType.data is not nvvm_attributes.MatrixElementType.B16:
            return Requirement(feature=Feature.BYTE_MATRIX_COPY)
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        num = self.num.value.data
        if self.shape == M8N8:
            if num not in (1, 2, 4):
                raise VerifyException("expected num attribute to be 1, 2 or 4 for 8x8 matrix")
            if self.eltType.data is not nvvm_attributes.MatrixElementType.B16:
                raise VerifyException("expected element type to be b16 for 8x8 matrix")
        elif self.eltType.data is nvvm_attributes.MatrixElementType.B16:
            raise VerifyException(f"expected an 8x8 matrix for b16, got {self.shape}")
        _verify_form(self, _LOADED)
        count = _registers(num, self.shape)
        expected = i32 if count == 1 else LLVMStructType.from_type_list([i32] * count)
        if self.res.type != expected:
            raise VerifyException(f"expected destination type {expected}, got {self.res.type}")


_Forms = Mapping[
    str,
    tuple[
        Sequence[nvvm_attributes.MatrixElementType],
        Sequence[int],
        Sequence[nvvm_attributes.MMALayout],
    ],
]
_BYTES = (
    nvvm_attributes.MatrixElementType.B8,
    nvvm_attributes.MatrixElementType.B6,
    nvvm_attributes.MatrixElementType.B4,
)
_LOADED: _Forms = {
    "m8n8": ((nvvm_attributes.MatrixElementType.B16,), (1, 2, 4), tuple(nvvm_attributes.MMALayout)),
    "m8n16": (_BYTES[1:], (1, 2, 4), (nvvm_attributes.MMALayout.ROW,)),
    "m16n16": (_BYTES, (1, 2), (nvvm_attributes.MMALayout.COLUMN,)),
}
_STORED: _Forms = {
    "m8n8": ((nvvm_attributes.MatrixElementType.B16,), (1, 2, 4), tuple(nvvm_attributes.MMALayout)),
    "m16n8": (
        (nvvm_attributes.MatrixElementType.B8,),
        (1, 2, 4),
        (nvvm_attributes.MMALayout.COLUMN,),
    ),
}
"""The element types, matrix counts and layouts that each shape supports. Source: PTX ISA,
"stmatrix".
"""


def _registers(num: int, shape: nvvm_attributes.MatrixShapeAttr) -> int:
    """The 32-bit registers per lane of `num` matrices; a 16x16 matrix of bytes takes two."""
    return 2 * num if (shape.m.data, shape.n.data) == (16, 16) else num


@irdl_op_definition
class StMatrixOp(NVVMOperation):
    """Stores one matrix per operand to shared memory; the inverse of `nvvm.ldmatrix`."""

    name = "nvvm.stmatrix"
    PTX: ClassVar = (
        "stmatrix.sync.aligned.<shape>.x<num>{.trans?transposes}.shared.<eltType>"
        "  [ptr], {%sources}"
    )

    ptr = operand_def(SHARED)
    sources = var_operand_def(I32)
    layout = prop_def(nvvm_attributes.MMALayoutAttr)
    shape = prop_def(nvvm_attributes.MatrixShapeAttr)
    eltType = prop_def(nvvm_attributes.MatrixElementTypeAttr)
    traits = traits_def(Requires.feature(Feature.STMATRIX))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $sources attr-dict `:` type(operands)"

    def __init__(
        self,
        ptr: Value,
        sources: Sequence[Value],
        layout: nvvm_attributes.MMALayout = nvvm_attributes.MMALayout.ROW,
        shape: nvvm_attributes.MatrixShapeAttr = M8N8,
        element_type: nvvm_attributes.MatrixElementType = nvvm_attributes.MatrixElementType.B16,
    ):
        super().__init__(
            operands=[ptr, sources],
            properties={
                "layout": nvvm_attributes.MMALayoutAttr(layout),
                "shape": shape,
                "eltType": nvvm_attributes.MatrixElementTypeAttr(element_type),
            },
        )

    @property
    def transposes(self) -> bool:
        """Whether each lane holds parts of columns instead of rows."""
        return self.layout.data is nvvm_attributes.MMALayout.COLUMN

    @property
    def num(self) -> int:
        """How many matrices the op stores."""
        return len(self.sources)

    @property
    def requirement(self) -> Requirement:
        if self.eltType.data is not nvvm_attributes.MatrixElementType.B16:
            return Requirement(feature=Feature.BYTE_MATRIX_COPY)
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        if len(self.sources) not in (1, 2, 4):
            raise VerifyException("expected num attribute to be 1, 2 or 4")
        element = self.eltType.data
        if (self.shape == M8N8) != (element is nvvm_attributes.MatrixElementType.B16):
            raise VerifyException(
                "expected shape 8x8 exactly where elements are b16, got shape "
                f"{self.shape} and elements {element}"
            )
        _verify_form(self, _STORED)


def _verify_form(op: LdMatrixOp | StMatrixOp, forms: _Forms) -> None:
    """Raises `VerifyException` if a shape does not support the element type, count or layout."""
    num = op.num if isinstance(op, StMatrixOp) else op.num.value.data
    found = (op.eltType.data, num, op.layout.data)
    allowed = forms.get(f"{op.shape}")
    if allowed is None or any(one not in some for one, some in zip(found, allowed, strict=True)):
        raise VerifyException(
            f"'{op.name}' does not support {num} matrices of shape "
            f"{op.shape}, elements {found[0]} and layout {found[2]}"
        )


# Forms of matrix instructions.

_FORMS: Mapping[tuple[MMAKind, str, str, str, str], MMAAtom] = {
    (atom.kind, atom.a, atom.b, atom.accumulator, atom.bit_operation): atom
    for atom in MMA_ATOMS.values()
    if not atom.scale
}


@dataclass(frozen=True)
class MatrixForm:
    """One matrix instruction: its atom and shape in the target tables."""

    atom: MMAAtom
    shape: MMAShape

    @staticmethod
    def find(
        kind: MMAKind,
        a: str,
        b: str,
        accumulator: str,
        shape: nvvm_attributes.MMAShapeAttr,
        bit_operation: str = "",
    ) -> "MatrixForm":
        """The instruction on these element types; `bit_operation` as in `MMAAtom`.

        Raises `VerifyException` if no such instruction exists.
        """
        if (atom := _FORMS.get((kind, a, b, accumulator, bit_operation))) is None:
            raise VerifyException(
                f"no {kind.value} has A of type {a}, B of type {b} and accumulator of type "
                f"{accumulator}"
            )
        return MatrixForm.of_atom(atom, shape)

    @staticmethod
    def of_atom(atom: MMAAtom, shape: nvvm_attributes.MMAShapeAttr) -> "MatrixForm":
        """The instruction of an atom with this shape.

        Raises `VerifyException` if no such instruction exists.
        """
        extents = (shape.m.data, shape.n.data, shape.k.data)
        for found in atom.shapes:
            if (found.m, found.n, found.k) == extents:
                return MatrixForm(atom, found)
        raise VerifyException(
            f"no {atom.kind.value} of shape {shape} has A of type {atom.a} and B of type {atom.b}"
        )

    @property
    def opcode(self) -> str:
        """The PTX instruction."""
        before, after = self.atom.ptx.split()
        k = self.atom.packing * self.shape.k
        return f"{before}.m{self.shape.m}n{self.shape.n}k{k}{after}"

    @property
    def requirement(self) -> Requirement:
        """Requirements of the instruction."""
        return Requirement(80, self.shape.ptx_version, self.shape.feature)

    @property
    def registers(self) -> tuple[int, int, int]:
        """Registers per lane of A, B and the accumulator of a warp's instruction."""
        m, n, k = self.shape.m, self.shape.n, self.shape.k
        packed = max(1, 32 // self.atom.operand_bits)
        accumulators = 2 if self.atom.accumulator == "f16" else 1
        return m * k // 32 // packed, n * k // 32 // packed, m * n // 32 // accumulators


# mma.sync.

_INFERRED: tuple[tuple[type[Attribute], nvvm_attributes.MMAType], ...] = (
    (Float16Type, nvvm_attributes.MMAType.F16),
    (Float64Type, nvvm_attributes.MMAType.F64),
)


def accumulator_type(type: Attribute) -> str:
    """The PTX type of an accumulator's registers."""
    match type:
        case Float32Type():
            return "f32"
        case Float64Type():
            return "f64"
        case VectorType():
            return "f16"
        case _:
            return "s32"


def _inferred_type(operand: Attribute) -> nvvm_attributes.MMAType | None:
    """The element type that an operand's type implies; packed integers imply none."""
    element = operand.element_type if isinstance(operand, VectorType) else operand
    return next((mma for cls, mma in _INFERRED if isinstance(element, cls)), None)


_BIT_OPERATIONS: Mapping[nvvm_attributes.MMAB1Op, str] = {
    nvvm_attributes.MMAB1Op.NONE: "",
    nvvm_attributes.MMAB1Op.XOR: "xor",
    nvvm_attributes.MMAB1Op.AND: "and",
}


class WarpMMAOp(NVVMOperation, abc.ABC):
    """Base of the warp-level mma ops.

    In the text, fragments are in brackets, `A[%a0, %a1] B[%b0] C[%c0, %c1]`, followed by words in
    separate brackets and attributes. The function type at the end has one type per fragment.
    """

    operandA = var_operand_def()
    operandB = var_operand_def()
    operandC = var_operand_def()
    shape = prop_def(nvvm_attributes.MMAShapeAttr)
    intOverflowBehavior = opt_prop_def(nvvm_attributes.MMAOverflowAttr)
    multiplicandAPtxType = opt_prop_def(nvvm_attributes.MMATypeAttr)
    multiplicandBPtxType = opt_prop_def(nvvm_attributes.MMATypeAttr)
    res = result_def(LLVMStructType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def words(cls) -> Mapping[str, tuple[IntegerType, ...]]:
        """For each word, the types of its bracketed operands, which follow the fragments."""
        return {}

    @property
    @abc.abstractmethod
    def form(self) -> MatrixForm:
        """The instruction.

        Raises `VerifyException` if no instruction has this shape and these types.
        """

    @property
    def registers(self) -> tuple[int, int, int]:
        """Registers per lane of A, B and the accumulator."""
        return self.form.registers

    @property
    def types(self) -> tuple[nvvm_attributes.MMAType, nvvm_attributes.MMAType]:
        """The element types of A and B.

        Raises `VerifyException` if neither an attribute nor the operands state them.
        """
        found: list[nvvm_attributes.MMAType] = []
        for operands, attribute in (
            (self.operandA, self.multiplicandAPtxType),
            (self.operandB, self.multiplicandBPtxType),
        ):
            mma = attribute.data if attribute is not None else _inferred_type(operands[0].type)
            if mma is None:
                raise VerifyException(
                    "integer operands A and B need multiplicandAPtxType and multiplicandBPtxType"
                )
            found.append(mma)
        return found[0], found[1]

    @property
    def saturates(self) -> bool:
        """Whether integer accumulation saturates."""
        overflow = self.intOverflowBehavior
        return overflow is not None and overflow.data is nvvm_attributes.MMAOverflow.SATFINITE

    @property
    def requirement(self) -> Requirement:
        return self.form.requirement

    def verify_(self) -> None:
        super().verify_()
        if not (self.operandA and self.operandB and self.operandC):
            raise VerifyException("expected at least one operand each for A, B and C")
        counts = (len(self.operandA), len(self.operandB), len(self.operandC))
        if counts != (expected := self.registers):
            raise VerifyException(f"expected {expected} operands for A, B and C, got {counts}")
        if self.res.type != LLVMStructType.from_type_list([c.type for c in self.operandC]):
            raise VerifyException("expected the result to be a struct of the types of operand C")
        if self.types[0] is nvvm_attributes.MMAType.B1:
            if self.saturates:
                raise VerifyException("an mma of 1-bit elements cannot saturate")
        elif isinstance(self.operandC[0].type, IntegerType) and self.intOverflowBehavior is None:
            raise VerifyException("op requires intOverflowBehavior attribute")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names: list[list[UnresolvedOperand]] = []
        for name in ("A", "B", "C", *cls.words()):
            parser.parse_keyword(name)
            names.append(
                parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, parser.parse_unresolved_operand
                )
            )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        function_type = parser.parse_function_type()
        inputs, outputs = function_type.inputs.data, function_type.outputs.data
        if len(inputs) != 3 or len(outputs) != 1:
            parser.raise_error("expected one type each for A, B and C, and one result type")
        operands: list[list[SSAValue]] = []
        for unresolved, type in zip(names, inputs, strict=False):
            operands.append([parser.resolve_operand(name, type) for name in unresolved])
        for unresolved, types in zip(names[3:], cls.words().values(), strict=True):
            if len(unresolved) != len(types):
                parser.raise_error(f"expected {len(types)} operands in brackets after C")
            for name, type in zip(unresolved, types, strict=True):
                operands.append([parser.resolve_operand(name, type)])
        properties = {
            name: attributes.pop(name, None) for name in cls.get_irdl_definition().properties
        }
        for name, values in zip(_TYPE_NAMES, operands, strict=False):
            if properties[name] is None and values:
                mma = _inferred_type(values[0].type)
                properties[name] = None if mma is None else nvvm_attributes.MMATypeAttr(mma)
        properties.pop("operandSegmentSizes", None)
        return cls.build(
            operands=operands,
            result_types=outputs,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        fragments = (self.operandA, self.operandB, self.operandC)
        rest = iter(self.operands[sum(map(len, fragments)) :])
        words = [[next(rest) for _ in types] for types in self.words().values()]
        for name, operands in zip(
            ("A", "B", "C", *self.words()), (*fragments, *words), strict=True
        ):
            printer.print_string(f" {name}")
            with printer.in_square_brackets():
                printer.print_list(operands, printer.print_ssa_value)
        properties = dict(self.properties)
        del properties["operandSegmentSizes"]
        for name, operands in zip(_TYPE_NAMES, fragments, strict=False):
            if _inferred_type(operands[0].type) is not None:
                properties.pop(name, None)
        printer.print_op_attributes({**properties, **self.attributes})
        printer.print_string(" : ")
        types = [operands[0].type for operands in fragments]
        printer.print_function_type(types, [self.res.type])


_TYPE_NAMES = ("multiplicandAPtxType", "multiplicandBPtxType")


@irdl_op_definition
class MmaOp(WarpMMAOp):
    """`D = A * B + C` by all lanes of a warp.

        %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3] {layoutA =
            #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n =
            8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>

    If the operands are packed integers, attributes state the element types of A and B. A dot of
    `b1` counts the ones of `a xor b` or `a and b` along k, as `b1Op` says.
    """

    name = "nvvm.mma.sync"

    shape = prop_def(nvvm_attributes.MMAShapeAttr)
    layoutA = prop_def(nvvm_attributes.MMALayoutAttr)
    layoutB = prop_def(nvvm_attributes.MMALayoutAttr)
    b1Op = opt_prop_def(nvvm_attributes.MMAB1OpAttr)

    def __init__(
        self,
        a: Sequence[Value],
        b: Sequence[Value],
        c: Sequence[Value],
        shape: tuple[int, int, int],
        types: tuple[nvvm_attributes.MMAType, nvvm_attributes.MMAType],
        *,
        overflow: nvvm_attributes.MMAOverflow | None = None,
        b1_op: nvvm_attributes.MMAB1Op | None = None,
    ):
        accumulator = [SSAValue.get(value).type for value in c]
        if overflow is None and isinstance(accumulator[0], IntegerType):
            overflow = nvvm_attributes.MMAOverflow.WRAPPED
        super().__init__(
            operands=[a, b, c],
            result_types=[LLVMStructType.from_type_list(accumulator)],
            properties={
                "shape": nvvm_attributes.MMAShapeAttr.of(*shape),
                "layoutA": nvvm_attributes.MMALayoutAttr(nvvm_attributes.MMALayout.ROW),
                "layoutB": nvvm_attributes.MMALayoutAttr(nvvm_attributes.MMALayout.COLUMN),
                "b1Op": None if b1_op is None else nvvm_attributes.MMAB1OpAttr(b1_op),
                "intOverflowBehavior": None
                if overflow is None
                else nvvm_attributes.MMAOverflowAttr(overflow),
                "multiplicandAPtxType": nvvm_attributes.MMATypeAttr(types[0]),
                "multiplicandBPtxType": nvvm_attributes.MMATypeAttr(types[1]),
            },
        )

    @property
    def form(self) -> MatrixForm:
        accumulator = accumulator_type(self.operandC[0].type)
        bits = "" if self.b1Op is None else _BIT_OPERATIONS[self.b1Op.data]
        if nvvm_attributes.MMAType.B1 in self.types and not bits:
            raise VerifyException("op requires b1Op attribute")
        return MatrixForm.find(MMAKind.WARP, *self.types, accumulator, self.shape, bits)

    def verify_(self) -> None:
        super().verify_()
        if (self.layoutA.data, self.layoutB.data) != (
            nvvm_attributes.MMALayout.ROW,
            nvvm_attributes.MMALayout.COLUMN,
        ):
            raise VerifyException("expected layout row for A and layout col for B")
