"""Conversions to tf32, and to and from pairs of floats of 8 and 4 bits."""

import abc
from typing import ClassVar

from xdsl.dialects.builtin import (
    I8,
    I16,
    BFloat16Type,
    BoolAttr,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    IntegerAttr,
    VectorType,
    bf16,
    f16,
    f32,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import (
    FPRoundingMode,
    FPRoundingModeAttr,
    SaturationMode,
    SaturationModeAttr,
)
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

Float8 = Float8E4M3FNType | Float8E5M2Type
_FALSE = IntegerAttr.from_bool(False)


@irdl_op_definition
class ConvertFloatToTF32Op(NVVMOperation):
    """`%t = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}`: an f32 as tf32 bits."""

    name = "nvvm.convert.float.to.tf32"
    PTX: ClassVar = "cvt.<rnd><sat>{.relu}.tf32.f32  d, src"

    src = operand_def(f32)
    rnd = prop_def(FPRoundingModeAttr, default_value=FPRoundingModeAttr(FPRoundingMode.NONE))
    sat = prop_def(SaturationModeAttr, default_value=SaturationModeAttr(SaturationMode.NONE))
    relu = prop_def(BoolAttr, default_value=IntegerAttr.from_bool(False))
    res = result_def(i32)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict"

    def __init__(
        self,
        src: Value,
        rounding: FPRoundingMode,
        *,
        saturate: bool = False,
        relu: bool = False,
    ):
        mode = SaturationMode.SATFINITE if saturate else SaturationMode.NONE
        super().__init__(
            operands=[src],
            result_types=[i32],
            properties={
                "rnd": FPRoundingModeAttr(rounding),
                "sat": SaturationModeAttr(mode),
                "relu": IntegerAttr.from_bool(relu),
            },
        )

    @property
    def requirement(self) -> Requirement:
        saturates = self.sat.data is SaturationMode.SATFINITE
        if self.rnd.data is FPRoundingMode.RNA:
            return Requirement(89, (8, 1)) if saturates else Requirement(80, (7, 0))
        return Requirement(100, (8, 6)) if saturates else Requirement(90, (7, 8))

    def verify_(self) -> None:
        super().verify_()
        rounding, relu = self.rnd.data, bool(self.relu.value.data)
        if rounding is FPRoundingMode.RNA and relu:
            raise VerifyException("Relu not supported with rna rounding mode.")
        if rounding not in (FPRoundingMode.RN, FPRoundingMode.RZ, FPRoundingMode.RNA):
            raise VerifyException(
                "Only {rn,rz,rna} rounding modes supported for ConvertFloatToTF32Op."
            )


class ConvertFloat8Op(NVVMOperation, abc.ABC):
    """A conversion between a pair of 8-bit floats and a pair of wider floats."""

    traits = traits_def(Requires.feature(Feature.FP8_CONVERSION), Pure())


def _format(type: Float8) -> str:
    """The type of a pair in PTX."""
    return "e4m3x2" if isinstance(type, Float8E4M3FNType) else "e5m2x2"


_PAIR = I16 | VectorType[I8]


def _verify_pair(type: Attribute) -> None:
    if isinstance(type, VectorType) and type.get_shape() != (2,):
        raise VerifyException(f"expected a vector of two elements for a pair of floats, got {type}")


@irdl_op_definition
class ConvertF32x2ToF8x2Op(ConvertFloat8Op):
    """`%r = nvvm.convert.f32x2.to.f8x2 %a, %b {...} : i16 (f8E4M3FN)`: `%a` is the upper byte.

    Rounds to nearest even and clamps to the largest finite value; the text must state both modes.
    """

    name = "nvvm.convert.f32x2.to.f8x2"
    PTX: ClassVar = "cvt.rn.satfinite{.relu}.<format>.f32  d:b16, a, b"

    a = operand_def(f32)
    b = operand_def(f32)
    rnd = prop_def(FPRoundingModeAttr, default_value=FPRoundingModeAttr(FPRoundingMode.NONE))
    sat = prop_def(SaturationModeAttr, default_value=SaturationModeAttr(SaturationMode.NONE))
    relu = prop_def(BoolAttr, default_value=_FALSE)
    dstTy = prop_def(Float8)
    dst = result_def(_PAIR)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$a `,` $b attr-dict `:` type($dst) `(` $dstTy `)`"

    def __init__(
        self, a: Value, b: Value, type: Float8, result_type: Attribute = i16, *, relu: bool = False
    ):
        super().__init__(
            operands=[a, b],
            result_types=[result_type],
            properties={
                "rnd": FPRoundingModeAttr(FPRoundingMode.RN),
                "sat": SaturationModeAttr(SaturationMode.SATFINITE),
                "relu": IntegerAttr.from_bool(relu),
                "dstTy": type,
            },
        )

    @property
    def format(self) -> str:
        """The 8-bit format of a pair in PTX."""
        return _format(self.dstTy)

    def verify_(self) -> None:
        super().verify_()
        _verify_pair(self.dst.type)
        if self.rnd.data is not FPRoundingMode.RN:
            raise VerifyException(f"conversions to {self.dstTy} round to nearest: rnd must be rn")
        if self.sat.data is not SaturationMode.SATFINITE:
            raise VerifyException(f"conversions to {self.dstTy} saturate: sat must be satfinite")


@irdl_op_definition
class ConvertF16x2ToF8x2Op(ConvertFloat8Op):
    """`%r = nvvm.convert.f16x2.to.f8x2 %a : vector<2xf16> -> i16 (f8E5M2)`."""

    name = "nvvm.convert.f16x2.to.f8x2"
    PTX: ClassVar = "cvt.rn.satfinite{.relu}.<format>.f16x2  d:b16, %a"

    a = operand_def(VectorType[Float16Type])
    relu = prop_def(BoolAttr, default_value=_FALSE)
    dstTy = prop_def(Float8)
    dst = result_def(_PAIR)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$a attr-dict `:` type($a) `->` type($dst) `(` $dstTy `)`"

    def __init__(self, a: Value, type: Float8, result_type: Attribute = i16, *, relu: bool = False):
        super().__init__(
            operands=[a],
            result_types=[result_type],
            properties={"relu": IntegerAttr.from_bool(relu), "dstTy": type},
        )

    @property
    def format(self) -> str:
        """The 8-bit format of a pair in PTX."""
        return _format(self.dstTy)

    def verify_(self) -> None:
        super().verify_()
        _verify_pair(self.dst.type)
        _verify_pair(self.a.type)


@irdl_op_definition
class ConvertF8x2ToF16x2Op(ConvertFloat8Op):
    """`%r = nvvm.convert.f8x2.to.f16x2 %s : vector<2xi8> (f8E4M3FN) -> vector<2xf16>`."""

    name = "nvvm.convert.f8x2.to.f16x2"
    PTX: ClassVar = "cvt.rn{.relu}.f16x2.<format>  d, src:b16"

    src = operand_def(VectorType[I8])
    relu = prop_def(BoolAttr, default_value=_FALSE)
    srcType = prop_def(Float8)
    dst = result_def(VectorType[Float16Type])
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `(` $srcType `)` `->` type($dst)"

    def __init__(self, src: Value, type: Float8, *, relu: bool = False):
        super().__init__(
            operands=[src],
            result_types=[VectorType(f16, [2])],
            properties={"relu": IntegerAttr.from_bool(relu), "srcType": type},
        )

    @property
    def format(self) -> str:
        """The 8-bit format of a pair in PTX."""
        return _format(self.srcType)

    def verify_(self) -> None:
        super().verify_()
        _verify_pair(self.src.type)
        _verify_pair(self.dst.type)


@irdl_op_definition
class ConvertF8x2ToBF16x2Op(NVVMOperation):
    """`%r = nvvm.convert.f8x2.to.bf16x2 %s : vector<2xi8> (f8E8M0FNU) -> vector<2xbf16>`."""

    name = "nvvm.convert.f8x2.to.bf16x2"
    PTX: ClassVar = "cvt.rn.bf16x2.ue8m0x2  d, src:b16"

    src = operand_def(VectorType[I8])
    srcType = prop_def(Float8E8M0FNUType)
    dst = result_def(VectorType[BFloat16Type])
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `(` $srcType `)` `->` type($dst)"
    traits = traits_def(Requires.feature(Feature.NARROW_FLOAT_CONVERSION), Pure())

    def __init__(self, src: Value):
        super().__init__(
            operands=[src],
            result_types=[VectorType(bf16, [2])],
            properties={"srcType": Float8E8M0FNUType()},
        )

    def verify_(self) -> None:
        super().verify_()
        _verify_pair(self.src.type)
        _verify_pair(self.dst.type)


@irdl_op_definition
class ConvertF32x2ToUE5M3x2Op(NVVMOperation):
    """`%r = nvvm.convert.f32x2.to.ue5m3x2 %a, %b : vector<2xi8>`: `%a` is the upper byte.

    Rounds magnitudes to nearest even and clamps them to the largest number. MLIR has no type for
    this format.
    """

    name = "nvvm.convert.f32x2.to.ue5m3x2"
    PTX: ClassVar = "cvt.rn.satfinite.ue5m3x2.f32  d:b16, a, b"

    a = operand_def(f32)
    b = operand_def(f32)
    dst = result_def(VectorType[I8])
    assembly_format = "$a `,` $b attr-dict `:` type($dst)"
    traits = traits_def(Requires.feature(Feature.UE5M3_CONVERSION), Pure())

    def __init__(self, a: Value, b: Value):
        super().__init__(operands=[a, b], result_types=[VectorType(i8, [2])])

    def verify_(self) -> None:
        super().verify_()
        _verify_pair(self.dst.type)


@irdl_op_definition
class ConvertUE5M3x2ToBF16x2Op(NVVMOperation):
    """`%r = nvvm.convert.ue5m3x2.to.bf16x2 %s : vector<2xi8> -> vector<2xbf16>`, exactly."""

    name = "nvvm.convert.ue5m3x2.to.bf16x2"
    PTX: ClassVar = "cvt.rn.bf16x2.ue5m3x2  d, src:b16"

    src = operand_def(VectorType[I8])
    dst = result_def(VectorType[BFloat16Type])
    assembly_format = "$src attr-dict `:` type($src) `->` type($dst)"
    traits = traits_def(Requires.feature(Feature.UE5M3_CONVERSION), Pure())

    def __init__(self, src: Value):
        super().__init__(operands=[src], result_types=[VectorType(bf16, [2])])

    def verify_(self) -> None:
        super().verify_()
        _verify_pair(self.src.type)
        _verify_pair(self.dst.type)


@irdl_op_definition
class ConvertF32x2ToF4x2Op(NVVMOperation):
    """`%r = nvvm.convert.f32x2.to.f4x2 %a, %b : i8 (f4E2M1FN)`: `%a` is the upper four bits.

    Rounds to nearest even and clamps to the largest value; NaN also becomes the largest value.
    """

    name = "nvvm.convert.f32x2.to.f4x2"
    PTX: ClassVar = "cvt.rn.satfinite{.relu}.e2m1x2.f32  d:b8, a, b"

    a = operand_def(f32)
    b = operand_def(f32)
    relu = prop_def(BoolAttr, default_value=_FALSE)
    dstTy = prop_def(Float4E2M1FNType)
    dst = result_def(I8)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$a `,` $b attr-dict `:` type($dst) `(` $dstTy `)`"
    traits = traits_def(Requires.feature(Feature.NARROW_FLOAT_CONVERSION), Pure())

    def __init__(self, a: Value, b: Value, *, relu: bool = False):
        super().__init__(
            operands=[a, b],
            result_types=[i8],
            properties={"relu": IntegerAttr.from_bool(relu), "dstTy": Float4E2M1FNType()},
        )


@irdl_op_definition
class ConvertF4x2ToF16x2Op(NVVMOperation):
    """`%r = nvvm.convert.f4x2.to.f16x2 %s : i8 (f4E2M1FN) -> vector<2xf16>`."""

    name = "nvvm.convert.f4x2.to.f16x2"
    PTX: ClassVar = "cvt.rn{.relu}.f16x2.e2m1x2  d, src:b8"

    src = operand_def(I8)
    relu = prop_def(BoolAttr, default_value=_FALSE)
    srcType = prop_def(Float4E2M1FNType)
    dst = result_def(VectorType[Float16Type])
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `(` $srcType `)` `->` type($dst)"
    traits = traits_def(Requires.feature(Feature.NARROW_FLOAT_CONVERSION), Pure())

    def __init__(self, src: Value, *, relu: bool = False):
        super().__init__(
            operands=[src],
            result_types=[VectorType(f16, [2])],
            properties={"relu": IntegerAttr.from_bool(relu), "srcType": Float4E2M1FNType()},
        )

    def verify_(self) -> None:
        super().verify_()
        _verify_pair(self.dst.type)
