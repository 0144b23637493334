"""Calls and launches of functions, and the agents of a kernel."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I32,
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import MemoryWriteEffect, SymbolTable
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.interfaces import OpaqueOpInterface
from tileir_xdsl.walking import ancestors, ops_in

from .constraints import VALUES
from .core import FuncOp
from .interfaces import AgentLikeOpInterface
from .syntax import AgentBodies
from .yields import verify_yields


def look_up_function(op: Operation, symbol: SymbolRefAttr) -> FuncOp | None:
    """The function that a symbol names; None if `op` is in no module or the function has no type.

    Raises `VerifyException` if there is no such function.
    """
    table = next((around for around in ancestors(op) if around.has_trait(SymbolTable)), None)
    if table is None:
        return None
    function = SymbolTable.lookup_symbol(table, symbol)
    if not isinstance(function, FuncOp):
        raise VerifyException(f"'{symbol.string_value()}' does not reference a valid function")
    # Its own verifier says so, which may run later.
    has_type = isinstance(function.properties.get("function_type"), FunctionType)
    return function if has_type else None


def _verify_types(what: str, expected: Sequence[Attribute], found: Sequence[Attribute]) -> None:
    if list(expected) != list(found):
        raise VerifyException(
            f"expects {what} of types {ArrayAttr(expected)}, but got {ArrayAttr(found)}"
        )


@irdl_op_definition
class CallOp(IRDLOperation, OpaqueOpInterface, RegistersOpInterface):
    """Calls a function of the module."""

    name = "nv_tileaa.call"

    callee = prop_def(SymbolRefAttr)
    args = var_operand_def(VALUES)
    outputs = var_result_def(VALUES)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$callee `(` $args `)` attr-dict `:` functional-type($args, $outputs)"

    def verify_(self) -> None:
        function = look_up_function(self, self.callee)
        if function is None:
            return
        if function.kernel_spec is not None:
            raise VerifyException("expects to call a function that is not a kernel")
        _verify_types("operands", function.function_type.inputs.data, self.operand_types)
        _verify_types("results", function.function_type.outputs.data, self.result_types)


@irdl_op_definition
class LaunchFuncOp(IRDLOperation, RegistersOpInterface):
    """Runs a kernel for every tile block of a grid; `grid` has its extents, x first."""

    name = "nv_tileaa.launch_func"

    kernel = prop_def(SymbolRefAttr)
    grid = var_operand_def(i32)
    args = var_operand_def(VALUES)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$kernel `grid` `(` $grid `)` `args` `(` ($args^ `:` type($args))? `)` attr-dict"
    )

    def verify_(self) -> None:
        if len(self.grid) != 3:
            raise VerifyException(f"expects 3 extents of the grid, but got {len(self.grid)}")
        kernel = look_up_function(self, self.kernel)
        if kernel is None:
            return
        if kernel.kernel_spec is None:
            raise VerifyException("expects to launch a function with nv_tileaa.kernel_spec")
        types = [value.type for value in self.args]
        _verify_types("operands", kernel.function_type.inputs.data, types)


@irdl_op_definition
class ExecuteOp(IRDLOperation, AgentLikeOpInterface, RegistersOpInterface):
    """Runs its regions concurrently, as agents, and waits for all of them.

    Each region gets the operands as block arguments. The regions of an `isolated` op use no other
    values from outside.
    """

    name = "nv_tileaa.execute"

    inputs = var_operand_def(VALUES)
    num_agents_per_group = prop_def(IntegerAttr[I32])
    max_regs = opt_prop_def(DenseArrayBase.constr(i32))
    isolated = opt_prop_def(UnitAttr)
    bodies = var_region_def("single_block")

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect())
    custom_directives = (AgentBodies,)
    assembly_format = (
        "(`(` $inputs^ `:` type($inputs) `)`)? attr-dict-with-keyword custom<AgentBodies>($bodies)"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        bodies: Sequence[Region],
        num_agents_per_group: int = 1,
        max_regs: Sequence[int] | None = None,
        isolated: bool = False,
    ):
        super().__init__(
            operands=[inputs],
            properties={
                "num_agents_per_group": IntegerAttr(num_agents_per_group, i32),
                "max_regs": None if max_regs is None else DenseArrayBase.from_list(i32, max_regs),
                "isolated": UnitAttr() if isolated else None,
            },
            regions=[list(bodies)],
        )

    @property
    def agent_bodies(self) -> Sequence[Region]:
        return self.bodies

    @property
    def agents_per_group(self) -> int:
        return self.num_agents_per_group.value.data

    @property
    def agent_registers(self) -> Sequence[int] | None:
        return None if self.max_regs is None else [int(n) for n in self.max_regs.get_values()]

    @property
    def is_isolated(self) -> bool:
        return self.isolated is not None

    def verify_(self) -> None:
        if not self.bodies:
            raise VerifyException("expects at least one region")
        if self.agents_per_group < 1 or len(self.bodies) % self.agents_per_group:
            raise VerifyException(
                f"expects {len(self.bodies)} agents to form groups of equal size, "
                f"but got groups of {self.agents_per_group}"
            )
        registers = self.agent_registers
        if registers is not None and len(registers) != len(self.bodies):
            raise VerifyException(
                f"expects {len(self.bodies)} max_regs, one for each agent, but got {len(registers)}"
            )
        for body in self.bodies:
            _verify_types("block arguments", self.operand_types, body.block.arg_types)
            verify_yields(body, ())
            if self.isolated is not None:
                _verify_isolated(body)


def _verify_isolated(body: Region) -> None:
    """Raises `VerifyException` if a value from outside of the region is used in it."""
    for op in ops_in(body):
        for operand in op.operands:
            block = operand.owner if isinstance(operand.owner, Block) else operand.owner.parent
            if block is None or not body.is_ancestor(block):
                raise VerifyException(f"'{op.name}' uses a value from outside of an isolated agent")
