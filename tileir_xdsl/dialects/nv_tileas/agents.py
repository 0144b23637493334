"""`agent_switch`: regions that run concurrently, each on an agent, which is a group of warps."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, ArrayAttr, DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import (
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
)
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.constraints import VALUES
from tileir_xdsl.dialects.nv_tileaa.interfaces import AgentLikeOpInterface
from tileir_xdsl.targets.agents import UnitMapping
from tileir_xdsl.walking import ancestors, ops_in

from .operand_list_syntax import OperandListOp
from .pipeline_regions import verify_pipeline_yield

INHERIT = -1
"""Means as many warps as the enclosing function has, or as many registers as the launch."""

WARPS_KEY = "nv_tileas.num_warps"
"""The attribute of a function or module that says how many warps run it."""


@irdl_op_definition
class AgentSwitchOp(OperandListOp, AgentLikeOpInterface, RegistersOpInterface):
    """Runs its regions concurrently, as agents, and waits for all of them.

    Each region gets the operands as arguments; regions of an `isolated` op use no other values from
    outside. `num_agents_per_group` consecutive agents form a group. For each agent, `max_regs` is
    the most registers of a thread, and `num_warps` the number of warps; -1 means the value of the
    launch. `warp_id` is the first warp of each agent, `agent_strides` the distance in warps to the
    next agent's first warp.
    """

    name = "nv_tileas.async.pipeline.agent_switch"

    TYPES_IN_PARENTHESES: ClassVar[bool] = True

    inputs = var_operand_def(VALUES)
    num_agents_per_group = prop_def(IntegerAttr[I32])
    max_regs = opt_prop_def(DenseArrayBase.constr(i32))
    isolated = opt_prop_def(IntegerAttr[I1])
    num_warps = opt_prop_def(DenseArrayBase.constr(i32))
    warp_id = opt_prop_def(DenseArrayBase.constr(i32))
    agent_strides = opt_prop_def(DenseArrayBase.constr(i32))
    bodies = var_region_def("single_block")

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        bodies: Sequence[Region],
        num_agents_per_group: int = 1,
        max_regs: Sequence[int] | None = None,
        isolated: bool = False,
        num_warps: Sequence[int] | None = None,
        warp_id: Sequence[int] | None = None,
        agent_strides: Sequence[int] | None = None,
    ):
        super().__init__(
            operands=[inputs],
            properties={
                "num_agents_per_group": IntegerAttr(num_agents_per_group, i32),
                "max_regs": _array(max_regs),
                "isolated": IntegerAttr.from_bool(isolated),
                "num_warps": _array(num_warps),
                "warp_id": _array(warp_id),
                "agent_strides": _array(agent_strides),
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
        return _numbers(self.max_regs)

    @property
    def is_isolated(self) -> bool:
        return self.isolated is not None and bool(self.isolated.value.data)

    @property
    def agent_warps(self) -> Sequence[int] | None:
        return _numbers(self.num_warps)

    @property
    def first_warps(self) -> Sequence[int] | None:
        return _numbers(self.warp_id)

    @property
    def strides(self) -> Sequence[int] | None:
        """The distance in warps from each agent to the next in the block; None if undecided."""
        return _numbers(self.agent_strides)

    def set_units(
        self, num_warps: Sequence[int], warp_id: Sequence[int], agent_strides: Sequence[int]
    ) -> None:
        """Sets which warps run the agents."""
        self.num_warps, self.warp_id = _array(num_warps), _array(warp_id)
        self.agent_strides = _array(agent_strides)

    def set_registers(self, max_regs: Sequence[int] | None) -> None:
        """Sets how many registers a thread of each agent may use."""
        self.max_regs = _array(max_regs)

    def verify_(self) -> None:
        if not self.bodies:
            raise VerifyException("expects at least one region")
        agents = len(self.bodies)
        if self.agents_per_group < 1 or agents % self.agents_per_group:
            raise VerifyException(
                f"expects {agents} agents to form groups of equal size, "
                f"but got groups of {self.agents_per_group}"
            )
        for name, numbers in (
            ("max_regs", self.agent_registers),
            ("num_warps", self.agent_warps),
            ("warp_id", self.first_warps),
            ("agent_strides", self.strides),
        ):
            if numbers is not None and len(numbers) != agents:
                raise VerifyException(
                    f"expects {agents} {name}, one for each agent, but got {len(numbers)}"
                )
        self._verify_warps()
        for body in self.bodies:
            if list(body.block.arg_types) != list(self.operand_types):
                raise VerifyException(
                    f"expects block arguments of types {ArrayAttr(self.operand_types)}, "
                    f"but got {ArrayAttr(body.block.arg_types)}"
                )
            if verify_pipeline_yield(body).operands:
                raise VerifyException("expects an agent to yield nothing")
            if self.is_isolated:
                _verify_isolated(body)

    def _verify_warps(self) -> None:
        """Checks that agents of a group have equal warp counts, and that all warps fit the
        launch.
        """
        warps = self.agent_warps
        if warps is None:
            return
        size = self.agents_per_group
        for first in range(0, len(warps), size):
            if len({n for n in warps[first : first + size] if n != INHERIT}) > 1:
                raise VerifyException("agent regions disagree on warp count")
        budget = warps_around(self)
        if budget is not None and sum(n for n in warps if n != INHERIT) > budget:
            raise VerifyException("agent warp count exceeds module budget")
        placed, strides = self.first_warps, self.strides
        if placed is None or strides is None or INHERIT in warps:
            return
        expected = UnitMapping(tuple(warps), tuple(placed)).agent_strides
        if tuple(strides) != expected:
            listed = ", ".join(map(str, expected))
            raise VerifyException(f"expects agent_strides {listed} for these num_warps and warp_id")


def _array(numbers: Sequence[int] | None) -> DenseArrayBase[I32] | None:
    return None if numbers is None else DenseArrayBase.from_list(i32, numbers)


def _numbers(array: DenseArrayBase[I32] | None) -> list[int] | None:
    return None if array is None else list(array.get_values())


def _verify_isolated(body: Region) -> None:
    """Raises `VerifyException` if a value from outside of the region is used in it."""
    for op in ops_in(body):
        for operand in op.operands:
            owner = operand.owner
            block = owner if isinstance(owner, Block) else owner.parent
            if block is None or not body.is_ancestor(block):
                raise VerifyException(f"'{op.name}' uses a value from outside of an isolated agent")


def agents_per_group_around(op: Operation) -> int | None:
    """The agents per group of the innermost `agent_switch` around an op, if known.

    Enclosing ops are verified later, and may still lack operands or regions.
    """
    switch = next((around for around in ancestors(op) if isinstance(around, AgentSwitchOp)), None)
    count = None if switch is None else switch.properties.get("num_agents_per_group")
    return count.value.data if isinstance(count, IntegerAttr) else None


def consumer_number(op: Operation, index: int) -> int:
    """The number of a consumer among all consumers of its pipeline, from its `consumer_idx`.

    `consumer_idx` is the index within a group of agents; outside of a switch, both are equal.
    """
    region = op.parent_region()
    while region is not None:
        switch = region.parent
        if isinstance(switch, AgentSwitchOp):
            size = switch.agents_per_group
            return switch.bodies.index(region) // size * size + index
        region = None if switch is None else switch.parent_region()
    return index


def warps_around(op: Operation) -> int | None:
    """The number of warps in the launch, if an op around `op` states it."""
    for around in ancestors(op):
        if isinstance(warps := around.attributes.get(WARPS_KEY), IntegerAttr):
            return warps.value.data
    return None
