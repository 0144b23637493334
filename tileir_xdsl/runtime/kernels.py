"""The kernels of a module, with the names and typed parameters that launches need."""

from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.literals import NUMERIC_ELEMENTS
from tileir_xdsl.dialects.cuda_tile.types import element_name
from tileir_xdsl.dialects.nv_tileas.tensor_maps import tensor_map_recipes
from tileir_xdsl.runtime.diagnostics import operation_location
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.walking import ops_in

# Two f4E2M1FN make a byte: one alone is nothing that can be passed. numpy lacks fnv8E5M3FNU.
PASSED_ELEMENTS = NUMERIC_ELEMENTS - {"f4E2M1FN", "fnv8E5M3FNU"}
"""The names of the element types of parameters that are numbers."""


@dataclass(frozen=True)
class Parameter:
    """A number of the type `element`, or a pointer to elements of that type.

    `element` is one of `NUMERIC_ELEMENTS`, or None for a pointer whose element type is unknown.
    """

    element: str | None
    is_pointer: bool

    def __str__(self) -> str:
        return f"ptr<{self.element or '?'}>" if self.is_pointer else str(self.element)


@dataclass(frozen=True)
class Kernel:
    """A kernel; `location` is its position in the file, `block` the entry block of its body."""

    name: str
    parameters: tuple[Parameter, ...]
    location: str
    block: Block | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"


def _parameter(type: Attribute, location: str) -> Parameter:
    match type:
        case cuda_tile.TileType() if not type.get_shape():
            return _parameter(type.element_type, location)
        case cuda_tile.PointerType():
            return Parameter(element_name(type.pointee_type), True)
        case nv_tileaa.PointerType():
            return Parameter(str(type.pointee), True)
        case llvm.LLVMPointerType():
            return Parameter(None, True)
        case _ if str(type) in PASSED_ELEMENTS:
            return Parameter(str(type), False)
        case _:
            raise InputError(
                location, f"a kernel with a parameter of type '{type}' cannot be launched"
            )


def _is_kernel(op: Operation) -> bool:
    match op:
        case cuda_tile.EntryOp():
            return True
        case nv_tileaa.FuncOp():
            return op.kernel_spec is not None
        case llvm.FuncOp():
            return "nvvm.kernel" in op.attributes
        case _:
            return False


def kernels(module: ModuleOp, file: str) -> list[Kernel]:
    """All kernels of a module at any level; raises InputError for unsupported parameter types."""
    found: list[Kernel] = []
    for op in ops_in(module):
        if isinstance(op, cuda_tile.EntryOp | nv_tileaa.FuncOp | llvm.FuncOp) and _is_kernel(op):
            block = op.body.first_block
            if block is None:
                continue
            location = operation_location(op, file)
            # The last ones are tensor maps, which the launch makes.
            given = len(block.args) - len(tensor_map_recipes(op))
            types = block.arg_types[:given]
            parameters = tuple(_parameter(type, location) for type in types)
            found.append(Kernel(op.sym_name.data, parameters, location, block))
    return found


def find_kernel(module: ModuleOp, name: str | None, file: str) -> Kernel:
    """The kernel called `name`, or the only kernel if `name` is None; raises InputError if
    there is none.
    """
    found = kernels(module, file)
    names = ", ".join(f"'{kernel.name}'" for kernel in found)
    if not found:
        raise InputError(file, "there is no kernel in the file")
    if name is None:
        if len(found) > 1:
            raise InputError(file, f"choose one of the kernels {names} by --kernel")
        return found[0]
    for kernel in found:
        if kernel.name == name:
            return kernel
    raise InputError(file, f"there is no kernel '{name}', only {names}")
