"""When the patterns of `nv_tileaa` apply, and when they must not."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.dialects.nv_tileaa import samples
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing.tools import parse, run_passes, to_text
from tileir_xdsl.transforms.canonicalization_patterns.nv_tileaa import PATTERNS, TileAAPatterns

POINTERS = "tensor<8x!nv_tileaa.ptr<f32>>"
TOKEN = "!nv_tileaa.mem_token"
SIGNED = (
    "{signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<unsigned>}"
)


def canonicalize(text: str) -> ModuleOp:
    return run_passes(parse(text), "canonicalize")


def used(arguments: dict[str, str], body: str, results: dict[str, str]) -> str:
    """A function in which an unknown op uses the results of `body`."""
    parameters = ", ".join(f"%{name}: {type}" for name, type in arguments.items())
    values = ", ".join(f"%{name}" for name in results)
    types = ", ".join(results.values())
    return (
        f"nv_tileaa.func @f({parameters}) {{\n{body}\n"
        f'"test.op"({values}) : ({types}) -> ()\nnv_tileaa.return\n}}'
    )


def moved(type: str, number: str, constant: int) -> str:
    """A pointer that a narrow sum moves: `%r`, p and the 64 bits of x + c."""
    return (
        f"{number}\n%c = arith.constant dense<{constant}> : tensor<8x{type}>\n"
        f"%s = nv_tileaa.addi %n, %c : tensor<8x{type}>\n"
        f"%w = arith.extsi %s : tensor<8x{type}> to tensor<8xi64>\n"
        f"%r = nv_tileaa.addptr %p, %w : {POINTERS}, tensor<8xi64>"
    )


def bounded(upper: int) -> str:
    """A tile of numbers from 0 to a bound."""
    return f"%n = nv_tileaa.assume #nv_tileaa.bounded<0, {upper}>, %x : tensor<8xi32>"


KEPT = {
    "a constant in a sum that may be too large": used(
        {"p": POINTERS, "x": "tensor<8xi32>"},
        moved("i32", bounded(2**31 - 3), 3),
        {"r": POINTERS},
    ),
    "a constant in a sum that may be too small": used(
        {"p": POINTERS, "x": "tensor<8xi32>"},
        moved("i32", "%n = nv_tileaa.assume #nv_tileaa.bounded<-1, 7>, %x : tensor<8xi32>", -1),
        {"r": POINTERS},
    ),
    "a constant beyond a sum": used(
        {"p": POINTERS, "a": "tensor<8xi64>"},
        "%c = arith.constant dense<3> : tensor<8xi64>\n"
        f"%q = nv_tileaa.addptr %p, %a : {POINTERS}, tensor<8xi64>\n"
        f"%r = nv_tileaa.addptr %q, %c : {POINTERS}, tensor<8xi64>",
        {"r": POINTERS},
    ),
    "offsets whose sum wraps": used(
        {"p": POINTERS},
        "%a = arith.constant dense<2147483647> : tensor<8xi32>\n"
        f"%q = nv_tileaa.addptr %p, %a : {POINTERS}, tensor<8xi32>\n"
        f"%r = nv_tileaa.addptr %q, %a : {POINTERS}, tensor<8xi32>",
        {"r": POINTERS},
    ),
    "narrow offsets that are not known": used(
        {"p": POINTERS, "a": "tensor<8xi32>"},
        f"%q = nv_tileaa.addptr %p, %a : {POINTERS}, tensor<8xi32>\n"
        f"%r = nv_tileaa.addptr %q, %a : {POINTERS}, tensor<8xi32>",
        {"r": POINTERS},
    ),
    "offsets of two widths": used(
        {"p": POINTERS, "a": "tensor<8xi32>", "b": "tensor<8xi64>"},
        f"%q = nv_tileaa.addptr %p, %a : {POINTERS}, tensor<8xi32>\n"
        f"%r = nv_tileaa.addptr %q, %b : {POINTERS}, tensor<8xi64>",
        {"r": POINTERS},
    ),
    "a pointer with another use": used(
        {"p": POINTERS, "a": "tensor<8xi64>"},
        f"%q = nv_tileaa.addptr %p, %a : {POINTERS}, tensor<8xi64>\n"
        f"%r = nv_tileaa.addptr %q, %a : {POINTERS}, tensor<8xi64>",
        {"q": POINTERS, "r": POINTERS},
    ),
    "facts about groups of elements": used(
        {"x": "i32"},
        "%a = nv_tileaa.splat %x : i32 -> tensor<8xi32>\n"
        "%b = nv_tileaa.assume #nv_tileaa.div_by<4, every 4 along 0>, %a : tensor<8xi32>",
        {"b": "tensor<8xi32>"},
    ),
    "a choice with another use": used(
        {"c": "i1", "x": "i32", "y": "i32"},
        "%a = arith.select %c, %x, %y : i32\n%b = nv_tileaa.splat %a : i32 -> tensor<8xi32>",
        {"a": "i32", "b": "tensor<8xi32>"},
    ),
    "a mask that is not known": used(
        {"p": POINTERS, "m": "tensor<8xi1>"},
        f"%v, %t = nv_tileaa.load weak %p mask = %m : tensor<8xi1> : {POINTERS} "
        f"-> tensor<8xf32>, {TOKEN}",
        {"v": "tensor<8xf32>", "t": TOKEN},
    ),
    "a mask of both": used(
        {"q": "tensor<2x!nv_tileaa.ptr<f32>>", "v": "tensor<2xf32>"},
        "%m = arith.constant dense<[true, false]> : tensor<2xi1>\n"
        "%t = nv_tileaa.store weak %q, %v mask = %m : tensor<2xi1> "
        f": tensor<2x!nv_tileaa.ptr<f32>>, tensor<2xf32> -> {TOKEN}",
        {"t": TOKEN},
    ),
    "an acquire load of nothing": used(
        {"p": POINTERS, "o": "tensor<8xf32>"},
        "%m = arith.constant dense<false> : tensor<8xi1>\n"
        "%v, %t = nv_tileaa.load acquire gpu %p mask = %m : tensor<8xi1> other = %o : "
        f"tensor<8xf32> : {POINTERS} -> tensor<8xf32>, {TOKEN}",
        {"v": "tensor<8xf32>", "t": TOKEN},
    ),
    "a computation with another use": used(
        {"a": "tensor<1xf32>"},
        "%b = nv_tileaa.addf %a, %a : tensor<1xf32>\n%c = nv_tileaa.extract %b "
        ": tensor<1xf32> -> f32",
        {"b": "tensor<1xf32>", "c": "f32"},
    ),
    "a product of floats with zero": used(
        {"b": "tensor<4x4xf32>", "c": "tensor<4x4xf32>"},
        "%a = arith.constant dense<0.0> : tensor<4x4xf32>\n"
        "%d = nv_tileaa.dot %a, %b, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>",
        {"d": "tensor<4x4xf32>"},
    ),
    "a product that is not exact": used(
        {},
        "%a = arith.constant dense<0.1> : tensor<4x4xf32>\n"
        "%d = nv_tileaa.dot %a, %a, %a : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>",
        {"d": "tensor<4x4xf32>"},
    ),
    "inputs that tf32 rounds": used(
        {},
        "%a = arith.constant dense<4097.0> : tensor<1x1xf32>\n"
        '%d = nv_tileaa.dot %a, %a, %a {input_precision = "tf32"} '
        ": tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>",
        {"d": "tensor<1x1xf32>"},
    ),
    "a product with scales": used(
        {"s": "tensor<4x1xf8E8M0FNU>", "r": "tensor<1x4xf8E8M0FNU>"},
        "%a = arith.constant dense<1.0> : tensor<4x4xf8E5M2>\n"
        "%c = arith.constant dense<1.0> : tensor<4x4xf32>\n"
        "%d = nv_tileaa.dot %a, %a, %c scaled by %s, %r : tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>, "
        "tensor<4x4xf32>, tensor<4x1xf8E8M0FNU>, tensor<1x4xf8E8M0FNU>",
        {"d": "tensor<4x4xf32>"},
    ),
    "a swap that releases": used(
        {"p": "!nv_tileaa.ptr<i32>"},
        "%a = arith.constant 7 : i32\n"
        f"%b, %t = nv_tileaa.atomic_cas acq_rel gpu %p, %a, %a : !nv_tileaa.ptr<i32>, i32, i32 "
        f"-> i32, {TOKEN}",
        {"b": "i32"},
    ),
    "a swap of zero by minus zero": used(
        {"p": "!nv_tileaa.ptr<f32>"},
        "%a = arith.constant 0.0 : f32\n%z = arith.constant -0.0 : f32\n"
        f"%b, %t = nv_tileaa.atomic_cas relaxed gpu %p, %a, %z : !nv_tileaa.ptr<f32>, f32, f32 "
        f"-> f32, {TOKEN}",
        {"b": "f32"},
    ),
    "a sum of floats with zero": used(
        {"p": "!nv_tileaa.ptr<f32>"},
        "%a = arith.constant 0.0 : f32\n"
        f"%b, %t = nv_tileaa.atomic_rmw relaxed gpu addf %p, %a : !nv_tileaa.ptr<f32>, f32 "
        f"-> f32, {TOKEN}",
        {"b": "f32"},
    ),
    "an exchange": used(
        {"p": "!nv_tileaa.ptr<i32>"},
        "%a = arith.constant 0 : i32\n"
        f"%b, %t = nv_tileaa.atomic_rmw relaxed gpu xchg %p, %a : !nv_tileaa.ptr<i32>, i32 "
        f"-> i32, {TOKEN}",
        {"b": "i32"},
    ),
    "a queue that goes elsewhere": used(
        {},
        "%q = nv_tileaa.create_queue {stages = 1 : i32} : !nv_tileaa.queue<i32, f32>\n"
        "%a, %b = nv_tileaa.queue.get %q : !nv_tileaa.queue<i32, f32> -> i32, f32",
        {"q": "!nv_tileaa.queue<i32, f32>", "b": "f32"},
    ),
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_kept(text: str):
    assert to_text(canonicalize(text)) == to_text(parse(text))


@pytest.mark.parametrize(
    ("mode", "neutral"),
    [
        ("add", "0"),
        ("or", "0"),
        ("xor", "0"),
        ("umax", "0"),
        ("and", "-1"),
        ("umin", "-1"),
        ("max", "-2147483648"),
        ("min", "2147483647"),
    ],
)
def test_neutral_operand_of_every_mode(mode: str, neutral: str):
    def modified_by(operand: str) -> str:
        return to_text(
            canonicalize(
                used(
                    {"p": "!nv_tileaa.ptr<i32>"},
                    f"%a = arith.constant {operand} : i32\n"
                    f"%b, %t = nv_tileaa.atomic_rmw relaxed gpu {mode} %p, %a "
                    f": !nv_tileaa.ptr<i32>, i32 -> i32, {TOKEN}",
                    {"b": "i32", "t": TOKEN},
                )
            )
        )

    assert "nv_tileaa.load relaxed gpu %p" in modified_by(neutral)
    assert "nv_tileaa.atomic_rmw" in modified_by("5")


def body_of(module: ModuleOp) -> list[str]:
    function = module.body.block.first_op
    assert function is not None
    return [to_text(op) for op in function.regions[0].block.ops][:-2]


def test_masked_swap_gives_what_it_compares_with():
    module = canonicalize(
        used(
            {"p": "tensor<8x!nv_tileaa.ptr<i32>>", "m": "tensor<8xi1>"},
            "%a = arith.constant dense<7> : tensor<8xi32>\n"
            "%b, %t = nv_tileaa.atomic_cas relaxed gpu %p, %a, %a mask = %m : tensor<8xi1> "
            ": tensor<8x!nv_tileaa.ptr<i32>>, tensor<8xi32>, tensor<8xi32> "
            f"-> tensor<8xi32>, {TOKEN}",
            {"b": "tensor<8xi32>"},
        )
    )
    assert "mask = %m : tensor<8xi1> other = %a : tensor<8xi32>" in body_of(module)[1]


def test_load_of_nothing_without_other_is_zero():
    module = canonicalize(
        used(
            {"p": POINTERS},
            "%m = arith.constant dense<false> : tensor<8xi1>\n"
            f"%v, %t = nv_tileaa.load weak %p mask = %m : tensor<8xi1> : {POINTERS} "
            f"-> tensor<8xf32>, {TOKEN}",
            {"v": "tensor<8xf32>", "t": TOKEN},
        )
    )
    constant, splat, token = (line.split(" = ")[1] for line in body_of(module))
    assert constant == "arith.constant 0.000000e+00 : f32"
    assert splat.startswith("nv_tileaa.splat") and splat.endswith("-> tensor<8xf32>")
    assert token == f"nv_tileaa.create_mem_token : {TOKEN}"


@pytest.mark.parametrize(("upper", "constant"), [(2**31 - 4, 3), (2**31 - 1, -1), (5, -6)])
def test_constants_of_narrow_sums_come_last(upper: int, constant: int):
    text = used(
        {"p": POINTERS, "x": "tensor<8xi32>"},
        moved("i32", bounded(upper), constant),
        {"r": POINTERS},
    )
    lines = body_of(canonicalize(text))
    assert not any("addi" in line for line in lines)
    assert f"arith.constant {constant} : i64" in next(line for line in lines if "constant" in line)
    assert sum("nv_tileaa.addptr" in line for line in lines) == 2


def test_constants_of_sums_products_and_shapes_come_last():
    rows, pointers = "tensor<8x1xi32>", "tensor<8x4x!nv_tileaa.ptr<f32>>"
    text = used(
        {"p": pointers, "x": "tensor<8xi32>", "y": "i64", "z": "tensor<8x4xi64>"},
        f"""
        %n = nv_tileaa.assume #nv_tileaa.bounded<0, 99>, %x : tensor<8xi32>
        %v = nv_tileaa.view %n : tensor<8xi32> -> {rows}
        %one = arith.constant dense<-1> : {rows}
        %up = nv_tileaa.addi %v, %one : {rows}
        %wide = arith.extsi %up : {rows} to tensor<8x1xi64>
        %pitch = arith.constant dense<10> : tensor<8x1xi64>
        %row = arith.muli %wide, %pitch : tensor<8x1xi64>
        %all = nv_tileaa.broadcast %row : tensor<8x1xi64> -> tensor<8x4xi64>
        %two = arith.constant 2 : i64
        %less = arith.subi %y, %two : i64
        %column = nv_tileaa.splat %less : i64 -> tensor<8x4xi64>
        %sum = nv_tileaa.addi %all, %column : tensor<8x4xi64>
        %total = arith.subi %z, %sum : tensor<8x4xi64>
        %r = nv_tileaa.addptr %p, %total : {pointers}, tensor<8x4xi64>
        """,
        {"r": pointers},
    )
    lines = body_of(canonicalize(text))
    assert any("arith.constant 12 : i64" in line for line in lines)
    assert sum("arith.subi" in line for line in lines) == 1
    assert "splat" in lines[-2] and "nv_tileaa.addptr" in lines[-1]


def test_constant_offsets():
    module = canonicalize(
        used(
            {"p": POINTERS},
            "%a = arith.constant dense<-3> : tensor<8xi32>\n"
            "%b = arith.constant dense<5> : tensor<8xi32>\n"
            f"%q = nv_tileaa.addptr %p, %a : {POINTERS}, tensor<8xi32>\n"
            f"%r = nv_tileaa.addptr %q, %b : {POINTERS}, tensor<8xi32>",
            {"r": POINTERS},
        )
    )
    assert "arith.constant 2 : i32" in body_of(module)[0]
    assert len(body_of(module)) == 3


@pytest.mark.parametrize(
    ("element", "acc", "a", "c", "expected"),
    [
        ("i8", "i32", "-1", "0", "-1020"),
        ("f16", "f32", "0.5", "1.0", "2.000000e+00"),
        ("f64", "f64", "3.0", "-36.0", "0.000000e+00"),
    ],
)
def test_products_of_equal_elements(element: str, acc: str, a: str, c: str, expected: str):
    attributes = SIGNED if element == "i8" else ""
    module = canonicalize(
        used(
            {},
            f"%a = arith.constant dense<{a}> : tensor<4x4x{element}>\n"
            f"%c = arith.constant dense<{c}> : tensor<4x4x{acc}>\n"
            f"%d = nv_tileaa.dot %a, %a, %c {attributes} : tensor<4x4x{element}>, "
            f"tensor<4x4x{element}>, tensor<4x4x{acc}>",
            {"d": f"tensor<4x4x{acc}>"},
        )
    )
    assert f"arith.constant {expected} : {acc}" in body_of(module)[0]


def test_products_of_different_elements():
    module = canonicalize(
        used(
            {},
            "%a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
            "%b = arith.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>\n"
            "%c = arith.constant dense<[[0.0, 1.0], [0.0, 0.0]]> : tensor<2x2xf32>\n"
            '%d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"} '
            ": tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>",
            {"d": "tensor<2x2xf32>"},
        )
    )
    assert (
        "dense<[[1.900000e+01, 2.300000e+01], [4.300000e+01, 5.000000e+01]]>" in body_of(module)[0]
    )


SPECIAL = {"nan": "0x7FC00000", "infinity": "0x7F800000", "minus zero": "-0.0"}
MATRIX = "tensor<2x2xf32>"


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("operand", ["%a, %b, %s", "%s, %b, %c", "%a, %s, %c", "%s, %s, %s"])
@pytest.mark.parametrize("is_splat", [True, False])
def test_dots_of_special_values_stay(special: str, operand: str, is_splat: bool):
    """As fractions they are no numbers, or lose their sign."""
    value = SPECIAL[special]
    elements = value if is_splat else f"[[1.0, {value}], [2.0, 3.0]]"
    constants = "".join(
        f"%{name} = arith.constant dense<{number}> : {MATRIX}\n"
        for name, number in (("a", "1.0"), ("b", "2.0"), ("c", "0.0"), ("s", elements))
    )
    dot = f"%d = nv_tileaa.dot {operand} : {MATRIX}, {MATRIX}, {MATRIX}"
    text = body_of(canonicalize(used({}, constants + dot, {"d": MATRIX})))
    assert sum("nv_tileaa.dot" in line for line in text) == 1


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%a = arith.constant dense<7> : tensor<4xi32>", "arith.constant 7 : i32"),
        ("%a = nv_tileaa.splat %x : i32 -> tensor<4xi32>", ""),
    ],
)
def test_an_element_of_equal_ones(source: str, expected: str):
    text = used(
        {"x": "i32", "i": "i32"},
        f"{source}\n%r = nv_tileaa.extract %a[%i : i32] : tensor<4xi32> -> i32",
        {"r": "i32"},
    )
    body = body_of(canonicalize(text))
    assert len(body) == bool(expected) and all(expected in line for line in body)


@pytest.mark.parametrize("source", ["arith.constant dense<7>", "nv_tileaa.splat %x : i32 ->"])
def test_rows_of_equal_elements(source: str):
    type = "tensor<4x8xi32>"
    made = f"%a = {source} {type if '%x' in source else f': {type}'}"
    text = used(
        {"x": "i32", "i": "i32"},
        f"{made}\n%r = nv_tileaa.extract %a[%i : i32] : {type} -> tensor<8xi32>",
        {"r": "tensor<8xi32>"},
    )
    body = body_of(canonicalize(text))
    assert body[-1].endswith("tensor<8xi32>") and not any("extract" in line for line in body)


@pytest.mark.parametrize("flags", ["#arith.fastmath<fast>", '"fast"', '"nnan, ninf, nsz"'])
def test_zero_of_floats_with_fast_math(flags: str):
    text = used(
        {"b": "tensor<4x4xf32>", "c": "tensor<4x4xf32>"},
        "%a = arith.constant dense<0.0> : tensor<4x4xf32>\n"
        f"%d = nv_tileaa.dot %a, %b, %c {{fastmath = {flags}}} : tensor<4x4xf32>, tensor<4x4xf32>, "
        "tensor<4x4xf32>",
        {"d": "tensor<4x4xf32>"},
    )
    assert body_of(canonicalize(text)) == []


def test_extract_with_indices():
    module = canonicalize(
        used(
            {"a": "tensor<4x8xf32>", "i": "i32", "j": "i32"},
            "%s = nv_tileaa.sqrt %a : tensor<4x8xf32>\n"
            "%e = nv_tileaa.expand_dims %s {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>\n"
            "%r = nv_tileaa.extract %e[%i, %j : i32, i32] : tensor<4x1x8xf32> -> tensor<8xf32>",
            {"r": "tensor<8xf32>"},
        )
    )
    assert next(line.split(" = ", 1)[1] for line in body_of(module)) == (
        "nv_tileaa.extract %a[%i : i32] : tensor<4x8xf32> -> tensor<8xf32>"
    )
    assert len(body_of(module)) == 2


def test_queue_between_agents():
    queue = "!nv_tileaa.queue<i32, f32, f64>"
    module = canonicalize(
        used(
            {"i": "i32", "x": "f32", "y": "f64"},
            f"%q = nv_tileaa.create_queue {{stages = 1 : i32}} : {queue}\n"
            f"nv_tileaa.execute(%q : {queue}) attributes {{num_agents_per_group = 1 : i32}} {{\n"
            f"^bb0(%o: {queue}):\n"
            f"  nv_tileaa.queue.put %o : {queue} {{\n"
            "    nv_tileaa.queue.yield %i, %x, %y : i32, f32, f64\n  }\n  nv_tileaa.yield\n} {\n"
            f"^bb0(%n: {queue}):\n"
            f"  %a, %b, %c = nv_tileaa.queue.get %n : {queue} -> i32, f32, f64\n"
            '  "test.op"(%b) : (f32) -> ()\n  nv_tileaa.yield\n}',
            {"i": "i32"},
        )
    )
    text = to_text(module)
    assert "!nv_tileaa.queue<i32" not in text
    assert text.count("!nv_tileaa.queue<f32>") == 6
    assert "nv_tileaa.queue.yield %x : f32" in text


def test_queue_of_which_several_agents_use_parts():
    """What one of them uses is carried, though another one does not use it."""
    queue = "!nv_tileaa.queue<i32, f32, f64>"
    get = f"nv_tileaa.queue.get %q : {queue} -> i32, f32, f64"
    module = canonicalize(
        used(
            {"i": "i32", "x": "f32", "y": "f64"},
            f"""%q = nv_tileaa.create_queue {{stages = 2 : i32}} : {queue}
            nv_tileaa.queue.put %q : {queue} {{
              nv_tileaa.queue.yield %i, %x, %y : i32, f32, f64
            }}
            %a, %b, %c = {get}
            %d, %e, %f = {get}
            "test.op"(%f) : (f64) -> ()""",
            {"b": "f32"},
        )
    )
    text = to_text(module)
    assert "nv_tileaa.queue.yield %x, %y : f32, f64" in text
    assert text.count("nv_tileaa.queue.get %q : !nv_tileaa.queue<f32, f64> -> f32, f64") == 2


def test_every_pattern_is_attached():
    for op, patterns in PATTERNS.items():
        (trait,) = (trait for trait in op.traits.traits if isinstance(trait, TileAAPatterns))
        assert trait.get_patterns(op) == patterns
        assert op in NVTileAA.operations


@pytest.mark.parametrize("name", samples.VALID)
def test_canonical_form_is_a_fixed_point(name: str):
    once = to_text(canonicalize(samples.text(samples.VALID[name])))
    assert to_text(canonicalize(once)) == once


KERNEL = """
nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<i32>, %n: i32, %c: i1) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %sixteen = arith.constant 16 : i32
  %range = nv_tileaa.make_range %zero, %sixteen : i32 -> tensor<16xi32>
  %all = nv_tileaa.splat %p : !nv_tileaa.ptr<i32> -> tensor<16x!nv_tileaa.ptr<i32>>
  %each = nv_tileaa.addptr %all, %range : tensor<16x!nv_tileaa.ptr<i32>>, tensor<16xi32>
  %back = arith.constant dense<-1> : tensor<16xi32>
  %on = arith.constant dense<1> : tensor<16xi32>
  %before = nv_tileaa.addptr %each, %back : tensor<16x!nv_tileaa.ptr<i32>>, tensor<16xi32>
  %again = nv_tileaa.addptr %before, %on : tensor<16x!nv_tileaa.ptr<i32>>, tensor<16xi32>
  BODY
  %done = nv_tileaa.store weak %again, %result token = %last : tensor<16x!nv_tileaa.ptr<i32>>, tensor<16xi32> -> !nv_tileaa.mem_token
  nv_tileaa.return
}
"""

LOADED = "%x, %last = nv_tileaa.load weak %again : tensor<16x!nv_tileaa.ptr<i32>> -> tensor<16xi32>, !nv_tileaa.mem_token\n"
SIGNED_BYTES = (
    "{signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<signed>}"
)

BODIES = {
    "a known mask": """
        %m = arith.constant dense<false> : tensor<16xi1>
        %o = arith.constant dense<7> : tensor<16xi32>
        %result, %last = nv_tileaa.load weak %again mask = %m : tensor<16xi1> other = %o : tensor<16xi32> : tensor<16x!nv_tileaa.ptr<i32>> -> tensor<16xi32>, !nv_tileaa.mem_token""",
    "a choice": LOADED
    + """
        %s = arith.select %c, %n, %zero : i32
        %t = nv_tileaa.splat %s : i32 -> tensor<16xi32>
        %result = nv_tileaa.addi %x, %t : tensor<16xi32>""",
    "a swap and modifications": """
        %seven = arith.constant dense<7> : tensor<16xi32>
        %high = arith.constant dense<2147483647> : tensor<16xi32>
        %old, %t0 = nv_tileaa.atomic_cas relaxed gpu %again, %seven, %seven : tensor<16x!nv_tileaa.ptr<i32>>, tensor<16xi32>, tensor<16xi32> -> tensor<16xi32>, !nv_tileaa.mem_token
        %low, %t1 = nv_tileaa.atomic_rmw relaxed gpu min %again, %high token = %t0 : tensor<16x!nv_tileaa.ptr<i32>>, tensor<16xi32> -> tensor<16xi32>, !nv_tileaa.mem_token
        %last = nv_tileaa.join_mem_token [%t1, %t1] : !nv_tileaa.mem_token
        %result = nv_tileaa.addi %old, %low : tensor<16xi32>""",
    "an element of a sum": LOADED
    + """
        %y = nv_tileaa.addi %x, %range : tensor<16xi32>
        %z = nv_tileaa.expand_dims %y {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
        %five = arith.constant 5 : i32
        %e = nv_tileaa.extract %z[%zero, %five : i32, i32] : tensor<1x16xi32> -> i32
        %r = nv_tileaa.splat %e : i32 -> tensor<16x1xi32>
        %w = nv_tileaa.view %r : tensor<16x1xi32> -> tensor<4x4xi32>
        %result = nv_tileaa.view %w : tensor<4x4xi32> -> tensor<16xi32>""",
    "products": LOADED
    + f"""
        %a = arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
        %b = arith.constant dense<[[5, 6], [-7, 8]]> : tensor<2x2xi8>
        %d = arith.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
        %q = nv_tileaa.dot %a, %b, %d {SIGNED_BYTES} : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
        %o = arith.constant dense<0> : tensor<2x2xi8>
        %k = nv_tileaa.dot %a, %o, %q {SIGNED_BYTES} : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
        %v = nv_tileaa.view %k : tensor<2x2xi32> -> tensor<4x1xi32>
        %u = nv_tileaa.broadcast %v : tensor<4x1xi32> -> tensor<4x4xi32>
        %result = nv_tileaa.view %u : tensor<4x4xi32> -> tensor<16xi32>""",
    "a queue": LOADED
    + """
        %q = nv_tileaa.create_queue {stages = 1 : i32} : !nv_tileaa.queue<i32, tensor<16xi32>, i32>
        nv_tileaa.queue.put %q : !nv_tileaa.queue<i32, tensor<16xi32>, i32> {
          nv_tileaa.queue.yield %n, %x, %zero : i32, tensor<16xi32>, i32
        }
        %g, %h, %i = nv_tileaa.queue.get %q : !nv_tileaa.queue<i32, tensor<16xi32>, i32> -> i32, tensor<16xi32>, i32
        %f, %unused = nv_tileaa.pragma : i32, i32 {
          nv_tileaa.yield %g, %i : i32, i32
        }
        %t = nv_tileaa.splat %f : i32 -> tensor<16xi32>
        %result = nv_tileaa.addi %h, %t : tensor<16xi32>""",
}


@pytest.mark.parametrize("name", BODIES)
def test_values_are_kept(name: str):
    text = KERNEL.replace("BODY", BODIES[name])
    results: list[list[int]] = []
    for module in (parse(text), canonicalize(text)):
        array = np.arange(-8, 8, dtype=np.int32)
        launch(module, "kernel", (1, 1, 1), [array, 11, 1])
        results.append(array.tolist())
    assert results[0] == results[1] != list(range(-8, 8))
    assert to_text(canonicalize(text)) != to_text(parse(text))
