"""PDL patterns of the user, which run after the populators on the remaining ops.

A pattern file is a module of `pdl.pattern` ops. Every op is visited once, by patterns in the order
of decreasing benefit; new ops are not visited.
"""

from collections.abc import Sequence
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import pdl
from xdsl.dialects.builtin import StringAttr, UnknownLoc
from xdsl.interpreters.pdl import PDLRewritePattern
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.walking import ops_in

INVALID_PATTERNS = "failed to lower PDL pattern module to the PDL Interpreter"


class KeepLocation(RewritePattern):
    """Wraps a pattern: the ops that it creates get the location of the matched op."""

    def __init__(self, pattern: RewritePattern):
        self.pattern = pattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        location, made = op.location, list[Operation]()
        # The interpreter of PDL builds ops without a location.
        rewriter.operation_insertion_handler.append(made.append)
        self.pattern.match_and_rewrite(op, rewriter)
        rewriter.operation_insertion_handler.remove(made.append)
        for new_op in made:
            if isinstance(new_op.location, UnknownLoc):
                new_op.location = location


def read_patterns(context: Context, file: str) -> Sequence[RewritePattern]:
    """Reads the patterns of a file, highest benefit first.

    Raises `PassFailedException` if the file cannot be read or a pattern cannot be interpreted,
    `ParseError` if it is not a module.
    """
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise PassFailedException(f"cannot read the patterns of '{file}': {reason}") from None
    module = Parser(context, text, name=file).parse_module()
    module.verify()
    found = [op for op in ops_in(module) if isinstance(op, pdl.PatternOp)]
    if not found:
        fail(module, INVALID_PATTERNS)
    # The sort is stable: patterns of one benefit are tried in the order of the file.
    found.sort(key=lambda pattern: -pattern.benefit.value.data)
    return [KeepLocation(_pattern(context, op)) for op in found]


def _pattern(context: Context, op: pdl.PatternOp) -> PDLRewritePattern:
    """Checks that the PDL interpreter supports all ops of a pattern."""
    rewrite = op.body.block.last_op
    assert isinstance(rewrite, pdl.RewriteOp)
    if rewrite.root is None or not rewrite.body.blocks:
        fail(rewrite, INVALID_PATTERNS)
    for nested in ops_in(op):
        match nested:
            # They name functions of a host program; a file of patterns has none.
            case pdl.ApplyNativeConstraintOp() | pdl.ApplyNativeRewriteOp():
                fail(nested, INVALID_PATTERNS)
            # A misspelt op would never match, and nothing would say so.
            case pdl.OperationOp(opName=StringAttr(data=name)) if not context.get_optional_op(name):
                fail(nested, INVALID_PATTERNS)
            case _:
                pass
    return PDLRewritePattern(rewrite, context)
