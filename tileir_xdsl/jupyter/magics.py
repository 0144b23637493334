"""The magics: functions of the state of the notebook, the line and the rest of the cell."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriteWalker,
    RewritePattern,
)

from tileir_xdsl import cutile
from tileir_xdsl.checking.pass_check import PassCheck
from tileir_xdsl.cli.opt import read_pipeline
from tileir_xdsl.extensions import Extension, PlacedPass, register
from tileir_xdsl.extensions.registry import load
from tileir_xdsl.jupyter.changes import Change
from tileir_xdsl.jupyter.diagnostics import LineParser, one_diagnostic
from tileir_xdsl.jupyter.session import Session
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import Explained, explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.forcing import read_forced
from tileir_xdsl.report.schema import Phase
from tileir_xdsl.runtime.diagnostics import errors_in, remarks_of
from tileir_xdsl.runtime.errors import CompileError, InputError
from tileir_xdsl.runtime.program import Program
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_progress import labels_of
from tileir_xdsl.transforms.pipeline_road import remaining
from tileir_xdsl.walking import clone_of

AFTER = "--after"
PLACES = ("--before", AFTER, "--instead-of")
"""The options that name the place of a pass."""


@one_diagnostic
def tileir(session: Session, line: str, cell: str) -> ModuleOp:
    """Reads IR of any level, and shows it: `%%tileir [NAME] [-p PASSES] [--with EXTENSION]`.

    The module is verified, and errors are shown at their line of the cell. NAME becomes the
    notebook's name of the module. PASSES run on the module as by `xdsl-opt -p`, and may be passes
    of `%%pass` cells.
    """
    parser = LineParser("%%tileir")
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument("-p", "--passes", default="")
    _add_with(parser)
    args = parser.read(line)
    if args.name is not None and not args.name.isidentifier():
        raise InputError(
            "%%tileir", f"expected a Python identifier as the name of the module, got '{args.name}'"
        )
    pipeline = read_pipeline(args.passes, session.passes, args.extensions)
    file, text = session.cell("%%tileir", line, cell)
    context = new_context()
    module = read_text(context, text, file)
    with errors_in(file):
        pipeline.apply(context, module)
        module.verify()
    _tell_remarks(module, file)
    session.last = module
    if args.name is not None:
        session.shell.user_ns[args.name] = module
    return module


def _add_with(parser: LineParser) -> None:
    parser.add_argument("--with", dest="extensions", action="append", default=[])


def _tell_remarks(module: ModuleOp, file: str) -> None:
    for remark in remarks_of(module, file):
        print(remark)


@one_diagnostic
def pass_(session: Session, line: str, cell: str) -> Change:
    """Defines a pass and runs it: `%%pass [--on MODULE] [--name NAME] [--check] [--after STEP]`.

    The cell is Python. The cell's last `ModulePass` is run, or all its `RewritePattern`s as one
    pass called NAME. MODULE is a name of the notebook, a kernel of the zoo or a file; the default
    is the last module. The lines that change are shown. With `--check`, kernels must compute the
    same results before and after the pass.

    With `--after`, `--before` or `--instead-of` the pass runs at that place of the road, on MODULE
    lowered to there. A pass with a place is registered as an extension of its name.
    """
    parser = LineParser("%%pass")
    parser.add_argument("--on", metavar="MODULE")
    parser.add_argument("--name")
    parser.add_argument("--gpu")
    parser.add_argument("--check", action="store_true")
    places = parser.add_mutually_exclusive_group()
    for where in PLACES:
        places.add_argument(where, metavar="STEP")
    args = parser.read(line)
    place = next(((where, step) for where in PLACES if (step := _option(args, where))), None)
    program, level = session.program(args.on, args.gpu, "%%pass"), ""
    if place is not None:
        program, level = _at_place(program, *place)
    file, text = session.cell("%%pass", line, cell)
    exec(_compiled(text, file), session.shell.user_ns)
    made = _pass_of(_classes_in(cell, session.shell.user_ns), args.name)
    session.passes[made.name] = made
    before = program.module
    after = _applied(made(), before, file, check=args.check)
    _tell_remarks(after, file)
    session.last = after
    said = ["kernels compute the same"] if args.check else []
    if place is not None:
        _register(made, level, *place)
        said.append(f"extension '{made.name}' of this notebook")
    return Change(made.name, before, after, ", ".join(said))


def _option(args: argparse.Namespace, flag: str) -> str | None:
    return getattr(args, flag.removeprefix("--").replace("-", "_"))


def _at_place(program: Program, where: str, label: str) -> tuple[Program, str]:
    """A program lowered to the place of a pass, and its level. Raises CompileError."""
    with errors_in(program.file):
        road = remaining(program.module, program.gpu, program.options)
    labels = [step.label for step in road]
    if label not in labels:
        hint = did_you_mean(label, labels, most=3)
        raise InputError(
            f"{where} {label}", f"the program has no remaining pass of this name{hint}"
        )
    number = labels.index(label)
    if where == AFTER:
        return program.lower(label), road[number].level.name
    before = program.lower(labels[number - 1]) if number else program
    return before, road[number].takes.name


def _register(made: type[ModulePass], level: str, where: str, label: str) -> None:
    """Registers a pass as an extension. Raises InputError if its name is already used."""
    before, after, instead_of = (label if where == place else None for place in PLACES)
    with errors_in("%%pass", ValueError):
        placed = PlacedPass(made, level, before, after, instead_of)
        register(Extension(made.name, passes=(placed,)))
        load((made.name,))


def _compiled(text: str, file: str) -> CodeType:
    """The code of a cell. Raises InputError if the cell is not Python."""
    try:
        return compile(text, file, "exec")
    except SyntaxError as error:
        place = f"{file}:{error.lineno}:{error.offset}" if error.lineno else file
        raise InputError(place, error.msg) from None


def _classes_in(cell: str, names: Mapping[str, Any]) -> list[type]:
    """The passes and patterns that a cell defines, in the order of the cell."""
    defined = re.findall(r"^class (\w+)", cell, re.MULTILINE)
    values = [names[name] for name in dict.fromkeys(defined) if name in names]
    return [
        value
        for value in values
        if isinstance(value, type) and issubclass(value, ModulePass | RewritePattern)
    ]


def _pass_of(classes: list[type], name: str | None) -> type[ModulePass]:
    """The pass of a cell. Raises InputError if there is no pass, or if it needs arguments."""
    passes = [each for each in classes if issubclass(each, ModulePass)]
    used = passes[-1:] or classes
    if not used:
        raise InputError(
            "%%pass", "expected a subclass of RewritePattern or ModulePass in the cell"
        )
    for each in used:
        needed = [
            one.name
            for one in inspect.signature(each).parameters.values()
            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        ]
        if needed:
            raise InputError(
                "%%pass", f"{each.__name__} must need no arguments, but needs {', '.join(needed)}"
            )
    if passes:
        return passes[-1]
    dashed = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", classes[-1].__name__).lower()
    return pass_of_patterns(name or dashed, [each for each in classes if each not in passes])


def pass_of_patterns(pass_name: str, patterns: list[type[RewritePattern]]) -> type[ModulePass]:
    """A pass that applies patterns until none of them matches."""

    class PatternsPass(ModulePass):
        """Patterns of a cell, as a pass."""

        name = pass_name

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            # Dead ops are another pass's business.
            each = [made() for made in patterns]
            pattern = GreedyRewritePatternApplier(each, dce_enabled=False)
            PatternRewriteWalker(pattern).rewrite_module(op)

    return PatternsPass


def _applied(made: ModulePass, before: ModuleOp, file: str, *, check: bool) -> ModuleOp:
    """A copy of a module after a pass, verified. Raises CompileError."""
    context, after = new_context(), clone_of(before)
    with errors_in(file):
        if check:
            PassCheck(after).run_pass(context, made)
        else:
            made.apply(context, after)
            after.verify()
    return after


@one_diagnostic
def filecheck(session: Session, line: str, cell: str) -> None:
    """FileCheck of the cell's lines: `%%filecheck [NAME] [--prefix CHECK]`.

    The checked text is the last module or NAME: a module, a program, compiled PTX or a string.
    """
    parser = LineParser("%%filecheck")
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument("--prefix", default="CHECK")
    args = parser.read(line)
    text = session.text(args.name, "%%filecheck")
    file, checks = session.cell("%%filecheck", line, cell)
    try:
        tools.check(text, checks, prefix=args.prefix)
    except ImportError:
        raise InputError("%%filecheck", "needs the package filecheck") from None
    except AssertionError as error:
        raise _failed_check(str(error), file) from None
    print(f"{len(re.findall(rf'{args.prefix}[A-Z-]*:', checks))} checks pass")


def _failed_check(report: str, file: str) -> CompileError:
    """An error for a report of FileCheck, at the line of the cell."""
    first, *notes = report.partition("\n--- input ---")[0].rstrip().splitlines()
    placed = re.fullmatch(r"checks:(\d+): error: (.*)", first)
    if placed is None:
        return InputError(file, first.removeprefix("filecheck error: "))
    return InputError(f"{file}:{placed[1]}:1", placed[2], notes)


@one_diagnostic
def explain_(session: Session, line: str) -> Explained | Phase:
    """Reports how a kernel was compiled: `%explain [NAME [ARGUMENTS]] [--gpu GPU] [--pass PASS]`.

    NAME is a module or program of the notebook, a kernel of the zoo, or a file; the default is the
    last module. For a cuTile kernel, ARGUMENTS is an expression such as `(a, b, 128)`. The page of
    `tileir explain` is shown, or with `--pass` the decisions of one pass. `--force` sets choices of
    passes, `--with` loads an extension, `-o` names a file for the page.
    """
    parser = LineParser("%explain")
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENTS")
    parser.add_argument("--gpu")
    parser.add_argument("--pass", dest="of")
    parser.add_argument("--force", action="append", default=[])
    _add_with(parser)
    parser.add_argument("-o", dest="output")
    args = parser.read(line)
    if args.arguments:
        kernel = session.value(args.name, "%explain")
        given = eval(" ".join(args.arguments), session.shell.user_ns)
        with errors_in("%explain"):
            options = Options(extensions=tuple(args.extensions)) if args.extensions else None
        explained = cutile.explain(kernel, given, args.gpu, options=options, force=args.force)
    else:
        program = session.program(args.name, args.gpu, "%explain")
        explained = _explained(program, args.name or "module", args.force, args.extensions)
    if args.output is not None:
        explained.write(args.output)
    if args.of is None:
        return explained
    return _phase(explained, args.of)


def _phase(explained: Explained, label: str) -> Phase:
    """The decisions of a pass; `NAME:2` is its second run.

    Raises InputError if the pass did not run.
    """
    phases = explained.report.phases
    labelled = dict(zip(labels_of([phase.pass_name for phase in phases]), phases, strict=True))
    if label not in labelled:
        raise InputError("%explain", f"no pass '{label}' has run{did_you_mean(label, labelled)}")
    return labelled[label]


def _explained(
    program: Program, name: str, force: Sequence[str], extensions: Sequence[str]
) -> Explained:
    """The report of a program, with the extensions of its options and further `extensions`."""
    options = program.options
    with errors_in("%explain"):
        options = options.replaced(extensions=(*options.extensions, *extensions))
    contents, forced = str(program.module).encode(), read_forced(force, options.extensions)
    return explain(contents, name, program.gpu, options, ReportFiles(()), forced=forced)
