"""`synthesize-debug-info-scopes`: kernels from a front end without scopes get one each.

A debugger wants to know the function that an instruction belongs to, not only its line. Every
function whose locations have no scope gets a subprogram, named after its symbol. Its file and line
are those of its location (`<unknown>` and 1 if it has none). The function and everything inside of
it is then at its own file location, or else at that of the function, in that subprogram:

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
"""Where a function is that nobody says the place of."""


def file_location(location: Attribute) -> FileLineColLoc | None:
    """The first file location inside of a location; of a call, the one inside of the callee."""
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
    """The subprogram of a function, and where those of its ops are that no file is known of."""

    scope: DISubprogramAttr
    position: FileLineColLoc

    def location_of(self, op: Operation) -> FusedLoc:
        """The location of an op of the function, or of the function, in its subprogram."""
        return FusedLoc((file_location(op.location) or self.position,), self.scope)


def plan_scope(function: FunctionOperation) -> ScopePlan | None:
    """The scope that a function gets; None if it already contains one."""
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
    """Puts the location of an op into the subprogram of the function that it is in, or is."""

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
    """Functions without debug scopes get one, and so do the ops in them."""

    name = "synthesize-debug-info-scopes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        plans: dict[Operation, ScopePlan] = {}
        for function in ops_in(op):
            if isinstance(function, FunctionOperation) and (plan := plan_scope(function)):
                plans[function] = plan
        Walker(PutInScope(plans), apply_recursively=False).rewrite_module(op)
