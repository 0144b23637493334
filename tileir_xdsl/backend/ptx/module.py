"""A module of kernels as PTX text: header, globals, entry points with their directives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.backend.ptx.function import SelectedFunction, select_function
from tileir_xdsl.backend.ptx.line_info import KernelLines, LineInfo
from tileir_xdsl.backend.ptx.parameters import parameter_bytes, parameter_declarations
from tileir_xdsl.backend.ptx.printing import RegisterNames, body_lines, without_locations
from tileir_xdsl.backend.ptx.registers import (
    ADDRESS_SPACES,
    alignment_in_bytes,
    attribute_bits,
    size_in_bytes,
)
from tileir_xdsl.backend.ptx.tables.calls import external_declaration
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.targets import PTXVersion, Target
from tileir_xdsl.targets.symbols import ptx_name

KERNEL = "nvvm.kernel"
GRID_OF_CLUSTERS = "nvvm.blocksareclusters"
"""Marks a kernel whose grid counts clusters, not blocks."""
GRID_OF_CLUSTERS_VERSION: PTXVersion = (9, 0)
PARAMETER_BYTES, MORE_PARAMETER_BYTES = 4352, 32764
"""The bytes that the parameters of a kernel may have, before and since `MORE_PARAMETERS_VERSION`.

Source: PTX ISA, "Kernel Function Parameters".
"""
MORE_PARAMETERS_VERSION: PTXVersion = (8, 1)


@dataclass(frozen=True)
class PrintedKernel:
    """A kernel and its text, with the mapping between the two."""

    op: llvm.FuncOp
    text: str
    selected: SelectedFunction
    names: RegisterNames


Trace = Callable[[PrintedKernel], None]
"""A function that is called with every printed kernel."""


@dataclass(frozen=True)
class PTXParts:
    """The PTX of a module in parts, so that separately compiled modules can become one text."""

    target: str
    version: PTXVersion
    """The lowest version that its instructions need."""
    declarations: Mapping[str, str]
    """Declarations of functions that are defined elsewhere, by name."""
    variables: tuple[str, ...]
    kernels: tuple[str, ...]
    files: str = ""
    """The `.file` directives of the line information."""
    function_names: str = ""
    """Likewise."""

    @property
    def text(self) -> str:
        """The module."""
        header = f".version {_dotted(self.version)}\n.target {self.target}\n.address_size 64\n"
        parts = (
            self.files,
            *self.declarations.values(),
            *self.variables,
            *self.kernels,
            self.function_names,
        )
        return "\n".join([header, *filter(None, parts)])


def joined(modules: Sequence[PTXParts]) -> PTXParts:
    """One module of several for the same target, without line information, in their order.

    A variable that several modules define is printed once.
    """
    first, *_ = modules
    return PTXParts(
        first.target,
        max(module.version for module in modules),
        {name: text for module in modules for name, text in module.declarations.items()},
        tuple(dict.fromkeys(text for module in modules for text in module.variables)),
        tuple(text for module in modules for text in module.kernels),
    )


def module_parts(
    module: ModuleOp,
    target: Target,
    version: PTXVersion | None,
    *,
    lineinfo: bool = False,
    trace: Trace | None = None,
) -> PTXParts:
    """The PTX of a module; with `lineinfo`, also the source locations of its instructions.

    `trace` is called with every kernel.

    Raises `DiagnosticException` for ops, types and attributes that PTX, the target or the PTX
    version does not have.
    """
    if version is not None and version < target.minimum_ptx_version:
        raise DiagnosticException(
            f"{target.name} needs PTX {_dotted(target.minimum_ptx_version)} or later, "
            f"but the version is {_dotted(version)}"
        )
    globals_: list[str] = []
    kernels: list[str] = []
    externals: dict[str, str] = {}
    called: set[str] = set()
    lowest = version or target.default_ptx_version
    line_info = LineInfo(version)
    for op in module.body.block.ops:
        match op:
            case llvm.GlobalOp():
                globals_.append(_global_text(op))
            case llvm.FuncOp():
                if not op.body.blocks:
                    externals[op.sym_name.data] = external_declaration(op)
                    continue
                if KERNEL not in op.attributes:
                    name = op.sym_name.data
                    fail(
                        op,
                        f"'llvm.func' @{name}: a function with a body must be a kernel "
                        f"('{KERNEL}') to be written as PTX",
                    )
                selected = select_function(op, target, version)
                lowest = max(lowest, selected.version, _directive_version(op, version))
                called |= selected.called
                names = RegisterNames(selected.classes, selected.replaced)
                text = _kernel_text(op, selected, names, line_info if lineinfo else None)
                kernels.append(text)
                if trace is not None:
                    trace(PrintedKernel(op, text, selected, names))
            case _:
                fail(op, f"'{op.name}' has no PTX form")
    return PTXParts(
        target.ptx_name,
        lowest,
        {name: text for name, text in externals.items() if name in called},
        tuple(globals_),
        tuple(kernels),
        line_info.files(),
        line_info.function_names(),
    )


def _dotted(version: PTXVersion) -> str:
    return f"{version[0]}.{version[1]}"


# Globals.


def _global_text(op: llvm.GlobalOp) -> str:
    number = op.addr_space.value.data or 1
    space = ADDRESS_SPACES.get(number)
    if space is None or number not in (1, 3, 4):
        fail(op, f"'{op.name}': expected a global in address space 0, 1, 3 or 4, got {number}")
    type = op.global_type
    alignment = op.alignment.value.data if op.alignment is not None else alignment_in_bytes(type)
    size = size_in_bytes(type)
    name = ptx_name(op.sym_name.data)
    # Variables in shared memory have no initial values (PTX ISA, "Initializers").
    initial = _initial_bytes(op.value, type) if op.value is not None and number != 3 else None
    # An array without a size is dynamic shared memory, which the launch asks for.
    linkage = ".extern " if size == 0 else ".visible " if _is_visible(op) else ""
    extent = str(size) if size else ""
    values = "" if initial is None else f" = {{{', '.join(map(str, initial))}}}"
    return f"{linkage}{space.suffix} .align {alignment} .b8 {name}[{extent}]{values};\n"


def _is_visible(op: llvm.GlobalOp) -> bool:
    """Whether the host may look a variable up by its name."""
    return op.value is not None and op.linkage.linkage.data == "external"


def _initial_bytes(value: Attribute, type: Attribute) -> bytes:
    if isinstance(value, StringAttr):
        return value.data.encode()
    element = value.get_element_type() if isinstance(value, DenseIntOrFPElementsAttr) else type
    size = size_in_bytes(element)
    return b"".join(bits.to_bytes(size, "little") for bits in attribute_bits(value, element))


# Kernels.


def _kernel_text(
    op: llvm.FuncOp, selected: SelectedFunction, names: RegisterNames, line_info: LineInfo | None
) -> str:
    name = ptx_name(op.sym_name.data)
    parameters = list(parameter_declarations(op))
    state_location = without_locations if line_info is None else KernelLines(line_info)
    body = body_lines(selected, names, state_location)
    declarations = [f"\t{line}" for line in names.declarations()]
    stack = selected.stack
    if stack.size:
        declarations.append(f"\t.local .align {stack.alignment} .b8 {stack.NAME}[{stack.size}];")
    arguments = ",\n".join(f"\t{parameter}" for parameter in parameters)
    signature = (
        f".visible .entry {name}(\n{arguments}\n)" if parameters else f".visible .entry {name}()"
    )
    return "\n".join([signature, *_directives(op), "{", *declarations, *body, "}", ""])


def _numbers(attribute: Attribute | None) -> Sequence[int]:
    if isinstance(attribute, DenseArrayBase):
        # The numbers are integers; to ask `isa` about the element type is slow.
        return [int(number) for number in attribute.get_values()]
    return [attribute.value.data] if isinstance(attribute, IntegerAttr) else []


DIRECTIVES: tuple[tuple[str, str], ...] = (
    ("nvvm.maxntid", ".maxntid"),
    ("nvvm.reqntid", ".reqntid"),
    ("nvvm.minctasm", ".minnctapersm"),
    ("nvvm.maxnreg", ".maxnreg"),
    ("nvvm.cluster_dim", ".explicitcluster\n.reqnctapercluster"),
    ("nvvm.cluster_max_blocks", ".maxclusterrank"),
)
"""Attributes of a kernel and the directives they become, in the order PTX text has them."""


def _directives(op: llvm.FuncOp) -> Iterator[str]:
    for attribute, directive in DIRECTIVES:
        if numbers := _numbers(op.attributes.get(attribute)):
            yield f"{directive} {', '.join(map(str, numbers))}"
    if GRID_OF_CLUSTERS in op.attributes:
        yield ".blocksareclusters"


def _directive_version(op: llvm.FuncOp, version: PTXVersion | None) -> PTXVersion:
    """The lowest PTX version with the directives of a kernel, and with space for its parameters.

    Raises `DiagnosticException` if that version is later than the requested one, or if there is
    none.
    """
    needed, reason = (1, 0), ""
    size = parameter_bytes(op)
    if size > PARAMETER_BYTES:
        needed, reason = MORE_PARAMETERS_VERSION, f"a kernel with {size} bytes of parameters"
    if GRID_OF_CLUSTERS in op.attributes:
        needed, reason = GRID_OF_CLUSTERS_VERSION, f"'{GRID_OF_CLUSTERS}'"
    if size > MORE_PARAMETER_BYTES:
        fail(
            op,
            f"'{op.name}' @{op.sym_name.data}: its parameters take {size} bytes, but the "
            f"parameters of a kernel take at most {MORE_PARAMETER_BYTES}",
        )
    if version is not None and version < needed:
        fail(
            op,
            f"{reason} needs PTX {_dotted(needed)} or later, but the version is {_dotted(version)}",
        )
    return needed
