"""Calls of system functions (PTX ISA, "call"); those of the module are inlined before."""

from __future__ import annotations

from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.syntax import FunctionReference, Symbol, Vector
from tileir_xdsl.emulator.system_functions import SYSTEM_FUNCTIONS, SystemFunction
from tileir_xdsl.emulator.types import Mask

_DTYPES = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}


def _call(
    group: ThreadGroup,
    mask: Mask | None,
    *,
    function: SystemFunction,
    arguments: tuple[int, ...],
    result: int | None,
) -> None:
    """Calls the function for one thread after another; arguments and result are in local memory."""
    active = group.active() if mask is None else np.broadcast_to(mask, group.shape)
    for block, thread in np.argwhere(active):
        lane = np.zeros(group.shape, np.bool_)
        lane[block, thread] = True
        values: list[int] = []
        for offset, size in zip(arguments, function.arguments, strict=True):
            access = InstructionAccess("local", _DTYPES[size], 1, "read")
            base = np.full(group.shape, offset, np.int64)
            values.append(int(group.memory.load(group, base, 0, lane, access)[lane][0]))
        returned = function.call(group, lane, values)
        if result is not None:
            dtype = _DTYPES[function.result]
            access = InstructionAccess("local", dtype, 1, "write")
            stored = (np.full(group.shape, returned, dtype),)
            group.memory.store(
                group, np.full(group.shape, result, np.int64), 0, stored, lane, access
            )


def _emit_call(builder: BlockBuilder, match: Match) -> None:
    name = match.operands["function"]
    assert isinstance(name, FunctionReference)
    function = SYSTEM_FUNCTIONS.get(name.name)
    if function is None:
        known = ", ".join(SYSTEM_FUNCTIONS)
        raise match.fail(
            f"function '{name.name}' has no body and is not a system function, which are {known}"
        )
    arguments = _offsets(builder, match, "arguments")
    results = _offsets(builder, match, "results")
    if len(arguments) != len(function.arguments) or len(results) > (function.result > 0):
        raise match.fail(
            f"'{name.name}' takes {len(function.arguments)} arguments and returns "
            f"{'one result' if function.result else 'no result'}"
        )
    call = partial(
        _call, function=function, arguments=arguments, result=results[0] if results else None
    )
    builder.line(f"{builder.bind(call)}(group, {builder.mask})")


def _offsets(builder: BlockBuilder, match: Match, which: str) -> tuple[int, ...]:
    """The offsets in local memory of a call's arguments or results."""
    operands = match.operands[which]
    assert isinstance(operands, Vector)
    offsets: list[int] = []
    for operand in operands.elements:
        if not isinstance(operand, Symbol) or builder.kernel.symbol_space(operand.name) != "local":
            raise match.fail("arguments and results of a call must be .param variables")
        offsets.append(builder.kernel.symbol_address(operand.name))
    return tuple(offsets)


FORMS: tuple[Form, ...] = (Form("call{.uni} results, function, arguments", Compute(_emit_call)),)
