"""Writes `docs/nv_tileas_grammar.md`, the grammar of `nv_tileas` on one page.

`python -m docs.nv_tileas_grammar` reads the declarations. Each op, type and attribute is one line,
with its operands, properties, regions and results, and the types of all of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

from xdsl.dialects.builtin import AnyFloat, ArrayOfConstraint, IntegerAttr
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    OptionalDef,
    OptPropertyDef,
    ParamAttrConstraint,
    VariadicDef,
)

from docs.site.docstrings import doc_of, first_sentence
from tileir_xdsl.dialects.enum_attribute import EnumAttribute
from tileir_xdsl.dialects.nv_tileaa.constraints import LoweredType
from tileir_xdsl.dialects.nv_tileas import NVTileAS

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "nv_tileas_grammar.md"

INTRODUCTION = """# Grammar of `nv_tileas`

This page has one line for each op, type and attribute of `nv_tileas`. Written by
`python -m docs.nv_tileas_grammar` from the declarations in
`tileir_xdsl/dialects/nv_tileas`; a test compares the two. [nv_tileas](nv_tileas.md) explains the
dialect.

A line has the form `op operands {properties} (regions) -> results`, with types after colons. `x?`
is optional, `x*` is any number of x, `a | b` is a choice, and `any` is any type of a level below
`cuda_tile`. Lists are in brackets. The dialect's prefix `nv_tileas.` is omitted.
"""

SEGMENT_SIZES = ("operandSegmentSizes", "resultSegmentSizes")

CHOICES: Mapping[str, set[str]] = {
    rule: set(names.split())
    for rule, names in {
        "integer": "integer_type index",
        "scalar": "integer_type float index nv_tileaa.ptr",
        "value": "integer_type float index nv_tileaa.ptr tensor<scalar>",
        "buffer": "tensor memref tiled_view",
        "view": "tensor tiled_view nv_tileaa.tiled_view",
        "tiles": "tensor memref tiled_view nv_tileaa.tiled_view",
        "object": "tensor memref tiled_view nv_tileaa.tiled_view nv_tileaa.memref",
        "padding": "nv_tileaa.padding_value float integer",
        "completion": "async_token async.value",
        "token": "async_token nv_tileaa.mem_token",
        "stage_token": "async.pipeline.producer_token async.pipeline.consumer_token",
        "descriptor": "tma_desc cute_nvgpu.tma_descriptor_tiled",
    }.items()
}
"""Names of choices between types that several ops have."""

ANY = "any"


def short(name: str) -> str:
    """The name of an op, a type or an attribute without the prefix of the dialect."""
    return name.removeprefix(f"{NVTileAS.name}.")


FLOATS = frozenset(one.name for one in get_args(AnyFloat))


def names(constraint: Any) -> set[str]:
    """The types or attributes that a constraint allows."""
    match constraint:
        case AnyAttr() | LoweredType():
            return {ANY}
        case EqAttrConstraint(attr=attr):
            return {short(str(attr).lstrip("!#"))}
        case BaseAttr(attr=attr):
            name = getattr(attr, "name", None)
            return {short(name) if isinstance(name, str) else attr.__name__}
        case AnyOf(attr_constrs=several):
            found = set[str]().union(*map(names, several))
            return found - FLOATS | {"float"} if found >= FLOATS else found
        case ParamAttrConstraint(base_attr=base, param_constrs=parameters):
            given = [text for text in map(choice, parameters) if text not in (ANY, "builtin.int")]
            is_number = issubclass(base, IntegerAttr)
            return {", ".join(given) if is_number else f"{base.name}<{', '.join(given)}>"}
        case ArrayOfConstraint(elem_range_constraint=elements):
            return {f"[{choice(elements)}]"}
        case _:
            # A range of one element, or a message, around another constraint.
            parts = ("constr", "constraint")
            inner = next((getattr(constraint, p) for p in parts if hasattr(constraint, p)), None)
            return {ANY} if inner is None else names(inner)


def choice(constraint: Any) -> str:
    """The name of a constraint among `CHOICES`, or the types that it allows."""
    found = names(constraint)
    name = next((name for name, choices in CHOICES.items() if choices == found), None)
    return name or " | ".join(sorted(found))


def suffix(defined: object) -> str:
    """How often a value occurs."""
    if isinstance(defined, OptionalDef | OptPropertyDef):
        return "?"
    return "*" if isinstance(defined, VariadicDef) else ""


def listed(defined: Iterable[tuple[str, Any]]) -> str:
    """Operands, properties or results, with their types."""
    return ", ".join(f"{name}{suffix(one)}: {choice(one.constr)}" for name, one in defined)


def line(op: type[Operation]) -> str:
    """The line of an op."""
    assert issubclass(op, IRDLOperation)
    definition = op.get_irdl_definition()
    properties = {n: one for n, one in definition.properties.items() if n not in SEGMENT_SIZES}
    parts = [short(op.name), listed(definition.operands)]
    parts += [f"{{{listed(properties.items())}}}"] if properties else []
    parts += [f"({name}{suffix(region)})" for name, region in definition.regions]
    parts += ["->", listed(definition.results)] if definition.results else []
    return " ".join(filter(None, parts))


def rule(attribute: type[Attribute]) -> str:
    """The line of a type or an attribute: the values of an enumeration, else its meaning."""
    if issubclass(attribute, EnumAttribute):
        return f"{short(attribute.name)} = {' | '.join(attribute.enum_type)}"
    text = first_sentence(doc_of(attribute))
    return text if text.startswith("`") else f"`{attribute.name}`: {text}"


def op_lines() -> Iterator[str]:
    """The lines of the ops, after a comment for each family."""
    ops = sorted(NVTileAS.operations, key=lambda op: (op.__module__, op.name))
    for module, family in groupby(ops, key=lambda op: op.__module__):
        yield f"// {module.rpartition('.')[2].replace('_', ' ')}"
        yield from map(line, family)


def block(title: str, lines: Iterable[str]) -> str:
    """A section with a line each."""
    return "\n".join((f"## {title}", "", "```text", *lines, "```"))


def page() -> str:
    """The text of the page."""
    attributes = sorted(NVTileAS.attributes, key=lambda one: one.name)
    choices = (f"{name} = {' | '.join(sorted(one))}" for name, one in CHOICES.items())
    types = [one for one in attributes if issubclass(one, TypeAttribute)]
    others = [one for one in attributes if one not in types]
    sections = (
        block("Ops", op_lines()),
        block("Choices", choices),
        block("Types", map(rule, types)),
        block("Attributes", map(rule, others)),
    )
    return "\n\n".join((INTRODUCTION, *sections)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
