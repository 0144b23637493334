"""Tensor maps that a kernel makes itself, because the launch does not pass any.

    %d0, %d1 = nv_tileas.make_device_tma_descs %p, %m, %s {
        slots = 384 : i32,
        tensor_maps = [#nv_tileas.tensor_map<128x64xf16, arg0, ..>, ..]}
      : !nv_tileaa.ptr<f16>, i32, i32 -> !nv_tileas.tma_desc, !nv_tileas.tma_desc

Source: PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy".
"""

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import I32, ArrayAttr, IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import prop_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.scratch import SLOT_BYTES, TENSOR_MAP_BYTES, ScratchNeed, Staging

from .operand_list_syntax import OperandListOp
from .tensor_maps import KernelArgument, TensorMapAttr, TensorMapRecipe
from .types import TmaDescType


@irdl_op_definition
class MakeDeviceTmaDescsOp(OperandListOp, RegistersOpInterface):
    """Each tile block makes the tensor maps that it uses from the arguments of the kernel.

    A recipe names an operand by its number, which is that of the argument. The tile block reserves
    one of `slots` slots for tensor maps in the module's memory, and frees that slot at the end of
    the kernel.
    """

    name = "nv_tileas.make_device_tma_descs"

    arguments = var_operand_def()
    tensor_maps = prop_def(ArrayAttr[TensorMapAttr])
    slots = prop_def(IntegerAttr[I32])
    descriptors = var_result_def(TmaDescType)

    def __init__(
        self, arguments: Sequence[SSAValue], recipes: Iterable[TensorMapRecipe], slots: int
    ):
        maps = [TensorMapAttr(recipe) for recipe in recipes]
        super().__init__(
            operands=[arguments],
            properties={"tensor_maps": ArrayAttr(maps), "slots": IntegerAttr(slots, i32)},
            result_types=[[TmaDescType()] * len(maps)],
        )

    @property
    def recipes(self) -> tuple[TensorMapRecipe, ...]:
        """The recipe of each tensor map."""
        return tuple(map.data for map in self.tensor_maps)

    def verify_(self) -> None:
        if len(self.tensor_maps) != len(self.descriptors) or not self.descriptors:
            raise VerifyException("expects at least one tensor map, and one result for each map")
        if self.slots.value.data < 1:
            raise VerifyException("expects at least one slot")
        named = {
            value
            for recipe in self.recipes
            for value in (recipe.pointer, *recipe.sizes, *recipe.strides)
        }
        numbers = [value.number for value in named if isinstance(value, KernelArgument)]
        if max(numbers) >= len(self.arguments):
            raise VerifyException(
                f"a tensor map names arg{max(numbers)}, but the op has "
                f"{len(self.arguments)} operands"
            )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Staging(TENSOR_MAP_BYTES * len(self.tensor_maps) + SLOT_BYTES),)
