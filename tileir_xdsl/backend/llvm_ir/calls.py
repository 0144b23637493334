"""Calls: of functions, of intrinsics by their ops and by name, and of assembly."""

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.llvm_ir.instructions import Instruction
from tileir_xdsl.backend.llvm_ir.types import suffix, type_text
from tileir_xdsl.backend.llvm_ir.words import quoted, string
from tileir_xdsl.backend.llvm_ir.writer import FunctionText, check_bundles, flags_of, is_set
from tileir_xdsl.dialects.llvm.loads_and_stores import MaskedLoadOp


def _result(op: Operation) -> str:
    return type_text(op, op.results[0].type) if op.results else "void"


def _called(
    text: FunctionText, op: Operation, name: str, arguments: Sequence[str], types: Sequence[str]
) -> str:
    """A call of an intrinsic; declares the intrinsic in the module."""
    result = _result(op)
    text.module.declarations[name] = f"declare {result} @{quoted(name)}({', '.join(types)})"
    return f"call {flags_of(op)}{result} @{quoted(name)}({', '.join(arguments)})"


def _intrinsic(word: str, *, fixed: Sequence[str] = (), overloads: int = 1) -> Instruction:
    """An intrinsic whose name ends with the types of its first operands, or of its result.

    `fixed` are properties that become operands of type i1 in LLVM IR, after the other operands.
    """

    def print_intrinsic(text: FunctionText, op: Operation) -> str:
        arguments = [text.typed(value) for value in op.operands]
        types = [type_text(op, value.type) for value in op.operands]
        for name in fixed:
            arguments.append(f"i1 {_boolean(op, name)}")
            types.append("i1")
        named = [*op.operands, *op.results][:overloads]
        ends = "".join(f".{suffix(op, value.type)}" for value in named)
        return _called(text, op, f"llvm.{word}{ends}", arguments, types)

    return print_intrinsic


def _boolean(op: Operation, name: str) -> str:
    value = op.properties[name]
    assert isinstance(value, IntegerAttr)
    return "true" if value.value.data else "false"


def _reduction(word: str) -> Instruction:
    """A reduction of a vector to a number, whose name ends with the type of the vector."""

    def print_reduction(text: FunctionText, op: Operation) -> str:
        types = [type_text(op, value.type) for value in op.operands]
        name = f"llvm.vector.reduce.{word}.{suffix(op, op.operands[-1].type)}"
        return _called(text, op, name, list(map(text.typed, op.operands)), types)

    return print_reduction


def _aligned(text: FunctionText, op: Operation, pointer: SSAValue) -> str:
    alignment = op.properties["alignment"]
    assert isinstance(alignment, IntegerAttr)
    pointer_type = type_text(op, pointer.type)
    return f"{pointer_type} align {alignment.value.data} {text.value(pointer)}"


def _masked_load(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, MaskedLoadOp)
    result = _result(op)
    passed = text.typed(op.pass_thru[0]) if op.pass_thru else f"{result} poison"
    arguments = [_aligned(text, op, op.data), text.typed(op.mask), passed]
    types = [type_text(op, op.data.type), type_text(op, op.mask.type), result]
    name = f"llvm.masked.load.{suffix(op, op.res.type)}.{suffix(op, op.data.type)}"
    return _called(text, op, name, arguments, types) + _nontemporal(text, op)


def _masked_store(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.MaskedStoreOp)
    arguments = [text.typed(op.value), _aligned(text, op, op.data), text.typed(op.mask)]
    types = [type_text(op, value.type) for value in (op.value, op.data, op.mask)]
    name = f"llvm.masked.store.{suffix(op, op.value.type)}.{suffix(op, op.data.type)}"
    return _called(text, op, name, arguments, types) + _nontemporal(text, op)


def _nontemporal(text: FunctionText, op: Operation) -> str:
    is_nontemporal = is_set(op, "nontemporal")
    return f", !nontemporal {text.module.node('!{i32 1}')}" if is_nontemporal else ""


def _call_intrinsic(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.CallIntrinsicOp)
    check_bundles(op)
    types = [type_text(op, value.type) for value in op.args]
    return _called(text, op, op.intrin.data, list(map(text.typed, op.args)), types)


def _call(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.CallOp)
    check_bundles(op)
    kind = op.TailCallKind.data.value
    tail = "" if kind == "none" else f"{kind} "
    convention = op.CConv.cconv_name
    convention = "" if convention == "ccc" else f"{convention} "
    callee, arguments = op.callee, list(op.args)
    named = None if callee is None else f"@{quoted(callee.string_value())}"
    name = named or text.value(arguments.pop(0))
    of_type = op.var_callee_type
    result = _result(op) if of_type is None else type_text(op, of_type)
    flags = flags_of(op)
    listed = ", ".join(map(text.typed, arguments))
    return f"{tail}call {flags}{convention}{result} {name}({listed})"


def _assembly(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.InlineAsmOp)
    kind = op.tail_call_kind.data.value
    tail = "" if kind == "none" else f"{kind} "
    words = [
        word
        for name, word in (("has_side_effects", "sideeffect"), ("is_align_stack", "alignstack"))
        if is_set(op, name)
    ]
    if op.asm_dialect is not None and op.asm_dialect.value.data:
        words.append("inteldialect")
    code = f"{string(op.asm_string.data)}, {string(op.constraints.data)}"
    arguments = ", ".join(map(text.typed, op.operands_))
    return f"{tail}call {' '.join([_result(op), 'asm', *words])} {code}({arguments})"


CALLS: Mapping[str, Instruction] = {
    "llvm.call": _call,
    "llvm.call_intrinsic": _call_intrinsic,
    "llvm.inline_asm": _assembly,
    "llvm.intr.masked.load": _masked_load,
    "llvm.intr.masked.store": _masked_store,
    "llvm.intr.trap": _intrinsic("trap", overloads=0),
    "llvm.intr.stacksave": _intrinsic("stacksave"),
    "llvm.intr.stackrestore": _intrinsic("stackrestore"),
    **{f"llvm.intr.vector.reduce.{word}": _reduction(word) for word in ("fadd", "fmul")},
    **{
        f"llvm.intr.{word}": _intrinsic(word, fixed=(name,))
        for word, name in (
            ("ctlz", "is_zero_poison"),
            ("cttz", "is_zero_poison"),
            ("abs", "is_int_min_poison"),
        )
    },
    **{
        f"llvm.intr.{word}": _intrinsic(word)
        for word in (
            *("ctpop", "bitreverse", "bswap", "smax", "smin", "umax", "umin", "fshl", "fshr"),
            *("fabs", "ceil", "floor", "trunc", "rint", "roundeven", "round", "sqrt"),
            *("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "pow", "copysign"),
            *("maxnum", "minnum", "maximum", "minimum", "fma", "fmuladd"),
        )
    },
}
"""The text of each call, without its result."""
