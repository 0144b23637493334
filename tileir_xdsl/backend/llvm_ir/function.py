"""Functions of LLVM IR: parameters with their attributes, blocks, phis and instructions."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.dialects.llvm import (
    UNNAMED_ADDR_KEYWORD_BY_KEY,
    FramePointerKindAttr,
    FuncOp,
    TargetFeaturesAttr,
)
from xdsl.ir import Attribute, Block, Operation

from tileir_xdsl.backend.llvm_ir.calls import CALLS
from tileir_xdsl.backend.llvm_ir.control_flow import TERMINATORS
from tileir_xdsl.backend.llvm_ir.instructions import INSTRUCTIONS, Instruction
from tileir_xdsl.backend.llvm_ir.memory import MEMORY
from tileir_xdsl.backend.llvm_ir.types import type_text
from tileir_xdsl.backend.llvm_ir.words import quoted, string
from tileir_xdsl.backend.llvm_ir.writer import (
    CONSTANTS,
    FunctionText,
    ModuleText,
    check_attributes,
    strings,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.llvm.attributes import LOOP_ANNOTATION

FORMS: Mapping[str, Instruction] = {**INSTRUCTIONS, **MEMORY, **CALLS, **TERMINATORS}
"""The text of each op that is an instruction, without its result."""

_PLAIN = {
    f"llvm.{name}": word
    for name, word in (
        *((word, word) for word in ("noalias", "nonnull", "noundef", "readonly", "writeonly")),
        *((word, word) for word in ("readnone", "inreg", "signext", "zeroext", "returned")),
        ("nocapture", "captures(none)"),
    )
}
"""Attributes of parameters that take no value."""

_NUMBERED = {"llvm.align": "align {}", "llvm.dereferenceable": "dereferenceable({})"}
"""Attributes of parameters that take a number."""

_FUNCTION_WORDS = {
    "no_inline": "noinline",
    "no_unwind": "nounwind",
    "optimize_none": "optnone",
}

_FUNCTION_ATTRIBUTES = (
    *_FUNCTION_WORDS,
    *("passthrough", "target_cpu", "tune_cpu", "target_features", "frame_pointer", "dso_local"),
)

VISIBILITIES = {0: "", 1: "hidden ", 2: "protected "}
"""Visibilities by their numbers."""


def function_text(op: FuncOp, module: ModuleText) -> str:
    """A function, or its declaration where it has no body."""
    check_attributes(op, *_FUNCTION_ATTRIBUTES)
    text = FunctionText(module)
    blocks = list(op.body.blocks)
    names = [text.value(each) for each in blocks[0].args] if blocks else []
    head = _head(op, names)
    if not blocks:
        return f"declare {head}"
    bodies = [_instructions(block, text) for block in blocks]
    if blocks[0] in text.incoming:
        fail(op, "expected no branch to the first block of a function, which LLVM IR forbids")
    lines: list[str] = [f"define {head} {{"]
    for block, body in zip(blocks, bodies, strict=True):
        lines.append(f"{text.block(block)}:")
        if block is not blocks[0]:
            lines.extend(_phis(block, text, op))
        lines.extend(f"  {line}" for line in body)
    for label, target in text.trampolines:
        lines.extend((f"{label}:", f"  br label %{target}"))
    return "\n".join([*lines, "}"])


def _instructions(block: Block, text: FunctionText) -> list[str]:
    lines: list[str] = []
    for op in block.ops:
        if op.name in CONSTANTS:
            continue
        form = FORMS.get(op.name)
        if form is None:
            fail(op, f"'{op.name}' cannot be written as LLVM IR")
        check_attributes(op, LOOP_ANNOTATION)
        line = form(text, op)
        lines.append(f"{text.value(op.results[0])} = {line}" if op.results else line)
    return lines


def _phis(block: Block, text: FunctionText, function: Operation) -> list[str]:
    edges = text.incoming.get(block, [])
    lines: list[str] = []
    for number, argument in enumerate(block.args):
        type, name = type_text(function, argument.type), text.value(argument)
        if not edges:
            # Nothing branches to the block; LLVM has no phi of nothing.
            lines.append(f"{name} = freeze {type} poison")
            continue
        choices = ", ".join(f"[ {values[number]}, %{label} ]" for label, values in edges)
        lines.append(f"{name} = phi {type} {choices}")
    return [f"  {line}" for line in lines]


def _head(op: FuncOp, names: Sequence[str]) -> str:
    """Linkage, result, name, parameters and attributes."""
    linkage = op.linkage.linkage.data
    words = "" if linkage == "external" else f"{linkage} "
    if _property(op, "dso_local") is not None:
        words += "dso_local "
    words += VISIBILITIES[op.visibility_.value.data]
    convention = op.CConv.cconv_name
    words += "" if convention == "ccc" else f"{convention} "
    result = type_text(op, op.function_type.output)
    for_result = strings(op.res_attrs)
    if for_result:
        words += "".join(f"{word} " for word in _parameter_words(op, for_result[0]))
    attributes = strings(op.arg_attrs)
    parameters: list[str] = []
    for number, type in enumerate(op.function_type.inputs):
        parts = [type_text(op, type)]
        if number < len(attributes):
            parts += _parameter_words(op, attributes[number])
        parameters.append(" ".join([*parts, *names[number : number + 1]]))
    if op.function_type.is_variadic:
        parameters.append("...")
    address = UNNAMED_ADDR_KEYWORD_BY_KEY.get(
        0 if op.unnamed_addr is None else op.unnamed_addr.value.data
    )
    ends = [] if address is None else [address]
    ends += _function_words(op)
    return " ".join(
        [f"{words}{result} @{quoted(op.sym_name.data)}({', '.join(parameters)})", *ends]
    )


def _parameter_words(op: Operation, attributes: Attribute) -> list[str]:
    assert isinstance(attributes, DictionaryAttr)
    words: list[str] = []
    for name, value in attributes.data.items():
        if name in _PLAIN:
            words.append(_PLAIN[name])
        elif name in _NUMBERED and isinstance(value, IntegerAttr):
            words.append(_NUMBERED[name].format(value.value.data))
        elif "." not in name or name.startswith(("llvm.", "nvvm.")):
            fail(op, f"attribute '{name}' of a parameter cannot be written as LLVM IR")
    return words


def _property(op: FuncOp, name: str) -> Attribute | None:
    """A property of a function, which xDSL's parser leaves among its attributes."""
    return op.properties.get(name) or op.attributes.get(name)


def _function_words(op: FuncOp) -> list[str]:
    words = [word for name, word in _FUNCTION_WORDS.items() if _property(op, name) is not None]
    for name, key in (("target_cpu", "target-cpu"), ("tune_cpu", "tune-cpu")):
        value = _property(op, name)
        if isinstance(value, StringAttr):
            words.append(f"{string(key)}={string(value.data)}")
    features = _property(op, "target_features")
    if isinstance(features, TargetFeaturesAttr):
        listed = ",".join(feature.data for feature in features.features)
        words.append(f'"target-features"={string(listed)}')
    frames = _property(op, "frame_pointer")
    if isinstance(frames, FramePointerKindAttr):
        words.append(f'"frame-pointer"={string(frames.data.value)}')
    words += [_passed_through(op, each) for each in strings(_property(op, "passthrough"))]
    return words


def _passed_through(op: Operation, attribute: Attribute) -> str:
    match attribute:
        case StringAttr():
            return attribute.data if attribute.data.isalpha() else string(attribute.data)
        case ArrayAttr(data=(StringAttr() as name, StringAttr() as value)):
            return f"{string(name.data)}={string(value.data)}"
        case _:
            fail(op, f"attribute {attribute} of a function cannot be written as LLVM IR")
