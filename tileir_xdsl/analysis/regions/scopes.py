"""The parts of a module that a pass processes one by one: each function, and the code outside of
functions.
"""

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import SymbolOpInterface

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.walking import ancestors, ops_in


def scopes_of(module: ModuleOp) -> list[Operation]:
    """The functions of a module that have a body, then the module if it has ops of its own."""
    functions: list[Operation] = [
        op for op in ops_in(module) if isinstance(op, FuncOp) and op.body.blocks
    ]
    has_own = any(
        not isinstance(op, ModuleOp) and not op.has_trait(SymbolOpInterface) for op in module.ops
    )
    return [*functions, module] if has_own else functions


def scope_of(op: Operation) -> Operation:
    """The function that an op is in; outside of functions, the outermost op."""
    scope = op
    # Without a call for each op around this one, since there may be a thousand.
    while (block := scope.parent) is not None and (region := block.parent) is not None:
        if (around := region.parent) is None:
            break
        scope = around
        if type(scope) is FuncOp:
            break
    return scope


def function_around(op: Operation) -> FuncOp | None:
    """The function that an op is in, if it is in one."""
    scope = scope_of(op)
    return scope if isinstance(scope, FuncOp) else None


def scope_name(scope: Operation) -> str:
    """The name of a function in reports; `module` for code outside of functions."""
    name = scope.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else "module"


def is_repeated(op: Operation) -> bool:
    """Whether an op is nested in a loop."""
    return any(isinstance(around, scf.ForOp | scf.WhileOp) for around in ancestors(op))


def is_made_once(value: SSAValue) -> bool:
    """Whether a value is defined outside of all loops, and is not carried by a loop."""
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    is_carried = isinstance(value, BlockArgument) and isinstance(owner, scf.ForOp | scf.WhileOp)
    return owner is None or not (is_carried or is_repeated(owner))
