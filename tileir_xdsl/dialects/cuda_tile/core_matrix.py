"""Core operations that multiply matrices.

Source: Tile IR specification, section 8.3 (core); `mmaf_scaled` since 13.3. Shapes: `lhs` is M x K,
`rhs` K x N, `acc` and the result M x N. In the 3D form, all have a leading batch dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile import interfaces
from tileir_xdsl.dialects.cuda_tile.enums import SignednessAttr
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    COMMA,
    Flag,
    Operand,
    SignednessKeyword,
    Type,
)
from tileir_xdsl.dialects.cuda_tile.types import comma_separated, element_name
from tileir_xdsl.dialects.enumerations import Signedness

_MMAF_OPERAND = interfaces.tile_of(
    "f16",
    "bf16",
    "f32",
    "f64",
    "tf32",
    "f8E4M3FN",
    "f8E5M2",
    summary="mmaf operand tile type",
)
_MMAF_ACC = interfaces.tile_of("f16", "f32", "f64", summary="mmaf acc/result tile type")
_MMAI_OPERAND = interfaces.tile_of("i8", summary="mmai operand tile type")
_MMAI_ACC = interfaces.tile_of("i32", summary="mmai acc tile type")
_MMAI_RESULT = interfaces.tile_of("i32", summary="mmai result tile type")
_SCALED_OPERAND = interfaces.tile_of(
    "f8E4M3FN", "f8E5M2", "f4E2M1FN", summary="mmaf_scaled operand tile type"
)
_SCALED_SCALE = interfaces.tile_of(
    "f8E4M3FN", "f8E8M0FNU", "fnv8E5M3FNU", summary="mmaf_scaled scale tile type"
)
_SCALED_RESULT = interfaces.tile_of("f32", summary="mmaf_scaled result tile type")

ACCUMULATORS: dict[str, tuple[str, ...]] = {
    "f8E4M3FN": ("f16", "f32"),
    "f8E5M2": ("f16", "f32"),
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
}
"""Element types of the accumulator of `mmaf`, by element type of its inputs."""

SCALED_OPERANDS: dict[str, tuple[str, ...]] = {
    "f8E4M3FN": ("f4E2M1FN",),
    "f8E8M0FNU": ("f8E4M3FN", "f8E5M2", "f4E2M1FN"),
    "fnv8E5M3FNU": ("f4E2M1FN",),
}
"""Element types of the inputs of `mmaf_scaled`, by element type of the scales."""


def _element(value: SSAValue) -> str:
    return element_name(interfaces.tile_type(value).element_type) or ""


def _one_of(names: Sequence[str]) -> str:
    return "one of {" + ", ".join(f"'{name}'" for name in names) + "}"


class MMAOperation(interfaces.CudaTileOperation):
    """`result = lhs x rhs + acc`."""

    lhs = operand_def(_MMAF_OPERAND)
    rhs = operand_def(_MMAF_OPERAND)
    acc = operand_def(_MMAF_ACC)
    result = result_def(_MMAF_ACC)

    traits = traits_def(Pure())

    def verify_matrices(self) -> None:
        """Checks that the shapes of `lhs`, `rhs` and `acc` fit together."""
        rank = interfaces.tile_type(self.lhs).get_num_dims()
        if rank not in (2, 3):
            self.fail("operands must be 2D or 3D tiles")
        batch = rank - 2
        if batch:
            self.verify_pair("lhs", 0, "rhs", 0)
            self.verify_pair("lhs", 0, "acc", 0)
        # The reference has a second blank in these messages.
        self.verify_pair("lhs", batch + 1, "rhs", batch, blank=" ")
        self.verify_pair("lhs", batch, "acc", batch, blank=" ")
        self.verify_pair("rhs", batch + 1, "acc", batch + 1, blank=" ")

    def verify_pair(self, first: str, i: int, second: str, j: int, blank: str = "") -> None:
        """Checks that dimension `i` of operand `first` equals dimension `j` of `second`."""
        shapes = [interfaces.tile_type(getattr(self, name)).get_shape() for name in (first, second)]
        if shapes[0][i] != shapes[1][j]:
            self.fail(
                f"{blank}shape error: dim {i} of {first} ({shapes[0][i]}) and dim {j} of {second} "
                f"({shapes[1][j]}) must match, but got {first} shape "
                f"({comma_separated(shapes[0])}) and {second} shape "
                f"({comma_separated(shapes[1])})"
            )


@interfaces.cuda_tile_operation
class MmaFOp(MMAOperation):
    """Dot of floats; with `fast_acc` accumulation may be less exact. Section 8.3.13."""

    name = "cuda_tile.mmaf"

    fast_acc = opt_prop_def(interfaces.UNIT)

    RELATIONS: ClassVar = (
        interfaces.all_types_match("acc", "result"),
        interfaces.all_element_types_match("lhs", "rhs"),
        interfaces.all_ranks_match("lhs", "rhs", "acc"),
    )
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        COMMA,
        Operand("acc"),
        Flag("fast_acc"),
        ATTRIBUTES,
        COLON,
        Type("lhs"),
        COMMA,
        Type("rhs"),
        COMMA,
        Type("acc", "result"),
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, acc: SSAValue, fast_acc: bool = False):
        super().__init__(
            operands=[lhs, rhs, acc],
            properties={"fast_acc": UnitAttr() if fast_acc else None},
            result_types=[acc.type],
        )

    def verify_operation(self) -> None:
        self.verify_matrices()
        source, acc = _element(self.lhs), _element(self.acc)
        if acc not in ACCUMULATORS[source]:
            self.fail(
                f"unsupported combination of element types. Input type '{source}' expects "
                f"accumulator/result type to be {_one_of(ACCUMULATORS[source])}, but got '{acc}'"
            )


@interfaces.cuda_tile_operation
class MmaIOp(MMAOperation):
    """Dot of i8, accumulated in signed i32. Section 8.3.14."""

    name = "cuda_tile.mmai"

    lhs = operand_def(_MMAI_OPERAND)
    rhs = operand_def(_MMAI_OPERAND)
    acc = operand_def(_MMAI_ACC)
    signedness_lhs = prop_def(interfaces.SIGNEDNESS)
    signedness_rhs = prop_def(interfaces.SIGNEDNESS)
    result = result_def(_MMAI_RESULT)

    RELATIONS: ClassVar = (
        interfaces.all_types_match("acc", "result"),
        interfaces.all_ranks_match("lhs", "rhs", "acc"),
    )
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        COMMA,
        Operand("acc"),
        SignednessKeyword("signedness_lhs"),
        SignednessKeyword("signedness_rhs"),
        ATTRIBUTES,
        COLON,
        Type("lhs"),
        COMMA,
        Type("rhs"),
        COMMA,
        Type("acc", "result"),
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        acc: SSAValue,
        signedness_lhs: Signedness,
        signedness_rhs: Signedness,
    ):
        super().__init__(
            operands=[lhs, rhs, acc],
            properties={
                "signedness_lhs": SignednessAttr(signedness_lhs),
                "signedness_rhs": SignednessAttr(signedness_rhs),
            },
            result_types=[acc.type],
        )

    def verify_operation(self) -> None:
        self.verify_matrices()


@interfaces.cuda_tile_operation
class MmaFScaledOp(MMAOperation):
    """Dot of inputs with one scale per block of 16 or 32 elements along K.

    `lhs_scale` is M x K/block, `rhs_scale` K/block x N.
    """

    name = "cuda_tile.mmaf_scaled"

    lhs = operand_def(_SCALED_OPERAND)
    rhs = operand_def(_SCALED_OPERAND)
    acc = operand_def(_SCALED_RESULT)
    lhs_scale = operand_def(_SCALED_SCALE)
    rhs_scale = operand_def(_SCALED_SCALE)
    result = result_def(_SCALED_RESULT)

    RELATIONS: ClassVar = (
        interfaces.all_types_match("acc", "result"),
        interfaces.all_element_types_match("lhs", "rhs"),
        interfaces.all_element_types_match("lhs_scale", "rhs_scale"),
        interfaces.all_ranks_match("lhs", "rhs", "acc", "lhs_scale", "rhs_scale"),
    )
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        COMMA,
        Operand("acc"),
        COMMA,
        Operand("lhs_scale"),
        COMMA,
        Operand("rhs_scale"),
        ATTRIBUTES,
        COLON,
        Type("lhs"),
        COMMA,
        Type("rhs"),
        COMMA,
        Type("acc", "result"),
        COMMA,
        Type("lhs_scale"),
        COMMA,
        Type("rhs_scale"),
    )
    SINCE: ClassVar = "13.3"

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        acc: SSAValue,
        lhs_scale: SSAValue,
        rhs_scale: SSAValue,
    ):
        super().__init__(operands=[lhs, rhs, acc, lhs_scale, rhs_scale], result_types=[acc.type])

    def verify_operation(self) -> None:
        self.verify_matrices()
        batch = interfaces.tile_type(self.lhs).get_num_dims() - 2
        if batch:
            self.verify_pair("lhs", 0, "lhs_scale", 0)
            self.verify_pair("rhs", 0, "rhs_scale", 0)
        self.verify_pair("lhs", batch, "lhs_scale", batch)
        self.verify_pair("rhs", batch + 1, "rhs_scale", batch + 1)
        self.verify_pair("lhs_scale", batch + 1, "rhs_scale", batch)
        element, scale = _element(self.lhs), _element(self.lhs_scale)
        allowed = SCALED_OPERANDS[scale]
        if element not in allowed:
            expected = f"'{allowed[0]}'" if len(allowed) == 1 else _one_of(allowed)
            self.fail(
                f"unsupported combination of element types. Scale type '{scale}' expects lhs and "
                f"rhs element types to be {expected}, but got '{element}'"
            )
        lhs, lhs_scale = (
            interfaces.tile_type(self.lhs).get_shape(),
            interfaces.tile_type(self.lhs_scale).get_shape(),
        )
        dim = len(lhs) - 1
        if lhs[dim] % lhs_scale[dim]:
            self.fail(
                f"shape error: dim {dim} of lhs_scale ({lhs_scale[dim]}) must be a divisor of dim "
                f"{dim} of lhs ({lhs[dim]}), but got lhs_scale shape "
                f"({comma_separated(lhs_scale)}) and lhs shape ({comma_separated(lhs)})"
            )
        self._verify_block(element, scale, lhs[dim] // lhs_scale[dim])

    def _verify_block(self, element: str, scale: str, block: int) -> None:
        if element != "f4E2M1FN":
            what, allowed = "f8 element type", (32,)
        else:
            what = f"f4E2M1FN element type with {scale} scales"
            allowed = (16,) if scale == "f8E4M3FN" else (16, 32)
        if block not in allowed:
            self.fail(
                f"shape error: {what} requires block scale factor of lhs_scale and rhs_scale to "
                f"be {' or '.join(map(str, allowed))}, but got {block}"
            )
