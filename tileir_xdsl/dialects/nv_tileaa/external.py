"""External code: functions and instructions applied to tiles, and opaque fragments."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import I32, ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.interfaces import OpaqueOpInterface

from .constraints import TILES, verify_same_shape


class EffectUnlessPure(MemoryEffect):
    """Reads and writes memory unless the op is marked as pure."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        if "pure" in op.properties:
            return set()
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}


class ElementwiseCallOp(IRDLOperation, RegistersOpInterface, ABC):
    """Base of the ops that apply an external function to each element of their operands."""

    args = var_operand_def(TILES)
    pure = opt_prop_def(UnitAttr)
    outputs = var_result_def(TILES)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(EffectUnlessPure())

    def verify_(self) -> None:
        if not self.outputs:
            raise VerifyException("expects at least one result")
        verify_same_shape([*self.args, *self.outputs])


@irdl_op_definition
class ExternElementwiseOp(ElementwiseCallOp):
    """Applies a function of a library, such as `__nv_erff` of libdevice, element by element."""

    name = "nv_tileaa.extern_elementwise"

    symbol = prop_def(StringAttr)
    library = opt_prop_def(StringAttr)

    assembly_format = "$symbol `(` $args `)` attr-dict `:` functional-type($args, $outputs)"

    def __init__(
        self,
        symbol: str,
        args: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        library: str | None = None,
        pure: bool = True,
    ):
        super().__init__(
            operands=[args],
            properties={
                "symbol": StringAttr(symbol),
                "library": None if library is None else StringAttr(library),
                "pure": UnitAttr() if pure else None,
            },
            result_types=[result_types],
        )


@irdl_op_definition
class CallElementwiseIntrinsicOp(ElementwiseCallOp):
    """Applies an LLVM intrinsic, such as `llvm.fshl`, element by element."""

    name = "nv_tileaa.call_elementwise_intrinsic"

    intrinsic = prop_def(StringAttr)

    assembly_format = "$intrinsic `(` $args `)` attr-dict `:` functional-type($args, $outputs)"

    def __init__(
        self,
        intrinsic: str,
        args: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        pure: bool = True,
    ):
        super().__init__(
            operands=[args],
            properties={
                "intrinsic": StringAttr(intrinsic),
                "pure": UnitAttr() if pure else None,
            },
            result_types=[result_types],
        )


@irdl_op_definition
class ElementwiseInlineAsmOp(ElementwiseCallOp):
    """Applies PTX instructions to each element, or to `packed` adjacent elements in one register.

    `constraints` has the syntax of LLVM's inline assembly.
    """

    name = "nv_tileaa.elementwise_inline_asm"

    asm = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    packed = opt_prop_def(IntegerAttr[I32])

    assembly_format = (
        "$asm `,` $constraints `(` $args `)` attr-dict `:` functional-type($args, $outputs)"
    )

    def __init__(
        self,
        asm: str,
        constraints: str,
        args: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        pure: bool = True,
        packed: int | None = None,
    ):
        super().__init__(
            operands=[args],
            properties={
                "asm": StringAttr(asm),
                "constraints": StringAttr(constraints),
                "pure": UnitAttr() if pure else None,
                "packed": None if packed is None else IntegerAttr(packed, i32),
            },
            result_types=[result_types],
        )

    def verify_(self) -> None:
        super().verify_()
        if self.packed is not None and self.packed.value.data < 1:
            raise VerifyException(
                "expects packed, the number of elements at a time, to be at least 1, but "
                f"got {self.packed.value.data}"
            )


@irdl_op_definition
class InjectIROp(IRDLOperation, OpaqueOpInterface, RegistersOpInterface):
    """Executes LLVM IR, given as text, on the operands and returns its results."""

    name = "nv_tileaa.inject_ir"

    payload = prop_def(StringAttr)
    args = var_operand_def(TILES)
    outputs = var_result_def(TILES)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$payload `(` $args `)` attr-dict `:` functional-type($args, $outputs)"

    def __init__(self, payload: str, args: Sequence[SSAValue], result_types: Sequence[Attribute]):
        super().__init__(
            operands=[args],
            properties={"payload": StringAttr(payload)},
            result_types=[result_types],
        )


RESOURCES = ("registers", "smem_bytes", "tmem_bytes", "named_barriers")
"""Resources that a plug-in may need: registers of a thread, and memory and barriers of a block."""


@irdl_op_definition
class PluginOp(IRDLOperation, OpaqueOpInterface, RegistersOpInterface):
    """A fragment that a plug-in of the compiler expands, with the resources that the fragment
    needs.

    `input_layouts` and `output_layouts` are the layouts that the plug-in requires of operands and
    results.
    """

    name = "nv_tileaa.plugin"

    plugin = prop_def(StringAttr)
    args = var_operand_def(TILES)
    registers = opt_prop_def(IntegerAttr[I32])
    smem_bytes = opt_prop_def(IntegerAttr[I32])
    tmem_bytes = opt_prop_def(IntegerAttr[I32])
    named_barriers = opt_prop_def(IntegerAttr[I32])
    input_layouts = opt_prop_def(ArrayAttr[Attribute])
    output_layouts = opt_prop_def(ArrayAttr[Attribute])
    outputs = var_result_def(TILES)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$plugin `(` $args `)` attr-dict `:` functional-type($args, $outputs)"

    def __init__(
        self,
        plugin: str,
        args: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        resources: dict[str, int] | None = None,
        input_layouts: Sequence[Attribute] | None = None,
        output_layouts: Sequence[Attribute] | None = None,
    ):
        needs = {name: IntegerAttr(amount, i32) for name, amount in (resources or {}).items()}
        super().__init__(
            operands=[args],
            properties={
                "plugin": StringAttr(plugin),
                **needs,
                "input_layouts": None if input_layouts is None else ArrayAttr(input_layouts),
                "output_layouts": None if output_layouts is None else ArrayAttr(output_layouts),
            },
            result_types=[result_types],
        )

    def verify_(self) -> None:
        for name in RESOURCES:
            amount = self.properties.get(name)
            if isinstance(amount, IntegerAttr) and amount.value.data < 0:
                raise VerifyException(f"expects {name} of at least 0, but got {amount.value.data}")
        for layouts, values in (
            (self.input_layouts, self.args),
            (self.output_layouts, self.outputs),
        ):
            if layouts is not None and len(layouts) != len(values):
                raise VerifyException(
                    f"expects a layout for each of {len(values)} values, but got {len(layouts)}"
                )
