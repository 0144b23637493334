"""Special operands of each op that computes, and what the specification says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SILENT = "silent"
"""The specification names no value."""

WRAPS = "wraps around"
FLUSHED = "kept; a zero of its sign if `flush_to_zero`"
NATIVE = "the target's native instruction"
UNDEFINED = "undefined"
_I1_SIGNED = "an `i1` is 0 or -1 if signed (8.8.1)"


@dataclass(frozen=True)
class Question:
    """Special operands by name, see `numbers.bits_of`, and what the text says of the result."""

    operands: tuple[str, ...]
    says: str

    @property
    def name(self) -> str:
        """The operands as one word."""
        return ", ".join(self.operands)


def _asked(says: str, *operands: str) -> tuple[Question, ...]:
    """Questions with one answer, each written `a, b`."""
    return tuple(Question(tuple(each.split(", ")), says) for each in operands)


_ONE_FLOAT = _asked(SILENT, "nan", "inf", "-0", "subnormal")
_SIGN = _asked(SILENT, "nan", "-0", "subnormal")
_ROUNDED = _asked(NATIVE, "nan, 1", "inf, -inf", "0, -0")
_SHIFT = (
    *_asked(f"{SILENT}; rhs is unsigned; PTX ISA, shl and shr: clamped to the width", "1, width"),
    *_asked(f"{SILENT}; rhs is unsigned; PTX ISA, shl and shr: clamped to the width", "-1, -1"),
)
_OVERFLOW = _asked(f"{WRAPS}, but undefined where `overflow` excludes it", "greatest, 1")
_LEAST = _asked(f"{WRAPS}; PTX ISA, abs and neg: silent", "least")
_EXTREMUM = (
    *_asked("the other operand; NaN if `propagate_nan`", "nan, 1", "1, nan"),
    *_asked("the canonical NaN", "nan, nan"),
    *_asked("+0 is greater than -0", "0, -0", "-0, 0"),
    *_asked(FLUSHED, "subnormal, 0"),
)
_POWER = _asked(SILENT, "nan, 0", "0, 0", "-1, inf", "-2, 0.5", "0, -1", "-0, -1", "1, nan")
_COMPARED = (
    *_asked("true if unordered, else false", "nan, 1", "nan, nan"),
    *_asked(SILENT, "0, -0", "subnormal, 0"),
)
_ORDER = _asked(_I1_SIGNED, "least, greatest", "-1, 0")

QUESTIONS: Mapping[str, tuple[Question, ...]] = {
    # Floats.
    "absf": _SIGN,
    "negf": _SIGN,
    "ceil": _asked(SILENT, "nan", "-0", "-0.25", "subnormal"),
    "floor": _asked(SILENT, "nan", "-0", "subnormal"),
    "cos": (*_ONE_FLOAT, *_asked(SILENT, "2^20")),
    "sin": (*_ONE_FLOAT, *_asked(SILENT, "2^20")),
    "tan": (*_ONE_FLOAT, *_asked(SILENT, "2^20")),
    "cosh": _ONE_FLOAT,
    "sinh": _ONE_FLOAT,
    "tanh": (
        *_asked(SILENT, "nan", "inf", "-0"),
        *_asked("subnormal results of `approx` are kept", "subnormal"),
    ),
    "log": (*_ONE_FLOAT, *_asked(SILENT, "0", "-1")),
    "log2": (*_ONE_FLOAT, *_asked(SILENT, "0", "-1")),
    "exp": (*_ONE_FLOAT, *_asked(SILENT, "-inf", "2^10", "-100")),
    "exp2": (
        *_asked(SILENT, "nan", "inf", "-0", "-inf", "2^10"),
        *_asked(FLUSHED, "subnormal", "-140"),
    ),
    "rsqrt": (*_asked(SILENT, "nan", "inf", "0", "-0", "-1"), *_asked(FLUSHED, "subnormal")),
    "sqrt": (*_asked(SILENT, "nan", "inf", "-0", "-1"), *_asked(FLUSHED, "subnormal")),
    "addf": (*_ROUNDED, *_asked(FLUSHED, "subnormal, 0")),
    "subf": (*_ROUNDED, *_asked(FLUSHED, "subnormal, 0")),
    "mulf": (
        *_asked(NATIVE, "nan, 1", "inf, 0", "0, -1"),
        *_asked(
            "kept; a positive zero if `flush_to_zero`; example: sign-preserving", "subnormal, -1"
        ),
    ),
    "divf": (
        *_asked(NATIVE, "nan, 1", "0, 0", "1, 0", "1, -0", "inf, inf"),
        *_asked("`approx`: 0, as |rhs| is above 2^126", "1, 2^127"),
        *_asked("`approx`: NaN, as |rhs| is above 2^126", "inf, 2^127"),
        *_asked(FLUSHED, "subnormal, 1", "1, subnormal"),
    ),
    "fma": (
        *_asked(NATIVE, "nan, 1, 1", "inf, 0, 1", "0, -1, 0"),
        *_asked(FLUSHED, "subnormal, 1, 0"),
    ),
    "maxf": _EXTREMUM,
    "minf": _EXTREMUM,
    "remf": (
        *_asked("NaN", "1, 0", "inf, 1", "nan, 1"),
        *_asked("the dividend", "1, inf"),
        *_asked("the sign of the dividend", "-1, 1", "subnormal, 1"),
    ),
    "atan2": _asked(SILENT, "0, -0", "-0, -0", "nan, 1", "inf, inf"),
    "pow": _POWER,
    "fpowf": _POWER,
    "fpowi": _asked(f"{SILENT}; the exponent is signed", "nan, 0", "0, 0", "-0, -1", "2, least"),
    "cmpf": _COMPARED,
    # Integers.
    "addi": _OVERFLOW,
    "subi": _asked(_OVERFLOW[0].says, "least, 1"),
    "muli": _asked(_OVERFLOW[0].says, "greatest, 2", "least, -1"),
    "mulhii": _asked("defined of unsigned operands only", "-1, -1", "least, -1"),
    "shli": _SHIFT,
    "shri": _SHIFT,
    "divi": (
        *_asked(UNDEFINED, "1, 0"),
        *_asked("undefined if signed", "least, -1"),
        *_asked("rounded to zero, or as told", "-7, 2"),
    ),
    "remi": (
        *_asked(UNDEFINED, "1, 0"),
        *_asked(SILENT, "least, -1"),
        *_asked("the sign of the dividend", "-7, 2"),
    ),
    "absi": _asked("wraps around; the result is read as unsigned", "least"),
    "negi": _LEAST,
    "maxi": _ORDER,
    "mini": _ORDER,
    "cmpi": _ORDER,
    # Conversions.
    "exti": _asked(_I1_SIGNED, "-1", "least"),
    "trunci": _asked("the low bits, but undefined where `overflow` excludes it", "least", "-2"),
    "itof": (
        *_asked("inf, or NaN where the type lacks it, if too large", "greatest", "least"),
        *_asked(_I1_SIGNED, "-1"),
    ),
    "ftoi": (
        *_asked("rounded to zero", "0.25", "-0.5", "3", "-0", "subnormal", "least"),
        *_asked("0", "nan"),
        *_asked("the nearest number of the type", "-1", "300", "-300"),
        *_asked("the nearest number of the type", "2^7", "2^15", "2^31", "2^63", "2^65"),
        *_asked("undefined", "inf", "-inf"),
    ),
    "ftof": (
        *_asked(SILENT, "nan", "inf", "-inf", "2^10", "2^20", "2^40"),
        *_asked(SILENT, "-0", "subnormal", "least", "-1", "0"),
    ),
}
"""What is asked of each op; operands that a type lacks are left out for it."""

CLOSED: Mapping[str, str] = {
    **dict.fromkeys(
        ("module", "entry", "experimental$func", "testing$func", "return", "yield"),
        "names or ends a region, and computes nothing",
    ),
    **dict.fromkeys(("break", "continue", "if", "loop"), "moves values unchanged"),
    **dict.fromkeys(
        ("select", "broadcast", "reshape", "permute", "cat", "insert"), "moves bits unchanged"
    ),
    **dict.fromkeys(("pack", "unpack", "bitcast"), "keeps bits; the order of bytes is in 8.3.17"),
    **dict.fromkeys(("int_to_ptr", "ptr_to_int", "ptr_to_ptr"), "keeps 64 bits"),
    **dict.fromkeys(("andi", "ori", "xori"), "acts on each bit alone"),
    **dict.fromkeys(("constant", "global", "get_global"), "its value is written in it"),
    **dict.fromkeys(("get_tile_block_id", "get_num_tile_blocks"), "numbers of the launch"),
    **dict.fromkeys(
        ("make_token", "join_tokens", "token.join", "gdc_wait_tko", "gdc_launch_dependents_tko"),
        "orders accesses: docs/memory_model.md",
    ),
    **dict.fromkeys(
        (
            *("memory_fence_alias_tko", "store_ptr_tko", "store_view_tko"),
            *("multimem_store_view_tko", "alloca"),
        ),
        "moves bits unchanged; order is in docs/memory_model.md",
    ),
    **dict.fromkeys(
        (
            "make_tensor_view",
            "make_partition_view",
            "make_strided_view",
            "make_gather_scatter_view",
        ),
        "names memory: docs/semantics.md, Coordinates and addresses",
    ),
    "offset": "undefined where it wraps around, an error in strict mode",
    "extract": "undefined for a slice that does not exist, an error in every mode",
    "for": "undefined for a step that is not positive, an error in every mode",
    "assume": "undefined where it does not hold, an error in strict mode",
    **dict.fromkeys(
        ("get_tensor_shape", "get_index_space_shape"),
        "undefined where a size does not fit, an error in strict mode",
    ),
    "atomic_red_view_tko": "updates as `atomic_rmw_tko` does",
    **dict.fromkeys(
        ("multimem_load_reduce_view_tko", "multimem_reduce_view_tko"),
        "the order of devices is the switch's",
    ),
    "print_tko": "writes text; its formats are compared with C's",
    "assert": "ends the kernel or does nothing",
}
"""Ops that leave nothing to read, with the reason."""
