"""Barriers and fences between the accesses of a tile program, decided before the last conversion.

    nv_tileas.copy %t into %b : ..                 // all threads write a buffer
    nv_tileas.fence_proxy async_shared             // hardware is about to read what they wrote
    nv_tileas.barrier agent                        // and reads all of it
    %s = nv_tileas.async.tiled_tma_store %b, ..

A barrier orders accesses of its participants through the generic proxy: earlier accesses precede
later accesses. TMA and `wgmma` access memory through the async proxy. A fence in the writing
threads, before the barrier, orders async-proxy accesses after writes through the generic proxy.
`tileas-insert-barriers` inserts barriers and fences; programs may also contain them before. Source:
PTX ISA, "bar", "barrier.cluster", "Proxies", "fence.proxy", "tcgen05.fence", "wgmma.wait_group".
"""

from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, prop_def, traits_def
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import EnumAttribute
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    Effects,
)
from tileir_xdsl.dialects.nv_tileaa.core import GetCtaIdOp
from tileir_xdsl.dialects.nv_tileas.interfaces import SynchronizationOpInterface

from .agents import AgentSwitchOp
from .operand_list_syntax import OperandListOp

SYNCHRONIZED = "nv_tileas.synchronized"
"""The attribute of functions whose barriers and fences are all inserted."""


class Participants(StrEnum):
    """The threads that synchronise at a barrier."""

    WARP = "warp"
    AGENT = "agent"
    CTA = "cta"
    CLUSTER = "cluster"


class FencedProxy(StrEnum):
    """The accesses that a fence orders with accesses through the generic proxy."""

    ASYNC = "async"
    ASYNC_SHARED = "async_shared"


class FenceSide(StrEnum):
    """Whether a fence of tensor memory precedes a barrier or follows it."""

    BEFORE = "before"
    AFTER = "after"


class ParticipantsAttr(EnumAttribute[Participants], name="nv_tileas.participants"): ...


class FencedProxyAttr(EnumAttribute[FencedProxy], name="nv_tileas.fenced_proxy"): ...


class FenceSideAttr(EnumAttribute[FenceSide], name="nv_tileas.fence_side"): ...


class _Keyword(CustomDirective):
    """The member of an enumeration as a bare keyword."""

    ATTRIBUTE: ClassVar[type[EnumAttribute[Any]]]

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        attribute = self.ATTRIBUTE
        self.value.set(state, attribute(parser.parse_str_enum(attribute.enum_type)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = cast(EnumAttribute[Any], self.value.get(op))
        state.print_whitespace(printer)
        printer.print_string(attribute.data)
        state.should_emit_space = True
        state.last_was_punctuation = False


@irdl_custom_directive
class ParticipantsKeyword(_Keyword):
    """`warp`, `agent`, `cta` or `cluster`."""

    ATTRIBUTE = ParticipantsAttr
    value: AttributeVariable


@irdl_custom_directive
class FencedProxyKeyword(_Keyword):
    """`async` or `async_shared`."""

    ATTRIBUTE = FencedProxyAttr
    value: AttributeVariable


@irdl_custom_directive
class FenceSideKeyword(_Keyword):
    """`before` or `after`."""

    ATTRIBUTE = FenceSideAttr
    value: AttributeVariable


@irdl_op_definition
class BarrierOp(IRDLOperation, SynchronizationOpInterface):
    """`nv_tileas.barrier agent`: no participant continues before all have arrived.

    `agent` means the threads that execute the region: those of the agent or, outside of agents, of
    the thread block. `cta` and `cluster` mean all threads of the thread block or cluster, and are
    rejected where only some of them arrive.
    """

    name = "nv_tileas.barrier"

    participants = prop_def(ParticipantsAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (ParticipantsKeyword,)
    assembly_format = "custom<ParticipantsKeyword>($participants) attr-dict"

    def __init__(self, participants: Participants = Participants.AGENT):
        super().__init__(properties={"participants": ParticipantsAttr(participants)})

    def verify_(self) -> None:
        participants = self.participants.data
        if participants in (Participants.WARP, Participants.AGENT):
            return
        around = self.parent_op()
        while around is not None:
            if isinstance(around, AgentSwitchOp):
                raise VerifyException(
                    f"expects all threads of the {participants} to arrive, but only those "
                    "of one agent do"
                )
            if participants is Participants.CLUSTER and _differs_among_ctas(around):
                raise VerifyException(
                    "expects all threads of the cluster to arrive, but CTAs take "
                    f"different branches at '{around.name}'"
                )
            around = around.parent_op()

    @property
    def effects(self) -> Effects:
        return Effects(meets=self.participants.data is not Participants.WARP)


def _differs_among_ctas(op: Operation) -> bool:
    """Whether the number of the CTA may decide how often the regions of an op are executed."""
    if not op.name.startswith("scf."):
        return False
    waiting: list[SSAValue] = list(op.operands)
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is not None and block.last_op.name == "scf.condition":
                waiting.append(block.last_op.operands[0])
    seen = set(waiting)
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, GetCtaIdOp):
            return True
        if isinstance(owner, Operation):
            following = [value for value in owner.operands if value not in seen]
            seen.update(following)
            waiting += following
    return False


@irdl_op_definition
class FenceProxyOp(IRDLOperation, SynchronizationOpInterface):
    """`nv_tileas.fence_proxy async_shared`: hardware may then read what these threads wrote.

    Orders earlier accesses of the executing threads before later asynchronous accesses to shared
    memory and, with `async`, to global memory. The fence has no effect on targets without the async
    proxy.
    """

    name = "nv_tileas.fence_proxy"

    proxy = prop_def(FencedProxyAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (FencedProxyKeyword,)
    assembly_format = "custom<FencedProxyKeyword>($proxy) attr-dict"

    def __init__(self, proxy: FencedProxy = FencedProxy.ASYNC_SHARED):
        super().__init__(properties={"proxy": FencedProxyAttr(proxy)})

    @property
    def effects(self) -> Effects:
        return Effects(fences=True, fences_global=self.proxy.data is FencedProxy.ASYNC)


@irdl_op_definition
class FenceTmemOp(IRDLOperation, SynchronizationOpInterface):
    """`nv_tileas.fence_tmem before`: a later barrier then also orders earlier accesses to tensor
    memory.

    A barrier between accesses to tensor memory by different threads needs a fence `before` it, and
    a fence `after` it in the other threads.
    """

    name = "nv_tileas.fence_tmem"

    side = prop_def(FenceSideAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (FenceSideKeyword,)
    assembly_format = "custom<FenceSideKeyword>($side) attr-dict"

    def __init__(self, side: FenceSide):
        super().__init__(properties={"side": FenceSideAttr(side)})

    @property
    def effects(self) -> Effects:
        is_before = self.side.data is FenceSide.BEFORE
        return Effects(fences_columns=is_before, follows_columns=not is_before)


@irdl_op_definition
class WaitMMAsOp(OperandListOp, SynchronizationOpInterface):
    """Waits until at most `pending` warpgroup MMAs of these threads are in flight.

    Other MMAs no longer read their operands, whose memory may be reused. Source: PTX ISA,
    "wgmma.wait_group".
    """

    name = "nv_tileas.async.wait_mmas"

    pending = prop_def(IntegerAttr[I32])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, pending: int = 0):
        super().__init__(properties={"pending": IntegerAttr(pending, i32)})

    def verify_(self) -> None:
        if self.pending.value.data < 0:
            raise VerifyException(
                f"expects at least 0 pending MMAs, but got {self.pending.value.data}"
            )

    @property
    def effects(self) -> Effects:
        return Effects(completes_mmas=not self.pending.value.data)
