"""Agents: regions that run concurrently, and use values defined outside."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from tileir_xdsl.dialects.nv_tileas import PipelineYieldOp
from tileir_xdsl.testing.tileas_programs.families.registers import combined, store
from tileir_xdsl.testing.tileas_programs.scope import Row, Scope, type_of


def add_agents(s: Scope) -> None:
    """Adds two or three agents. Agents get outside values as operands, or by capture.

    For machine code, each agent starts by computing on an outside tile, so that no agent lacks a
    tile.
    """
    s.draft.has_agents = True
    if s.draft.for_machine:
        given = s.tile()
        s.tiles.append(combined(s, given, given))
    bodies: list[Block] = []
    for _ in range(s.integer(2, 3)):
        agent = s.child()
        agent.allocated = []
        if s.draft.for_machine:
            shared = s.tiles[-1]
            agent.tiles.append(combined(agent, shared, agent.tile(type_of(shared))))
            store(agent, agent.tiles[-1])
        for _ in range(s.integer(1, 4)):
            agent.step()
        agent.add(PipelineYieldOp())
        bodies.append(agent.block)
    isolated = s.chance(0.3)
    captured = _captured(bodies)
    inputs = captured if isolated else [value for value in captured if s.chance(0.5)]
    for body in bodies:
        _pass(inputs, body)
    s.run_agents(bodies, inputs, isolated=isolated)


def _captured(bodies: Sequence[Block]) -> list[SSAValue]:
    """The outside values that some bodies use, in the order of their first use."""
    captured: dict[SSAValue, None] = {}
    for body in bodies:
        inside = {body} | {b for op in body.walk() for r in op.regions for b in r.blocks}
        for op in body.walk():
            for operand in op.operands:
                owner = operand.owner if isinstance(operand.owner, Block) else operand.owner.parent
                if owner not in inside:
                    captured[operand] = None
    return list(captured)


def _pass(inputs: Sequence[SSAValue], body: Block) -> None:
    """Adds block arguments to a body and uses them in place of outside values."""
    ops = set(body.walk())
    for value in inputs:
        argument = body.insert_arg(value.type, len(body.args))
        value.replace_uses_with_if(argument, lambda use: use.operation in ops)


def _is_outermost(s: Scope) -> bool:
    return s.parent is None and not s.draft.has_agents


ROWS = (Row(2, add_agents, _is_outermost),)
