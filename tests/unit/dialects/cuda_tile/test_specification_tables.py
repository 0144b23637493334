"""The tables of the Tile IR specification, section 8: which element types go with what.

Each test reads one row for every element type and compares what the verifier takes with the row.
"""

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tileir_xdsl.testing.tools import parse

FLOATS = ("f32", "f64", "bf16", "f16")
ELEMENTS = (*FLOATS, "tf32", "f8E4M3FN", "f8E5M2", "i1", "i8", "i16", "i32", "i64")
EVERY, SINGLE = set(FLOATS), {"f32"}
IEEE = ("nearest_even", "zero", "negative_inf", "positive_inf")

OPERANDS = {
    "addf": 2,
    "subf": 2,
    "mulf": 2,
    "divf": 2,
    "fma": 3,
    "sqrt": 1,
    "tanh": 1,
    "exp2": 1,
    "rsqrt": 1,
}
"""Operations with a table of modifiers, and how many operands they have."""

MODIFIERS = {
    **{
        (op, f"rounding<{mode}>"): EVERY
        for op in ("addf", "divf", "fma", "mulf", "sqrt", "subf")
        for mode in IEEE
    },
    **{(op, "flush_to_zero"): SINGLE for op in OPERANDS if op != "tanh"},
    ("divf", "rounding<approx>"): SINGLE,
    ("divf", "rounding<full>"): SINGLE,
    ("sqrt", "rounding<approx>"): SINGLE,
    ("tanh", "rounding<approx>"): SINGLE,
    ("tanh", "rounding<full>"): EVERY,
}
"""The rows of those tables: 8.7.4, 8.7.9, 8.7.10, 8.7.13, 8.7.18, 8.7.22, 8.7.25 to 8.7.27."""


def is_taken(parameters: str, text: str) -> bool:
    """Whether the body of a function is valid."""
    try:
        parse(f"cuda_tile.module @m {{ testing$func @f({parameters}) {{ {text} }} }}")
    except (ParseError, VerifyException):
        return False
    return True


@pytest.mark.parametrize(("op", "modifier"), MODIFIERS, ids=map(" ".join, MODIFIERS))
def test_modifier(op: str, modifier: str):
    names = ("%a", "%b", "%c")[: OPERANDS[op]]
    taken = {
        element
        for element in FLOATS
        if is_taken(
            ", ".join(f"{name}: tile<4x{element}>" for name in names),
            f"%r = {op} {', '.join(names)} {modifier} : tile<4x{element}>",
        )
    }
    assert taken == MODIFIERS[op, modifier]


CONVERSIONS = {
    # The modes other than `nearest_even` since 13.3.
    "ftof": ("f32", "f16", ["nearest_even", "zero"]),
    "itof": ("i32", "f32", ["nearest_even"]),
    "ftoi": ("f32", "i32", ["nearest_int_to_zero"]),
}
"""Source, result and rounding modes of conversions, sections 8.4.3 to 8.4.5."""


@pytest.mark.parametrize("op", CONVERSIONS)
def test_rounding_of_a_conversion(op: str):
    source, result, modes = CONVERSIONS[op]
    sign = "" if op == "ftof" else "signed"
    taken = [
        mode
        for mode in (*IEEE, "approx", "full", "nearest_int_to_zero")
        if is_taken(
            f"%a: tile<4x{source}>",
            f"%r = {op} %a {sign} rounding<{mode}> : tile<4x{source}> -> tile<4x{result}>",
        )
    ]
    assert taken == modes


ACCUMULATORS = {
    "f16": {"f16", "f32"},
    "bf16": {"f32"},
    "f32": {"f32"},
    "f64": {"f64"},
    "tf32": {"f32"},
    "f8E4M3FN": {"f16", "f32"},
    "f8E5M2": {"f16", "f32"},
}
"""The types of `mmaf`, section 8.3.13."""


def accumulators_of(op: str, element: str, signs: str = "") -> set[str]:
    """The element types of the accumulator that an op takes with operands of an element type."""
    return {
        result
        for result in ELEMENTS
        if is_taken(
            f"%a: tile<4x8x{element}>, %b: tile<8x2x{element}>, %c: tile<4x2x{result}>",
            f"%r = {op} %a, %b, %c {signs} : tile<4x8x{element}>, tile<8x2x{element}>, "
            f"tile<4x2x{result}>",
        )
    }


@pytest.mark.parametrize("element", ELEMENTS)
def test_mmaf(element: str):
    assert accumulators_of("mmaf", element) == ACCUMULATORS.get(element, set())


@pytest.mark.parametrize("element", ELEMENTS)
def test_mmai(element: str):
    """Section 8.3.14."""
    assert accumulators_of("mmai", element, "signed unsigned") == (
        {"i32"} if element == "i8" else set()
    )


INTEGERS = {"i32", "i64"}
MODES = {
    **dict.fromkeys(("add", "and", "max", "min", "or", "umax", "umin", "xor"), INTEGERS),
    # bf16 since 13.3.
    "addf": {"f16", "bf16", "f32", "f64"},
    "xchg": {*INTEGERS, "f32", "f64"},
}
"""The types of `atomic_rmw_tko` by mode, section 8.10.2."""


@pytest.mark.parametrize("mode", MODES)
def test_atomic_mode(mode: str):
    taken = {
        element
        for element in ELEMENTS
        if is_taken(
            f"%p: tile<4xptr<{element}>>, %a: tile<4x{element}>",
            f"%r, %t = atomic_rmw_tko relaxed device %p, {mode}, %a : "
            f"tile<4xptr<{element}>>, tile<4x{element}> -> tile<4x{element}>, token",
        )
    }
    assert taken == MODES[mode]


def test_compare_and_swap():
    """Section 8.10.1."""
    taken = {
        element
        for element in ELEMENTS
        if is_taken(
            f"%p: tile<4xptr<{element}>>, %a: tile<4x{element}>, %b: tile<4x{element}>",
            f"%r, %t = atomic_cas_tko relaxed device %p, %a, %b : "
            f"tile<4xptr<{element}>>, tile<4x{element}> -> tile<4x{element}>, token",
        )
    }
    assert taken == {*INTEGERS, "f32", "f64"}


SEMANTICS = ("weak", "relaxed", "acquire", "release", "acq_rel")
ORDERINGS = {
    "load_ptr_tko": ("weak", "relaxed", "acquire"),
    "store_ptr_tko": ("weak", "relaxed", "release"),
    "atomic_rmw_tko": SEMANTICS[1:],
    "atomic_cas_tko": SEMANTICS[1:],
}
"""The orderings of memory operations, sections 8.6.2, 8.6.4 and 8.10."""

ACCESSES = {
    "load_ptr_tko": "%r, %t = load_ptr_tko {} %p : tile<4xptr<i32>> -> tile<4xi32>, token",
    "store_ptr_tko": "%t = store_ptr_tko {} %p, %a : tile<4xptr<i32>>, tile<4xi32> -> token",
    "atomic_rmw_tko": "%r, %t = atomic_rmw_tko {} %p, add, %a : "
    "tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token",
    "atomic_cas_tko": "%r, %t = atomic_cas_tko {} %p, %a, %b : "
    "tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token",
}


@pytest.mark.parametrize("op", ORDERINGS)
def test_ordering(op: str):
    parameters = "%p: tile<4xptr<i32>>, %a: tile<4xi32>, %b: tile<4xi32>"
    taken = [
        semantics
        for semantics in SEMANTICS
        if is_taken(
            parameters,
            ACCESSES[op].format(semantics if semantics == "weak" else f"{semantics} device"),
        )
    ]
    assert taken == list(ORDERINGS[op])


PREDICATES = {
    "bounded<0, 5>": {"tile<4xi8>", "tile<i8>"},
    "div_by<8>": {"tile<4xi8>", "tile<i8>", "tile<4xptr<f32>>", "tensor_view<8xf32, strides=[1]>"},
    "div_by<8, every 2 along 0>": {"tile<4xi8>", "tile<4xptr<f32>>"},
    "same_elements<[2]>": {"tile<4xi8>", "tile<4xptr<f32>>"},
}
"""What each predicate of `assume` may be told of, section 8.12.1."""

ASSUMED = (
    "tile<4xi8>",
    "tile<i8>",
    "tile<4xptr<f32>>",
    "tile<4xf32>",
    "tensor_view<8xf32, strides=[1]>",
    "token",
)


@pytest.mark.parametrize("predicate", PREDICATES)
def test_predicate(predicate: str):
    taken = {
        type for type in ASSUMED if is_taken(f"%a: {type}", f"%r = assume {predicate}, %a : {type}")
    }
    assert taken == PREDICATES[predicate]


@pytest.mark.parametrize(
    ("predicate", "is_valid"),
    [
        ("bounded<5, 5>", True),
        ("bounded<6, 5>", False),
        ("bounded<?, 127>", True),
        ("bounded<?, 128>", False),
        ("bounded<-128, ?>", True),
        ("bounded<-129, ?>", False),
        ("div_by<1>", True),
        ("div_by<12>", False),
        ("div_by<0>", False),
        ("div_by<4, every 4 along 1>", True),
        ("div_by<4, every 4 along 2>", False),
        ("div_by<4, every 9 along 1>", False),
        ("same_elements<[1, 1]>", True),
        ("same_elements<[2]>", False),
        ("same_elements<[2, 9]>", False),
    ],
)
def test_parts_of_a_predicate(predicate: str, is_valid: bool):
    assert is_taken("%a: tile<4x8xi8>", f"%r = assume {predicate}, %a : tile<4x8xi8>") is is_valid
