"""The reference of the dialects, from their definitions: ops by family, types and attributes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute
from xdsl.irdl import (
    AllOf,
    AnyAttr,
    AnyOf,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    OptionalDef,
    OptPropertyDef,
    ParamAttrConstraint,
    ParametrizedAttribute,
    VarConstraint,
    VariadicDef,
)

from docs.site.docstrings import cell, doc_of
from tileir_xdsl.universe import DIALECTS

FOLDER = "reference/dialects"


def pages() -> dict[str, str]:
    """The pages by path: one of each dialect, and one that lists them."""
    made = {name: factory() for name, factory in sorted(DIALECTS.items())}
    lines = [
        "# Dialects",
        "",
        "What `xdsl-opt` knows besides xDSL's own.",
        "",
        "| dialect | ops | types and attributes |",
        "|---|---|---|",
    ]
    lines += [
        f"| [`{name}`](dialects/{name}.md) | {len(list(one.operations))} "
        f"| {len(list(one.attributes))} |"
        for name, one in made.items()
    ]
    listed = {f"{FOLDER}.md": "\n".join(lines) + "\n"}
    return listed | {f"{FOLDER}/{name}.md": _page(name, one) for name, one in made.items()}


def _page(name: str, dialect: Dialect) -> str:
    lines = [f"# `{name}`", ""]
    families: dict[str, list[type[Operation]]] = {}
    for op in sorted(dialect.operations, key=lambda op: op.name):
        families.setdefault(op.__module__.rpartition(".")[2], []).append(op)
    for family, ops in sorted(families.items()):
        lines += [f"## {family.replace('_', ' ').strip().capitalize()}", ""]
        for op in ops:
            lines += _op(op)
    attributes = sorted(dialect.attributes, key=lambda one: one.name)
    for title, chosen in (
        ("Types", [one for one in attributes if issubclass(one, TypeAttribute)]),
        ("Attributes", [one for one in attributes if not issubclass(one, TypeAttribute)]),
    ):
        if chosen:
            lines += [f"## {title}", ""]
            for one in chosen:
                lines += _attribute(one)
    return "\n".join(lines).rstrip() + "\n"


def _op(op: type[Operation]) -> Iterator[str]:
    yield from (f"### `{op.name}`", "", doc_of(op), "")
    if not issubclass(op, IRDLOperation):
        return
    definition = op.get_irdl_definition()
    rows = [
        *_values("operand", definition.operands),
        *_properties(definition.properties),
        *_values("result", definition.results),
        *(f"| region | `{name}` | |" for name, _ in definition.regions),
        *(f"| successor | `{name}` | |" for name, _ in definition.successors),
    ]
    if rows:
        yield from ("| | name | what it takes |", "|---|---|---|", *rows, "")


def _values(kind: str, defined: Sequence[tuple[str, Any]]) -> Iterator[str]:
    for name, one in defined:
        taken = cell(words(one.constr))
        many = "any number" if isinstance(one, VariadicDef) else ""
        often = "optional" if isinstance(one, OptionalDef) else many
        yield f"| {', '.join(filter(None, (kind, often)))} | `{name}` | {taken} |"


def _properties(defined: Any) -> Iterator[str]:
    for name, one in defined.items():
        if name in ("operandSegmentSizes", "resultSegmentSizes"):
            continue
        kind = "property, optional" if isinstance(one, OptPropertyDef) else "property"
        yield f"| {kind} | `{name}` | {cell(words(one.constr))} |"


def words(constraint: Any) -> str:
    """A constraint of IRDL in words; empty where anything is allowed."""
    match constraint:
        case EqAttrConstraint(attr=attr):
            return f"`{attr}`"
        case BaseAttr(attr=attr):
            return _name(attr)
        case AnyOf(attr_constrs=several):
            return " or ".join(dict.fromkeys(filter(None, map(words, several))))
        case AllOf(attr_constrs=several):
            return " and ".join(dict.fromkeys(filter(None, map(words, several))))
        case ParamAttrConstraint(base_attr=base, param_constrs=parameters):
            inner = [text for text in map(words, parameters) if text]
            return f"{_name(base)} of {', '.join(inner)}" if inner else _name(base)
        case VarConstraint(constraint=inner):
            return words(inner)
        case AnyAttr():
            return ""
        case _:
            for part in ("constr", "constraint"):
                if (inner := getattr(constraint, part, None)) is not None:
                    return words(inner)
            name = type(constraint).__name__
            return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).removesuffix(" Constraint").lower()


def _name(attribute: type[Attribute]) -> str:
    name = getattr(attribute, "name", "")
    return f"`{name}`" if isinstance(name, str) and name else attribute.__name__


def _attribute(one: type[Attribute]) -> Iterator[str]:
    yield from (f"### `{one.name}`", "", doc_of(one) or "No parameters beyond its name.", "")
    if not issubclass(one, ParametrizedAttribute):
        return
    parameters = cast(Any, one).get_irdl_definition().parameters
    if parameters:
        yield from ("| parameter | what it takes |", "|---|---|")
        for name, defined in parameters:
            taken = cell(words(getattr(defined, "constr", defined)))
            yield f"| `{name}` | {taken} |"
        yield ""
