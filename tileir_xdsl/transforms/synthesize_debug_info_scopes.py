"""`synthesize-debug-info-scopes`: adds a debug scope to kernels that have none.

A debugger needs the function of an instruction, not only its line. Every function whose locations
have no scope gets a subprogram, named after its symbol. File and line of the subprogram are those
of the function's location (`<unknown>` and 1 if there is none). The location of every op becomes
its file location, otherwise the function's, fused with the subprogram:

    entry @k() { .. loc("/src/k.py":7:4) } loc("/src/k.py":5:1)
    ->
    the operation is at "/src/k.py":7:4 in #cuda_tile.di_subprogram<file = <"k.py" in "/src">,
    line = 5, name = "k", linkageName = "k", compileUnit = <..>, scopeLine = 5>
"""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.dialects.cuda_tile import DICompileUnitAttr, DIFileAttr, DISubprogramAttr
from tileir_xdsl.dialects.cuda_tile.core import FunctionOperation
from tileir_xdsl.dialects.cuda_tile.debug_info import scope_of
from tileir_xdsl.rewriting import Walker
from tileir_xdsl.walking import ops_in

UNKNOWN = FileLineColLoc(StringAttr("<unknown>"), IntAttr(1), IntAttr(1))
"""The location of a function without a file location."""


def file_location(location: Attribute) -> FileLineColLoc | None:
    """The first file location inside of a location; inside of a call site, that of the callee."""
    match location:
        case FileLineColLoc():
            return location
        # The callee: the line that the author of the op wrote, not the one that calls it.
        case NameLoc(location=inner) | CallSiteLoc(callee=inner):
            return file_location(inner)
        case FusedLoc(locations=ArrayAttr(data=parts)):
            # The first one: DWARF has one line for an instruction.
            return next((found for found in map(file_location, parts) if found), None)
        case _:
            return None


@dataclass(frozen=True)
class ScopePlan:
    """The subprogram of a function, and the position of ops without a file location."""

    scope: DISubprogramAttr
    position: FileLineColLoc

    def location_of(self, op: Operation) -> FusedLoc:
        """The new location of an op, fused with the subprogram."""
        return FusedLoc((file_location(op.location) or self.position,), self.scope)


def plan_scope(function: FunctionOperation) -> ScopePlan | None:
    """The scope for a function; None if any location in it already has one."""
    # Scopes that a front end has given say more than one that is made here.
    if any(scope_of(op.location) is not None for op in ops_in(function)):
        return None
    position = file_location(function.location) or UNKNOWN
    # POSIX rules on every host: the file name comes from where the kernel was written.
    directory, file_name = posixpath.split(position.filename.data)
    file = DIFileAttr(file_name, directory)
    name, line = function.sym_name.data, position.line.data
    scope = DISubprogramAttr(file, line, name, name, DICompileUnitAttr(file), scope_line=line)
    return ScopePlan(scope, position)


@dataclass(frozen=True)
class PutInScope(RewritePattern):
    """Fuses the location of an op with the subprogram of its function."""

    plans: Mapping[Operation, ScopePlan]
    """By function."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        around: Operation | None = op
        while around is not None and around not in self.plans:
            around = around.parent_op()
        if around is not None:
            op.location = self.plans[around].location_of(op)
            rewriter.notify_op_modified(op)


class SynthesizeDebugInfoScopesPass(ModulePass):
    """Adds debug scopes to functions without any, and to the ops in them."""

    name = "synthesize-debug-info-scopes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        plans: dict[Operation, ScopePlan] = {}
        for function in ops_in(op):
            if isinstance(function, FunctionOperation) and (plan := plan_scope(function)):
                plans[function] = plan
        Walker(PutInScope(plans), apply_recursively=False).rewrite_module(op)
