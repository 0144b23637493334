"""Instructions whose result in a thread depends on that thread's operands alone.

Each such form is one line of a table: its syntax, the types of result and operands, and a numpy
function. A type in a signature is a PTX type, the name of a qualifier, or a function of either.
`bits(type)` is the untyped type of the same width, `wide(type)` has twice the width.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.types import TYPES, ScalarType, bits_type, integer_type

Function = Callable[..., Any]
FunctionOf = Callable[[Match], Function]

_TYPE = re.compile(r"(?:(?P<change>\w+)\()?(?P<name>\w+)\)?")


def resolve_type(text: str, match: Match) -> ScalarType:
    """The type for an entry of a signature, given a matched instruction."""
    found = _TYPE.fullmatch(text)
    if found is None:
        raise ValueError(f"expected a type in a signature, got '{text}'")
    name = found["name"]
    type_ = TYPES[match.qualifiers.get(name, name)]
    if found["change"] == "bits":
        return bits_type(type_.bits)
    if found["change"] == "wide":
        return integer_type(2 * type_.bits, signed=type_.signed)
    return type_


def elementwise(
    syntax: str,
    signature: str,
    function: Function | None = None,
    *,
    by: FunctionOf | None = None,
    relaxed: bool = False,
) -> Form:
    """A form whose results are computed thread by thread.

    `signature` is `result <- operand, operand, ...`. The result is `function(*operands)`, or
    `by(match)(*operands)` where the function depends on qualifiers or constant operands. With
    `relaxed`, registers may be wider than their types.
    """
    result, _, sources = signature.partition(" <- ")
    source_types = sources.split(", ")

    def emit(builder: BlockBuilder, match: Match) -> None:
        names = list(match.operands)
        arguments = [
            builder.source(match.operands[name], resolve_type(text, match), relaxed=relaxed)
            # The last operands of a form may be optional.
            for name, text in zip(names[1:], source_types, strict=False)
        ]
        chosen = by(match) if by is not None else function
        assert chosen is not None
        builder.apply(
            match.operands[names[0]],
            resolve_type(result, match),
            chosen,
            arguments,
            relaxed=relaxed,
        )

    return Form(syntax, Compute(emit))
