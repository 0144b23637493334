"""The parameters of a kernel: their declarations and the loads that bring them into registers."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BFloat16Type, DictionaryAttr, Float16Type, IntegerAttr
from xdsl.ir import Attribute

from tileir_xdsl.backend.ptx import registers
from tileir_xdsl.backend.ptx.instructions import Instruction
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.targets.symbols import ptx_name


def parameter_name(op: llvm.FuncOp, index: int) -> str:
    """The PTX name of a kernel parameter."""
    return f"{ptx_name(op.sym_name.data)}_param_{index}"


def parameter_declarations(op: llvm.FuncOp) -> Iterator[str]:
    """The declarations such as `.param .u32 name`, in order.

    Raises `DiagnosticException` for a type that no parameter can have.
    """
    for index, type in enumerate(op.function_type.inputs):
        name = parameter_name(op, index)
        if (pointee := _by_value(op, index)) is not None:
            alignment = _alignment(op, index) or registers.alignment_in_bytes(pointee)
            yield f".param .align {alignment} .b8 {name}[{registers.size_in_bytes(pointee)}]"
        else:
            yield f".param {_parameter_type(op, index, type)} {name}"


def parameter_bytes(op: llvm.FuncOp) -> int:
    """How much parameter space a kernel needs, in bytes.

    Raises `DiagnosticException` for a type that no parameter can have.
    """
    end = 0
    for index, type in enumerate(op.function_type.inputs):
        if (pointee := _by_value(op, index)) is not None:
            alignment = _alignment(op, index) or registers.alignment_in_bytes(pointee)
            size = registers.size_in_bytes(pointee)
        else:
            _parameter_class(op, type)
            # An i1 takes a byte.
            size = alignment = max(1, registers.bit_width(type) // 8)
        end = -(-end // alignment) * alignment + size
    return end


def _argument_attributes(op: llvm.FuncOp, index: int) -> dict[str, Attribute]:
    attributes: DictionaryAttr | None = op.arg_attrs.data[index] if op.arg_attrs else None
    return dict(attributes.data) if attributes is not None else {}


def _alignment(op: llvm.FuncOp, index: int) -> int | None:
    alignment = _argument_attributes(op, index).get("llvm.align")
    return alignment.value.data if isinstance(alignment, IntegerAttr) else None


def _by_value(op: llvm.FuncOp, index: int) -> Attribute | None:
    """The type that a pointer parameter passes by value, such as a tensor map's 128 bytes."""
    return _argument_attributes(op, index).get("llvm.byval")


def _parameter_type(op: llvm.FuncOp, index: int, type: Attribute) -> str:
    if isinstance(type, llvm.LLVMPointerType):
        space = registers.ADDRESS_SPACES[registers.address_space(type)].suffix
        alignment = f".align {_alignment(op, index) or 1}"
        return " ".join(filter(None, (".u64 .ptr", space, alignment)))
    register_class = _parameter_class(op, type)
    if register_class is registers.PREDICATE or (
        register_class is registers.B16 and registers.bit_width(type) == 8
    ):
        return ".u8"
    text = register_class.declaration
    return f".{text if text.startswith('f') or _is_half(type) else 'u' + text[1:]}"


def _is_half(type: Attribute) -> bool:
    """Whether a type is a 16-bit float, which parameters hold as bits."""
    return isinstance(type, BFloat16Type | Float16Type)


def _parameter_class(op: llvm.FuncOp, type: Attribute) -> registers.RegisterClass:
    try:
        classes = registers.component_classes(type)
    except registers.UnsupportedTypeError as error:
        fail(op, f"'{op.name}' @{op.sym_name.data}: {error}")
    if len(classes) != 1:
        fail(op, f"'{op.name}' @{op.sym_name.data}: a kernel parameter cannot be of type {type}")
    return classes[0]


def parameter_loads(
    op: llvm.FuncOp,
    arguments: Sequence[tuple[registers.Component, ...] | None],
    classes: list[registers.RegisterClass],
) -> Iterator[Instruction]:
    """Loads each parameter into its register; None in `arguments` for an unused parameter.

    The register of a parameter passed by value gets its address. New registers go to `classes`.
    """
    for index, components in enumerate(arguments):
        if components is None:
            continue
        (register,) = components
        assert isinstance(register, int)
        name = parameter_name(op, index)
        if _by_value(op, index) is not None:
            classes.append(registers.B64)
            address = len(classes) - 1
            yield Instruction("mov.b64", (address, name), 1)
            # Copies take the generic address of a tensor map (PTX ISA, "cp.async.bulk.tensor").
            yield Instruction("cvta.param.u64", (register, address), 1)
            continue
        text = _parameter_type(op, index, op.function_type.inputs.data[index]).split()[0]
        if classes[register] is registers.PREDICATE:
            classes.append(registers.B16)
            byte = len(classes) - 1
            yield Instruction(f"ld.param{text}", (byte, f"[{name}]"), 1)
            yield Instruction("setp.ne.b16", (register, byte, "0"), 1)
            continue
        yield Instruction(f"ld.param{text}", (register, f"[{name}]"), 1)
