"""Further ops: cluster addresses, register counts, grid dependencies, sleeping, inline PTX."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I32,
    IntegerAttr,
    StringAttr,
    f32,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import (
    GridDependency,
    GridDependencyAttr,
    RegisterAction,
    RegisterActionAttr,
)
from tileir_xdsl.dialects.nvvm.pointers import GENERIC, SHARED_CLUSTER, space_of, verify_spaces
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue


@irdl_op_definition
class MapaOp(NVVMOperation):
    """`%q = nvvm.mapa %p, %rank : !llvm.ptr<3> -> !llvm.ptr<7>`: the corresponding address in
    another block.

    `b` is the rank of the block in the cluster.
    """

    name = "nvvm.mapa"
    PTX: ClassVar = "mapa.<type>  d, %a, b"

    a = operand_def(LLVMPointerType)
    b = operand_def(I32)
    res = result_def(LLVMPointerType)
    traits = traits_def(Requires.feature(Feature.CLUSTERS), Pure())
    assembly_format = "$a `,` $b attr-dict `:` type($a) `->` type($res)"

    def __init__(self, a: Value, b: Value):
        a = SSAValue.get(a)
        result = GENERIC if space_of(a) == 0 else SHARED_CLUSTER
        super().__init__(operands=[a, b], result_types=[result])

    @property
    def type(self) -> str:
        """The space and the type of the address in PTX."""
        return "u64" if space_of(self.a) == 0 else "shared::cluster.u32"

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.a, (0, 3))
        verify_spaces(self.res, (0,) if space_of(self.a) == 0 else (7,))


@irdl_op_definition
class SetMaxRegisterOp(NVVMOperation):
    """`nvvm.setmaxregister increase 232`: registers per thread, for a whole warpgroup."""

    name = "nvvm.setmaxregister"
    PTX: ClassVar = "setmaxnreg.<action>.sync.aligned.u32  regCount"

    regCount = prop_def(IntegerAttr[I32])
    action = prop_def(RegisterActionAttr)
    traits = traits_def(Requires.feature(Feature.SETMAXNREG))
    assembly_format = "$action $regCount attr-dict"

    def __init__(self, action: RegisterAction, count: int):
        super().__init__(
            properties={"action": RegisterActionAttr(action), "regCount": IntegerAttr(count, 32)}
        )

    def verify_(self) -> None:
        super().verify_()
        count = self.regCount.value.data
        if count % 8:
            raise VerifyException("new register size must be multiple of 8")
        if not 24 <= count <= 256:
            raise VerifyException("new register size must be in between 24 to 256")


@irdl_op_definition
class GriddepcontrolOp(NVVMOperation):
    """`nvvm.griddepcontrol wait`: waits for previous grids, or lets dependent grids start."""

    name = "nvvm.griddepcontrol"
    PTX: ClassVar = "griddepcontrol.<kind>"

    kind = prop_def(GridDependencyAttr)
    traits = traits_def(Requires.feature(Feature.DEPENDENT_GRIDS))
    assembly_format = "$kind attr-dict"

    def __init__(self, kind: GridDependency):
        super().__init__(properties={"kind": GridDependencyAttr(kind)})


@irdl_op_definition
class NanosleepOp(NVVMOperation):
    """`nvvm.nanosleep %n`: suspends the thread for about `duration` nanoseconds."""

    name = "nvvm.nanosleep"
    PTX: ClassVar = "nanosleep.u32  duration"

    duration = operand_def(I32)
    traits = traits_def(Requires.target(70, (6, 3)))
    assembly_format = "$duration attr-dict"

    def __init__(self, duration: Value):
        super().__init__(operands=[duration])


@irdl_op_definition
class ExitOp(NVVMOperation):
    """`nvvm.exit`: ends the thread."""

    name = "nvvm.exit"
    PTX: ClassVar = "exit"

    assembly_format = "attr-dict"


@irdl_op_definition
class RcpApproxFtzF32Op(NVVMOperation):
    """`%r = nvvm.rcp.approx.ftz.f %x : f32`: an approximate reciprocal, flushing subnormals."""

    name = "nvvm.rcp.approx.ftz.f"
    PTX: ClassVar = "rcp.approx.ftz.f32  d, arg"

    arg = operand_def(f32)
    res = result_def(f32)
    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($res)"

    def __init__(self, arg: Value):
        super().__init__(operands=[arg], result_types=[f32])


@irdl_op_definition
class InlinePtxOp(NVVMOperation):
    """PTX text in which `{$r0}` is a read operand, `{$w0}` a written operand, `{$rw0}` both.

    %y = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%x : f32) -> f32
    """

    name = "nvvm.inline_ptx"

    readOnlyArgs = var_operand_def()
    readWriteArgs = var_operand_def()
    ptxCode = prop_def(StringAttr)
    predicate = opt_operand_def(I1)
    writeOnlyArgs = var_result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$ptxCode (`ro` `(` $readOnlyArgs^ `:` type($readOnlyArgs) `)`)? "
        "(`rw` `(` $readWriteArgs^ `:` type($readWriteArgs) `)`)? "
        "(`,` `predicate` `=` $predicate^)? attr-dict (`->` type($writeOnlyArgs)^)?"
    )

    def __init__(
        self,
        code: str,
        read_only: Sequence[Value] = (),
        read_write: Sequence[Value] = (),
        result_types: Sequence[Attribute] = (),
        predicate: Value | None = None,
    ):
        super().__init__(
            operands=[read_only, read_write, predicate],
            result_types=[result_types],
            properties={"ptxCode": StringAttr(code)},
        )
