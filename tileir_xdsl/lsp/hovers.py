"""Descriptions of the name under the pointer, in Markdown for editors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.context import Context
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.nv_tileas.layout import REGISTER_MODES, LayoutAttr, tile_layout
from tileir_xdsl.dialects.nv_tileas.types import layout_of, memory_of
from tileir_xdsl.drawings.layouts import describe
from tileir_xdsl.drawings.tile_panels import shown_of
from tileir_xdsl.layout.cute import LayoutError, Swizzle
from tileir_xdsl.lsp.analysis import Analysis
from tileir_xdsl.lsp.parsing import Name
from tileir_xdsl.lsp.source import Span
from tileir_xdsl.targets.atoms import Memory

MOST_TEXT = 2000
"""The most characters of a type or attribute that are shown."""


def hover(analysis: Analysis, context: Context, offset: int) -> tuple[str, Span] | None:
    """The Markdown for an offset, and the range that it describes; None if nothing is known."""
    name = analysis.name_at(offset)
    if name is not None:
        text = _of_block(name.named) if isinstance(name.named, Block) else _of_values(name)
        return (text, name.span) if text else None
    span = analysis.source.word_at(offset)
    if span is None:
        return None
    word = analysis.source.text[slice(*span)]
    for text in (
        _of_symbol(analysis, word),
        _of_alias(analysis, word),
        _of_operation(analysis, word, span),
        _of_attribute(context, word),
    ):
        if text:
            return text, span
    return None


def _code(text: str) -> str:
    shown = text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} .."
    return f"```mlir\n{shown}\n```"


def _paragraphs(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _of_values(name: Name) -> str:
    assert not isinstance(name.named, Block)
    return _paragraphs([_of_value(value) for value in name.named])


def _of_value(value: SSAValue) -> str:
    label = f"%{value.name_hint}" if value.name_hint else "a value"
    uses = sum(1 for _ in value.uses)
    return _paragraphs(
        [
            _code(f"{label} : {_short(value.type)}"),
            f"{_origin(value)}; used {uses} time{'' if uses == 1 else 's'}.",
            layout_words(value.type),
        ]
    )


def _origin(value: SSAValue) -> str:
    if isinstance(value, BlockArgument):
        around = value.block.parent_op()
        of = "a block" if around is None else f"`{around.name}`"
        return f"Argument {value.index} of {of}"
    owner = value.owner
    return f"Result of `{owner.name}`" if isinstance(owner, Operation) else "A value"


def _short(attribute: Attribute) -> str:
    """A type or attribute as text; types of `cuda_tile` omit optional prefixes."""
    return str(attribute).replace(f"!{cuda_tile.CudaTile.name}.", "")


def layout_words(type: Attribute) -> str:
    """Describes the layout of a tile or buffer of this type; empty if the type has none."""
    try:
        layout = tile_layout(type)
    except LayoutError:
        return ""
    if layout is not None:
        return describe(layout, replace(shown_of(layout.shape), left_out=""))
    memory, descriptor = memory_of(type), layout_of(type)
    if descriptor is None:
        return "" if memory is None else f"In {_MEMORIES[memory]}."
    return _memory_words(descriptor, "memory" if memory is None else _MEMORIES[memory])


_MEMORIES = {
    Memory.SHARED: "shared memory",
    Memory.TENSOR: "tensor memory",
    Memory.GLOBAL: "global memory",
    Memory.REGISTER: "registers",
}


def _memory_words(attribute: LayoutAttr, memory: str) -> str:
    data = attribute.data
    lines = [f"In {memory}, as shape:stride of the dimensions: {data.layout}."]
    if data.swizzle is not None:
        lines.append(_swizzle_words(data.swizzle))
    return "\n".join(lines)


def _swizzle_words(swizzle: Swizzle) -> str:
    bits, base, shift = swizzle.bits, swizzle.base, swizzle.shift
    if bits == 0:
        return "Not swizzled."
    changed = f"bits {base} to {base + bits - 1}"
    by = f"bits {base + shift} to {base + shift + bits - 1}"
    return (
        f"Swizzled: of a byte's offset, {changed} are combined by exclusive or with {by}; "
        f"runs of {1 << base} bytes stay together."
    )


def _of_block(block: Block) -> str:
    types = ", ".join(_short(argument.type) for argument in block.args)
    uses = f"Block with {len(block.args)} argument{'' if len(block.args) == 1 else 's'}"
    return _paragraphs([f"{uses}.", _code(types) if types else ""])


def _of_symbol(analysis: Analysis, word: str) -> str:
    if not word.startswith("@"):
        return ""
    for symbol in analysis.all_symbols():
        if symbol.name == word[1:].strip('"'):
            start, end = symbol.span
            end = min(end, analysis.source.end_of_line(start))
            line = analysis.source.text[start:end].rstrip(" {")
            return _paragraphs([_code(line), _documentation(type(symbol.op))])
    return ""


def _of_alias(analysis: Analysis, word: str) -> str:
    attribute = analysis.records.aliases.get(word)
    if attribute is None:
        return ""
    return _paragraphs([_code(f"{word} = {_short(attribute)}"), _attribute_words(attribute)])


def _attribute_words(attribute: Attribute) -> str:
    if isinstance(attribute, LayoutAttr):
        if attribute.data.layout.rank == REGISTER_MODES:
            return f"As shape:stride of (register, lane, warp, block): {attribute.data.layout}."
        return _memory_words(attribute, "memory")
    return layout_words(attribute)


def _of_operation(analysis: Analysis, word: str, span: Span) -> str:
    op = analysis.operation_at(span[0])
    if op is None or (op.name != word and not op.name.endswith(f".{word}")):
        return ""
    start, _ = analysis.span_of(op)
    # The same name may also be a type or a keyword of the op.
    if word in analysis.source.text[start : span[0]].replace("%", " ").split():
        return ""
    results = ", ".join(_short(result.type) for result in op.results)
    return _paragraphs(
        [
            f"**{op.name}**",
            documented_operation(type(op)),
            _code(results) if results else "",
            *dict.fromkeys(layout_words(result.type) for result in op.results),
            *(
                f"`{key}`: {_attribute_words(value)}"
                for key, value in {**op.properties, **op.attributes}.items()
                if isinstance(value, LayoutAttr)
            ),
        ]
    )


def _documentation(cls: type) -> str:
    # Not that of a base class, which says nothing of the op.
    return inspect.cleandoc(cls.__doc__) if cls.__doc__ else ""


def documented_operation(op_type: type[Operation]) -> str:
    """The documentation of an op, and the names of its operands, results and attributes."""
    return _paragraphs([_documentation(op_type), "\n".join(_signature(op_type))])


def _signature(op_type: type[Operation]) -> Iterator[str]:
    if not issubclass(op_type, IRDLOperation):
        return
    definition = op_type.get_irdl_definition()
    for kind, fields in (
        ("Operands", [name for name, _ in definition.operands]),
        ("Results", [name for name, _ in definition.results]),
        ("Attributes", [*definition.properties, *definition.attributes]),
    ):
        if fields:
            yield f"- {kind}: {', '.join(f'`{name}`' for name in fields)}"


def _of_attribute(context: Context, word: str) -> str:
    """The description of a type or attribute by its name, with or without `!` or `#`."""
    bare = word.lstrip("!#")
    # Those of `cuda_tile` may stand without its name.
    name = bare if "." in bare else f"{cuda_tile.CudaTile.name}.{bare}"
    for kind, found in (
        ("a type", context.get_optional_type(name)),
        ("an attribute", context.get_optional_attr(name)),
    ):
        if found is not None and (documentation := _documentation(found)):
            return _paragraphs([f"**{found.name}**, {kind}", documentation])
    return ""
