"""Calls of external functions, such as `vprintf`, and inline assembly."""

import re
from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.ir import Attribute, Operation

from tileir_xdsl.backend.ptx.instructions import InlineText
from tileir_xdsl.backend.ptx.registers import size_in_bytes
from tileir_xdsl.backend.ptx.selection import Rule, Selector

RETURN_VALUE = "func_retval0"
"""The parameter in which a function returns its value."""


def bits_type(type: Attribute) -> str:
    """`.b64` and the like: a scalar as a parameter of a function, at least 32 bits wide."""
    return f".b{max(32, 8 * size_in_bytes(type))}"


def external_declaration(function: llvm.FuncOp) -> str:
    """`.extern .func (.param .b32 func_retval0) f(.param .b64 f_param_0);`."""
    name = function.sym_name.data
    parameters = [
        f".param {bits_type(type)} {name}_param_{index}"
        for index, type in enumerate(function.function_type.inputs)
    ]
    output = function.function_type.output
    returned = (
        ""
        if isinstance(output, llvm.LLVMVoidType)
        else f"(.param {bits_type(output)} {RETURN_VALUE}) "
    )
    return f".extern .func {returned}{name}({', '.join(parameters)});\n"


def _select_call(selector: Selector, op: llvm.CallOp) -> None:
    """The call sequence: arguments and result pass through parameters in braces."""
    if op.callee is None:
        selector.unsupported(op, "PTX calls need a function's name")
    name = op.callee.root_reference.data
    selector.called.add(name)
    parts: list[int | str] = ["{\n"]
    names: list[str] = []
    for index, argument in enumerate(op.args):
        text, parameter = bits_type(argument.type), f"param{index}"
        register = selector.register(argument)
        parts += [
            f"\t.param {text} {parameter};\n\tst.param{text} [{parameter}], ",
            register,
            ";\n",
        ]
        names.append(parameter)
    destinations: tuple[int, ...] = ()
    returned = ""
    if op.returned is not None:
        destinations = selector.results(op)
        parts.append(f"\t.param {bits_type(op.returned.type)} retval0;\n")
        returned = "(retval0), "
    parts.append(f"\tcall.uni {returned}{name}, ({', '.join(names)});\n")
    for destination in destinations:
        assert op.returned is not None
        parts += [f"\tld.param{bits_type(op.returned.type)} ", destination, ", [retval0];\n"]
    parts.append("\t}")
    selector.emit("", destinations, InlineText(tuple(parts)))


_PLACEHOLDER = re.compile(r"\$(\$|\d+|\{\d+(?::\w+)?\})")


def _select_inline_asm(selector: Selector, op: llvm.InlineAsmOp) -> None:
    """The assembly with its operands in LLVM's numbering: outputs first, then inputs."""
    constraints = [c for c in op.constraints.data.split(",") if c and not c.startswith("~")]
    outputs = [c for c in constraints if c.startswith("=")]
    inputs = constraints[len(outputs) :]
    destinations = selector.results(op) if op.res is not None else ()
    if len(destinations) != len(outputs) or len(inputs) != len(op.operands_):
        selector.unsupported(op, "the constraints do not match the operands and results")
    operands: list[int | str] = list(destinations)
    for constraint, value in zip(inputs, op.operands_, strict=True):
        if constraint.isdecimal():
            # The operand shares the register of an output, which it sets first.
            destination = destinations[int(constraint)]
            selector.move(destination, selector.component(value))
            operands.append(destination)
        elif constraint == "n":
            operands.append(selector.operand(value))
        else:
            operands.append(selector.register(value))
    text = op.asm_string.data.rstrip().removesuffix(";")
    selector.emit("", destinations, InlineText(tuple(_substituted(text, operands))))


def _substituted(text: str, operands: Sequence[int | str]) -> list[int | str]:
    parts: list[int | str] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        parts.append(text[end : match.start()])
        what = match[1].strip("{}").partition(":")[0]
        parts.append("$" if what == "$" else operands[int(what)])
        end = match.end()
    parts.append(text[end:])
    return parts


RULES: dict[type[Operation], Rule] = {
    llvm.CallOp: Rule(_select_call, has_effects=True),
    llvm.InlineAsmOp: Rule(_select_inline_asm, has_effects=True),
}
