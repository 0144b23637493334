"""Words that the custom form of an operation demands, where another word or none stands."""

import pytest
from xdsl.utils.exceptions import ParseError

from tileir_xdsl.dialects.cuda_tile import ComparisonPredicate, CudaTile
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.dialects.cuda_tile.syntax import Directive, Overflow, Rounding
from tileir_xdsl.testing.tools import parse

FORMS = {
    "cat": ("%a, %a ; = 0 : T, T -> T", ["dim"]),
    "reduce": ("%a ; = 0 ; = [0.0 : f32] : T -> T (%x: T, %y: T) { }", ["dim", "identities"]),
    "scan": (
        "%a ; = 0 ; = false ; = [0.0 : f32] : T -> T (%x: T, %y: T) { }",
        ["dim", "reverse", "identities"],
    ),
    "for": ("%i ; (%a ; %a, ; %a) : T { }", ["in", "to", "step"]),
    "alloca": ("; = 4, ; = 16 : T", ["num_elem", "alignment"]),
    "make_tensor_view": ("%p, ; = [4], ; = [1] : V", ["shape", "strides"]),
}
"""Custom forms with `;` where a word is demanded, and the words in their order."""

REQUIRED = [(name, index) for name, (_, words) in FORMS.items() for index in range(len(words))]


def message(text: str) -> str:
    """What reading an operation reports."""
    text = text.replace("T", "tile<i32>").replace("V", "tensor_view<4xf32, strides=[1]>")
    with pytest.raises(ParseError) as error:
        parse(f"cuda_tile.module @m {{ entry @f() {{ {text} }} }}")
    return error.value.msg


@pytest.mark.parametrize("wrong", ["word", "", "7"])
@pytest.mark.parametrize(("name", "index"), REQUIRED)
def test_required_word(name: str, index: int, wrong: str):
    form, words = FORMS[name]
    given = [*words[:index], wrong, *words[index + 1 :]]
    parts = form.split(";")
    text = parts[0] + "".join(w + part for w, part in zip(given, parts[1:], strict=True))
    assert message(f"{name} {text}") == f"custom op 'cuda_tile.{name}' expected '{words[index]}'"


SIGNEDNESS = "expected signedness to be one of: {'signed', 'unsigned'}"
PREDICATES = (
    "expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', "
    "'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}"
)
ORDERINGS = "expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}"
CHOICES = {
    "unsigned|signed": SIGNEDNESS,
    "unordered|ordered": ORDERINGS,
    "|".join(ComparisonPredicate): PREDICATES,
}
"""What is reported in place of one of these words."""

IEEE = "'nearest_even', 'zero', 'negative_inf', 'positive_inf'"
ROUNDINGS = {
    **dict.fromkeys(("addf", "subf", "mulf", "fma", "ftof", "itof"), f"{IEEE}, got: 'word'"),
    "ftoi": "'nearest_int_to_zero', got: 'word'",
    "divf": f"{IEEE}, 'approx', 'full'",
    "sqrt": f"{IEEE}, 'approx'",
    "exp": "'approx', 'full'",
    "tanh": "'approx', 'full'",
    "divi": "'zero', 'negative_inf', 'positive_inf'",
}
"""The modes that an operation lists, and whether it repeats the word, by name."""


def sites() -> list[tuple[str, Directive, str]]:
    """Each directive with a word of an enumeration: operation, directive, and the text before."""
    found: list[tuple[str, Directive, str]] = []
    for operation in CudaTile.operations:
        if not issubclass(operation, CudaTileOperation):
            continue
        before = operation.name.removeprefix("cuda_tile.")
        for directive in operation.SYNTAX:
            form = directive.describe()
            if isinstance(directive, Overflow | Rounding) or form in CHOICES:
                found.append((operation.name, directive, before))
            if form == ":" or "[" in form or "SEMANTICS" in form:
                break
            # The parts before take their first word; optional parts are left out.
            before += "" if form.startswith("(") else f" {form.split('|')[0]}"
    return found


SITES = sites()


@pytest.mark.parametrize(
    ("name", "directive", "before"), [pytest.param(*site, id=site[2]) for site in SITES]
)
def test_words_of_enumerations(name: str, directive: Directive, before: str):
    prefix = f"custom op '{name}' "
    short = name.removeprefix("cuda_tile.")
    match directive:
        case Overflow():
            type_ = "::mlir::cuda_tile::IntegerOverflow"
            failed = (
                f"\n{prefix}failed to parse CudaTile_IntegerOverflowAttr parameter 'value' which "
                f"is to be a `{type_}`"
            )
            words = "none, no_signed_wrap, no_unsigned_wrap, no_wrap"
            unknown = f"{prefix}expected {type_} to be one of: {words}{failed}"
            assert message(f"{before} overflow<word>") == unknown
            missing = f"{prefix}expected valid keyword or string{failed}"
            assert message(f"{before} overflow<>") == missing
            assert message(f"{before} overflow none") == "expected '<'"
            assert message(f"{before} overflow<none : T") == "expected '>'"
        case Rounding():
            unknown = f"{prefix}expected rounding mode to be one of: {ROUNDINGS[short]}"
            assert message(f"{before} rounding<word>") == unknown
            assert message(f"{before} rounding<>") == f"{prefix}expected valid keyword"
            assert message(f"{before} rounding zero") == "expected '<'"
        case _:
            words = CHOICES[directive.describe()]
            assert message(f"{before} word") == f"{prefix}{words}"
            missing = f"{prefix}expected valid keyword\n{prefix}{words}"
            assert message(f"{before} 7") == missing


def test_the_sites_are_all_there():
    named = [(name.removeprefix("cuda_tile."), type(d).__name__) for name, d, _ in SITES]
    assert {name for name, kind in named if kind == "Rounding"} == set(ROUNDINGS)
    overflow = {"addi", "subi", "muli", "shli", "negi", "trunci"}
    assert {name for name, kind in named if kind == "Overflow"} == overflow
    signs = [name for name, kind in named if kind == "SignednessKeyword"]
    counts = {"maxi": 1, "mini": 1, "remi": 1, "shri": 1, "divi": 1, "cmpi": 1, "mmai": 2}
    assert {name: signs.count(name) for name in signs} == counts | dict.fromkeys(
        ("exti", "ftoi", "itof"), 1
    )
