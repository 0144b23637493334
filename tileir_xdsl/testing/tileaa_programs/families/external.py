"""Calls of LLVM and libdevice functions with exact results, and back-end directives.

Inline assembly is absent: the interpreter of this level does not execute PTX.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Region

from tileir_xdsl.dialects.nv_tileaa import (
    CallElementwiseIntrinsicOp,
    ExternElementwiseOp,
    PragmaOp,
    YieldOp,
)
from tileir_xdsl.testing.programs.elements import width
from tileir_xdsl.testing.tileaa_programs.draft import tile
from tileir_xdsl.testing.tileaa_programs.scope import FLOATS, INTEGERS, Row, Scope

_INTEGERS = {
    "bitreverse": 1,
    "ctpop": 1,
    "fshl": 3,
    "fshr": 3,
    "smax": 2,
    "smin": 2,
    "umax": 2,
    "umin": 2,
}
"""Integer intrinsics, and their numbers of operands."""

_BYTES = ("bswap",)
"""Intrinsics on one integer of several bytes."""

_FLAGGED = ("abs", "ctlz", "cttz")
"""Intrinsics whose second operand tells whether one input value is undefined."""

_FLOATS = {
    "ceil": 1,
    "copysign": 2,
    "fabs": 1,
    "floor": 1,
    "fma": 3,
    "nearbyint": 1,
    "rint": 1,
    "sqrt": 1,
    "trunc": 1,
}
"""Float functions of LLVM and libdevice, and their numbers of operands."""


def _integer_intrinsic(s: Scope) -> None:
    value, element, shape = s.some(INTEGERS)
    name = s.choose((*(_BYTES if width(element) > 8 else ()), *_INTEGERS, *_FLAGGED))
    if name in _FLAGGED:
        args = [value, s.filled(0, "i1", shape)]
    else:
        count = _INTEGERS.get(name, 1)
        args = [value, *(s.value(element, shape) for _ in range(count - 1))]
    call = CallElementwiseIntrinsicOp(f"llvm.{name}.{element}", args, [value.type])
    s.keep(s.add(call).outputs[0])


def _float_intrinsic(s: Scope) -> None:
    value, element, shape = s.some(FLOATS)
    name = s.choose((*_FLOATS, "roundeven"))
    args = [value, *(s.value(element, shape) for _ in range(_FLOATS.get(name, 1) - 1))]
    call = CallElementwiseIntrinsicOp(f"llvm.{name}.{element}", args, [value.type])
    s.keep(s.add(call).outputs[0])


def _library_function(s: Scope) -> None:
    value, element, shape = s.some(("f32", "f64"))
    name = s.choose(list(_FLOATS))
    args = [value, *(s.value(element, shape) for _ in range(_FLOATS[name] - 1))]
    symbol = f"__nv_{name}" + ("f" if element == "f32" else "")
    call = ExternElementwiseOp(symbol, args, [tile(element, shape)], "libdevice", s.chance(0.5))
    s.keep(s.add(call).outputs[0])


def _pragma(s: Scope) -> None:
    """Encloses a few ops in a pragma, which yields tiles and the tokens of buffers."""
    body = s.child()
    buffers = [buffer for buffer in s.tokens if s.chance(0.5)]
    body.tokens.update({buffer: s.tokens[buffer] for buffer in buffers})
    for _ in range(s.integer(1, 2)):
        body.step()
    values = [body.some()[0] for _ in range(s.integer(0, 2))]
    if values and s.chance(0.3):
        # One that is computed for the outside alone.
        left, element, shape = body.some(INTEGERS)
        values.append(body.add(arith.XOrIOp(left, body.value(element, shape))).result)
    tokens = [body.tokens[buffer] for buffer in buffers]
    body.add(YieldOp([*values, *tokens]))
    enter, leave = (("nounroll",), ("unroll",)) if s.chance(0.5) else ((), ())
    types = [value.type for value in (*values, *tokens)]
    results = s.add(PragmaOp(types, Region(body.block), enter, leave)).outputs
    s.keep(*results[: len(values)])
    s.tokens.update(zip(buffers, results[len(values) :], strict=True))


ROWS = (
    Row(0.8, _integer_intrinsic),
    Row(0.8, _float_intrinsic),
    Row(0.6, _library_function),
    Row(0.8, _pragma, lambda s: s.depth < 2),
)
