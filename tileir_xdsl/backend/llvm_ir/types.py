"""Types of LLVM IR, and their suffixes in the names of intrinsics."""

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    IntAttr,
    IntegerType,
    Signedness,
    VectorType,
)
from xdsl.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute, Operation

from tileir_xdsl.backend.llvm_ir.words import quoted
from tileir_xdsl.diagnostics import fail

_FLOATS: dict[type[Attribute], tuple[str, str]] = {
    BFloat16Type: ("bfloat", "bf16"),
    Float16Type: ("half", "f16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
    Float80Type: ("x86_fp80", "f80"),
    Float128Type: ("fp128", "f128"),
}
"""The spelling of each floating-point type, and its suffix in the names of intrinsics."""


def type_text(op: Operation, type: Attribute) -> str:
    """A type as LLVM IR spells it; an error of the op if LLVM IR lacks the type."""
    match type:
        case IntegerType() if type.signedness.data is Signedness.SIGNLESS:
            return f"i{type.width.data}"
        case LLVMPointerType():
            space = address_space(type)
            return f"ptr addrspace({space})" if space else "ptr"
        case VectorType() if type.get_num_dims() == 1 and not type.get_num_scalable_dims():
            return f"<{type.get_shape()[0]} x {type_text(op, type.element_type)}>"
        case LLVMArrayType():
            return f"[{type.size.data} x {type_text(op, type.type)}]"
        case LLVMStructType() if type.struct_name.data:
            return f"%{quoted(type.struct_name.data)}"
        case LLVMStructType():
            return struct_body(op, type)
        case LLVMVoidType():
            return "void"
        case LLVMFunctionType():
            return f"{type_text(op, type.output)} ({parameter_types(op, type)})"
        case _ if type.__class__ in _FLOATS:
            return _FLOATS[type.__class__][0]
        case _:
            fail(op, f"type '{type}' cannot be written as LLVM IR")


def struct_body(op: Operation, type: LLVMStructType) -> str:
    """The fields of a struct, in braces."""
    fields = ", ".join(type_text(op, field) for field in type.types)
    return f"{{ {fields} }}" if fields else "{}"


def parameter_types(op: Operation, type: LLVMFunctionType) -> str:
    """The parameters of a function without parentheses."""
    listed = [type_text(op, each) for each in type.inputs]
    return ", ".join([*listed, "..."] if type.is_variadic else listed)


def address_space(type: LLVMPointerType) -> int:
    """The number of the address space of a pointer."""
    return type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0


def suffix(op: Operation, type: Attribute) -> str:
    """The suffix of the name of an intrinsic for a type, such as `v4f32`."""
    match type:
        case IntegerType():
            return f"i{type.width.data}"
        case LLVMPointerType():
            return f"p{address_space(type)}"
        case VectorType() if type.get_num_dims() == 1:
            return f"v{type.get_shape()[0]}{suffix(op, type.element_type)}"
        case _ if type.__class__ in _FLOATS:
            return _FLOATS[type.__class__][1]
        case _:
            fail(op, f"no LLVM intrinsic supports type '{type}'")
