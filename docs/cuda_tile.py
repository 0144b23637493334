"""Writes `docs/cuda_tile.md`, the reference of the dialect `cuda_tile`.

`python -m docs.cuda_tile` joins the definitions of the operations, types and attributes in
`tileir_xdsl.dialects.cuda_tile` with the versions that bytecode knows. What no definition says
stands here: which diagnostics cannot occur, and which rules examples of the specification break.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

from xdsl.ir import Attribute, TypeAttribute
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure, RecursiveMemoryEffect

from tileir_xdsl.bytecode.operations import OPERATIONS
from tileir_xdsl.bytecode.types import TYPES, SimpleType
from tileir_xdsl.bytecode.version import V13_1
from tileir_xdsl.dialects.cuda_tile import CudaTile
from tileir_xdsl.dialects.cuda_tile.enums import EnumAttribute
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    ANY_FLOAT_TILE,
    ANY_TYPE,
    BOOLEAN_SCALAR,
    BOOLEAN_TILE,
    FLOAT_TILE,
    I32_SCALAR,
    I64_TILE,
    INTEGER_SCALAR,
    INTEGER_TILE,
    INTEGER_TILE_WITH_I4,
    NUMBER_TILE,
    NUMBER_TILE_WITH_I4,
    POINTER_SCALAR,
    POINTER_TILE,
    TENSOR_VIEW,
    TILE,
    TILE_VIEW,
    TOKEN,
    CudaTileOperation,
)
from tileir_xdsl.transforms.fuse_fma import FuseFmaPass
from tileir_xdsl.transforms.loop_split import LoopSplitPass
from tileir_xdsl.transforms.synthesize_debug_info_scopes import SynthesizeDebugInfoScopesPass

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "cuda_tile.md"
EXAMPLES = REPOSITORY / "tests/unit/dialects/cuda_tile/specification_examples.mlir"
FAMILIES = {
    "core": "Core (8.3)",
    "conversions": "Conversions (8.4)",
    "control_flow": "Control flow (8.5)",
    "pointer_accesses": "Memory (8.6)",
    "floating_point": "Floating point (8.7)",
    "integer": "Integer (8.8)",
    "bitwise": "Bitwise (8.9)",
    "atomics": "Atomics (8.10)",
    "view": "Views (8.11)",
    "miscellaneous": "Miscellaneous (8.12)",
    "grid_dependency": "Grid dependency",
    "multimem": "Multicast memory",
    "functions": "Functions",
}
"""The family of an operation, with its section of the specification, by how the name of its module
starts."""

FIRST = str(V13_1)
"""The version that rows leave out."""
OPERATION_COLUMNS = ("operation", "section", "since", "effects", "syntax", "types", "meaning")
CONSTRAINTS = {
    FLOAT_TILE: "float tile",
    ANY_FLOAT_TILE: "any float tile",
    INTEGER_TILE: "integer tile",
    INTEGER_TILE_WITH_I4: "integer or i4 tile",
    NUMBER_TILE: "number tile",
    NUMBER_TILE_WITH_I4: "number or i4 tile",
    BOOLEAN_TILE: "boolean tile",
    I64_TILE: "i64 tile",
    POINTER_TILE: "pointer tile",
    TILE: "tile",
    INTEGER_SCALAR: "integer scalar",
    I32_SCALAR: "i32 scalar",
    BOOLEAN_SCALAR: "boolean scalar",
    POINTER_SCALAR: "pointer scalar",
    TENSOR_VIEW: "tensor view",
    TILE_VIEW: "tile view",
    TOKEN: "token",
    ANY_TYPE: "any type",
}
"""Short names of the type constraints that operations share."""

DISCARDABLE = re.compile(r" ?\(\{\.\.\}\)\?")
"""Attributes that every operation takes and that the page says once."""

EFFECTS = (
    (IsTerminator, "terminator"),
    (Pure, "pure"),
    (NoMemoryEffect, "none"),
    (RecursiveMemoryEffect, "of its body"),
)
PASSES: tuple[type[ModulePass], ...] = (FuseFmaPass, LoopSplitPass, SynthesizeDebugInfoScopesPass)

VIOLATED_RULES = {
    "reduce_0": "The first argument of each pair is an element of the input tile; here it is "
    "declared `tile<2xf32>`. And of `addf`: lhs, rhs and result must have the same shape and "
    "element type",
    "reduce_1": "The output tiles will have a matching shape in every dimension except the one "
    "being reduced, which is removed; here dimension 0 of `tile<8x64xf32>` is reduced to "
    "`tile<8xf32>`",
    "unpack_1": "The element type is spelled `f4E2M1FN`, as in the example of `pack`",
    "atomic_rmw_tko_0": "No comma before `token=`, as in the examples of `atomic_cas_tko` and "
    "`load_ptr_tko`",
    "assume_example_SameElements_0": "Only non-pointer types of the same bit width are allowed. "
    "Pointer types must use `cuda_tile.ptr_to_int` or `cuda_tile.int_to_ptr` instead",
}
"""The rule of the specification that an example of it breaks, by the name of the example."""

CANNOT_OCCUR = {
    "expected index type to be a tile type, got §": "the operands are constrained to integer "
    "tiles, which is checked first",
    "gather/scatter dimension § is out of range for index count §": "the type of the view checks "
    "its dimension, the operation the number of indices, both before",
    "view operand must be a TileView type": "the operand is constrained to tile views, which is "
    "checked first",
    "'cuda_tile.join_tokens' op expect two or more tokens": "a join of one token is that "
    "token, one of none a new token: the specification has no such rule",
    "op expect non-empty block": "a block without terminator is refused before",
    "only pure operations are allowed inside '§'": "from 13.4 on the reference says "
    "`memory-effect-free` and accepts more",
    "extract index § has negative value §, which may cause undefined behavior": "a warning "
    "there, a remark of `convert-cuda-tile-to-tileaa` here",
    "extract index § value § may be out of bounds (max valid index: §)": "a warning "
    "there, a remark of `convert-cuda-tile-to-tileaa` here",
}
"""Diagnostics of the reference, § for what is filled in, that are never given, and why."""

INTRODUCTION = """# cuda_tile

`cuda_tile` is the input dialect. This page lists the dialect's syntax, ops and types.
Written by `python -m docs.cuda_tile` from the definitions in `tileir_xdsl/dialects/cuda_tile`.

## Operations

Syntax: `(x)?` is optional, `a|b` a choice, and `..` repeats the preceding element. Each operation
takes discardable attributes `{..}`, before the colon of its types or at its end. `SEMANTICS` is a
memory ordering, `SCOPE` a memory scope, `MODE` the update of an atomic. Inside a `cuda_tile.module`
the prefixes `cuda_tile.` and `!cuda_tile.` may be left out. `tileir fmt` prints this short form,
`xdsl-opt` full names.

Since: the bytecode version that added the operation (13.1 if empty), and the versions that added
further operands, results and attributes. Effects: a `pure` operation may be moved and removed; a
`none` operation touches no memory, but is undefined for some operands; other operations are neither
moved nor removed, and are ordered by tokens.

"""

WORDING = """## Where the words are xDSL's

Diagnostics are those of the reference implementation, also for parse errors within `cuda_tile`
regions. xDSL words the other diagnostics: an unknown operation, the syntax of attributes, types and
affine maps of MLIR, and all text outside of a `cuda_tile.module`. `xdsl-opt` prints a position only
for parse errors, `tileir` for all.

`tileir` also reads aliases that `tileirdisasm -g` defines at the end of the text. A location in a
scope is an MLIR fused location; `tileir disasm -g` prints it as `#cuda_tile.di_loc`.

Several messages of the reference about one failure are one error of several lines here. Warnings of
the reference are remarks of `convert-cuda-tile-to-tileaa`. Remarks also report violated rules that
`tileiras` does not enforce, such as a `return` in a `loop`.
"""


def sentence(docstring: str | None) -> str:
    """A docstring on one line."""
    return re.sub(r"\s+", " ", docstring or "").strip()


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "\\|")


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table."""
    names = list(header)
    lines = [names, ["---"] * len(names), *([cell(text) for text in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def operations() -> Iterator[type[CudaTileOperation]]:
    """All operations, in the order of the dialect."""
    for operation in CudaTile.operations:
        assert issubclass(operation, CudaTileOperation)
        yield operation


def family(operation: type[CudaTileOperation]) -> str:
    """The family of an operation."""
    module = operation.__module__.rpartition(".")[2]
    return next(name for prefix, name in FAMILIES.items() if module.startswith(prefix))


def results(operation: type[CudaTileOperation]) -> str:
    """`%result = `, or nothing."""
    names = [
        f"%{value.name}" + (", .." if value.is_variadic else "")
        for value in operation.DEFINITION.results
    ]
    return f"{', '.join(names)} = " if names else ""


def types(operation: type[CudaTileOperation]) -> str:
    """What operands and results may be."""
    definition = operation.DEFINITION
    values: dict[str, list[str]] = {}
    for value in (*definition.operands, *definition.results):
        constraint = CONSTRAINTS.get(value.constraint, value.constraint.description)
        values.setdefault(constraint, []).append(f"`{value.name}`")
    return "; ".join(f"{', '.join(names)}: {constraint}" for constraint, names in values.items())


def effects(operation: type[CudaTileOperation]) -> str:
    """What the operation does besides giving its results."""
    found = (name for trait, name in EFFECTS if operation.has_trait(trait))
    return next(found, "")


def younger_members() -> Mapping[type[CudaTileOperation], str]:
    """For each operation, what it got after its first version."""
    members: dict[type[CudaTileOperation], str] = {}
    for row in OPERATIONS:
        since = {slot.name: slot.since for slot in row.slots} | dict(row.younger)
        young = [f"`{n}` {v}" for n, v in since.items() if v > row.since]
        members[row.operation] = "; ".join(young)
    return members


def section_of(operation: type[CudaTileOperation]) -> str:
    """The section of the specification about an operation, or nothing."""
    found = re.search(r"Section (8\.\d+\.\d+)\.", sentence(operation.__doc__))
    return found[1] if found else ""


def operation_rows(wanted: str) -> Iterator[tuple[str, ...]]:
    """One row per operation of a family."""
    younger = younger_members()
    for operation in operations():
        if family(operation) != wanted:
            continue
        documentation = sentence(operation.__doc__)
        members = younger.get(operation, "")
        name = operation.name.removeprefix("cuda_tile.")
        form = DISCARDABLE.sub("", operation.describe_form())
        yield (
            f"`{operation.name}`",
            section_of(operation),
            "; ".join(each for each in (str(operation.SINCE), members) if each and each != FIRST),
            effects(operation),
            f"`{results(operation)}{name} {form.strip()}`",
            types(operation),
            re.sub(r" ?Section 8\.\d+\.\d+\.", "", documentation),
        )


def attribute_row(attribute: type[Attribute]) -> tuple[str, str, str, str]:
    """Name, text, first version and meaning of a type or an attribute."""
    documentation = sentence(attribute.__doc__)
    text = re.match(r"(`[^`]*`(?: or `[^`]*`)?)[:.;]? ?(.*)", documentation)
    assert text, attribute
    if issubclass(attribute, EnumAttribute):
        values = ", ".join(f"`{v}` {number}" for number, v in enumerate(attribute.enum_type))
        meaning = f"{sentence(attribute.enum_type.__doc__)} {values}"
    else:
        meaning = text[2][:1].upper() + text[2][1:]
    since = {
        type(row.type) if isinstance(row, SimpleType) else row.cls: str(row.since)
        for row in TYPES.values()
    }
    return f"`{attribute.name}`", text[1], since.get(attribute, ""), meaning


def pass_rows() -> Iterator[tuple[str, str, str]]:
    """Name, options and purpose of the passes on the dialect."""
    for module_pass in PASSES:
        source = REPOSITORY / (module_pass.__module__.replace(".", "/") + ".py")
        found = re.match(r'"""`([\w-]+)`: (.*?)\n\n', source.read_text("utf-8"), flags=re.S)
        assert found
        options = [f"`{f.name.replace('_', '-')}={f.default}`" for f in fields(module_pass)]
        yield f"`{found[1]}`", ", ".join(options), sentence(found[2]).rstrip(".")
    yield (
        "`canonicalize`",
        "",
        "folds of constants, selects and assumptions; branches of `if` that are known, alike, "
        "empty or nested; what nobody uses. No arithmetic is folded",
    )


def invalid_examples() -> dict[str, str]:
    """The diagnostic of each example of the specification that breaks one of its rules."""
    found: dict[str, str] = {}
    for text in EXAMPLES.read_text("utf-8").split("// -----\n"):
        messages = re.findall(r"// INVALID: (.*)", text)
        name = re.search(r"// (8\.\d+\.\d+) (\w+)", text)
        if messages and name:
            found[name[2]] = f"section {name[1]}: {' '.join(f'`{m}`' for m in messages)}"
    return found


def page() -> str:
    """The text of the page."""
    kinds = [a for a in CudaTile.attributes if issubclass(a, TypeAttribute)]
    others = [a for a in CudaTile.attributes if not issubclass(a, TypeAttribute)]
    return "".join(
        (
            INTRODUCTION,
            *(
                f"### {name}\n\n" + table(OPERATION_COLUMNS, operation_rows(name))
                for name in FAMILIES.values()
            ),
            "### Type constraints\n\nDiagnostics print these texts for the constraints above.\n\n",
            table(
                ("name", "description"),
                ((name, constraint.description) for constraint, name in CONSTRAINTS.items()),
            ),
            "## Types\n\n",
            table(("type", "text", "since", "meaning"), map(attribute_row, kinds)),
            "## Attributes\n\nBytecode stores a value of an enumeration as its number.\n\n",
            table(
                ("attribute", "text", "meaning"),
                ((name, text, meaning) for name, text, _, meaning in map(attribute_row, others)),
            ),
            "## Passes\n\n",
            table(("pass", "options", "what it does"), pass_rows()),
            "## Examples of the specification that do not parse\n\n",
            table(
                ("example", "diagnostic", "rule of the specification"),
                ((f"`{n}`", m, VIOLATED_RULES[n]) for n, m in invalid_examples().items()),
            ),
            "## Diagnostics that cannot occur\n\n"
            "The reference can report these texts (§ is a value), this compiler cannot.\n\n",
            table(
                ("diagnostic", "reason"), ((f"`{d}`", reason) for d, reason in CANNOT_OCCUR.items())
            ),
            WORDING,
        )
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
