"""tcgen05: tensor memory (128 lanes x 512 columns of 32 bits per block), and its loads, stores and
copies.

An address in tensor memory has the lane in its high and the column in its low 16 bits.
Source: PTX ISA, "TensorCore 5th Generation Family Instructions".
"""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import I32, I64, IntegerType, UnitAttr, VectorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import (
    CTAGroup,
    CTAGroupAttr,
    Tcgen05CopyMulticast,
    Tcgen05CopyMulticastAttr,
    Tcgen05CopyShape,
    Tcgen05CopyShapeAttr,
    Tcgen05Fence,
    Tcgen05FenceAttr,
    Tcgen05Shape,
    Tcgen05ShapeAttr,
    Tcgen05Wait,
    Tcgen05WaitAttr,
)
from tileir_xdsl.dialects.nvvm.pointers import TENSOR, space_of, verify_spaces
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

_TCGEN05 = Requires.feature(Feature.TCGEN05)
I16 = IntegerType(16)
ONE = CTAGroupAttr(CTAGroup.ONE)


@irdl_op_definition
class Tcgen05AllocOp(NVVMOperation):
    """`nvvm.tcgen05.alloc %s, %columns : !llvm.ptr<3>, i32`: allocates columns of tensor memory.

    Their number is a power of two of at least 32; the op writes their address to shared memory.
    """

    name = "nvvm.tcgen05.alloc"
    PTX: ClassVar = "tcgen05.alloc.<group>.sync.aligned<[addr]>.b32  [addr], nCols"

    addr = operand_def(LLVMPointerType)
    nCols = operand_def(I32)
    group = prop_def(CTAGroupAttr, default_value=ONE)
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$addr `,` $nCols attr-dict `:` type(operands)"

    def __init__(self, addr: Value, columns: Value, group: CTAGroup = CTAGroup.ONE):
        super().__init__(operands=[addr, columns], properties={"group": CTAGroupAttr(group)})

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))


@irdl_op_definition
class Tcgen05DeallocOp(NVVMOperation):
    """`nvvm.tcgen05.dealloc %t, %columns : !llvm.ptr<6>, i32`: frees columns."""

    name = "nvvm.tcgen05.dealloc"
    PTX: ClassVar = "tcgen05.dealloc.<group>.sync.aligned.b32  %taddr, nCols"

    taddr = operand_def(TENSOR)
    nCols = operand_def(I32)
    group = prop_def(CTAGroupAttr, default_value=ONE)
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$taddr `,` $nCols attr-dict `:` type(operands)"

    def __init__(self, taddr: Value, columns: Value, group: CTAGroup = CTAGroup.ONE):
        super().__init__(operands=[taddr, columns], properties={"group": CTAGroupAttr(group)})


@irdl_op_definition
class Tcgen05RelinquishAllocPermitOp(NVVMOperation):
    """`nvvm.tcgen05.relinquish_alloc_permit`: the block will not allocate any more."""

    name = "nvvm.tcgen05.relinquish_alloc_permit"
    PTX: ClassVar = "tcgen05.relinquish_alloc_permit.<group>.sync.aligned"

    group = prop_def(CTAGroupAttr, default_value=ONE)
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, group: CTAGroup = CTAGroup.ONE):
        super().__init__(properties={"group": CTAGroupAttr(group)})


@irdl_op_definition
class Tcgen05FenceOp(NVVMOperation):
    """`nvvm.tcgen05.fence <before>`: orders tcgen05 instructions around a synchronisation."""

    name = "nvvm.tcgen05.fence"
    PTX: ClassVar = "tcgen05.fence::<kind>_thread_sync"

    kind = prop_def(Tcgen05FenceAttr)
    traits = traits_def(_TCGEN05)
    assembly_format = "$kind attr-dict"

    def __init__(self, kind: Tcgen05Fence):
        super().__init__(properties={"kind": Tcgen05FenceAttr(kind)})


@irdl_op_definition
class Tcgen05WaitOp(NVVMOperation):
    """`nvvm.tcgen05.wait <load>`: waits for the thread's own loads or stores."""

    name = "nvvm.tcgen05.wait"
    PTX: ClassVar = "tcgen05.wait::<kind>.sync.aligned"

    kind = prop_def(Tcgen05WaitAttr)
    traits = traits_def(_TCGEN05)
    assembly_format = "$kind attr-dict"

    def __init__(self, kind: Tcgen05Wait):
        super().__init__(properties={"kind": Tcgen05WaitAttr(kind)})


@irdl_op_definition
class Tcgen05CommitOp(NVVMOperation):
    """`nvvm.tcgen05.commit %bar : !llvm.ptr<3>`: the barrier tracks the earlier tcgen05
    instructions.
    """

    name = "nvvm.tcgen05.commit"
    PTX: ClassVar = (
        "tcgen05.commit.<group>.mbarrier::arrive::one{.shared::cluster?is_shared}"
        "{.multicast::cluster?multicastMask}.b64  [addr]{, multicastMask}"
    )

    addr = operand_def(LLVMPointerType)
    multicastMask = opt_operand_def(I16)
    group = prop_def(CTAGroupAttr, default_value=ONE)
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$addr (`,` `multicast_mask` `=` $multicastMask^)? attr-dict `:` type(operands)"
    )

    def __init__(
        self, addr: Value, multicast_mask: Value | None = None, group: CTAGroup = CTAGroup.ONE
    ):
        super().__init__(operands=[addr, multicast_mask], properties={"group": CTAGroupAttr(group)})

    @property
    def is_shared(self) -> bool:
        """Whether the address is in shared memory, for which PTX has `.shared::cluster`."""
        return space_of(self.addr) == 3

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))


@irdl_op_definition
class Tcgen05ShiftOp(NVVMOperation):
    """`nvvm.tcgen05.shift %t : !llvm.ptr<6>`: moves rows down by one."""

    name = "nvvm.tcgen05.shift"
    PTX: ClassVar = "tcgen05.shift.<group>.down  [taddr]"

    taddr = operand_def(TENSOR)
    group = prop_def(CTAGroupAttr, default_value=ONE)
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$taddr attr-dict `:` type(operands)"


_MULTICASTS: Mapping[Tcgen05CopyShape, tuple[Tcgen05CopyMulticast, ...]] = {
    Tcgen05CopyShape.S64X128B: (
        Tcgen05CopyMulticast.WARPX2_02_13,
        Tcgen05CopyMulticast.WARPX2_01_23,
    ),
    Tcgen05CopyShape.S32X128B: (Tcgen05CopyMulticast.WARPX4,),
}
"""The multicasts of each shape that needs one; other shapes have no multicast."""

_MULTICAST_MESSAGES = {
    Tcgen05CopyShape.S64X128B: "Shape 64x128b requires multicast warpx2_01_23 or "
    "warpx2_02_13 for tcgen05.cp Op",
    Tcgen05CopyShape.S32X128B: "Shape 32x128b requires multicast warpx4 for tcgen05.cp Op",
}


@irdl_op_definition
class Tcgen05CpOp(NVVMOperation):
    """Copies from shared to tensor memory; the source is a matrix descriptor.

    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast =
        #nvvm.tcgen05_cp_multicast<warpx4>}
    """

    name = "nvvm.tcgen05.cp"
    PTX: ClassVar = "tcgen05.cp.<group>.<shape><multicast>  [taddr], smem_desc"

    taddr = operand_def(TENSOR)
    smem_desc = operand_def(I64)
    shape = prop_def(Tcgen05CopyShapeAttr)
    group = prop_def(CTAGroupAttr, default_value=ONE)
    multicast = prop_def(
        Tcgen05CopyMulticastAttr,
        default_value=Tcgen05CopyMulticastAttr(Tcgen05CopyMulticast.NONE),
    )
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$taddr `,` $smem_desc attr-dict"

    def __init__(
        self,
        taddr: Value,
        descriptor: Value,
        shape: Tcgen05CopyShape,
        multicast: Tcgen05CopyMulticast = Tcgen05CopyMulticast.NONE,
        group: CTAGroup = CTAGroup.ONE,
    ):
        super().__init__(
            operands=[taddr, descriptor],
            properties={
                "shape": Tcgen05CopyShapeAttr(shape),
                "group": CTAGroupAttr(group),
                "multicast": Tcgen05CopyMulticastAttr(multicast),
            },
        )

    def verify_(self) -> None:
        super().verify_()
        allowed = _MULTICASTS.get(self.shape.data, (Tcgen05CopyMulticast.NONE,))
        if self.multicast.data not in allowed:
            raise VerifyException(
                _MULTICAST_MESSAGES.get(self.shape.data, "Invalid multicast type for tcgen05.cp Op")
            )


REGISTERS_PER_UNIT: Mapping[Tcgen05Shape, int] = {
    Tcgen05Shape.S16X64B: 1,
    Tcgen05Shape.S16X128B: 2,
    Tcgen05Shape.S16X256B: 4,
    Tcgen05Shape.S32X32B: 1,
}
"""Registers per thread for one unit; a load or store moves 1, 2, 4 .. 128 units."""


def _units(type: Attribute, shape: Tcgen05Shape) -> tuple[int, int]:
    """How often an access repeats its shape, and the number of remaining registers."""
    count = type.get_shape()[0] if isinstance(type, VectorType) else 1
    return divmod(count, REGISTERS_PER_UNIT[shape])


def _verify_registers(type: Attribute, shape: Tcgen05Shape) -> None:
    units, rest = _units(type, shape)
    if rest or units & (units - 1) or not 1 <= units <= 128:
        count = units * REGISTERS_PER_UNIT[shape] + rest
        raise VerifyException(
            f"expects {REGISTERS_PER_UNIT[shape]} x 2^n registers, n from 0 to 7, for {shape}, but "
            f"got {count}"
        )


@irdl_op_definition
class Tcgen05LdOp(NVVMOperation):
    """Loads from tensor memory: `%v = nvvm.tcgen05.ld %t {shape = ..} : vector<4xi32>`.

    Each warp reads its own quarter of the lanes. `pack` puts two 16-bit columns into one register.
    """

    name = "nvvm.tcgen05.ld"
    PTX: ClassVar = "tcgen05.ld.sync.aligned.<shape>.x<units>{.pack::16b?pack}.b32  {d}, [tmemAddr]"

    tmemAddr = operand_def(TENSOR)
    shape = prop_def(Tcgen05ShapeAttr)
    pack = opt_prop_def(UnitAttr)
    res = result_def(I32 | VectorType[I32])
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$tmemAddr (`pack` $pack^)? attr-dict `:` type($res)"

    def __init__(self, taddr: Value, shape: Tcgen05Shape, registers: int, *, pack: bool = False):
        super().__init__(
            operands=[taddr],
            result_types=[i32 if registers == 1 else VectorType(i32, [registers])],
            properties={"shape": Tcgen05ShapeAttr(shape), "pack": UnitAttr() if pack else None},
        )

    @property
    def units(self) -> int:
        """How often the access repeats its shape."""
        return _units(self.res.type, self.shape.data)[0]

    def verify_(self) -> None:
        super().verify_()
        _verify_registers(self.res.type, self.shape.data)


@irdl_op_definition
class Tcgen05StOp(NVVMOperation):
    """Stores to tensor memory: `nvvm.tcgen05.st %t, %v {shape = ..} : vector<4xi32>`."""

    name = "nvvm.tcgen05.st"
    PTX: ClassVar = (
        "tcgen05.st.sync.aligned.<shape>.x<units>{.unpack::16b?unpack}.b32  [tmemAddr], {%val}"
    )

    tmemAddr = operand_def(TENSOR)
    val = operand_def(I32 | VectorType[I32])
    shape = prop_def(Tcgen05ShapeAttr)
    unpack = opt_prop_def(UnitAttr)
    traits = traits_def(_TCGEN05)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$tmemAddr `,` $val (`unpack` $unpack^)? attr-dict `:` type($val)"

    def __init__(self, taddr: Value, val: Value, shape: Tcgen05Shape, *, unpack: bool = False):
        super().__init__(
            operands=[taddr, val],
            properties={
                "shape": Tcgen05ShapeAttr(shape),
                "unpack": UnitAttr() if unpack else None,
            },
        )

    @property
    def units(self) -> int:
        """How often the access repeats its shape."""
        return _units(self.val.type, self.shape.data)[0]

    def verify_(self) -> None:
        super().verify_()
        _verify_registers(self.val.type, self.shape.data)
