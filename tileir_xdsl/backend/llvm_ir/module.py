"""Modules of LLVM IR: types, globals, functions, declarations and metadata."""

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.llvm import (
    UNNAMED_ADDR_KEYWORD_BY_KEY,
    FuncOp,
    GlobalOp,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMStructType,
)
from xdsl.ir import Attribute, Operation

from tileir_xdsl.backend.llvm_ir.constants import constant_text
from tileir_xdsl.backend.llvm_ir.function import VISIBILITIES, function_text
from tileir_xdsl.backend.llvm_ir.types import struct_body, type_text
from tileir_xdsl.backend.llvm_ir.words import quoted, string
from tileir_xdsl.backend.llvm_ir.writer import ModuleText, check_attributes, is_set
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.walking import ops_in


def emit(module: ModuleOp) -> str:
    """The LLVM IR text of a module of `llvm` ops.

    Raises `PassFailedException`, with a note that names the op, for the first op, type or attribute
    that has no spelling in LLVM IR.
    """
    ops = list(module.body.block.ops)
    text = ModuleText()
    globals_, functions = list[str](), list[str]()
    for op in ops:
        match op:
            case GlobalOp():
                globals_.append(_global(op))
            case FuncOp():
                functions.append(function_text(op, text))
            case _:
                fail(op, f"'{op.name}' cannot be written as LLVM IR outside of functions")
    defined = {op.sym_name.data for op in ops if isinstance(op, FuncOp)}
    declared = [line for name, line in sorted(text.declarations.items()) if name not in defined]
    nodes = [f"!{number} = {node}" for number, node in enumerate(text.metadata)]
    parts = ["\n".join(part) for part in (_head(module), globals_) if part]
    parts += functions
    parts += ["\n".join(part) for part in (declared, nodes) if part]
    return "\n\n".join(parts) + "\n"


def _head(module: ModuleOp) -> list[str]:
    lines: list[str] = []
    for name, words in (("data_layout", "datalayout"), ("target_triple", "triple")):
        value = module.attributes.get(f"llvm.{name}")
        if isinstance(value, StringAttr) and value.data:
            lines.append(f"target {words} = {string(value.data)}")
    return [*lines, *_structs(module)]


def _structs(module: ModuleOp) -> list[str]:
    """The definitions of the structs that have names."""
    lines: dict[str, str] = {}
    for op in ops_in(module):
        for type in _types_of(op):
            for struct in _named_structs(type):
                name = struct.struct_name.data
                line = f"%{quoted(name)} = type {struct_body(op, struct)}"
                if lines.setdefault(name, line) != line:
                    fail(op, f"the struct '{name}' has two different definitions")
    return list(lines.values())


def _types_of(op: Operation) -> Iterator[Attribute]:
    yield from op.result_types
    yield from (value.type for value in op.operands)
    yield from op.properties.values()
    for region in op.regions:
        for block in region.blocks:
            yield from block.arg_types


def _named_structs(type: Attribute) -> Iterator[LLVMStructType]:
    match type:
        case LLVMStructType():
            for field in type.types:
                yield from _named_structs(field)
            if type.struct_name.data:
                yield type
        case LLVMArrayType():
            yield from _named_structs(type.type)
        case LLVMFunctionType():
            for each in (*type.inputs, type.output):
                yield from _named_structs(each)
        case _:
            pass


def _global(op: GlobalOp) -> str:
    check_attributes(op)
    if op.body.blocks:
        fail(op, "a global that a region initialises cannot be written as LLVM IR")
    linkage = op.linkage.linkage.data
    words = [] if linkage == "external" and op.value is not None else [linkage]
    words += ["dso_local"] if is_set(op, "dso_local") else []
    visibility = VISIBILITIES[0 if op.visibility_ is None else op.visibility_.value.data].strip()
    words += [visibility] if visibility else []
    words += ["thread_local"] if is_set(op, "thread_local_") else []
    address = UNNAMED_ADDR_KEYWORD_BY_KEY.get(_number(op.unnamed_addr))
    words += [] if address is None else [address]
    space = _number(op.addr_space)
    words += [f"addrspace({space})"] if space else []
    words += ["constant" if is_set(op, "constant") else "global"]
    words += [type_text(op, op.global_type)]
    if op.value is not None:
        words += [constant_text(op, op.value, op.global_type)]
    elif linkage not in ("external", "extern_weak"):
        words += ["undef"]
    line = f"@{quoted(op.sym_name.data)} = {' '.join(words)}"
    line += "" if op.section is None else f", section {string(op.section.data)}"
    alignment = _number(op.alignment)
    return f"{line}, align {alignment}" if alignment else line


def _number(attribute: IntegerAttr | None) -> int:
    return 0 if attribute is None else attribute.value.data
