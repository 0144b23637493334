"""`convert-tileas-to-llvm`: generates the program of one thread.

A tile becomes the registers that its layout assigns to a thread, and an access the vector
instructions of its copy atom. A kernel becomes an `llvm.func` with the launch bounds of its
kernel_spec. Layouts and atoms alone determine the code.

    %y = nv_tileaa.addf %a, %b : tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ..>>
    ->
    %y0 = llvm.fadd %a0, %b0 : f32      // and seven more, one a register
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import prod

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.access.access_width import access_tile
from tileir_xdsl.analysis.allocation import shared_memory_allocation
from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.analysis.layouts.uses import ACCESSES
from tileir_xdsl.analysis.threads.agent_warps import block_warps
from tileir_xdsl.diagnostics import HINT_NOT_HAD, fail, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.launch_attributes import DYNAMIC_SHARED_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape, clusters_asked_for
from tileir_xdsl.dialects.nv_tileas.allocations import SHARED_MEMORY_BYTES
from tileir_xdsl.dialects.nv_tileas.atoms import AtomAttr
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, tile_layout
from tileir_xdsl.dialects.nv_tileas.synchronization import SYNCHRONIZED
from tileir_xdsl.dialects.nv_tileas.syntax import LAYOUT_KEY
from tileir_xdsl.dialects.resource_attributes import asked_latency
from tileir_xdsl.dialects.target_attributes import target_around
from tileir_xdsl.explain.labels import OperationLabels
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.levels import LLVM, NV_TILEAS, check_legal, missing_lowering
from tileir_xdsl.rewriting import OpDispatch, PatternTable, Walker, look_up
from tileir_xdsl.targets import DEFAULT_TARGET, Target, get_target
from tileir_xdsl.walking import ops_in

from .control.functions import LowerFunc
from .families import patterns_for
from .global_memory.global_variables import LowerGlobal
from .launch_bounds import bound_occupancy
from .thread.module_variables import Variables
from .thread.patterns import Lowering, Patterns


def patterns(lowering: Lowering, table: Patterns) -> PatternTable:
    """One pattern per op type; the patterns of a function share its value map."""
    lowering.table.update((op, pattern(lowering)) for op, pattern in table.items())
    outside = {nv_tileaa.FuncOp: LowerFunc(lowering), nv_tileaa.GlobalOp: LowerGlobal()}
    return {**outside, **lowering.table}


def flatten_modules(module: ModuleOp) -> None:
    """Hoists the functions of nested modules: LLVM and PTX have one flat symbol table."""
    symbols: set[str] = set()
    modules = [module]
    for nested in modules:
        for op in tuple(nested.body.block.ops):
            if isinstance(op, ModuleOp):
                modules.append(op)
                continue
            name = op.properties.get("sym_name")
            if isinstance(name, StringAttr):
                if name.data in symbols:
                    fail(op, f"'{op.name}' op redefinition of symbol @{name.data}")
                symbols.add(name.data)
            if nested is not module:
                op.detach()
                module.body.block.add_op(op)
    for nested in [op for op in module.body.block.ops if isinstance(op, ModuleOp)]:
        nested.detach()
        nested.erase()


def define_variables(function: llvm.FuncOp, variables: Variables) -> None:
    """Inserts a function's variables before it, and sets its dynamic shared memory per launch."""
    block = function.parent
    assert block is not None
    for variable in variables.definitions():
        variable.location = function.location
        block.insert_op_before(variable, function)
    if size := variables.dynamic_shared_bytes:
        function.attributes[DYNAMIC_SHARED_ATTRIBUTE] = IntegerAttr(size, i32)


def check_decided(function: nv_tileaa.FuncOp) -> None:
    """Raises `PassFailedException` if shared-memory allocation or barrier insertion has not run on
    a function.
    """
    undecided = (
        ("shared memory", shared_memory_allocation.PASS_NAME, SHARED_MEMORY_BYTES),
        ("barriers", "tileas-insert-barriers", SYNCHRONIZED),
    )
    for lacking, pass_name, attribute in undecided:
        if attribute not in function.attributes:
            fail(
                function,
                f"'{function.name}' op has no {lacking} assigned: expected {pass_name} to "
                "run before",
            )


def check_tiles(function: nv_tileaa.FuncOp) -> None:
    """Raises `PassFailedException` for a tile whose layout is invalid or omits elements.

    A layout with more warps or blocks than the function has raises it, too.
    """
    had = (("blocks", prod(cluster_shape(function))),)
    if function.kernel_spec is not None:
        had = (*had, ("warps", block_warps(function)))
    # Tiles share the objects of their types, which are compared slowly.
    checked: set[int] = set()
    for op in ops_in(function):
        for result in op.results:
            type = awaited(result.type)
            if id(type) in checked or not isinstance(type, TensorType):
                continue
            checked.add(id(type))
            try:
                layout = tile_layout(type)
            except LayoutError as error:
                fail(op, f"'{op.name}' op {error}")
            if layout is None:
                continue
            for what, count in had:
                if (asked := getattr(layout, what)) > count:
                    numbers = f"{asked} {what}, but its kernel has {count}"
                    fail(op, f"'{op.name}' op has a layout of {numbers}: {type.encoding}")
            if not layout.is_surjective:
                fail(op, f"'{op.name}' op has elements that no thread holds: {type.encoding}")


def check_atom(op: Operation, target: Target) -> None:
    """Raises `PassFailedException` for an access whose instruction the target lacks.

    Bulk copies check their requirements themselves.
    """
    atom = op.properties.get("atom")
    row = atom.copy_atom if isinstance(atom, AtomAttr) else None
    if row is not None and not row.box_rank and not row.is_available(target):
        fail(op, f"'{op.name}' op uses the atom {row.name}, which {target.name} does not have")


def check_layout(op: Operation) -> None:
    """Raises `PassFailedException` for an access whose `layout` differs from its tile's."""
    if not isinstance(op, ACCESSES) or (stated := op.properties.get(LAYOUT_KEY)) is None:
        return
    type = access_tile(op).type
    held = type.encoding if isinstance(type, TensorType) else None
    if isinstance(held, LayoutAttr) and held != stated:
        fail(op, f"'{op.name}' op expects {LAYOUT_KEY} to equal the layout of its tile, {held}")


def check_probes(numbers: Sequence[int], functions: Sequence[nv_tileaa.FuncOp]) -> None:
    """Raises `PassFailedException` for a number without an op in any function."""
    labels = [OperationLabels(function) for function in functions]
    for number in numbers:
        if not any(each.find(number) for each in labels):
            raise PassFailedException(f"probe={number} is not the number of an op in any function")


def remark_unmet_hints(function: nv_tileaa.FuncOp) -> None:
    """Emits remarks on hints that no pass has followed."""
    if (clusters := clusters_asked_for(function)) > 1:
        message = f"num_cta_in_cga of {clusters} is not followed: the tile block was not divided"
        remark(function, HINT_NOT_HAD, message)
    for op in ops_in(function):
        if (latency := asked_latency(op)) is not None:
            message = f"latency of {latency} is not followed: the access is in no pipeline"
            remark(op, HINT_NOT_HAD, message)


@dataclass(frozen=True)
class ConvertTileASToLLVMPass(ModulePass):
    """Converts kernels with layouts to `llvm` and `nvvm`."""

    name = "convert-tileas-to-llvm"

    wavefronts: bool = False
    """Annotates each access of shared memory with its expected wavefronts per warp, as
    `nv_tileas.wavefronts`."""
    probe: tuple[int, ...] = ()
    """Ops to probe, by their numbers in reports. A kernel with such an op gets a buffer as its last
    parameter, in which each thread stores the result registers (`thread/probes.py`).
    """
    probe_executions: tuple[int, ...] = ()
    """The number of stored executions of the op of `probe` at the same position; 1 by default."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in ops_in(op) if isinstance(function, nv_tileaa.FuncOp)]
        for function in functions:
            check_decided(function)
        check_probes(self.probe, functions)
        lowering = Lowering(
            notes_wavefronts=self.wavefronts,
            probed_executions=dict(zip_longest(self.probe, self.probe_executions, fillvalue=1)),
        )
        table = patterns(lowering, patterns_for({nested.name for nested in ops_in(op)}))
        for function in functions:
            remark_unmet_hints(function)
            check_tiles(function)
            target = target_around(function) or get_target(DEFAULT_TARGET)
            for nested in ops_in(function):
                check_atom(nested, target)
                check_layout(nested)
                if look_up(table, nested) is None:
                    # Before anything is rewritten, so that the note names an op of the user.
                    reason = missing_lowering(nested, NV_TILEAS.name)
                    fail(nested, f"'{nested.name}' op cannot be converted to llvm{reason}")
        # One visit an op: what patterns insert is llvm, and need not be walked again.
        Walker(OpDispatch(table), apply_recursively=False).rewrite_module(op)
        for function in functions:
            lowered = lowering.functions[function]
            # After the walk, when all shared memory of the function is known.
            facts = lowered.program.function
            bound_occupancy(function, lowered.function, facts.variables.shared_bytes, facts.target)
            function.detach()
            function.erase()
        # Several functions may call one external function, and a symbol is declared once.
        declared: set[str] = set()
        for lowered in lowering.functions.values():
            variables = lowered.program.function.variables
            define_variables(lowered.function, variables)
            for name, declaration in variables.declarations.items():
                if name not in declared:
                    op.body.block.add_op(declaration)
                declared.add(name)
        flatten_modules(op)
        check_legal(op, LLVM)
